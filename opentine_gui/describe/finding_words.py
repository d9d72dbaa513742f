"""The wording of suspects and fork points: a reason, never a verdict."""

from __future__ import annotations

from opentine_gui.core import Graph, TineError
from opentine_gui.core.analysis.suspicion.fork_points import ForkPoint, Why
from opentine_gui.core.analysis.suspicion.open_checks import OpenEnd
from opentine_gui.core.analysis.suspicion.reasons import Evidence, Reason
from opentine_gui.core.graph.outcomes.printed_verdict import printed_verdict
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.groups.call_name import call_name
from opentine_gui.describe.numbers import counted, format_cost, format_duration, format_tokens
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

CHECK_PASSED, CHECK_OK = "last check passed", "check ok"
NO_CHECK = "no check recorded"
"""Said where commands ran after the last edit, none of which is known to check anything."""
CHECK_UNCLEAR, NOTHING_SEEN = "last check unclear", "check unclear"
"""What is said of the last check, and the same in short; the second pair where its exit code is lost in a pipe, or
before another command, or recorded nowhere, and what it printed does not say that all of it passed."""
WHY_UNCLEAR = (
    "Its exit code is not recorded, or is lost in a pipe or before another command, "
    "and what it printed does not say that all of it passed."
)
MOST_OPEN = 5
"""Most failing checks that are named."""
LONGEST_CALL = 100
_FLAGS = {
    Reason.REPLACED: "a fork did better",
    Reason.ONLY_FAILING: "only where it failed",
    Reason.LAST_EDIT: "last edit",
    Reason.FIRST_ERROR: "first error",
    Reason.BEFORE_FAILING: "before the failures",
    Reason.REPEATED: "repeated call",
    Reason.UNCHECKED: "never checked",
    Reason.NOT_RERUN: "check not rerun",
    Reason.REFUSED: "refused",
    Reason.UNANSWERED: "no result",
}
_WHYS = {
    Why.REFUSED: "before a refused call",
    Why.INTERRUPTED: "before an interrupted step",
    Why.OUTSIDE: "before a failure from outside",
    Why.STREAK: "before the last failing streak",
    Why.COMMON: "the last step that all selected ones build on",
}


def reason_flag(evidence: Evidence) -> str:
    """The reason in a word or two, for a card."""
    return _FLAGS[evidence.reason]


def reason_words(evidence: Evidence) -> str:
    """The reason as a phrase with figures; what was not recorded is left out."""
    reason, others = evidence.reason, len(evidence.steps)
    if reason is Reason.REPLACED:
        return "a fork put another step in its place and succeeded"
    if reason is Reason.ONLY_FAILING:
        with_it, failing, passing = evidence.runs
        like = f", like the {counted(len(evidence.alike), 'step')} after it" if evidence.alike else ""
        return f"in {with_it:,} of {counted(failing, 'failing end')}, in {passing:,} passing{like}"
    if reason is Reason.LAST_EDIT:
        return f"last edit before {clean(evidence.place, 80)} failed"
    if reason is Reason.FIRST_ERROR:
        said = "first error on the way, fixed later" if evidence.fixed_later else "first error that nothing fixed"
        return said + (f", {others:,} more after it" if others else "")
    if reason is Reason.BEFORE_FAILING:
        if evidence.never_passed:
            some = f"one of {evidence.times:,} edits" if evidence.times > 1 else "the edit"
            return f"{some} before the check failed, which is not known to have passed before"
        if evidence.times > 1:
            return f"one of {evidence.times:,} edits between the last check that passed and those that failed"
        return "the edit between the last check that passed and those that failed"
    if reason is Reason.REPEATED:
        parts = [f"same call {evidence.times:,} times"]
        if evidence.cost is not None:
            parts.append(format_cost(evidence.cost))
        if evidence.tokens is not None:
            parts.append(format_tokens(evidence.tokens))
        if evidence.seconds is not None:
            parts.append(format_duration(evidence.seconds))
        return ", ".join(parts)
    if reason is Reason.UNCHECKED:
        return f"the last of {others + 1:,} edits after which nothing was run" if others else "nothing was run after it"
    beside = counted(others, "other") + " beside it" if others else ""
    if reason is Reason.NOT_RERUN:
        if evidence.reverted:
            return "it took changes back, and the check that had failed was not run again"
        many = f"the last of {evidence.times:,} changes after which" if evidence.times > 1 else "after it"
        return f"{many} the check that had failed was not run again"
    if reason is Reason.REFUSED:
        return "somebody refused it" + (f", and {beside}" if others else "")
    return "no result is recorded of it" + (f" or of {beside}" if others else "")


