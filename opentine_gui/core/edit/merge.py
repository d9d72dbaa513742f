"""Merge: steps of one or several runs become the ordered parents of one new step (docs/FORMAT.md, section 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from opentine_gui.core.edit.arguments import check_new_run, check_sources
from opentine_gui.core.edit.fork import cut_transcript, forked_manifest
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.errors import AmbiguousStep, EditError, LookupFailure, shown
from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_address import StepVerdict, check_graph_ids, same_hashed_content
from opentine_gui.core.graph.totals import Totals, totals_of
from opentine_gui.core.model import JsonObject, RunStatus, StepKind, short_id
from opentine_gui.core.record import MAIN, RunRecord, inherit, lower_bounds

Parent = str | tuple[int, str]
"""A step to merge: a full id or unique prefix, looked up in all runs, or (index of the run, id in that run)."""

FEWEST_PARENTS = 2
_MANY = 5


class MergePreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a merge would do. `only_here` counts, for each source run, the steps that no other source has."""

    parents: tuple[str, ...]
    sources: tuple[int, ...]
    merge_bases: tuple[str, ...]
    union: int
    only_here: tuple[int, ...]
    totals: Totals
    warnings: tuple[str, ...]
    refusals: tuple[str, ...]


class _Join(msgspec.Struct):
    """The parents as (run, full id), the graph that has them all, and the warnings and refusals."""

    places: list[tuple[int, str]]
    graph: Graph
    only_here: list[int]
    warnings: list[str]
    refusals: list[str]


def _by_id(identity: str) -> str:
    return f"step {short_id(identity)!r}"


def preview_merge(
    records: Sequence[RunRecord],
    parents: Sequence[Parent],
    *,
    allow_ancestor: bool = False,
    named: Callable[[str], str] = _by_id,
) -> MergePreview:
    """What `merge` would do, with all reasons to refuse it. Raises LookupFailure for unknown steps, not for refusals.

    The ids of all steps involved are recomputed, and those that do not verify give a warning.
    `named` says how warnings and refusals call a step, by its full id.
    """
    join = _join(records, parents, allow_ancestor=allow_ancestor, check=True, named=named)
    graph = join.graph
    ids = [identity for _, identity in join.places]
    bases = graph.merge_bases([graph.index(identity) for identity in dict.fromkeys(ids)])
    return MergePreview(
        parents=tuple(ids),
        sources=tuple(source for source, _ in join.places),
        merge_bases=tuple(graph.ids[position] for position in bases),
        union=len(graph),
        only_here=tuple(join.only_here),
        totals=totals_of(graph),
        warnings=tuple(join.warnings),
        refusals=tuple(join.refusals),
    )


