"""The targets F1 to F12 of folding, on generated runs and, where a folder of sessions is named, on real ones.

`OPENTINE_BENCH_SESSIONS` may name a folder: every file in it that a reader knows and that has more than 60 steps is
measured too. The canvas is 1000 x 760. Times are CPU seconds of this process.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from time import process_time

import networkx as nx

from bench.clock import quantile
from bench.generate import agent_run, linear_run
from bench.session_runs import messy_run, messy_table, session_run
from bench.table import Row, at_most
from opentine_gui.app.document.picture.fold import Room, first_state, fold, grown_state
from opentine_gui.app.document.picture.fold_state import FoldState
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core import RunRecord, TineError
from opentine_gui.core.family.union import family_of
from opentine_gui.core.structure.borders import BETWEEN_TURNS, STRONG
from opentine_gui.core.structure.cards import Card, Cards, enclosed
from opentine_gui.core.structure.facts import HUMAN, SUBAGENT
from opentine_gui.core.structure.first_view import UNFOLDED, is_long
from opentine_gui.core.structure.lanes import Lanes
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_face import group_face
from opentine_gui.importers.readers import may_be_run, read_run
from opentine_gui.layout import Direction
from opentine_gui.layout.columns.request import COLUMN_GAP
from opentine_gui.scene.space.camera import Viewport

ROOM = Room(Direction.TOP_TO_BOTTOM, Viewport(1000, 760))
STATES = 100_000
SAMPLE = 60
"""Number of groups that are opened in each run, and of steps that are reached by clicks."""
LONG = 300
"""Least steps of a long session, as in the study: in shorter ones nearly every round has a card of its own."""


def rows(folder: Path) -> Iterator[Row]:
    """All rows; `folder` is not needed."""
    runs = [
        (f"session of {steps:,}", session_run(steps, seed)) for seed, steps in enumerate((100, 300, 700, 1500, 4000))
    ]
    runs += [("chain of 2,000", linear_run(2_000, payload=60)), ("fan-outs of 2,000", agent_run(2_000, typical=40))]
    runs += [("messy, 2,000", messy_run(2_000)), *_real()]
    measured = [_Measured(name, record) for name, record in runs]
    yield from _first_views(measured)
    yield from _cards(measured)
    yield from _random_states()
    yield from _openings(measured)
    yield from _times()
    yield from _growth()
    yield from _families()
    short = sum(is_long(steps) for steps in range(UNFOLDED + 1))
    yield Row("fold", "F12 runs of up to 60 steps that are folded", short, "", target=at_most(0))


def _real() -> Iterator[tuple[str, RunRecord]]:
    """The long sessions of the folder that is named, if one is."""
    named = os.environ.get("OPENTINE_BENCH_SESSIONS")
    for path in sorted(Path(named).rglob("*")) if named else ():
        if path.is_file() and may_be_run(path.name):
            try:
                record = read_run(path)
            except (TineError, OSError):
                continue
            if is_long(len(record.graph)):
                yield f"session {path.stem[:24]}", record


class _Measured:
    """A run, its structure, its first view."""

    def __init__(self, name: str, record: RunRecord) -> None:
        self.name, self.record = name, record
        self.structure = structure_of(record)
        self.state = first_state(self.structure, ROOM)
        self.fold = fold(self.structure, self.state, ROOM)

    @property
    def cards(self) -> Sequence[Card]:
        return self.fold.cards.cards

    @property
    def is_session(self) -> bool:
        return self.name.startswith("session")


def structure_of(record: RunRecord) -> Structure:
    """The structure of a run along its main line."""
    main = record.refs.get("main") or record.main_tip
    return Structure(record.graph, record.graph.index(main) if main is not None and main in record.graph else None)


def _zoom(folded: FoldedRun) -> float:
    x0, y0, x1, y1 = folded.layout.bounds
    return min(1.0, ROOM.inner[0] / max(x1 - x0, 1.0), ROOM.inner[1] / max(y1 - y0, 1.0))


def _first_views(measured: Sequence[_Measured]) -> Iterator[Row]:
    for run in measured:
        note = f"{len(run.cards)} cards, zoom {_zoom(run.fold):.2f}"
        yield Row("fold", f"F1 0.6 over the zoom: {run.name}", 0.6 / _zoom(run.fold), "", target=at_most(1), note=note)
    yield Row("fold", "F1 most cards", max(len(run.cards) for run in measured), "", target=at_most(150))
    chain = next(run for run in measured if run.name.startswith("chain"))
    yield Row("fold", "F1 60 over the cards of a chain", 60 / len(chain.cards), "", target=at_most(1))
    shares = [100 * max(card.size for card in run.cards) / len(run.structure) for run in measured]
    sessions = [share for run, share in zip(measured, shares, strict=True) if run.is_session]
    yield Row("fold", "F2 biggest card, median of sessions", median(sessions), "%", target=at_most(8))
    yield Row("fold", "F2 biggest card of any", max(shares), "%", target=at_most(50))
    turns = heads = 0
    borders: Counter[bool] = Counter()
    strong: Counter[bool] = Counter()
    """Figures of sessions of at most 60 turns, by whether they are as long as those of the study."""
    for run in measured:
        structure = run.structure
        asked = [step for step in range(len(structure)) if structure.facts.sorts[step] == HUMAN]
        if run.is_session and 0 < len(asked) <= 60:
            names = {card.name for card in run.cards}
            turns, heads = turns + len(asked), heads + len(names & set(asked))
            for step in run.fold.cards.borders:
                ranked = structure.lanes.index[step] > 0
                if ranked:
                    structure.borders.rank(structure.lanes.lane_of(step))
                    level, strength = structure.borders.level[step], structure.borders.strength[step]
                    borders[len(structure) >= LONG] += 1
                    strong[len(structure) >= LONG] += level >= BETWEEN_TURNS or strength >= STRONG
    missing = 100 - 100 * heads / max(turns, 1)
    yield Row("fold", "F3 turns that are no heading", missing, "%", target=at_most(20), note=f"{heads} of {turns} are")
    weak = 100 - 100 * strong.total() / max(borders.total(), 1)
    yield Row("fold", "F3 weak borders", weak, "%", target=at_most(15))
    weak = 100 - 100 * strong[True] / max(borders[True], 1)
    yield Row("fold", f"F3 weak borders, sessions of {LONG} steps and more", weak, "%")


def _cards(measured: Sequence[_Measured]) -> Iterator[Row]:
    """F4: failures and stopped steps that no card, tick or count shows."""
    lost = 0
    failures = agents = 0
    for run in measured:
        structure, folded = run.structure, run.fold
        for number, card in enumerate(run.cards):
            steps = folded.steps(number)
            face = group_face(structure, card, steps)
            ended = structure.graph.stopped
            stopped = sum(step in ended for step in steps)
            failed = sum(structure.facts.failed[step] for step in steps if step not in ended)
            failures += failed + stopped
            told = [int(flag.text.split()[1].replace(",", "")) for flag in face.flags if flag.role == "stopped"]
            lost += abs(failed - (face.group.failures if face.group is not None else 0)) + abs(stopped - sum(told))
            agents += sum(structure.facts.sorts[step] == SUBAGENT for step in steps)
            for entry in card.absorbed:
                start, end = structure.lanes.region(entry)
                counted = any(f"· {end - start}" in flag.text or "⑂" in flag.text for flag in face.flags)
                lost += 0 if counted else end - start
    yield Row(
        "fold", "F4 failures and branches that no card shows", lost, "", target=at_most(0),
        note=f"{failures} failures, {agents} sub-agents",
    )  # fmt: skip


def _random_states() -> Iterator[Row]:
    """F5: any set of borders gives every step one card, and no cycle."""
    bad = 0
    random = Random(5)
    tried = 0
    while tried < STATES:
        table = messy_table(random.randrange(2, 40), tried)
        lanes = Lanes(table, random.randrange(len(table)))
        for _ in range(20):
            tried += 1
            share = random.choice((0.03, 0.15, 0.5))
            cards = Cards(lanes, [step for step in range(len(table)) if random.random() < share])
            of = cards.card_of()
            graph = nx.DiGraph()
            graph.add_edges_from(
                (of[parent], of[step])
                for step, parents in enumerate(table)
                for parent in parents
                if of[parent] != of[step]
            )
            held = sum(end - start for card in cards.cards for start, end in cards.intervals(card))
            bad += min(of) < 0 or held != len(table) or not nx.is_directed_acyclic_graph(graph)
    yield Row("fold", f"F5 bad states of {tried:,} at random", bad, "", target=at_most(0))


def _openings(measured: Sequence[_Measured]) -> Iterator[Row]:
    """F6, F7 and F11: what opening adds and moves, how many clicks a step is away, what closing leaves."""
    added: list[int] = []
    added_agent: list[int] = []
    moved = wider = changed = different = 0
    clicks: list[int] = []
    random = Random(6)
    for run in measured:
        structure, folded = run.structure, run.fold
        openings = Openings(structure)
        ids = structure.graph.ids
        groups = [number for number, card in enumerate(run.cards) if card.size > 1]
        for number in random.sample(groups, min(SAMPLE, len(groups))):
            card = run.cards[number]
            borders = enclosed(structure.lanes, openings.by_count(card))
            state = FoldState(run.state.borders | {ids[step] for step in borders}, run.state.heads, run.state.extents)
            opened = fold(structure, state, ROOM)
            agents = any(structure.facts.sorts[step] == SUBAGENT for step in folded.steps(number))
            (added_agent if agents else added).append(len(opened) - len(folded))
            places = {name: folded.layout.position(name) for name in folded.layout.nodes}
            now = {name: opened.layout.position(name) for name in opened.layout.nodes}
            x, _ = places[ids[card.name]]
            kept = set(run.cards) - {card}
            changed += not kept <= set(opened.cards.cards)
            own = _column(run.state, x)
            moving = [name for name in places if name in now and now[name] != places[name]]
            beside = [name for name in moving if _column(run.state, places[name][0]) != own]
            moved += bool(beside)
            wider += bool(beside) and opened.layout.bounds[2] > folded.layout.bounds[2]
            back = fold(structure, run.state.closed(()), ROOM)
            different += bool(
                back.layout.nodes != folded.layout.nodes or (back.layout.centers != folded.layout.centers).any()
            )
        for step in random.sample(range(len(structure)), min(SAMPLE, len(structure))):
            clicks.append(clicks_to(structure, run.fold.cards.borders, step))
    note = f"{len(added) + len(added_agent)} openings, median {median(added):.0f}"
    yield Row("fold", "F6 cards that opening adds, most", max(added), "", target=at_most(8), note=note)
    yield Row("fold", "F6 the same with sub-agents", max(added_agent, default=0), "", target=at_most(10))
    yield Row(
        "fold", "F6 openings that move another column", moved - wider, "", target=at_most(0),
        note=f"{wider} more where the column got wider",
    )  # fmt: skip
    yield Row("fold", "F7 clicks to nine of ten steps", quantile(clicks, 0.9), "", target=at_most(3))
    chain = _Measured("chain", linear_run(100_000, payload=20))
    far = [clicks_to(chain.structure, chain.fold.cards.borders, step) for step in range(0, 100_000, 2_003)]
    yield Row("fold", "F7 clicks to a step of a chain of 100,000", max(far), "", target=at_most(5))
    yield Row("fold", "F11 openings that change another card", changed, "", target=at_most(0))
    yield Row("fold", "F11 closings that leave something else", different, "", target=at_most(0))
    one, other = (_Measured("same", session_run(700, 9)) for _ in range(2))
    same = one.state == other.state and (one.fold.layout.centers == other.fold.layout.centers).all()
    yield Row("fold", "F11 different pictures of one run", 0 if same else 1, "", target=at_most(0))


def _column(state: FoldState, x: float) -> int:
    """The column of a first view that contains a card's centre."""
    at = 0.0
    for number, (left, right) in enumerate(state.extents):
        at += left + right + COLUMN_GAP
        if x < at:
            return number
    return len(state.extents)


