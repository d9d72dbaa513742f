"""The marked area of the time strip: its steps, and their sums in words."""

from __future__ import annotations

import numpy as np

from opentine_gui.app.document.document import Document
from opentine_gui.core import Graph, RunRecord, totals_of
from opentine_gui.core.structure.work_times import work_times
from opentine_gui.describe.numbers import counted, format_duration, format_tokens, total_cost


def steps_between(graph: Graph, begin: float, end: float) -> list[int]:
    """The steps at work at any time between two times (Unix seconds), in recorded order: those whose bars are there."""
    work = work_times(graph)
    starts, ends = np.frombuffer(work.starts), np.frombuffer(work.ends)
    found: list[int] = np.flatnonzero((ends >= begin) & (starts <= end) & (ends > 0)).tolist()
    return found


def set_area(document: Document, area: tuple[float, float] | None) -> None:
    """Highlight the steps of an area; None clears it."""
    strip, record = document.strip, document.record
    if area is None or record is None:
        if strip.area is not None:
            strip.area, strip.graph, strip.lit = None, None, bytearray()
            strip.revision += 1
        return
    begin, end = min(area), max(area)
    lit = bytearray(len(record.graph))
    for step in steps_between(record.graph, begin, end):
        lit[step] = 1
    strip.area, strip.graph, strip.lit = (begin, end), record.graph, lit
    strip.revision += 1


def follow_area(document: Document) -> None:
    """Update the area to the current run."""
    strip, record = document.strip, document.record
    if strip.area is not None and record is not None and strip.graph is not record.graph:
        set_area(document, strip.area)


def area_words(record: RunRecord, steps: list[int], seconds: float) -> str:
    """Time, steps, failures, cost and tokens of an area; what was not recorded is left out."""
    graph = record.graph
    sums = totals_of(graph, steps)
    failed = sum(graph.failed[step] for step in steps)
    parts = [format_duration(seconds), counted(len(steps), "step")]
    if failed:
        parts.append(f"{failed:,} failed")
    if sums.cost_known:
        parts.append(total_cost(sums))
    if sums.tokens_recorded:
        parts.append(format_tokens(sums.tokens))
    return " · ".join(part for part in parts if part)