def open_end_words(end: OpenEnd) -> str:
    """What had not passed when a run ended, else that its last check had, or that no check is recorded of edits; "" for
    a run without either.
    """
    if end.checks:
        return counted(len(end.checks), "failing check")
    if end.command >= 0:
        return "last command failed"
    if end.unchecked >= 0:
        if end.ran < 0:
            return f"{counted(end.edits, 'edit')}, " + ("none of them checked" if end.edits > 1 else "not checked")
        return f"{counted(end.edits, 'edit')} after the last command" if end.edits else NO_CHECK
    after = f", {counted(end.edits, 'edit')} after it" if end.edits else ""
    said = CHECK_UNCLEAR if end.unclear else CHECK_PASSED
    return f"{said}{after}" if end.passed >= 0 else ""


def open_end_sentence(end: OpenEnd) -> str:
    """The same as a sentence."""
    if end.checks:
        return (
            f"{counted(len(end.checks), 'check')} failed the last time {'it' if len(end.checks) == 1 else 'they'} ran"
        )
    if end.command >= 0:
        return "The last command failed"
    if end.unchecked >= 0 and end.ran >= 0:
        last = f"last {counted(end.edits, 'edit')}" if end.edits > 1 else "last edit"
        return f"No check recorded, {'nothing run' if end.edits else 'a command ran'} after the {last}"
    said = open_end_words(end)
    return said[:1].upper() + said[1:]


NONE_SEEN = "none seen"


def open_end_cell(end: OpenEnd) -> str:
    """The same for a column under "last check"; that no check was recognised does not mean that there was none."""
    if end.checks:
        return f"{len(end.checks):,} failing"
    if end.command >= 0:
        return "command failed"
    if end.unchecked >= 0 and end.ran < 0:
        return "not checked"
    if end.passed < 0:
        return NONE_SEEN
    return ("unclear" if end.unclear else "passed") + (", then edits" if end.edits else "")


def open_end_cell_role(end: OpenEnd) -> str:
    """The colour of such a column's words."""
    return "bad" if end.steps else check_role(end)


def check_role(end: OpenEnd) -> str:
    """The colour of a last check: green only if it says that it passed, and nothing was edited after it."""
    return "quiet" if end.edits or end.unclear or end.passed < 0 else "good"


def open_end_in_full(graph: Graph, end: OpenEnd) -> str:
    """The sentence with what was called: "1 check failed the last time it ran: uv run pytest"; "" for neither."""
    sentence = open_end_sentence(end)
    place = max(end.passed, end.unchecked)
    named = [call_name(graph, step) for step in end.steps[-MOST_OPEN:] or ((place,) if place >= 0 else ())]
    called = ", ".join(dict.fromkeys(clean(name, LONGEST_CALL) for name in named if name))
    return f"{sentence}: {called}" if sentence and called else sentence


def open_end_hint(graph: Graph, end: OpenEnd) -> str:
    """The same in full: each call with why it failed, the last ones of many."""
    if not end.steps and end.passed >= 0:
        try:
            said = f"{open_end_sentence(end)}: {title(graph.step(end.passed))}"
        except TineError:
            said = open_end_sentence(end)
        return f"{said}\n{WHY_UNCLEAR}" if end.unclear else said
    if not end.steps and end.unchecked >= 0:
        try:
            named = f"The last edit: {title(graph.step(end.unchecked))}"
            ran = f"The last command: {title(graph.step(end.ran))}" if end.ran >= 0 else ""
        except TineError:
            named = ran = ""
        return "\n".join(filter(None, (f"{open_end_sentence(end)}.", named, ran)))
    lines = [f"{open_end_sentence(end)}, and the run ended."]
    for step in end.steps[-MOST_OPEN:]:
        try:
            said = title(graph.step(step))
        except TineError:
            continue
        lines.append(f"{said}: {why_failed(graph, step) or 'failed'}")
    return "\n".join(lines)


def why_failed(graph: Graph, step: int) -> str:
    """Why a check failed, or what it printed where nothing else records that it did; "" if nothing says why."""
    if graph.failed[step]:
        return failure_reason(graph, step)
    try:
        line = printed_verdict(graph.step(step).outputs).failed
    except (TineError, RecursionError):
        return ""
    return clean(f"its output says {line}", LONGEST_CALL) if line else ""


def fork_why(point: ForkPoint) -> str:
    """Why to fork there."""
    return _WHYS[point.why]


def fork_words(point: ForkPoint) -> str:
    """Why to fork there, and what is kept and dropped."""
    return f"{fork_why(point)}: {kept_words(point)}"


def kept_words(point: ForkPoint) -> str:
    """What a fork there keeps and drops."""
    return f"keeps {counted(point.kept, 'step')}, drops {point.dropped:,}"
