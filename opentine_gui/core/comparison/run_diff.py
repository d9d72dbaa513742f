"""The answer of `Run.diff` in the words of the published documents, over a `Comparison`, which says more."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import msgspec

from opentine_gui.core.comparison.compare import Comparison, Pair, compare
from opentine_gui.core.comparison.step_difference import FieldDifference
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import Step, short_id
from opentine_gui.core.record import RunRecord


class StepChange(msgspec.Struct, frozen=True):
    """Two steps that answer to each other, and the fields in which they differ (`name`, `before`, `after`, …)."""

    step_a: Step
    step_b: Step
    fields: tuple[FieldDifference, ...]


class RunDiff(msgspec.Struct, frozen=True, eq=False, dict=True):
    """What two runs have apart; steps in traversal order. `str()` lists them with short ids, one a line.

    It is the package's `RunDiff`, but on purpose not always its answer: runs without a common step are not paired by
    position; a step both runs have is never changed because a sibling came; 1, 1.0 and true differ; work that only
    moved is in `moved`; below a changed step only equal requests and calls of the same tool are paired.
    """

    comparison: Comparison

    @property
    def common_ancestor(self) -> str | None:
        """The full id of the nearest step both main tips rest on, or None (docs/FORMAT.md, section 11)."""
        return self.comparison.common_ancestor

    @cached_property
    def only_a(self) -> list[Step]:
        """Steps of the first run that nothing in the second answers to."""
        return _steps(self.comparison.a.graph, self.comparison.only_a)

    @cached_property
    def only_b(self) -> list[Step]:
        """Steps of the second run that nothing in the first answers to."""
        return _steps(self.comparison.b.graph, self.comparison.only_b)

    @cached_property
    def changed(self) -> list[StepChange]:
        """Pairs whose content, cost, usage or billing differs."""
        return self._changes(self.comparison.changed)

    @cached_property
    def moved(self) -> list[StepChange]:
        """Pairs of the same work after a different start: other ids, and at most other cost, usage or billing."""
        return self._changes(self.comparison.moved)

    def __str__(self) -> str:
        ancestor = self.common_ancestor
        lines = ["no common ancestor" if ancestor is None else f"common ancestor {_named(ancestor)}"]
        for word, steps in (("only a", self.only_a), ("only b", self.only_b)):
            lines += [f"{word}: {step.kind.value} {_named(step.id)}" for step in steps]
        for word, changes in (("changed", self.changed), ("moved", self.moved)):
            for change in changes:
                names = ", ".join(field.name for field in change.fields)
                line = f"{word}: {change.step_a.kind.value} {_named(change.step_a.id)} -> {_named(change.step_b.id)}"
                lines.append(f"{line} ({names})" if names else line)
        return "\n".join(lines)

    def _changes(self, pairs: Iterable[Pair]) -> list[StepChange]:
        a, b = self.comparison.a.graph, self.comparison.b.graph
        return [StepChange(a.step(pair.a), b.step(pair.b), self.comparison.difference(pair)) for pair in pairs]


def diff(a: RunRecord, b: RunRecord) -> RunDiff:
    """What two runs have apart, in the words of the published documents. FormatError when a step cannot be decoded."""
    return RunDiff(compare(a, b))


def _steps(graph: Graph, ids: Iterable[str]) -> list[Step]:
    return [graph.step(identity) for identity in ids]


def _named(identity: str) -> str:
    """A short id that is safe to show: an id may be any text."""
    short = short_id(identity)
    return short if short.isascii() and short.isalnum() else ascii(short)
