"""Checks the arguments of a fork, a merge or an extract before anything is made."""

from __future__ import annotations

from typing import Any

from opentine_gui.core.edit.new_step import seconds
from opentine_gui.core.errors import EditError, FormatError
from opentine_gui.core.format.canonical import canonical
from opentine_gui.core.format.checks import check_encoding
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.record import check_record_list


def check_sources(records: Any) -> None:
    """EditError unless the value is a list of runs' records, and not empty."""
    check_record_list(records)
    if not records:
        raise EditError("there is no run to take steps from")


def check_new_run(*, now: Any, new_run_id: Any, tags: Any, **texts: Any) -> None:
    """FormatError unless a new run can be stored with this time, id, tags and texts; None where there is none."""
    seconds(now)
    check_stored_texts(run_id=new_run_id, **texts)
    check_stored_texts(**{f"tag {number}": tag for number, tag in enumerate(normalised_tags(tags), 1)})


def check_stored_texts(**texts: Any) -> None:
    """FormatError unless each is None or text that a file can store."""
    for name, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise FormatError(f"the {name} must be text")
        if text is not None:
            check_encoding(canonical(text))
