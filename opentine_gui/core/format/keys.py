"""No object of a JSON text spells a key twice: proved by lengths, which costs far less than building the objects.

The format refuses doubled keys, after unescaping (docs/FORMAT.md, section 14); the fast decoder keeps the last one.

A minified object is as long as its members together, if each key is there once and is spelled in plain letters. What is
decoded has lost the doubled ones, and an escaped key is longer in the text than in memory, so a text is never shorter
than its members say; and where many texts together have just that length, so has each of them. Objects inside others
are looked at in the next round, all of one depth together. Only what is longer is read by the exact, slow check. On the
way every number is met, so those that no float can hold are refused here too.
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
    """What stands inside objects and lists and is one of both; DuplicateKey for an object that has a key twice."""
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

    By their first characters: texts come before all else, then numbers, lists, the words null, true and false, objects.
    """
    together = b"\n".join(texts)  # a minified text holds no line end; joined and split they are bytes in half the time
    others = [text for text in together.split(b"\n") if text >= b"#"]
    for text in others:
        if text < b":" and (b"e" in text or b"E" in text or len(text) > SHORT_NUMBER):
            finite_number(text.decode())
    return [text for text in others if text >= b"[" and len(text) > 2 and (text >= b"{" or text < b"]")]
