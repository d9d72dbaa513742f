"""The immutable value of a whole document, and what can be said about it without decoding payloads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from opentine_gui.core.container import Container
from opentine_gui.core.errors import FormatError, LookupFailure
from opentine_gui.core.graph import Graph, Raw
from opentine_gui.core.model import CostState, JsonObject, RunStatus
from opentine_gui.core.pace import Pace, Progress, Stop, batches, collector_paused
from opentine_gui.core.steprecord import COST_STATES, Columns

_raws = msgspec.json.Decoder(list[msgspec.Raw])
_values = msgspec.json.Decoder(list[Any])

SourceFormat = Literal["0", "article", "1", "2"]
FORMAT_VERSION = 2
_TITLE_LENGTH = 80
_UNPRICED = COST_STATES.index(CostState.UNPRICED)
_PARTIAL = COST_STATES.index(CostState.PARTIAL)
_NOT_RECORDED = COST_STATES.index(CostState.NOT_RECORDED)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in the file a record was read from."""

    format: SourceFormat = "2"
    container: Container = "plain"
    integrity: Any = None
    order_stored: bool = True
    size: int = 0


class Totals(msgspec.Struct, frozen=True):
    """Sums over steps (format section 3.7): US dollars, seconds, tokens, and how much of the cost is missing."""

    steps: int = 0
    cost: float = 0.0
    duration: float = 0.0
    tokens: int = 0
    unpriced: int = 0
    not_recorded: int = 0
    tokens_recorded: int = 0

    @property
    def cost_known(self) -> bool:
        """Whether at least one step says what it cost."""
        return self.steps > self.unpriced + self.not_recorded or self.cost > 0


class Lineage(msgspec.Struct, frozen=True):
    """Where a run comes from: the fork or merge its metadata names."""

    forked_from: str | None = None
    fork_point: str | None = None
    fork: JsonObject | None = None
    merge: JsonObject | None = None


class RunRecord(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A whole document (format section 3.1). Change it with `edited`, which forgets the digest and the signature.

    `untouched` says that nothing was edited since the record was read; while `metadata.integrity` is there it is
    saved as it is, and where it is missing (an edit, a migration) a save computes a new digest.
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

    @property
    def format_version(self) -> int:
        """Always 2: older documents are migrated when read; `source_format` says what they were."""
        return FORMAT_VERSION

    @property
    def source_format(self) -> SourceFormat:
        """The form the document was read in."""
        return self.source.format if self.source else "2"

    @property
    def container(self) -> Container:
        """How the file that was read is stored."""
        return self.source.container if self.source else "plain"

    @property
    def cache(self) -> JsonObject:
        """The replay cache, decoded anew on each access."""
        return _decoded(self.cache_text, "cache")  # type: ignore[no-any-return]

    @property
    def transcript(self) -> list[Any]:
        """The transcript's items, decoded anew on each access."""
        return _decoded(self.transcript_text, "transcript")  # type: ignore[no-any-return]

    def read_transcript(self, progress: Progress | None = None, cancelled: Stop | None = None) -> list[Any]:
        """The same in slices, for a long one: `progress` gets fractions from 0 to 1. Cancelled when it is stopped."""
        pace = Pace(progress, cancelled)
        turns: list[Any] = []
        with collector_paused():
            texts = _raws.decode(self.transcript_text)
            for part in batches(texts):
                turns += _values.decode(b"[" + b",".join(texts[part]) + b"]")
                pace.at(len(turns) / len(texts))
        return turns

    @property
    def model_info(self) -> str:
        """The run's model: `manifest.model.name`, else `metadata.model_info`, else empty (format section 3.3)."""
        model = self.manifest.get("model")
        name = model.get("name") if isinstance(model, dict) else None
        return name if isinstance(name, str) else _text(self.metadata.get("model_info"))

    @property
    def system_prompt(self) -> str:
        """The system prompt, or empty."""
        return _text(self.metadata.get("system_prompt"))

    @property
    def user_prompt(self) -> str:
        """The user prompt, or empty."""
        return _text(self.metadata.get("user_prompt"))

    @property
    def tags(self) -> tuple[str, ...]:
        """The run's tags, normalised (format section 3.3)."""
        return tuple(normalised_tags(self.metadata.get("tags")))

    @property
    def title(self) -> str:
        """A title for people: `metadata.title`, else the first line of the user prompt, else the run id."""
        given = self.metadata.get("title")
        for text in (given, self.user_prompt):
            if isinstance(text, str) and text.strip():
                line = text.strip().splitlines()[0]
                return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1] + "…"
        return self.run_id

    @property
    def lineage(self) -> Lineage:
        """The fork and merge records this run carries."""
        metadata = self.metadata
        fork, merge = metadata.get("fork"), metadata.get("merge")
        return Lineage(
            forked_from=_text(metadata.get("forked_from")) or None,
            fork_point=_text(metadata.get("fork_point")) or None,
            fork=fork if isinstance(fork, dict) else None,
            merge=merge if isinstance(merge, dict) else None,
        )

    @property
    def signature(self) -> Any:
        """The stored signature block, unchecked, or None."""
        integrity = self.metadata.get("integrity")
        return integrity.get("signature") if isinstance(integrity, dict) else None

    @property
    def totals(self) -> Totals:
        """Sums over all steps."""
        return totals_of(self.graph)

    @property
    def inherited_positions(self) -> list[int]:
        """Positions of the steps a fork took over: the fork point and everything it rests on; empty for other runs."""
        point = self.lineage.fork_point
        if point is None or point not in self.graph:
            return []
        return self.graph.closure([self.graph.index(point)])

    @property
    def inherited_totals(self) -> Totals:
        """Sums over the steps a fork took over."""
        return totals_of(self.graph, self.inherited_positions)

    @property
    def own_totals(self) -> Totals:
        """Sums over the steps this run added itself: all of them unless it is a fork."""
        inherited = set(self.inherited_positions)
        if not inherited:
            return self.totals
        return totals_of(self.graph, [position for position in range(len(self.graph)) if position not in inherited])

    @property
    def metrics_reset(self) -> bool:
        """Whether the fork was made with its own totals starting at zero."""
        return isinstance(self.metadata.get("inherited"), dict)

    @property
    def shown_totals(self) -> Totals:
        """The run's own totals when its metrics were reset by the fork, else the totals of all steps."""
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
        """Where the run stands: the step `main` names, else the last one (format section 11); None without steps."""
        main = self.refs.get("main")
        if main and main in self.graph:
            return main
        return self.graph.ids[-1] if len(self.graph) else None

    def resolve(self, text: str) -> str:
        """The full id that a full id, a unique prefix, a ref name or an id from before a migration names.

        LookupFailure when it is unknown or ambiguous.
        """
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
        """The record with fields replaced; the stored digest and signature no longer hold and are dropped.

        An autosave mark is dropped too: what a person changed and saves is not an autosave any more.
        """
        metadata = dict(changes.pop("metadata", self.metadata))
        metadata.pop("integrity", None)
        metadata.pop("autosave", None)
        changes.setdefault("draft", None)
        return msgspec.structs.replace(self, metadata=metadata, untouched=False, **changes)

    def with_graph(self, graph: Graph, **changes: Any) -> RunRecord:
        """The record with another graph."""
        return self.edited(graph=graph, **changes)


