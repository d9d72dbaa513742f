"""A long run, and its folded picture."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core import RunRecord
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of


def long_run(run_id: str = "long", *, tail: str = "", shared: int = 150, own: int = 60) -> RunRecord:
    """A chain; with `tail` the steps after the first `shared` ones differ from those of other tails."""
    steps = shared + own
    kinds = "".join("h" if number % 40 == 0 else "mRmRmEmT"[number % 8] for number in range(steps))
    table = [(number - 1,) if number else () for number in range(steps)]
    said = {number: f"{tail} {number}" for number in range(shared, steps)} if tail else {}
    return make_record(list(graph_of(table, kinds, (15, 55), said)), run_id=run_id)


def fold_of(document: Document) -> FoldedRun:
    assert document.picture.fold is not None
    return document.picture.fold
