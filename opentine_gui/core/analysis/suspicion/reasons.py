"""Why a step is a suspect, how much each reason counts, and the evidence for it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Why a step is a suspect."""

    REPLACED = "replaced"
    ONLY_FAILING = "only failing"
    LAST_EDIT = "last edit"
    FIRST_ERROR = "first error"
    BEFORE_FAILING = "before failing"
    REPEATED = "repeated"
    UNCHECKED = "unchecked"
    NOT_RERUN = "not rerun"
    REFUSED = "refused"
    UNANSWERED = "unanswered"


WEIGHTS: Mapping[Reason, float] = {
    Reason.REPLACED: 0.9,
    Reason.ONLY_FAILING: 0.8,
    Reason.LAST_EDIT: 0.75,
    Reason.FIRST_ERROR: 0.6,
    Reason.BEFORE_FAILING: 0.5,
    Reason.REPEATED: 0.5,
    Reason.UNCHECKED: 0.45,
    Reason.NOT_RERUN: 0.45,
    Reason.REFUSED: 0.55,
    Reason.UNANSWERED: 0.4,
}
"""How much a reason counts beside others; the order was set on generated runs (docs/SUSPECTS.md)."""


class Evidence(NamedTuple):
    """One reason: `times`, `cost`, `tokens` and `seconds` of a loop (None: not recorded), and other `steps`.

    `place` is the file and line of a last edit. `fixed_later` is True for a first error that a later call of the same
    kind fixed. `runs` are (failing runs with it, failing runs, passing runs with it), `alike` the steps after it that
    occur in the same runs: the spectrum cannot tell them apart. `never_passed` says of an edit before failures that the
    check is not known to have passed before, `reverted` of one without a check after it that it took changes back.
    """

    reason: Reason
    weight: float
    steps: tuple[int, ...] = ()
    times: int = 0
    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None
    place: str = ""
    fixed_later: bool = False
    runs: tuple[int, int, int] = (0, 0, 0)
    alike: tuple[int, ...] = ()
    never_passed: bool = False
    reverted: bool = False
