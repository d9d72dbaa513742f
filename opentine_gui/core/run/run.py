"""`Run`, the published API: an object to build, query, change, compare, fork, replay, save and load a run.

The functions it calls take times and nonces as arguments; where the caller gives none, it reads the clock and makes a
random one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core.comparison.run_diff import RunDiff, diff
from opentine_gui.core.edit.arguments import check_stored_texts
from opentine_gui.core.edit.fork import fork
from opentine_gui.core.edit.merge import Parent, merge
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.edit.replay import CACHE_MODE, replay
from opentine_gui.core.errors import EditError, FormatError, LookupFailure, shown
from opentine_gui.core.files import storage
from opentine_gui.core.files.verify import Verification, verify
from opentine_gui.core.files.writer import encode
from opentine_gui.core.format.container import Storage
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.graph.totals import Totals
from opentine_gui.core.model import JsonObject, RunStatus, Step, StepKind
from opentine_gui.core.record import MAIN
from opentine_gui.core.run.mutable_record import MutableRecord

NONCE_BYTES = 16


def new_nonce() -> str:
    """32 random hex characters."""
    return os.urandom(NONCE_BYTES).hex()


class Run(MutableRecord):
    """A run that steps are added to; the steps themselves are immutable."""

    # -- reading ----------------------------------------------------------------------------------------------------

    @property
    def steps(self) -> list[Step]:
        """All steps in traversal order."""
        return list(self.graph)

    def root_steps(self) -> list[Step]:
        """Steps without parents, in traversal order."""
        graph = self.graph
        return [graph.step(position) for position in graph.roots]

    def children(self, step: str) -> list[Step]:
        """Steps that list `step` (full id or unique prefix) as a parent. LookupFailure when it is unknown."""
        graph = self.graph
        return [graph.step(position) for position in graph.children[self._position(step)]]

    def ancestors(self, step: str) -> list[Step]:
        """All ancestors of `step`, roots first, then the step itself. LookupFailure when it is unknown."""
        graph = self.graph
        return [graph.step(position) for position in graph.ancestors(self._position(step))]

    def get_step(self, step: str) -> Step | None:
        """The step with a full id or unique prefix, or None."""
        try:
            return self.graph.step(self._position(step))
        except LookupFailure:
            return None

    def common_ancestor(self, left: str, right: str) -> Step | None:
        """The nearest common ancestor of two steps, or None (docs/FORMAT.md, section 11)."""
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
        self._check_types()
        if not isinstance(ref, str):
            raise FormatError("the name of a ref must be text")
        check_stored_texts(ref=ref)
        given: Any = parent_ids
        if given is not None and not isinstance(given, list | tuple):
            raise FormatError("a step's parent_ids must be a list of ids")
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
        self._add(step)
        self.refs[ref] = step.id
        return step

    def add_tag(self, tag: str) -> bool:
        """Add a tag, normalised; whether it was new."""
        known = normalised_tags(self.tags)
        added = [name for name in normalised_tags(tag) if name not in known]
        self.tags = normalised_tags([*known, *added])
        return bool(added)

    def remove_tag(self, tag: str) -> bool:
        """Remove a tag; whether it was there."""
        gone = normalised_tags(tag)
        known = normalised_tags(self.tags)
        there = [name for name in gone if name in known]
        self.tags = [name for name in known if name not in gone]
        return bool(there)

    def has_tag(self, tag: str) -> bool:
        """Whether the run carries a tag, however it is spelled."""
        return any(name in normalised_tags(self.tags) for name in normalised_tags(tag))

    def fork(self, from_step_id: str, new_run_id: str | None = None, branch: str = MAIN, **options: Any) -> Run:
        """A new run, status running, with a step and all it depends on. `options` are those of `core.fork`.

        LookupFailure for an unknown step.
        """
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

        No run is changed. `options` are those of `core.merge`. LookupFailure for an unknown step, EditError for a merge
        that is refused.
        """
        runs: list[Run] = [self]
        chosen: list[Parent] = []
        for parent in parents:
            if isinstance(parent, str):
                chosen.append((0, parent))
                continue
            given: Any = parent
            if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[0], Run):
                raise LookupFailure(f"a parent is a step's id, or a run and a step's id; {shown(parent)} is neither")
            other, identity = parent
            if not any(other is known for known in runs):
                runs.append(other)
            chosen.append((next(place for place, known in enumerate(runs) if known is other), identity))
        options.setdefault("now", time.time())
        options.setdefault("nonce", new_nonce())
        return Run.of(merge([run.record for run in runs], chosen, inputs=inputs or {}, **options))

    def replay(
        self,
        mode: str = CACHE_MODE,
        *,
        from_step: str | None = None,
        status: RunStatus | str | None = None,
        now: float | None = None,
    ) -> Run:
        """A new run made from this one's record alone, as `tine replay` makes it: no model and no tool is called.

        ReplayMiss names the first step whose answer the record does not hold; see `core.edit.replay`.
        """
        moment = time.time() if now is None else now
        return Run.of(replay(self.record, now=moment, mode=mode, from_step=from_step, status=status))

    def diff(self, other: Run) -> RunDiff:
        """How this run (a) and another (b) differ: `common_ancestor`, `only_a`, `only_b`, `changed`, `moved`.

        Some answers differ from the package's, on purpose: see `RunDiff`. EditError if `other` is not a Run.
        """
        given: Any = other
        if not isinstance(given, Run):
            raise EditError(f"a run is compared with another run, and {shown(given)} is none")
        return diff(self.record, other.record)

    # -- files ------------------------------------------------------------------------------------------------------

    def save(self, path: str | Path, *, compress: Storage | None = None, overwrite: bool = True) -> Path:
        """Write the run atomically, creating its folder if needed; returns the path. Any change drops a signature.

        Without `compress` the file is compressed like the one the run was loaded from. StorageError, FormatError,
        LimitError.
        """
        return storage.write(path, self.record, compress=compress, overwrite=overwrite, make_folders=True)

    @classmethod
    def load(cls, path: str | Path) -> Run:
        """The run in a file, in any version of the format. TineError when it cannot be read."""
        return cls.of(storage.read(path))

    def pause(self, path: str | Path) -> Path:
        """Mark the run paused and save it; as `save`. Nothing is stopped: a run here is a record, not a process."""
        self.status = RunStatus.PAUSED
        return self.save(path)

    @classmethod
    def resume(cls, path: str | Path) -> Run:
        """Load a run and mark it running in memory; the file stays as it is. Errors are those of `load`."""
        run = cls.load(path)
        run.status = RunStatus.RUNNING
        return run

    # -- inside -----------------------------------------------------------------------------------------------------

    def _position(self, text: str) -> int:
        if not isinstance(text, str):
            raise LookupFailure(f"a step is named by its id, and {shown(text)} is not text")
        graph = self.graph
        if text in graph:
            return graph.index(text)
        renamed = self._origin.legacy_ids.get(text) if self._origin else None
        return graph.index(renamed or graph.resolve(text))

    def _known(self, text: Any) -> str:
        return text if isinstance(text, str) and self._has(text) else self.graph.ids[self._position(text)]
