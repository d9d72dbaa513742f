"""Searches for graphs that take long for their size: varies the slowest ones, and measures the worst at a megabyte."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from random import Random

from opentine_gui.app.document.picture.fold import Room, first_state, fold
from opentine_gui.core import TineError, compare, verify
from opentine_gui.core.analysis.agents import agents
from opentine_gui.core.analysis.call_table import call_table
from opentine_gui.core.analysis.context import context
from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.heat import Figure, heat
from opentine_gui.core.analysis.suspicion.fork_points import fork_points
from opentine_gui.core.analysis.suspicion.suspects import ends_of, suspects
from opentine_gui.core.files import storage
from opentine_gui.core.structure.structure import Structure
from opentine_gui.export import export, request_of
from opentine_gui.layout import Ancestry, Direction, LayoutRequest, lay_out
from opentine_gui.scene.overviews.timeline import timeline
from opentine_gui.scene.space.camera import Viewport
from opentine_gui.scene.space.scene_index import SceneIndex
from tests.attack.campaign import Attack, Campaign, slowness
from tests.attack.children import attack_in_children
from tests.attack.slow.graphs import SEEDS, Shape, file_of, varied

SMALL, WHOLE = 40_000, 1_000_000
"""Bytes of the files that are searched, and of those that the promise is about."""
BOUND, BOUND_OF_EXPORTS = 1.0, 1.7
"""Seconds of CPU for all that happens before a file of a megabyte is seen, step by step or folded, and until it is laid
out again when it grew; and of an export as text, which can be stopped."""
TIMES = 3
"""A figure is the best of so many: other programs make one slower, and never quicker."""
ROOM = Room(Direction.TOP_TO_BOTTOM, Viewport(1400, 900))
KEPT = 12
"""Slowest shapes that are varied further."""


def opened(data: bytes) -> float:
    """Read, check, lay out, compare: CPU seconds. 0 for a file that is refused."""
    began = time.process_time()
    try:
        record = storage.reader.decode(data)
    except TineError:
        return 0.0
    verify(record)
    graph = record.graph
    SceneIndex(lay_out(LayoutRequest(Ancestry(graph.ids, graph.parents))))
    compare(record, record)
    return time.process_time() - began


def folded(data: bytes) -> float:
    """Read, find the structure, make the first view: CPU seconds."""
    began = time.process_time()
    try:
        graph = storage.reader.decode(data).graph
    except TineError:
        return 0.0
    structure = Structure(graph)
    made = fold(structure, first_state(structure, ROOM), ROOM)
    for number in range(len(made)):
        made.steps(number)
    SceneIndex(made.layout)
    return time.process_time() - began


def analysed(data: bytes) -> float:
    """What the panels ask of a run: context, files, suspects, the times as a strip: CPU seconds."""
    try:
        record = storage.reader.decode(data)
    except TineError:
        return 0.0
    began = time.process_time()
    graph = record.graph
    context(graph)
    calls = call_table(graph)
    heat(graph, Figure.TOOL, calls, ())
    ends = ends_of(record)
    suspects(graph, ends, touched_files(graph))
    fork_points(graph, [end.tip for end in ends if end.failed])
    timeline(graph.timestamps, graph.durations, agents(graph))
    return time.process_time() - began


def grown(data: bytes) -> float:
    """Lay out all but the last steps, then again with them, as when an agent goes on: CPU seconds of the latter."""
    try:
        graph = storage.reader.decode(data).graph
    except TineError:
        return 0.0
    less = max(1, len(graph) - 3)
    layout = lay_out(LayoutRequest(Ancestry(graph.ids[:less], graph.parents[:less])))
    whole = LayoutRequest(Ancestry(graph.ids, graph.parents), previous=layout)
    began = time.process_time()
    lay_out(whole)
    return time.process_time() - began


def exported(form: str, data: bytes) -> float:
    """Write a graph without a picture: CPU seconds."""
    try:
        record = storage.reader.decode(data)
    except TineError:
        return 0.0
    began = time.process_time()
    with suppress(TineError):
        export(request_of([record]), form)
    return time.process_time() - began


MEASURES: dict[str, Callable[[bytes], float]] = {
    "opening": opened,
    "folding": folded,
    "analyses": analysed,
    "going on": grown,
    "export to Mermaid": partial(exported, "mermaid"),
    "export to DOT": partial(exported, "dot"),
}


def run(campaign: Campaign) -> None:
    """Climb for most of the time, then measure the slowest at full size."""
    random = Random(campaign.seed)
    best: list[tuple[float, str, Shape]] = []
    opened(file_of(SEEDS[0], SMALL))
    seeds = [(what, shape) for what in MEASURES for shape in SEEDS]
    rest = campaign.seconds_left * 0.7 if campaign.short else 0.0
    for number in campaign.numbers():
        if campaign.seconds_left < rest:
            break
        if number < len(seeds):
            what, shape = seeds[number]
        else:
            _, what, shape = best[min(int(random.expovariate(0.4)), len(best) - 1)]
            shape = varied(shape, random)
        if any(shape == known and what == other for _, other, known in best):
            continue
        data = file_of(shape, SMALL)
        best.append((MEASURES[what](data) / len(data), what, shape))
        best.sort(reverse=True)
        del best[KEPT * len(MEASURES) :]
    # Of each measure the slowest, of different kinds, at full size: in children, for one may take very long.
    chosen: dict[tuple[str, str], tuple[str, Shape]] = {}
    for _, what, shape in best:
        chosen.setdefault((what, shape.kind), (what, shape))
    cases = list(chosen.values())
    attack_in_children(campaign, partial(_whole, cases), len(cases), longest=60.0)


def _whole(cases: list[tuple[str, Shape]], number: int) -> tuple[list[str], float]:
    what, shape = cases[number]
    data = file_of(shape, WHOLE)
    before = slowness()
    spent = min(MEASURES[what](data) for _ in range(TIMES)) / max(before, slowness())
    if spent <= (BOUND_OF_EXPORTS if what.startswith("export") else BOUND):
        return [], spent
    return [f"{what} of {len(data):,} bytes takes {spent:.2f} s of CPU: {shape}"], spent


ATTACK = Attack(
    "shapes",
    "a file of 1 MB is seen, folded, looked through and laid out again within 1 s of CPU each, whatever rests on what",
    run,
    2.0,
    3_000,
)
