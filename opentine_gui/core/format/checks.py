"""Checks the JSON decoder lacks: encoding, depth, density, digits, duplicate keys (docs/FORMAT.md, section 14).

Every check has a fast filter that runs at C speed over the whole text; the exact scan runs only when the filter hits.
Malformed JSON itself is left to the decoder.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

import msgspec

from opentine_gui.core.errors import FormatError, LimitError

MAXIMUM_DEPTH = 512
MAXIMUM_DIGITS = 4096
FEWEST_TOKENS_ALLOWED = 200_000
MOST_TOKENS_ALLOWED = 16_000_000
EXACT_KEYS_SIZE = 8 * 1024 * 1024
"""Texts up to this many bytes are checked for duplicate keys when read; `verify` checks larger ones."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NOT_STRUCTURE = bytes(set(range(256)) - set(b"{}[]:,"))
_NOT_BRACKET = bytes(set(range(256)) - set(b'{}[]"\\'))
_ESCAPED = re.compile(rb"\\.")
_STRING = re.compile(rb'"[^"]*"')
_SURROGATE = re.compile(rb"\\+u[dD][89a-fA-F][0-9a-fA-F]{2}")
_DIGIT_RUN = re.compile(rb"[0-9]{%d,}" % (MAXIMUM_DIGITS + 1))


def check_encoding(text: bytes) -> None:
    """FormatError unless the text is UTF-8 without lone surrogate escapes. (The decoder refuses raw control bytes.)"""
    if not text.isascii():
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError("the text is not UTF-8", place=f"byte {error.start}", cause=error.reason) from error
    if 0x5C in text and b"\\u" in text and (b"\\ud" in text or b"\\uD" in text):
        _check_surrogates(text)


def _check_surrogates(text: bytes) -> None:
    high_end = -1
    for match in _SURROGATE.finditer(text):
        run = match.group()
        if run.count(b"\\") % 2 == 0:
            continue
        high = run[-3:-2].lower() in b"89ab"
        escape_start = match.end() - 6
        if high_end >= 0:
            if high or escape_start != high_end:
                _lone_surrogate(high_end - 6)
            high_end = -1
        elif high:
            high_end = match.end()
        else:
            _lone_surrogate(escape_start)
    if high_end >= 0:
        _lone_surrogate(high_end - 6)


def _lone_surrogate(position: int) -> NoReturn:
    raise FormatError("the text holds half of a surrogate pair", place=f"byte {position}")


def structure_count(text: bytes) -> int:
    """An upper bound of the structural characters in a text: those inside strings are counted too."""
    return len(text.translate(None, _NOT_STRUCTURE))


def tokens_allowed(size: int) -> int:
    """The most structural characters a reader accepts in a text of `size` bytes."""
    return min(max(FEWEST_TOKENS_ALLOWED, size // 4), MOST_TOKENS_ALLOWED)


def check_density(text: bytes, size: int, counted: int) -> None:
    """LimitError when `text` has more structural characters than a text of `size` bytes may have.

    `counted` is the upper bound from `structure_count`; only when it exceeds the limit is the exact number taken.
    """
    allowed = tokens_allowed(size)
    if counted <= allowed:
        return
    exact = len(_STRING.sub(b"", _ESCAPED.sub(b"", text)).translate(None, _NOT_STRUCTURE))
    if exact > allowed:
        raise LimitError(f"the document has {exact:,} structural characters; a reader accepts {allowed:,}")


def check_depth(texts: Iterable[bytes | msgspec.Raw], outside: int) -> None:
    """LimitError when a value, standing inside `outside` open containers, opens more than 512 in all."""
    room = MAXIMUM_DEPTH - outside
    for text in texts:
        if len(text) > 2 * room:
            raw = bytes(text)
            if raw.count(b"[") + raw.count(b"{") > room:
                _scan_depth(raw, room)


def _scan_depth(text: bytes, room: int) -> None:
    brackets = _STRING.sub(b"", _ESCAPED.sub(b"", text)).translate(None, _NOT_BRACKET)
    depth = 0
    for character in brackets:
        if character in b"[{":
            depth += 1
            if depth > room:
                raise LimitError(f"the document nests more than {MAXIMUM_DEPTH} containers")
        else:
            depth -= 1


def check_digits(text: bytes) -> None:
    """LimitError when an integer literal has more than 4096 digits. Strings and fractions may be longer."""
    stride = MAXIMUM_DIGITS // 2
    samples = text[::stride]
    for index in range(len(samples) - 1):
        if samples[index : index + 2].isdigit() and text[index * stride : (index + 1) * stride].isdigit():
            break
    else:
        return
    bare = _STRING.sub(b"0", _ESCAPED.sub(b"", text))
    for match in _DIGIT_RUN.finditer(bare):
        before = bare[max(0, match.start() - 1) : match.start()]
        after = bare[match.end() : match.end() + 1]
        if before not in (b".", b"e", b"E", b"+") and after not in (b".", b"e", b"E"):
            raise LimitError(f"an integer has more than {MAXIMUM_DIGITS} digits")


class DuplicateKey(FormatError):
    """One object spells the same key twice."""


def check_keys(text: bytes) -> None:
    """DuplicateKey when any object in the text has the same key twice (after unescaping). Exact; decodes the text."""

    def pairs(members: list[tuple[str, Any]]) -> None:
        if len({key for key, _ in members}) != len(members):
            seen: set[str] = set()
            for key, _ in members:
                if key in seen:
                    raise DuplicateKey(f"the key {key[:60]!r} stands twice in one object")
                seen.add(key)

    try:
        json.loads(text.decode("utf-8"), object_pairs_hook=pairs, parse_int=len, parse_float=len)
    except DuplicateKey:
        raise
    except RecursionError as error:
        raise LimitError(f"the document nests more than {MAXIMUM_DEPTH} containers") from error
    except ValueError as error:
        raise FormatError("the text is not JSON", cause=error) from error


def read_object(text: str) -> dict[str, Any]:
    """The JSON object in `text`; FormatError says what else it is: other JSON, a doubled key, NaN, a lone surrogate."""
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise FormatError("the JSON text holds a lone surrogate, which no file can store") from error
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"not JSON: {error}") from error
    except RecursionError as error:
        raise FormatError("the JSON text is nested too deeply") from error
    if not isinstance(value, dict):
        raise FormatError('expected a JSON object, such as \'{"text": "…"}\'')
    return value


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise FormatError("the JSON text gives one key twice")
    return found


def _no_constant(name: str) -> float:
    raise FormatError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise FormatError(f"{text} is too large a number")
    return value
