"""Fork: a new run that continues another one from a given step (docs/FORMAT.md, section 9)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import compress
from typing import Any

import msgspec

from opentine_gui.core.edit.arguments import check_new_run
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.errors import EditError, FormatError
from opentine_gui.core.format.canonical import canonical, check_names, sha256_hex, step_id
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_address import fork_id_of
from opentine_gui.core.graph.totals import Totals, totals_of
from opentine_gui.core.model import JsonObject, RunStatus, StepKind, short_id
from opentine_gui.core.progress import collector_paused
from opentine_gui.core.record import MAIN, RunRecord, check_records, inherit

FORK_POINT = "fork_point"
_NOT_INHERITED = ("budget_state", "fork", "integrity", "tags", "warnings", "autosave", "merge", "title", "inherited")
_PRICED = ("complete", "unmetered")
_LOWER_DIGEST = re.compile(r"[0-9a-f]{64}")


class ForkPreview(msgspec.Struct, frozen=True, kw_only=True):
    """What a fork would keep and drop; positions are those of the source graph."""

    point: str
    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    kept_totals: Totals
    dropped_totals: Totals
    kept_ids: tuple[str, ...]


def preview_fork(record: RunRecord, point: str, *, edited: bool = False) -> ForkPreview:
    """What `fork` would keep and drop; with `edited`, what `fork_and_edit` would. LookupFailure for an unknown point.

    The edited step itself is dropped: a sibling replaces it.
    """
    check_records(record)
    graph = record.graph
    identity = record.resolve(point)
    place = graph.index(identity)
    kept, dropped = _parted(graph.closure(graph.parents[place] if edited else [place]), len(graph))
    return ForkPreview(
        point=identity,
        kept=tuple(kept),
        dropped=tuple(dropped),
        kept_totals=totals_of(graph, kept),
        dropped_totals=totals_of(graph, dropped),
        kept_ids=graph.ids[: len(kept)] if isinstance(kept, range) else tuple(map(graph.ids.__getitem__, kept)),
    )


def _parted(kept: Sequence[int], count: int) -> tuple[Sequence[int], Sequence[int]]:
    """(kept, the other positions); both are ranges if `kept`, which ascends, is a prefix."""
    if not kept or kept[-1] == len(kept) - 1:
        return range(len(kept)), range(len(kept), count)
    outside = bytearray(b"\1") * count
    for position in kept:
        outside[position] = 0
    return kept, list(compress(range(count), outside))


def fork(
    record: RunRecord,
    point: str,
    *,
    now: float,
    nonce: str,
    new_run_id: str | None = None,
    branch: str = MAIN,
    ref: str | None = None,
    reason: str | None = None,
    intent: JsonObject | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    model_info: str | None = None,
    system_prompt: str | None = None,
    reset_metrics: bool = False,
) -> RunRecord:
    """A new run in status `running` with the step `point` (full id or unique prefix) and all it depends on.

    Step ids and records are unchanged.

    `now` is Unix seconds; `nonce` makes two forks of one point differ ("" gives a reproducible id); `ref` is an
    alias of `branch`. The run id is derived from the fork record unless `new_run_id` is given and not empty.
    """
    check_records(record)
    identity = record.resolve(point)
    retained = record.graph.closure([record.graph.index(identity)])
    return _fork(
        record,
        identity,
        retained,
        now=now,
        nonce=nonce,
        new_run_id=new_run_id,
        branch=ref or branch,
        reason=reason,
        intent=intent,
        title=title,
        tags=tags,
        model_info=model_info,
        system_prompt=system_prompt,
        reset_metrics=reset_metrics,
    )


def fork_and_edit(
    record: RunRecord,
    step: str,
    *,
    inputs: JsonObject,
    now: float,
    nonce: str,
    kind: StepKind | None = None,
    outputs: JsonObject | None = None,
    branch: str = MAIN,
    **options: Any,
) -> RunRecord:
    """Fork before `step` and add a sibling with edited inputs and the given outputs, empty by default.

    A step with one parent forks at that parent. A merge step forks at its last parent and keeps the ancestors of all
    its parents. A root has no fork point: the result is a new run that names its source and has the edited root.
    `options` are those of `fork`. EditError if the edited step is already in the run, FormatError for content
    that cannot be stored.
    """
    check_records(record)
    graph = record.graph
    original = graph.step(record.resolve(step))
    sibling = new_step(
        kind or original.kind,
        inputs,
        original.parent_ids,
        timestamp=now,
        outputs=outputs,
        model_info=original.model_info,
        tool_info=original.tool_info,
        provider=original.provider,
        v3_kind=original.v3_kind if kind is None else None,
    )
    if sibling.id in graph:
        raise EditError(f"the edited step would be the step {short_id(sibling.id)!r} that is in the run already")
    branch = options.pop("ref", None) or branch
    if original.parent_ids:
        point = original.parent_ids[-1]
        retained = graph.closure(graph.parents[graph.index(original.id)])
        child = _fork(record, point, retained, now=now, nonce=nonce, branch=branch, **options)
    else:
        child = _fork(record, None, [], now=now, nonce=nonce, branch=branch, **options)
    refs = {**child.refs, branch: sibling.id, MAIN: sibling.id}
    return child.with_graph(child.graph.with_steps([sibling]), refs=refs)


def fork_record(
    record: RunRecord, point: str, kept: Graph, branch: str, intent: JsonObject | None, nonce: str
) -> JsonObject:
    """The record of a fork, from which its run id is derived (docs/FORMAT.md, section 9).

    `kept` is the graph of the fork.
    """
    digest = record.stored_digest
    known = _LOWER_DIGEST.fullmatch(digest)
    return {
        "branch": branch,
        "intent": sha256_hex(canonical(intent or {})),
        "nonce": nonce,
        "point": point,
        "slice": kept.ids_digest(),
        "slice_size": len(kept),
        "source": record.run_id,
        "source_digest": digest if known else "",
        "version": 1,
    }


def _fork(
    record: RunRecord,
    point: str | None,
    retained: Sequence[int],
    *,
    now: float,
    nonce: str,
    branch: str,
    new_run_id: str | None = None,
    reason: str | None = None,
    intent: JsonObject | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    model_info: str | None = None,
    system_prompt: str | None = None,
    reset_metrics: bool = False,
) -> RunRecord:
    given: Any = branch
    if not isinstance(given, str):
        raise FormatError("the name of a branch must be text")
    texts = {"branch": branch, "title": title, "reason": reason, "model": model_info, "system_prompt": system_prompt}
    check_new_run(now=now, new_run_id=new_run_id, tags=tags, nonce=nonce, **texts)
    if intent is not None and not isinstance(intent, dict):
        raise FormatError("the intent must be an object")
    check_names(intent)
    with collector_paused():
        graph = record.graph.subset(retained)
        transcript = cut_transcript(record, point, graph)
    metadata = {key: value for key, value in record.metadata.items() if key not in _NOT_INHERITED}
    metadata["forked_from"] = record.run_id
    metadata.pop(FORK_POINT, None)
    if point is None:
        run_id = new_run_id or step_id(StepKind.MODEL, {"forked_from": record.run_id, "nonce": nonce})
        refs = {branch: "", MAIN: ""}
    else:
        metadata[FORK_POINT] = point
        run_id = new_run_id or ""
        if not run_id:
            metadata["fork"] = fork_record(record, point, graph, branch, intent, nonce)
            run_id = fork_id_of(metadata["fork"])
        refs = {branch: point, FORK_POINT: point}
        if branch != MAIN:
            refs[MAIN] = graph.ids[-1]
    model = model_info if model_info is not None else last_model(graph)
    if point is None and model_info is None:
        model = record.model_info
    metadata["model_info"] = model
    if system_prompt is not None:
        metadata["system_prompt"] = system_prompt
    if title is not None:
        metadata["title"] = title
    if reason is not None:
        metadata["fork_reason"] = reason
    cleaned = normalised_tags(tags)
    if cleaned:
        metadata["tags"] = cleaned
    if reset_metrics:
        totals = totals_of(graph)
        metadata["inherited"] = {
            "cost": totals.cost,
            "duration": totals.duration,
            "steps": totals.steps,
            "tokens": totals.tokens,
        }
    return RunRecord(
        origins=inherit(metadata, [record]),
        run_id=run_id,
        status=RunStatus.RUNNING,
        created_at=now,
        graph=graph,
        refs=refs,
        manifest=forked_manifest(record.manifest, graph, model),
        policies=record.policies,
        metadata=metadata,
        transcript_text=transcript,
        legacy_ids={old: new for old, new in record.legacy_ids.items() if new in graph},
    )


def last_model(graph: Graph) -> str:
    """The model of the last step that names one, or ""."""
    for position in range(len(graph) - 1, -1, -1):
        model = graph.model_of(position)
        if model and isinstance(model, str):
            return model
    return ""


def forked_manifest(manifest: JsonObject, graph: Graph, model: str) -> JsonObject:
    """The manifest of a fork: no resume history, pricing cut to the kept steps, `model.name` set to `model`."""
    result = {key: value for key, value in manifest.items() if key != "resume_history"}
    pricing = result.get("pricing")
    if isinstance(pricing, dict):
        result["pricing"] = _cut_pricing(pricing, graph)
    described = result.get("model")
    if isinstance(described, dict):
        unnamed = {key: value for key, value in described.items() if key != "name"}
        result["model"] = {**unnamed, "name": model} if model else unnamed
    return result


def _cut_pricing(pricing: JsonObject, graph: Graph) -> JsonObject:
    cut = dict(pricing)
    cards = pricing.get("rate_cards")
    if isinstance(cards, dict):
        cut["rate_cards"] = {identity: card for identity, card in cards.items() if identity in graph}
    calls = pricing.get("invocations")
    if isinstance(calls, list):
        kept = [call for call in calls if isinstance(call, dict) and _is_in(graph, call.get("step_id"))]
        cut["invocations"] = kept
        cut["complete"] = all(call.get("status") in _PRICED for call in kept)
        _cut_catalogs(cut, kept)
    return cut


def _is_in(graph: Graph, identity: object) -> bool:
    """Whether a recorded value names a step; any value may be where an id is expected."""
    return isinstance(identity, str) and identity in graph


def _cut_catalogs(pricing: JsonObject, calls: list[JsonObject]) -> None:
    """Keep only the catalogs used by `calls`; the top-level catalog becomes the first call's."""
    used = [(call.get("catalog_id"), call.get("catalog_hash")) for call in calls]
    catalogs = pricing.get("catalogs")
    described = [catalog for catalog in catalogs if isinstance(catalog, dict)] if isinstance(catalogs, list) else []
    kept = [catalog for catalog in described if (catalog.get("catalog_id"), catalog.get("catalog_hash")) in used]
    if isinstance(catalogs, list):
        pricing["catalogs"] = kept
    for key in ("catalog_id", "catalog_hash", "catalog_provenance"):
        pricing.pop(key, None)
    if used:
        pricing["catalog_id"], pricing["catalog_hash"] = used[0]
        for catalog in kept:
            first = (catalog.get("catalog_id"), catalog.get("catalog_hash")) == used[0]
            if first and catalog.get("catalog_provenance"):
                pricing["catalog_provenance"] = catalog["catalog_provenance"]


