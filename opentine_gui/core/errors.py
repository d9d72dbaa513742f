"""Errors of reading, changing and writing documents; every message is a sentence for the user."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class TineError(Exception):
    """A document could not be read, changed or written. `str()` names the file, the place and the cause."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        place: str | None = None,
        cause: BaseException | str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.place = place
        self.cause = cause

    def __str__(self) -> str:
        where: object = self.path  # a caller may have given anything
        if where is None:
            return self.reason
        return f"{os.fspath(where) if isinstance(where, str | os.PathLike) else shown(where)}: {self.reason}"

    @property
    def reason(self) -> str:
        """What it says without the file, for where the file is named already or would take the room."""
        text = self.message
        if self.place:
            text += f" (at {self.place})"
        if self.cause is not None and str(self.cause):
            text += f": {self.cause}"
        return text

    def at_path(self, path: str | Path | None) -> TineError:
        """This error with the file it came from, unless it names one already."""
        if self.path is None:
            self.path = path
        return self


class FormatError(TineError, ValueError):
    """The bytes are not a `.tine` document, or a field has the wrong type (docs/FORMAT.md, sections 2, 3, 8 and 13)."""


class LimitError(TineError):
    """The document is larger, deeper or denser than a reader accepts (docs/FORMAT.md, section 14)."""


class StorageError(TineError):
    """A file system error: missing file, a directory, no permission, full disk."""


class FileChanged(StorageError):
    """A file has other content than what was to be replaced; `found` is its SHA-256 in hex, "" if there was no file."""

    def __init__(self, *, found: str, path: str | Path | None) -> None:
        super().__init__("the file was changed by another program, so it was not replaced", path=path)
        self.found = found


class LookupFailure(TineError, LookupError):
    """No step has the id, or several have the prefix."""


class AmbiguousStep(LookupFailure):
    """Several steps have the prefix; `candidates` are their full ids."""

    def __init__(self, message: str, *, candidates: Sequence[str] = (), **where: Any) -> None:
        super().__init__(message, **where)
        self.candidates = tuple(candidates)


class EditError(TineError, ValueError):
    """A fork, a merge or another edit was refused; the message says why."""


class ReplayMiss(EditError):
    """A replay would have to call a model or a tool: the record holds no answer for `step` (full id)."""

    def __init__(self, message: str, *, step: str = "", **where: Any) -> None:
        super().__init__(message, **where)
        self.step = step


class Cancelled(TineError):
    """The caller cancelled the work; nothing was changed."""


def shown(value: object, length: int = 40) -> str:
    """The beginning of a value's `repr`, for an error message; safe for values whose `repr` fails."""
    try:
        return repr(value)[:length]
    except Exception:  # noqa: BLE001 - a caller's object may raise anything, and this is asked for while an error is made
        return f"a {type(value).__name__} that cannot be shown"
