"""Short forms of texts that begin alike: each from shortly before the place where it differs from the others."""

from __future__ import annotations

from collections.abc import Sequence

from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.scene.text.clean import ELLIPSIS, clean

LEAD = 16
"""Letters that are kept before the difference: a word or two of what leads to it."""
FARTHEST = 100_000
"""Letters of a text in which a difference is looked for."""


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
    """The text as a clean line of at most `most` letters that begins a word or two before it differs from another."""
    whole, second = clean(text, FARTHEST), clean(other, FARTHEST)
    front = common_beginning(whole, second)
    start = front - LEAD
    if start <= 0 or whole == second:
        return clean(text, most)
    space = whole.find(" ", start, front)
    return ELLIPSIS + clean(whole[space + 1 if space >= 0 else start :].lstrip(f" {ELLIPSIS}"), most - 1)
