"""Checks that no JSON object has a key twice, by encoding it again: far cheaper than building all its values.

The format refuses duplicate keys, after unescaping (docs/FORMAT.md, section 14); the fast decoder keeps the last one.

A decoded object is encoded again with its values as they were spelled. If that gives the same text, no key is repeated,
because decoding keeps one of several equal keys; a key has one encoding, so two spellings of one key differ as well.
Many texts are compared at once, then the objects inside them in the next round, one depth after the other. Only texts
that differ, or are nested too deeply for rounds, go to the exact, slow checks. A long list is taken apart first, and
the contents of one round go to the next a slice at a time, so memory stays bounded whatever a text holds. The walk
meets every container and number, so it also counts structural characters, refuses numbers too large for a float, and
says whether the texts are *tidy*: sorted keys, and numbers spelled as canonical JSON spells them. A tidy text is
canonical if its strings are. Objects are encoded with sorted keys first, so that one comparison proves both.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, compress, repeat
from operator import itemgetter, not_
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
"""Depth to which texts are compared: each round reads everything deeper again, so the exact check does the rest."""

LONG = SLICE
"""A list or an object of more bytes is checked on its own."""

PART_OF_LIST = 1 << 16
"""Bytes of a long list of numbers that are checked at a time."""

MOST_JOINED = 2 * SLICE
"""Most bytes of texts that are joined to find their first bytes."""

_NUMBER, _OBJECT, _LIST = (bytes(byte in begins for byte in range(256)) for begins in (b"-0123456789", b"{", b"["))
"""Tables for `bytes.translate`, from the first byte of a value: 1 where it is one of these."""

Members = dict[str, msgspec.Raw]
Text = bytes | msgspec.Raw
_as_they_stand = msgspec.json.Encoder()
_sorted = msgspec.json.Encoder(order="deterministic")  # sorts the keys of objects, not the fields of a struct
_members = msgspec.json.Decoder(Members)
_items = msgspec.json.Decoder(list[msgspec.Raw])
_objects = msgspec.json.Decoder(list[Members])
_lists = msgspec.json.Decoder(list[list[msgspec.Raw]])
_numbers = msgspec.json.Decoder(list[int | float])


class Checked(NamedTuple):
    """What `check_values` learned about the texts on the way.

    `structure`: their structural characters; an upper bound if the exact checks were needed, else exact.
    `tidy`: whether they are known to be tidy.
    """

    structure: int
    tidy: bool


def check_values(texts: Sequence[Text], within: Sequence[Text] = (), outside: int = 0) -> Checked:
    """Check minified JSON texts.

    DuplicateKey when an object in one of them has a key twice (after unescaping), at any depth; FormatError when a
    number is too large for a float; LimitError when one of `within`, the texts that these are parts of (by default they
    themselves), nests too deep inside `outside` open containers.
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
    """Whether a decoded value, encoded with sorted keys, gives its minified text again: then no key was lost."""
    return _encoded_as(_sorted, decoded, text)


def lossless(decoded: Any, text: Text) -> bool:
    """As `in_order`, with the keys in their decoded order: keys need not be sorted."""
    return _encoded_as(_as_they_stand, decoded, text)


def _encoded_as(encoder: msgspec.json.Encoder, decoded: Any, text: Text) -> bool:
    again = bytearray(len(text))  # memory that grows with what is written would be copied many times
    encoder.encode_into(decoded, again)
    return again == bytes(text)


def values_in_order(members: Mapping[str, Any], text: bytes) -> list[bytes] | None:
    """The values of a minified object as spelled in `text`, if its decoded `members` are `in_order`; else None."""
    values = list(map(_sorted.encode, members.values()))
    begins = chain((b'{"',), repeat(b',"'))
    pieces = chain.from_iterable(zip(begins, map(str.encode, members), repeat(b'":'), values, strict=False))
    return values if b"".join((*pieces, b"}")) == text else None


def check_own_keys(text: Text, members: Mapping[str, Any]) -> None:
    """DuplicateKey when one of the minified object's own keys repeats; `members` is the decoded object."""
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
    """Whether `text` is the canonical JSON of a list of numbers and nulls."""
    # msgspec is many times faster; it differs only in fractions that canonical JSON writes with an exponent.
    if b"e" not in text and b"0.0000" not in text:
        return _encoded_as(_as_they_stand, values, text)
    return json.dumps(values, separators=(",", ":")).encode() == text


