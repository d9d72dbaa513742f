"""Checks that no JSON object has a key twice, by encoding it again: far cheaper than building all its values.

The format refuses duplicate keys, after unescaping (docs/FORMAT.md, section 14); the fast decoder keeps the last one.

A decoded object is encoded again with its values as they were spelled. If that gives the same text, no key is repeated,
because decoding keeps one of several equal keys; a key has one encoding, so two spellings of one key differ as well.
Many texts are compared at once, and the objects inside others in the next round, one depth after the other. Only texts
that differ, or are nested too deeply for rounds, go to the exact, slow checks. A long list is taken apart first, and
what is in one round goes on to the next a slice at a time, so that memory does not follow how much is in a text. The
walk meets every container and number, so it also counts structural characters, refuses numbers too large for a float,
and says whether the texts are tidy: sorted keys, and numbers spelled as canonical JSON spells them. Only its strings
then keep a text from being canonical. Objects are encoded with their keys sorted first, so that the comparison that
proves them proves that too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, compress
from operator import not_
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.format.checks import (
    DuplicateKey,
    check_depth,
    check_keys,
    finite_number,
    own_keys,
    structure_count,
)
from opentine_gui.core.format.text_blocks import parts_of
from opentine_gui.core.progress import SLICE, batches

MOST_ROUNDS = 16
"""Depth to which texts are compared; a round reads again what lies deeper, so the rest is left to the exact check."""

LONG = SLICE
"""Bytes of a list or an object that is looked at by itself."""

PART_OF_LIST = 1 << 16
"""Bytes of a long list of numbers that are looked at at once."""

_AFTER_TEXTS = bytearray(b"#")
"""What no JSON text that is a string reaches; a bytearray is compared with encoded values where they lie."""

Members = dict[str, msgspec.Raw]
Text = bytes | msgspec.Raw
_as_they_stand = msgspec.json.Encoder()
_sorted = msgspec.json.Encoder(order="sorted")
_members = msgspec.json.Decoder(Members)
_items = msgspec.json.Decoder(list[msgspec.Raw])
_objects = msgspec.json.Decoder(list[Members])
_lists = msgspec.json.Decoder(list[list[msgspec.Raw]])
_numbers = msgspec.json.Decoder(list[int | float])


class Checked(NamedTuple):
    """What a check of texts found out besides.

    `structure`: how many structural characters they have, exact but where the exact checks were needed.
    `tidy`: whether they are known to be tidy.
    """

    structure: int
    tidy: bool


def check_values(texts: Sequence[Text], within: Sequence[Text] = (), outside: int = 0) -> Checked:
    """Check minified JSON texts.

    DuplicateKey when an object in one of them has a key twice (after unescaping), at any depth; FormatError when a
    number is too large for a float; LimitError when one of `within`, the texts that these are parts of (by default they
    themselves), nests too deep where it stands inside `outside` containers.
    """
    walk = _Walk()
    walk.check(texts, 0)
    while walk.long:
        walk.take_apart(*walk.long.pop())
    if walk.unproved:
        check_depth(within or texts, outside)
        for text in walk.unproved:
            check_keys(text)
    return Checked(walk.structure + sum(map(structure_count, walk.unproved)), walk.tidy and not walk.unproved)


def in_order(decoded: Any, text: Text) -> bool:
    """Whether something decoded is encoded as the minified text it was decoded from, keys sorted: none was lost."""
    return _sorted.encode(decoded) == bytes(text)


def lossless(decoded: Any, text: Text) -> bool:
    """As `in_order`, whatever order the keys have."""
    return _as_they_stand.encode(decoded) == bytes(text)


def check_own_keys(text: Text, members: Mapping[str, Any]) -> None:
    """DuplicateKey when the minified object's own keys repeat; `members` are what it was decoded to."""
    if not lossless(members, text):
        check_keys(bytes(text))


def tidy_numbers(literals: Sequence[Text]) -> bool:
    """Whether JSON numbers are spelled as canonical JSON spells them. FormatError for one too large for a float."""
    text = b"[" + b",".join(literals) + b"]"
    try:
        values = _numbers.decode(text)
    except msgspec.ValidationError:
        for literal in literals:
            finite_number(bytes(literal).decode())
        raise
    return spelled_as(values, text)


def spelled_as(values: Sequence[Any], text: bytes) -> bool:
    """Whether canonical JSON spells a list of numbers and nulls like this."""
    return json.dumps(values, separators=(",", ":")).encode() == text


def is_long_and_flat(text: Text) -> bool:
    """Whether a minified text is a long list of numbers, true, false and null alone."""
    if len(text) <= PART_OF_LIST or bytes(memoryview(text)[:1]) != b"[":
        return False
    raw = bytes(text)
    return not any(mark in raw for mark in (b'"', b"{")) and raw.find(b"[", 1) < 0


