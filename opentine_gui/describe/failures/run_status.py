"""The status of a run, in a word: an agent's log says that a turn ended, not that the task was done.

Of a log that merely ends no end is recorded; it is running only while it is being written. A fork or a merge that was
made by hand has not run yet, although its file says that it is running.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from opentine_gui.core import RunRecord, RunStatus
from opentine_gui.core.graph.stopped import FOUND_NOTHING, UNANSWERED
from opentine_gui.describe.failures.stopped_words import STOPPED
from opentine_gui.scene.theme import status_role

NO_END = "no end recorded"
TURN_ENDED = "turn ended"
NOT_RUN_YET = "not run yet"
WHY_NO_END = "The log stops here. It does not say that the turn ended, nor whether the agent is still at work."


class StatusWords(NamedTuple):
    """The word for a status, and the theme role of its colour."""

    word: str
    role: str


def status_words(record: RunRecord, *, written: bool = False) -> StatusWords:
    """The status of a run; `written`: its file is being written now."""
    status, tip = record.status, record.main_tip
    if record.is_imported and status is RunStatus.COMPLETED:
        return _of(TURN_ENDED)
    stopped = record.graph.stopped.get(record.graph.index(tip)) if record.is_imported and tip is not None else None
    if (
        stopped
        and stopped != FOUND_NOTHING
        and (status is RunStatus.PAUSED or (status is RunStatus.RUNNING and stopped != UNANSWERED))
    ):
        return _of(STOPPED[stopped])
    if status is RunStatus.RUNNING and not written and not_run_yet(record):
        return _of(NOT_RUN_YET)
    if record.is_imported and status is RunStatus.RUNNING and not written:
        return _of(NO_END)
    return _of(status.value)


def not_run_yet(record: RunRecord) -> bool:
    """Whether a run is a fork or a merge with no step of its own but the one it was made with, without an outcome."""
    lineage, tip = record.lineage, record.main_tip
    if tip is None or tip not in record.graph:
        return False
    if tip == lineage.fork_point or (lineage.merge is not None and tip == lineage.merge.get("step")):
        return True
    at = record.graph.index(tip)
    if lineage.fork_point is None or record.graph.parent_ids(at) != (lineage.fork_point,):
        return False
    head = record.graph.head(at)
    return not (head.failed or head.duration or _has_outputs(record.graph.raws[at]))


class _Outputs(msgspec.Struct):
    """A step's outputs as they stand in its record: what they say is not asked, so it is not decoded."""

    outputs: msgspec.Raw = msgspec.Raw(b"{}")


def _has_outputs(step: bytes | msgspec.Raw) -> bool:
    return bytes(msgspec.json.decode(step, type=_Outputs).outputs).translate(None, b" \t\r\n") not in (b"{}", b"null")


def has_ended(record: RunRecord) -> bool:
    """Whether a run came to an end: the figures of one that did not are no saving."""
    return record.status is not RunStatus.RUNNING


def _of(word: str) -> StatusWords:
    return StatusWords(word, status_role(word))


def listed_status(status: str, *, imported: bool) -> str:
    """The word for the status of a run in a list, from the status in its file: the end of a log is not a verdict."""
    if not imported:
        return status
    return {RunStatus.RUNNING.value: NO_END, RunStatus.COMPLETED.value: TURN_ENDED}.get(status, status)


def last_written(record: RunRecord) -> float:
    """The Unix time of the last step that has one; 0 if none has."""
    return max(record.graph.timestamps, default=0.0)
