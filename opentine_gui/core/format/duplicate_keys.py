"""Checks that no JSON object has a key twice, by encoding it again: far cheaper than building all its values.

The format refuses duplicate keys, after unescaping (docs/FORMAT.md, section 14); the fast decoder keeps the last one.

A decoded object is encoded again with its values as they were spelled. If that gives the same text, no key is repeated,
because decoding keeps one of several equal keys; a key has one encoding, so two spellings of one key differ as well.
Many texts are compared at once, and the objects inside others in the next round, one depth after the other. Only texts
that differ, or are nested too deeply for rounds, go to the exact, slow checks. The walk meets every container and
number, so it also counts structural characters and refuses numbers too large for a float.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, compress
from operator import not_
from typing import Any

import msgspec

from opentine_gui.core.format.checks import check_depth, check_keys, finite_number, structure_count

MOST_ROUNDS = 16
"""Depth to which texts are compared; a round reads again what lies deeper, so the rest is left to the exact check."""

SHORT_NUMBER = 300
"""Characters up to which a number without an exponent fits into a float."""

SHORTEST_INFINITE = 5
"""Characters of the shortest number that does not fit, such as 1e309."""

_AFTER_TEXTS = bytearray(b"#")
"""What no JSON text that is a string reaches; a bytearray is compared with encoded values where they lie."""

Members = dict[str, msgspec.Raw]
Text = bytes | msgspec.Raw
_encoder = msgspec.json.Encoder()
_objects = msgspec.json.Decoder(list[Members])
_lists = msgspec.json.Decoder(list[list[msgspec.Raw]])


def check_values(texts: Sequence[Text], within: Sequence[Text] = (), outside: int = 0) -> int:
    """How many structural characters stand in minified JSON texts: exact but for those that need the exact checks.

    DuplicateKey when an object in one of them has a key twice (after unescaping), at any depth; FormatError when a
    number is too large for a float; LimitError when one of `within`, the texts that these are parts of (by default they
    themselves), nests too deep where it stands inside `outside` containers.
    """
    unproved: list[bytes] = []
    waiting, count = _containers(texts)
    for _ in range(MOST_ROUNDS):
        if not waiting:
            break
        items, separators = _one_level_down(waiting, unproved)
        waiting, brackets = _containers(items)
        count += separators + brackets
    unproved += waiting
    if unproved:
        check_depth(within or texts, outside)
        for text in unproved:
            check_keys(text)
            count += structure_count(text)
    return count


def lossless(decoded: Any, text: Text) -> bool:
    """Whether something decoded is encoded again as the minified text it was decoded from: then no key was lost."""
    return _encoder.encode(decoded) == bytes(text)


def _one_level_down(containers: list[bytes], unproved: list[bytes]) -> tuple[list[msgspec.Raw], int]:
    """(the values directly inside the given non-empty objects and lists, the colons and commas of these).

    Objects in which a key may be repeated are added to `unproved` instead, with all they contain.
    """
    objects = [text for text in containers if text >= b"{"]
    lists = [text for text in containers if text < b"{"]
    items: list[msgspec.Raw] = []
    separators = 0
    if objects:
        together = b"[" + b",".join(objects) + b"]"
        found = _objects.decode(together)
        if not lossless(found, together):
            proved = list(map(lossless, found, objects))
            unproved += compress(objects, map(not_, proved))
            found = list(compress(found, proved))
        items += chain.from_iterable(map(dict.values, found))
        separators = 2 * len(items) - len(found)
    if lists:
        before = len(items)
        items += chain.from_iterable(_lists.decode(b"[" + b",".join(lists) + b"]"))
        separators += len(items) - before - len(lists)
    return items, separators


def _containers(texts: Iterable[Text]) -> tuple[list[bytes], int]:
    """(the texts that are objects or lists and not empty, the outermost brackets of all, empty ones included).

    FormatError for a number that is too large for a float. Texts are told apart by first character, in ASCII order:
    strings, numbers, lists, null, true and false, objects.
    """
    texts = list(texts)
    others = list(map(bytes, compress(texts, map(_AFTER_TEXTS.__le__, texts))))
    for text in others:
        if (
            len(text) >= SHORTEST_INFINITE
            and text < b":"
            and (b"e" in text or b"E" in text or len(text) > SHORT_NUMBER)
        ):
            finite_number(text.decode())
    found = [text for text in others if text >= b"[" and (text >= b"{" or text < b"]")]
    return [text for text in found if len(text) > 2], 2 * len(found)