def clicks_to(structure: Structure, borders: frozenset[int], step: int) -> int:
    """How many groups must be opened, one after another, until a step has a card of its own."""
    openings = Openings(structure)
    clicks = 0
    while clicks < 30:
        cards = Cards(structure.lanes, borders)
        place = structure.lanes.place[step]
        held = next(card for card in cards.cards if any(start <= place < end for start, end in cards.intervals(card)))
        if held.size == 1 and not held.absorbed:
            return clicks
        if any(start <= place < end for start, end in held.parts):
            if held.size == 1:
                return clicks
            more = openings.by_count(held)
        else:
            more = openings.branches(held)
        borders = enclosed(structure.lanes, borders | more)
        clicks += 1
    return clicks


def _times() -> Iterator[Row]:
    """F8: CPU seconds at 100,000 steps."""
    for name, record in (("chain", linear_run(100_000, payload=60)), ("session", session_run(100_000))):
        began = process_time()
        structure = structure_of(record)
        made = process_time()
        state = first_state(structure, ROOM)
        folded = fold(structure, state, ROOM)
        for number, card in enumerate(folded.cards.cards):
            group_face(structure, card, folded.steps(number))
        shown = process_time()
        yield Row("fold", f"F8 structure of 100,000 steps, {name}", made - began, target=at_most(1))
        yield Row("fold", f"F8 first view, places and words, {name}", shown - made, target=at_most(0.5))
        openings = Openings(structure)
        took = []
        ids = structure.graph.ids
        for card in folded.cards.cards[:SAMPLE]:
            began = process_time()
            borders = enclosed(structure.lanes, openings.by_count(card))
            fold(
                structure, FoldState(state.borders | {ids[step] for step in borders}, state.heads, state.extents), ROOM
            )
            took.append(process_time() - began)
        note = f"median {median(took) * 1000:.0f} ms"
        yield Row("fold", f"F8 an opening, most, {name}", max(took), target=at_most(0.03), note=note)


