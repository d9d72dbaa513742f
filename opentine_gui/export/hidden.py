"""An export without what looks like a secret: the same request over records in which it is hidden."""

from __future__ import annotations

from msgspec.structs import replace

from opentine_gui.core import compare, family_of
from opentine_gui.core.analysis.hidden_secrets import hide, hide_in_record
from opentine_gui.core.progress import Pace, Stop
from opentine_gui.export.request import ExportRequest


def without_secrets(request: ExportRequest, *, cancelled: Stop | None = None) -> tuple[ExportRequest, int]:
    """(the request over records without secrets, how many were hidden).

    A `view` is of the cards that were shown: it has to be made without secrets where it is made. What comes out is
    never to be written as a `.tine`: steps no longer match their ids.
    """
    pace = Pace(cancelled=cancelled)
    count = len(request.records)
    found = [hide_in_record(record, pace.part(n / count, (n + 1) / count)) for n, record in enumerate(request.records)]
    records = tuple(one.record for one in found)
    names, title = [hide(name) for name in request.names], hide(request.title)
    hidden = sum(one.total for one in found) + sum(len(text.kinds) for text in (*names, title))
    asked = replace(
        request,
        records=records,
        comparison=compare(*records) if request.comparison is not None else None,
        family=family_of(records) if request.family is not None else None,
        names=tuple(name.text for name in names),
        files=tuple(hide(name).text for name in request.files),
        title=title.text,
    )
    return asked, hidden
