"""Encodes a record as text in the package's layout, in slices that also feed the digest (docs/FORMAT.md, section 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import msgspec

from opentine_gui.core.errors import LimitError
from opentine_gui.core.files import fields
from opentine_gui.core.files.origin import marks_of
from opentine_gui.core.files.parts import Many, Nested, Part, Value, body_members
from opentine_gui.core.format import checks, container
from opentine_gui.core.format.canonical import canonical, quote
from opentine_gui.core.format.metadata import set_marks
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import SLICE, Pace, Progress, Stop, collector_paused
from opentine_gui.core.record import RunRecord, check_records


def encode(record: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None) -> bytes:
    """The plain text of a document in the package's layout (docs/FORMAT.md, section 3). FormatError, LimitError.

    Byte-identical to what was read when nothing changed and the package wrote it. A missing digest is computed.
    """
    return b"".join(encode_pieces(record, progress=progress, cancelled=cancelled))


def encode_pieces(record: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None) -> list[bytes]:
    """As `encode`, in pieces that make up the text."""
    return encode_sealed(record, progress=progress, cancelled=cancelled)[0]


def encode_sealed(
    record: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> tuple[list[bytes], JsonObject]:
    """(the pieces of `encode_pieces`, the metadata in them, with the digest and the integrity marks). As `encode`."""
    _check_shapes(record)
    with collector_paused():
        writer = _Writer(Pace(progress, cancelled))
        missing = "integrity" not in record.metadata
        digest = hashlib.sha256() if missing else None
        top = body_members(record)
        parts: dict[str, list[bytes]] = {}
        for number, key in enumerate(sorted(top)):
            if digest is not None:
                digest.update(b"," if number else b"{")
            parts[key] = writer.section(key, top[key], digest)
        metadata = record.metadata
        if digest is not None:
            digest.update(b"}")
            metadata = dict(metadata)
            set_marks(metadata, marks_of(record, pace=Pace(None, cancelled)))
            metadata = {**metadata, "integrity": {"algorithm": "sha256", "digest": digest.hexdigest()}}
        parts["metadata"] = writer.section("metadata", Value(canonical(metadata)), None)
    pieces = [b"{\n"]
    for number, key in enumerate(sorted(parts)):
        if number:
            pieces.append(b",\n")
        pieces += parts[key]
    pieces.append(b"\n}")
    checks.check_beside(b"".join(piece) for key, piece in parts.items() if key not in ("graph", "transcript", "cache"))
    size = sum(map(len, pieces))
    if size > container.MAXIMUM_SIZE:
        raise LimitError(f"the document would have {size:,} bytes; a reader accepts {container.MAXIMUM_SIZE:,}")
    _check_limits(pieces, size)
    return pieces, metadata


def _check_limits(pieces: list[bytes], size: int) -> None:
    """LimitError for what no reader would accept: what is saved must open again (docs/FORMAT.md, section 14)."""
    for piece in pieces:
        checks.check_digits(piece)
    allowed = checks.tokens_allowed(size)
    if sum(map(checks.structure_count, pieces)) > allowed:
        checks.check_density(b"".join(pieces), size, allowed + 1)


def _check_shapes(record: RunRecord) -> None:
    """FormatError for a field that a reader would refuse (docs/FORMAT.md, section 3)."""
    check_records(record)
    fields.checked_run_id(record.run_id)
    fields.checked_time(record.created_at)
    for place in ("metadata", "manifest", "policies", "refs"):
        fields.checked_object(getattr(record, place), place)
    fields.check_texts(record.metadata, record.manifest)
    fields.checked_refs(record.refs, record.graph)


class _Writer:
    """Formats parts with two-space indentation, and feeds their canonical text to a digest."""

    def __init__(self, pace: Pace) -> None:
        self.pace = pace
        self.written = 0

    def section(self, key: str, part: Part, digest: Any, depth: int = 1) -> list[bytes]:
        """The lines of one member of an object, without the comma after it."""
        name = quote(key).encode()
        if digest is not None:
            digest.update(name + b":")
        if isinstance(part, Value):
            checks.check_encoding(part.text)
            checks.check_depth([part.text], depth)
            checks.check_keys_per_object([part.text])
            if digest is not None:
                digest.update(part.text)
            return [indented([b"%b:%b" % (name, part.text)], depth - 1, b"{")]
        margin = b"  " * depth
        opening = part.bracket if isinstance(part, Many) else b"{"
        pieces = [margin + name + b": " + opening + b"\n"]
        if digest is not None:
            digest.update(opening)
        for number, lines in enumerate(self._inner(part, digest, depth)):
            if number:
                pieces.append(b",\n")
            pieces += lines
        closing = b"}" if opening == b"{" else b"]"
        if digest is not None:
            digest.update(closing)
        if len(pieces) == 1:
            return [margin + name + b": " + opening + closing]
        pieces.append(b"\n" + margin + closing)
        return pieces

    def _inner(self, part: Many | Nested, digest: Any, depth: int) -> Iterator[list[bytes]]:
        if isinstance(part, Nested):
            for number, key in enumerate(sorted(part.members)):
                if digest is not None and number:
                    digest.update(b",")
                yield self.section(key, part.members[key], digest, depth + 1)
            return
        before, count = self.written, 0
        for number, members in enumerate(part.slices):
            checks.check_keys_per_object(members)
            count += len(members)
            joined = b",".join(members)
            if digest is not None:
                if number:
                    digest.update(b",")
                digest.update(joined)
            yield [indented([joined], depth, part.bracket)]
            self.written += len(joined)
            self.pace.at(1.0 - 1.0 / (1.0 + self.written / (256 * SLICE)))
        allowed = checks.keys_allowed(self.written - before)
        if part.bracket == b"{" and count > allowed:
            raise LimitError(f"an object would have {count:,} keys; a reader accepts {allowed:,}")


def indented(members: list[bytes], depth: int, bracket: bytes) -> bytes:
    """The members of an object or list nested in `depth` objects, as indented lines without the outer brackets."""
    closing = b"}" if bracket == b"{" else b"]"
    text = msgspec.json.format(b'{"a":' * depth + bracket + b",".join(members) + closing + b"}" * depth, indent=2)
    head = sum(9 + 2 * level for level in range(depth)) + 2
    tail = 2 + 2 * depth + sum(2 + 2 * level for level in range(depth))
    return text[head : len(text) - tail]
