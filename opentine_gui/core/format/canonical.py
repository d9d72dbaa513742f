"""Canonical JSON and the step id built on it (docs/FORMAT.md, sections 4 and 5)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.model import JsonObject, StepKind

_sorted = msgspec.json.Encoder(order="sorted")
quote: Callable[[str], str] = encode_basestring_ascii
"""A string as a canonical JSON literal."""


def canonical(value: Any) -> bytes:
    """Canonical JSON text of a value: sorted keys, no spaces, ASCII only. FormatError on NaN or infinity.

    As in the package, tuples become lists, keys become text and objects that are not JSON become their `repr`.
    """
    try:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False, default=repr)
    except RecursionError as error:
        raise LimitError("the value is nested too deeply to be written") from error
    except (ValueError, TypeError) as error:
        raise FormatError("the value cannot be written as JSON", cause=error) from error
    return text.encode("ascii")


def check_names(value: Any) -> None:
    """FormatError when an object inside a value has a key that is not text.

    JSON would store the key's spelling, but sort and hash it as the number it is, so no reader could agree.
    """
    waiting = [value]
    seen: set[int] = set()  # a list may hold itself
    while waiting:
        item = waiting.pop()
        if not isinstance(item, dict | list | tuple) or id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, dict):
            for name in item:
                if not isinstance(name, str):
                    raise FormatError(f"{repr(name)[:40]} is the key of an object, and a key must be text")
            waiting += item.values()
        else:
            waiting += item


NAMES_PER_BLOCK = 2048


def plain(names: Sequence[str]) -> bool:
    """True when all names together are ASCII letters and digits, so that JSON writes them as they are."""
    together = "".join(names)
    return together.isascii() and together.encode("ascii").isalnum()  # ten times as fast on bytes as on text


def canonical_names(names: Sequence[str]) -> bytes:
    """What `canonical` gives for a list of names; a list of plain ones, such as ids, takes a tenth of the time."""
    if plain(names):
        return ('["' + '","'.join(names) + '"]').encode("ascii")
    return canonical(list(names))


def names_digest(names: Iterable[str]) -> str:
    """SHA-256 of `canonical_names` of all names, 64 hex characters, made in blocks that stay in the CPU cache."""
    digest = hashlib.sha256(b"[")
    names = iter(names)
    comma = b""
    while block := list(islice(names, NAMES_PER_BLOCK)):
        digest.update(comma + canonical_names(block)[1:-1])
        comma = b","
    digest.update(b"]")
    return digest.hexdigest()


def sha256_hex(data: bytes) -> str:
    """64 lower-case hex characters."""
    return hashlib.sha256(data).hexdigest()


def step_id(
    kind: StepKind | str,
    inputs: JsonObject,
    parent_id: str | None = None,
    *,
    parent_ids: Sequence[str] | None = None,
    outputs: JsonObject | None = None,
    model_info: Any = "",
    tool_info: JsonObject | None = None,
    error: JsonObject | None = None,
) -> str:
    """The content address of a step, 64 hex characters (docs/FORMAT.md, section 5). `parent_ids` wins over `parent_id`.

    FormatError for what is no kind of step, for inputs that are no object and for content that is not JSON.
    """
    if parent_ids is None:
        parent_ids = [parent_id] if parent_id else []
    if not isinstance(inputs, dict):
        raise FormatError("a step's inputs must be an object")
    content = {
        "error": error or {},
        "inputs": inputs,
        "kind": step_kind(kind).value,
        "model_info": model_info,
        "outputs": outputs or {},
        "parent_ids": list(parent_ids),
        "tool_info": tool_info or {},
    }
    check_names(content)
    return sha256_hex(canonical(content))


def step_kind(kind: StepKind | str) -> StepKind:
    """One of the five kinds. FormatError for anything else."""
    try:
        return StepKind(kind)
    except ValueError as error:
        raise FormatError(f"{str(kind)[:40]!r} is not a kind of step") from error


class _Spelling:
    """Decodes JSON and notices whether every float literal is spelled the canonical way."""

    def __init__(self) -> None:
        self.canonical = True
        self.decoder = msgspec.json.Decoder(float_hook=self._float)

    def _float(self, literal: str) -> float:
        value = float(literal)
        if repr(value) != literal:
            self.canonical = False
            if value in (float("inf"), float("-inf")):
                raise FormatError("a number is too large to be finite", place=literal[:20])
        return value

    def decode(self, text: bytes) -> Any:
        self.canonical = True
        return self.decoder.decode(text)


def canonical_texts(texts: Sequence[bytes | msgspec.Raw]) -> list[bytes | msgspec.Raw]:
    """The canonical text of each minified JSON text; a text that is canonical already is returned as it is.

    A text is only taken as canonical when decoding and encoding it again gives the same bytes. The fast encoder spells
    what is not ASCII and small floats in another way, so texts with such are given to the exact one: many at a time,
    and each alone only where some are not canonical.
    """
    result = list(texts)
    plain_places: list[int] = []
    other_places: list[int] = []
    for place, text in enumerate(map(bytes, texts)):
        (other_places if b"\\u" in text or not _is_ascii(text) else plain_places).append(place)
    try:
        for places, fast in ((plain_places, True), (other_places, False)):
            for place, exact in zip(places, _canonical_texts([result[place] for place in places], fast), strict=True):
                result[place] = exact
    except RecursionError as error:
        raise LimitError("the document is nested too deeply") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError("a value cannot be read as JSON", cause=error) from error
    return result


def _canonical_texts(texts: list[bytes | msgspec.Raw], fast: bool) -> list[bytes | msgspec.Raw]:
    """The same for texts that are all plain ASCII without escapes by number (`fast`), or all are not."""
    if not texts:
        return []
    spelling = _Spelling()
    joined = b"[" + b",".join(texts) + b"]"
    values = spelling.decode(joined)
    fast = fast and spelling.canonical
    if (_sorted.encode(values) if fast else canonical(values)) == joined:
        return texts
    result: list[bytes | msgspec.Raw] = []
    for text, value in zip(texts, values, strict=True):
        raw = bytes(text)
        if fast and _sorted.encode(value) == raw:
            result.append(text)
        else:
            exact = canonical(value)
            result.append(text if exact == raw else exact)
    return result


def _is_ascii(text: bytes) -> bool:
    return text.isascii() and b"\x7f" not in text
