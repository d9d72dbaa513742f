"""`RunRecord`, the immutable value of a whole document, and what it says without decoding payloads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from opentine_gui.core.errors import EditError, FormatError, LookupFailure, TineError, shown
from opentine_gui.core.format.container import Container
from opentine_gui.core.format.metadata import (
    Lineage,
    at_least_in,
    is_import,
    lineage_of,
    marks_in,
    normalised_tags,
    set_marks,
    text_of,
)
from opentine_gui.core.format.source import Check, Source, SourceFormat
from opentine_gui.core.graph.graph import Graph, Raw
from opentine_gui.core.graph.outcomes.not_run import MOST_BY_HAND, has_outcome, not_run_at
from opentine_gui.core.graph.totals import Totals, totals_of, with_stated
from opentine_gui.core.model import JsonObject, RunStatus, check_all, check_objects, check_type, is_number
from opentine_gui.core.progress import Pace, Progress, Stop, batches, collector_paused

FORMAT_VERSION = 2
MAIN = "main"
"""The ref to the end of the main branch (docs/FORMAT.md, section 3.1)."""
_TITLE_LENGTH = 80
_SOLID = re.compile(r"\S")
_FARTHEST_PROMPT, _LARGEST_PROMPT = 10_000, 256 << 10


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A whole document (docs/FORMAT.md, section 3.1). Change it with `edited`, which drops digest and signature.

    `untouched`: nothing was edited since the record was read. `metadata.integrity` is saved as it is; where it is
    missing (after an edit or a migration), saving computes a new digest. `origins` are the records, as they were
    read, that this one was made from and nobody has checked yet: what is saved says which of them did not verify.
    """

    run_id: str
    status: RunStatus = RunStatus.RUNNING
    created_at: int | float = 0.0
    graph: Graph
    refs: dict[str, str] = {}
    manifest: JsonObject = {}
    policies: JsonObject = {}
    metadata: JsonObject = {}
    draft: bool | None = None
    cache_text: Raw = b"{}"
    transcript_text: Raw = b"[]"
    extra: JsonObject = {}
    graph_extra: JsonObject = {}
    legacy_ids: dict[str, str] = {}
    source: Source | None = None
    untouched: bool = False
    origins: tuple[RunRecord, ...] = ()

    def __post_init__(self) -> None:
        """FormatError for a field of another type, so that it is refused where it is given and not where it is used."""
        check_type(self, "run_id", str, "text")
        check_type(self, "status", RunStatus, "a status of a run")
        if not is_number(self.created_at):
            raise FormatError(f"{shown(self.created_at)} is not a finite number", place="created_at")
        check_type(self, "graph", Graph, "the graph of a run")
        check_objects(self, "refs", "manifest", "policies", "metadata", "extra", "graph_extra", "legacy_ids")
        for name in ("refs", "legacy_ids"):
            check_all(self, name, str, "the id of a step")
        for name in ("cache_text", "transcript_text"):
            check_type(self, name, (bytes, msgspec.Raw), "JSON as bytes")
        check_type(self, "source", (Source, type(None)), "the source of a run")
        check_type(self, "draft", (bool, type(None)), "a mark of a draft")
        check_type(self, "origins", tuple, "a tuple of records")
        check_all(self, "origins", RunRecord, "the record of a run")

    @property
    def format_version(self) -> int:
        """Always 2: older documents are migrated when read; see `source_format`."""
        return FORMAT_VERSION

    @property
    def source_format(self) -> SourceFormat:
        """The format of the file that was read; "2" for a new run."""
        return self.source.format if self.source else "2"

    @property
    def container(self) -> Container:
        """The container of the file that was read; "plain" for a new run."""
        return self.source.container if self.source else "plain"

    @property
    def cache(self) -> JsonObject:
        """The replay cache, decoded anew on each access."""
        return _decoded(self.cache_text, "cache", dict)  # type: ignore[no-any-return]

    @property
    def transcript(self) -> list[Any]:
        """The transcript's items, decoded anew on each access."""
        return _decoded(self.transcript_text, "transcript", list)  # type: ignore[no-any-return]

    def read_transcript(self, progress: Progress | None = None, cancelled: Stop | None = None) -> list[Any]:
        """As `transcript`, decoded in slices; `progress` gets fractions from 0 to 1. Cancelled when stopped."""
        pace = Pace(progress, cancelled)
        turns: list[Any] = []
        with collector_paused():
            texts = self.transcript_items()
            for part in batches(texts):
                turns += _decoded(b"[" + b",".join(texts[part]) + b"]", "transcript", list)
                pace.at(len(turns) / len(texts))
        return turns

    def transcript_items(self) -> list[msgspec.Raw]:
        """The texts of the transcript's items. FormatError where it is no list of JSON."""
        return _decoded(self.transcript_text, "transcript", list[msgspec.Raw])  # type: ignore[no-any-return]

    def cache_members(self) -> dict[str, msgspec.Raw]:
        """The texts of the replay cache's answers, by their keys. FormatError where it is no object of JSON."""
        return _decoded(self.cache_text, "cache", dict[str, msgspec.Raw])  # type: ignore[no-any-return]

    @property
    def model_info(self) -> str:
        """The run's model: `manifest.model.name`, else `metadata.model_info`, else "" (docs/FORMAT.md, section 3.3)."""
        model = self.manifest.get("model")
        name = model.get("name") if isinstance(model, dict) else None
        return name if isinstance(name, str) else text_of(self.metadata.get("model_info"))

    @property
    def system_prompt(self) -> str:
        """The system prompt, or ""."""
        return text_of(self.metadata.get("system_prompt"))

    @property
    def user_prompt(self) -> str:
        """The user prompt, or ""."""
        return text_of(self.metadata.get("user_prompt"))

    @property
    def tags(self) -> tuple[str, ...]:
        """The run's tags, normalised (docs/FORMAT.md, section 3.3)."""
        return tuple(normalised_tags(self.metadata.get("tags")))

    @property
    def is_imported(self) -> bool:
        """Whether the run was made from another program's log, by us or by the package, and says so."""
        return is_import(self.metadata)

    @property
    def at_least(self) -> str:
        """Why sums of tokens and costs are lower bounds, as the importer of another format found; "" when they hold."""
        return at_least_in(self.metadata)

    @property
    def title(self) -> str:
        """The title to show: the first line of `metadata.title` or else of the user prompt, else the run id."""
        return _first_line(self.metadata.get("title")) or _first_line(self.user_prompt) or self.run_id

    @property
    def asked_last(self) -> str:
        """The first line of what a person asked last on the way to the main tip.

        "" where no prompt is a step within 10,000 steps of it, or its record is larger than 256 kB: the name of a tab
        needs it, and a frame may not wait for a megabyte to be decoded.
        """
        graph, prompts, tip = self.graph, self.graph.v3_kinds, self.refs.get(MAIN, "")
        place = next(graph.turns(graph.index(tip), _FARTHEST_PROMPT), -1) if prompts and tip in graph else -1
        if place < 0 or len(graph.raws[place]) > _LARGEST_PROMPT:
            return ""
        try:
            return _first_line(graph.step(place).inputs.get("text"))
        except TineError:  # what cannot be read is said where the step is shown
            return ""

    @property
    def lineage(self) -> Lineage:
        """The fork and merge records in the metadata."""
        return lineage_of(self.metadata)

    @property
    def signature(self) -> Any:
        """The stored signature block, unchecked, or None."""
        integrity = self.metadata.get("integrity")
        return integrity.get("signature") if isinstance(integrity, dict) else None

    @property
    def totals(self) -> Totals:
        """Sums over all steps, and what the log states of the whole run where no step records it."""
        return with_stated(totals_of(self.graph), self.metadata)

    @property
    def inherited_positions(self) -> list[int]:
        """Positions of the steps a fork inherited: the fork point and all it depends on; empty for other runs."""
        point = self.lineage.fork_point
        if point is None or point not in self.graph:
            return []
        return self.graph.closure([self.graph.index(point)])

    @property
    def has_not_run(self) -> bool:
        """Whether its last steps, as written by hand, have no outcome: those of a fork or a merge, or behind a log."""
        lineage, tip = self.lineage, self.main_tip
        if tip is None or tip not in self.graph:
            return False
        if self.is_imported and not_run_at(self.graph, self.graph.index(tip)):
            return True
        if tip == lineage.fork_point or (lineage.merge is not None and tip == lineage.merge.get("step")):
            return True
        if lineage.fork_point is None and lineage.forked_from is None:
            return False
        at = self.graph.index(tip)
        for _ in range(MOST_BY_HAND):
            parents = self.graph.parents[at]
            if has_outcome(self.graph, at) or len(parents) > 1:
                return False
            if not parents:  # the first step itself was edited, so nothing was kept
                return lineage.fork_point is None
            at = parents[0]
            if self.graph.ids[at] == lineage.fork_point:
                return True
        return False

    @property
    def waits_to_run(self) -> bool:
        """Whether it is to be called not run yet: `has_not_run`, unless its file says that it came to an end.

        The end that a log states is that of the log, and not of what was written behind it.
        """
        return (self.status is RunStatus.RUNNING or self.is_imported) and self.has_not_run

    @property
    def inherited_totals(self) -> Totals:
        """Sums over the steps a fork inherited."""
        return totals_of(self.graph, self.inherited_positions)

    @property
    def own_totals(self) -> Totals:
        """Sums over the steps this run added; all steps unless it is a fork."""
        inherited = set(self.inherited_positions)
        if not inherited:
            return self.totals
        return totals_of(self.graph, [position for position in range(len(self.graph)) if position not in inherited])

    @property
    def metrics_reset(self) -> bool:
        """Whether the fork was made with `reset_metrics`, so that its totals start at its fork point."""
        reset = isinstance(self.metadata.get("inherited"), dict)
        return reset and (self.lineage.fork_point or "") in self.graph

    @property
    def shown_totals(self) -> Totals:
        """`own_totals` if the fork reset the metrics, else `totals`."""
        return self.own_totals if self.metrics_reset else self.totals

    @property
    def roots(self) -> list[str]:
        """Ids of the steps without parents, in traversal order."""
        return [self.graph.ids[position] for position in self.graph.roots]

    @property
    def tips(self) -> list[str]:
        """Ids of the steps without children, in traversal order."""
        return [self.graph.ids[position] for position in self.graph.tips]

    @property
    def main_tip(self) -> str | None:
        """The step the `main` ref names, else the last one; None without steps (docs/FORMAT.md, section 11)."""
        main = self.refs.get(MAIN)
        if main and main in self.graph:
            return main
        return self.graph.ids[-1] if len(self.graph) else None

    @property
    def stored_digest(self) -> str:
        """The digest in the metadata, whatever form it has, or "" without one."""
        integrity: Any = self.metadata.get("integrity")
        digest = integrity.get("digest") if isinstance(integrity, dict) else None
        return digest if isinstance(digest, str) else ""

    def resolve(self, text: str) -> str:
        """The full step id for a full id, a unique prefix, a ref name or an id from before a migration.

        LookupFailure if it is unknown or ambiguous.
        """
        if not isinstance(text, str):
            raise LookupFailure(f"a step is named by its id, and {shown(text)} is not text")
        if text in self.legacy_ids:
            return self.legacy_ids[text]
        try:
            return self.graph.resolve(text)
        except LookupFailure:
            if text and self.refs.get(text):
                return self.refs[text]
            old = {new for name, new in self.legacy_ids.items() if text and name.startswith(text)}
            if len(old) == 1:
                return old.pop()
            raise

    def edited(self, **changes: Any) -> RunRecord:
        """A copy with fields replaced, without the stored digest and signature, which no longer hold.

        Autosave marks (`draft`, `metadata.autosave`) are dropped too.
        """
        metadata = dict(changes.pop("metadata", self.metadata))
        metadata.pop("integrity", None)
        metadata.pop("autosave", None)
        changes.setdefault("draft", None)
        changes["origins"] = inherit(metadata, [self])
        return msgspec.structs.replace(self, metadata=metadata, untouched=False, **changes)

    def with_graph(self, graph: Graph, **changes: Any) -> RunRecord:
        """As `edited`, with another graph."""
        return self.edited(graph=graph, **changes)


