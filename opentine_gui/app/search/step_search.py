"""Decides whether a step is what a query asks for, how often, and where: the rule that scan and index share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any, NamedTuple

import msgspec

from opentine_gui.app.search.query import RUN_FIELDS, Condition, Query, compiled_pattern
from opentine_gui.app.search.values import Text, content_of, texts_in, texts_in_record, texts_of, texts_with_paths
from opentine_gui.core import Graph, TineError
from opentine_gui.core.analysis.suspicion.failures import has_failed
from opentine_gui.core.graph.raw_search import KELVIN, Needle, Raw, fold
from opentine_gui.core.graph.step_record import COST_STATES, decode_step
from opentine_gui.core.model import CostState, id_begins_with
from opentine_gui.describe.step_titles import title, tool_name

SHORTEST_ID = 4
"""A plain word of so many characters is also tried as the beginning of an id."""
SHORT = 3
"""In files that are not open, shorter words are looked for in names only."""
BEFORE, AFTER = 40, 160
"""Characters of a snippet before and after the start of its match."""
PATTERN_SECONDS = 0.05
"""Longest time a regular expression may take for one text."""
PATTERN_BUDGET = 1.0
"""Seconds a search may lose to texts that took too long; then the regular expression is given up."""
_WITH_COST = (CostState.KNOWN, CostState.PARTIAL)
_CONTENT = ("text", "regex", "error", "tool", "model", "provider", "title")
_STANDS_IN_TEXT = ("text", "regex", "error")


class PatternTooSlow(Exception):
    """A regular expression took too long for several texts."""


class Facts(NamedTuple):
    """What is known of a step without its content. Cost, tokens and duration are None if they were not recorded."""

    id: str
    kind: str
    failed: bool
    cost: float | None
    tokens: int | None
    duration: float | None


class Snippet(msgspec.Struct, frozen=True):
    """A piece of a text around a match: `text[start:end]` is the match, `where` the path to it. Not cleaned."""

    where: str
    text: str
    start: int
    end: int


def facts_at(graph: Graph, position: int) -> Facts:
    """The facts of a step of a graph."""
    kind, tokens = graph.kinds[position], graph.tokens[position]
    known = COST_STATES[graph.cost_states[position]] in _WITH_COST
    return Facts(
        graph.ids[position],
        graph.v3_kinds.get(position, kind.value),
        has_failed(graph, position),
        graph.costs[position] if known else None,
        None if tokens < 0 else tokens,
        graph.durations[position] or None,
    )


class StepSearch:
    """A query, ready to be asked about many steps. Conditions on runs are not its business.

    `needles` are texts that stand in every step that is found, for a filter that runs before it. `too_slow` says that
    its regular expression was given up for some texts; after `PATTERN_BUDGET` seconds of that PatternTooSlow is raised.
    """

    def __init__(self, query: Query) -> None:
        self.query = query
        self._figures = query.of("kind", "cost", "tokens", "duration", "id")
        self._failed = query.of("error") or _failing(query)
        self._notes = query.of("note")
        self.asks_notes = bool(self._notes)
        """Whether `note_fits` has to be asked."""
        self._content = query.of(*_CONTENT)
        self._patterns = {one.text: compiled_pattern(one.text) for one in query.of("regex")}
        # A tool's name is cleaned, and a title is made; so is the reason that a card gives for a failure.
        whole = query.of("text", "model", "provider")
        self.needles = [Needle.of(one.text) for one in whole if one.text and not one.negated]
        self._simple = all(one.field == "text" and not one.negated for one in self._content)
        self.texts = [one.text for one in (*whole, *query.of("id")) if one.text and not one.negated]
        """Folded texts, each of which stands somewhere in every step that is found, or in its id."""
        words = [one.text for one in query.of("text") if not one.negated]
        self.is_short = bool(words) and max(map(len, words)) < SHORT and self._simple
        """Whether only a word or two of one or two letters are asked for."""
        self.has_patterns = bool(self._patterns)
        self.needs_content = any(one.text for one in self._content)
        """Whether a step has to be decoded to tell."""
        self.needs_facts = bool(self._figures or self._failed or not self._simple)
        """Whether more than the text of a step has to be known."""
        self.too_slow = False
        self._lost = 0.0

    def _figures_fit(self, facts: Facts) -> bool:
        """Whether kind, id and numbers, and whether it failed, are what the query asks for."""
        for one in self._figures:
            if _has_figure(one, facts) is one.negated:
                return False
        if not facts.failed and any(one.text and not one.negated for one in self._failed):
            return False
        return all(facts.failed is not one.negated for one in self._failed if not one.text)

    @property
    def asks_text_only(self) -> bool:
        """Whether only texts and patterns are asked for, so that parts of a run that are no steps can match as well."""
        positive = any(not one.negated for one in self._content)
        return positive and not any(one.field in _STEP_FIELDS for one in self.query.conditions)

    def note_fits(self, note: str) -> bool:
        """Whether what the user wrote beside a step, or "" for nothing, is what the query asks for."""
        return all((bool(note) and one.text in fold(note)) is not one.negated for one in self._notes)

    def count(self, identity: str, facts: Facts | None, raw: Raw, why: Callable[[], str] = str) -> int:
        """How often what the query asks for stands in a step; 0 if the step is not what it asks for.

        `facts` are needed if `needs_facts` says so; `why` is asked for the reason that a failed step's card gives.
        """
        if facts is not None and not self._figures_fit(facts):
            return 0
        if not self.needs_content:
            return 1
        total = 0
        if facts is None or self._simple:
            texts = Texts(texts_of(raw))
            for one in self._content:
                found = texts.count(one.text) or int(_is_id(one.text, identity))
                if not found:
                    return 0
                total += found
            return total
        content = content_of(raw)
        for one in self._content:
            if not one.text:
                continue
            found = self._occurrences(one, facts, content, raw, why)
            if bool(found) is one.negated:
                return 0
            # A tool, a model or a title is what the step is: it stands nowhere in its text as a hit to go to.
            total += found if not one.negated and one.field in _STANDS_IN_TEXT else 0
        return total or 1

    def count_in(self, record: Mapping[str, Any]) -> int:
        """How often the texts and patterns occur in what is no step; 0 if one is missing or the query asks for more.

        For the transcript and for what a run says of itself.
        """
        if not self.asks_text_only:
            return 0
        total = 0
        for one in self._content:
            found = self._in_texts(one, texts_in_record(record))
            if bool(found) is one.negated:
                return 0
            total += 0 if one.negated else found
        return total

    def snippet(self, content: Mapping[str, Any], path: str = "") -> Snippet | None:
        """The first match of a text or pattern in a step's content; without one its first text that is no name.

        A text with letters is preferred to a bare figure such as an exit code.
        """
        first: Snippet | None = None
        says_something = False
        texts = texts_with_paths(content, path)
        for where, text, is_name in texts:
            for one in self.query.of("text", "regex", "error", "tool", "model", "provider"):
                if one.negated or not one.text:
                    continue
                found = self._span(one, text)
                if found is not None:
                    return cut(where, text + (_value_after(where, texts) if is_name else ""), *found)
            if not says_something and not is_name and text.strip():
                says_something = any(map(str.isalpha, text[:200]))
                if says_something or first is None:
                    first = cut(where, text, 0, 0)
        return first

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Where the texts of the query occur in a shown text, in order, not overlapping. Patterns are not tried."""
        found: list[tuple[int, int]] = []
        for one in self.query.of("text", "error", "tool", "model", "title"):
            if one.negated or not one.text:
                continue
            at = 0
            while (span := self._span(one, text, at)) is not None and len(found) < 200:
                found.append(span)
                at = max(span[1], span[0] + 1)
        kept: list[tuple[int, int]] = []
        for start, end in sorted(found):
            if end > start and (not kept or start >= kept[-1][1]):
                kept.append((start, end))
        return kept

    def _span(self, one: Condition, text: str, at: int = 0) -> tuple[int, int] | None:
        if one.field == "regex":
            found = self._timed(lambda limit: self._patterns[one.text].search(text, at, timeout=limit))
            return None if found is None else (found.start(), found.end())
        place = fold(text).find(one.text, at)
        return None if place < 0 else (place, place + len(one.text))

    def _occurrences(
        self, one: Condition, facts: Facts, content: dict[str, Any], raw: Raw, why: Callable[[], str]
    ) -> int:
        """How often a step's content meets a condition."""
        match one.field:
            case "text":
                return self._in_texts(one, texts_in_record(content)) or int(_is_id(one.text, facts.id))
            case "regex":
                return self._in_texts(one, texts_in_record(content))
            case "error":
                if not facts.failed:
                    return 0
                # What a check in a pipe printed is its error: nothing else is recorded.
                said = texts_in([content.get("error") or content.get("outputs")])
                said = texts_in_record(content) if facts.kind == "error" else said
                return self._in_texts(one, said) or self._in_texts(one, [why()])
            case "tool":
                return int(facts.kind == "tool" and one.text in fold(_tool(content)))
            case "title":
                return int(one.text in fold(_title(raw)))
            case _:
                part = content.get("model_info" if one.field == "model" else "provider")
                return self._in_texts(one, texts_in([part], names=False))

    def _in_texts(self, one: Condition, texts: list[str]) -> int:
        if one.field == "regex":
            pattern = self._patterns[one.text]

            def counted(text: str) -> Callable[[float], int]:
                return lambda limit: sum(1 for _ in pattern.finditer(text, timeout=limit))

            return sum([self._timed(counted(text)) or 0 for text in texts])
        return Texts(texts).count(one.text)

    def _timed(self, look: Callable[[float], Any]) -> Any:
        """What `look` finds within the time for one text; None if that is too short."""
        begun = perf_counter()
        try:
            return look(PATTERN_SECONDS)
        except TimeoutError:
            self.too_slow = True
            self._lost += perf_counter() - begun
            if self._lost > PATTERN_BUDGET:
                raise PatternTooSlow from None
            return None


