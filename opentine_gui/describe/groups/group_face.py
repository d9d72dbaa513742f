"""The face of a group's card: its title, what happened in it as one line, a bar for every step that acts, flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from opentine_gui.core.structure.call_roles import Role
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.facts import CALL, HUMAN, SUBAGENT
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_title import group_title
from opentine_gui.describe.numbers import NOT_RECORDED, counted, format_cost, format_count, format_duration
from opentine_gui.scene.card_flags import Flag
from opentine_gui.scene.cards import CardFace
from opentine_gui.scene.group_strip import MOST_BARS, Bar, Group

HEIGHTS = {
    Role.LOOK: 0.38,
    Role.RUN: 0.66,
    Role.TEST: 0.66,
    Role.SAVE: 0.8,
    Role.EDIT: 1.0,
    Role.PLAN: 0.38,
    Role.DELEGATE: 1.0,
    Role.ASK: 0.66,
}
"""How much a call changes, as the height of its bar: reading is low, editing high."""


def group_face(
    structure: Structure,
    card: Card,
    steps: Sequence[int],
    flags: tuple[Flag, ...] = (),
    border: str | None = None,
    count: int = 1,
) -> CardFace:
    """The face of a group. `steps` are those of the card in order, without absorbed branches; `flags` come last."""
    title, kind = group_title(structure, card, steps)
    inside = _lane_kind(structure, card)
    failed = structure.facts.failed
    heading = structure.facts.sorts[steps[0]] == HUMAN
    failures = sum(map(failed.__getitem__, steps))
    group = Group(len(steps), strip(structure, steps), heading, inside, failures)
    return CardFace(
        title, quiet_line(structure, steps), "", kind, None, (*own_flags(structure, card, steps), *flags), count,
        border, failures > 0, group,
    )  # fmt: skip


def of_one_step(structure: Structure, card: Card, step: int, face: CardFace) -> CardFace:
    """The face of a step that stands alone in a folded run: a person's words are a heading there, too."""
    heading, inside = structure.facts.sorts[step] == HUMAN, _lane_kind(structure, card)
    flags = (*own_flags(structure, card, ()), *face.flags) if card.absorbed else face.flags
    figures = "" if heading and face.figures == NOT_RECORDED else face.figures  # words of a person cost nothing
    if not heading and not inside and flags == face.flags:
        return face
    return replace(face, flags=flags, figures=figures, group=Group(1, (), heading, inside))


def quiet_line(structure: Structure, steps: Sequence[int]) -> str:
    """What happened in a group: "4 turns · read 14 · edited 3 files · tested 2 · ran 5 · 2 failed · 6 min · $0.42"."""
    facts, graph = structure.facts, structure.graph
    counts = [0] * len(Role)
    edited = set()
    turns = failures = 0
    duration = cost = 0.0
    for step in steps:
        role = facts.roles[step]
        if role < len(counts):
            counts[role] += 1
            if role == Role.EDIT:
                edited.add(facts.abouts[step].partition(" ")[2] or str(step))
        elif facts.sorts[step] == HUMAN:
            turns += 1
        failures += facts.failed[step]
        duration += graph.durations[step]
        cost += graph.costs[step]
    parts = [counted(turns, "turn")] if turns > 1 else []
    if counts[Role.LOOK]:
        parts.append(f"read {format_count(counts[Role.LOOK])}")
    if counts[Role.EDIT]:
        files = f"{len(edited)} files" if len(edited) > 1 else format_count(counts[Role.EDIT])
        parts.append(f"edited {files}")
    words = ((Role.TEST, "tested"), (Role.RUN, "ran"), (Role.SAVE, "saved"))
    parts += [f"{word} {format_count(counts[role])}" for role, word in words if counts[role]]
    if failures:
        parts.append(f"{format_count(failures)} failed")
    if duration >= 60:
        parts.append(format_duration(duration))
    if cost >= 0.005:
        parts.append(format_cost(cost))
    return " · ".join(parts)


def strip(structure: Structure, steps: Sequence[int]) -> tuple[Bar, ...]:
    """A bar for every step that acts, in order; of more than `MOST_BARS` the mean of neighbours, failures kept."""
    facts = structure.facts
    bars = []
    for step in steps:
        sort = facts.sorts[step]
        if facts.failed[step]:
            bars.append(Bar("bad", 1.0))
        elif sort == HUMAN:
            bars.append(Bar("human", 1.0))
        elif sort == SUBAGENT:
            bars.append(Bar("subagent", 1.0))
        elif sort == CALL:
            role = Role(facts.roles[step])
            bars.append(Bar("done" if role is Role.SAVE else "tool", HEIGHTS[role]))
    if len(bars) <= MOST_BARS:
        return tuple(bars)
    found = []
    for place in range(MOST_BARS):
        some = bars[place * len(bars) // MOST_BARS : (place + 1) * len(bars) // MOST_BARS]
        rarest = min((bar.role for bar in some), key=_RARE.index)
        if rarest == "bad":
            found.append(Bar("bad", 1.0))
        else:
            found.append(Bar(rarest, sum(bar.height for bar in some) / len(some)))
    return tuple(found)


_RARE = ("bad", "human", "done", "subagent", "tool")


def own_flags(structure: Structure, card: Card, steps: Sequence[int]) -> tuple[Flag, ...]:
    """What a card counts besides its steps: failures, sub-agents inside it, branches it absorbed."""
    facts, lanes, ids = structure.facts, structure.lanes, structure.graph.ids
    flags = []
    failing = [step for step in steps if facts.failed[step]]
    if failing:
        hint = f"{counted(len(failing), 'failure')} in here: go to the first"
        flags.append(Flag(f"✕ {format_count(len(failing))}", "bad", press=("select.step", ids[failing[0]]), hint=hint))
    agents = sum(facts.sorts[step] == SUBAGENT for step in steps)
    if agents > (1 if steps and (card.sort != "span" or facts.sorts[steps[0]] == SUBAGENT) else 0):
        flags.append(Flag(f"◈ {agents}", "subagent", hint=f"{counted(agents, 'sub-agent')} in here"))
    if card.absorbed:
        size = failed = 0
        for entry in card.absorbed:
            start, end = lanes.region(entry)
            size += end - start
            failed += structure.sums.failed[end] - structure.sums.failed[start]
        words = f"⑂ {format_count(len(card.absorbed))}"
        if size > len(card.absorbed):
            words += f" · {format_count(size)}"
        count = len(card.absorbed)
        branches = "1 branch" if count == 1 else f"{count:,} branches"
        ends = f", {counted(failed, 'failure')}" if failed else ""
        hint = f"{branches} with {counted(size, 'step')}{ends}: show them"
        flags.append(Flag(words, "bad" if failed else "quiet", press=("fold.branches", ids[card.name]), hint=hint))
    return tuple(flags)


def _lane_kind(structure: Structure, card: Card) -> bool:
    """Whether the card lies in the lane of a sub-agent."""
    lanes, sorts = structure.lanes, structure.facts.sorts
    lane = lanes.lanes[card.lane]
    while lane.number:
        if sorts[lane.entry] == SUBAGENT:
            return True
        above = lanes.owner_lane(lane)
        if above is None:
            return False
        lane = above
    return False
