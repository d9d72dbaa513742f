"""The offer of a kept copy, where the source of a session moved or vanished."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.state.notices import NoticeAction, Notices
from opentine_gui.core import StorageError

if TYPE_CHECKING:
    from opentine_gui.app.folder.keeping.keeping import Keeping

OFFER = "Open kept copy"


def offer_copy(keeping: Keeping, path: Path | None) -> tuple[NoticeAction, ...]:
    """What a notice of a source that is gone offers: its kept copy, if there is one."""
    if path is None or keeping.page_at(path) is None:
        return ()
    return ((OFFER, "keep.open_copy", {"path": path}),)


def say_missing(keeping: Keeping, notices: Notices, path: Path, error: Exception) -> None:
    """Offer the kept copy of a session that could not be opened because it is not there any more."""
    offered = offer_copy(keeping, path)
    if offered and isinstance(error, StorageError) and not os.path.lexists(path):
        text = f"{path.name} is no longer there, but a copy of it is kept."
        notices.add("warning", text, actions=offered, key=f"kept:{path}")
