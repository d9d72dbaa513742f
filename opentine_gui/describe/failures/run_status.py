"""The status of a run, in a word: an agent's log says that a turn ended, not that the task was done.

The log of an evaluation says how the run was scored.

A log that just stops records no end; it counts as running only while it is being written. A fork or a merge made by
hand has not run yet, although its file says that it is running; nor has what was written behind the end of a log.
"""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.core import RunRecord, RunStatus
from opentine_gui.core.graph.outcomes.stopped import FOUND_NOTHING, UNANSWERED
from opentine_gui.describe.failures.stopped_words import STOPPED
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import status_role

NO_END = "no end recorded"
TURN_ENDED = "turn ended"
NOT_RUN_YET = "not run yet"
NOT_ENDED = (RunStatus.RUNNING.value, NOT_RUN_YET)
"""The words for a run that is said to go on, or to begin: it has no end to speak of."""
LONGEST_SCORES = 40
WHY_NO_END = "The log stops here. It does not say that the turn ended, nor whether the agent is still at work."


class StatusWords(NamedTuple):
    """The word for a status, and the theme role of its colour."""

    word: str
    role: str


def status_words(record: RunRecord, *, written: bool = False) -> StatusWords:
    """The status of a run; `written`: its file is being written now."""
    status, tip = record.status, record.main_tip
    if status is not RunStatus.RUNNING and record.waits_to_run:
        return _of(NOT_RUN_YET)
    if record.is_imported and status is RunStatus.COMPLETED:
        return _of(_scored(record) or TURN_ENDED)
    stopped = record.graph.stopped.get(record.graph.index(tip)) if record.is_imported and tip is not None else None
    if (
        stopped
        and stopped != FOUND_NOTHING
        and (status is RunStatus.PAUSED or (status is RunStatus.RUNNING and stopped != UNANSWERED))
    ):
        return _of(STOPPED[stopped])
    if not written and record.waits_to_run:
        return _of(NOT_RUN_YET)
    if record.is_imported and status is RunStatus.RUNNING and not written:
        return _of(NO_END)
    return _of(status.value)


def _scored(record: RunRecord) -> str:
    """What the scorers of an evaluation found, such as "scored incorrect"; "" for any other log."""
    capture, scored = record.metadata.get("capture"), record.metadata.get("scored")
    if not isinstance(capture, dict) or capture.get("source_format") != "inspect-log" or not isinstance(scored, str):
        return ""
    words = clean(scored, LONGEST_SCORES)
    return words if words.startswith("score") else f"scored {words}" if words else ""


def has_ended(record: RunRecord) -> bool:
    """Whether a run has ended: lower figures of one that has not are no saving."""
    return record.status is not RunStatus.RUNNING


def _of(word: str) -> StatusWords:
    return StatusWords(word, status_role(word))


def listed_status(status: str, *, imported: bool, has_not_run: bool = False) -> str:
    """The word for the status of a run in a list, from the status in its file: the end of a log is not a verdict, and
    a fork or merge that was made by hand is not running.
    """
    if has_not_run and (imported or status == RunStatus.RUNNING.value):
        return NOT_RUN_YET
    if not imported:
        return status
    return {RunStatus.RUNNING.value: NO_END, RunStatus.COMPLETED.value: TURN_ENDED}.get(status, status)


def last_written(record: RunRecord) -> float:
    """The latest Unix time of any step; 0 if none is recorded."""
    return max(record.graph.timestamps, default=0.0)
