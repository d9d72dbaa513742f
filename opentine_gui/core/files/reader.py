"""Decodes files to records: every form of docs/FORMAT.md, sections 2, 3 and 13, in slices. `writer` encodes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import astuple

from opentine_gui.core.errors import FormatError, LimitError, TineError, shown
from opentine_gui.core.files import fields, legacy
from opentine_gui.core.files.slices import (
    SMALLEST_SPLIT,
    STEP_CLOSE,
    STEPS_HOLE,
    TURN_CLOSE,
    TURNS_HOLE,
    cut_out,
    slices_of,
)
from opentine_gui.core.files.step_reader import StoredSteps
from opentine_gui.core.files.writer import encode
from opentine_gui.core.format import checks
from opentine_gui.core.format import container as containers
from opentine_gui.core.format.canonical import canonical
from opentine_gui.core.format.duplicate_keys import check_own_keys, check_values, is_long_and_flat
from opentine_gui.core.format.source import Source
from opentine_gui.core.format.text_blocks import parts_of
from opentine_gui.core.format.text_source import FileText, MemoryText, Text
from opentine_gui.core.progress import SLICE, Pace, Progress, Stop, batches, collector_paused
from opentine_gui.core.record import RunRecord

__all__ = ["decode", "decode_file", "encode"]

_members = msgspec.json.Decoder(dict[str, msgspec.Raw])
_items = msgspec.json.Decoder(list[msgspec.Raw])
_names = msgspec.json.Decoder(list[str])


class _LargeParts(msgspec.Struct, gc=False):
    """The parts of a document that may be large, as they are spelled."""

    cache: msgspec.Raw = msgspec.Raw(b"")
    graph: msgspec.Raw = msgspec.Raw(b"")
    steps: msgspec.Raw = msgspec.Raw(b"")
    transcript: msgspec.Raw = msgspec.Raw(b"")


class _GraphParts(msgspec.Struct, gc=False):
    """What a graph consists of."""

    order: msgspec.Raw = msgspec.Raw(b"")
    steps: msgspec.Raw = msgspec.Raw(b"")


_large_parts = msgspec.json.Decoder(_LargeParts)
_graph_parts = msgspec.json.Decoder(_GraphParts)


def decode(
    data: bytes, *, path: str | Path | None = None, progress: Progress | None = None, cancelled: Stop | None = None
) -> RunRecord:
    """The document in a file's bytes. TineError (with `path` in it) on everything that is not one.

    `progress` gets fractions from 0 to 1 and `cancelled` is asked between slices of about a megabyte.
    """
    with _named(path):
        given: object = data
        if not isinstance(given, bytes | bytearray):
            raise FormatError(f"{shown(given)} is not the content of a file, which is bytes")
        if len(data) > containers.MAXIMUM_SIZE:
            raise LimitError(f"the file has {len(data):,} bytes; a reader accepts {containers.MAXIMUM_SIZE:,}")
        text, stored = containers.unwrap(data)
        del data
        if stored == "plain" and text.startswith(checks.BYTE_ORDER_MARK):
            text = text[len(checks.BYTE_ORDER_MARK) :]
        return _Reader(MemoryText(text), stored, Pace(progress, cancelled)).read()


def decode_file(
    file: FileIO,
    size: int,
    *,
    path: str | Path | None = None,
    progress: Progress | None = None,
    cancelled: Stop | None = None,
) -> RunRecord:
    """The document in an open, unbuffered file of `size` bytes; as `decode`, but a large one is read in slices."""
    with _named(path):
        text = FileText(file, size)
        begin = text.piece(0, min(size, len(containers.MAGIC)))
        in_slices = size >= SMALLEST_SPLIT and not begin.startswith((containers.MAGIC, checks.BYTE_ORDER_MARK))
        if in_slices and size <= containers.MAXIMUM_SIZE:
            return _Reader(text, "plain", Pace(progress, cancelled)).read()
        data = text.whole()
    return decode(data, path=path, progress=progress, cancelled=cancelled)


@contextmanager
def _named(path: str | Path | None) -> Iterator[None]:
    """Raise what goes wrong while decoding as a TineError that names the file."""
    try:
        with collector_paused():
            yield
    except TineError as error:
        raise error.at_path(path) from error.__cause__
    except RecursionError as error:
        raise LimitError(f"the document nests more than {checks.MAXIMUM_DEPTH} containers", path=path) from error
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at ")
        field = place.strip("`") or None
        raise FormatError("a field has a wrong shape", path=path, place=field, cause=reason) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError("the file is not a .tine document", path=path, cause=error) from error


class _Reader:
    """One reading of one text."""

    def __init__(self, text: Text, stored: containers.Container, pace: Pace) -> None:
        self.text = text
        self.stored = stored
        self.pace = pace
        self.size = len(text)
        self._take_nothing()

    def _take_nothing(self) -> None:
        """Start over, with nothing read yet."""
        self.counted = 0
        self.taken = 0
        self.turns = b""
        self.steps = StoredSteps()
        self.graph: dict[str, msgspec.Raw] = {}

    def read(self) -> RunRecord:
        """The record of the text, read in slices where its layout allows that."""
        self.pace.at(0.0)
        top = self._read_split() or self._read_whole()
        version = fields.version_of(top)
        if version is None:
            return self._read_flat(top)
        return self._assemble(top, version)

    def _checked(self, text: bytes) -> bytes:
        """The text minified, after the checks that need no structure."""
        minified = checks.minified(text)
        count = checks.structure_count(minified)
        if count > len(text) // 4:  # over its share of the limit: count again without strings
            count = checks.exact_structure_count(minified)
        self.counted += count
        return minified

    def _read_whole(self) -> dict[str, msgspec.Raw]:
        self._take_nothing()
        text = self.text.whole()
        self.text = MemoryText(b"")
        minified = self._checked(text)
        checks.check_density(text, self.size, self.counted)
        del text
        top = _outer(minified, "", _large_parts)
        self.graph = _graph_of(top)
        checks.check_beside(_beside(top, self.graph))
        check_own_keys(minified, top)
        self._check_beside_steps(top, 0.0)
        return top

    def _read_split(self) -> dict[str, msgspec.Raw] | None:
        """The top level of a text in the package's layout, steps and turns taken in slices; None for other layouts."""
        cut = cut_out(self.text)
        if cut is None:
            return None
        try:
            minified = self._checked(cut.shell)
            top = _outer(minified, "", _large_parts)
            self.graph = _graph_of(top)
            checks.check_beside(_beside(top, self.graph))
            if bytes(self.graph.get("steps", b"")) != STEPS_HOLE:
                return None  # these were not the steps of the graph
            if cut.turns is not None and bytes(top.get("transcript", b"")) != TURNS_HOLE:
                return None
            if not self._take_steps(cut.steps, cut.size):
                return None
            if cut.turns is not None and not self._take_turns(cut.turns, cut.size):
                return None
        except msgspec.MsgspecError:
            return None
        if self.counted > checks.tokens_allowed(self.size):
            return None  # the exact number is taken of the whole
        self.pace.at(0.91)
        self.text = MemoryText(b"")
        check_own_keys(minified, top)
        self._check_beside_steps(top, 0.91)
        self.pace.at(0.92)
        if self.turns:
            top["transcript"] = msgspec.Raw(self.turns)
        return top

    def _check_beside_steps(self, top: dict[str, msgspec.Raw], done: float) -> None:
        """What `check_values` checks, in all parts but the steps; turns read apart are checked as they are taken."""
        for key, raw in top.items():
            if key == "graph" and self.graph:
                check_own_keys(raw, self.graph)
                checks.check_depth([self.graph.get("order", b"")], 2)
                others = [value for name, value in self.graph.items() if name not in ("order", "steps")]
                check_values(others, outside=2)
                continue
            checks.check_keys_per_object([raw])
            for values in _values_of(raw):
                check_values(values, outside=2)
                self.pace.at(done)

    def _take_steps(self, place: slice, size: int) -> bool:
        """Read the steps; False when the text at this place is not one of steps alone."""
        for steps in self._slices(place, STEP_CLOSE, size):
            if self._too_dense(steps):
                return False
            minified = checks.minified(b"".join((b"{", steps, b"}")))
            if minified == b"{}":
                return False
            self.counted += self.steps.take(minified)
        return True

    def _take_turns(self, place: slice, size: int) -> bool:
        """Read the turns of a transcript; False when the text at this place is not one of turns alone."""
        pieces = []
        for turns in self._slices(place, TURN_CLOSE, size):
            if self._too_dense(turns):
                return False
            minified = checks.minified(b"".join((b"[", turns, b"]")))
            items = _items.decode(minified)
            if not items:
                return False
            self.counted += len(items) + check_values(items, outside=2).structure
            pieces.append(minified[1:-1])
        if pieces:
            self.turns = b"".join((b"[", b",".join(pieces), b"]"))
        return True

    def _too_dense(self, entries: memoryview) -> bool:
        """Whether an entry so long that it is a slice by itself has too much structure: then nothing is made of it.

        A usual slice is too short to make much of, and its structure is counted on the way.
        """
        if len(entries) <= 4 * SLICE:
            return False
        return self.counted + checks.structure_count(bytes(entries)) > checks.tokens_allowed(self.size)

    def _slices(self, place: slice, mark: bytes, size: int) -> Iterator[memoryview]:
        """The text at a place in slices of whole entries, each closed by `mark`; `size`: bytes to take in all."""
        for entries, length in slices_of(self.text, place, mark):
            yield entries
            self.taken += length
            self.pace.at(0.9 * self.taken / size)

    def _read_flat(self, top: dict[str, msgspec.Raw]) -> RunRecord:
        document = {key: msgspec.json.decode(raw) for key, raw in top.items()}
        if not legacy.is_flat(document):
            raise FormatError("the document has no format version and is not an old flat list of steps either")
        migrated, renamed, form = legacy.migrate_flat(document)
        source = Source(format=form, container=self.stored, integrity=None, size=self.size)
        inner = _Reader(MemoryText(canonical(migrated)), self.stored, self.pace).read()
        return msgspec.structs.replace(inner, source=source, legacy_ids=renamed)

    def _assemble(self, top: dict[str, msgspec.Raw], version: int) -> RunRecord:
        fields.require_all(top)
        _check_object(top["graph"], "graph")
        if not self.steps:
            self._take_whole_steps()
        order_stored = "order" in self.graph
        self.pace.at(0.93)
        if order_stored and checks.more_values(self.graph["order"], len(self.steps)):
            raise FormatError("the order does not name every stored step exactly once", place="graph.order")
        order = _names.decode(self.graph["order"]) if order_stored else None
        self.pace.at(0.94)
        graph = self.steps.graph(order, self.pace.part(0.94, 1.0))
        metadata = fields.value_of(top["metadata"], "metadata", dict)
        refs = fields.checked_refs(fields.value_of(top["refs"], "refs", dict), graph)
        manifest = fields.value_of(top["manifest"], "manifest", dict)
        fields.check_texts(metadata, manifest)
        source = Source(
            format="1" if version == 1 else "2",
            container=self.stored,
            integrity=metadata.get("integrity"),
            order_stored=order_stored,
            size=self.size,
        )
        for name, shape in (("cache", b"{"), ("transcript", b"[")):
            if bytes(memoryview(top[name])[:1]) != shape:
                raise FormatError(f"the {name} has a wrong shape", place=name)
        record = RunRecord(
            run_id=fields.run_id_of(top["run_id"]),
            status=fields.status_of(top["status"]),
            created_at=fields.time_of(top["created_at"]),
            graph=graph,
            refs=refs,
            manifest=manifest,
            policies=fields.value_of(top["policies"], "policies", dict),
            metadata=metadata,
            draft=fields.value_of(top["draft"], "draft", bool) if "draft" in top else None,
            cache_text=bytes(top["cache"]),
            transcript_text=self.turns or bytes(top["transcript"]),
            extra={key: msgspec.json.decode(raw) for key, raw in top.items() if key not in fields.KNOWN_KEYS},
            graph_extra={
                key: msgspec.json.decode(raw) for key, raw in self.graph.items() if key not in ("order", "steps")
            },
            source=source,
            untouched=True,
        )
        if version == 1:
            migrated = legacy.migrate_1({"metadata": metadata})
            record = msgspec.structs.replace(record, metadata=migrated["metadata"])
        elif not order_stored:
            bare = {key: value for key, value in metadata.items() if key != "integrity"}
            record = msgspec.structs.replace(record, metadata=bare)
        self.pace.at(1.0)
        return record

    def _take_whole_steps(self) -> None:
        if "steps" not in self.graph:
            raise FormatError("the graph has no steps", place="graph.steps")
        text = self.graph["steps"]
        _check_object(text, "graph.steps")
        done = 0
        for part in parts_of(text):
            if part != b"{}":
                self.steps.take(part)
            done += len(part)
            self.pace.at(0.9 * min(1.0, done / len(text)))


