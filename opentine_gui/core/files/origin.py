"""Integrity marks: a new run records which of the files it was made from did not verify.

A fork or an edit gets a new, valid digest. Without a mark it would turn a file that somebody changed into one that
verifies. Origins are checked before the new run is saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files.digest import DigestResult, DigestVerdict, check_digest
from opentine_gui.core.format.metadata import marks_in, set_marks
from opentine_gui.core.graph.step_address import StepVerdict, check_positions, fork_id_of
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import RunRecord

MOST_NAMED = 5
"""Most step ids that a mark names, of those that do not follow from their content."""


class Verdict(StrEnum):
    """The overall result of a verification; the values are the words that users see."""

    VERIFIED = "ok"
    NOT_VERIFIED = "not verified"
    CONTRADICTED = "MISMATCH"


def verdict_of(
    digest: DigestVerdict, steps: Sequence[StepVerdict], fork_id: bool | None, *, allow_redacted: bool = False
) -> Verdict:
    """The overall verdict that follows from the parts of a verification.

    With `allow_redacted` a step that holds the redaction marker counts as one that was checked.
    """
    if digest is DigestVerdict.MISMATCH or StepVerdict.MISMATCH in steps or fork_id is False:
        return Verdict.CONTRADICTED
    checked = steps.count(StepVerdict.OK) + (steps.count(StepVerdict.REDACTED) if allow_redacted else 0)
    return Verdict.VERIFIED if digest is DigestVerdict.OK and checked == len(steps) else Verdict.NOT_VERIFIED


def check_steps(record: RunRecord, *, pace: Pace | None = None) -> list[StepVerdict]:
    """The verdict on each step, in traversal order."""
    graph = record.graph
    return check_positions(graph, list(range(len(graph))), pace or Pace())


def check_fork_id(record: RunRecord) -> bool | None:
    """True when the run id is the one its fork record gives, False when not, None without a record of version 1."""
    fork: Any = record.metadata.get("fork")
    if not isinstance(fork, dict) or fork.get("version") != 1 or isinstance(fork.get("version"), bool):
        return None
    try:
        return fork_id_of(fork) == record.run_id
    except FormatError:
        return False


def marks_of(record: RunRecord, *, pace: Pace | None = None) -> list[JsonObject]:
    """The marks of the runs a record was made from: those it has, and what checking its unchecked origins finds."""
    origins = record.origins
    if record.untouched and record.source is not None and "integrity" not in record.metadata:
        origins = (record,)  # read from an older format: saving gives it its first digest
    found = [origin_mark(origin, pace=pace) for origin in origins]
    metadata: JsonObject = {}
    set_marks(metadata, [*marks_in(record.metadata), *(mark for mark in found if mark is not None)])
    return marks_in(metadata)


def origin_mark(origin: RunRecord, *, pace: Pace | None = None) -> JsonObject | None:
    """The mark for runs made from this record, as it was read; None if it needs none. The check is made once."""
    check = origin.source.check if origin.source is not None else None
    if check is None or check.done:
        return check.mark if check is not None else None
    pace = pace or Pace()
    verdicts = check_steps(origin, pace=pace)
    return keep_mark(origin, check_digest(origin, pace=pace), verdicts, check_fork_id(origin))


def keep_mark(
    record: RunRecord, digest: DigestResult, verdicts: Sequence[StepVerdict], fork_id: bool | None
) -> JsonObject | None:
    """Remember the result of checking a record as it was read; returns the mark, or None if it needs none.

    A step whose id cannot be checked, or was made before redaction, shows that in every run that has it, so it needs
    no mark; nor does the missing digest of formats before 1.
    """
    if not record.untouched or record.source is None:
        return None
    verdict = verdict_of(digest.verdict, verdicts, fork_id)
    mark: JsonObject | None = None
    never_had = digest.verdict is DigestVerdict.NONE and record.source.format not in ("1", "2")
    if verdict is Verdict.CONTRADICTED or (digest.verdict is not DigestVerdict.OK and not never_had):
        mark = {"run_id": record.run_id, "verdict": str(verdict), "digest": str(digest.verdict)}
        if digest.expected is not None and digest.verdict is DigestVerdict.MISMATCH:
            mark |= {"expected": digest.expected, "actual": digest.actual}
        elif digest.verdict is not DigestVerdict.OK:
            mark["reason"] = digest.reason
        pairs = zip(record.graph.ids, verdicts, strict=True)
        wrong = [identity for identity, found in pairs if found is StepVerdict.MISMATCH]
        if wrong:
            mark |= {"steps": len(wrong), "first_steps": wrong[:MOST_NAMED]}
        if fork_id is False:
            mark["fork_id"] = False
    check = record.source.check
    check.done, check.mark = True, mark
    return mark


def contradicts(mark: JsonObject) -> bool:
    """Whether a mark says that its run was contradicted; an unknown verdict counts as contradicted."""
    return mark.get("verdict") != str(Verdict.NOT_VERIFIED)


def mark_sentence(mark: JsonObject) -> str:
    """A mark in words, with recorded text in them: "run X, where the digest does not match the content"."""
    said = []
    digest = mark.get("digest")
    if digest == str(DigestVerdict.MISMATCH):
        said.append(
            f"the digest says {_short(mark.get('expected'))} and the content gives {_short(mark.get('actual'))}"
        )
    elif digest == str(DigestVerdict.UNUSABLE):
        said.append(f"the digest cannot be used ({mark.get('reason')})")
    elif digest == str(DigestVerdict.NONE):
        said.append("there is no digest to check")
    steps, named = mark.get("steps"), mark.get("first_steps")
    if isinstance(steps, int) and steps > 0:
        first = [_short(name) for name in named[:MOST_NAMED]] if isinstance(named, list) else []
        some = f" ({', '.join(first)}{' …' if steps > len(first) else ''})" if first else ""
        said.append(f"{steps:,} step {'id does' if steps == 1 else 'ids do'} not follow from the content{some}")
    if mark.get("fork_id") is False:
        said.append("the run id does not follow from the fork record")
    return f"run {str(mark.get('run_id'))[:80]}, where {', and '.join(said) or 'something did not hold'}"


def _short(value: Any) -> str:
    return str(value).rpartition(":")[2][:12]
