"""Short forms of texts that begin alike: each from shortly before the place where it differs from the others."""

from __future__ import annotations

from collections.abc import Sequence

from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.scene.text.clean import ELLIPSIS, clean

LEAD = 16
"""Letters that are kept before the difference: a word or two of what leads to it."""
SHORT = 2_000
"""Characters of a text that is cleaned whole."""
SEEN = 40
"""Characters that are read for each letter that is shown: escapes and what cannot be seen may stand before it."""


def told_apart(texts: Sequence[str], most: int) -> tuple[str, ...]:
    """The texts as clean lines of at most `most` letters; those that would read alike from shortly before they differ.

    Texts that are the same stay the same.
    """
    shown = [clean(text, most) for text in texts]
    said = []
    for place, text in enumerate(texts):
        others = [other for number, other in enumerate(texts) if number != place and alike(shown[place], shown[number])]
        nearest = max(others, key=lambda other: (other != text, common_beginning(text, other)), default=text)
        said.append(from_difference(text, nearest, most))
    return tuple(said)


def alike(one: str, other: str) -> bool:
    """Whether two lines read alike although they may be of different texts: the same as far as they are shown."""
    if one == other:
        return True
    cut = one.endswith(ELLIPSIS) or other.endswith(ELLIPSIS)
    return cut and common_beginning(one, other) + 2 >= min(len(one), len(other))


def from_difference(text: str, other: str, most: int) -> str:
    """The text as a clean line of at most `most` letters that begins a word or two before it differs from another.

    Of a long text only what is shown is cleaned: that takes time, and a frame may wait for it. So a difference that
    cannot be seen counts in it.
    """
    if max(len(text), len(other)) <= SHORT:
        text, other = clean(text, SHORT), clean(other, SHORT)
    front = common_beginning(text, other)
    start = front - LEAD
    if start <= 0 or text == other:
        return clean(text, most)
    # At the space, where there is one: so no escape sequence of a terminal loses its beginning.
    begin = next((place + 1 for place in range(start, front) if text[place].isspace()), start)
    return ELLIPSIS + clean(text[begin : begin + SEEN * most].lstrip(f" {ELLIPSIS}"), most - 1)
