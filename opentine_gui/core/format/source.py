"""The file that a record was read from, and what checking it found."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from opentine_gui.core.errors import FormatError, shown
from opentine_gui.core.format.container import Container
from opentine_gui.core.model import JsonObject, check_type

SourceFormat = Literal["0", "article", "1", "2"]


class Check(msgspec.Struct):
    """The result of checking a record as it was read: `mark` is its integrity mark, None where nothing is wrong."""

    done: bool = False
    mark: JsonObject | None = None


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about the file a record was read from, and the result of checking it, once it was checked."""

    format: SourceFormat = "2"
    container: Container = "plain"
    integrity: Any = None
    order_stored: bool = True
    size: int = 0
    check: Check = msgspec.field(default_factory=Check)

    def __post_init__(self) -> None:
        """FormatError for a field of another type."""
        for name, known in (("format", get_args(SourceFormat)), ("container", get_args(Container))):
            found: object = getattr(self, name)
            if not isinstance(found, str) or found not in known:
                raise FormatError(f"{shown(found)} is none of {', '.join(known)}", place=name)
        check_type(self, "size", int, "a number of bytes")
        check_type(self, "check", Check, "the outcome of a check")
