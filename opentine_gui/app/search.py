"""Finding steps by what they say: titles of a whole run, made in a job, and matched as somebody types."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from opentine_gui.app.jobs import IsCancelled, ReportProgress
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.steprecord import decode_step
from opentine_gui.scene.titles import title

MOST_FOUND = 200
_SLICE = 500


@dataclass(frozen=True)
class Titles:
    """The titles of a run's steps in traversal order, and the same folded for comparison."""

    graph: Graph
    shown: tuple[str, ...]
    folded: tuple[str, ...]


def read_titles(record: RunRecord, progress: ReportProgress, cancelled: IsCancelled) -> Titles:
    """Make all titles (in a job): each step is decoded once and let go again."""
    shown: list[str] = []
    raws = record.graph.raws
    for start in range(0, len(raws), _SLICE):
        if cancelled():
            break
        shown.extend(title(decode_step(raw)) for raw in raws[start : start + _SLICE])
        progress(len(shown) / len(raws))
    return Titles(record.graph, tuple(shown), tuple(words.casefold() for words in shown))


def steps_with_title(titles: Titles, text: str, most: int = MOST_FOUND) -> list[int]:
    """Positions of the steps whose title has all typed words, best first: at the start, at a word's start, inside.

    Steps that have only the letters in order come after them, when there is room.
    """
    words = text.casefold().split()
    if not words:
        return []
    first = words[0]
    found = [place for place, folded in enumerate(titles.folded) if first in folded]
    for word in words[1:]:
        found = [place for place in found if word in titles.folded[place]]
    scored = sorted((_rank(titles.folded[place], words), place) for place in found)
    best = [place for _, place in scored[:most]]
    if len(best) < most and len(text.strip()) > 2:
        known = set(found)
        letters = "".join(words)
        for place, folded in enumerate(titles.folded):
            if place not in known and _in_order(letters, folded):
                best.append(place)
                if len(best) >= most:
                    break
    return best


def steps_with_id(graph: Graph, text: str, most: int = 20) -> list[int]:
    """Positions of the steps whose id begins with the typed text."""
    wanted = text.strip()
    if len(wanted) < 2:
        return []
    order: Sequence[int] = graph.sorted_order
    found: list[int] = []
    for prefix in dict.fromkeys((wanted, wanted.lower())):
        start = bisect_left(order, prefix, key=graph.ids.__getitem__)
        for position in order[start : start + most]:
            if not graph.ids[position].startswith(prefix):
                break
            if position not in found:
                found.append(position)
    return found[:most]


def _rank(folded: str, words: Sequence[str]) -> int:
    if folded.startswith(" ".join(words)):
        return 0
    rank = 0
    for word in words:
        at = folded.find(word)
        rank += 1 if at == 0 or not folded[at - 1].isalnum() else 3
    return rank


def _in_order(letters: str, folded: str) -> bool:
    place = 0
    for letter in letters:
        place = folded.find(letter, place) + 1
        if not place:
            return False
    return True
