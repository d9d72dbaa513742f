"""The immutable graph of a run's steps: integers inside, ids at the edge, payloads decoded only when asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

import msgspec

from opentine_gui.core.errors import AmbiguousStep, FormatError, LookupFailure, shown
from opentine_gui.core.format.canonical import names_digest
from opentine_gui.core.graph import walks
from opentine_gui.core.graph.selection import Selection
from opentine_gui.core.graph.step_record import COST_STATES, Columns, decode_step, encode_step
from opentine_gui.core.model import Step, StepHead, StepKind, id_begins_with, short_id

CACHED_STEPS = 512
LARGE_STEP = 1_000_000
"""Bytes of a step that take a millisecond to decode."""
TIDY, CANONICAL, ADDRESSED = 1, 2, 3
"""What is known of a record (`proved`): it is tidy (`format.duplicate_keys`); it is canonical JSON; it is canonical and
its content gives the step's id. 0: nothing is known."""
Raw = bytes | msgspec.Raw


def _named(identity: object) -> str:
    return repr(identity[:64]) if isinstance(identity, str) else shown(identity)


class _Model(msgspec.Struct, gc=False):
    model_info: Any = ""


class Graph:
    """Steps in traversal order (parents before children), as parallel columns; never changed after it is made.

    `parents[i]` are indices; `raws[i]` is the stored record as minified JSON; `step(i)` decodes it. `costs`,
    `durations`, `timestamps` are arrays of doubles, `tokens` of 64-bit integers (-1: not recorded).

    Positions are indices from 0 to `len(graph) - 1`. As with a list, a position beyond the end is an IndexError and one
    that is not an integer a TypeError; nothing else is checked, because these methods are called for every step.
    """

    __slots__ = (
        "__weakref__",  # lets other modules cache results as long as the graph lives
        "_children",
        "_ids_digest",
        "_index",
        "_last_closure",
        "_sorted",
        "_steps",
        "causal",
        "columns",
        "cost_states",
        "costs",
        "durations",
        "failed",
        "ids",
        "kinds",
        "parents",
        "proved",
        "raws",
        "stopped",
        "timestamps",
        "tokens",
        "v3_kinds",
    )

    def __init__(
        self,
        ids: Sequence[str],
        parents: list[tuple[int, ...]],
        raws: list[Raw],
        columns: Columns,
        index: dict[str, int] | None = None,
        proved: bytearray | None = None,
        by_id: Sequence[int] | None = None,
    ) -> None:
        """Take over columns whose entries match `ids`.

        `index` maps ids to positions and `by_id` are the positions sorted by id, where the caller has them.
        """
        self.ids: tuple[str, ...] = tuple(ids)
        self._index = dict(zip(ids, range(len(ids)), strict=True)) if index is None else index
        self.parents = parents
        self.raws = raws
        self.columns = columns
        self.kinds: list[StepKind] = columns.kinds
        self.v3_kinds: dict[int, str] = columns.v3_kinds
        self.causal: dict[int, tuple[str, ...]] = columns.causal
        self.costs: array[float] = columns.costs
        self.cost_states: bytearray = columns.cost_states
        self.durations: array[float] = columns.durations
        self.timestamps: array[float] = columns.timestamps
        self.tokens: array[int] = columns.tokens
        self.failed: bytearray = columns.failed
        self.stopped: dict[int, str] = columns.stopped
        self.proved = bytearray(len(raws)) if proved is None else proved
        self._children: list[tuple[int, ...]] | None = None
        self._steps: OrderedDict[int, Step] = OrderedDict()
        self._sorted = by_id
        self._ids_digest = ""
        self._last_closure: tuple[tuple[tuple[int, ...], bool], list[int]] | None = None

    @classmethod
    def empty(cls) -> Graph:
        """A graph without steps."""
        return cls((), [], [], Columns())

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Graph:
        """A graph of decoded steps, parents before children. FormatError, as `with_steps`."""
        return cls.empty().with_steps(steps)

    # -- one step ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, identity: object) -> bool:
        return identity in self._index

    def __iter__(self) -> Iterator[Step]:
        return (self.step(position) for position in range(len(self.ids)))

    def index(self, identity: str) -> int:
        """Position of a full step id in traversal order. LookupFailure when there is none."""
        try:
            return self._index[identity]
        except (KeyError, TypeError):
            raise LookupFailure(f"there is no step {_named(identity)} in this run") from None

    def step(self, key: int | str) -> Step:
        """The step at a position or with a full id, decoded on first use. FormatError when its content is broken."""
        position = self.index(key) if isinstance(key, str) else key
        cache = self._steps
        found = cache.get(position)
        if found is None:
            found = decode_step(self.raws[position])
            cache[position] = found
            if len(cache) > CACHED_STEPS:
                cache.popitem(last=False)
        return found

    def decode_large(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Decode the steps that take long and cache them; called in a job, or the frame that shows one would wait."""
        large = (position for position, raw in enumerate(self.raws) if len(raw) >= LARGE_STEP)
        for position in islice(large, CACHED_STEPS):
            if cancelled():
                return
            with suppress(FormatError):
                self.step(position)

    def head(self, key: int | str) -> StepHead:
        """The light part of a step, without decoding its payload."""
        position = self.index(key) if isinstance(key, str) else key
        kind = self.kinds[position]
        tokens = self.tokens[position]
        return StepHead(
            index=position,
            id=self.ids[position],
            kind=kind,
            shown_kind=self.v3_kinds.get(position, kind.value),
            timestamp=self.timestamps[position],
            duration=self.durations[position],
            cost=self.costs[position],
            cost_state=COST_STATES[self.cost_states[position]],
            tokens=None if tokens < 0 else tokens,
            failed=bool(self.failed[position]),
        )

    @property
    def heads(self) -> list[StepHead]:
        """The light part of every step, in traversal order."""
        return [self.head(position) for position in range(len(self.ids))]

    def raw(self, key: int | str) -> bytes:
        """The stored record of a step as minified JSON."""
        return bytes(self.raws[self.index(key) if isinstance(key, str) else key])

    def model_of(self, position: int) -> Any:
        """A step's `model_info`, without decoding its payload."""
        return msgspec.json.decode(self.raws[position], type=_Model).model_info

    def parent_ids(self, key: int | str) -> tuple[str, ...]:
        """The full ids of a step's parents, in their stored order."""
        position = self.index(key) if isinstance(key, str) else key
        return tuple(self.ids[parent] for parent in self.parents[position])

    def resolve(self, text: str) -> str:
        """The full id that `text` names: a full id, or a unique prefix of one or of its part after the last colon.

        LookupFailure when it is unknown or empty, AmbiguousStep when it names several steps.
        """
        given: object = text
        if not isinstance(given, str):
            raise LookupFailure(f"there is no step {shown(given)} in this run: an id is text")
        if text in self._index:
            return text
        if not text:
            raise LookupFailure("a step was asked for with an empty id")
        found = [identity for identity in self.ids if id_begins_with(identity, text)]
        if len(found) > 1:
            said = f"the prefix {text[:64]!r} names several steps; give more characters"
            raise AmbiguousStep(said, candidates=found)
        if not found:
            raise LookupFailure(f"there is no step {text[:64]!r} in this run")
        return found[0]

    @property
    def sorted_order(self) -> Sequence[int]:
        """Positions sorted by id (code point order), as the file stores its steps."""
        if self._sorted is None:
            self._sorted = array("i", sorted(range(len(self.ids)), key=self.ids.__getitem__))
        return self._sorted

    def ids_digest(self) -> str:
        """sha256 of the canonical list of all ids, sorted by code point (docs/FORMAT.md, section 9)."""
        if not self._ids_digest:
            self._ids_digest = names_digest(map(self.ids.__getitem__, self.sorted_order))
        return self._ids_digest

    @property
    def positions(self) -> Mapping[str, int]:
        """Positions by id: the graph's own table, not to be changed."""
        return self._index

    # -- relations --------------------------------------------------------------------------------------------------

    @property
    def children(self) -> list[tuple[int, ...]]:
        """For each position the positions that list it as a parent, in traversal order."""
        if self._children is None:
            self._children = walks.children(self.parents)
        return self._children

    def children_of(self, position: int) -> tuple[int, ...]:
        """The positions that list this one as a parent, in traversal order; does not make the table of all of them."""
        if self._children is not None:
            return self._children[position]
        first = position + 1
        return tuple([child for child, above in enumerate(self.parents[first:], first) if position in above])

    @property
    def roots(self) -> tuple[int, ...]:
        """Positions without parents, in traversal order."""
        return tuple(position for position, parents in enumerate(self.parents) if not parents)

    @property
    def tips(self) -> tuple[int, ...]:
        """Positions without children, in traversal order."""
        return walks.tips(self.parents)

    def ancestors(self, position: int) -> list[int]:
        """Depth-first post-order, parents in stored order, ending with the step itself (docs/FORMAT.md, section 11)."""
        return walks.ancestors(self.parents, position)

    def closure(self, positions: Iterable[int], *, causal: bool = True) -> list[int]:
        """The positions and everything they depend on, in traversal order; `causal`: through causes too."""
        wanted = tuple(positions)
        known = self._last_closure
        if known is None or known[0] != (wanted, causal):
            # The last result is cached: the preview of a fork and accepting it ask for the same closure.
            found = walks.closure(self.parents, self._causes() if causal else {}, wanted)
            self._last_closure = known = ((wanted, causal), found)
        return known[1].copy()

    def turns(self, position: int, farthest: int | None = None) -> Iterator[int]:
        """What people said on the way to a step, the last one first, computed lazily.

        In a merge that is what was said last, by its time, on any of its branches. `farthest`: most steps looked at.
        """
        kinds = self.v3_kinds
        above = walks.upwards(self.parents, self._causes_of, position, self.timestamps)
        return (step for step in islice(above, farthest) if kinds.get(step) == "human")

    def _causes_of(self, position: int) -> list[int]:
        """The causes of a step that are in this graph."""
        index = self._index
        return [index[identity] for identity in self.causal.get(position, ()) if identity in index]

    def _causes(self) -> dict[int, list[int]]:
        """The causes that are in this graph, by position."""
        return {position: self._causes_of(position) for position in self.causal}

    def descendants(self, positions: Iterable[int]) -> list[int]:
        """The positions and everything that depends on them through parents, in traversal order."""
        return walks.descendants(self.parents, positions)

    def is_ancestor(self, old: int, young: int) -> bool:
        """Whether `old` is an ancestor of `young` through parents; a step is its own ancestor."""
        return walks.is_ancestor(self.parents, old, young)

    def common_ancestor(self, left: int, right: int) -> int | None:
        """The last of `left`'s ancestors that `right` has too: the package's rule (docs/FORMAT.md, section 11)."""
        others = set(self.closure([right], causal=False))
        return next((position for position in reversed(self.ancestors(left)) if position in others), None)

    def merge_bases(self, positions: Sequence[int]) -> list[int]:
        """The nearest common ancestors of all positions: those that are not ancestors of another common ancestor."""
        return walks.merge_bases(self.parents, positions)

    # -- new graphs -------------------------------------------------------------------------------------------------

    def subset(self, positions: Sequence[int]) -> Graph:
        """The steps at `positions` (ascending), stored texts shared. FormatError if a parent is missing."""
        count = len(positions)
        if count == len(self.ids):
            return self
        # Positions up to the first step that is left out stay the same.
        same = bisect_left(range(count), 1, key=lambda place: positions[place] - place)
        chosen = Selection(positions)
        where = chosen.places(len(self.ids))
        parents = chosen.of(self.parents)
        parents[same:] = [
            (where[above[0]],) if len(above) == 1 else tuple([where[parent] for parent in above])
            for above in parents[same:]
        ]
        if -1 in chain.from_iterable(parents[same:]):
            lost = next(parent for place in positions for parent in self.parents[place] if where[parent] < 0)
            raise FormatError(f"a step would lose its parent {short_id(self.ids[lost])!r}")
        ids = chosen.of(list(self.ids))
        index = by_id = None
        if 2 * same > len(self.ids):  # then the source's table needs few changes
            index = self._index.copy()
            for identity in self.ids[same:]:
                del index[identity]
            index.update(zip(ids[same:], range(same, count), strict=True))
        if 4 * count > len(self.ids):  # to look through the source's order is then faster than to sort
            by_id = array("i", filter((-1).__lt__, map(where.__getitem__, self.sorted_order)))
        columns = self.columns.taken(chosen)
        return Graph(ids, parents, chosen.of(self.raws), columns, index, chosen.of(self.proved), by_id)

    def with_steps(self, steps: Iterable[Step]) -> Graph:
        """This graph with steps added at the end; a step whose id is here already replaces the stored record.

        FormatError when a parent is missing or the content cannot be stored.
        """
        given: object = steps
        if not isinstance(given, Iterable):
            raise FormatError(f"{shown(given)} is no list of steps")
        index = dict(self._index)
        ids = list(self.ids)
        parents = list(self.parents)
        raws = list(self.raws)
        proved = bytearray(self.proved)
        columns = self.columns.taken(Selection(range(len(ids))))
        for step in steps:
            if not isinstance(step, Step):
                raise FormatError(f"{shown(step)} is not a step")
            missing = next((parent for parent in step.parent_ids if parent not in index), None)
            if missing is not None:
                raise FormatError(f"step {step.short_id!r} names a parent that is not there", cause=repr(missing[:12]))
            text = encode_step(step)
            position = index.get(step.id)
            if position is not None:
                columns.replace(position, step)
                raws[position] = text
                proved[position] = CANONICAL
                continue
            index[step.id] = len(ids)
            ids.append(step.id)
            parents.append(tuple([index[parent] for parent in step.parent_ids]))
            columns.add_step(step)
            raws.append(text)
            proved.append(CANONICAL)
        return Graph(ids, parents, raws, columns, index, proved)

    def with_records(self, other: Graph, positions: Iterable[int]) -> Graph:
        """This graph with steps of `other` added at the end, stored texts shared; steps already here are skipped.

        FormatError if a parent is missing.
        """
        index = dict(self._index)
        ids = list(self.ids)
        parents = list(self.parents)
        chosen = [position for position in positions if other.ids[position] not in index]
        for position in chosen:
            index[other.ids[position]] = len(ids)
            ids.append(other.ids[position])
            try:
                parents.append(tuple([index[other.ids[parent]] for parent in other.parents[position]]))
            except KeyError as error:
                raise FormatError(f"a step would lose its parent {short_id(error.args[0])!r}") from None
        columns = self.columns.taken(Selection(range(len(self.ids))))
        columns.extend(other.columns.taken(Selection(chosen)))
        raws = self.raws + [other.raws[position] for position in chosen]
        proved = self.proved + bytearray([other.proved[position] for position in chosen])
        return Graph(ids, parents, raws, columns, index, proved)
