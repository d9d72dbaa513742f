"""What to export, and the door to the formats: `export(request, "svg") -> bytes`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.core import Comparison, Family, LookupFailure, RunRecord, TineError, compare, short_id
from opentine_gui.core.pace import Pace, Progress, Stop, collector_paused
from opentine_gui.scene.theme import DARK, Theme

if TYPE_CHECKING:
    from opentine_gui.layout import Layout
    from opentine_gui.scene.metrics import FontMetrics

FORMATS: Mapping[str, str] = {
    "svg": "a picture of lines and text",
    "png": "a picture of pixels",
    "html": "one page to zoom and click in, for any browser",
    "mermaid": "a Mermaid flowchart",
    "dot": "a Graphviz graph",
    "graphml": "a graph for Gephi, yEd and NetworkX",
    "markdown": "a report to read",
    "json": "everything as data",
    "tine": "the steps and all they rest on, as a run of its own",
}
"""The formats by name, and what each is for people."""
CARD_FORMATS = ("svg", "png", "markdown")
"""The formats a what-changed card comes in."""
SUFFIXES: Mapping[str, str] = {
    ".svg": "svg",
    ".png": "png",
    ".html": "html",
    ".htm": "html",
    ".mmd": "mermaid",
    ".mermaid": "mermaid",
    ".dot": "dot",
    ".gv": "dot",
    ".graphml": "graphml",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".tine": "tine",
}
"""The format each ending of a file name stands for."""
SMALLEST_SCALE, LARGEST_SCALE = 0.05, 10.0


class ExportError(TineError, ValueError):
    """Something cannot be exported as asked; the message says why, and what can be."""


class ExportRequest(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Everything an export depends on; the same request always gives the same bytes.

    `records` are one run, the two of a `comparison`, or the runs of a family; `names` are what they are called and
    `files` the file names they are known by, for the command that repeats a comparison. `steps` (full ids) are exported
    alone; None means all. A `layout` (of step ids) is used as it is; without one the steps are laid out in `direction`
    ("top-to-bottom", "left-to-right"). `scale` is pixels per pixel at zoom 1. `seals` are the verdicts on step ids, as
    `CardFace` spells them; `metrics` are the fonts, the packaged ones alone when not given. With `card` a comparison is
    exported as its what-changed card. `now` (Unix seconds) and `nonce` go into a `.tine` that is written.
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
    """A request for these runs; `steps` are ids or unique prefixes in any of them. ExportError, LookupFailure.

    With `compared` there must be two runs, and they are compared. `options` are fields of `ExportRequest`.
    """
    chosen = tuple(dict.fromkeys([_resolved(records, text) for text in steps])) if steps is not None else None
    comparison = None
    if compared:
        if len(records) != 2:
            raise ExportError(f"a comparison is of two runs, and {_counted(len(records))} given")
        comparison = compare(records[0], records[1])
    return ExportRequest(records=tuple(records), comparison=comparison, steps=chosen, **options)  # type: ignore[arg-type]


def format_of(path: str | Path) -> str:
    """The format a file name's ending stands for. ExportError names those there are."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        known = ", ".join(SUFFIXES)
        raise ExportError(f"a file's ending says its format, and {suffix!r} is none; there are {known}", path=path)
    return SUFFIXES[suffix]


def export(
    request: ExportRequest, form: str, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> bytes:
    """The bytes of a file in a format of `FORMATS`. ExportError when the request does not suit it; TineError.

    `progress` receives fractions from 0 to 1; `cancelled` is asked now and then, and ends the work with Cancelled.
    """
    if form not in FORMATS:
        raise ExportError(f"{form!r} is no format; there are {', '.join(FORMATS)}")
    if not request.records:
        raise ExportError("there is no run to export")
    if not (math.isfinite(request.scale) and SMALLEST_SCALE <= request.scale <= LARGEST_SCALE):
        raise ExportError(f"a scale is between {SMALLEST_SCALE} and {LARGEST_SCALE:.0f}, and {request.scale} is not")
    pace = Pace(progress, cancelled)
    with collector_paused():
        if not request.card:
            return _writer(form)(request, pace)
        if request.comparison is None:
            raise ExportError("a what-changed card is of a comparison of two runs")
        if form not in CARD_FORMATS:
            raise ExportError(f"a what-changed card comes as {', '.join(CARD_FORMATS)}, not as {form}")
        from opentine_gui.export.card_form import write_card

        return write_card(request, form, pace)


def _writer(form: str) -> Callable[[ExportRequest, Pace], bytes]:
    """The function that writes a format; imported when asked for, as drawing needs what a table does not."""
    if form in ("svg", "png"):
        from opentine_gui.export import picture

        return picture.write_svg if form == "svg" else picture.write_png
    if form in ("mermaid", "dot", "graphml"):
        from opentine_gui.export import graphs

        return {"mermaid": graphs.write_mermaid, "dot": graphs.write_dot, "graphml": graphs.write_graphml}[form]
    if form == "html":
        from opentine_gui.export import page

        return page.write
    if form == "markdown":
        from opentine_gui.export import report

        return report.write
    from opentine_gui.export import data, evidence

    return data.write if form == "json" else evidence.write


def _resolved(records: Sequence[RunRecord], text: str) -> str:
    """The full id a text names in one of the runs; where it names several steps, that is an error."""
    found: dict[str, None] = {}
    failure: LookupFailure | None = None
    for record in records:
        try:
            found[record.resolve(text)] = None
        except LookupFailure as error:
            failure = failure or error
            if "several" in error.message:
                raise
    if len(found) > 1:
        raise LookupFailure(f"{short_id(text)!r} names different steps in the runs; give more characters")
    if not found:
        raise failure or LookupFailure(f"there is no step {text[:64]!r}")
    return next(iter(found))


def _counted(count: int) -> str:
    return "1 is" if count == 1 else f"{count} are"
