"""Encodes a record as text in the package's layout, in slices that also feed the digest (docs/FORMAT.md, section 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from opentine_gui.core.errors import LimitError
from opentine_gui.core.files import fields
from opentine_gui.core.format import checks, container
from opentine_gui.core.format.canonical import canonical, canonical_names, canonical_texts, plain, quote
from opentine_gui.core.graph.graph import Graph, Raw
from opentine_gui.core.graph.step_address import canonical_records
from opentine_gui.core.progress import SLICE, Pace, Progress, Stop, batches, collector_paused
from opentine_gui.core.record import FORMAT_VERSION, RunRecord

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_items = msgspec.json.Decoder(list[msgspec.Raw])

BLOCK = 4096


def encode(record: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None) -> bytes:
    """The plain text of a document in the package's layout (docs/FORMAT.md, section 3). FormatError, LimitError.

    Byte-identical to what was read when nothing changed and the package wrote it. A missing digest is computed.
    """
    return b"".join(encode_pieces(record, progress=progress, cancelled=cancelled))


def encode_pieces(record: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None) -> list[bytes]:
    """As `encode`, in pieces to be written one after the other."""
    return encode_sealed(record, progress=progress, cancelled=cancelled)[0]


def encode_sealed(
    record: RunRecord, *, progress: Progress | None = None, cancelled: Stop | None = None
) -> tuple[list[bytes], Any]:
    """(the pieces of `encode_pieces`, the integrity block in them)."""
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
            metadata = {**metadata, "integrity": {"algorithm": "sha256", "digest": digest.hexdigest()}}
        parts["metadata"] = writer.section("metadata", Value(canonical(metadata)), None)
    pieces = [b"{\n"]
    for number, key in enumerate(sorted(parts)):
        if number:
            pieces.append(b",\n")
        pieces += parts[key]
    pieces.append(b"\n}")
    size = sum(map(len, pieces))
    if size > container.MAXIMUM_SIZE:
        raise LimitError(f"the document would have {size:,} bytes; a reader accepts {container.MAXIMUM_SIZE:,}")
    _check_limits(pieces, size)
    return pieces, metadata["integrity"]


def _check_limits(pieces: list[bytes], size: int) -> None:
    """LimitError for what no reader would accept: what is saved must open again (docs/FORMAT.md, section 14)."""
    for piece in pieces:
        checks.check_digits(piece)
    allowed = checks.tokens_allowed(size)
    if sum(map(checks.structure_count, pieces)) > allowed:
        checks.check_density(b"".join(pieces), size, allowed + 1)


def _check_shapes(record: RunRecord) -> None:
    """FormatError for a field that a reader would refuse (docs/FORMAT.md, section 3)."""
    fields.checked_run_id(record.run_id)
    fields.checked_time(record.created_at)
    for place in ("metadata", "manifest", "policies", "refs"):
        fields.checked_object(getattr(record, place), place)
    fields.check_texts(record.metadata, record.manifest)
    fields.checked_refs(record.refs, record.graph)


class Value:
    """A small part of a document, as one canonical text."""

    def __init__(self, text: bytes) -> None:
        self.text = text


class Many:
    """A large part of a document: canonical members of an object (`key:value`) or items of a list, in slices."""

    def __init__(self, slices: Iterable[list[bytes | msgspec.Raw]], bracket: bytes) -> None:
        self.slices = slices
        self.bracket = bracket


class Nested:
    """An object whose members are parts."""

    def __init__(self, members: dict[str, Value | Many]) -> None:
        self.members = members


Part = Value | Many | Nested


def body_members(record: RunRecord, version: int = FORMAT_VERSION, *, order: bool = True) -> dict[str, Part]:
    """The parts of a document except its metadata: what the digest covers (docs/FORMAT.md, section 6)."""
    graph: dict[str, Value | Many] = {key: Value(canonical(value)) for key, value in record.graph_extra.items()}
    if order:
        graph["order"] = Value(canonical_names(record.graph.ids))
    graph["steps"] = Many(step_members(record.graph), b"{")
    top: dict[str, Part] = {key: Value(canonical(value)) for key, value in record.extra.items()}
    for name in ("created_at", "manifest", "policies", "refs", "run_id"):
        top[name] = Value(canonical(getattr(record, name)))
    top["status"] = Value(canonical(record.status.value))
    top["format_version"] = Value(canonical(version))
    if record.draft is not None:
        top["draft"] = Value(canonical(record.draft))
    top["graph"] = Nested(graph)
    top["cache"] = Many(_object_members(record.cache_text), b"{")
    top["transcript"] = Many(_list_items(record.transcript_text), b"[")
    return top


def step_members(graph: Graph) -> Iterator[list[bytes | msgspec.Raw]]:
    """The steps sorted by id as canonical `"id":record` members, a slice at a time."""
    order = graph.sorted_order
    # Sorted by id, steps are scattered in memory; in blocks they stay in the CPU cache while they are processed.
    for start in range(0, len(order), BLOCK):
        block = order[start : start + BLOCK]
        for part in batches([graph.raws[position] for position in block]):
            chosen = block[part]
            ids = [graph.ids[position] for position in chosen]
            texts = canonical_records(graph, chosen)
            if plain(ids):
                yield [b'"%b":%b' % (identity.encode(), text) for identity, text in zip(ids, texts, strict=True)]
            else:
                yield [b"%b:%b" % (quote(identity).encode(), text) for identity, text in zip(ids, texts, strict=True)]


def _object_members(text: Raw) -> Iterator[list[bytes | msgspec.Raw]]:
    members = _members.decode(text)
    keys = sorted(members)
    values: list[Raw] = [members[key] for key in keys]
    for part in batches(values):
        texts = canonical_texts(values[part])
        yield [b"%b:%b" % (quote(key).encode(), item) for key, item in zip(keys[part], texts, strict=True)]


def _list_items(text: Raw) -> Iterator[list[bytes | msgspec.Raw]]:
    items: list[Raw] = list(_items.decode(text))
    for part in batches(items):
        yield canonical_texts(items[part])


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
        for number, members in enumerate(part.slices):
            joined = b",".join(members)
            if digest is not None:
                if number:
                    digest.update(b",")
                digest.update(joined)
            yield [indented([joined], depth, part.bracket)]
            self.written += len(joined)
            self.pace.at(1.0 - 1.0 / (1.0 + self.written / (256 * SLICE)))


def indented(members: list[bytes], depth: int, bracket: bytes) -> bytes:
    """The members of an object or list nested in `depth` objects, as indented lines without the outer brackets."""
    closing = b"}" if bracket == b"{" else b"]"
    text = msgspec.json.format(b'{"a":' * depth + bracket + b",".join(members) + closing + b"}" * depth, indent=2)
    head = sum(9 + 2 * level for level in range(depth)) + 2
    tail = 2 + 2 * depth + sum(2 + 2 * level for level in range(depth))
    return text[head : len(text) - tail]