def _growth() -> Iterator[Row]:
    """F9: cards besides the last that change when steps are appended one at a time."""
    graph = session_run(900, 4).graph
    begin = 700
    structure = Structure(graph.subset(range(begin)), begin - 1)
    state = first_state(structure, ROOM)
    total = at_once = 0
    before = _held(structure, state)
    for count in range(begin + 1, len(graph) + 1):
        structure = Structure(graph.subset(range(count)), count - 1, known=structure)
        state = fold(structure, grown_state(structure, state), ROOM, grows=True).state
        now = _held(structure, state)
        changed = max(len(now - before) - 1, 0)
        total += changed
        if len(graph.parents[count - 1]) < 2:
            at_once = max(at_once, changed)
        before = now
    yield Row(
        "fold", "F9 cards a step changes besides the last", total / (len(graph) - begin), "", target=at_most(0.25)
    )
    yield Row("fold", "F9 cards that change at once, without a merge", at_once, "", target=at_most(2))


def _held(structure: Structure, state: FoldState) -> set[frozenset[str]]:
    ids = structure.graph.ids
    cards = Cards(structure.lanes, [structure.graph.index(step) for step in state.borders])
    return {frozenset(ids[step] for step in cards.steps(card)) for card in cards.cards}


def _families() -> Iterator[Row]:
    """F10: three runs with a common beginning: no card mixes sides, and shared steps have one card."""
    family = family_of([session_run(700, 3, tail=tail) for tail in ("a", "b", "c")])
    structure = Structure(family.graph, None, family.holders)
    folded = fold(structure, first_state(structure, ROOM), ROOM)
    mixed = sum(len({family.holders[step] for step in folded.all_steps(number)}) > 1 for number in range(len(folded)))
    note = f"{len(family.graph):,} steps, {len(folded)} cards"
    yield Row("fold", "F10 cards that mix runs", mixed, "", target=at_most(0), note=note)
