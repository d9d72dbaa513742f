"""What can go wrong with a `.tine` document, said in sentences a user can read."""

from __future__ import annotations

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
        text = f"{self.path}: {self.message}" if self.path is not None else self.message
        if self.place:
            text += f" (at {self.place})"
        if self.cause is not None and str(self.cause):
            text += f": {self.cause}"
        return text

    def at_path(self, path: str | Path | None) -> TineError:
        """The same error, naming the file it came from when it did not name one yet."""
        if self.path is None:
            self.path = path
        return self


class FormatError(TineError, ValueError):
    """The bytes are not a `.tine` document, or one of its fields has a wrong shape (format sections 2, 3, 8, 13)."""


class LimitError(TineError):
    """The document is larger, deeper or denser than a reader accepts (format section 14)."""


class StorageError(TineError):
    """The file system refused: missing file, directory, permission, full disk."""


class LookupFailure(TineError, LookupError):
    """A step was asked for that does not exist, or a prefix that names several steps."""


class AmbiguousStep(LookupFailure):
    """A prefix that names several steps."""


class EditError(TineError, ValueError):
    """A fork, a merge or another edit was refused; the message says why."""


class ReplayMiss(EditError):
    """A replay would have to call a model or a tool: the record holds no answer for `step` (full id)."""

    def __init__(self, message: str, *, step: str = "", **where: Any) -> None:
        super().__init__(message, **where)
        self.step = step


class Cancelled(TineError):
    """The caller asked to stop; nothing was changed."""