def cut_transcript(record: RunRecord, point: str | None, graph: Graph) -> bytes:
    """The transcript's text up to the fork point, without the turns of dropped steps (docs/FORMAT.md, section 9)."""
    text = bytes(record.transcript_text)
    if point is None or text == b"[]":
        return b"[]"
    items, owners = _turns_up_to(record, point)
    if owners.count(None) == len(owners):
        return text
    stop = owners.index(point) + 1 if point in owners else len(owners)
    kept: list[msgspec.Raw] = []
    begin = start = 0  # the first turn not yet copied, and the first after the last turn with a step
    retained = True
    steps = graph.positions
    for place, owner in enumerate(owners[:stop], 1):
        if owner is None:
            continue  # turns without a step belong to the next one that has a step
        retained = owner in steps
        if not retained:
            kept += items[begin:start]
            begin = place
        start = place
    if retained:
        kept += items[begin:stop]
    return b"[" + b",".join(kept) + b"]"


def _turns_up_to(record: RunRecord, point: str) -> tuple[list[msgspec.Raw], list[str | None]]:
    """(the first turns, up to one that names `point`; the step each names, or None). All turns if none names it.

    Only the beginning of the text is decoded if it is valid JSON and names the point; a text that is not cut between
    two turns is not valid.
    """
    text = bytes(record.transcript_text)
    named = text.find(b'"step_id":"%b"' % point.encode("utf-8", "replace"))
    end = text.find(b'},{"', named) + 1 if named >= 0 else 0
    if end:
        with suppress(msgspec.MsgspecError):
            begin = text[:end] + b"]"
            items = msgspec.json.decode(begin, type=list[msgspec.Raw])
            owners = _owners(begin, items)
            if point in owners:
                return items, owners
    items = record.transcript_items()
    return items, _owners(text, items)


class _Turn(msgspec.Struct, gc=False):
    step_id: Any = None


def _owners(text: bytes, items: list[msgspec.Raw]) -> list[str | None]:
    """`turn_owner` of each item of the transcript's text; decoded together if all items are objects."""
    try:
        turns = msgspec.json.decode(text, type=list[_Turn])
    except msgspec.ValidationError:
        return [turn_owner(item) for item in items]
    owners = [turn.step_id for turn in turns]
    if set(map(type, owners)) <= {str, type(None)}:
        return owners
    return [owner if isinstance(owner, str) else None for owner in owners]


def turn_owner(item: msgspec.Raw) -> str | None:
    """The `step_id` of a transcript item, or None if it has none."""
    if bytes(memoryview(item)[:1]) != b"{":
        return None
    owner = msgspec.json.decode(item, type=_Turn).step_id
    return owner if isinstance(owner, str) else None
