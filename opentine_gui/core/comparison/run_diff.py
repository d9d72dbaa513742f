"""The result of `Run.diff`, with the names of the package's published API, made from a `Comparison`."""

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
    """Two matched steps, and the fields in which they differ (`name`, `before`, `after`, …)."""

    step_a: Step
    step_b: Step
    fields: tuple[FieldDifference, ...]


class RunDiff(msgspec.Struct, frozen=True, eq=False, dict=True):
    """How two runs differ; steps in traversal order. `str()` lists them with short ids, one a line.

    It has the attributes of the package's `RunDiff`, but differs from it on purpose: runs without a common step are not
    paired by position; a new sibling does not make a shared step a changed one; 1, 1.0 and true differ; the same work
    under another parent is in `moved`; below a changed step only equal requests and calls of the same tool are paired.
    """

    comparison: Comparison

    @property
    def common_ancestor(self) -> str | None:
        """The full id of the nearest common ancestor of both main tips, or None (docs/FORMAT.md, section 11)."""
        return self.comparison.common_ancestor

    @cached_property
    def only_a(self) -> list[Step]:
        """Steps of the first run that match none of the second."""
        return _steps(self.comparison.a.graph, self.comparison.only_a)

    @cached_property
    def only_b(self) -> list[Step]:
        """Steps of the second run that match none of the first."""
        return _steps(self.comparison.b.graph, self.comparison.only_b)

    @cached_property
    def changed(self) -> list[StepChange]:
        """Matched steps whose content, cost, usage or billing differs."""
        return self._changes(self.comparison.changed)

    @cached_property
    def moved(self) -> list[StepChange]:
        """Matched steps of equal content under other parents, so with other ids; cost, usage and billing may differ."""
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
    """How two runs differ. FormatError when a step cannot be decoded."""
    return RunDiff(compare(a, b))


def _steps(graph: Graph, ids: Iterable[str]) -> list[Step]:
    return [graph.step(identity) for identity in ids]


def _named(identity: str) -> str:
    """A short id that is safe to show: an id may be any text."""
    short = short_id(identity)
    return short if short.isascii() and short.isalnum() else ascii(short)
