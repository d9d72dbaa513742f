"""Suspects: steps worth looking at when a run failed, each with its reason; never the cause.

Published methods name the failing step correctly in 14 to 30 % of cases (Who&When, arXiv 2505.00212; TraceElephant), so
several steps are given and none is called the cause. No model is asked: docs/SUSPECTS.md says what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping, Sequence
from typing import NamedTuple

import msgspec

from opentine_gui.core.analysis.files.touched_files import Touched
from opentine_gui.core.analysis.suspicion.call_facts import CallFacts, call_facts
from opentine_gui.core.analysis.suspicion.failures import has_failed
from opentine_gui.core.analysis.suspicion.reasons import WEIGHTS, Evidence, Reason
from opentine_gui.core.analysis.suspicion.smells import smells
from opentine_gui.core.analysis.suspicion.spectrum import End, only_failing, replaced
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import RunStatus, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import RunRecord

MOST = 7
"""Most suspects given: a list of all steps is no help."""
_LAST_WEIGHT = 0.02


class Suspect(NamedTuple):
    """A step with its reasons, the strongest first."""

    position: int
    score: float
    evidence: tuple[Evidence, ...]


NO_TIP = -1


class Suspicion(msgspec.Struct, frozen=True):
    """The suspects of a graph, the most likely first; `tip` is the end they lead to, `failing` whether it failed.

    Where only a check failed and not the end, `tip` is this check.
    """

    suspects: tuple[Suspect, ...] = ()
    tip: int = NO_TIP
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
    graph: Graph,
    ends: Sequence[End],
    touched: Touched,
    *,
    main: int | None = None,
    pace: Pace | None = None,
    known: MutableMapping[str, CallFacts] | None = None,
    open_check: int = -1,
) -> Suspicion:
    """The suspects for work that ended at `ends`: on the path to the failing end (`main` if it failed), between ends.

    Without a failing end, the path to `main` is searched for calls that were never answered and edits never checked; if
    `open_check` is a check on it that failed and did not pass later, that is where it failed.
    `known` holds the facts of calls from an earlier state of the run, by step id, and receives the new ones.
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
    facts = call_facts(graph, (step for step in path if graph.kinds[step] is StepKind.TOOL), known)
    pace.at(0.3)
    for position, found in smells(graph, path, facts, touched, tip, tip in failing, open_check):
        add(position, found)
    pace.at(0.6)
    if failing:
        for position, found in _between(graph, ends, pace.part(0.6, 1.0)):
            add(position, found)
    ranked = [_ranked(position, found, len(graph)) for position, found in evidence.items()]
    ranked.sort(key=lambda suspect: (-suspect.score, suspect.position))
    if tip not in failing and open_check >= 0:
        return Suspicion(tuple(ranked[:MOST]), open_check, failing=True)
    return Suspicion(tuple(ranked[:MOST]), tip, tip in failing)


def _ranked(position: int, found: list[Evidence], count: int) -> Suspect:
    """Several reasons combine like independent probabilities; of equal scores the later step comes first."""
    left = 1.0
    for one in found:
        left *= 1.0 - one.weight
    found.sort(key=lambda one: -one.weight)
    return Suspect(position, 1.0 - left + _LAST_WEIGHT * position / count, tuple(found))


def _between(graph: Graph, ends: Sequence[End], pace: Pace) -> Iterator[tuple[int, Evidence]]:
    for step, other in replaced(graph, ends):
        yield step, Evidence(Reason.REPLACED, WEIGHTS[Reason.REPLACED], (other,))
    for number, found in enumerate(only_failing(graph, ends, pace)):
        weight = WEIGHTS[Reason.ONLY_FAILING] * found.share * 0.9**number
        yield found.step, Evidence(Reason.ONLY_FAILING, weight, runs=found.runs, alike=found.alike)
