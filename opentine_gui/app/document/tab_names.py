"""Names of tabs: with the folder or the agent where two have one name, and the part in which they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from opentine_gui.scene.text.clean import ELLIPSIS, clean

_SHORTEST_CUT = 5
"""Letters that must be saved for a beginning to be left out."""
_PARTS = re.compile(r"[-_./ ·]+")


class TabName(NamedTuple):
    """The whole name of a tab, and what remains of it without the beginning that other tabs share."""

    whole: str
    differing: str


def tab_names(tabs: Sequence[tuple[str, Path | None, str]]) -> list[TabName]:
    """Return the names of tabs, given (title, file, agent); cleaned, without ".tine".

    A session is named after its first words: where two begin alike, as forks do, their agents are named, then they are
    counted. The folders of agents say nothing that fits into a tab.
    """
    names = [clean(title, 400).removesuffix(".tine") for title, _, _ in tabs]
    counts = Counter(names)
    for place, (_, path, agent) in enumerate(tabs):
        if counts[names[place]] > 1 and agent:
            names[place] = f"{names[place]} · {clean(agent, 30)}"
        elif counts[names[place]] > 1 and path is not None:
            names[place] = f"{clean(path.parent.name, 60)}/{names[place]}"
    before: Counter[str] = Counter()
    for place, (_, _, agent) in enumerate(tabs):
        name = names[place]
        before[name] += 1
        if agent and before[name] > 1:
            names[place] = f"{name} {before[name]}"
    # Names that begin alike stand side by side in alphabetical order.
    order = sorted(range(len(names)), key=names.__getitem__)
    shared = [0] * len(names)
    for one, other in pairwise(order):
        if names[one] != names[other]:
            length = _shared_parts(names[one], names[other])
            shared[one], shared[other] = max(shared[one], length), max(shared[other], length)
    return [
        TabName(name, ELLIPSIS + name[cut:] if cut >= _SHORTEST_CUT else name)
        for name, cut in zip(names, shared, strict=True)
    ]


def _shared_parts(one: str, other: str) -> int:
    """The length of the whole words that both names begin with; a word of each remains."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    ends = [found.end() for found in _PARTS.finditer(one, 0, length) if found.end() < min(len(one), len(other))]
    return max(ends, default=0)