class _Walk:
    """The rounds of `check_values`, and what they have found so far.

    `unproved` may hold a key twice; `long` waits to be taken apart, each text with the round it was met in.
    """

    def __init__(self) -> None:
        self.structure = 0
        self.tidy = True
        self.unproved: list[bytes] = []
        self.long: list[tuple[Text, int]] = []

    def check(self, texts: Iterable[Text], rounds: int) -> None:
        """Check values that stand inside so many rounds, and all that is in them but what is long."""
        texts = list(texts)
        if max(map(len, texts), default=0) > LONG:
            self.long += [(text, rounds) for text in texts if len(text) > LONG]
            texts = [text for text in texts if len(text) <= LONG]
        waiting = self.containers(texts)
        del texts
        if rounds == MOST_ROUNDS:
            self.unproved += waiting
            return
        while waiting:
            self.check(self.one_level_down(_slice_of(waiting)), rounds + 1)

    def take_apart(self, text: Text, rounds: int) -> None:
        """Check a long text: a list a part at a time, an object by itself, for its keys are made at once."""
        first = bytes(memoryview(text)[:1])
        if first not in (b"[", b"{"):
            self.containers([text])
        elif rounds == MOST_ROUNDS:
            self.unproved.append(bytes(text))
        elif first == b"{":
            self._take_object(text, rounds)
        elif is_long_and_flat(text):
            self.structure += 2
            self.take_numbers(bytes(text))
        else:
            self.structure += 1
            for part in parts_of(text):
                items = _items.decode(part)
                self.structure += len(items)
                self.check(items, rounds + 1)

    def _take_object(self, text: Text, rounds: int) -> None:
        members = _members.decode(text)
        ordered = in_order(members, text)
        self.tidy &= ordered
        if not ordered and not lossless(members, text) and own_keys(text) != len(members):
            raise DuplicateKey("a key stands twice in one object")
        self.structure += 2 * len(members) + 1  # braces, colons and commas
        values = list(members.values())
        del members
        for part in batches(values):
            self.check(values[part], rounds + 1)

    def containers(self, texts: Iterable[Text]) -> list[bytes]:
        """The texts that are objects or lists and not empty. FormatError for a number that is too large for a float.

        Texts are told apart by first character, in ASCII order: strings, numbers, lists, null, true and false, objects.
        """
        texts = list(texts)
        others = list(map(bytes, compress(texts, map(_AFTER_TEXTS.__le__, texts))))
        numbers = [text for text in others if text < b":"]
        if numbers:
            self.tidy &= tidy_numbers(numbers)
        found = [text for text in others if text >= b"[" and (text >= b"{" or text < b"]")]
        self.structure += 2 * len(found)
        if max(map(len, found), default=0) > PART_OF_LIST:
            found = [text for text in found if not (is_long_and_flat(text) and self.take_numbers(text))]
        return [text for text in found if len(text) > 2]

    def take_numbers(self, text: bytes) -> bool:
        """Check a long list without texts, objects and lists in it, a part at a time: always True.

        An object made for each of its numbers would take thirty times the text.
        """
        begin = 1
        while begin < len(text):
            end = text.find(b",", begin + PART_OF_LIST)
            end = len(text) - 1 if end < 0 else end
            literals = text[begin:end].split(b",")
            self.structure += len(literals)
            self.tidy &= tidy_numbers([literal for literal in literals if literal < b":"])
            begin = end + 1
        self.structure -= 1
        return True

    def one_level_down(self, containers: list[bytes]) -> list[msgspec.Raw]:
        """The values directly inside the given objects and lists; objects whose keys may repeat are left out."""
        objects = [text for text in containers if text >= b"{"]
        lists = [text for text in containers if text < b"{"]
        items: list[msgspec.Raw] = []
        if objects:
            together = b"[" + b",".join(objects) + b"]"
            found = _objects.decode(together)
            ordered = in_order(found, together)
            self.tidy &= ordered
            if not ordered and not lossless(found, together):
                proved = list(map(lossless, found, objects))
                self.unproved += compress(objects, map(not_, proved))
                found = list(compress(found, proved))
            items += chain.from_iterable(map(dict.values, found))
            self.structure += 2 * len(items) - len(found)  # colons and commas
        if lists:
            before = len(items)
            items += chain.from_iterable(_lists.decode(b"[" + b",".join(lists) + b"]"))
            self.structure += len(items) - before - len(lists)
        return items


def _slice_of(waiting: list[bytes]) -> list[bytes]:
    """Take about a slice of text from the end of a list."""
    taken: list[bytes] = []
    size = 0
    while waiting and size < SLICE:
        taken.append(waiting.pop())
        size += len(taken[-1])
    return taken