def inherit(metadata: JsonObject, records: Iterable[RunRecord]) -> tuple[RunRecord, ...]:
    """The origins of a run made from `records` that are not checked yet; marks of the others go into its metadata."""
    origins: dict[int, RunRecord] = {}
    marks = marks_in(metadata)
    for record in records:
        marks += marks_in(record.metadata)
        for origin in (record,) if record.untouched and record.source is not None else record.origins:
            check = origin.source.check if origin.source is not None else Check()
            if not check.done:
                origins[id(origin)] = origin
            elif check.mark is not None:
                marks.append(check.mark)
    set_marks(metadata, marks)
    return tuple(origins.values())


def lower_bounds(records: Iterable[RunRecord]) -> JsonObject:
    """What the metadata of a run made of several says of its sums: lower bounds if those of any are; {} otherwise."""
    why = next((record.at_least for record in records if record.at_least), "")
    return {"capture": {"at_least": why}} if why else {}


def will_drop_signature(record: RunRecord) -> bool:
    """Whether saving drops a signature: the file was signed and the document has been changed."""
    check_records(record)
    integrity = record.source.integrity if record.source else None
    signed = isinstance(integrity, dict) and integrity.get("signature") is not None
    return signed and "integrity" not in record.metadata


def check_records(*records: object) -> None:
    """EditError unless each value is a run's record."""
    for record in records:
        if not isinstance(record, RunRecord):
            raise EditError(f"{shown(record)} is not the record of a run")


def check_record_list(records: object) -> None:
    """EditError unless the value is a list of runs' records."""
    if not isinstance(records, list | tuple):
        raise EditError("the runs must be a list of records")
    check_records(*records)


def _first_line(text: object) -> str:
    """The first line of a text that is not empty, at most 80 characters of it; "" for anything else."""
    begin = _SOLID.search(text) if isinstance(text, str) else None
    if begin is None:
        return ""
    # Only the beginning is looked at: a prompt may be as long as a file.
    line = begin.string[begin.start() : begin.start() + _TITLE_LENGTH + 1].splitlines()[0].rstrip()
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"


def _decoded(text: Raw, place: str, shape: Any) -> Any:
    try:
        return msgspec.json.decode(text, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError("a part of the document cannot be read", place=place, cause=error) from error
