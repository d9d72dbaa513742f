"""Checks the JSON decoder lacks: encoding, depth, density, digits, duplicate keys (docs/FORMAT.md, section 14).

Every check has a fast filter that runs at C speed over the whole text; the exact scan runs only when the filter hits.
Malformed JSON itself is left to the decoder.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from itertools import accumulate, chain
from typing import Any

import msgspec

from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.format.text_blocks import without_strings

MAXIMUM_DEPTH = 512
MAXIMUM_DIGITS = 4096
FEWEST_TOKENS_ALLOWED = 200_000
MOST_TOKENS_ALLOWED = 16_000_000
MOST_TOKENS_BESIDE = 1_000_000
"""Most structural characters in what is decoded as soon as a file is read: all but steps, transcript and cache."""

FEWEST_KEYS_ALLOWED = 200_000
BYTES_PER_KEY = 128
MOST_NAMED = 200_000
"""Most parents, or causes, of one step."""

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NOT_STRUCTURE = bytes(set(range(256)) - set(b"{}[]:,"))
_NOT_BRACKET = bytes(set(range(256)) - set(b"{}[]"))
_NOT_OF_OBJECTS = bytes(set(range(256)) - set(b"{}:"))
_DEEPER = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_anything = msgspec.json.Decoder(msgspec.Raw)
_WHOLE_PAIRS = re.compile(
    rb"(?:[^\\]++|\\(?!u[dD][89a-fA-F][0-9a-fA-F]{2})."
    rb"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*+",
    re.DOTALL,
)
"""Everything up to the first half of a surrogate pair; every byte is read once."""
_TWO_DIGITS = re.compile(rb"[0-9](?=[0-9])")
_DIGIT_RUN = re.compile(rb"[0-9]{%d,}" % (MAXIMUM_DIGITS + 1))


def check_utf8(text: bytes) -> None:
    """FormatError unless the text is UTF-8."""
    if not text.isascii():
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            raise FormatError("the text is not UTF-8", place=f"byte {error.start}", cause=error.reason) from error


def check_encoding(text: bytes) -> None:
    """FormatError unless the JSON text is UTF-8 without lone surrogate escapes."""
    check_utf8(text)
    if b"\\u" in text and (b"\\ud" in text or b"\\uD" in text):
        check_pairs(text)


def check_pairs(text: bytes) -> None:
    """FormatError unless the JSON text, which is UTF-8, is without lone surrogate escapes."""
    try:
        _anything.decode(text)  # refuses them at the speed of C, but does not say where
    except (msgspec.MsgspecError, RecursionError):
        check_surrogates(text)


def check_surrogates(text: bytes) -> None:
    """FormatError naming the byte where the first half of a surrogate pair is escaped without the other half."""
    found = _WHOLE_PAIRS.match(text)
    end = found.end() if found else 0
    if text[end : end + 2] == b"\\u":
        raise FormatError("the text holds half of a surrogate pair", place=f"byte {end}")


def minified(text: bytes) -> bytes:
    """The JSON text without spaces between its tokens.

    FormatError unless it is UTF-8 without lone surrogates, LimitError for an integer too long; msgspec's own errors
    for other text that is not JSON.
    """
    check_utf8(text)
    try:
        found = msgspec.json.format(text, indent=-1)
    except (msgspec.MsgspecError, RecursionError):
        check_surrogates(text)  # of several faults this one is reported
        check_digits(text)
        raise
    check_digits(text)
    return found


def structure_count(text: bytes) -> int:
    """An upper bound of the structural characters in a text: those inside strings are counted too."""
    return len(text.translate(None, _NOT_STRUCTURE))


def exact_structure_count(text: bytes) -> int:
    """The structural characters outside the strings of a JSON text."""
    return sum(map(structure_count, without_strings(text)))


def tokens_allowed(size: int) -> int:
    """The most structural characters a reader accepts in a text of `size` bytes."""
    return min(max(FEWEST_TOKENS_ALLOWED, size // 4), MOST_TOKENS_ALLOWED)


def more_values(text: bytes | msgspec.Raw, most: int) -> bool:
    """Whether a minified list of strings has more than `most` items; counted without decoding it."""
    if len(text) <= 3 * most:
        return False
    raw = bytes(text)
    if raw.count(b",") < most:  # those inside the texts are counted too
        return False
    return sum(block.count(b",") for block in without_strings(raw)) >= max(most, 1)


def check_density(text: bytes, size: int, counted: int) -> None:
    """LimitError when `text` has more structural characters than a text of `size` bytes may have.

    `counted` is the upper bound from `structure_count`; only when it exceeds the limit is the exact number taken.
    """
    allowed = tokens_allowed(size)
    if counted <= allowed:
        return
    exact = exact_structure_count(text)
    if exact > allowed:
        raise LimitError(f"the document has {exact:,} structural characters; a reader accepts {allowed:,}")


def check_beside(texts: Iterable[bytes | msgspec.Raw]) -> None:
    """LimitError when all parts other than steps, transcript and cache together have too many structural characters.

    Each may become a hundred bytes in memory, however small the file.
    """
    raws = [bytes(text) for text in texts]
    if sum(map(structure_count, raws)) <= MOST_TOKENS_BESIDE:
        return
    exact = sum(map(exact_structure_count, raws))
    if exact > MOST_TOKENS_BESIDE:
        said = f"beside its steps, transcript and cache the document has {exact:,} structural characters"
        raise LimitError(f"{said}; a reader accepts {MOST_TOKENS_BESIDE:,}")


def keys_allowed(size: int) -> int:
    """The most keys that an object in a step, cache entry or other part of `size` bytes may have."""
    return max(FEWEST_KEYS_ALLOWED, size // BYTES_PER_KEY)


def may_be_wide(size: int) -> bool:
    """Whether a text of `size` bytes may have an object with too many keys: a key and its value take at least five."""
    return size > 5 * FEWEST_KEYS_ALLOWED


def check_keys_per_object(texts: Iterable[bytes | msgspec.Raw]) -> None:
    """LimitError when one object in one of the minified texts has more keys than a text of that size may have.

    An object is made with all its keys at once, 150 bytes for each, however short they are.
    """
    for text in texts:
        if may_be_wide(len(text)):
            raw = bytes(text)
            allowed = keys_allowed(len(raw))
            if raw.count(b":") > allowed:
                _scan_keys(raw, allowed)


def own_keys(text: bytes | msgspec.Raw) -> int:
    """How many keys of its own, repeated ones included, the object in a minified text has."""
    return _scan_keys(bytes(text), len(text))


def _scan_keys(text: bytes, allowed: int) -> int:
    """The keys of the outermost object; LimitError when one has more than `allowed`."""
    outside: list[int] = []
    count = last = 0
    for mark in chain.from_iterable(block.translate(None, _NOT_OF_OBJECTS) for block in without_strings(text)):
        if mark == ord(":"):
            count += 1
        elif mark == ord("{"):
            outside.append(count)
            count = 0
        elif outside:
            last, count = count, outside.pop()
        if count > allowed:
            raise LimitError(f"an object has more than {allowed:,} keys, which is the most that a reader accepts here")
    return last


def check_depth(texts: Iterable[bytes | msgspec.Raw], outside: int) -> None:
    """LimitError when a value, standing inside `outside` open containers, opens more than 512 in all."""
    room = MAXIMUM_DEPTH - outside
    for text in texts:
        if len(text) > 2 * room:
            raw = bytes(text)
            if raw.count(b"[") + raw.count(b"{") > room:
                _scan_depth(raw, room)


def _scan_depth(text: bytes, room: int) -> None:
    brackets = chain.from_iterable(block.translate(None, _NOT_BRACKET) for block in without_strings(text))
    if max(accumulate(map(_DEEPER.__getitem__, brackets)), default=0) > room:
        raise LimitError(f"the document nests more than {MAXIMUM_DEPTH} containers")


def check_digits(text: bytes) -> None:
    """LimitError when an integer literal has more than 4096 digits. Strings and fractions may be longer."""
    if len(text) <= MAXIMUM_DIGITS:
        return
    stride = MAXIMUM_DIGITS // 2
    for pair in _TWO_DIGITS.finditer(text[::stride]):
        if text[pair.start() * stride : (pair.start() + 1) * stride].isdigit():
            break
    else:
        return
    for bare in without_strings(text):
        for match in _DIGIT_RUN.finditer(bare):
            before = bare[max(0, match.start() - 1) : match.start()]
            after = bare[match.end() : match.end() + 1]
            if before not in (b".", b"e", b"E", b"+") and after not in (b".", b"e", b"E"):
                raise LimitError(f"an integer has more than {MAXIMUM_DIGITS} digits")


class DuplicateKey(FormatError):
    """One object spells the same key twice."""


def check_keys(text: bytes) -> None:
    """DuplicateKey when any object in the text has the same key twice (after unescaping); decodes it, which is slow.

    LimitError for text nested too deeply, FormatError for text that is not JSON or has a number too large for a float.
    """

    def pairs(members: list[tuple[str, Any]]) -> None:
        if len({key for key, _ in members}) != len(members):
            seen: set[str] = set()
            for key, _ in members:
                if key in seen:
                    raise DuplicateKey(f"the key {key[:60]!r} stands twice in one object")
                seen.add(key)

    try:
        json.loads(text.decode("utf-8"), object_pairs_hook=pairs, parse_int=len, parse_float=finite_number)
    except FormatError:
        raise
    except RecursionError as error:
        raise LimitError(f"the document nests more than {MAXIMUM_DEPTH} containers") from error
    except ValueError as error:
        raise FormatError("the text is not JSON", cause=error) from error


def finite_number(literal: str) -> float:
    """The value of a JSON fraction; 0.0 for an integer, whose digits are limited elsewhere. FormatError if infinite."""
    if literal.lstrip("-").isdigit():  # integers are limited by their digits, not by their size
        return 0.0
    value = float(literal)
    if math.isinf(value):
        raise FormatError("a number is too large to be finite", place=literal[:20])
    return value


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
