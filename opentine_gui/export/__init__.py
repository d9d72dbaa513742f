"""Exports: a run, a comparison or a family as the bytes of another format; a pure function of the request.

SVG and PNG are painted from one draw list, so both show the same at any scale; the page, graphs, reports and data are
written from the same content. No window, no clock, no random numbers; recorded text is always cleaned and escaped.
"""

from opentine_gui.export.formats import CARD_FORMATS, FORMATS, export, export_to_fit, format_of, mode_of
from opentine_gui.export.graphs import mermaid_limits
from opentine_gui.export.hidden import without_secrets
from opentine_gui.export.request import ExportError, ExportRequest, TooLargeError, request_of

__all__ = [
    "CARD_FORMATS",
    "FORMATS",
    "ExportError",
    "ExportRequest",
    "TooLargeError",
    "export",
    "export_to_fit",
    "format_of",
    "mermaid_limits",
    "mode_of",
    "request_of",
    "without_secrets",
]
