"""What is worth looking at on the path to one end: errors, last edits, loops, unchecked edits, unanswered calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set

from opentine_gui.core.analysis.agents import agents
from opentine_gui.core.analysis.files.file_names import places_in
from opentine_gui.core.analysis.files.touched_files import Touched, alike, is_end_of
from opentine_gui.core.analysis.suspicion.call_facts import PROSE, CallFacts
from opentine_gui.core.analysis.suspicion.check_scope import checks_of
from opentine_gui.core.analysis.suspicion.failures import NO_CALL, Sort, failed, has_failed
from opentine_gui.core.analysis.suspicion.reasons import WEIGHTS, Evidence, Reason
from opentine_gui.core.analysis.suspicion.unchecked import last_command, program_edits
from opentine_gui.core.analysis.tool_call import tool_call
from opentine_gui.core.graph.calls.call_roles import Call, Role
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import StepKind

REPEATS = 3
"""How many times the same call is made before it counts as repeated."""
MOST_REPEATED = 3
MOST_NAMED = 3
"""Most files of a traceback whose last edit is given."""
LONGEST_ANSWER = 100_000
_TAKES_BACK = re.compile(r"\bgit (?:checkout|restore|reset|stash|revert)\b")
_STOPPED = (Sort.REFUSED, Sort.INTERRUPTED, Sort.CANCELLED, Sort.UNANSWERED)
"""Calls that were stopped or never answered are not errors; they have their own reasons."""


def smells(
    graph: Graph,
    path: Sequence[int],
    facts: Mapping[int, CallFacts],
    touched: Touched,
    tip: int,
    failing: bool,
    open_check: int = -1,
) -> Iterator[tuple[int, Evidence]]:
    """(step, evidence) along `path` to `tip`; `facts` are those of its tool steps.

    Errors, and the edits before them, are evidence of a failure only: of the tip's if it failed (`failing`), else of
    that of `open_check`, the last check that failed and did not pass later, -1 for none. Of the changes after that
    check, repeated calls, edits never checked and calls that were refused or never answered there is evidence at any
    end.
    """
    calls = {step: found.call for step, found in facts.items()}
    broken = [step for step in path if has_failed(graph, step)]
    sorts = {step: failed(graph, step).sort for step in broken}
    if failing:
        errors = [step for step in broken if step != tip and sorts[step] not in _STOPPED]
        last = next((step for step in reversed(broken) if sorts[step] in (Sort.CHECK, Sort.OTHER)), None)
        checked = next((step for step in reversed(broken) if sorts[step] is Sort.CHECK), None)
    else:
        before = set(graph.closure([open_check])) if open_check >= 0 else set()
        errors = [
            step
            for step in broken
            if step in before and step != open_check and sorts[step] not in _STOPPED and step in calls
            if _may_matter(calls[step], calls[open_check])
        ]
        last = checked = open_check if open_check >= 0 else None
    if failing or last is not None:
        yield from _first_errors(errors, set(broken), tip if failing else open_check, calls, path)
        yield from _last_edits(graph, broken, last, calls, touched, path)
        yield from _edits_before(broken, checked, calls, touched, path)
    if open_check >= 0:
        yield from _not_rerun(graph, path, calls, touched, open_check)
    repeated = sorted(_repetitions(graph, path, facts), key=lambda found: -found[1].times)
    yield from repeated[:MOST_REPEATED]
    yield from _unchecked(graph, path, calls, touched)
    yield from _left([step for step in broken if step != tip or not failing], sorts, graph)


def _may_matter(call: Call, check: Call) -> bool:
    """Whether an error may have to do with a check that failed: one of this check or of another command.

    In a run that went on to its end, a page or a file that was not found seldom does; another check tells of itself.
    """
    if call.role is Role.TEST:
        return bool({one.program for one in checks_of(call).all} & {one.program for one in checks_of(check).all})
    return call.role in (Role.RUN, Role.SAVE)


def _left(broken: Sequence[int], sorts: Mapping[int, Sort], graph: Graph) -> Iterator[tuple[int, Evidence]]:
    """Calls that were refused or never answered; of several from one response the first, with the others."""
    for sort, reason in ((Sort.REFUSED, Reason.REFUSED), (Sort.UNANSWERED, Reason.UNANSWERED)):
        together: dict[tuple[int, ...], list[int]] = {}
        for step in broken:
            if sorts[step] is sort:
                together.setdefault(tuple(graph.parents[step]), []).append(step)
        for first, *others in together.values():
            yield first, Evidence(reason, WEIGHTS[reason], tuple(others))


def _first_errors(
    broken: Sequence[int], bad: Set[int], end: int, calls: Mapping[int, Call], path: Sequence[int]
) -> Iterator[tuple[int, Evidence]]:
    """The first error that no later call of the same kind about the same thing fixed, and the very first error.

    `bad` are all steps that failed: none of them fixed anything. Errors of the kind of the failing `end`, about the
    same thing, are the failure itself, and weigh less.
    """
    fixed_at: dict[tuple[str, Role, str], int] = {}
    for step in path:
        if step in calls and step not in bad:
            fixed_at[_subject(calls[step])] = step
    lasting = [step for step in broken if fixed_at.get(_subject(calls.get(step, NO_CALL)), -1) < step]
    itself = _subject(calls[end]) if end in calls else None
    others = [step for step in lasting if step not in calls or _subject(calls[step]) != itself]
    weight = WEIGHTS[Reason.FIRST_ERROR]
    if others:
        yield others[0], Evidence(Reason.FIRST_ERROR, weight, tuple(others[1:]), times=len(others))
    if broken and broken[0] not in others[:1]:
        after, fixed = tuple(broken[1:]), broken[0] not in lasting
        yield broken[0], Evidence(Reason.FIRST_ERROR, weight * 0.4, after, len(broken), fixed_later=fixed)


def _subject(call: Call) -> tuple[str, Role, str]:
    return call.tool, call.role, call.about


def _last_edits(
    graph: Graph,
    broken: Sequence[int],
    last: int | None,
    calls: Mapping[int, Call],
    touched: Touched,
    path: Sequence[int],
) -> Iterator[tuple[int, Evidence]]:
    """The last change of each file that the `last` failure names, made before that failure began."""
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
    by_end: dict[str, list[str]] = {}
    for touched_file in touched.files:
        by_end.setdefault(_last_name(touched_file.path), []).append(touched_file.path)
    files = {file.path: file for file in touched.files}
    for name, line in places_in(answer):
        named_path = _path_named(by_end, name)
        if named_path is not None:
            named[named_path] = f"{name}:{line}"  # the last line of a traceback is closest to the failure
    for number, (file_path, place) in enumerate(reversed(named.items())):
        if number >= MOST_NAMED:
            break
        file = files[file_path]
        before = [step for step in file.changes if step in on_path and step < began]
        after = [step for step in file.changes if step in on_path and began < step < last]
        weight = WEIGHTS[Reason.LAST_EDIT] * (1.0, 0.7, 0.5)[number]
        if before:
            yield before[-1], Evidence(Reason.LAST_EDIT, weight, (last,), place=place)
        elif after:
            yield after[0], Evidence(Reason.LAST_EDIT, weight * 0.6, (last,), place=place)


def _edits_before(
    broken: Sequence[int], last: int | None, calls: Mapping[int, Call], touched: Touched, path: Sequence[int]
) -> Iterator[tuple[int, Evidence]]:
    """The edits between the last check that passed and the first that kept failing, the last one first."""
    if last is None:
        return
    began = _began(broken, calls, last)
    subject, bad = _subject(calls[last]), set(broken)
    passed = max(
        (s for s in path if s < began and s in calls and s not in bad and _subject(calls[s]) == subject), default=-1
    )
    on_path = set(path)
    programs = [file for file in touched.files if not file.path.lower().endswith(PROSE)]
    edits = sorted({s for file in programs for s in file.changes if s in on_path and passed < s < began})
    for number, step in enumerate(reversed(edits[-3:])):
        weight = WEIGHTS[Reason.BEFORE_FAILING] * 0.8**number
        yield step, Evidence(Reason.BEFORE_FAILING, weight, (began,), len(edits), never_passed=passed < 0)


def _not_rerun(
    graph: Graph, path: Sequence[int], calls: Mapping[int, Call], touched: Touched, check: int
) -> Iterator[tuple[int, Evidence]]:
    """The last change after a check that failed, which was not run again; and each that took changes back."""
    later = [step for step in program_edits(graph, path, calls, touched) if step > check]
    weight = WEIGHTS[Reason.NOT_RERUN]
    for number, step in enumerate(reversed(later)):
        reverted = bool(_TAKES_BACK.search(calls[step].command)) if step in calls else False
        if reverted or not number:
            others = () if reverted else tuple(later[:-1])
            yield step, Evidence(Reason.NOT_RERUN, weight, (check, *others), len(others) + 1, reverted=reverted)


def _last_name(path: str) -> str:
    return path.rpartition("/")[2]


def _path_named(by_end: Mapping[str, list[str]], name: str) -> str | None:
    """The only path among those with a file name that a failure names; None if there is none or there are several."""
    plain = name.replace("\\", "/").lstrip("./")
    found = {path for path in alike(by_end, plain) if is_end_of(plain, path) or is_end_of(path, plain)}
    return found.pop() if len(found) == 1 else None


def _began(broken: Sequence[int], calls: Mapping[int, Call], last: int) -> int:
    """Where the last failure's series of failures, of the same thing, began."""
    subject, bad = _subject(calls.get(last, NO_CALL)), set(broken)
    succeeded = max(
        (step for step, call in calls.items() if step not in bad and step < last and _subject(call) == subject),
        default=-1,
    )
    return min(
        (step for step in broken if succeeded < step and _subject(calls.get(step, NO_CALL)) == subject), default=last
    )