def merge(
    records: Sequence[RunRecord],
    parents: Sequence[Parent],
    *,
    inputs: JsonObject,
    now: float,
    nonce: str,
    kind: StepKind | str = StepKind.MODEL,
    outputs: JsonObject | None = None,
    model_info: str | None = None,
    tool_info: JsonObject | None = None,
    duration: float = 0.0,
    cost: float = 0.0,
    usage: dict[str, int | float] | None = None,
    allow_ancestor: bool = False,
    new_run_id: str | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    ref: str | None = None,
    new_run: bool = False,
) -> RunRecord:
    """Add one new step whose parents are `parents`, in that order. EditError says why a merge is refused.

    Given one run, the result is that run with the step added: an edit of the document. Given several, it is a new run
    in status `running` with the parents and their ancestors, a ref to each parent, the first parent's transcript and a
    `metadata.merge` record. Transcripts are never mixed. With `new_run` one run gives a new run too, with all its
    steps, refs and turns. `now` is Unix seconds.

    Without `ref`, `main` names the step in a new run of several. Inside one run `main` moves to the step only if the
    main tip is one of the parents; otherwise the step gets the ref `merge`, or `merge-2` and so on if that is taken.
    """
    join = _join(records, parents, allow_ancestor=allow_ancestor, check=False)
    if join.refusals:
        raise EditError(f"the steps cannot be merged: {join.refusals[0]}")
    first = records[join.places[0][0]]
    model = first.model_info if model_info is None else model_info
    ids = tuple(identity for _, identity in join.places)
    check_new_run(now=now, new_run_id=new_run_id, tags=tags, ref=ref, title=title, nonce=nonce, model=model)
    step = new_step(
        kind,
        inputs,
        ids,
        timestamp=now,
        outputs=outputs,
        model_info=model,
        tool_info=tool_info,
        duration=duration,
        cost=cost,
        usage=usage,
    )
    identity = step.id
    if identity in join.graph:
        raise EditError(f"the same merge is in the run already, as step {short_id(identity)!r}")
    graph = join.graph.with_steps([step])
    alone = len(records) == 1
    name = ref or (free_ref(first, ids, "merge") if alone else MAIN)
    if alone and not new_run:
        return first.with_graph(graph, refs={**first.refs, name: identity})
    bases = graph.merge_bases([graph.index(parent) for parent in ids])
    provenance: JsonObject = {
        "version": 1,
        "sources": [
            {"run_id": records[place].run_id, "tip": tip, "digest": records[place].stored_digest}
            for place, tip in join.places
        ],
        "merge_bases": [graph.ids[position] for position in bases],
        "step": identity,
    }
    metadata: JsonObject = {
        "model_info": model,
        "system_prompt": first.system_prompt,
        "user_prompt": first.user_prompt,
        "merge": provenance,
        **lower_bounds(records[place] for place, _ in join.places),
    }
    if title is not None:
        metadata["title"] = title
    cleaned = normalised_tags(tags)
    if cleaned:
        metadata["tags"] = cleaned
    refs = {f"parent-{number}": tip for number, tip in enumerate(ids, 1)}
    refs |= first.refs if alone else {MAIN: identity}
    return RunRecord(
        origins=inherit(metadata, [records[place] for place in dict.fromkeys(place for place, _ in join.places)]),
        run_id=new_run_id or step_id(StepKind.MODEL, {"merge": provenance, "nonce": nonce}),
        status=RunStatus.RUNNING,
        created_at=now,
        graph=graph,
        refs={**refs, name: identity},
        manifest=forked_manifest(first.manifest, graph, model),
        policies=first.policies,
        metadata=metadata,
        transcript_text=first.transcript_text
        if alone
        else cut_transcript(first, ids[0], first.graph.subset(_closure(first, ids[0]))),
        legacy_ids={old: new for record in records for old, new in record.legacy_ids.items() if new in graph},
    )


def free_ref(record: RunRecord, parents: Sequence[str], word: str) -> str:
    """The ref of a new step inside a run: `main` if the main tip is one of its parents, else `word`, `word-2`, …"""
    if record.main_tip in parents:
        return MAIN
    number = 1
    while (name := word if number == 1 else f"{word}-{number}") in record.refs:
        number += 1
    return name


def _join(
    records: Sequence[RunRecord],
    parents: Sequence[Parent],
    *,
    allow_ancestor: bool,
    check: bool,
    named: Callable[[str], str] = _by_id,
) -> _Join:
    check_sources(records)
    if not isinstance(parents, list | tuple):
        raise LookupFailure("the parents must be a list of steps")
    places = [_find(records, parent) for parent in parents]
    refusals: list[str] = []
    warnings: list[str] = []
    if len(records) == 1:
        graph = records[0].graph
        only_here = [len(graph)]
    else:
        graph, only_here = _union(records, places, warnings, refusals, named)
    ids = [identity for _, identity in places]
    if len(ids) < FEWEST_PARENTS:
        refusals.append("a merge needs at least two steps")
    refusals += [f"{named(identity)} is named twice" for identity in dict.fromkeys(ids) if ids.count(identity) > 1]
    if not allow_ancestor:
        refusals += _ancestry(graph, list(dict.fromkeys(ids)), named)
    if check:
        warnings += _unverified(graph, graph.closure([graph.index(identity) for identity in ids]))
    return _Join(places, graph, only_here, warnings, refusals)


