"""Suspects and fork points of a document: computed in a job, marked on the canvas, listed and stepped through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.file_rows import NAME as FILES
from opentine_gui.app.inspect.analysis.file_rows import touched_of
from opentine_gui.app.inspect.analysis.happenings import Happenings, facts_of_happenings, happenings
from opentine_gui.app.inspect.analysis.results import (
    Latest,
    analysis,
    is_known,
    latest_analysis,
    latest_ids,
    stands_so_far,
    was_given_up,
)
from opentine_gui.app.inspect.facts import Fact, Lines
from opentine_gui.app.session import Session
from opentine_gui.core import Graph, RunRecord, RunStatus
from opentine_gui.core.analysis.files.touched_files import Touched
from opentine_gui.core.analysis.suspicion.account import end_at, flags_failures, folder_of
from opentine_gui.core.analysis.suspicion.call_facts import CallFacts
from opentine_gui.core.analysis.suspicion.fork_points import ForkPoint, Why, fork_at, fork_points, last_pass
from opentine_gui.core.analysis.suspicion.open_checks import OpenEnd
from opentine_gui.core.analysis.suspicion.spectrum import End
from opentine_gui.core.analysis.suspicion.suspects import NO_TIP, Suspicion, ends_of, suspects
from opentine_gui.core.progress import Pace
from opentine_gui.describe.finding_words import (
    CHECK_OK,
    CHECK_PASSED,
    CHECK_UNCLEAR,
    NOTHING_SEEN,
    check_role,
    fork_why,
    fork_words,
    kept_words,
    open_end_hint,
    open_end_words,
    reason_flag,
    reason_words,
)
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.picture.legend import FORK_MARK

NAME = "findings"
_NAMES = (NAME, FILES)
"""The analyses that findings come from."""
HEADING = "Suspects · reasons, not verdicts"
FORK_HEADING = "Where to try again, by a fork"
MOST_FORKS = 5
MOST_FORKS_MARKED, LAST_FORKS_MARKED = 6, 3
"""Most places to fork that are all marked on cards; if there are more, only the last few stopped ones are."""
MOST_BESIDE = 3
"""Suspects that stand beside the failing end."""


class Findings(msgspec.Struct, frozen=True):
    """What was found in a graph; holds no reference to the graph."""

    suspicion: Suspicion
    forks: tuple[ForkPoint, ...]
    facts: Mapping[str, CallFacts] = {}
    """What the calls on the way are, by step id: kept for the run as it will be."""
    happenings: Happenings = Happenings()
    end: OpenEnd = OpenEnd()
    main: int = NO_TIP
    """The main tip."""

    def ended_badly(self, graph: Graph) -> bool:
        """Whether something had not passed when the run ended; False once it has gone on."""
        return bool(self.end.steps) and 0 <= self.main < len(graph) and not graph.children_of(self.main)

    def until_then(self, graph: Graph) -> tuple[bool, int]:
        """Whether something had not passed in the state that was looked through, else its last check or unchecked edit.

        -1 for neither. The run may have gone on since: `graph` is that of now.
        """
        steps = self.end.steps or (max(self.end.passed, self.end.unchecked, self.end.ran),)
        if not all(0 <= step < len(graph) for step in steps):
            return False, -1
        return bool(self.end.steps), -1 if self.end.steps else steps[0]

    def last_check(self, graph: Graph) -> int:
        """The position of the last check where it passed and the run ended; -1 for none."""
        ended = 0 <= self.main < len(graph) and not graph.children_of(self.main)
        return self.end.passed if ended and not self.end.steps else -1

    def last_unchecked(self, graph: Graph) -> int:
        """The position of the last edit where the run ended and nothing had been checked, or of the last command if
        that came later; -1 for none.
        """
        ended = 0 <= self.main < len(graph) and not graph.children_of(self.main)
        return max(self.end.unchecked, self.end.ran) if ended and not self.end.steps and self.end.unchecked >= 0 else -1

    @property
    def marked_forks(self) -> Sequence[ForkPoint]:
        """The places to fork that cards show; if many steps were interrupted or refused, only the last few of those.

        Twenty marks for steps that a person stopped and went on from would help nobody; the inspector still names each.
        """
        if len(self.forks) <= MOST_FORKS_MARKED:
            return self.forks
        stopped = [point for point in self.forks if point.why in (Why.REFUSED, Why.INTERRUPTED)]
        left_out = set(stopped[:-LAST_FORKS_MARKED])
        return [point for point in self.forks if point not in left_out]

    def flags(self, graph: Graph) -> dict[str, tuple[Flag, ...]]:
        """Small marks for cards by step id. Suspects are marked only if a run failed, and else just listed."""
        found: dict[str, tuple[Flag, ...]] = {}
        if self.ended_badly(graph):
            press = ("select.step", graph.ids[self.end.steps[-1]])
            flag = Flag(open_end_words(self.end), "bad", press=press, hint=open_end_hint(graph, self.end))
            found[graph.ids[self.main]] = (flag,)
        elif (checked := self.last_check(graph)) >= 0:
            press = ("select.step", graph.ids[checked])
            role, unclear = check_role(self.end), self.end.unclear
            words, short = (CHECK_UNCLEAR, NOTHING_SEEN) if unclear else (CHECK_PASSED, CHECK_OK)
            flag = Flag(words, role, press=press, hint=open_end_hint(graph, self.end), short=short)
            found[graph.ids[self.main]] = (flag,)
        if self.suspicion.failing:
            for number, suspect in enumerate(self.suspicion.suspects, 1):
                step = graph.ids[suspect.position]
                why = " · ".join(reason_words(one) for one in suspect.evidence)
                words = f"suspect {number}: {reason_flag(suspect.evidence[0])}"
                flag = Flag(words, press=("select.step", step), hint=f"A suspect, not a verdict: {why}")
                found[step] = (*found.get(step, ()), flag)
        for point in self.marked_forks:
            identity = graph.ids[point.step]
            hint = f"A place to try again from, by a fork, {fork_words(point)}. Press to see it before it is made"
            flag = Flag(FORK_MARK, press=("run.fork_where", identity), hint=hint, firm=True)
            found[identity] = (*found.get(identity, ()), flag)
        return found


_still_hold: WeakKeyDictionary[Graph, tuple[Findings, Findings | None]] = WeakKeyDictionary()
"""For a run that grew: what was found before, and what of it still holds for the steps that are there."""


class FoundStep(NamedTuple):
    """A row of the list: a step with a title, and why it is there."""

    step: str
    title: str
    words: str


def findings_of(session: Session, document: Document) -> Findings | None:
    """The findings of the current run; None while they are being computed.

    For a growing run these are the last findings (`stands_so_far`), as long as the steps they name are unchanged.
    """
    touched, found = touched_of(session, document), None
    if touched is not None:
        found = analysis(
            session,
            document,
            NAME,
            lambda record, pace, latest: _look(document, record, touched, pace, latest),
            patient=True,
        )
    if found is not None or not stands_so_far(document, *_NAMES):
        return found
    return _last_found(document)


def are_given_up(document: Document) -> bool:
    """Whether there will be no findings for the run as it is now: looking for them failed or was stopped."""
    return any(was_given_up(document, name) for name in _NAMES)


def are_so_far(document: Document) -> bool:
    """Whether the findings of a growing run are those of its last state, because the new one is not looked through."""
    return document.overlay is None and stands_so_far(document, *_NAMES) and not is_known(document, NAME)


def _last_found(document: Document) -> Findings | None:
    """What of the findings of the last state of a run still holds; None if steps that its headline names are gone."""
    record, found = document.record, latest_analysis(document, NAME)
    if record is None or not isinstance(found, Findings):
        return None
    known = _still_hold.get(record.graph)
    if known is None or known[0] is not found:
        holds: Findings | None = None
        if all(step in record.graph for step in found.happenings.steps):
            holds = _standing(found, latest_ids(document, NAME), record.graph)
        known = _still_hold[record.graph] = (found, holds)
    return known[1]


def _standing(found: Findings, then: Sequence[str], graph: Graph) -> Findings:
    """The findings that name only steps which still have the positions they had.

    The last step of a log that is written gets another id with its result, again and again: what was found in the steps
    before it holds, and no card is marked with how the run ended there. The same object where all of it holds.
    """

    now = graph.ids

    def stands(place: int) -> bool:
        return place == NO_TIP or (place < len(now) and then[place] == now[place])

    def fails(place: int) -> bool:
        """Whether it still fails, if it was the last step and has the rest of its result now."""
        completed = place == len(then) - 1 < len(now) and graph.parents[place] == (place - 1,) and stands(place - 1)
        return stands(place) or (completed and bool(graph.failed[place]))

    suspicion, end = found.suspicion, found.end
    holding = msgspec.structs.replace(
        found,
        suspicion=Suspicion(
            tuple(one for one in suspicion.suspects if stands(one.position)),
            suspicion.tip if stands(suspicion.tip) else NO_TIP,
            suspicion.failing and stands(suspicion.tip),
        ),
        forks=tuple(point for point in found.forks if stands(point.step)),
        end=end if all(map(fails, end.steps)) and all(map(stands, (end.passed, end.unchecked, end.ran))) else OpenEnd(),
        main=found.main if stands(found.main) else NO_TIP,
    )
    return found if holding == found else holding


def _look(document: Document, record: RunRecord, touched: Touched, pace: Pace, latest: Latest | None) -> Findings:
    graph = record.graph
    before: Findings | None = latest.result if latest is not None else None
    overlay = document.overlay
    if overlay is not None and overlay.family.graph is graph:
        ends = ends_of_family(overlay.family.records, graph)
        failing = [end.tip for end in ends if end.failed]
        main = failing[0] if failing else None
    else:
        ends = ends_of(record)
        failing = [end.tip for end in ends if end.failed]
        main = graph.index(record.main_tip) if record.main_tip is not None else None
    facts: dict[str, CallFacts] = dict(before.facts) if before is not None else {}
    if overlay is None and record.waits_to_run:
        ended = OpenEnd(), main if main is not None else NO_TIP  # nothing ended: what was checked came before the fork
    else:
        ended = _ended(graph, main, facts, touched, record)
    open_check = max(ended[0].checks, default=-1)
    suspicion = suspects(graph, ends, touched, main=main, pace=pace, known=facts, open_check=open_check)
    kept = {point.step: point.kept for point in before.forks if point.step < latest.kept} if before and latest else {}
    fold = document.picture.fold  # looked at once: the frame may put another in its place meanwhile
    structure = fold.structure if fold is not None else None
    happened = happenings(graph, main, structure, pace.part(0.8, 1.0), at_least=bool(record.at_least))
    return Findings(suspicion, tuple(fork_points(graph, failing, kept)), facts, happened, *ended)


def _ended(
    graph: Graph, main: int | None, facts: dict[str, CallFacts], touched: Touched, record: RunRecord
) -> tuple[OpenEnd, int]:
    """(what had not passed on the way to the main tip, that tip); `facts` are those known of calls."""
    if main is None:
        return OpenEnd(), NO_TIP
    return end_at(graph, main, facts, touched, folder_of(record), flags=flags_failures(record)), main


def ends_of_family(records: Any, graph: Graph) -> list[End]:
    """Where each run of a family ended, and how."""
    found: dict[int, bool | None] = {}
    judged = {RunStatus.FAILED: True, RunStatus.COMPLETED: False}
    for record in records:
        if record.main_tip is not None and record.main_tip in graph:
            tip = graph.index(record.main_tip)
            failed = judged.get(record.status)
            # Runs that end at the same step with different outcomes say nothing about it.
            found[tip] = failed if found.get(tip, failed) is failed else None
    return [End(tip, failed) for tip, failed in sorted(found.items())]


def suspect_rows(found: Findings, graph: Graph) -> list[FoundStep]:
    """The suspects as rows, the most likely first."""
    return [
        FoundStep(
            graph.ids[suspect.position],
            title(graph.step(suspect.position)),
            " · ".join(reason_words(one) for one in suspect.evidence),
        )
        for suspect in found.suspicion.suspects
    ]


def fork_rows(found: Findings, graph: Graph) -> list[FoundStep]:
    """The last places to fork, as rows."""
    return [
        FoundStep(graph.ids[point.step], title(graph.step(point.step)), fork_words(point))
        for point in found.forks[-MOST_FORKS:]
    ]


def fork_reason(session: Session, document: Document, step: str) -> str:
    """Why a step is a place to fork; "" if it is not one, or that is not known yet."""
    record = document.record
    if record is None or step not in record.graph:
        return ""
    found, position = findings_of(session, document), record.graph.index(step)
    point = next((point for point in found.forks if point.step == position), None) if found is not None else None
    return fork_why(point) if point is not None else ""


def facts_of(found: Findings | None, graph: Graph, lines: Lines, *, rows: int) -> list[Fact]:
    """What happened, the suspects and the places to fork as rows of the run panel, `rows` of which are in view."""
    if found is None:
        return []
    facts = facts_of_happenings(found.happenings, lines, rows=rows)
    for heading, listed in ((HEADING, suspect_rows(found, graph)), (FORK_HEADING, fork_rows(found, graph))):
        if listed:
            facts.append(Fact("heading", heading))
        for row in listed:
            facts.append(Fact("link", row.title, row.words, step=row.step))
            facts += [Fact("prose", "", line, "quiet") for line in lines(row.words)]
        if listed:
            facts.append(Fact("gap", ""))
    return facts


class StepFindings(NamedTuple):
    """What was found about one step: as a suspect (words and rank), as a place to fork, and where it last passed."""

    words: str = ""
    place: str = ""
    fork: str = ""
    passed: str | None = None
    passed_fork: str = ""
    suspects: tuple[FoundStep, ...] = ()


def findings_about(session: Session, document: Document, step: str) -> StepFindings:
    """What was found about a step; for the failing end also the first suspects."""
    record, found = document.record, findings_of(session, document)
    if record is None or found is None or step not in record.graph:
        return StepFindings()
    graph, suspects_found = record.graph, found.suspicion.suspects
    position = graph.index(step)
    words = place = ""
    for number, suspect in enumerate(suspects_found, 1):
        if suspect.position == position:
            words = " · ".join(reason_words(one) for one in suspect.evidence)
            place = f"suspect {number} of {len(suspects_found)}"
    point = next((point for point in found.forks if point.step == position), None)
    last = last_pass(graph, position, found.facts) if graph.failed[position] else None
    first = tuple(suspect_rows(found, graph)[:MOST_BESIDE]) if found.suspicion.tip == position else ()
    return StepFindings(
        words,
        place,
        fork_words(point) if point is not None else "",
        graph.ids[last] if last is not None else None,
        kept_words(fork_at(graph, last)) if last is not None else "",
        tuple(row for row in first if row.step != step),
    )


def mark_findings(session: Session) -> None:
    """Keep the marks on the active document's cards up to date; cheap, called in every session step."""
    document = session.active
    if document is None or document.record is None or document.picture.layout is None:
        return
    compared = document.overlay is not None and document.overlay.comparison is not None
    wanted = session.view.finding_marks and not compared  # there the marks show where the runs diverge instead
    shown = findings_of(session, document) if wanted else None
    if shown is None and wanted and not are_given_up(document):
        return
    if document.finding_marks.source is not shown:
        document.mark_findings(shown, shown.flags(document.record.graph) if shown is not None else {})
