"""Sums over the steps of a graph: cost, duration and tokens, and how many steps recorded none."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import msgspec

from opentine_gui.core.errors import EditError, shown
from opentine_gui.core.format.metadata import at_least_in, source_run_ids
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.selection import Selection
from opentine_gui.core.graph.step_record import COST_STATES, NO_TOKENS, Columns
from opentine_gui.core.model import CostState, JsonObject, StepKind, is_number

_UNPRICED = COST_STATES.index(CostState.UNPRICED)
_PARTIAL = COST_STATES.index(CostState.PARTIAL)
_NOT_RECORDED = COST_STATES.index(CostState.NOT_RECORDED)


class Totals(msgspec.Struct, frozen=True):
    """Sums over steps: US dollars, seconds, tokens, and how many steps lack a cost (docs/FORMAT.md, section 3.6).

    `stated_cost` and `stated_tokens` are those of a whole run no step of which records any: its log states only sums.
    Where steps record a part of their tokens alone, `stated_tokens` are those of the run, if they are more.
    """

    steps: int = 0
    cost: float = 0.0
    duration: float = 0.0
    tokens: int = 0
    unpriced: int = 0
    not_recorded: int = 0
    tokens_recorded: int = 0
    stated_cost: float | None = None
    stated_tokens: int | None = None

    @property
    def cost_known(self) -> bool:
        """Whether the cost of at least one step is known, or the sum is above 0."""
        return self.steps > self.unpriced + self.not_recorded or self.cost > 0

    @property
    def known_cost(self) -> float | None:
        """The sum of the costs, else what is stated for the whole run; None if neither is recorded."""
        return self.cost if self.cost_known else self.stated_cost

    @property
    def cost_is_least(self) -> bool:
        """Whether `known_cost` leaves out steps whose price is not on record; what is stated of a run does not."""
        return self.unpriced > 0 and self.stated_cost is None

    @property
    def known_tokens(self) -> int | None:
        """What is stated for the whole run, which steps do not have in full, else their sum; None if not recorded."""
        if self.stated_tokens is not None:
            return self.stated_tokens
        return self.tokens if self.tokens_recorded else None


_totals: WeakKeyDictionary[Graph, Totals] = WeakKeyDictionary()


def totals_of_columns(columns: Columns) -> Totals:
    """Sums over all steps in `columns`."""
    states = columns.cost_states
    unknown = columns.tokens.count(NO_TOKENS)
    return Totals(
        steps=len(columns.kinds),
        cost=sum(columns.costs),
        duration=sum(columns.durations),
        tokens=sum(columns.tokens) - NO_TOKENS * unknown,
        unpriced=states.count(_UNPRICED) + states.count(_PARTIAL),
        not_recorded=states.count(_NOT_RECORDED),
        tokens_recorded=len(columns.tokens) - unknown,
    )


def failures_of_columns(columns: Columns) -> int:
    """How many steps in `columns` failed: error steps and those with a recorded error, but for what was stopped."""
    steps = enumerate(zip(columns.kinds, columns.failed, strict=True))
    return sum([step not in columns.stopped for step, (kind, failed) in steps if failed or kind is StepKind.ERROR])


def totals_of(graph: Graph, positions: Iterable[int] | None = None) -> Totals:
    """Sums over the steps at `positions`, by default over all; the sums over all are cached with the graph.

    EditError if `graph` is not a graph or `positions` are not positions in it.
    """
    if not isinstance(graph, Graph):
        raise EditError(f"{shown(graph)} is not the graph of a run")
    if positions is None:
        known = _totals.get(graph)
        if known is None:
            known = _totals[graph] = totals_of_columns(graph.columns)
        return known
    try:
        return _totals_at(graph.columns, positions if isinstance(positions, range) else list(positions))
    except (TypeError, IndexError):
        raise EditError(f"{shown(positions)} are not the positions of steps of this run") from None


def with_stated(totals: Totals, metadata: JsonObject) -> Totals:
    """The totals with the cost and the tokens that `metadata.capture.stated` has for the whole run.

    Only where no step records its own, and where the run still is the one that was read: a fork, a merge, or a run with
    more or fewer steps was not what the log states the sum of. Tokens also where the log has a part of each count only
    (`capture.at_least`), and states more than they come to.
    """
    capture = metadata.get("capture")
    stated, counts = (capture.get("stated"), capture.get("counts")) if isinstance(capture, dict) else (None, None)
    if not isinstance(stated, dict) or not isinstance(counts, dict) or source_run_ids(metadata):
        return totals
    if not totals.steps or counts.get("steps") != totals.steps:
        return totals
    cost, tokens = _positive(stated.get("cost_usd")), _positive(stated.get("tokens"))
    in_part = bool(at_least_in(metadata))
    more = tokens is not None and (not totals.tokens_recorded or (in_part and tokens > totals.tokens))
    return msgspec.structs.replace(
        totals,
        stated_cost=cost if not totals.cost_known else None,
        stated_tokens=int(tokens) if tokens is not None and more else None,
    )


def _positive(value: object) -> float | None:
    """A number above 0; None for anything else."""
    return float(value) if isinstance(value, int | float) and is_number(value) and value > 0 else None


def _totals_at(columns: Columns, chosen: Sequence[int]) -> Totals:
    selection = Selection(chosen)
    tokens: array[int] = selection.of(columns.tokens)
    states: bytearray = selection.of(columns.cost_states)
    if len(tokens) != len(chosen):  # a slice past the end is only shorter
        raise IndexError("no such position")
    without = tokens.count(NO_TOKENS)
    return Totals(
        steps=len(chosen),
        cost=sum(selection.of(columns.costs)),
        duration=sum(selection.of(columns.durations)),
        tokens=sum(tokens) - without * NO_TOKENS,
        unpriced=states.count(_UNPRICED) + states.count(_PARTIAL),
        not_recorded=states.count(_NOT_RECORDED),
        tokens_recorded=len(tokens) - without,
    )
