"""The result of a verification in a few words, for the panels."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.core import DigestVerdict, Step, StepVerdict, Verdict, Verification

CHECKING = "checking…"
STILL_STANDS = "still stands"
RESTS_ON_A_MISMATCH = (
    "The content gives this id, but a step that this one rests on does not give its own: it was changed or redacted."
)


def verdict(document: Document) -> tuple[str, str, str]:
    """(sentence for the status bar, colour role, tooltip) about a whole document."""
    found = document.verification
    if found is None:
        return CHECKING, "quiet", "Every step id and the digest are being recomputed."
    hint = "\n".join(found.statements)
    if document.overlay is not None:
        return _of_several(document, found, hint)
    digest, total = found.digest.verdict, len(found.verdicts)
    wrong, redacted = found.verdicts.count(StepVerdict.MISMATCH), found.verdicts.count(StepVerdict.REDACTED)
    if digest is DigestVerdict.MISMATCH:
        return "the digest does not match: changed after it was saved", "bad", hint
    if wrong:
        one = "1 step differs from its id" if wrong == 1 else f"{wrong:,} steps differ from their ids"
        return one, "bad", hint
    if found.fork_id is False:
        return "the run id does not follow from its fork record", "bad", hint
    verified = found.verdict is Verdict.VERIFIED
    unsaved = document.dirty and digest is DigestVerdict.NONE
    said = "the digest matches" if verified else found.digest.words
    if unsaved:
        said = "the digest is made when it is saved"
    if found.not_checkable:
        said = f"{found.not_checkable:,} of {total:,} ids are not checkable, {said}"
    elif redacted:
        said = f"{redacted:,} redacted, {said}"
    elif total:
        said = "every id and the digest match" if verified else f"every id matches, {said}"
    if not verified:
        return said if unsaved else f"{found.verdict}: {said}", "quiet", hint
    return said, "quiet" if found.not_checkable or redacted else "good", hint


def _of_several(document: Document, found: Verification, hint: str) -> tuple[str, str, str]:
    """The verdict where several runs are shown: only about ids, for each file has its own digest."""
    overlay = document.overlay
    conflicts = len(overlay.family.conflicts) if overlay is not None else 0
    wrong = found.verdicts.count(StepVerdict.MISMATCH)
    if conflicts:
        one = "1 id stands" if conflicts == 1 else f"{conflicts:,} ids stand"
        return f"{one} for different content: one of the files was changed", "bad", hint
    if wrong:
        return "1 step differs from its id" if wrong == 1 else f"{wrong:,} steps differ from their ids", "bad", hint
    if found.not_checkable:
        return f"{found.not_checkable:,} of {len(found.verdicts):,} ids are not checkable", "quiet", hint
    both = "both files" if overlay is not None and len(overlay.runs) == 2 else "all files"
    return f"every id matches in {both}", "good", hint


def seal(document: Document, step: Step) -> tuple[str, str, str]:
    """(words, colour role, tooltip) about one step."""
    found, record = document.verification, document.record
    if found is None or record is None or step.id not in record.graph:
        return CHECKING, "faint", ""
    position = record.graph.index(step.id)
    if position >= len(found.ids) or found.ids[position] != step.id:
        return CHECKING, "faint", ""
    kind = found.verdicts[position]
    if step.id in found.unsupported:
        return "unsupported", "human", RESTS_ON_A_MISMATCH
    if kind is StepVerdict.OK:
        hint = "The id is the hash of this content. Cost, time and tokens are not covered by it."
        if found.damaged and found.verdict is Verdict.CONTRADICTED:
            return STILL_STANDS, "good", f"This step and all it rests on match their ids. {hint}"
        return "id matches", "good", hint
    if kind is StepVerdict.NOT_CHECKABLE:
        return "not checkable", "quiet", "This id is not made from the content in this format, so it proves nothing."
    if kind is StepVerdict.REDACTED:
        return "redacted", "human", "Parts were redacted after the id was made, so the content no longer gives the id."
    return "content differs", "bad", "The content does not give this id: one of the two was changed."


def statements(document: Document) -> list[tuple[str, str]]:
    """The statements of the verification as (sentence, colour role)."""
    found = document.verification
    if found is None:
        return [("Every step id and the digest are being recomputed.", "quiet")]
    bad = found.verdict is Verdict.CONTRADICTED
    role = "bad" if bad else "text"
    if document.overlay is not None:
        words, color, _ = verdict(document)
        return [(f"{words[:1].upper()}{words[1:]}.", color), *[(said, "text") for said in found.statements[1:]]]
    return [(sentence, role if number == 0 or bad else "text") for number, sentence in enumerate(found.statements)]
