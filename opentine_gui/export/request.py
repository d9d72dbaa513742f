"""The export request: which runs, which of their steps, and how they are shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.core import Comparison, Family, LookupFailure, RunRecord, TineError, compare, short_id
from opentine_gui.core.errors import AmbiguousStep
from opentine_gui.scene.theme import DARK, Theme

if TYPE_CHECKING:
    from opentine_gui.layout import Layout
    from opentine_gui.scene.picture.view import SceneView
    from opentine_gui.scene.text.font_metrics import FontMetrics


SMALLEST_SCALE, LARGEST_SCALE = 0.05, 10.0
"""Range of the scale: pixels in the export per pixel at zoom 1."""


class ExportError(TineError, ValueError):
    """The request cannot be exported; the message says why, and what is possible."""


class TooLargeError(ExportError):
    """The picture has more pixels than its format holds; at `scale` it fits."""

    def __init__(self, message: str, scale: float) -> None:
        super().__init__(message)
        self.scale = scale


class ExportRequest(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Everything an export depends on; the same request always gives the same bytes.

    `records` are one run, the two of a `comparison`, or the runs of a family; `names` are what they are called and
    `files` the file names they are known by, for the command that repeats a comparison. `steps` (full ids) are exported
    alone; None means all. A `layout` (of step ids) is used as it is; without one the steps are laid out in `direction`
    ("top-to-bottom", "left-to-right"). `scale` is pixels per pixel at zoom 1. `seals` are the verdicts on step ids, as
    `CardFace` spells them; `metrics` are the fonts, the packaged ones alone when not given. With `card` a comparison is
    exported as its what-changed card. `view` makes the picture of a folded run from a theme and fonts: then pictures
    show its cards as they stand on the canvas. `now` (Unix seconds) and `nonce` go into a `.tine` that is written.
    """

    records: tuple[RunRecord, ...]
    comparison: Comparison | None = None
    family: Family | None = None
    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    steps: tuple[str, ...] | None = None
    layout: Layout | None = None
    direction: str = "top-to-bottom"
    theme: Theme = DARK
    scale: float = 1.0
    title: str = ""
    card: bool = False
    view: Callable[[Theme, FontMetrics], SceneView] | None = None
    seals: Mapping[str, str] = msgspec.field(default_factory=dict)
    metrics: FontMetrics | None = None
    now: float = 0.0
    nonce: str = ""


def request_of(
    records: Sequence[RunRecord],
    *,
    compared: bool = False,
    steps: Sequence[str] | None = None,
    **options: object,
) -> ExportRequest:
    """A request for these runs; `steps` are ids or unique prefixes in any of them.

    With `compared` there must be two runs, and they are compared. `options` are fields of `ExportRequest`. ExportError
    for another number of runs, LookupFailure for an id that names no step or several.
    """
    chosen = tuple(dict.fromkeys([_resolved(records, text) for text in steps])) if steps is not None else None
    comparison = None
    if compared:
        if len(records) != 2:
            raise ExportError(f"a comparison is of two runs, not of {len(records)}")
        comparison = compare(records[0], records[1])
    return ExportRequest(records=tuple(records), comparison=comparison, steps=chosen, **options)  # type: ignore[arg-type]


def _resolved(records: Sequence[RunRecord], text: str) -> str:
    """Resolve an id or prefix in the runs. LookupFailure if it names no step or several."""
    found: dict[str, None] = {}
    failure: LookupFailure | None = None
    for record in records:
        try:
            found[record.resolve(text)] = None
        except AmbiguousStep:
            raise
        except LookupFailure as error:
            failure = failure or error
    if len(found) > 1:
        raise LookupFailure(f"{short_id(text)!r} names different steps in the runs; give more characters")
    if not found:
        raise failure or LookupFailure(f"there is no step {text[:64]!r}")
    return next(iter(found))
