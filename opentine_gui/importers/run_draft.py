"""The draft of a run: an importer adds steps under its own keys; `finish` orders them and computes their ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from math import isfinite
from typing import Any

from opentine_gui.core import RunRecord
from opentine_gui.core.edit.former_ids import former_ids
from opentine_gui.core.edit.new_graph import NewGraph
from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.model import JsonObject, RunStatus, StepKind
from opentine_gui.core.progress import Pace, collector_paused
from opentine_gui.core.record import MAIN
from opentine_gui.importers.reading import Place, Reading, Report

STEPS_BETWEEN = 200
"""Steps between two checks for progress and cancelling."""


@dataclass(slots=True)
class StepDraft:
    """A step that is not made yet. `parents` and `causes` are keys of other drafts, in the order that is stored.

    Hashed are kind, inputs, outputs, model_info, tool_info, error and parents: nothing that belongs to one file alone
    (line numbers, session ids, times, ids of messages) may be in them, so that a copied beginning keeps its ids.

    `fill`, if given, is called with the draft right before its step is made, to decode large content only then. Inputs
    and outputs are encoded and dropped, so that a large log is never decoded as a whole.
    """

    key: str
    kind: StepKind
    parents: list[str] = field(default_factory=list)
    inputs: JsonObject = field(default_factory=dict)
    outputs: JsonObject = field(default_factory=dict)
    model_info: Any = ""
    tool_info: JsonObject = field(default_factory=dict)
    error: JsonObject = field(default_factory=dict)
    timestamp: float | None = None
    duration: float = 0.0
    cost: float = 0.0
    usage: dict[str, int | float] = field(default_factory=dict)
    billing: JsonObject = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)
    provider: str = ""
    v3_kind: str | None = None
    places: list[Place] = field(default_factory=list)
    fill: Callable[[StepDraft], None] | None = None

    def note(self, place: Place) -> None:
        """Note another record of the source that is about this step."""
        self.places.append(place)


def status_at(tip: StepDraft | None) -> RunStatus:
    """The status of a run whose last step this is; COMPLETED without steps."""
    if tip is None or tip.kind is StepKind.DONE:
        return RunStatus.COMPLETED
    if tip.error.get("type") == "interrupted":
        return RunStatus.PAUSED
    return RunStatus.FAILED if tip.kind is StepKind.ERROR else RunStatus.RUNNING


class RunDraft:
    """Collects steps in recorded order. Keys are chosen by the importer (a uuid, a call id) and are never written.

    `texts_are_whole`: all content was decoded by `read_records`, which lets no lone surrogate through.
    """

    def __init__(self, *, texts_are_whole: bool = False) -> None:
        self.texts_are_whole = texts_are_whole
        self.steps: dict[str, StepDraft] = {}
        self.report = Report()
        self._once: dict[int, dict[str, JsonObject]] = {}
        """For each rule, by key of the step, the former values of the fields that the rule changed."""

    def add(self, key: str, kind: StepKind, parents: Iterable[str] = (), **fields: Any) -> StepDraft:
        """Add a step; the returned draft can be changed until `finish`. FormatError for a key already in use."""
        if key in self.steps:
            raise FormatError(f"two records have the name {key[:64]!r}")  # a source may repeat names
        draft = self.steps[key] = self._draft(key, kind, list(dict.fromkeys(parents)), fields)
        return draft

    def _draft(self, key: str, kind: StepKind, parents: list[str], fields: dict[str, Any]) -> StepDraft:
        return StepDraft(key, kind, parents, **fields)

    def remove(self, key: str) -> None:
        """Remove a step. KeyError for an unknown key."""
        del self.steps[key]

    def once(self, key: str, fields: JsonObject, *, rule: int = 1) -> None:
        """Record the values that fields of a step had before a rule changed them; rules are numbered by age from 1."""
        self._once.setdefault(rule, {})[key] = fields

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
        """Make the run: steps with parents before children, otherwise in the order they were added.

        `main` and the values of `refs` are keys. A parent that is not here is left out and counted; a cycle is broken
        at the step that was added first. Equal content under equal parents is numbered (`tool_info.nth`), since two
        retries are two bills. Cancelled through `pace`.
        """
        pace = pace or Pace()
        made = NewGraph(names_are_text=True, texts_are_whole=self.texts_are_whole)
        positions: dict[str, int] = {}
        places: dict[str, tuple[Place, ...]] = {}
        waiting = self._ordered()[::-1]
        total = len(waiting)
        self.steps = {}  # each draft is freed when its step is made: a large log would not fit twice
        last_time = created_at
        models: Counter[str] = Counter()
        with collector_paused():
            while waiting:
                if len(waiting) % STEPS_BETWEEN == 0:
                    pace.at(1 - len(waiting) / total)
                draft = waiting.pop()
                last_time = last_time if draft.timestamp is None else draft.timestamp
                positions[draft.key] = position = self._add(made, draft, positions, last_time)
                if isinstance(draft.model_info, str) and draft.model_info:
                    models[draft.model_info] += 1
                places[made.ids[position]] = tuple(draft.places)
        reading = self._reading(
            made, positions, places, models, run_id=run_id, status=status, created_at=created_at, capture=capture,
            metadata=metadata, manifest=manifest, main=main, refs=refs, sources=sources,
        )  # fmt: skip
        return self._with_former_ids(reading, positions) if self._once else reading

    def _with_former_ids(self, reading: Reading, positions: dict[str, int]) -> Reading:
        """The reading with former ids: for each rule, the ids without that rule and all later ones."""
        graph = reading.record.graph
        once: dict[str, JsonObject] = {}
        former: dict[str, str] = {}
        for _rule, steps in sorted(self._once.items(), reverse=True):
            for key, fields in steps.items():
                if key in positions:
                    identity = graph.ids[positions[key]]
                    once[identity] = {**once.get(identity, {}), **fields}
            former |= former_ids(graph, once)
        return replace(reading, former=former)

    def _reading(
        self,
        made: NewGraph,
        positions: dict[str, int],
        places: dict[str, tuple[Place, ...]],
        models: Counter[str],
        *,
        run_id: str,
        status: RunStatus,
        created_at: float,
        capture: JsonObject,
        metadata: JsonObject | None,
        manifest: JsonObject | None,
        main: str | None,
        refs: dict[str, str] | None,
        sources: Sequence[Any],
    ) -> Reading:
        """The reading for a finished graph."""
        self.report.steps = total = len(made.ids)
        wanted = (refs or {}) | ({} if main is None else {MAIN: main})
        named = {name: made.ids[positions[key]] for name, key in wanted.items() if key in positions}
        counts = {
            "records": self.report.records,
            "steps": total,
            "folded": self.report.folded,
            "skipped": dict(sorted(self.report.skipped.items())),
            "bad_lines": self.report.bad_lines,
        }
        if self.report.at_least:
            capture = {**capture, "at_least": self.report.at_least}
        if self.report.stated:
            capture = {**capture, "stated": self.report.stated}
        about = {"model_info": ", ".join(name for name, _ in models.most_common(3))} if models else {}
        record = RunRecord(
            run_id=run_id,
            status=status,
            created_at=created_at,
            graph=made.graph(),
            refs=named,
            manifest=manifest or {},
            metadata={
                **about,
                **(metadata or {}),
                "capture": {"method": "transcript-import", **capture, "counts": counts},
            },
        )
        return Reading(record, places, tuple(sources), self.report)

    def _add(self, made: NewGraph, draft: StepDraft, positions: dict[str, int], time: float) -> int:
        """Make the step of a draft; returns its position. Content that no file can hold is left out, with a remark."""
        parents = [positions[key] for key in draft.parents if key in positions]
        if len(parents) > 1:
            parents = list(dict.fromkeys(parents))
        causes = [made.ids[positions[key]] for key in draft.causes if key in positions] if draft.causes else []
        try:
            if draft.fill is not None:
                draft.fill(draft)
            return made.add(
                draft.kind,
                draft.inputs,
                parents,
                timestamp=time,
                outputs=draft.outputs,
                model_info=draft.model_info,
                tool_info=draft.tool_info,
                error=draft.error,
                duration=draft.duration,
                cost=draft.cost,
                usage=draft.usage,
                billing=draft.billing,
                causal_ids=tuple(dict.fromkeys(causes)),
                provider=draft.provider,
                v3_kind=draft.v3_kind,
            )
        except (FormatError, LimitError) as error:
            self.report.remark(f"The content of a step cannot be kept: {error}.")
            reason = {"type": "not_kept", "message": str(error)}
            return made.add(draft.kind, {}, parents, timestamp=time if isfinite(time) else 0.0, error=reason)

    def _ordered(self) -> list[StepDraft]:
        """Drafts with parents (and causes, where they can be) before children, else in the order they were added."""
        missing = 0
        state: dict[str, int] = {}  # 1: waiting for its parents, 2: placed
        order: list[StepDraft] = []
        for first, step in self.steps.items():
            if first not in state:
                for parent in step.parents:
                    if state.get(parent) != 2:
                        break
                else:  # as for most steps
                    state[first] = 2
                    order.append(step)
                    continue
            stack = [first]
            while stack:
                key = stack[-1]
                if state.get(key) == 2:
                    stack.pop()
                    continue
                draft = self.steps[key]
                if state.get(key) is None:
                    state[key] = 1
                    known = [parent for parent in draft.parents if parent in self.steps]
                    missing += len(draft.parents) - len(known)
                    cycle = {parent for parent in known if state.get(parent) == 1}
                    if cycle:
                        self.report.remark("Steps that name each other as parents: the cycle was broken.")
                    draft.parents = [parent for parent in known if parent not in cycle]
                    waiting = [parent for parent in draft.parents if state.get(parent) is None]
                    if waiting:
                        stack.extend(reversed(waiting))
                        continue
                state[key] = 2
                order.append(draft)
                stack.pop()
        if missing:
            self._say_missing(missing)
        return order

    def _say_missing(self, missing: int) -> None:
        noun = "parent is" if missing == 1 else "parents are"
        self.report.remark(f"{missing} {noun} not in this file: what follows begins without them.")


def capture_of(
    source_format: str, version: str, shown_path: str, importer: str, content: bytes | tuple[str, int] | None
) -> JsonObject:
    """The record of where a run came from. `shown_path` has the home folder as ~.

    `content` are the source's bytes, or their sha256 and number.
    """
    said: JsonObject = {
        "agent_writable": True,
        "source_format": source_format,
        "source_version": version,
        "path": shown_path,
        "importer": importer,
    }
    if content is not None:
        digest, size = (sha256(content).hexdigest(), len(content)) if isinstance(content, bytes) else content
        said |= {"source_sha256": digest, "source_bytes": size}
    return said
