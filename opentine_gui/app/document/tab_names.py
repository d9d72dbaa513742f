"""Names of tabs: where two are the same, with the folder or the agent, and the part in which they differ."""

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
    """Return the names of tabs, given (title, file, what tells a session from one with its title); cleaned, no ".tine".

    A session is named after its first words: where two begin alike, as forks do, what was asked last or the agent is
    added, then they are counted, and so are two tabs of one file, as recovered work beside its file. The folders of
    agents say nothing that fits into a tab.
    """
    names = [clean(title, 400).removesuffix(".tine") for title, _, _ in tabs]
    counts = Counter(names)
    files = Counter(name for name, _ in {(name, path) for name, (_, path, _) in zip(names, tabs, strict=True)})
    for place, (_, path, told) in enumerate(tabs):
        if counts[names[place]] > 1 and told:
            names[place] = f"{names[place]} · {clean(told, 60)}"
        elif files[names[place]] > 1 and path is not None:
            names[place] = f"{clean(path.parent.name, 60)}/{names[place]}"
    # Names that begin alike stand side by side in alphabetical order.
    shared = dict.fromkeys(names, 0)
    for one, other in pairwise(sorted(shared)):
        length = _shared_parts(one, other)
        shared[one], shared[other] = max(shared[one], length), max(shared[other], length)
    before: Counter[str] = Counter()
    found = []
    for name in names:
        before[name] += 1
        cut = shared[name]
        number = f" {before[name]}" if before[name] > 1 else ""
        found.append(TabName(name + number, (ELLIPSIS + name[cut:] if cut >= _SHORTEST_CUT else name) + number))
    return found


def _shared_parts(one: str, other: str) -> int:
    """The length of the whole words that both names begin with; a word of each remains."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    ends = [found.end() for found in _PARTS.finditer(one, 0, length) if found.end() < min(len(one), len(other))]
    return max(ends, default=0)
