"""Searches one run: its steps in slices, its transcript, and what it says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import msgspec

from opentine_gui.app.search.query import RUN_FIELDS, Query, is_status
from opentine_gui.app.search.step_search import Snippet, StepSearch, facts_at
from opentine_gui.app.search.values import content_of
from opentine_gui.app.state.annotations import NO_NOTES, NOTHING, Annotations
from opentine_gui.core import Graph, RunRecord, TineError, overview_of
from opentine_gui.core.graph.raw_search import candidates
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import failure_reason, shown_headline
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.step_titles import title

_SAYS_NOTHING = frozenset(("integrity", "fork", "merge", "inherited", "autosave"))
"""Members of a run's metadata that were computed, not said."""
LARGE_STEP = 1 << 18
"""Bytes of an encoded step from which on it is not decoded in a frame."""
_turns = msgspec.json.Decoder(list[msgspec.Raw])


class Found(NamedTuple):
    """Something found: the position of a step, or -1 for another part of the run, and how often it matches.

    `snippet` is given for what is no step's content: a turn of the transcript, or what the run says of itself.
    """

    position: int
    times: int
    snippet: Snippet | None = None


class Described(NamedTuple):
    """A result as it is shown, not cleaned: of a step, or with `step` "" of the run itself."""

    step: str
    title: str
    kind: str
    snippet: Snippet | None


def fits_run(query: Query, record: RunRecord) -> bool:
    """Whether a run meets the conditions on runs."""
    asked = query.of(*RUN_FIELDS)
    if not asked:
        return True
    overview = overview_of(record)
    for one in asked:
        match one.field:
            case "tag":
                holds = one.text in overview.tags
            case "status":
                holds = is_status(one.text, overview.status, status_words(record).word)
            case "failures":
                holds = one.admits(overview.failures)
            case "harness":
                holds = one.text in overview.harness.lower()
            case _:
                holds = one.admits(overview.created_at)
        if holds is one.negated:
            return False
    return True


def scan_run(record: RunRecord, search: StepSearch, notes: Annotations = NO_NOTES) -> Iterator[list[Found]]:
    """What is found in a run, in slices of a millisecond or two, empty ones included: stop whenever you like.

    `notes` are what the user wrote beside its steps; a run without them has none.
    """
    if not fits_run(search.query, record):
        return
    yield _said_by_run(record, search)
    graph, needs_facts = record.graph, search.needs_facts
    seen = bytearray(len(graph))
    for part in candidates(graph.raws, search.needles if search.needs_content else ()):
        found: list[Found] = []
        for position in part:
            if search.asks_notes and not search.note_fits(notes.get(graph.ids[position], NOTHING).note):
                continue
            facts = facts_at(graph, position) if needs_facts else None
            why = partial(_shown_failure, graph, position)
            count = search.count(graph.ids[position], facts, graph.raws[position], why)
            if count:
                seen[position] = 1
                found.append(Found(position, count))
        yield found
    yield _in_notes(record, search, notes, seen)
    yield from _in_transcript(record, search, seen)


def _shown_failure(graph: Graph, position: int) -> str:
    """What is shown of a failure: the line in its red box, and the reason on its card."""
    try:
        step = graph.step(position)
    except TineError:
        return ""
    failure = failure_of(step)
    return f"{shown_headline(step, failure)}\n{failure_reason(graph, position)}" if failure is not None else ""


def snippet_at(record: RunRecord, search: StepSearch, found: Found) -> Snippet | None:
    """What to show of something found; None if there is no text to show."""
    if found.snippet is not None or found.position < 0:
        return found.snippet
    return search.snippet(content_of(record.graph.raws[found.position]))


def described(record: RunRecord, search: StepSearch, found: Found, *, at_once: bool = False) -> Described:
    """A result as it is shown; with `at_once`, in a frame, without a snippet that would take long to cut."""
    slow = found.position >= 0 and (search.has_patterns or len(record.graph.raws[found.position]) > LARGE_STEP)
    snippet = found.snippet if slow and at_once else snippet_at(record, search, found)
    if found.position < 0:
        return Described("", record.title, "", snippet)
    graph = record.graph
    kind = graph.v3_kinds.get(found.position, graph.kinds[found.position].value)
    try:
        words = title(graph.step(found.position))
    except TineError:
        words = graph.ids[found.position]
    return Described(graph.ids[found.position], words, kind, snippet)


def _said_by_run(record: RunRecord, search: StepSearch) -> list[Found]:
    said = {name: value for name, value in record.metadata.items() if name not in _SAYS_NOTHING}
    said = {"run_id": record.run_id, **said}
    count = search.count_in(said)
    return [Found(-1, count, search.snippet(said))] if count else []


def _in_notes(record: RunRecord, search: StepSearch, notes: Annotations, seen: bytearray) -> list[Found]:
    """Steps whose note has what is asked for, unless the step itself was found."""
    if not search.asks_text_only:
        return []
    found = []
    for identity, annotation in notes.items():
        position = record.graph.positions.get(identity, -1)
        if not annotation.note or position < 0 or seen[position]:
            continue
        said = {"note": annotation.note}
        times = search.count_in(said)
        if times:
            found.append(Found(position, times, search.snippet(said)))
            seen[position] = 1
    return found


def _in_transcript(record: RunRecord, search: StepSearch, seen: bytearray) -> Iterator[list[Found]]:
    """Turns that are found, unless the step that recorded one was: the turn only repeats it.

    If the query excludes something, the step decides for its turn.
    """
    if not search.asks_text_only or not any(candidates([record.transcript_text], search.needles)):
        return
    try:
        turns = _turns.decode(record.transcript_text)
    except (msgspec.MsgspecError, RecursionError):
        return
    graph, excludes = record.graph, any(one.negated for one in search.query.conditions)
    for part in candidates(turns, search.needles):
        found: list[Found] = []
        for place in part:
            said = content_of(turns[place])
            owner = said.pop("step_id", None)
            position = graph.positions.get(owner, -1) if isinstance(owner, str) else -1
            if position >= 0 and (seen[position] or excludes):
                continue
            times = search.count_in(said)
            if times:
                found.append(Found(position, times, search.snippet(said, f"transcript[{place}]")))
                if position >= 0:
                    seen[position] = 1
        yield found
