"""Computes and checks a document's digest, streaming canonical text (docs/FORMAT.md, section 6)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from opentine_gui.core.files.parts import Nested, Part, Value, body_members
from opentine_gui.core.format.canonical import quote
from opentine_gui.core.progress import Pace, collector_paused
from opentine_gui.core.record import FORMAT_VERSION, RunRecord

UNSAVED = "not saved since it was changed: there is no digest to check"


class DigestVerdict(StrEnum):
    """Result of comparing the stored digest with the content."""

    OK = "ok"
    MISMATCH = "mismatch"
    NONE = "none"
    UNUSABLE = "unusable"


class DigestResult(msgspec.Struct, frozen=True):
    """Result of the digest check; `reason` uses the package's words (docs/FORMAT.md, section 6)."""

    verdict: DigestVerdict
    reason: str
    expected: str | None = None
    actual: str | None = None

    @property
    def words(self) -> str:
        """The answer in a few words."""
        if self.verdict is DigestVerdict.OK:
            return "digest matches"
        if self.verdict is DigestVerdict.MISMATCH:
            return "digest does not match the content"
        if self.verdict is DigestVerdict.UNUSABLE:
            return f"digest cannot be used ({self.reason})"
        return "no digest until it is saved" if self.reason == UNSAVED else "no digest to check"


def digest_of(record: RunRecord, *, pace: Pace | None = None) -> str:
    """SHA-256 of the canonical document without its metadata, 64 hex characters, in the version it was read in."""
    source = record.source if record.untouched else None
    version = 1 if source is not None and source.format == "1" else FORMAT_VERSION
    ordered = source is None or source.order_stored
    with collector_paused():
        return _digest(body_members(record, version, order=ordered), pace or Pace())


def check_digest(record: RunRecord, *, pace: Pace | None = None) -> DigestResult:
    """Compare the digest stored in the file with the content read from it."""
    source = record.source
    if source is None or not record.untouched:
        return DigestResult(DigestVerdict.NONE, UNSAVED)
    if source.format in ("0", "article"):
        return DigestResult(DigestVerdict.NONE, "unsupported .tine format_version='missing'; supported (1, 2)")
    integrity: Any = source.integrity
    if not isinstance(integrity, dict):
        return DigestResult(DigestVerdict.NONE, "missing integrity digest")
    expected = integrity.get("digest")
    if integrity.get("algorithm") != "sha256":
        return DigestResult(DigestVerdict.UNUSABLE, "unsupported algorithm")
    if not is_digest(expected):
        return DigestResult(DigestVerdict.UNUSABLE, "malformed digest")
    actual = digest_of(record, pace=pace)
    if actual == expected:
        return DigestResult(DigestVerdict.OK, "ok", expected, actual)
    return DigestResult(DigestVerdict.MISMATCH, "digest mismatch", expected, actual)


def is_digest(value: Any) -> bool:
    """Whether a value is a string of 64 characters that Python parses as a hexadecimal number."""
    if not isinstance(value, str) or len(value) != 64:
        return False
    try:
        int(value, 16)
    except ValueError:
        return False
    return True


def _digest(top: dict[str, Part], pace: Pace) -> str:
    digesting = _Digesting(pace)
    digesting.members(top)
    return digesting.state.hexdigest()


class _Digesting:
    """Feeds parts to SHA-256. Two nested functions instead would be a reference cycle that keeps the run alive."""

    def __init__(self, pace: Pace) -> None:
        self.state = hashlib.sha256()
        self._pace = pace
        self._slices = 0

    def members(self, parts: Mapping[str, Part]) -> None:
        """Hash the members of an object, sorted by key."""
        update = self.state.update
        for number, key in enumerate(sorted(parts)):
            update(b"," if number else b"{")
            update(quote(key).encode() + b":")
            self._feed(parts[key])
        update(b"}" if parts else b"{}")

    def _feed(self, part: Part) -> None:
        update = self.state.update
        if isinstance(part, Value):
            update(part.text)
        elif isinstance(part, Nested):
            self.members(part.members)
        else:
            update(part.bracket)
            for number, texts in enumerate(part.slices):
                if number:
                    update(b",")
                update(b",".join(texts))
                self._slices += 1
                self._pace.at(1.0 - 1.0 / (1.0 + self._slices / 64))
            update(b"}" if part.bracket == b"{" else b"]")
