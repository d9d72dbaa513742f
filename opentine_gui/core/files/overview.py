"""Reads what a run list shows of a document: its envelope and the steps' figures, without payloads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.core.format import container
from opentine_gui.core.format.duplicate_keys import check_values
from opentine_gui.core.format.metadata import at_least_in, import_format, is_import, normalised_tags, source_run_ids
from opentine_gui.core.graph.outcomes.not_run import has_outputs
from opentine_gui.core.graph.step_heads import Heads
from opentine_gui.core.graph.totals import Totals, failures_of_columns, totals_of_columns, with_stated
from opentine_gui.core.model import JsonObject, RunStatus
from opentine_gui.core.progress import Progress, Stop
from opentine_gui.core.record import MAIN, RunRecord, check_records

LANDMARK_LENGTH = 16
"""Length of a landmark in hex characters: 64 bits, so that steps in one folder do not collide by chance."""
LIGHT_UP_TO = 4 * 1024 * 1024
"""Bytes of text up to which a document is decoded at once; larger ones are read in slices, as when opened."""


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a run list. `created_at` is Unix seconds; `sources` are the runs it was forked or merged from.

    `since_fork` are the sums of the steps a fork added, where its metrics were reset.

    `landmarks` are prefixes of some step ids, in traversal order at growing distances: runs with a common landmark
    share that step and its ancestors. `title`, and `asked_last`, the first line of the last prompt, are "" for a
    `.tine` file, which is known by its name. `imported` says that the run was made from another program's log, in the
    format `made_from`, `has_not_run` that it is a fork or a merge without a step since. `failures` counts steps that
    failed. `at_least` says that its log recorded only a part of each count: cost and tokens are lower bounds.
    """

    run_id: str
    title: str = ""
    asked_last: str = ""
    status: str
    created_at: float
    steps: int
    totals: Totals
    since_fork: Totals | None = None
    tags: tuple[str, ...]
    model: str
    harness: str
    sources: tuple[str, ...]
    landmarks: tuple[str, ...]
    imported: bool = False
    has_not_run: bool = False
    failures: int = 0
    made_from: str = ""
    at_least: bool = False


class _Steps(msgspec.Struct, gc=False):
    steps: dict[str, msgspec.Raw]
    order: list[str] | None = None


class _Envelope(msgspec.Struct, gc=False):
    format_version: int
    run_id: str
    status: str
    created_at: float
    graph: _Steps
    metadata: JsonObject
    manifest: JsonObject
    refs: JsonObject = {}


_MADE_FROM_OTHERS = frozenset(["fork_point", "forked_from", "merge"])
_envelopes = msgspec.json.Decoder(_Envelope)


def read_overview(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Overview:
    """The overview of a file. TineError, which names the file.

    Only what is shown is checked: a file with an overview may still be refused when it is opened.
    """
    data = storage.read_bytes(path)
    try:
        text, _ = container.unwrap(data)
    except TineError as error:
        raise error.at_path(path) from error.__cause__
    if len(text) <= LIGHT_UP_TO:
        found = _light(text)
        if found is not None:
            return found
    del data, text
    return overview_of(storage.read(path, progress=progress, cancelled=cancelled))


def overview_of(record: RunRecord, *, by_title: bool = False) -> Overview:
    """The overview of a record in memory; `by_title` if it is known by its title, because its file's name is an id."""
    check_records(record)
    return Overview(
        run_id=record.run_id,
        title=record.title if by_title else "",
        asked_last=record.asked_last if by_title else "",
        status=record.status.value,
        created_at=float(record.created_at),
        steps=len(record.graph),
        totals=record.totals,
        since_fork=record.own_totals if record.metrics_reset else None,
        tags=record.tags,
        model=record.model_info,
        harness=_harness(record.metadata),
        sources=source_run_ids(record.metadata),
        landmarks=_landmarks(record.graph.ids),
        imported=record.is_imported,
        has_not_run=record.waits_to_run,
        failures=failures_of_columns(record.graph.columns),
        made_from=import_format(record.metadata),
        at_least=bool(record.at_least),
    )


def _landmarks(ids: Sequence[str]) -> tuple[str, ...]:
    """Prefixes of the ids at positions 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, …; a fork shares those before its point."""
    places = [0]
    step = 1
    while step < len(ids):
        places += [step, step + step // 2] if step > 1 else [step]
        step *= 2
    return tuple([ids[place].rpartition(":")[2][:LANDMARK_LENGTH] for place in places if place < len(ids)])


def _light(text: bytes) -> Overview | None:
    """The overview of a format 2 text; None if it needs the full reader."""
    try:
        envelope = _envelopes.decode(text)
        steps, order = envelope.graph.steps, envelope.graph.order
        if order is not None and len(order) != len(steps):
            return None
        heads = Heads()
        # in traversal order, so that sums round as in the open document
        ids = list(steps) if order is None else order
        heads.add_records([steps[identity] for identity in ids])
        check_values([msgspec.json.format(text, indent=-1)])  # duplicate keys are refused at every size
        columns = heads.columns()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TineError, KeyError):
        return None  # the full reader says what is wrong, and in which file
    if envelope.format_version != 2 or "inherited" in envelope.metadata:
        return None  # sums since the fork need the links between steps, which are not read here
    if envelope.status == RunStatus.RUNNING.value and not _MADE_FROM_OTHERS.isdisjoint(envelope.metadata):
        return None  # so does `has_not_run`
    if ids and is_import(envelope.metadata):
        main = envelope.refs.get(MAIN)
        place = ids.index(main) if main in steps else len(ids) - 1
        if not (place in columns.v3_kinds or columns.failed[place] or has_outputs(steps[ids[place]])):
            return None
    model = envelope.manifest.get("model")
    name = model.get("name") if isinstance(model, dict) else None
    if not isinstance(name, str):
        name = envelope.metadata.get("model_info")
    return Overview(
        run_id=envelope.run_id,
        status=envelope.status,
        created_at=envelope.created_at,
        steps=len(columns.kinds),
        totals=with_stated(totals_of_columns(columns), envelope.metadata),
        tags=tuple(normalised_tags(envelope.metadata.get("tags"))),
        model=name if isinstance(name, str) else "",
        harness=_harness(envelope.metadata),
        sources=source_run_ids(envelope.metadata),
        landmarks=_landmarks(ids),
        imported=is_import(envelope.metadata),
        failures=failures_of_columns(columns),
        made_from=import_format(envelope.metadata),
        at_least=bool(at_least_in(envelope.metadata)),
    )


def _harness(metadata: JsonObject) -> str:
    harness: Any = metadata.get("harness")
    return harness if isinstance(harness, str) else ""
