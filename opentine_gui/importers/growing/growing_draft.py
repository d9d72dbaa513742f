"""A draft of a run that can be finished repeatedly: only changed steps, and those after them, are made again."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec

from opentine_gui.core.edit.new_graph import NewGraph
from opentine_gui.core.model import JsonObject, RunStatus, StepKind
from opentine_gui.core.progress import Pace, collector_paused
from opentine_gui.importers.growing.growing_file import NotAppendedError
from opentine_gui.importers.reading import Place, Reading
from opentine_gui.importers.run_draft import STEPS_BETWEEN, RunDraft, StepDraft


class _Content(msgspec.Struct):
    """The content of a step that was made, decoded again on demand."""

    inputs: dict[str, Any]
    outputs: dict[str, Any]


_content = msgspec.json.Decoder(_Content)
_FIELDS = (*StepDraft.__slots__,)
_SLOTS = {name: getattr(StepDraft, name) for name in _FIELDS}
_NOTHING: dict[str, Any] = {"tool_info": {}, "error": {}, "usage": {}, "billing": {}, "causes": [], "parents": []}
"""Empty values, shared by all steps that were made."""


class KeptStep(StepDraft):
    """A step of a growing draft: reports every change to it, and once made keeps its content only in encoded form.

    Lists and objects in it are replaced, never changed in place.
    """

    __slots__ = ("made", "owner")
    owner: GrowingDraft
    made: bytes

    def __setattr__(self, name: str, value: Any) -> None:
        self.owner.changes(self)
        _SLOTS[name].__set__(self, value)

    @property
    def inputs(self) -> Any:  # type: ignore[override]
        """The inputs, decoded from the step if it was made."""
        value = _SLOTS["inputs"].__get__(self)
        return _content.decode(self.made).inputs if value is None else value

    @property
    def outputs(self) -> Any:  # type: ignore[override]
        """The outputs, decoded from the step if it was made."""
        value = _SLOTS["outputs"].__get__(self)
        return _content.decode(self.made).outputs if value is None else value

    def note(self, place: Place) -> None:
        """See `StepDraft`."""
        self.places = [*self.places, place]

    def values(self) -> tuple[Any, ...]:
        """All fields as stored, for `restore`."""
        return (*(slot.__get__(self) for slot in _SLOTS.values()), self.made)

    def restore(self, values: tuple[Any, ...]) -> None:
        """Set the fields to what `values` returned, without reporting a change."""
        for slot, value in zip(_SLOTS.values(), values, strict=False):
            slot.__set__(self, value)
        object.__setattr__(self, "made", values[-1])

    def drop_content(self, made: bytes) -> None:
        """Keep the content only in `made`, the encoded record of the step."""
        object.__setattr__(self, "made", made)
        for name in ("inputs", "outputs", "fill"):
            _SLOTS[name].__set__(self, None)
        for name, nothing in _NOTHING.items():
            if not _SLOTS[name].__get__(self):
                _SLOTS[name].__set__(self, nothing)


class GrowingDraft(RunDraft):
    """Like a `RunDraft`, but `finish` can be called again after more was added or changed.

    Provisional additions from the end of a source are made within `trial`, which undoes them. The steps before the
    first one that changed keep ids and records; `made` counts all the steps that were made.
    """

    def __init__(self, *, texts_are_whole: bool = False) -> None:
        super().__init__(texts_are_whole=texts_are_whole)
        self.made = 0
        self._graph = NewGraph(names_are_text=True, texts_are_whole=texts_are_whole)
        self._order: list[str] = []
        self._blocks: dict[str, int] = {}
        """For each step, where the block begins in the order that it was placed in, with parents added after it."""
        self._positions: dict[str, int] = {}
        self._places: dict[str, tuple[Place, ...]] = {}
        self._clocks: list[float] = []
        self._models: list[str] = []
        self._absent: dict[str, list[str]] = {}
        """Keys of missing parents, by step."""
        self.created_at: float | None = None
        self._touched: set[str] = set()
        self._journal: dict[str, tuple[Any, ...]] | None = None
        self._fills = False

    def changes(self, step: KeptStep) -> None:
        """Note that a step is about to change; decoding content right before it is made does not count."""
        if self._fills:
            return
        if self._journal is not None and step.key not in self._journal:
            self._journal[step.key] = step.values()
        self._touched.add(step.key)

    def _draft(self, key: str, kind: StepKind, parents: list[str], fields: dict[str, Any]) -> StepDraft:
        step = KeptStep.__new__(KeptStep)
        object.__setattr__(step, "owner", self)
        plain = StepDraft(key, kind, parents, **fields)
        step.restore((*(getattr(plain, name) for name in _FIELDS), b""))
        self._touched.add(key)
        return step

    def remove(self, key: str) -> None:
        """Remove a step."""
        self._touched.add(key)
        super().remove(key)

    @contextmanager
    def trial(self) -> Iterator[None]:
        """At the end of the block undo everything added or changed in it; what `finish` returned stays valid."""
        steps, report = dict(self.steps), self.report
        self.report = copy.deepcopy(report)
        self._journal = {}
        try:
            yield
        finally:
            journal, self._journal = self._journal, None
            self._touched |= self.steps.keys() - steps.keys()
            self.steps, self.report = steps, report
            for key, values in journal.items():
                step = steps.get(key)
                if isinstance(step, KeptStep):
                    step.restore(values)
            self._touched |= journal.keys()

    def finish(
        self,
        *,
        run_id: str,
        created_at: float,
        capture: JsonObject,
        metadata: JsonObject | None = None,
        manifest: JsonObject | None = None,
        status: RunStatus = RunStatus.COMPLETED,
        main: str | None = None,
        refs: dict[str, str] | None = None,
        sources: Sequence[Any] = (),
        pace: Pace | None = None,
    ) -> Reading:
        """Like `RunDraft.finish`. NotAppendedError if only reading the whole source can tell."""
        pace = pace or Pace()
        opens = self.created_at is None
        with collector_paused():
            self.prepare(created_at, pace)
            missing = sum(map(len, self._absent.values()))
            if missing:
                self._say_missing(missing)
            reading = self._reading(
                self._graph.copy(), self._positions, dict(self._places),
                Counter(filter(None, self._models)), run_id=run_id, status=status,
                created_at=created_at, capture=capture, metadata=metadata, manifest=manifest, main=main, refs=refs,
                sources=sources,
            )  # fmt: skip
            return self._with_former_ids(reading, self._positions) if opens and self._once else reading

    def prepare(self, created_at: float, pace: Pace | None = None) -> None:
        """Make all steps that are not made yet, and drop their decoded content. NotAppendedError."""
        self._forget_from(0 if created_at != self.created_at else self._first_changed())
        self.created_at = created_at
        waiting = self._unplaced()[::-1]
        total = len(waiting)
        clock = self._clocks[-1] if self._clocks else created_at
        while waiting:
            if pace is not None and len(waiting) % STEPS_BETWEEN == 0:
                pace.at(1 - len(waiting) / total)
            step = self.steps[waiting.pop()]
            clock = clock if step.timestamp is None else step.timestamp
            self._make(step, clock)
        self._touched.clear()

    def _make(self, step: StepDraft, clock: float) -> None:
        said = len(self.report.remarks)
        self._fills = True
        try:
            position = self._add(self._graph, step, self._positions, clock)
        finally:
            self._fills = False
        if len(self.report.remarks) > said:
            raise NotAppendedError  # content was left out, which each reading must report
        self.made += 1
        self._positions[step.key] = position
        self._clocks.append(clock)
        self._models.append(step.model_info if isinstance(step.model_info, str) else "")
        self._places[self._graph.ids[position]] = tuple(step.places)
        if isinstance(step, KeptStep):
            step.drop_content(bytes(self._graph.raw(position)))

    def _first_changed(self) -> int:
        """The first place in the order from which steps must be made again."""
        came = [step for step, parents in self._absent.items() if any(parent in self.steps for parent in parents)]
        changed = (self._blocks[key] for key in (*self._touched, *came) if key in self._blocks)
        return min(changed, default=len(self._order))

    def _forget_from(self, start: int) -> None:
        """Drop the steps from this place in the order on."""
        for position, key in enumerate(self._order[start:], start):
            del self._blocks[key]
            self._absent.pop(key, None)
            if self._positions.pop(key, None) is not None:
                self._places.pop(self._graph.ids[position], None)
        del self._order[start:], self._clocks[start:], self._models[start:]
        self._graph.cut(start)

    def _unplaced(self) -> list[str]:
        """Give every step without a place one, in the order of `RunDraft`; returns their keys."""
        begun: set[str] = set()
        blocks, placed = self._blocks, len(self._order)
        for first in [key for key in self.steps if key not in blocks]:
            start = len(self._order)
            stack = [first]
            while stack:
                key = stack[-1]
                if key in blocks:
                    stack.pop()
                    continue
                if key not in begun:
                    begun.add(key)
                    parents = self.steps[key].parents
                    known = [parent for parent in parents if parent in self.steps]
                    if len(known) < len(parents):
                        self._absent[key] = [parent for parent in parents if parent not in self.steps]
                    waiting = [parent for parent in known if parent not in blocks]
                    if not begun.isdisjoint(waiting):
                        raise NotAppendedError  # a cycle, which has to be broken
                    if waiting:
                        stack.extend(reversed(waiting))
                        continue
                blocks[key] = start
                self._order.append(key)
                stack.pop()
        return self._order[placed:]
