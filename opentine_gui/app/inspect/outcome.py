"""How a run ended, and its failures one by one."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect.analysis.findings import Findings
from opentine_gui.app.inspect.analysis.results import Latest, analysis, was_given_up
from opentine_gui.app.session import Session
from opentine_gui.core import Comparison, Graph, RunRecord, RunStatus, StepKind
from opentine_gui.core.analysis.suspicion.account import account_of
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import MAIN
from opentine_gui.describe.comparison_words import CHECKING, NOT_WORKED_OUT, Accounts
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.describe.failures.run_status import NO_END, status_words
from opentine_gui.describe.failures.stopped_words import stopped_words
from opentine_gui.describe.finding_words import (
    LONGEST_CALL,
    check_role,
    open_end_hint,
    open_end_sentence,
    open_end_words,
    why_failed,
)
from opentine_gui.describe.groups.call_name import call_name
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import first_sentence, first_text, has_text, rest_of
from opentine_gui.describe.step_titles import by_person, title
from opentine_gui.scene.text.clean import clean

_SPOKEN = ("model", "done")
SO_FAR, NOT_LOOKED_AT = ", so far", "The newest steps have not been looked through yet."
MOST_CHECKS = 3
"""Most checks that are named one by one."""
FOLLOWS = 160
"""Characters shown after a last sentence that only introduces what follows it."""


class Outcome(NamedTuple):
    """`word` is the status, `role` its colour, `sentence` what the run ended with, from `step`."""

    word: str
    role: str
    sentence: str = ""
    step: str | None = None


class CalledCheck(NamedTuple):
    """A check that failed, or passed, last: its `step`, what it `called`, and `why` it failed."""

    step: str
    called: str
    why: str = ""


class LastChecks(NamedTuple):
    """The checks that had not passed when a run ended, or that the last one had: in `words` and as a `sentence`.

    `step` is the last of these checks and `checks` are the last few, in the order they ran; `more` is how many are not
    among them. `hint` gives each reason, `role` is the colour.
    """

    words: str = ""
    sentence: str = ""
    step: str = ""
    hint: str = ""
    role: str = "quiet"
    checks: tuple[CalledCheck, ...] = ()
    more: int = 0


def last_checks(found: Findings | None, graph: Graph, *, so_far: bool = False) -> LastChecks:
    """The checks that failed the last time they ran, else a last command that failed, else the last check that passed.

    Where nothing was checked, that edits were not; empty without these, too, and while it is not known yet. `so_far`:
    the run has grown since it was looked through, and this is what held before.
    """
    if found is None:
        return LastChecks()
    if so_far:
        badly, step = found.until_then(graph)
    else:
        badly, step = found.ended_badly(graph), max(found.last_check(graph), found.last_unchecked(graph))
    steps = found.end.steps if badly else (step,) if step >= 0 else ()
    role = "bad" if badly else check_role(found.end)
    if not steps:
        return LastChecks()
    so = SO_FAR if so_far else ""
    checks = tuple(
        CalledCheck(
            graph.ids[step], clean(call_name(graph, step), LONGEST_CALL), why_failed(graph, step) if badly else ""
        )
        for step in steps[-MOST_CHECKS:]
    )
    hint = open_end_hint(graph, found.end) + (f"\n{NOT_LOOKED_AT}" if so_far else "")
    words, sentence = open_end_words(found.end) + so, open_end_sentence(found.end) + so
    return LastChecks(words, sentence, graph.ids[steps[-1]], hint, role, checks, len(steps) - len(checks))


def accounts_of(session: Session, document: Document) -> Accounts | None:
    """What came of the two runs of a comparison; None while that is computed, and where no two are compared.

    None, too, once that failed or was stopped: `no_accounts` says which it is.
    """
    overlay = document.overlay
    if overlay is None or overlay.comparison is None:
        return None
    comparison = overlay.comparison

    def look(_union: RunRecord, pace: Pace, _latest: Latest | None) -> Accounts:
        return look_through(comparison, pace)

    return analysis(session, document, _accounts_name(overlay), look)


def no_accounts(document: Document) -> str:
    """The words for what came of the runs where `accounts_of` has nothing."""
    overlay = document.overlay
    given_up = overlay is not None and was_given_up(document, _accounts_name(overlay))
    return NOT_WORKED_OUT if given_up else CHECKING


def look_through(comparison: Comparison, pace: Pace) -> Accounts:
    """What came of the two runs; for a job."""
    return account_of(comparison.a, pace.part(0.0, 0.5)), account_of(comparison.b, pace.part(0.5, 1.0))


def _accounts_name(overlay: Overlay) -> str:
    return f"accounts-{overlay.pair[0]}-{overlay.pair[1]}"


def outcome_of(document: Document, record: RunRecord, *, written: bool = False) -> Outcome:
    """How a run ended: a failed run with its last error, any other with what its last step says.

    `written`: its file is being written now.
    """
    status = record.status
    named, role = status_words(record, written=written)
    word = named.capitalize()
    graph = record.graph
    if not len(graph):
        return Outcome(word, role)
    failures = document.notable_steps.failures
    end = record.refs.get(MAIN)
    position = graph.index(end) if end and end in graph else len(graph) - 1
    if status is RunStatus.FAILED and failures:
        position = failures[-1]
    elif status is RunStatus.COMPLETED and graph.kinds[position] is not StepKind.DONE and not record.has_not_run:
        done = (place for place in reversed(graph.tips) if graph.kinds[place] is StepKind.DONE)
        position = next(done, position)
    step = graph.step(position)
    while by_person(step) and graph.parents[position]:  # what a person ran after it is not how the agent ended
        position = graph.parents[position][0]
        step = graph.step(position)
    failure = failure_of(step)
    if failure is not None:
        return Outcome(word, role, clean(shown_headline(step, failure), 300), step.id)
    said = title(step)
    unanswered = step.shown_kind == "model" and not step.outputs and has_text(step.inputs.get("prompt"))
    if unanswered:  # a step that was added by hand: what it says is what a model would be asked
        return Outcome(word, role, f"not answered: “{said}”", step.id)
    if named == NO_END and step.shown_kind not in _SPOKEN:
        asked = step.shown_kind == "human"
        return Outcome(word, role, f"not answered: “{said}”" if asked else f"last step {said}", step.id)
    if step.shown_kind in _SPOKEN:
        text = first_text(step.inputs) or first_text(step.outputs)
        first = first_sentence(text)
        if first.endswith((":", "：")) and said.startswith(first):  # what follows the colon is what was said
            said = f"{first} {rest_of(text, FOLLOWS)}".rstrip()
    # The agent's last words are its own, not a verdict.
    said = f"“{said}”" if step.shown_kind in _SPOKEN else said
    return Outcome(word, role, f"last answer {said}" if named == NO_END else said, step.id)


def failure_words(document: Document) -> str:
    """How many steps failed, and which of them is selected: "8 failures", "failure 3 of 8"; "" for none."""
    failures = document.notable_steps.failures
    if not failures:
        return ""
    place = failure_place(document)
    return counted(len(failures), "failure") if place is None else f"failure {place + 1:,} of {len(failures):,}"


def stopped_in(document: Document) -> str:
    """What was stopped or has no result: "2 refused, 3 interrupted"; "" for nothing."""
    return stopped_words(document.notable_steps.stopped)


def failure_place(document: Document) -> int | None:
    """The place of the selected step among the failed ones, from 0; None if it is not one of them."""
    record, primary = document.record, document.selection.primary
    if record is None or primary is None or primary not in record.graph:
        return None
    failures, here = document.notable_steps.failures, record.graph.index(primary)
    place = bisect_left(failures, here)
    return place if place < len(failures) and failures[place] == here else None
