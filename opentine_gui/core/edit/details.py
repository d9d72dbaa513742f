"""Details: the title, tags and status of a run (docs/FORMAT.md, sections 3.1 and 3.3)."""

from __future__ import annotations

from collections.abc import Sequence

from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.model import RunStatus, checked_status
from opentine_gui.core.record import RunRecord


def with_details(
    record: RunRecord,
    *,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    status: RunStatus | str | None = None,
) -> RunRecord:
    """The run with another title, other tags or another status; None keeps what there is.

    An empty title or no tags removes the field. The same record if nothing changes, so that its file stays as it is.
    FormatError for an unknown status.
    """
    metadata = dict(record.metadata)
    if title is not None:
        _set(metadata, "title", title.strip())
    if tags is not None and tuple(normalised_tags(tags)) != record.tags:
        _set(metadata, "tags", normalised_tags(tags))
    wanted = record.status if status is None else checked_status(status)
    if metadata == record.metadata and wanted is record.status:
        return record
    return record.edited(metadata=metadata, status=wanted)


def _set(metadata: dict[str, object], name: str, value: str | list[str]) -> None:
    if value:
        metadata[name] = value
    else:
        metadata.pop(name, None)
