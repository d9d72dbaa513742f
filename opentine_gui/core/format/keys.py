"""Checks that no JSON object has a key twice, by comparing lengths: far cheaper than building the objects.

The format refuses duplicate keys, after unescaping (docs/FORMAT.md, section 14); the fast decoder keeps the last one.

The length of a minified object follows from its decoded members if no key is repeated or escaped. Decoding drops
repeated keys and shortens escaped ones, so a text can be longer than that, but never shorter; and where many texts
together have exactly that length, each of them has. Nested objects are checked in the next round, all of one depth
together. Only texts that are longer go to the exact, slow check. All numbers pass by here, so those too large for a
float are refused on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import msgspec

from opentine_gui.core.format.checks import check_keys, finite_number

MOST_ROUNDS = 16
"""Depth to which lengths are compared; a round reads again what lies deeper, so the rest is left to the exact check."""

SHORT_NUMBER = 300
"""Characters up to which a number without an exponent fits into a float."""

Members = dict[str, msgspec.Raw]
_objects = msgspec.json.Decoder(list[Members])
_lists = msgspec.json.Decoder(list[list[msgspec.Raw]])


def check_values(texts: Sequence[bytes | msgspec.Raw]) -> None:
    """DuplicateKey when an object in one of the minified JSON texts has a key twice (after unescaping), at any depth.

    FormatError when a number in them is too large for a float.
    """
    containers = _containers(texts)
    for _ in range(MOST_ROUNDS):
        if not containers:
            return
        containers = _one_level_down(containers)
    for text in containers:
        check_keys(text)


def length_of(objects: Iterable[Members]) -> int:
    """How long minified objects that are not empty are together, if none spells a key twice or with escapes."""
    found = list(objects)
    keys = list(chain.from_iterable(found))
    values = chain.from_iterable(map(dict.values, found))
    # around each object two braces; for each member two quotation marks and a colon, and a comma but for the last
    return len(found) + 4 * len(keys) + sum(map(len, keys)) + sum(map(len, values))


def _one_level_down(containers: list[bytes]) -> list[bytes]:
    """The objects and lists directly inside the given ones; DuplicateKey for an object that has a key twice."""
    objects = [text for text in containers if text >= b"{"]
    lists = [text for text in containers if text < b"{"]
    items: list[msgspec.Raw] = []
    if objects:
        found = _objects.decode(b"[" + b",".join(objects) + b"]")
        if length_of(found) != sum(map(len, objects)):
            kept = []
            for text, members in zip(objects, found, strict=True):
                if length_of((members,)) == len(text):
                    kept.append(members)
                else:
                    check_keys(text)  # and all it holds
            found = kept
        items += chain.from_iterable(map(dict.values, found))
    if lists:
        items += chain.from_iterable(_lists.decode(b"[" + b",".join(lists) + b"]"))
    return _containers(items)


def _containers(texts: Iterable[bytes | msgspec.Raw]) -> list[bytes]:
    """The texts that are objects or lists and not empty; FormatError for a number among the others that is too large.

    Told apart by first character, in ASCII order: strings, numbers, lists, null, true and false, objects.
    """
    together = b"\n".join(texts)  # a minified text holds no line end; joined and split they are bytes in half the time
    others = [text for text in together.split(b"\n") if text >= b"#"]
    for text in others:
        if text < b":" and (b"e" in text or b"E" in text or len(text) > SHORT_NUMBER):
            finite_number(text.decode())
    return [text for text in others if text >= b"[" and len(text) > 2 and (text >= b"{" or text < b"]")]
