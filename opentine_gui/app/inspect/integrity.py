"""The result of a verification in a few words, for the panels."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.core import RunRecord, Step, StepVerdict, Verdict, Verification
from opentine_gui.core.files.digest import UNSAVED
from opentine_gui.core.files.verify import reasons
from opentine_gui.scene.text.clean import clean

COLOURS = {Verdict.VERIFIED: "good", Verdict.NOT_VERIFIED: "human", Verdict.CONTRADICTED: "bad"}
LONGEST = 400
CHECKING, NOT_CHECKED, VERIFIED = "checking…", "not checked", "Verified"
A_LOG = "No checksum"
WHY_A_LOG = (
    "This is an agent's own log. It has no digest: nothing can show whether it was changed since the agent wrote it. "
    "Save it as .tine: the copy is sealed, and from then on a change shows."
)
WHY_LOGS = (
    "These are agents' own logs. They have no digest: nothing can show whether they were changed since. "
    "Save each as .tine: the copies are sealed, and from then on a change shows."
)
A_COPY = "Not saved; its safety copy verified"
WHY_A_COPY = "This work was recovered and is in no file yet. What was checked is the safety copy that it was read from."
STILL_STANDS = "still stands"
RESTS_ON_A_MISMATCH = (
    "The content gives this id, but a step that this one rests on does not give its own: it was changed or redacted."
)


def verdict(document: Document) -> tuple[str, str, str]:
    """(words for the status bar, colour role, tooltip) about a whole document: "Verified", or why not.

    The reasons and colours are those of the command `verify`.
    """
    found = document.verification
    if found is None and document.check_problem:
        problem = clean(document.check_problem, LONGEST).rstrip(".")
        said = f"Checking the step ids and the digest came to nothing: {problem}. Verify tries again."
        return NOT_CHECKED, "human", said
    if found is None:
        return CHECKING, "quiet", "Every step id and the digest are being recomputed."
    if document.overlay is not None:
        return (A_LOG, "quiet", WHY_LOGS) if is_log(document) else _of_several(document, found)
    if is_log(document):
        return A_LOG, "quiet", WHY_A_LOG
    hint = "\n".join(found.statements)
    why = reasons(found)
    if not why and document.edited:
        return A_COPY, "quiet", f"{WHY_A_COPY}\n{hint}"
    if not why:
        return VERIFIED, COLOURS[found.verdict], hint
    unsaved = found.digest.reason == UNSAVED and len(why) == 1
    said = clean(f"{found.verdict}: {'; '.join(why)}", LONGEST)
    return said, "quiet" if unsaved else COLOURS[found.verdict], hint


def is_log(document: Document) -> bool:
    """Whether all that is shown was read from other programs' files, and is not saved as `.tine` yet."""
    overlay, record = document.overlay, document.record
    records = overlay.family.records if overlay is not None else (record,)
    return all(one is not None and _is_a_log(one) for one in records)


def _is_a_log(record: RunRecord) -> bool:
    return record.source is None and "capture" in record.metadata


def _logs_in(overlay: Overlay) -> int:
    """Which of several runs are logs: a bit for each."""
    return sum(1 << run for run, record in enumerate(overlay.family.records) if _is_a_log(record))


def _of_several(document: Document, found: Verification) -> tuple[str, str, str]:
    """The verdict when several runs are shown: only about ids, because each file has its own digest."""
    overlay = document.overlay
    hint = "\n".join(found.statements[1:])
    conflicts = len(overlay.family.conflicts) if overlay is not None else 0
    wrong = found.verdicts.count(StepVerdict.MISMATCH)
    if conflicts:
        one = "1 id stands" if conflicts == 1 else f"{conflicts:,} ids stand"
        return f"{one} for different content: one of the files was changed", "bad", hint
    if wrong:
        return "1 step differs from its id" if wrong == 1 else f"{wrong:,} steps differ from their ids", "bad", hint
    if found.not_checkable:
        return f"{found.not_checkable:,} of {len(found.verdicts):,} ids cannot be checked", "quiet", hint
    logs = _logs_in(overlay) if overlay is not None else 0
    if overlay is not None and logs:
        count = logs.bit_count()
        words = f"{count:,} of {len(overlay.family.records):,} runs without a checksum"
        return words, "quiet", f"{WHY_A_LOG if count == 1 else WHY_LOGS}\n{hint}"
    return VERIFIED, "good", hint


def seal(document: Document, step: Step) -> tuple[str, str, str]:
    """(words, colour role, tooltip) about one step."""
    found, record = document.verification, document.record
    if found is None or record is None or step.id not in record.graph:
        return NOT_CHECKED if document.check_problem else CHECKING, "faint", ""
    position = record.graph.index(step.id)
    if position >= len(found.ids) or found.ids[position] != step.id:
        return CHECKING, "faint", ""
    kind = found.verdicts[position]
    if step.id in found.unsupported:
        return "unsupported", "human", RESTS_ON_A_MISMATCH
    if kind is StepVerdict.OK and _only_in_logs(document, position):  # its id was made from it when the log was read
        return A_LOG, "quiet", WHY_A_LOG if document.overlay is None else WHY_LOGS
    if kind is StepVerdict.OK:
        hint = "The id is the hash of this content. Cost, time and tokens are not covered by it."
        if found.damaged and found.verdict is Verdict.CONTRADICTED:
            return STILL_STANDS, "good", f"This step and all it rests on match their ids. {hint}"
        return VERIFIED, "good", hint
    if kind is StepVerdict.NOT_CHECKABLE:
        return "not checkable", "quiet", "This id is not made from the content in this format, so it proves nothing."
    if kind is StepVerdict.REDACTED:
        return "redacted", "human", "Parts were redacted after the id was made, so the content no longer gives the id."
    return "content differs", "bad", "The content does not give this id: one of the two was changed."


def _only_in_logs(document: Document, position: int) -> bool:
    """Whether no file that was sealed holds a step."""
    overlay = document.overlay
    if overlay is None or position >= len(overlay.family.holders):
        return is_log(document)
    return not overlay.family.holders[position] & ~_logs_in(overlay)


def statements(document: Document) -> list[tuple[str, str]]:
    """The statements of the verification as (sentence, colour role)."""
    found = document.verification
    if found is None:
        _words, color, hint = verdict(document)
        return [(hint, color)]
    if is_log(document):
        return [(verdict(document)[2], "text")]
    bad = found.verdict is Verdict.CONTRADICTED
    role = "bad" if bad else "text"
    if document.overlay is not None:
        words, color, _ = verdict(document)
        return [(f"{words}.", color), *[(said, "text") for said in found.statements[1:]]]
    return [(sentence, role if number == 0 or bad else "text") for number, sentence in enumerate(found.statements)]
