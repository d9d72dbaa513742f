"""Evidence: chosen steps and all they rest on as a `.tine` of their own, every id of which still verifies."""

from __future__ import annotations

from opentine_gui.core import encode, extract
from opentine_gui.core.progress import Pace
from opentine_gui.export.request import ExportError, ExportRequest


def write(request: ExportRequest, pace: Pace) -> bytes:
    """The bytes of the new run, which names its sources. ExportError without chosen steps; EditError."""
    if not request.steps:
        raise ExportError("name the steps to be taken out; without any the result would be a copy of the run")
    taken = extract(request.records, request.steps, now=request.now, nonce=request.nonce, title=request.title or None)
    pace.at(0.5)
    return encode(taken)
