"""The status of a run, in a word: an agent's log says that a turn ended, not that the task was done.

Of a log that merely ends, and of a fork that was not gone on with, no end is recorded; a run is running only while it
is being written.
"""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.core import RunRecord, RunStatus
from opentine_gui.core.graph.stopped import UNANSWERED
from opentine_gui.describe.failures.stopped_words import STOPPED
from opentine_gui.scene.theme import status_role

NO_END = "no end recorded"
TURN_ENDED = "turn ended"
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
    if stopped and (status is RunStatus.PAUSED or (status is RunStatus.RUNNING and stopped != UNANSWERED)):
        return _of(STOPPED[stopped])
    # Every fork begins with the status "running", though nothing was run since.
    if status is RunStatus.RUNNING and not written and (record.is_imported or record.lineage.forked_from):
        return _of(NO_END)
    return _of(status.value)


def _of(word: str) -> StatusWords:
    return StatusWords(word, status_role(word))


def listed_status(status: str, *, imported: bool, forked: bool = False) -> str:
    """The word for the status of a run in a list, from the status in its file: the end of a log is not a verdict.

    `imported`: it is the log of an agent; `forked`: it is a fork.
    """
    if status == RunStatus.RUNNING.value and (imported or forked):
        return NO_END
    return TURN_ENDED if imported and status == RunStatus.COMPLETED.value else status


def last_written(record: RunRecord) -> float:
    """The Unix time of the last step that has one; 0 if none has."""
    return max(record.graph.timestamps, default=0.0)
