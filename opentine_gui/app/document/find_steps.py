"""Finds steps: those with a text in their recorded content or id, those that failed, and those at which a run forks."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import msgspec

from opentine_gui.app.system.jobs import IsCancelled
from opentine_gui.core import Graph, RunRecord, Step, StepKind, TineError
from opentine_gui.core.model import id_begins_with

_CHECK_EVERY = 256
_ID_LENGTH = 4


class NotableSteps:
    """Failures and forks of one graph, as positions in traversal order. Found once, for menus ask in every frame."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def failures(self) -> tuple[int, ...]:
        """Steps that failed: error steps, and steps with a recorded error."""
        graph = self.graph
        return tuple(i for i, kind in enumerate(graph.kinds) if kind is StepKind.ERROR or graph.failed[i])

    @cached_property
    def forks(self) -> tuple[int, ...]:
        """Steps with more than one child."""
        return tuple(i for i, children in enumerate(self.graph.children) if len(children) > 1)


class FindResult(msgspec.Struct, frozen=True, eq=False):
    """The steps of a run that contain a text, in traversal order."""

    text: str
    record: RunRecord
    ids: tuple[str, ...]

    def after(self, step: str | None, backwards: bool = False) -> str | None:
        """The next match after a step, or before it, wrapping around; None if there is no match at all."""
        if not self.ids:
            return None
        graph = self.record.graph
        if step is None or step not in graph:
            return self.ids[-1 if backwards else 0]
        places = [graph.index(step_id) for step_id in self.ids]
        here = graph.index(step)
        place = bisect_left(places, here) - 1 if backwards else bisect_right(places, here)
        return self.ids[place % len(self.ids)]


def matching_steps(record: RunRecord, text: str, cancelled: IsCancelled) -> tuple[str, ...]:
    """Ids of the steps whose content contains the text, ignoring case, or whose id begins with it.

    The stored bytes are searched first; only steps with a hit are decoded, to rule out mere field names.
    """
    wanted = text.casefold()
    needles = _spellings(text)
    prefix = text.lower() if len(text) >= _ID_LENGTH else None
    found: list[str] = []
    for position, step_id in enumerate(record.graph.ids):
        if position % _CHECK_EVERY == 0 and cancelled():
            return ()
        if prefix is not None and id_begins_with(step_id, prefix):
            found.append(step_id)
            continue
        raw = record.graph.raw(position).lower()
        if any(needle in raw for needle in needles) and _has(record, position, wanted):
            found.append(step_id)
    return tuple(found)


def _spellings(text: str) -> frozenset[bytes]:
    """How a text may be spelled in stored JSON: escaped or not, in common cases."""
    spellings = set()
    for form in (text, text.lower(), text.upper(), text.capitalize()):
        for ascii_only in (True, False):
            quoted = json.dumps(form, ensure_ascii=ascii_only)[1:-1]
            spellings.add(quoted.encode("utf-8", "surrogatepass").lower())
    return frozenset(spellings)


def _has(record: RunRecord, position: int, wanted: str) -> bool:
    try:
        step = record.graph.step(position)
    except TineError:
        return False
    return any(wanted in text.casefold() for text in _texts_of(step))


def _texts_of(step: Step) -> Iterator[str]:
    yield step.shown_kind
    for part in (step.inputs, step.outputs, step.tool_info, step.error, step.model_info, step.provider):
        yield from _texts(part)


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value: strings, member names, numbers as text."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            for name, member in item.items():
                yield str(name)
                stack.append(member)
        elif isinstance(item, list):
            stack.extend(item)
        elif item is not None:
            yield str(item)