def _find(records: Sequence[RunRecord], parent: Any) -> tuple[int, str]:
    """(index of the run, full id) of a step to merge."""
    if isinstance(parent, tuple):
        place, text = parent if len(parent) == 2 else (None, None)
        if not isinstance(place, int) or not isinstance(text, str):
            raise LookupFailure(
                f"a parent is a step's id, or a run's number and a step's id; {shown(parent)} is neither"
            )
        if not 0 <= place < len(records):
            raise LookupFailure(f"there is no run number {shown(place + 1)} in this merge")
        return place, records[place].resolve(text)
    if not isinstance(parent, str):
        raise LookupFailure(f"a step is named by its id, and {shown(parent)} is not text")
    found: list[tuple[int, str]] = []
    failures: list[LookupFailure] = []
    for place, record in enumerate(records):
        try:
            found.append((place, record.resolve(parent)))
        except AmbiguousStep:
            raise
        except LookupFailure as error:
            failures.append(error)
    if len({identity for _, identity in found}) > 1:
        said = f"{parent[:64]!r} names different steps in the runs; give more characters or say which run"
        raise AmbiguousStep(said, candidates=list(dict.fromkeys(identity for _, identity in found)))
    if found:
        return found[0]
    if len(records) == 1:
        raise failures[0]
    raise LookupFailure(f"there is no step {parent[:64]!r} in any of the runs")


def _closure(record: RunRecord, identity: str) -> list[int]:
    return record.graph.closure([record.graph.index(identity)])


def _union(
    records: Sequence[RunRecord],
    places: list[tuple[int, str]],
    warnings: list[str],
    refusals: list[str],
    named: Callable[[str], str],
) -> tuple[Graph, list[int]]:
    """(union of the parents and their ancestors, for each run the number of steps only it has)."""
    graph = Graph.empty()
    brought: list[set[str]] = [set() for _ in records]
    differing = 0
    for place, record in enumerate(records):
        tips = [record.graph.index(identity) for source, identity in places if source == place]
        if not tips:
            continue
        positions = record.graph.closure(tips)
        brought[place] = {record.graph.ids[position] for position in positions}
        shared = [position for position in positions if record.graph.ids[position] in graph]
        for position in shared:
            identity = record.graph.ids[position]
            mine, other = graph.raw(identity), record.graph.raw(position)
            if mine != other:
                if same_hashed_content(mine, other):
                    differing += 1
                else:
                    refusals.append(f"{named(identity)} has different content in the runs")
        graph = record.graph.subset(positions) if not len(graph) else graph.with_records(record.graph, positions)
    if differing:
        differ = "1 shared step differs" if differing == 1 else f"{differing:,} shared steps differ"
        warnings.append(f"{differ} in cost, time or usage; the first run's values are kept")
    only_here = []
    for place, mine_ids in enumerate(brought):
        others = set().union(*(ids for other, ids in enumerate(brought) if other != place))
        only_here.append(len(mine_ids - others))
    return graph, only_here


def _ancestry(graph: Graph, ids: list[str], named: Callable[[str], str]) -> list[str]:
    said = []
    for young in ids:
        for old in ids:
            if old != young and graph.is_ancestor(graph.index(old), graph.index(young)):
                said.append(f"there is nothing to join: {named(old)} is an ancestor of {named(young)}")
    return said


def _unverified(graph: Graph, positions: list[int]) -> list[str]:
    verdicts = check_graph_ids(graph, positions)
    if verdicts.count(StepVerdict.OK) == len(verdicts):
        return []
    bad = [
        short_id(graph.ids[position])
        for position, verdict in zip(positions, verdicts, strict=True)
        if verdict in (StepVerdict.MISMATCH, StepVerdict.REDACTED)
    ]
    if not bad:
        return []
    named = ", ".join(bad[:_MANY]) + (f" and {len(bad) - _MANY} more" if len(bad) > _MANY else "")
    return [f"{len(bad):,} of the steps taken along do not verify: {named}"]
