"""Looks for a text in encoded steps: finds the few that may have it without decoding any, and never misses one.

Case is ignored letter by letter: `fold` keeps the length, so that a match in the folded text is one in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate

import msgspec

from opentine_gui.core.progress import batches

Raw = bytes | msgspec.Raw
Piece = tuple[bytes, ...]
"""Spellings in lower-case JSON; a text that holds the needle has at least one of them."""

_SHORT_ESCAPES = {'"': b'\\"', "\\": b"\\\\", "\b": b"\\b", "\t": b"\\t", "\n": b"\\n", "\f": b"\\f", "\r": b"\\r"}
_PLAIN = re.compile(r"[ !#-.0-\[\]-~]+")
"""ASCII that is spelled one way in JSON, unless as an unusual escape."""
_UNUSUAL = re.compile(rb"\\u(?:00(?:[2-7]|0[89acd])|212a)")
"""An escape for a character that is written without one everywhere else, and the Kelvin sign, whose lower case is k."""
KELVIN = "\u212a".encode()
_LAST_CASED = 0x1E943


def fold(text: str) -> str:
    """The text in lower case, character by character, at the same length."""
    lowered = text.lower()
    if lowered.isascii():
        return lowered
    if len(lowered) != len(text):  # one capital becomes two characters: it stays as it is
        lowered = "".join([small if len(small := letter.lower()) == 1 else letter for letter in text])
    return lowered.replace("ς", "σ")


class Needle(msgspec.Struct, frozen=True):
    """A text to look for, folded; `pieces` (maybe none) must all be found in a record that contains it."""

    folded: str
    pieces: tuple[Piece, ...]

    @classmethod
    def of(cls, text: str) -> Needle:
        """The needle of a text."""
        folded = fold(text)
        runs = _PLAIN.findall(folded)
        pieces: list[Piece] = []
        if runs:
            pieces.append((max(runs, key=len).encode(),))
        others = [letter for letter in folded if not letter.isascii()]
        if others:
            pieces.append(_spellings(max(others)))
        if not pieces:
            pieces += [(_escaped(letter),) for letter in dict.fromkeys(folded)]
        return cls(folded, tuple(pieces))


def candidates(
    raws: Sequence[Raw], needles: Sequence[Needle], positions: Sequence[int] | None = None
) -> Iterator[list[int]]:
    """The positions, by slices of about 256 kB, of the records that may contain all needles; empty lists included.

    `positions` are those to look at, ascending; all by default. Without needles everything may.
    """
    chosen = range(len(raws)) if positions is None else positions
    texts = raws if positions is None else [raws[position] for position in chosen]
    for part in batches(texts):
        if not needles:
            yield list(chosen[part])
            continue
        batch = texts[part]
        lowered = b"\n".join(batch).lower()
        ends = list(accumulate([len(text) + 1 for text in batch]))
        found = _places(lowered, ends, needles)
        yield [chosen[part.start + place] for place in found]


def _places(lowered: bytes, ends: list[int], needles: Sequence[Needle]) -> list[int]:
    """Which texts of a joined batch may contain all needles; `ends` are the offsets at which they end."""
    odd = {bisect_right(ends, found.start()) for found in _UNUSUAL.finditer(lowered)}
    if any("k" in needle.folded for needle in needles):
        odd.update(_having(lowered, ends, KELVIN))
    common: set[int] | None = None
    for needle in needles:
        for piece in needle.pieces:
            having = set().union(*[_having(lowered, ends, spelling) for spelling in piece])
            common = having if common is None else common & having
            if not common:
                return sorted(odd)
    return sorted(odd | (common if common is not None else set(range(len(ends)))))


def _having(lowered: bytes, ends: list[int], spelling: bytes) -> Iterator[int]:
    at = lowered.find(spelling)
    while at >= 0:
        place = bisect_right(ends, at)
        yield place
        at = lowered.find(spelling, ends[place])


def _spellings(letter: str) -> Piece:
    """Every spelling of a character outside ASCII whose folded form is `letter`, in encoded text in lower case."""
    found: dict[bytes, None] = {}
    for form in (letter, *_capitals().get(letter, ())):
        found[form.encode("utf-8", "surrogatepass")] = None
        units = form.encode("utf-16-be", "surrogatepass")
        found["".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)).encode()] = None
    return tuple(found)


def _escaped(letter: str) -> bytes:
    return _SHORT_ESCAPES.get(letter) or (b"\\u%04x" % ord(letter) if letter < " " else letter.encode())


@cache
def _capitals() -> dict[str, tuple[str, ...]]:
    """The characters outside ASCII that fold to another one, by that one."""
    found: dict[str, tuple[str, ...]] = {}
    for code in range(0x80, _LAST_CASED + 1):
        letter = chr(code)
        small = fold(letter)
        if small != letter:
            found[small] = (*found.get(small, ()), letter)
    return found
