"""Canonical JSON and the step id built on it (docs/FORMAT.md, sections 4 and 5)."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from json.encoder import encode_basestring_ascii
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError, LimitError, TineError, shown
from opentine_gui.core.format.duplicate_keys import check_values
from opentine_gui.core.model import JsonObject, StepKind

_exact = msgspec.json.Decoder(float_hook=float)
quote: Callable[[str], str] = encode_basestring_ascii
"""A string as a canonical JSON literal."""


def _spelled(value: object) -> str:
    try:
        return repr(value)
    except Exception as error:  # a caller's object may raise anything
        raise TypeError(f"a {type(value).__name__} cannot be spelled") from error


_encoded = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=_spelled).encode


def canonical(value: Any) -> bytes:
    """Canonical JSON text of a value: sorted keys, no spaces, ASCII only. FormatError on NaN or infinity.

    As in the package, tuples become lists, keys become text and objects that are not JSON become their `repr`.
    LimitError for a value nested too deeply.
    """
    try:
        text = _encoded(value)
    except RecursionError as error:
        raise LimitError("the value is nested too deeply to be written") from error
    except (ValueError, TypeError) as error:
        raise FormatError("the value cannot be written as JSON", cause=error) from error
    return text.encode("ascii")


_CONTAINERS = (dict, list, tuple)  # isinstance with a union takes ten times as long


def check_names(value: Any) -> None:
    """FormatError when an object inside a value has a key that is not text.

    JSON would store the key's spelling, but sort and hash it as the number it is, so no reader could agree.
    """
    waiting = [value] if isinstance(value, _CONTAINERS) else []
    seen: set[int] = set()  # a list may hold itself
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, dict):
            for name in item:
                if not isinstance(name, str):
                    raise FormatError(f"{shown(name)} is the key of an object, and a key must be text")
        values = item.values() if isinstance(item, dict) else item
        waiting += [value for value in values if isinstance(value, _CONTAINERS)]


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

    FormatError for an unknown kind, inputs that are not an object, or content that is not JSON.
    """
    if parent_ids is None:
        parent_ids = [parent_id] if parent_id else []
    if not isinstance(inputs, dict):
        raise FormatError("a step's inputs must be an object")
    check_ids(parent_ids, "parent_ids")
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


def read_step_id(kind: str, inputs: JsonObject, parent_ids: list[str], outputs: JsonObject, model_info: Any) -> str:
    """`step_id` of a step of format 0 that was decoded from JSON and checked, so that every key is text.

    FormatError on NaN or infinity, LimitError where it is nested too deeply.
    """
    content = {
        "error": {},
        "inputs": inputs,
        "kind": kind,
        "model_info": model_info,
        "outputs": outputs,
        "parent_ids": parent_ids,
        "tool_info": {},
    }
    return sha256_hex(canonical(content))


def check_ids(ids: Any, name: str) -> None:
    """FormatError unless the value is a list of texts."""
    if not isinstance(ids, list | tuple) or not all(isinstance(identity, str) for identity in ids):
        raise FormatError(f"a step's {name} must be a list of ids")


def step_kind(kind: Any) -> StepKind:
    """One of the five kinds. FormatError for anything else."""
    try:
        return StepKind(kind if isinstance(kind, str) else "")  # an enum spells out what it refuses, which may not end
    except ValueError as error:
        raise FormatError(f"{shown(kind)} is not a kind of step") from error


_OTHER_ESCAPE = re.compile(rb"\\u(?:[0-9a-f]{0,3}[A-F]|00(?:[2-6]|7[0-9a-e]|0[89acd]))|\\/")
"""An escape that canonical JSON spells otherwise; also matches what looks like one after an escaped backslash."""


def canonical_texts(texts: Sequence[bytes | msgspec.Raw], *, tidy: bool = False) -> list[bytes | msgspec.Raw]:
    """The canonical text of each minified JSON text; a text that is canonical already is returned as it is.

    All texts are checked together; only if that does not prove them canonical are they encoded again, which is slow.
    `tidy`: the texts are known to be tidy (see `format.duplicate_keys`). FormatError for text that is not JSON,
    LimitError for one nested too deeply.
    """
    if (tidy or _are_tidy(texts)) and _strings_are_canonical(b",".join(texts)):
        return list(texts)
    try:
        exact = [canonical(_exact.decode(text)) for text in texts]
    except RecursionError as error:
        raise LimitError("the document is nested too deeply") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FormatError("a value cannot be read as JSON", cause=error) from error
    return [text if found == bytes(text) else found for text, found in zip(texts, exact, strict=True)]


def _are_tidy(texts: Sequence[bytes | msgspec.Raw]) -> bool:
    try:
        return check_values(texts).tidy
    except (TineError, msgspec.MsgspecError):
        return False


def _strings_are_canonical(text: bytes) -> bool:
    """Whether the strings in JSON texts are known to be spelled as canonical JSON spells them."""
    return text.isascii() and b"\x7f" not in text and not _OTHER_ESCAPE.search(text)
