"""The parts of a shown text that are lit because a search asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from opentine_gui.app.search.query import Query, compiled_pattern
from opentine_gui.app.search.values import texts_in
from opentine_gui.core.graph.raw_search import fold

PATTERN_SECONDS = 0.005
"""Longest time a regular expression may take for one text: texts are lit while a frame is made."""
MOST = 2_000
"""Places of a text that are lit at most."""


class Spot(NamedTuple):
    """A place in a text, as a match of the `re` module tells it."""

    first: int
    last: int

    def start(self) -> int:
        return self.first

    def end(self) -> int:
        return self.last


def _words(query: Query, *fields: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.text for one in query.of(*fields) if one.text and not one.negated))


class LitText:
    """The texts and patterns of a query, to be found in shown text; false if it has none."""

    def __init__(self, query: Query) -> None:
        words = _words(query, "text", "error")
        patterns = [compiled_pattern(one.text) for one in query.of("regex") if not one.negated]
        # Beside a text, the name of a tool says which steps are meant: it is no hit in them.
        self._words = words or (() if patterns else _words(query, "tool", "model", "title"))
        self._patterns: tuple[Any, ...] = tuple(patterns)

    def __bool__(self) -> bool:
        return bool(self._words or self._patterns)

    def finditer(self, text: str, /) -> Iterator[Spot]:
        """The places to light, in order, not overlapping; a pattern that takes too long is given up for good."""
        found: list[Spot] = []
        folded = fold(text)
        for word in self._words:
            at = folded.find(word)
            while at >= 0 and len(found) < MOST:
                found.append(Spot(at, at + len(word)))
                at = folded.find(word, at + len(word))
        for pattern in self._patterns:
            try:
                for match in pattern.finditer(text, timeout=PATTERN_SECONDS):
                    if len(found) >= MOST:
                        break
                    found.append(Spot(match.start(), match.end()))
            except TimeoutError:
                # A new tuple: jobs look through long texts while a frame does through others, and both may give it up.
                self._patterns = tuple(one for one in self._patterns if one is not pattern)
        end = 0
        for spot in sorted(found):
            if spot.first >= end and spot.last > spot.first:
                end = spot.last
                yield spot

    def stands_in(self, *values: Any) -> bool:
        """Whether a text in these JSON values contains anything to be lit."""
        return any(next(self.finditer(text), None) is not None for text in texts_in(list(values)))
