"""Spans as a forest: who is inside whom, which of them carry the work, and which traces belong to one conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from opentine_gui.importers.frameworks.spans.dialects import (
    AGENT,
    CHAT,
    CONVERSATION,
    PLAIN,
    TOOL,
    first,
    is_plain_call,
)
from opentine_gui.importers.frameworks.spans.dialects import kind_of as kind_said
from opentine_gui.importers.frameworks.spans.span import Span

NOTHING = (None, "", "None")
DEEPEST = 120
"""Deepest nesting of spans that is kept; deeper spans are put at this level."""


class Forest:
    """Some traces. A parent that is not there makes a root; a cycle of parents is broken."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self.by_id: dict[tuple[str, str], Span] = {}
        self.again = 0
        for span in spans:
            if (span.trace, span.id) in self.by_id:
                self.again += 1
            else:
                self.by_id[span.trace, span.id] = span
        self.children: dict[Span | None, list[Span]] = {None: []}
        self.parent: dict[Span, Span | None] = {}
        self.lost = 0
        self.cycles = 0
        self._plant()
        self.kind = {span: kind_said(span) for span in self.by_id.values()}
        self._find_wrappers()
        self._working: set[Span | None] = set()
        """Spans with a chat, a tool or an agent inside."""
        for span in self._inside_out():
            if self.kind[span] in (CHAT, TOOL, AGENT) or span in self._working:
                self._working.add(self.parent[span])
        self.asking = self._agents_that_ask()
        """Agents with a chat of their own, outside of the agents inside them."""

    def _agents_that_ask(self) -> set[Span]:
        found: set[Span] = set()
        for span, kind in self.kind.items():
            if kind == CHAT:
                around = next((one for one in self.above(span) if self.kind[one] in (AGENT, TOOL)), None)
                if around is not None:
                    found.add(around)
        return found

    def _plant(self) -> None:
        for span in sorted(self.by_id.values(), key=lambda one: (one.began, one.ended)):
            above = self.by_id.get((span.trace, span.parent)) if span.parent else None
            self.lost += bool(span.parent) and above is None
            self.parent[span] = above
        depth: dict[Span, int] = {}
        for span in self.parent:
            line: dict[Span, None] = {}
            at: Span | None = span
            while at is not None and at not in depth:
                if at in line:
                    self.cycles += 1
                    self.parent[at] = None
                    break
                line[at] = None
                at = self.parent[at]
            for one in reversed(line):
                above = self.parent[one]
                if above is not None and depth.get(above, 0) >= DEEPEST:
                    above = self.parent[one] = self.parent[above]
                depth[one] = depth.get(above, 0) + 1 if above is not None else 1
        for span, above in self.parent.items():
            self.children.setdefault(above, []).append(span)

    def _find_wrappers(self) -> None:
        """Make a chat that holds another one a plain span: its usage and its text repeat what is inside.

        What only the wrapper recorded goes to the one inside, if there is just one.
        """
        held: dict[Span, list[Span]] = {}
        for span in self._inside_out():
            own = [chat for child in self.children.get(span, ()) for chat in held.get(child, ())]
            if self.kind[span] == CHAT and own:
                self.kind[span] = PLAIN
                if len(own) == 1:
                    said = own[0].attributes
                    for name, value in span.attributes.items():
                        if said.get(name) in NOTHING:
                            said[name] = value
            elif self.kind[span] == CHAT:
                own = [span]
            elif self.kind[span] == PLAIN and is_plain_call(span) and not self.children.get(span):
                self.kind[span] = TOOL
            held[span] = own if self.kind[span] in (CHAT, PLAIN) else []

    def _inside_out(self) -> Iterator[Span]:
        """Every span, children before parents."""
        order: list[Span] = []
        waiting = list(self.children[None])
        while waiting:
            span = waiting.pop()
            order.append(span)
            waiting.extend(self.children.get(span, ()))
        return reversed(order)

    def works(self, span: Span) -> bool:
        """Whether there is a chat, a tool or an agent inside a span."""
        return span in self._working

    def above(self, span: Span) -> Iterator[Span]:
        """The spans around a span, from the inside."""
        at = self.parent[span]
        while at is not None:
            yield at
            at = self.parent[at]

    def only_agent(self, span: Span) -> Span | None:
        """The agent that is all that a tool started, None when there is other work too."""
        found: list[Span] = []
        waiting = list(self.children.get(span, ()))
        while waiting:
            one = waiting.pop()
            if self.kind[one] == PLAIN:
                waiting += self.children.get(one, ())
            else:
                found.append(one)
        return found[0] if len(found) == 1 and self.kind[found[0]] == AGENT else None

    def first_chats(self, span: Span) -> list[Span]:
        """The chats inside a span that are not inside another agent there, in order."""
        found: list[Span] = []
        waiting = list(reversed(self.children.get(span, ())))
        while waiting and len(found) < 3:
            one = waiting.pop()
            if self.kind[one] == CHAT:
                found.append(one)
            else:
                waiting.extend(reversed(self.children.get(one, ())))
        return found

    def traces(self) -> list[list[Span]]:
        """The roots of each trace, in the order in which the traces began."""
        found: dict[str, list[Span]] = {}
        for root in self.children[None]:
            found.setdefault(root.trace, []).append(root)
        return list(found.values())

    def agents(self) -> list[Span]:
        """The spans of agents."""
        return [span for span, kind in self.kind.items() if kind == AGENT]


def conversations(spans: list[Span]) -> list[list[Span]]:
    """Spans by conversation, oldest first: traces that link to each other, or name the same conversation, are one."""
    group: dict[str, str] = {}

    def top(name: str) -> str:
        while group.setdefault(name, name) != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    for span in spans:
        mine = top(f"trace {span.trace}")
        for trace, _ in span.links:
            group[top(f"trace {trace}")] = mine
        named = first(span.attributes, CONVERSATION)
        if isinstance(named, str):
            group[top(f"conversation {named}")] = top(mine)
    found: dict[str, list[Span]] = {}
    for span in spans:
        found.setdefault(top(f"trace {span.trace}"), []).append(span)
    return sorted(found.values(), key=lambda some: min((span.began for span in some if span.start), default=0.0))