def is_long_and_flat(text: Text) -> bool:
    """Whether a minified text is a long list of numbers, true, false and null alone."""
    if len(text) <= PART_OF_LIST or bytes(memoryview(text)[:1]) != b"[":
        return False
    raw = bytes(text)
    return not any(mark in raw for mark in (b'"', b"{")) and raw.find(b"[", 1) < 0


class _Walk:
    """The rounds of `check_values`, and what they have found so far.

    `unproved` are texts that may have a key twice; `long` are texts to take apart, each with its round.
    """

    def __init__(self) -> None:
        self.structure = 0
        self.tidy = True
        self.unproved: list[bytes] = []
        self.long: list[tuple[Text, int]] = []

    def check(self, texts: Sequence[Text], rounds: int) -> None:
        """Check values at the depth `rounds` and everything in them, except long texts, which are put aside."""
        objects, lists = self.containers(texts, rounds)
        del texts
        if rounds == MOST_ROUNDS:
            self.unproved += map(bytes, (*objects, *lists))
            return
        while objects or lists:
            self.check(self.one_level_down(_slice_of(objects), _slice_of(lists)), rounds + 1)

    def take_apart(self, text: Text, rounds: int) -> None:
        """Check a long text: a list in parts; an object as a whole, because all its keys are made at once."""
        first = bytes(memoryview(text)[:1])
        if first not in (b"[", b"{"):
            self.tidy &= first == b'"' or tidy_numbers([text])
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

    def containers(self, texts: Sequence[Text], rounds: int) -> tuple[list[Text], list[Text]]:
        """(the objects, the lists) among the texts; empty ones are left out, long ones put aside.

        FormatError for a number that is too large for a float.
        """
        sizes = list(map(len, texts))
        if max(sizes, default=0) > LONG:
            self.long += [(text, rounds) for text in texts if len(text) > LONG]
            texts = [text for text in texts if len(text) <= LONG]
            sizes = list(map(len, texts))
        first = _first_bytes(texts, sizes)
        numbers, objects, lists = (list(compress(texts, first.translate(kind))) for kind in (_NUMBER, _OBJECT, _LIST))
        if numbers:
            self.tidy &= tidy_numbers(numbers)
        self.structure += 2 * (len(objects) + len(lists))
        if max(map(len, lists), default=0) > PART_OF_LIST:
            lists = [text for text in lists if not (is_long_and_flat(text) and self.take_numbers(bytes(text)))]
        return [text for text in objects if len(text) > 2], [text for text in lists if len(text) > 2]

    def take_numbers(self, text: bytes) -> bool:
        """Check a long, flat list in parts; always True, so that it can stand in a condition.

        Decoding all its numbers at once would take thirty times the memory of the text.
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

    def one_level_down(self, objects: list[Text], lists: list[Text]) -> list[Text]:
        """The values directly inside the given objects and lists; objects whose keys may repeat are left out."""
        items: list[Text] = []
        if objects:
            together = b"[%b]" % b",".join(objects)
            found = _objects.decode(together)
            ordered = in_order(found, together)
            self.tidy &= ordered
            if not ordered and not lossless(found, together):
                proved = list(map(lossless, found, objects))
                self.unproved += map(bytes, compress(objects, map(not_, proved)))
                found = list(compress(found, proved))
            items += chain.from_iterable(map(dict.values, found))
            self.structure += 2 * len(items) - len(found)  # colons and commas
        if lists:
            before = len(items)
            items += chain.from_iterable(_lists.decode(b"[%b]" % b",".join(lists)))
            self.structure += len(items) - before - len(lists)
        return items


def _first_bytes(texts: Sequence[Text], sizes: Sequence[int]) -> bytes:
    """The first byte of each text, by which JSON values are told apart."""
    if sum(sizes) > MOST_JOINED:
        return bytes([memoryview(text)[0] for text in texts])
    # Without Python code for each, because every step has ten. The space is where the last one ends; it is cut off.
    together = b"".join((*texts, b" "))
    return bytes(itemgetter(0, *accumulate(sizes, initial=0))(together)[1:-1])


def _slice_of(waiting: list[Text]) -> list[Text]:
    """Take about a slice of text from the end of a list."""
    if sum(map(len, waiting)) <= SLICE:
        taken = waiting.copy()
        waiting.clear()
        return taken
    taken = []
    size = 0
    while waiting and size < SLICE:
        taken.append(waiting.pop())
        size += len(taken[-1])
    return taken
