"""Extract: copies chosen steps and all they depend on into a new run (docs/FORMAT.md, section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from opentine_gui.core.edit.arguments import check_new_run, check_sources
from opentine_gui.core.edit.fork import FORK_POINT, cut_transcript, forked_manifest, last_model, turn_owner
from opentine_gui.core.errors import AmbiguousStep, EditError, LookupFailure, shown
from opentine_gui.core.format.canonical import canonical, sha256_hex, step_id
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_address import same_hashed_content
from opentine_gui.core.model import JsonObject, RunStatus, StepKind, short_id
from opentine_gui.core.record import MAIN, RunRecord, inherit

_NO_TURN = ""
"""A fork point that no turn has, so that `cut_transcript` keeps turns by their step alone."""


def extract(
    records: Sequence[RunRecord],
    steps: Iterable[str],
    *,
    now: float,
    nonce: str,
    new_run_id: str | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
) -> RunRecord:
    """A new run with `steps` (full ids or unique prefixes) and all they depend on: parents and causes, ids unchanged.

    `metadata.extract` names the sources and, for each, the tips among the steps taken from it; the first source is also
    `forked_from`. The cache is not copied, and of the first source's transcript only turns of steps that were taken.
    `now` is Unix seconds; `nonce` makes two extracts of the same steps differ.
    LookupFailure for an unknown step; EditError for none, or for one id with different content in the sources.
    """
    check_sources(records)
    check_new_run(now=now, new_run_id=new_run_id, tags=tags, title=title, nonce=nonce)
    chosen = _by_record(records, steps)
    places = [place for place, found in enumerate(chosen) if found]
    if not places:
        raise EditError("no step was named to be taken out")
    graph = Graph.empty()
    sources: list[JsonObject] = []
    for place in places:
        source = records[place].graph
        kept = source.closure(sorted(chosen[place]))
        _refuse_conflicts(graph, source, kept)
        graph = graph.with_records(source, kept) if len(graph) else source.subset(kept)
        sources.append(
            {
                "run_id": records[place].run_id,
                "digest": records[place].stored_digest,
                "tips": [source.ids[position] for position in _uncovered(source, kept)],
            }
        )
    return _run_of(
        [records[place] for place in places],
        graph,
        sources,
        now=now,
        nonce=nonce,
        new_run_id=new_run_id,
        title=title,
        tags=tags,
    )


def _run_of(
    taken_from: Sequence[RunRecord],
    graph: Graph,
    sources: list[JsonObject],
    *,
    now: float,
    nonce: str,
    new_run_id: str | None,
    title: str | None,
    tags: Sequence[str] | None,
) -> RunRecord:
    """The new run with `graph`; prompts, policies, refs and transcript come from the first of the sources."""
    first = taken_from[0]
    tips = sources[0]["tips"]
    model = last_model(graph) or first.model_info
    provenance: JsonObject = {
        "version": 1,
        "sources": sources,
        "slice": sha256_hex(canonical(sorted(graph.ids))),
        "slice_size": len(graph),
    }
    metadata: JsonObject = {
        "model_info": model,
        "system_prompt": first.system_prompt,
        "user_prompt": first.user_prompt,
        "forked_from": first.run_id,
        "extract": provenance,
    }
    if len(tips) == 1 and len(sources) == 1:
        metadata[FORK_POINT] = tips[0]
    if title is not None:
        metadata["title"] = title
    cleaned = normalised_tags(tags)
    if cleaned:
        metadata["tags"] = cleaned
    end = first.main_tip
    whole = end is not None and end in graph
    refs = {name: identity for name, identity in first.refs.items() if identity in graph}
    refs[MAIN] = end if whole and end is not None else graph.ids[-1]
    return RunRecord(
        origins=inherit(metadata, taken_from),
        run_id=new_run_id or step_id(StepKind.MODEL, {"extract": provenance, "nonce": nonce}),
        # Without the main tip of its source the run is not finished; it can be continued.
        status=first.status if whole else RunStatus.PAUSED,
        created_at=now,
        graph=graph,
        refs=refs,
        manifest=forked_manifest(first.manifest, graph, model),
        policies=first.policies,
        metadata=metadata,
        transcript_text=_turns(first, graph),
        legacy_ids={old: new for old, new in first.legacy_ids.items() if new in graph},
    )


def _by_record(records: Sequence[RunRecord], steps: Iterable[str]) -> list[set[int]]:
    """For each run, the positions of the steps to take from it; each is taken from the first run that has it."""
    if isinstance(steps, str) or not isinstance(steps, Iterable):
        raise LookupFailure("the steps must be a list of ids")
    found: list[set[int]] = [set() for _ in records]
    for text in steps:
        failures: list[LookupFailure] = []
        for place, record in enumerate(records):
            try:
                found[place].add(record.graph.index(record.resolve(text)))
                break
            except LookupFailure as error:
                failures.append(error)
        else:
            several = [one for failure in failures if isinstance(failure, AmbiguousStep) for one in failure.candidates]
            said = f"no run has one step {shown(text)}"
            if len(failures) == 1:
                raise failures[0]
            raise AmbiguousStep(said, candidates=list(dict.fromkeys(several))) if several else LookupFailure(said)
    return found


def _refuse_conflicts(graph: Graph, source: Graph, kept: Sequence[int]) -> None:
    for position in kept:
        identity = source.ids[position]
        if identity in graph:
            mine, other = graph.raw(identity), source.raw(position)
            if mine != other and not same_hashed_content(mine, other):
                raise EditError(f"step {short_id(identity)!r} has different content in the runs")


def _uncovered(graph: Graph, kept: Sequence[int]) -> list[int]:
    """The kept steps on which no other kept step depends, through parents or causes."""
    covered = {graph.ids[parent] for position in kept for parent in graph.parents[position]}
    covered.update(*[graph.causal.get(position, ()) for position in kept])
    return [position for position in kept if graph.ids[position] not in covered]


def _turns(record: RunRecord, graph: Graph) -> bytes:
    """The transcript items of the steps taken. A transcript without step ids is copied only with the whole run."""
    if all(identity in graph for identity in record.graph.ids):
        return bytes(record.transcript_text)
    items = record.transcript_items()
    if not any(turn_owner(item) for item in items):
        return b"[]"
    return cut_transcript(record, _NO_TURN, graph)
