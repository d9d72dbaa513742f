"""A record that can be changed in place and turned into an immutable one; unchanged parts stay as they were read."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Self

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.format.canonical import canonical, check_names, step_id
from opentine_gui.core.format.checks import check_depth, check_encoding, check_keys_per_object
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import JsonObject, RunStatus, Step, StepKind, checked_status
from opentine_gui.core.record import MAIN, RunRecord, check_records


class MutableRecord:
    """The parts of a run as attributes; `record` is the immutable value of them all.

    `metadata`, `manifest`, `policies`, `refs`, `cache` and `transcript` are plain containers to be changed in place.
    `created_at` is Unix seconds, by default the present; an id is made if none is given. FormatError for a wrong
    status or for steps that are not a list of `Step`.
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
        self.status: RunStatus | str = checked_status(status)
        self.created_at: float = time.time() if created_at is None else created_at
        self.refs = refs if refs is not None else {MAIN: ""}
        self.metadata = metadata if metadata is not None else {}
        self.manifest = manifest if manifest is not None else {}
        self.policies = policies if policies is not None else {}
        self.tags = normalised_tags(tags)
        self._cache: JsonObject | None = cache if cache is not None else {}
        self._transcript: list[Any] | None = transcript if transcript is not None else []
        if not isinstance(steps, list | tuple) or not all(isinstance(step, Step) for step in steps):
            raise FormatError("the steps must be a list of steps")
        self._graph = Graph.of(steps)
        self._pending: dict[str, Step] = {}
        self._origin: RunRecord | None = None
        self._as_read: bytes | None = None

    @classmethod
    def of(cls, record: RunRecord) -> Self:
        """A mutable copy of a record; the immutable graph is shared."""
        check_records(record)
        text = canonical([record.refs, record.metadata, record.manifest, record.policies])
        check_encoding(text)
        loose = msgspec.json.decode(text)
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

    @property
    def record(self) -> RunRecord:
        """The run as an immutable record: the very one it was made from while nothing was changed."""
        origin = self._origin
        status = checked_status(self.status)
        self._check_types()
        if origin is not None and self._graph is origin.graph and not self._pending and self._state() == self._as_read:
            return origin
        for name in ("metadata", "manifest", "policies", "refs"):
            _check_part(name, getattr(self, name), dict)
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
            "status": status,
            "created_at": self.created_at,
            "graph": self.graph,
            "refs": dict(self.refs),
            "manifest": manifest,
            "policies": self.policies,
            "metadata": metadata,
        }
        if self._cache is not None:
            changes["cache_text"] = _stored("cache", self._cache, dict)
        if self._transcript is not None:
            changes["transcript_text"] = _stored("transcript", self._transcript, list)
        if origin is not None:
            return origin.edited(**changes)
        metadata.pop("integrity", None)
        return RunRecord(**changes)

    def _add(self, step: Step) -> None:
        """Queue a step; the next use of `graph` builds a graph with all queued steps."""
        self._pending[step.id] = step

    def _has(self, identity: str) -> bool:
        """Whether a full id is in the graph or queued for it; does not build a graph."""
        return identity in self._pending or identity in self._graph

    def _check_types(self) -> None:
        for name in ("metadata", "manifest", "policies", "refs"):
            _check_type(name, getattr(self, name), dict)
        if self._cache is not None:
            _check_type("cache", self._cache, dict)
        if self._transcript is not None:
            _check_type("transcript", self._transcript, list)

    def _state(self) -> bytes:
        """Everything that can be changed in place, as canonical text, to notice changes by."""
        parts: list[Any] = [
            self.run_id,
            str(self.status),
            self.created_at,
            self.refs,
            self.metadata,
            self.manifest,
            self.policies,
            normalised_tags(self.tags),
            self.model_info,
            self.system_prompt,
            self.user_prompt,
        ]
        origin = self._origin
        if origin is not None:
            parts.append(_changed(self._cache, origin.cache_text))
            parts.append(_changed(self._transcript, origin.transcript_text))
        return canonical(parts)


def _check_part(name: str, value: Any, wanted: type[dict[Any, Any] | list[Any]]) -> None:
    """Raise FormatError unless a part of the run has the wanted type and all its keys are text."""
    _check_type(name, value, wanted)
    check_names(value)


def _check_type(name: str, value: Any, wanted: type[dict[Any, Any] | list[Any]]) -> None:
    """Raise FormatError unless a part of the run has the wanted type."""
    if not isinstance(value, wanted):
        raise FormatError(f"the {name} must be {'an object' if wanted is dict else 'a list'}", place=name)


def _stored(name: str, value: Any, wanted: type[dict[Any, Any] | list[Any]]) -> bytes:
    """The canonical text of a part. FormatError or LimitError when a reader would refuse it."""
    _check_part(name, value, wanted)
    text = canonical(value)
    check_encoding(text)
    check_depth([text], 1)
    check_keys_per_object([text])
    return text


def _changed(value: Any, text: Any) -> Any:
    """The value if it differs from the text it was decoded from, else None."""
    return None if value is None or value == msgspec.json.decode(bytes(text)) else value
