"""Handing on: a run, a comparison or a family as bytes of another format; a pure function of the request.

Pictures (SVG, PNG) are painted from one draw list, so that both show the same at any scale. Pages, graphs, reports and
data say the same in their own way. No window, no clock, no random number; recorded text goes out cleaned and escaped.
"""

from opentine_gui.export.formats import CARD_FORMATS, FORMATS, export, format_of
from opentine_gui.export.request import ExportError, ExportRequest, request_of

__all__ = [
    "CARD_FORMATS",
    "FORMATS",
    "ExportError",
    "ExportRequest",
    "export",
    "format_of",
    "request_of",
]
