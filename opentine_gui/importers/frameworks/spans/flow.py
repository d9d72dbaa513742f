"""Infers which step depends on which in a trace, which only records what is inside what.

Work inside one span is ordered by time: a step's parents are the steps that had ended when it began and have no child
yet. A call's parent is the answer that asked for it, by the call's id, else by its name.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field

from opentine_gui.importers.frameworks.spans.forest import Forest
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.run_draft import StepDraft

CLOSE = 0.0015
"""Seconds by which a step may begin before its parent ended: some exports round to milliseconds."""


class Calls:
    """The calls that an answer asked for, as (id, name); each is carried out once."""

    def __init__(self, calls: list[tuple[str, str]]) -> None:
        self._calls = calls
        self._named: dict[str, list[int]] = {}
        self._without_id: dict[str, list[int]] = {}
        """Places by name, the first one last: of all calls, and of those without an id."""
        self._taken: set[int] = set()
        for place, (identity, name) in reversed([*enumerate(calls)]):
            self._named.setdefault(name, []).append(place)
            if not identity:
                self._without_id.setdefault(name, []).append(place)

    def __len__(self) -> int:
        return len(self._calls)

    def ids(self) -> Iterator[tuple[str, int]]:
        """The ids with their places, from the last call to the first."""
        for place in reversed(range(len(self._calls))):
            if self._calls[place][0]:
                yield self._calls[place][0], place

    def take(self, identity: str, name: str) -> int | None:
        """Take the first free call with this name: one without an id if `identity` is given. Its place, or None."""
        places = (self._without_id if identity else self._named).get(name, [])
        while places:
            place = places.pop()
            if place not in self._taken:
                self._taken.add(place)
                return place
        return None


@dataclass(slots=True, eq=False)
class Done:
    """Something that happened in a flow: the keys of its last steps, and when.

    `covered`: when its first child ended (None: no child). `calls`: for an answer, what it asked for. `number`: its
    place among all that happened. `carried`: how many tools it has as children whose calls it does not name.
    """

    keys: list[str]
    start: float
    end: float
    covered: float | None = None
    calls: Calls = field(default_factory=lambda: Calls([]))
    rank: tuple[float, int] = (0.0, 0)
    number: int = 0
    carried: int = 0


@dataclass(slots=True)
class Flow:
    """What happens in one agent, or in a trace without one. Spans come in the order in which they began."""

    base: list[str]
    agent: str = ""
    heard: list[str] | None = None
    answers: list[Done] = field(default_factory=list)
    failed: tuple[StepDraft, str, Span] | None = None
    outer: bool = True
    within: Span | None = None
    """The span of the agent itself, if it lies inside the tool that started it."""
    _count: int = 0
    _running: list[tuple[float, int, Done]] = field(default_factory=list)
    """What had not ended when the last span began: a heap by end."""
    _ended: list[Done] = field(default_factory=list)
    _asked: dict[str, list[tuple[Done, Calls, int]]] = field(default_factory=dict)
    """By call id: the answers that made the call, with its place in each, the newest last."""
    _words: tuple[list[str] | None, frozenset[str]] = (None, frozenset())
    """What was heard, and the same as a set."""

    def has_heard(self, words: str) -> bool:
        """Whether the last request had these words of a person."""
        if self._words[0] is not self.heard:
            self._words = self.heard, frozenset(self.heard or ())
        return words in self._words[1]

    def add(self, done: Done) -> None:
        """Add something that happened, so that later spans can depend on it."""
        self._count += 1
        done.number = self._count
        heapq.heappush(self._running, (done.end, done.number, done))

    def answer(self, done: Done) -> None:
        """A model answered; `add` it as well."""
        self.answers.append(done)
        self._ask(done)

    def answer_again(self, again: Done) -> Done:
        """Merge a repeated attempt into the last answer, which failed: it gets the new end and calls; returns it."""
        done = self.answers[-1]
        done.calls = again.calls
        self._ask(done)
        if again.end != done.end:
            done.end = again.end
            heapq.heappush(self._running, (done.end, done.number, done))
        return done

    def _ask(self, done: Done) -> None:
        for identity, place in done.calls.ids():
            self._asked.setdefault(identity, []).append((done, done.calls, place))

    def before(self, span: Span) -> list[Done]:
        """The parents of a span: what had ended when it began, without what already had an ended child."""
        start = span.began + CLOSE
        while self._running and self._running[0][0] <= start:
            end, _, done = heapq.heappop(self._running)
            if end == done.end:
                self._ended.append(done)
        self._ended = [
            done for done in self._ended if done.end <= start and (done.covered is None or done.covered > start)
        ]
        return sorted(self._ended, key=lambda done: (done.rank, done.number))

    def tips(self) -> list[str]:
        """Keys of the steps without children."""
        still = [*self._ended, *(done for _, _, done in self._running)]
        free = sorted((done for done in still if done.covered is None), key=lambda done: done.number)
        return list(dict.fromkeys(key for done in free for key in done.keys))

    def answer_that_asked(self, forest: Forest, span: Span, identity: str, name: str) -> tuple[Done | None, int]:
        """(the answer that asked for a call, the call's place in it)."""
        asked = self._asked.get(identity, []) if identity else []
        while asked:
            done, calls, place = asked[-1]
            if done.calls is calls:
                return done, place
            asked.pop()  # the answer was made again, with other calls
        around = {one.id for one in forest.above(span)}
        for done in reversed(self.answers[-8:]):
            if done.end > span.began + CLOSE and not any(key.split(" ")[-1] in around for key in done.keys):
                continue
            found = done.calls.take(identity, name)
            if found is not None:
                return done, found
            if not done.calls and done is self.answers[-1]:
                done.carried += 1
                return done, done.carried - 1
            return None, 0
        return None, 0
