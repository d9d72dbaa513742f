"""A document in canonical parts, small or in slices: what is written, and what the digest covers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from opentine_gui.core.format.canonical import canonical, canonical_names, canonical_texts, plain, quote
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_address import canonical_records
from opentine_gui.core.progress import batches
from opentine_gui.core.record import FORMAT_VERSION, RunRecord

BLOCK = 4096


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
    top["cache"] = Many(_cache_members(record), b"{")
    top["transcript"] = Many(_transcript_items(record), b"[")
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


def _cache_members(record: RunRecord) -> Iterator[list[bytes | msgspec.Raw]]:
    members = record.cache_members()
    keys = sorted(members)
    values: list[bytes | msgspec.Raw] = [members[key] for key in keys]
    for part in batches(values):
        texts = canonical_texts(values[part])
        yield [b"%b:%b" % (quote(key).encode(), item) for key, item in zip(keys[part], texts, strict=True)]


def _transcript_items(record: RunRecord) -> Iterator[list[bytes | msgspec.Raw]]:
    items = record.transcript_items()
    for part in batches(items):
        yield canonical_texts(items[part])
