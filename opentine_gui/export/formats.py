"""The table of export formats, and the function that writes one: `export(request, "svg") -> bytes`."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from opentine_gui.core.files.atomic_write import NEW_FILE_MODE
from opentine_gui.core.progress import Pace, Progress, Stop, collector_paused
from opentine_gui.export import data, graphs, page, report
from opentine_gui.export.change_card import card
from opentine_gui.export.picture import image
from opentine_gui.export.request import LARGEST_SCALE, SMALLEST_SCALE, ExportError, ExportRequest, TooLargeError


class Format(NamedTuple):
    """A row of the table: name, description, file suffixes, and the function that writes the format.

    `card`: whether the what-changed card comes in this format too; `title`: a word or two that it is chosen by.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    write: Callable[[ExportRequest, Pace], bytes]
    card: bool = False
    title: str = ""


FORMATS = {
    row.name: row
    for row in (
        Format("svg", "a picture of lines and text", (".svg",), image.write_svg, card=True, title="Drawing"),
        Format("png", "a picture of pixels", (".png",), image.write_png, card=True, title="Picture"),
        Format(
            "html", "one page to zoom and click in, for any browser", (".html", ".htm"), page.write, title="Web page"
        ),
        Format("mermaid", "a Mermaid flowchart", (".mmd", ".mermaid"), graphs.write_mermaid, title="Mermaid"),
        Format("dot", "a Graphviz graph", (".dot", ".gv"), graphs.write_dot, title="Graphviz"),
        Format("graphml", "a graph for Gephi, yEd and NetworkX", (".graphml",), graphs.write_graphml, title="GraphML"),
        Format("markdown", "a report to read", (".md", ".markdown"), report.write, card=True, title="Report"),
        Format("json", "everything as data", (".json",), data.write_json, title="Data"),
        Format("tine", "the steps and all they rest on, as a run of its own", (".tine",), data.write_tine, title="Run"),
    )
}
"""The formats by name."""
CARD_FORMATS = tuple(row.name for row in FORMATS.values() if row.card)
"""The formats a what-changed card comes in."""
_BY_SUFFIX = {suffix: row.name for row in FORMATS.values() for suffix in row.suffixes}


def format_of(path: str | Path) -> str:
    """The format for a file name's suffix. ExportError lists the known suffixes."""
    suffix = Path(path).suffix.lower()
    if suffix not in _BY_SUFFIX:
        known = ", ".join(_BY_SUFFIX)
        raise ExportError(f"a file's ending says its format, and {suffix!r} is none; there are {known}", path=path)
    return _BY_SUFFIX[suffix]


def mode_of(form: str) -> int | None:
    """The mode of a new file of a format: a run is its owner's alone, anything else is as the user's umask says."""
    return NEW_FILE_MODE if form == "tine" else None


def export(
    request: ExportRequest, form: str, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> bytes:
    """Return a request as the bytes of a file in a format of `FORMATS`.

    ExportError if the request does not suit the format, TineError if a run cannot be read. `progress` receives
    fractions from 0 to 1; `cancelled` is polled and ends the work with Cancelled.
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
            return FORMATS[form].write(request, pace)
        if request.comparison is None:
            raise ExportError("a what-changed card is of a comparison of two runs")
        if form not in CARD_FORMATS:
            raise ExportError(f"a what-changed card comes as {', '.join(CARD_FORMATS)}, not as {form}")
        return card.write_card(request, form, pace)


def export_to_fit(
    request: ExportRequest, form: str, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> tuple[bytes, float]:
    """(bytes, scale): `export` at the scale of the request, or at the largest that the format holds."""
    try:
        return export(request, form, progress=progress, cancelled=cancelled), request.scale
    except TooLargeError as error:
        smaller = replace(request, scale=error.scale)
        return export(smaller, form, progress=progress, cancelled=cancelled), error.scale
