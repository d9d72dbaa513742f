"""Opens mutated files, and takes what opens through everything: check, list, layout, pictures, every export."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from opentine_gui.core import RunRecord, TineError, Verdict, compare, encode, read_overview, verify
from opentine_gui.core.files import storage
from opentine_gui.describe.card_marks import card_face
from opentine_gui.export import FORMATS, export, request_of
from opentine_gui.importers import readers
from opentine_gui.layout import Ancestry, Direction, LayoutRequest, lay_out
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.picture.build import build
from opentine_gui.scene.picture.view import SceneView
from opentine_gui.scene.space.scene_index import SceneIndex
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from tests.app.conftest import Bench
from tests.attack.campaign import Attack, Campaign
from tests.attack.children import attack_in_children
from tests.attack.files.mutations import flip_bit, mutated, samples
from tests.conftest import run_of

BOUND = 1.0
"""Seconds of CPU that reading, checking and laying out a file of less than a megabyte may take."""
EVERY = 25
"""One file in so many goes through a whole session, too."""


def run(campaign: Campaign) -> None:
    """As many mutated files as there is time for, or all of a full run."""
    seeds = samples()
    through_everything(run_of({"a": "", "b": "a"}), Random(0))  # fonts and modules are loaded before the children fork
    attack_in_children(campaign, partial(_one, campaign.seed, campaign.folder, seeds), campaign.full)
    if campaign.keep is not None:
        campaign.keep.mkdir(parents=True, exist_ok=True)
        for finding in campaign.findings:
            number = int(finding.rpartition("[try ")[2].rstrip("]"))
            (campaign.keep / f"{number}.tine").write_bytes(_file(campaign.seed, seeds, number))


def _file(seed: int, seeds: list[bytes], number: int) -> bytes:
    random = Random(f"{seed} {number}")
    return mutated(random.choice(seeds), random)


def _one(seed: int, folder: Path, seeds: list[bytes], number: int) -> list[str]:
    path = folder / f"{number % 64}.tine"
    path.write_bytes(_file(seed, seeds, number))
    found = []
    try:
        overview = read_overview(path)
    except TineError as error:
        overview = None
        if str(path) not in str(error):
            found.append(f"an error does not name the file: {error!r}")
    try:
        record = readers.read_run(path)
    except TineError:
        return found
    if overview is not None and len(record.graph) != overview.steps:
        found.append(f"the list says {overview.steps} steps, the run has {len(record.graph)}")
    through_everything(record, Random(number))
    if number % EVERY == 0:
        through_a_session(path)
    return found


def through_everything(record: RunRecord, random: Random) -> None:
    """Take a run that could be read through all that is made of it; what cannot be done is a TineError."""
    verify(record)
    try:
        again = storage.reader.decode(encode(record))
        assert again.graph.ids == record.graph.ids, "written and read again, it has other steps"
    except TineError:
        pass
    graph = record.graph
    ancestry = Ancestry(graph.ids, graph.parents)
    for direction in Direction:
        layout = lay_out(LayoutRequest(ancestry, direction=direction))
        if len(graph):
            view = SceneView(
                faces=lambda position: card_face(graph, position, None, ()),
                layout=layout,
                index=SceneIndex(layout),
                zoom=random.choice((0.01, 0.2, 0.5, 1.0, 2.0)),
                rect=layout.bounds,
                theme=DARK,
                metrics=METRICS,
                kinds=np.zeros(len(graph), dtype=np.uint8),
                level=random.choice((None, *Level)),
            )
            build(view)
    compare(record, record)
    for form in FORMATS:
        steps = graph.ids[-1:] if form == "tine" else None
        try:
            export(request_of([record], steps=steps, scale=0.3, now=1.0, nonce="n", metrics=METRICS), form)
        except TineError:
            continue


def through_a_session(path: Path) -> None:
    """Open the file as the window does, look at its first steps, and close it."""
    bench = Bench(path.parent)
    try:
        document = bench.open(path.name)
        if document.record is not None and len(document.record.graph):
            bench.do("select.step", step=document.record.graph.ids[0])
            bench.do("view.fit")
    finally:
        bench.session.close()
    internal = [text for text in bench.notices("error") if "internal" in text.lower() or "Error(" in text]
    assert not internal, internal


METRICS = FontMetrics()


# --- bit flips -------------------------------------------------------------------------------------------------------


def run_flips(campaign: Campaign) -> None:
    """Flip one bit of a file that verifies: it must not verify any more, unless only what nothing covers changed."""
    seeds = [data for data in samples() if _verdict(data) is Verdict.VERIFIED]
    attack_in_children(campaign, partial(_flip, campaign.seed, seeds), campaign.full)


def _verdict(data: bytes) -> Verdict | None:
    try:
        return verify(storage.reader.decode(data)).verdict
    except TineError:
        return None


def _flip(seed: int, seeds: list[bytes], number: int) -> list[str]:
    random = Random(f"{seed} {number}")
    data = random.choice(seeds)
    flipped = flip_bit(data, random)
    if _verdict(flipped) is not Verdict.VERIFIED:
        return []
    before, after = covered(data), covered(flipped)
    if before == after:
        return []
    return [f"verified although it changed: {_difference(before, after)}"]


def covered(data: bytes) -> Any:
    """What a digest covers of a document's content, as values."""
    from opentine_gui.core.format.container import unwrap

    value = json.loads(unwrap(data)[0].removeprefix(b"\xef\xbb\xbf"))
    value.pop("metadata", None)
    return value


def _difference(before: Any, after: Any, where: str = "") -> str:
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        return next(
            _difference(before[key], after[key], f"{where}.{key}") for key in before if before[key] != after[key]
        )
    return f"{where}: {str(before)[:80]} -> {str(after)[:80]}"


ATTACK = Attack("files", "any file opens, or a sentence says why not; nothing stalls", run, 3.0, 200_000)
FLIPS = Attack("flips", "one changed bit is never 'ok' where anything covers it", run_flips, 1.0, 100_000)