def _repetitions(graph: Graph, path: Sequence[int], facts: Mapping[int, CallFacts]) -> Iterator[tuple[int, Evidence]]:
    """Calls repeated three times or more within a person's turn with the same answer, or without an edit in between.

    If several agents each do the same thing once, that is not a loop.
    """
    seen: dict[tuple[int, bytes], list[tuple[int, bytes, int]]] = {}
    agent = agents(graph)
    edits = 0
    for step in [*path, -1]:
        if step < 0 or graph.v3_kinds.get(step) == "human":
            for same in seen.values():
                yield from _repeated(graph, same)
            seen.clear()
        elif step in facts:
            found = facts[step]
            if found.call.role is Role.EDIT and not has_failed(graph, step):
                edits += 1
            seen.setdefault((agent[step], found.asked), []).append((step, found.answered, edits))


def _repeated(graph: Graph, same: Sequence[tuple[int, bytes, int]]) -> Iterator[tuple[int, Evidence]]:
    if len(same) < REPEATS:
        return
    first, answer, edits = same[0]
    alike = [step for step, other, between in same if other == answer or between == edits]
    if len(alike) < REPEATS:
        return
    again = alike[1:]
    # A repetition costs the call and the response that asked for it.
    counted = set(again) | {
        parent
        for step in again
        for parent in graph.parents[step]
        if graph.kinds[parent] is StepKind.MODEL and graph.v3_kinds.get(parent) is None
    }
    known = [step for step in counted if graph.costs[step] > 0]
    tokens = [graph.tokens[step] for step in counted if graph.tokens[step] >= 0]
    seconds = sum(graph.durations[step] for step in counted)
    weight = min(WEIGHTS[Reason.REPEATED] + 0.04 * (len(alike) - REPEATS), 0.7)
    yield first, Evidence(
        Reason.REPEATED, weight, tuple(again), len(alike), sum(graph.costs[step] for step in known) if known else None,
        sum(tokens) if tokens else None, seconds if seconds > 0 else None,
    )  # fmt: skip


def _unchecked(
    graph: Graph, path: Sequence[int], calls: Mapping[int, Call], touched: Touched
) -> Iterator[tuple[int, Evidence]]:
    """The last edit of a program after which nothing was run, with the other edits that were not checked."""
    checked = last_command(graph, calls)
    waiting = [step for step in program_edits(graph, path, calls, touched) if step > checked]
    if waiting and not _is_open(graph, path):
        weight = WEIGHTS[Reason.UNCHECKED]
        yield waiting[-1], Evidence(Reason.UNCHECKED, weight, tuple(waiting[:-1]), times=len(waiting))


def _is_open(graph: Graph, path: Sequence[int]) -> bool:
    """Whether the path ends in a call: the run may still be going, or a check was about to follow."""
    return graph.kinds[path[-1]] is StepKind.TOOL and not has_failed(graph, path[-1])
