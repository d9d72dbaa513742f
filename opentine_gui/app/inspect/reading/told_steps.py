"""Which steps of a run a presentation tells: what was asked, what went wrong, what was changed, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opentine_gui.app.canvas.presentation import divergences, onward, story_of
from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.findings import findings_of
from opentine_gui.app.inspect.outcome import last_checks
from opentine_gui.app.session import Session
from opentine_gui.core import Graph, RunRecord, StepKind, TineError
from opentine_gui.core.graph.calls.call_roles import Role, call_in
from opentine_gui.describe.payload_text import first_text, has_text

SHORT = 12
"""A run of at most so many steps is told step by step."""
FEWEST = 3
"""Slides below which nothing stands out of a run: then it is told step by step, too."""
MOST_SLIDES = 30
ASKED_SHARE, FAILED_SHARE = 0.4, 0.5
"""The share of the slides that requests may have, and of the rest that failures may, where there are enough others."""
NEAR_THE_END = 60
MOST_LOOKED_AT = 2_000
"""Calls, from the last one backwards, whose records are looked at for edits: a frame waits for it."""


def told_steps(session: Session, document: Document) -> tuple[tuple[str, ...], int]:
    """(steps, first position) of what is presented of a document; ((), 0) if it has no steps.

    Several selected steps are told as they are, and a comparison where its runs diverge and how each of them ended.
    Of a longer run the steps that stand out are told, and the selected one.
    """
    record = document.record
    if record is None or not len(record.graph):
        return (), 0
    told = divergences(document)
    if told:
        return (*told, *(step for step in _ends(document) if step not in told)), 0
    graph = record.graph
    chosen = [graph.index(step) for step in document.selection if step in graph]
    steps, position = story_of(document)
    if len(chosen) > 1:
        return steps, position
    path = _way(record, graph, chosen)
    if len(path) <= SHORT:
        return steps, position
    found = highlights(session, document, record, path)
    if len(found) < FEWEST:
        return steps, position
    if chosen:
        found = sorted({*found, chosen[0]})
    return tuple(graph.ids[index] for index in found), found.index(chosen[0]) if chosen else 0


def _ends(document: Document) -> tuple[str, ...]:
    """How each run of a comparison ended."""
    overlay, record = document.shown_overlay, document.record
    if overlay is None or overlay.comparison is None or record is None:
        return ()
    tips = (overlay.family.records[run].main_tip for run in overlay.pair)
    return tuple(dict.fromkeys(tip for tip in tips if tip is not None and tip in record.graph))


def _way(record: RunRecord, graph: Graph, chosen: Sequence[int]) -> list[int]:
    """All steps on the way to the main tip, or through the selected step to a tip if that one lies elsewhere."""
    main = record.main_tip
    path = graph.closure([graph.index(main) if main is not None and main in graph else len(graph) - 1], causal=False)
    if chosen and chosen[0] not in set(path):
        path = graph.closure([[chosen[0], *onward(graph, chosen[0])][-1]], causal=False)
    return path


def highlights(session: Session, document: Document, record: RunRecord, path: Sequence[int]) -> list[int]:
    """The positions on a way that stand out, in order, at most `MOST_SLIDES` and what the user wrote or bookmarked.

    Where there are too many, the requests with most work are told, and failures and edits evenly.
    """
    graph = record.graph
    inside = set(path)
    notes = {graph.index(step) for step in document.annotations if step in graph}
    check = last_checks(findings_of(session, document), graph).step
    asked = [step for step in path if graph.v3_kinds.get(step) == "human"]
    kept = {(asked or path)[0], path[-1], *(notes & inside), *_last_words(graph, path)}
    kept |= {graph.index(check)} if check in graph else set()
    failed = [step for step in document.notable_steps.failures if step in inside and step not in kept]
    edits = [step for step in _edits(document, graph, path) if step not in kept]
    room = max(MOST_SLIDES - len(kept), 0)
    # Each keeps a share, and what it leaves goes to the next: of a day of work its questions alone would fill all.
    requests = _with_most_work(asked, path, max(round(room * ASKED_SHARE), room - len(failed) - len(edits)))
    kept.update(requests)
    room = max(MOST_SLIDES - len(kept), 0)
    kept.update(spread(failed, max(round(room * FAILED_SHARE), room - len(edits))))
    kept.update(spread(edits, max(MOST_SLIDES - len(kept), 0)))
    return sorted(kept)


def _with_most_work(asked: Sequence[int], path: Sequence[int], most: int) -> list[int]:
    """At most so many requests: those that most steps followed before the next one."""
    if len(asked) <= most:
        return list(asked)
    places = {step: place for place, step in enumerate(path)}
    ends = [*(places[step] for step in asked[1:]), len(path)]
    work = {step: end - places[step] for step, end in zip(asked, ends, strict=True)}
    return sorted(sorted(asked, key=lambda step: (-work[step], step))[:most])


def _last_words(graph: Graph, path: Sequence[int]) -> list[int]:
    """The step in which the agent said something last, if it is near the end of the way."""
    for step in reversed(path[-NEAR_THE_END:]):
        if graph.kinds[step] in (StepKind.MODEL, StepKind.DONE) and graph.v3_kinds.get(step) != "human":
            try:
                text = first_text(graph.step(step).outputs)
            except TineError:
                continue
            if has_text(text):
                return [step]
    return []


def _edits(document: Document, graph: Graph, path: Sequence[int]) -> list[int]:
    """The calls on a way that changed a file they name."""
    fold = document.picture.fold
    roles = fold.structure.facts.roles if fold is not None and fold.graph is graph else None
    tools = [
        step
        for step in path
        if graph.kinds[step] is StepKind.TOOL
        and (roles is None or roles[step] == Role.EDIT)  # known of a folded run, without a look at its records
        and step not in graph.v3_kinds
        and not graph.failed[step]
        and step not in graph.stopped
    ]
    return [step for step in tools[-MOST_LOOKED_AT:] if is_edit(graph, step)]


def is_edit(graph: Graph, step: int) -> bool:
    """Whether a step is a call that changes a file it names."""
    call = call_in(graph.raws[step])
    return call.role is Role.EDIT and bool(call.path)


def spread(steps: Iterable[int], most: int) -> list[int]:
    """At most so many of these steps, evenly, the first and the last of them among them."""
    found = list(steps)
    if len(found) <= most:
        return found
    if most < 2:
        return found[-most:] if most else []
    return [found[round(place * (len(found) - 1) / (most - 1))] for place in range(most)]
