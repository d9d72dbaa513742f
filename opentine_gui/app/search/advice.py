"""What to say where a search found nothing although a word of it may have been meant otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from opentine_gui.app.search.host import OpenRun, Scope
from opentine_gui.app.search.query import RUN_FIELDS, Query, not_a_field
from opentine_gui.app.search.scan_run import fits_run
from opentine_gui.describe.failures.run_status import status_words


def why_nothing(text: str, query: Query, scope: Scope, documents: Sequence[OpenRun]) -> str:
    """A sentence about what is asked for and is not there: a field, or a run that fits; "" without any.

    `documents` are the open runs that were searched; which files of a folder fit is not known here.
    """
    records = [one.record for one in documents if one.record is not None]
    unknown = not_a_field(text)
    asked = query.of(*RUN_FIELDS)
    if unknown or not asked or scope == "folder" or any(fits_run(query, record) for record in records):
        return unknown
    if scope == "run" and records and all(one.field == "status" for one in asked):
        return f"The status of this run is “{status_words(records[0]).word}”; error: finds failed steps."
    names = " and ".join(dict.fromkeys(f"{one.field}:" for one in asked))
    fits = "this one does not fit" if scope == "run" else "none of those that are open fits"
    return f"{names} asks about whole runs, and {fits}."
