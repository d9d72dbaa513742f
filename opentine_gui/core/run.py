"""`Run`: the documented, mutable face over the immutable `RunRecord`. Clock and chance come in only here."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core import storage
from opentine_gui.core.canonical import canonical, step_id
from opentine_gui.core.container import Storage
from opentine_gui.core.errors import LookupFailure
from opentine_gui.core.fork import fork
from opentine_gui.core.graph import Graph
from opentine_gui.core.merge import Parent, merge
from opentine_gui.core.model import JsonObject, RunStatus, Step, StepKind
from opentine_gui.core.newstep import checked_status, new_step
from opentine_gui.core.record import RunRecord, Totals, normalised_tags
from opentine_gui.core.strict import check_depth, check_encoding
from opentine_gui.core.verify import Verification, verify
from opentine_gui.core.writing import encode

MAIN = "main"
NONCE_BYTES = 16


def new_nonce() -> str:
    """32 random hex characters."""
    return os.urandom(NONCE_BYTES).hex()


class Run:
    """One run: steps are immutable, the run grows. `record` is its value, and what the application works on.

    `metadata`, `manifest`, `policies`, `refs`, `cache` and `transcript` are plain containers to be changed in place.
    """

    def __init__(
        self,
        id: str | None = None,
        *,
        model_info: str = "",
        system_prompt: str = "",
        user_prompt: str = "",
        status: RunStatus | str = RunStatus.RUNNING,
        created_at: float | None = None,
        refs: dict[str, str] | None = None,
        metadata: JsonObject | None = None,
        manifest: JsonObject | None = None,
        policies: JsonObject | None = None,
        cache: JsonObject | None = None,
        transcript: list[Any] | None = None,
        tags: Sequence[str] | str | None = None,
        steps: Sequence[Step] = (),
    ) -> None:
        self.run_id = id or step_id(StepKind.MODEL, {"created_at": time.time_ns()})
        self.model_info = model_info
        self.system_prompt = system_prompt
        self.user_prompt = user_prompt
        self.status: RunStatus | str = RunStatus(status)
        self.created_at: float = time.time() if created_at is None else created_at
        self.refs = refs if refs is not None else {MAIN: ""}
        self.metadata = metadata if metadata is not None else {}
        self.manifest = manifest if manifest is not None else {}
        self.policies = policies if policies is not None else {}
        self.tags = normalised_tags(tags)
        self._cache: JsonObject | None = cache if cache is not None else {}
        self._transcript: list[Any] | None = transcript if transcript is not None else []
        self._graph = Graph.of(steps)
        self._pending: dict[str, Step] = {}
        self._origin: RunRecord | None = None
        self._as_read: bytes | None = None

    @classmethod
    def of(cls, record: RunRecord) -> Run:
        """A mutable face over a copy of a record."""
        loose = msgspec.json.decode(canonical([record.refs, record.metadata, record.manifest, record.policies]))
        refs, metadata, manifest, policies = loose
        run = cls(
            record.run_id,
            model_info=record.model_info,
            system_prompt=record.system_prompt,
            user_prompt=record.user_prompt,
            status=record.status,
            created_at=record.created_at,
            refs=refs,
            metadata=metadata,
            manifest=manifest,
            policies=policies,
            tags=record.tags,
        )
        if MAIN not in refs:
            refs[MAIN] = record.graph.ids[-1] if len(record.graph) else ""
        run._graph = record.graph
        run._cache = None
        run._transcript = None
        run._origin = record
        run._as_read = run._state()
        return run

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def id(self) -> str:
        """The run's id."""
        return self.run_id

    @property
    def graph(self) -> Graph:
        """The immutable graph as it is now."""
        if self._pending:
            self._graph = self._graph.with_steps(self._pending.values())
            self._pending = {}
        return self._graph

    @property
    def steps(self) -> list[Step]:
        """All steps in traversal order."""
        return list(self.graph)

    @property
    def cache(self) -> JsonObject:
        """The replay cache."""
        if self._cache is None:
            self._cache = self._origin.cache if self._origin else {}
        return self._cache

    @cache.setter
    def cache(self, value: JsonObject) -> None:
        self._cache = value

    @property
    def transcript(self) -> list[Any]:
        """The chat turns."""
        if self._transcript is None:
            self._transcript = self._origin.transcript if self._origin else []
        return self._transcript

    @transcript.setter
    def transcript(self, value: list[Any]) -> None:
        self._transcript = value

    def root_steps(self) -> list[Step]:
        """Steps without parents, in traversal order."""
        graph = self.graph
        return [graph.step(position) for position in graph.roots]

    def children(self, step: str) -> list[Step]:
        """Steps that list `step` (full id or unique prefix) as a parent. LookupFailure when it is unknown."""
        graph = self.graph
        return [graph.step(position) for position in graph.children[self._position(step)]]

    def ancestors(self, step: str) -> list[Step]:
        """Everything `step` rests on, roots first, ending at the step itself. LookupFailure when it is unknown."""
        graph = self.graph
        return [graph.step(position) for position in graph.ancestors(self._position(step))]

    def get_step(self, step: str) -> Step | None:
        """The step with a full id or unique prefix, or None."""
        try:
            return self.graph.step(self._position(step))
        except LookupFailure:
            return None

    def common_ancestor(self, left: str, right: str) -> Step | None:
        """The nearest step both rest on, or None (docs/FORMAT.md, section 11)."""
        found = self.graph.common_ancestor(self._position(left), self._position(right))
        return None if found is None else self.graph.step(found)

    @property
    def totals(self) -> Totals:
        """Sums over the steps, and how much of the cost is missing."""
        return self.record.totals

    @property
    def total_cost(self) -> float:
        """US dollars over all steps (docs/FORMAT.md, section 3.6)."""
        return sum(self.graph.costs)

    @property
    def total_duration(self) -> float:
        """Seconds over all steps."""
        return sum(self.graph.durations)

    @property
    def total_tokens(self) -> int:
        """Tokens over all steps."""
        return sum(count for count in self.graph.tokens if count >= 0)

    @property
    def record(self) -> RunRecord:
        """The run's immutable value; the very record it was loaded from while nothing was changed."""
        origin = self._origin
        if origin is not None and self._graph is origin.graph and not self._pending and self._state() == self._as_read:
            return origin
        metadata = {
            **self.metadata,
            "model_info": self.model_info,
            "system_prompt": self.system_prompt,
            "user_prompt": self.user_prompt,
        }
        metadata.pop("tags", None)
        if tags := normalised_tags(self.tags):
            metadata["tags"] = tags
        manifest = self.manifest
        described = manifest.get("model")
        if isinstance(described, dict) and isinstance(described.get("name"), str):
            manifest = {**manifest, "model": {**described, "name": self.model_info}}
        changes: JsonObject = {
            "run_id": self.run_id,
            "status": checked_status(self.status),
            "created_at": self.created_at,
            "graph": self.graph,
            "refs": dict(self.refs),
            "manifest": manifest,
            "policies": self.policies,
            "metadata": metadata,
        }
        if self._cache is not None:
            changes["cache_text"] = _stored(self._cache)
        if self._transcript is not None:
            changes["transcript_text"] = _stored(self._transcript)
        if origin is not None:
            return origin.edited(**changes)
        metadata.pop("integrity", None)
        return RunRecord(**changes)

    def to_dict(self) -> JsonObject:
        """The document as plain JSON values (docs/FORMAT.md, section 3), with the digest a save would store."""
        return msgspec.json.decode(encode(self.record))  # type: ignore[no-any-return]

    def verify(self) -> Verification:
        """Recompute every step id and, when nothing was changed since loading, the digest."""
        return verify(self.record)

    # -- changing ---------------------------------------------------------------------------------------------------

    def add_step(
        self,
        kind: StepKind | str,
        inputs: JsonObject,
        outputs: JsonObject | None = None,
        parent_id: str | None = None,
        parent_ids: Sequence[str] | None = None,
        duration: float = 0.0,
        cost: float = 0.0,
        model_info: str | None = None,
        tool_info: JsonObject | None = None,
        error: JsonObject | None = None,
        ref: str = MAIN,
        usage: dict[str, int | float] | None = None,
        billing: JsonObject | None = None,
        provider: str = "",
        *,
        causal_ids: Sequence[str] = (),
        v3_kind: str | None = None,
        timestamp: float | None = None,
    ) -> Step:
        """Append a step and move `ref` to it. Without parents it continues the ref's tip; a new ref starts a new root.

        LookupFailure for an unknown parent, FormatError for content or numbers that cannot be stored.
        """
        if parent_ids:
            parents = tuple(self._known(parent) for parent in parent_ids)
        elif parent_id:
            parents = (self._known(parent_id),)
        else:
            tip = self.refs.get(ref)
            parents = (tip,) if tip else ()
        step = new_step(
            kind,
            inputs,
            parents,
            outputs=outputs,
            model_info=self.model_info if model_info is None else model_info,
            tool_info=tool_info,
            error=error,
            timestamp=time.time() if timestamp is None else timestamp,
            duration=duration,
            cost=cost,
            usage=usage,
            billing=billing,
            causal_ids=causal_ids,
            provider=provider,
            v3_kind=v3_kind,
        )
        self._pending[step.id] = step
        self.refs[ref] = step.id
        return step

    def add_tag(self, tag: str) -> bool:
        """Add a tag, normalised; whether it was new."""
        added = [name for name in normalised_tags(tag) if name not in self.tags]
        self.tags = normalised_tags([*self.tags, *added])
        return bool(added)

    def remove_tag(self, tag: str) -> bool:
        """Remove a tag; whether it was there."""
        gone = normalised_tags(tag)
        there = [name for name in gone if name in self.tags]
        self.tags = [name for name in self.tags if name not in gone]
        return bool(there)

    def has_tag(self, tag: str) -> bool:
        """Whether the run carries a tag, however it is spelled."""
        return any(name in self.tags for name in normalised_tags(tag))

    def fork(self, from_step_id: str, new_run_id: str | None = None, branch: str = MAIN, **options: Any) -> Run:
        """A new running run up to and with a step; this run is untouched. `options` are those of `core.fork`."""
        options.setdefault("nonce", None)
        if options["nonce"] is None:
            options["nonce"] = new_nonce()
        now = options.pop("now", None)
        child = fork(
            self.record,
            from_step_id,
            new_run_id=new_run_id,
            branch=branch,
            now=time.time() if now is None else now,
            **options,
        )
        return Run.of(child)

    def merge(
        self,
        *parents: str | tuple[Run, str],
        inputs: JsonObject | None = None,
        **options: Any,
    ) -> Run:
        """A run in which one new step joins steps of this run, or of this run and others given as (run, step).

        Neither run is changed. `options` are those of `core.merge`.
        """
        runs: list[Run] = [self]
        chosen: list[Parent] = []
        for parent in parents:
            if isinstance(parent, str):
                chosen.append((0, parent))
                continue
            other, identity = parent
            if not any(other is known for known in runs):
                runs.append(other)
            chosen.append((next(place for place, known in enumerate(runs) if known is other), identity))
        options.setdefault("now", time.time())
        options.setdefault("nonce", new_nonce())
        return Run.of(merge([run.record for run in runs], chosen, inputs=inputs or {}, **options))

    # -- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, compress: Storage | None = None, overwrite: bool = True) -> Path:
        """Write the run, whole or not at all. A signature is dropped when anything was changed.

        Without `compress` the file is compressed as the one the run was loaded from.
        """
        return storage.write(path, self.record, compress=compress, overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """The run in a file, of any form this format ever had."""
        return cls.of(storage.read(path))

    def pause(self, path: str | Path) -> Path:
        """Mark the run paused and save it. Nothing is stopped: a run here is a record, not a process."""
        self.status = RunStatus.PAUSED
        return self.save(path)

    @classmethod
    def resume(cls, path: str | Path) -> Run:
        """Load a run and mark it running in memory; the file stays as it is."""
        run = cls.load(path)
        run.status = RunStatus.RUNNING
        return run

    # -- inside -----------------------------------------------------------------------------------------------------

    def _position(self, text: str) -> int:
        graph = self.graph
        if text in graph:
            return graph.index(text)
        renamed = self._origin.legacy_ids.get(text) if self._origin else None
        return graph.index(renamed or graph.resolve(text))

    def _known(self, text: str) -> str:
        if text in self._pending or text in self._graph:
            return text
        return self.graph.ids[self._position(text)]

    def _state(self) -> bytes:
        """Everything about the run that can be changed in place, for comparing."""
        parts: list[Any] = [
            self.run_id,
            str(self.status),
            self.created_at,
            self.refs,
            self.metadata,
            self.manifest,
            self.policies,
            list(self.tags),
            self.model_info,
            self.system_prompt,
            self.user_prompt,
        ]
        origin = self._origin
        if origin is not None:
            parts.append(_changed(self._cache, origin.cache_text))
            parts.append(_changed(self._transcript, origin.transcript_text))
        return canonical(parts)


def _stored(value: Any) -> bytes:
    """The canonical text of a part. FormatError or LimitError when a reader would refuse it."""
    text = canonical(value)
    check_encoding(text)
    check_depth([text], 1)
    return text


def _changed(value: Any, text: Any) -> Any:
    """What a container holds when it differs from the text it was decoded from, else None."""
    return None if value is None or value == msgspec.json.decode(bytes(text)) else value
