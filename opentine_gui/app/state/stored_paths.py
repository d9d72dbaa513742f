"""File names in the JSON that we keep: on Linux a name is bytes, and not all bytes are UTF-8."""

from __future__ import annotations

import os
from urllib.parse import quote_from_bytes, unquote_to_bytes

_QUOTED = "bytes:"


def stored_path(path: str) -> str:
    """The path as text that can be encoded: a name that is not UTF-8 is percent-encoded behind a mark.

    So is one that begins with the mark itself.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        return _QUOTED + quote_from_bytes(os.fsencode(path))
    return _QUOTED + quote_from_bytes(os.fsencode(path)) if path.startswith(_QUOTED) else path


def path_of(stored: str) -> str:
    """The path that `stored_path` was given."""
    return os.fsdecode(unquote_to_bytes(stored[len(_QUOTED) :])) if stored.startswith(_QUOTED) else stored
