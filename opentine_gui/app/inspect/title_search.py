"""Searches the titles of all steps, which are made in a job and matched as the user types."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from math import inf
from time import perf_counter

import msgspec

from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.graph.step_record import decode_step
from opentine_gui.describe.step_titles import title

MOST_FOUND = 200
_SLICE = 500
_LOOK = 500
_CLOSE = 80.0
"""Least similarity, 0..100: a word of five letters may have one wrong, a word of ten two."""


class Titles(msgspec.Struct, frozen=True):
    """The titles of a run's steps in traversal order, as shown and casefolded."""

    graph: Graph
    shown: tuple[str, ...]
    folded: tuple[str, ...]


def read_titles(record: RunRecord, progress: ReportProgress, cancelled: IsCancelled) -> Titles:
    """Make all titles (in a job); no decoded step is kept."""
    shown: list[str] = []
    raws = record.graph.raws
    for start in range(0, len(raws), _SLICE):
        if cancelled():
            break
        shown.extend(title(decode_step(raw)) for raw in raws[start : start + _SLICE])
        progress(len(shown) / len(raws))
    return Titles(record.graph, tuple(shown), tuple(words.casefold() for words in shown))


class TitleSearch:
    """Searches titles that have all typed words, a few milliseconds at a time; the best matches come first.

    Best is a match at the start, then at a word's start, then inside a word. Titles that the letters abbreviate, or
    with similar words, come after them if there is room. `found` are positions; `stage` is 1 once all titles were
    searched for the words, 2 once they were searched for similar ones.
    """

    def __init__(self, titles: Titles, text: str, most: int = MOST_FOUND) -> None:
        self.found: list[int] = []
        self.stage = 0
        self.done = False
        self._titles, self._text, self._most = titles, text, most
        self._looking = self._look()

    def advance(self, seconds: float = inf) -> None:
        """Continue the search for about that many seconds."""
        end = perf_counter() + seconds
        while not self.done and perf_counter() < end:
            self.done = next(self._looking, True)

    def _look(self) -> Iterator[bool]:
        """Search a slice of the titles at each call; yields False while there are more."""
        words, folded = self._text.casefold().split(), self._titles.folded
        if not words:
            return
        scored: list[tuple[int, int]] = []
        for start in range(0, len(folded), _LOOK):
            having: Sequence[int] = range(start, min(start + _LOOK, len(folded)))
            for word in words:
                having = [place for place in having if word in folded[place]]
            scored += [(_rank(folded[place], words), place) for place in having]
            yield False
        self.found = [place for _, place in nsmallest(self._most, scored)]
        self.stage = 1
        if len(self.found) >= self._most or len(self._text.strip()) <= 2:
            return
        yield False
        known = set(self.found)
        letters = "".join(words)
        loose: list[int] = []
        for start in range(0, len(folded), _LOOK):
            places = range(start, min(start + _LOOK, len(folded)))
            loose += _alike(folded, [place for place in places if place not in known], words, letters)
            if len(loose) + len(known) >= self._most:
                break
            yield False
        self.found = [*self.found, *loose][: self._most]
        self.stage = 2


def steps_with_id(graph: Graph, text: str, most: int = 20) -> list[int]:
    """Positions of the steps whose id begins with the text."""
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


def _alike(titles: Sequence[str], places: Sequence[int], words: Sequence[str], letters: str) -> Iterator[int]:
    """The places of titles that the letters abbreviate, or that have words similar to all those searched for."""
    from rapidfuzz import fuzz  # takes 15 ms to load, which no window has to wait for
    from rapidfuzz.distance import LCSseq

    for place in places:
        folded = titles[place]
        # If the title is shorter than the word, rapidfuzz would compare the title with a part of the word.
        if (LCSseq.similarity(letters, folded, score_cutoff=len(letters)) and _abbreviates(letters, folded)) or all(
            len(word) <= len(folded) and fuzz.partial_ratio(word, folded, score_cutoff=_CLOSE) for word in words
        ):
            yield place


def _abbreviates(letters: str, folded: str) -> bool:
    """Whether each letter begins a word or stands right behind the one before, as "rp" and "repa" for "read paper".

    Anywhere in order would be too much: most long titles have any four letters somewhere in it.
    """
    begins = [place for place, _ in enumerate(folded) if place == 0 or not folded[place - 1].isalnum()]
    behind = {place + 1 for place in begins if folded[place] == letters[0]}
    for letter in letters[1:]:
        earliest = min(behind, default=len(folded))
        following = {place for place in behind if place < len(folded) and folded[place] == letter}
        behind = {place + 1 for place in (*following, *begins) if place >= earliest and folded[place] == letter}
    return bool(behind)