def _check_object(text: bytes | msgspec.Raw, place: str) -> None:
    if bytes(memoryview(text)[:1]) != b"{":
        raise FormatError(f"{place or 'the document'} is not an object", place=place or None)


def _outer(text: bytes | msgspec.Raw, place: str, parts: msgspec.json.Decoder[Any]) -> dict[str, msgspec.Raw]:
    """The members of the document or its graph. LimitError when there may be too many beside its usual `parts`."""
    _check_object(text, place)
    if checks.may_be_wide(len(text) - sum(map(len, astuple(parts.decode(text))))):
        checks.check_keys_per_object([text])
    return _members.decode(text)


def _graph_of(top: dict[str, msgspec.Raw]) -> dict[str, msgspec.Raw]:
    """The members of the graph; none where it is no object, or there is no version and it may be anything."""
    graph = top.get("graph", b"")
    if "format_version" not in top or bytes(memoryview(graph)[:1]) != b"{":
        return {}
    return _outer(graph, "graph", _graph_parts)


def _beside(top: dict[str, msgspec.Raw], graph: dict[str, msgspec.Raw]) -> Iterator[msgspec.Raw]:
    """What becomes values as soon as it is read; nothing of a flat list of steps (format 0), where all steps do."""
    if "format_version" in top:
        yield from (raw for key, raw in top.items() if key not in ("graph", "transcript", "cache"))
        yield from (raw for key, raw in graph.items() if key not in ("order", "steps"))


def _values_of(raw: msgspec.Raw) -> Iterator[list[msgspec.Raw]]:
    """The values in an object, whose own keys are checked first, or in a list, some at a time; else the one value."""
    first = bytes(memoryview(raw)[:1])
    if first == b"[" and not is_long_and_flat(raw):
        if len(raw) < SMALLEST_SPLIT:  # to find where it can be cut takes longer than all else that is done with it
            items = _items.decode(raw)
            yield from (items[part] for part in batches(items))
        else:
            yield from map(_items.decode, parts_of(raw))
    elif first == b"{":
        members = _members.decode(raw)
        check_own_keys(raw, members)
        values = list(members.values())
        yield from (values[part] for part in batches(values))
    else:
        yield [raw]
