"""A long run, and what is asked of its folded picture in a window."""

from __future__ import annotations

from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core import Graph
from tests.core.structure.shapes import graph_of
from tests.ui.opened import Opened

ROUNDS = "mRmRmEmT"
STEPS = 801
NEEDLE = 453


def long_graph(steps: int = STEPS) -> Graph:
    """A chain: a person asks, then the agent reads, edits and tests; some tests fail."""
    kinds = "".join("h" if number % 80 == 0 else ROUNDS[number % 8] for number in range(steps))
    table = [(number - 1,) if number else () for number in range(steps)]
    failed = [number for number in range(steps) if kinds[number] == "T" and number % 104 == 7]
    return graph_of(table, kinds, failed, {NEEDLE: "a needle in the hay"})


def fold_of(opened: Opened) -> FoldedRun:
    fold = opened.document.picture.fold
    assert fold is not None
    return fold


def card_point(opened: Opened, card: int) -> tuple[float, float]:
    return opened.point(opened.document.picture.step_id(card))


def largest(opened: Opened, among: range | tuple[int, ...]) -> int:
    return max(among, key=lambda card: fold_of(opened).card(card).size)


def open_by_mouse(opened: Opened, card: int) -> None:
    """Double-click a card until its group is open: on a busy machine both clicks may fall into one frame."""
    openings = len(fold_of(opened).state.openings)
    at = card_point(opened, card)
    for _ in range(24):
        opened.mouse.double_click(*at)
        opened.rest()
        if len(fold_of(opened).state.openings) > openings:
            return
        opened.mouse.move(at[0] + 40, at[1])  # so that the next click begins a double click of its own
    raise AssertionError("the group did not open")


def places(opened: Opened) -> dict[object, tuple[float, float]]:
    layout = opened.document.picture.layout
    assert layout is not None
    return {node: layout.position(node) for node in layout.nodes}
