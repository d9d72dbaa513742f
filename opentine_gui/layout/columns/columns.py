"""Lays out a folded graph in columns: those that it had, or those that give the largest zoom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from opentine_gui.layout.columns.folded_cards import FoldedCards
from opentine_gui.layout.columns.hanging import Hanging
from opentine_gui.layout.columns.parting import Parting
from opentine_gui.layout.columns.request import LEAST_ZOOM, Columns, ColumnsRequest, Extent
from opentine_gui.layout.engine import lay_out
from opentine_gui.layout.request import Ancestry, LayoutRequest

MUCH_SMALLER = 0.7
"""The columns of a run that grows are wrapped anew once they are shown this much smaller than others would be."""


def lay_out_columns(request: ColumnsRequest) -> Columns:
    """Lay out a folded graph in columns."""
    cards = FoldedCards(request)
    if not cards.names:
        empty = lay_out(LayoutRequest(Ancestry((), ()), direction=request.direction, spacing=request.spacing))
        return Columns(empty, (), 1.0, (), cards.abreast)
    if request.heads is None:
        return _chosen(cards, request.extents)
    wanted = set(request.heads)
    heads = [place for place, card in enumerate(cards.main) if place == 0 or cards.names[card] in wanted]
    made = Hanging(cards, _wrapped(cards, heads) if request.wraps else heads, request.extents).columns()
    if not request.wraps or made.zoom >= MUCH_SMALLER * LEAST_ZOOM:
        return made
    # As a run grows, cards are joined within their columns, until each column holds a card or two.
    anew = _chosen(cards, ())
    return anew if made.zoom < MUCH_SMALLER * anew.zoom else made


def estimated_zoom(request: ColumnsRequest) -> float:
    """An estimate of the zoom at which the columns of a folded graph will fit, in a small part of a layout's time."""
    return max((zoom for zoom, _ in Parting(FoldedCards(request)).choices()), default=1.0)


def _chosen(cards: FoldedCards, extents: Sequence[Extent]) -> Columns:
    """The columns that give the largest zoom."""
    ranked = sorted(Parting(cards).choices(), key=lambda choice: -choice[0])
    best: Columns | None = None
    for estimate, heads in ranked[:3]:
        if best is not None and estimate <= best.zoom:
            continue
        made = Hanging(cards, heads, extents).columns()
        if best is None or made.zoom > best.zoom:
            best = made
    assert best is not None
    return best


def _wrapped(cards: FoldedCards, heads: list[int]) -> list[int]:
    """The places of the heads, with the last column divided if it is longer than all others."""
    if len(heads) < 2:
        return heads
    longest = max(end - start for start, end in pairwise(heads))
    while len(cards.main) - heads[-1] > longest:
        heads = [*heads, heads[-1] + longest]
    return heads
