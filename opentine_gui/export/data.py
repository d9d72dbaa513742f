"""Exports that lose nothing: all of a run as JSON, and chosen steps with their ancestors as a `.tine` file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec

from opentine_gui.core import RunRecord, encode, extract
from opentine_gui.core.graph.graph import CANONICAL, Graph
from opentine_gui.core.graph.step_address import canonical_records
from opentine_gui.core.progress import Pace
from opentine_gui.describe.plain_values import comparison_values, run_values
from opentine_gui.export.request import ExportError, ExportRequest

_BETWEEN = 256
"""Steps between two progress reports."""


def write_json(request: ExportRequest, pace: Pace) -> bytes:
    """One run as `show --json` prints it, each step with its whole `record`; several as {"runs": …, "comparison": …}.

    ASCII only, one step per line, so that hidden characters are visible and two exports can be compared. ExportError if
    no run has any of the chosen steps.
    """
    chosen = None if request.steps is None else frozenset(request.steps)
    if chosen is not None and not any(identity in record.graph for record in request.records for identity in chosen):
        raise ExportError("there is no step to export")
    count = len(request.records)
    runs = [
        _run_pieces(record, chosen, pace.part(0.9 * number / count, 0.9 * (number + 1) / count))
        for number, record in enumerate(request.records)
    ]
    if len(runs) == 1 and request.comparison is None:
        return "".join([*runs[0], "\n"]).encode()
    pieces = ['{\n"runs": [\n']
    for number, run in enumerate(runs):
        pieces += [",\n", *run] if number else run
    pieces.append("\n]")
    if request.comparison is not None:
        pieces.append(f',\n"comparison": {_dumped(comparison_values(request.comparison))}')
    return "".join([*pieces, "\n}\n"]).encode()


def _run_pieces(record: RunRecord, chosen: frozenset[str] | None, pace: Pace) -> list[str]:
    """The text of a run, in pieces, so that a long text is joined only once."""
    values = run_values(record, chosen)
    written = json.JSONEncoder(allow_nan=False).encode  # `json.dumps` makes an encoder for every step
    pieces = ["{"]
    for place, (name, value) in enumerate(values.items()):
        pieces.append(f'{"," if place else ""}\n  "{name}": ')
        if name == "steps" and value:
            opened = len(pieces)
            for start in range(0, len(value), _BETWEEN):
                pace.at(start / len(value))
                some = value[start : start + _BETWEEN]
                records = _records(record.graph, [record.graph.index(step["id"]) for step in some], written)
                for step, text in zip(some, records, strict=True):
                    pieces += [
                        ",\n    " if len(pieces) > opened else "[\n    ",
                        written(step)[:-1],
                        ', "record": ',
                        text,
                        "}",
                    ]
            pieces.append("\n  ]")
        else:
            pieces.append(written(value))
    return [*pieces, "\n}"]


def _records(graph: Graph, positions: list[int], written: Callable[[Any], str]) -> list[str]:
    """The records of the steps at `positions`, encoded by `written`, with all keys as they were recorded.

    A canonical record only lacks the spaces: adding them takes a fifth of the time of decoding and encoding.
    """
    canonical_records(graph, positions)  # finds out which are
    return [
        msgspec.json.format(bytes(graph.raws[position]), indent=0).decode()
        if graph.proved[position] >= CANONICAL
        else written(msgspec.json.decode(graph.raws[position]))
        for position in positions
    ]


def _dumped(value: Any) -> str:
    return json.dumps(value, indent=2, allow_nan=False)


def write_tine(request: ExportRequest, pace: Pace) -> bytes:
    """The chosen steps and all their ancestors as a run that names its sources; every id in it still verifies.

    ExportError if no steps are chosen, EditError if they cannot be taken out.
    """
    if not request.steps:
        raise ExportError("name the steps to be taken out; without any the result would be a copy of the run")
    taken = extract(request.records, request.steps, now=request.now, nonce=request.nonce, title=request.title or None)
    pace.at(0.5)
    return encode(taken)
