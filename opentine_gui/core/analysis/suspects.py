"""Suspects: steps worth looking at when a run failed, each with its reason; never the cause.

Published methods name the failing step right in 14 to 30 % of cases (Who&When, arXiv 2505.00212; TraceElephant), so
several steps are given and none is called the cause. No model is asked: docs/SUSPECTS.md says what is measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from opentine_gui.core.analysis.failures import NO_CALL, Sort, failed, has_failed
from opentine_gui.core.analysis.spectrum import End, only_failing, replaced
from opentine_gui.core.analysis.tool_call import tool_call
from opentine_gui.core.analysis.touched_files import Touched, TouchedFile, is_end_of
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import RunStatus, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import RunRecord
from opentine_gui.core.structure.call_roles import Call, Role, call_in

MOST = 7
"""So many steps are given at most: a list of all is no help."""
REPEATS = 3
"""So often a call is made before it is called a circle."""
MOST_NAMED = 3
"""Files of a traceback whose last edit is given."""
LONGEST_ANSWER = 100_000
_LAST_WEIGHT = 0.02
_PROSE = (".md", ".txt", ".rst", ".adoc")
_PLACE = re.compile(r"([\w@~./\\+-]*[\w+-]+\.[A-Za-z]\w{0,9})(?:\", line |:|\()(\d+)")


class Reason(StrEnum):
    """Why a step is a suspect."""

    REPLACED = "replaced"
    ONLY_FAILING = "only failing"
    LAST_EDIT = "last edit"
    FIRST_ERROR = "first error"
    BEFORE_FAILING = "before failing"
    CIRCLE = "circle"
    UNCHECKED = "unchecked"
    REFUSED = "refused"
    UNANSWERED = "unanswered"


WEIGHTS: Mapping[Reason, float] = {
    Reason.REPLACED: 0.9,
    Reason.ONLY_FAILING: 0.8,
    Reason.LAST_EDIT: 0.75,
    Reason.FIRST_ERROR: 0.6,
    Reason.BEFORE_FAILING: 0.5,
    Reason.CIRCLE: 0.5,
    Reason.UNCHECKED: 0.45,
    Reason.REFUSED: 0.55,
    Reason.UNANSWERED: 0.4,
}
"""How much a reason counts beside others; the order was set on generated runs (docs/SUSPECTS.md)."""


class Evidence(NamedTuple):
    """One reason: `times`, `cost`, `tokens` and `seconds` of a circle (None: not recorded), other `steps`, a `place`.

    `runs` are (failing runs with it, failing runs, passing runs with it), `alike` the steps after it of which the same
    holds: the spectrum cannot tell them apart.
    """

    reason: Reason
    weight: float
    steps: tuple[int, ...] = ()
    times: int = 0
    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    place: str = ""
    runs: tuple[int, int, int] = (0, 0, 0)
    alike: tuple[int, ...] = ()


class Suspect(NamedTuple):
    """A step with its reasons, the weightiest first."""

    position: int
    score: float
    evidence: tuple[Evidence, ...]


class Suspicion(msgspec.Struct, frozen=True):
    """The suspects of a graph, the likeliest first; `tip` is the end they lead to, `failing` whether it failed."""

    suspects: tuple[Suspect, ...] = ()
    tip: int = -1
    failing: bool = False


def ends_of(record: RunRecord) -> list[End]:
    """The tips of one run and how each ended, as far as the recording says."""
    graph, main = record.graph, record.main_tip
    found = []
    for tip in graph.tips:
        is_main = graph.ids[tip] == main
        if has_failed(graph, tip) or (is_main and record.status is RunStatus.FAILED):
            found.append(End(tip, True))
        elif graph.kinds[tip] is StepKind.DONE or (is_main and record.status is RunStatus.COMPLETED):
            found.append(End(tip, False))
        else:
            found.append(End(tip, None))
    return found


def suspects(
    graph: Graph, ends: Sequence[End], touched: Touched, *, main: int | None = None, pace: Pace | None = None
) -> Suspicion:
    """The suspects of what ended at `ends`: on the way to the failing end (`main` if it failed), and between the ends.

    Without a failing end the steps on the way to `main` are looked through for what nobody answered or checked.
    """
    pace = pace or Pace()
    if not len(graph):
        return Suspicion()
    failing = [end.tip for end in ends if end.failed]
    tip = main if main is not None and (main in failing or not failing) else max(failing, default=len(graph) - 1)
    path = graph.closure([tip])
    evidence: dict[int, list[Evidence]] = {}

    def add(position: int, found: Evidence) -> None:
        evidence.setdefault(position, []).append(found)

    pace.at(0.05)
    calls = {step: call_in(graph.raws[step]) for step in path if graph.kinds[step] is StepKind.TOOL}
    pace.at(0.3)
    for position, found in _on_the_way(graph, path, calls, touched, tip, tip in failing):
        add(position, found)
    pace.at(0.6)
    if failing:
        for position, found in _between(graph, ends, pace.part(0.6, 1.0)):
            add(position, found)
    ranked = [_ranked(position, found, len(graph)) for position, found in evidence.items()]
    ranked.sort(key=lambda suspect: (-suspect.score, suspect.position))
    return Suspicion(tuple(ranked[:MOST]), tip, tip in failing)


def _ranked(position: int, found: list[Evidence], count: int) -> Suspect:
    """Several reasons add up as independent chances do; of equal ones the later step comes first."""
    left = 1.0
    for one in found:
        left *= 1.0 - one.weight
    found.sort(key=lambda one: -one.weight)
    return Suspect(position, 1.0 - left + _LAST_WEIGHT * position / count, tuple(found))


def _on_the_way(
    graph: Graph, path: Sequence[int], calls: Mapping[int, Call], touched: Touched, tip: int, failing: bool
) -> Iterator[tuple[int, Evidence]]:
    broken = [step for step in path if has_failed(graph, step)]
    sorts = {step: failed(graph, step).sort for step in broken}
    if failing:
        yield from _first_errors(broken, calls, path, tip)
        yield from _last_edits(graph, broken, sorts, calls, touched, path)
        yield from _edits_before(broken, calls, sorts, touched, path)
    yield from _circles(graph, path, calls)
    yield from _unchecked(graph, path, calls, touched)
    for step in broken:
        if step == tip and failing and len(broken) > 1:
            continue
        if sorts[step] is Sort.REFUSED:
            yield step, Evidence(Reason.REFUSED, WEIGHTS[Reason.REFUSED])
        elif sorts[step] is Sort.UNANSWERED:
            yield step, Evidence(Reason.UNANSWERED, WEIGHTS[Reason.UNANSWERED])


def _first_errors(
    broken: Sequence[int], calls: Mapping[int, Call], path: Sequence[int], tip: int
) -> Iterator[tuple[int, Evidence]]:
    """The first error that no later call of the same kind about the same thing mended, and the first of all."""
    mended_at: dict[tuple[str, Role, str], int] = {}
    bad = set(broken)
    for step in path:
        if step in calls and step not in bad:
            mended_at[_subject(calls[step])] = step
    lasting = [step for step in broken if mended_at.get(_subject(calls.get(step, NO_CALL)), -1) < step]
    weight = WEIGHTS[Reason.FIRST_ERROR]
    if lasting:
        yield lasting[0], Evidence(Reason.FIRST_ERROR, weight, tuple(lasting[1:]), times=len(lasting))
    if broken and broken[0] not in lasting[:1]:
        yield broken[0], Evidence(Reason.FIRST_ERROR, weight * 0.4, tuple(broken[1:]), times=len(broken))


def _subject(call: Call) -> tuple[str, Role, str]:
    return call.tool, call.role, call.about


def _last_edits(
    graph: Graph,
    broken: Sequence[int],
    sorts: Mapping[int, Sort],
    calls: Mapping[int, Call],
    touched: Touched,
    path: Sequence[int],
) -> Iterator[tuple[int, Evidence]]:
    """The last change of each file that the last failure names, before that failing began."""
    last = next((step for step in reversed(broken) if sorts[step] in (Sort.CHECK, Sort.OTHER)), None)
    if last is None:
        return
    began = _began(broken, calls, last)
    call = tool_call(graph, last)
    answer = (
        call.answer()[:LONGEST_ANSWER]
        if call is not None
        else bytes(graph.raws[last])[:LONGEST_ANSWER].decode("utf-8", "replace")
    )
    on_path = set(path)
    named: dict[str, str] = {}
    for name, line in _PLACE.findall(answer):
        file = _file_named(touched, name)
        if file is not None:
            named[file.path] = f"{name}:{line}"  # the last line of a traceback is the nearest to the failure
    for number, (file_path, place) in enumerate(reversed(named.items())):
        file = touched.file(file_path)
        if file is None or number >= MOST_NAMED:
            break
        before = [step for step in file.changes if step in on_path and step < began]
        after = [step for step in file.changes if step in on_path and began < step < last]
        weight = WEIGHTS[Reason.LAST_EDIT] * (1.0, 0.7, 0.5)[number]
        if before:
            yield before[-1], Evidence(Reason.LAST_EDIT, weight, (last,), place=place)
        elif after:
            yield after[0], Evidence(Reason.LAST_EDIT, weight * 0.6, (last,), place=place)


def _edits_before(
    broken: Sequence[int], calls: Mapping[int, Call], sorts: Mapping[int, Sort], touched: Touched, path: Sequence[int]
) -> Iterator[tuple[int, Evidence]]:
    """The edits between the last check that passed and the first of those that failed to the end, the last one first."""
    last = next((step for step in reversed(broken) if sorts[step] is Sort.CHECK), None)
    if last is None:
        return
    began = _began(broken, calls, last)
    subject, bad = _subject(calls[last]), set(broken)
    passed = max(
        (s for s in path if s < began and s in calls and s not in bad and _subject(calls[s]) == subject), default=-1
    )
    on_path = set(path)
    edits = sorted({s for file in touched.files for s in file.changes if s in on_path and passed < s < began})
    for number, step in enumerate(reversed(edits[-3:])):
        yield step, Evidence(Reason.BEFORE_FAILING, WEIGHTS[Reason.BEFORE_FAILING] * 0.8**number, (began,), len(edits))


def _file_named(touched: Touched, name: str) -> TouchedFile | None:
    plain = name.replace("\\", "/").lstrip("./")
    found = [file for file in touched.files if is_end_of(plain, file.path) or is_end_of(file.path, name)]
    return found[0] if len(found) == 1 else None


def _began(broken: Sequence[int], calls: Mapping[int, Call], last: int) -> int:
    """Where the failing of the same thing began that the last failure belongs to."""
    subject = _subject(calls.get(last, NO_CALL))
    succeeded = max(
        (step for step, call in calls.items() if step not in set(broken) and _subject(call) == subject and step < last),
        default=-1,
    )
    return min(
        (step for step in broken if succeeded < step and _subject(calls.get(step, NO_CALL)) == subject), default=last
    )


class _Payload(msgspec.Struct, gc=False):
    inputs: msgspec.Raw = msgspec.Raw(b"")
    outputs: msgspec.Raw = msgspec.Raw(b"")
    error: msgspec.Raw = msgspec.Raw(b"")


_payload = msgspec.json.Decoder(_Payload)


def _circles(graph: Graph, path: Sequence[int], calls: Mapping[int, Call]) -> Iterator[tuple[int, Evidence]]:
    """Calls made three times and more between two turns of a person with the same answer, or with no edit between."""
    seen: dict[bytes, list[tuple[int, bytes, int]]] = {}
    edits = 0
    for step in [*path, -1]:
        if step < 0 or graph.v3_kinds.get(step) == "human":
            for same in seen.values():
                yield from _circle(graph, same)
            seen.clear()
        elif step in calls:
            if calls[step].role is Role.EDIT and not has_failed(graph, step):
                edits += 1
            payload = _payload.decode(graph.raws[step])
            answer = bytes(payload.outputs) + bytes(payload.error)
            seen.setdefault(bytes(payload.inputs), []).append((step, answer, edits))


def _circle(graph: Graph, same: Sequence[tuple[int, bytes, int]]) -> Iterator[tuple[int, Evidence]]:
    if len(same) < REPEATS:
        return
    first, answer, edits = same[0]
    alike = [step for step, other, between in same if other == answer or between == edits]
    if len(alike) < REPEATS:
        return
    again = alike[1:]
    # What a repetition cost is the call and the response that asked for it.
    counted = set(again) | {
        parent
        for step in again
        for parent in graph.parents[step]
        if graph.kinds[parent] is StepKind.MODEL and graph.v3_kinds.get(parent) is None
    }
    known = [step for step in counted if graph.costs[step] > 0]
    tokens = [graph.tokens[step] for step in counted if graph.tokens[step] >= 0]
    seconds = sum(graph.durations[step] for step in counted)
    weight = min(WEIGHTS[Reason.CIRCLE] + 0.04 * (len(alike) - REPEATS), 0.7)
    yield first, Evidence(
        Reason.CIRCLE, weight, tuple(again), len(alike), sum(graph.costs[step] for step in known) if known else None,
        sum(tokens) if tokens else None, seconds if seconds > 0 else None,
    )  # fmt: skip


def _unchecked(
    graph: Graph, path: Sequence[int], calls: Mapping[int, Call], touched: Touched
) -> Iterator[tuple[int, Evidence]]:
    """The last edit of a program after which nothing was run, with the others that wait for a check like it."""
    checked = max(
        (step for step, call in calls.items() if call.role in (Role.TEST, Role.RUN) and call.command), default=-1
    )
    on_path = set(path)
    waiting = sorted(
        {
            step
            for file in touched.files
            if not file.path.lower().endswith(_PROSE)
            for step in file.changes
            if step in on_path and step > checked
        }
    )
    if waiting and not _is_open(graph, path):
        weight = WEIGHTS[Reason.UNCHECKED]
        yield waiting[-1], Evidence(Reason.UNCHECKED, weight, tuple(waiting[:-1]), times=len(waiting))


def _is_open(graph: Graph, path: Sequence[int]) -> bool:
    """Whether the way ends in a call: the run may still go on, or a check was about to come."""
    return graph.kinds[path[-1]] is StepKind.TOOL and not has_failed(graph, path[-1])


def _between(graph: Graph, ends: Sequence[End], pace: Pace) -> Iterator[tuple[int, Evidence]]:
    for step, other in replaced(graph, ends):
        yield step, Evidence(Reason.REPLACED, WEIGHTS[Reason.REPLACED], (other,))
    for number, found in enumerate(only_failing(graph, ends, pace)):
        weight = WEIGHTS[Reason.ONLY_FAILING] * found.share * 0.9**number
        yield found.step, Evidence(Reason.ONLY_FAILING, weight, runs=found.runs, alike=found.alike)
