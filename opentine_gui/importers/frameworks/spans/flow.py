"""What came from what in a trace, which itself only says what is inside what.

Work inside one span is ordered by time: a step rests on what had ended when it began and nothing else rests on yet. A
call rests on the answer that asked for it, by the call's id, else by its name.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opentine_gui.importers.frameworks.spans.forest import Forest
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.run_draft import StepDraft

CLOSE = 0.0015
"""Seconds by which a step may begin before what it rests on ended: some exports round to milliseconds."""


@dataclass(slots=True)
class Done:
    """Something that happened in a flow: the keys of its last steps, and when.

    `covered`: when the first thing that rests on it ended. `calls`: for an answer, calls not carried out yet.
    """

    keys: list[str]
    start: float
    end: float
    covered: float | None = None
    calls: list[tuple[str, str]] | None = None
    rank: tuple[float, int] = (0.0, 0)
    asked: Done | None = None


@dataclass(slots=True)
class Flow:
    """What happens in one agent, or in a trace without one."""

    base: list[str]
    agent: str = ""
    heard: list[str] | None = None
    done: list[Done] = field(default_factory=list)
    answers: list[Done] = field(default_factory=list)
    failed: tuple[StepDraft, str, Span] | None = None
    outer: bool = True
    within: Span | None = None
    """The span of the agent itself, where it stands inside the tool that started it."""

    def before(self, span: Span) -> list[Done]:
        """What a span rests on: what had ended when it began, unless something that had ended too rests on it."""
        start = span.began + CLOSE
        self.done = [done for done in self.done if done.covered is None or done.covered > start]
        found = [done for done in self.done if done.end <= start]
        return sorted(found, key=lambda done: done.rank)

    def tips(self) -> list[str]:
        """The steps that nothing rests on."""
        return list(dict.fromkeys(key for done in self.done if done.covered is None for key in done.keys))

    def answer_that_asked(self, forest: Forest, span: Span, identity: str, name: str) -> tuple[Done | None, int]:
        """(the answer that asked for a call, the call's place in it)."""
        for done in reversed(self.answers):
            for place, (call, _) in enumerate(done.calls or ()):
                if identity and call == identity:
                    return done, place
        around = {one.id for one in forest.above(span)}
        for done in reversed(self.answers[-8:]):
            if done.end > span.began + CLOSE and not any(key.split(" ")[-1] in around for key in done.keys):
                continue
            for place, (call, called) in enumerate(done.calls or ()):
                if called == name and (not identity or not call):
                    if done.calls is not None:
                        done.calls[place] = (call, "")
                    return done, place
            if not done.calls and done is self.answers[-1]:
                return done, sum(other.asked is done for other in self.done)
            return None, 0
        return None, 0