def will_drop_signature(record: RunRecord) -> bool:
    """Whether saving loses a signature: the file it came from was signed, and the document is not the same any more."""
    integrity = record.source.integrity if record.source else None
    signed = isinstance(integrity, dict) and integrity.get("signature") is not None
    return signed and "integrity" not in record.metadata


def totals_of_columns(columns: Columns) -> Totals:
    """Sums over all steps whose figures stand in `columns`."""
    states = columns.cost_states
    counted = [count for count in columns.tokens if count >= 0]
    return Totals(
        steps=len(columns.kinds),
        cost=sum(columns.costs),
        duration=sum(columns.durations),
        tokens=sum(counted),
        unpriced=states.count(_UNPRICED) + states.count(_PARTIAL),
        not_recorded=states.count(_NOT_RECORDED),
        tokens_recorded=len(counted),
    )


def totals_of(graph: Graph, positions: Iterable[int] | None = None) -> Totals:
    """Sums over the steps at `positions`, or over all."""
    if positions is None:
        return totals_of_columns(graph.columns)
    chosen = positions if isinstance(positions, range) else list(positions)
    columns = graph.columns
    costs: Iterable[float]
    durations: Iterable[float]
    tokens: Iterable[int]
    if isinstance(chosen, range) and chosen.step == 1:  # a run of steps is cut out at once
        part = slice(chosen.start, chosen.stop)
        costs, durations, tokens = columns.costs[part], columns.durations[part], columns.tokens[part]
        states = columns.cost_states[part]
    else:
        costs, durations = map(columns.costs.__getitem__, chosen), map(columns.durations.__getitem__, chosen)
        tokens = map(columns.tokens.__getitem__, chosen)
        states = bytearray(map(columns.cost_states.__getitem__, chosen))
    counted = [count for count in tokens if count >= 0]
    return Totals(
        steps=len(chosen),
        cost=sum(costs),
        duration=sum(durations),
        tokens=sum(counted),
        unpriced=states.count(_UNPRICED) + states.count(_PARTIAL),
        not_recorded=states.count(_NOT_RECORDED),
        tokens_recorded=len(counted),
    )


def source_run_ids(metadata: JsonObject) -> tuple[str, ...]:
    """The runs a run was forked from or merged of, as its metadata says, each once."""
    found = [_text(metadata.get("forked_from"))]
    merge = metadata.get("merge")
    sources = merge.get("sources") if isinstance(merge, dict) else None
    for source in sources if isinstance(sources, list) else ():
        if isinstance(source, dict):
            found.append(_text(source.get("run_id")))
    return tuple(dict.fromkeys([run_id for run_id in found if run_id]))


def normalised_tags(tags: Any) -> list[str]:
    """Stripped, lower-cased, without empties and repeats, sorted (format section 3.3)."""
    if isinstance(tags, str):
        tags = [tags]
    if not isinstance(tags, list | tuple | set | frozenset):
        return []
    cleaned = {tag.strip().lower() for tag in tags if isinstance(tag, str)}
    return sorted(cleaned - {""})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _decoded(text: Raw, place: str) -> Any:
    try:
        return msgspec.json.decode(bytes(text))
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FormatError("a part of the document cannot be read", place=place, cause=error) from error
