"""Names of tabs: where two are the same, with what tells them apart, and the part in which they differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.importers import readers
from opentine_gui.scene.text.clean import ELLIPSIS, clean

_SHORTEST_CUT = 5
"""Letters that must be saved for a beginning to be left out."""
TINE = ".tine"
LONGEST_IN_NOTICE = 40
"""Characters of a title in a notice, which has a few lines: an agent's session is called by all that was asked."""
_ALIKE = 8
"""Letters within a word with which two names begin alike from which on that beginning is left out."""
_PARTS = re.compile(r"[-_./ ·]+")
_TOLD = " · "
"""Before what tells a session from another of its title."""
_MARK = re.compile(r"(?:(?:Fork(?: \d+)?|Merge) of )*")
"""What a fork or a merge is called before its source: no beginning that is left out, for it tells the two apart."""


class TabName(NamedTuple):
    """The whole name of a tab, and what remains of it without the beginning that other tabs share.

    `mark`: what both begin with that is never left out: "Fork of ".
    """

    whole: str
    differing: str
    mark: str = ""


def short_title(document: Document) -> str:
    """The title for a notice: the reason behind it is never what is cut for want of room."""
    return clean(document.title, LONGEST_IN_NOTICE)


def told_apart_by(document: Document) -> str:
    """What tells an agent's session from one with the same title: what was asked last, else the agent."""
    if document.origin is None:
        return ""
    asked = document.record.asked_last if document.record is not None else ""
    return asked if asked not in ("", document.title) else document.origin.title


def names_of(documents: Sequence[Document]) -> dict[Document, TabName]:
    """The names of the tabs of documents."""
    titles = Counter(one.title for one in documents)
    told = [told_apart_by(one) if titles[one.title] > 1 else "" for one in documents]
    tabs = [(one.title, one.path, words) for one, words in zip(documents, told, strict=True)]
    return dict(zip(documents, tab_names(tabs), strict=True))


def tab_names(tabs: Sequence[tuple[str, Path | None, str]]) -> list[TabName]:
    """Return the names of tabs, given (title, file, what tells a session from one with its title); cleaned.

    The endings of formats are left out, unless they alone tell two files apart.
    A session is named after its first words: where two begin alike, as forks do, what was asked last or the agent is
    added, or else the name of the file; then they are counted, and so are two tabs of one file, as recovered work
    beside its file. The folders of agents, and what their files are called, say nothing that fits into a tab.
    """
    names = _without_endings(tabs)
    counts = Counter(names)
    alike = Counter((name, told) for name, (_, _, told) in zip(names, tabs, strict=True))
    files = Counter(name for name, _ in {(name, path) for name, (_, path, _) in zip(names, tabs, strict=True)})
    for place, (_, path, told) in enumerate(tabs):
        if counts[names[place]] > 1 and told:
            named = path is not None and alike[names[place], told] > 1 and not _is_hidden(path)
            more = _without_ending(path.name) if named and path is not None else told
            names[place] = f"{names[place]}{_TOLD}{clean(more, 60)}"
        elif files[names[place]] > 1 and path is not None:
            names[place] = f"{clean(path.parent.name, 60)}/{names[place]}"
    marks = [_mark_of(name) for name in names]
    names = [name[len(mark) :] for name, mark in zip(names, marks, strict=True)]
    # Names that begin alike stand side by side in alphabetical order.
    shared = dict.fromkeys(names, 0)
    marked = {name: {mark for mark, other in zip(marks, names, strict=True) if other == name} for name in names}
    for one, other in pairwise(sorted(shared)):
        if other.startswith(one.rstrip(ELLIPSIS)) and not marked[one] & marked[other]:
            continue  # a fork in a file, whose name is the beginning of its source's: the mark tells them apart
        length = len(one) if other.startswith(f"{one}{_TOLD}") else _shared_parts(one, other)
        shared[other] = max(shared[other], length)
        if not other.startswith(one.rstrip(ELLIPSIS)):  # else this one is the beginning: without it nothing is left
            shared[one] = max(shared[one], length)
    before: Counter[str] = Counter()
    found = []
    for name, mark in zip(names, marks, strict=True):
        before[mark + name] += 1
        cut = shared[name]
        number = f" {before[mark + name]}" if before[mark + name] > 1 else ""
        rest = name[cut:].lstrip(f"{ELLIPSIS} ·")  # a title may have been cut where another one goes on
        differing = (ELLIPSIS + rest if cut >= _SHORTEST_CUT and rest else name) + number
        found.append(TabName(mark + name + number, mark + differing, mark))
    wholes: dict[str, set[str]] = {}
    for tab in found:
        wholes.setdefault(tab.differing, set()).add(tab.whole)
    return [tab if len(wholes[tab.differing]) == 1 else TabName(tab.whole, tab.whole, tab.mark) for tab in found]


def without_mark(name: str) -> str:
    """The name of what a fork, or a fork of forks, was made from; any other name as it is."""
    return name[len(_mark_of(name)) :]


def _mark_of(name: str) -> str:
    found = _MARK.match(name)
    mark = found.group() if found is not None else ""
    return mark if len(mark) < len(name) else ""


def _without_endings(tabs: Sequence[tuple[str, Path | None, str]]) -> list[str]:
    """The titles without the endings of formats, but for those that would be another's then."""
    titles = [clean(title, 400) for title, _, _ in tabs]
    shorter = [
        _without_ending(title) if path is not None and path.name == tab else title.removesuffix(TINE)
        for title, (tab, path, _) in zip(titles, tabs, strict=True)
    ]
    wholes: dict[str, set[str]] = {}
    for title, short in zip(titles, shorter, strict=True):
        wholes.setdefault(short, set()).add(title)
    pairs = zip(titles, shorter, strict=True)
    return [short if len(wholes[short]) == 1 else title.removesuffix(TINE) for title, short in pairs]


def _without_ending(name: str) -> str:
    """A name without the endings of formats, of which it may have two: "run.traj.json" is "run"."""
    while ending := next((one for one in readers.suffixes() if name.lower().endswith(one) and name != one), ""):
        name = name[: -len(ending)]
    return name


def _is_hidden(path: Path) -> bool:
    """Whether a file is in a folder that agents keep to themselves."""
    return any(part.startswith(".") for part in path.parent.parts)


def _shared_parts(one: str, other: str) -> int:
    """The length of the whole words, or many letters of one, that both names begin with; something of each remains."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    ends = [found.end() for found in _PARTS.finditer(one, 0, length) if found.end() < min(len(one), len(other))]
    parts = max(ends, default=0)
    letters = min(length, len(one) - 1, len(other) - 1)
    return letters if letters - parts >= _ALIKE else parts