_STEP_FIELDS = frozenset(
    ("kind", "cost", "tokens", "duration", "id", "error", "tool", "model", "provider", "title", "note")
)


class Texts:
    """The texts of a step, joined to be counted in at once."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._joined = "\0".join(texts)
        self._lowered = b""
        self._folded = ""

    def count(self, folded: str) -> int:
        """How often a folded text stands in the texts, not overlapping."""
        if "\0" in folded:
            return sum([fold(text).count(folded) for text in self._texts])
        if folded.isascii():  # bytes are put in lower case much faster
            if not self._lowered:
                self._lowered = self._joined.encode("utf-8", "surrogatepass").lower()
            if "k" not in folded or KELVIN not in self._lowered:
                return self._lowered.count(folded.encode())
        if not self._folded:
            self._folded = fold(self._joined)
        return self._folded.count(folded)


def _tool(content: dict[str, Any]) -> str:
    inputs, info = content.get("inputs"), content.get("tool_info")
    return tool_name(inputs if isinstance(inputs, dict) else {}, info if isinstance(info, dict) else {})


def _title(raw: Raw) -> str:
    try:
        return title(decode_step(raw))
    except TineError:
        return ""


def cut(where: str, text: str, start: int, end: int) -> Snippet:
    """The piece of a text around a match, with "…" where something is left out."""
    first = max(0, start - BEFORE)
    last = min(len(text), max(end, start) + AFTER)
    if last - first > 2 * (BEFORE + AFTER):
        last = first + 2 * (BEFORE + AFTER)
    head, tail = ("…" if first else ""), ("…" if last < len(text) else "")
    moved = len(head) - first
    return Snippet(where, head + text[first:last] + tail, start + moved, min(end, last) + moved)


def _value_after(where: str, texts: Iterator[Text]) -> str:
    """What follows the name of a member in its snippet: its value, if that is a text or number."""
    value = next(texts, None)
    return f": {value.text[:AFTER]}" if value is not None and value.where == where and not value.is_name else ""


def _failing(query: Query) -> tuple[Condition, ...]:
    """The condition on steps of a query for failing runs alone: of all their steps those that failed are meant."""
    if any(one.field not in RUN_FIELDS for one in query.conditions):
        return ()
    asked = [one for one in query.of("failures") if not one.negated and not one.admits(0)]
    return (Condition("error"),) if asked else ()


def _has_figure(one: Condition, facts: Facts) -> bool:
    match one.field:
        case "kind":
            return facts.kind.startswith(one.text)
        case "id":
            return id_begins_with(facts.id.lower(), one.text)
        case "cost":
            return one.admits(facts.cost)
        case "tokens":
            return one.admits(facts.tokens)
        case _:
            return one.admits(facts.duration)


def _is_id(text: str, identity: str) -> bool:
    return len(text) >= SHORTEST_ID and id_begins_with(identity.lower(), text)
