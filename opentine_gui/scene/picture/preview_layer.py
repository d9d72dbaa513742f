"""Previews over the graph: links of dragged cards, a link being drawn, the cards of a proposed fork or merge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.cards import draw_card
from opentine_gui.scene.detail_level import Level, level_of_detail
from opentine_gui.scene.draw_list import Color, DrawList, Line, Point, Primitive, Rect
from opentine_gui.scene.picture.links import DASH, LINK_WIDTH, DraftLink, bend
from opentine_gui.scene.picture.view import Carried, Projection, SceneView
from opentine_gui.scene.theme import faded_theme

# Most links drawn at carried cards.
PULLED_BUDGET = 600


class GhostCard(NamedTuple):
    """A card of a proposed fork or merge: its face, its centre in world units, and its parents."""

    face: CardFace
    x: float
    y: float
    parents: tuple[int, ...] = ()


def build_pulled(view: SceneView, carried: Carried, offset: Point) -> DrawList:
    """Return the links between carried cards and others, the carried cards moved by `offset` world units.

    They are plain curves in their usual colours until the layout routes them; only those that touch `view.rect`.
    """
    place = Projection(view)
    ends = view.layout.edges[carried.pulled]
    if not len(ends):
        return DrawList((), origin=place.origin)
    held = np.isin(ends, carried.cards)
    points = view.layout.centers[ends] + held[:, :, None] * np.array(offset)
    low, high = points.min(axis=1), points.max(axis=1)
    width, height = view.index.node_size
    x0, y0, x1, y1 = view.rect
    seen = (low[:, 0] <= x1 + width) & (high[:, 0] >= x0 - width)
    seen &= (low[:, 1] <= y1 + height) & (high[:, 1] >= y0 - height)
    chosen, plain, marked = view.selection, view.theme.link, view.theme.accent
    drawn = np.flatnonzero(seen)[:PULLED_BUDGET]
    items = []
    for (source, target), ((x, y), (to_x, to_y)) in zip(ends[drawn].tolist(), points[drawn].tolist(), strict=True):
        paint = marked if source in chosen or target in chosen else plain
        start, end = place.beside(x, y, 0.5), place.beside(to_x, to_y, -0.5)
        items.append(bend(start, end, place.sideways, paint, LINK_WIDTH))
    return DrawList(tuple(items), origin=place.origin)


def build_proposed(
    view: SceneView, links: Sequence[DraftLink], ghosts: Sequence[GhostCard], offset: Point = (0.0, 0.0)
) -> DrawList:
    """Return links being drawn, and proposed cards with the links to their parents.

    Parents that are carried are `offset` world units away from their place in the layout.
    """
    return _Proposed(view, offset).build(links, ghosts)


class _Proposed:
    def __init__(self, view: SceneView, offset: Point) -> None:
        self.view, self.offset = view, offset
        self.place = Projection(view)
        self.items: list[Primitive] = []

    def build(self, links: Sequence[DraftLink], ghosts: Sequence[GhostCard]) -> DrawList:
        theme, place = self.view.theme, self.place
        for link in links:
            if link.target is not None:
                end = place.arriving(link.target)
            elif link.point is not None:
                end = place.pixel(*link.point)
            else:
                continue
            start = place.leaving(link.source)
            self.items.append(bend(start, end, place.sideways, theme.role(link.role), LINK_WIDTH, dash=True))
        for ghost in ghosts:
            self._ghost(ghost)
        return DrawList(tuple(self.items), origin=place.origin)

    def _ghost(self, ghost: GhostCard) -> None:
        view, place = self.view, self.place
        width, height = (round(side * view.zoom) for side in view.index.node_size)
        paint = view.theme.kind(ghost.face.kind)
        arriving = place.beside(ghost.x, ghost.y, -0.5)
        held = frozenset(view.carried.cards.tolist()) if view.carried is not None else frozenset()
        for parent in ghost.parents:
            offset = self.offset if parent in held else (0.0, 0.0)
            self._ghost_link(place.leaving(parent, offset), arriving, paint)
        x, y = place.pixel(ghost.x, ghost.y)
        level = level_of_detail(view.zoom, 1)
        if level in (Level.CARD, Level.TITLE):
            self.items.extend(
                draw_card(
                    ghost.face, round(x - width / 2), round(y - height / 2), width, height, view.zoom, level,
                    faded_theme(view.theme, 0.3), view.metrics,
                )
            )  # fmt: skip
        else:
            half, tall = max(width / 2, 2), max(height / 2, 2)
            self.items.append(Rect(x - half, y - tall, x + half, y + tall, None, paint, 2))

    def _ghost_link(self, leaving: Point, arriving: Point, paint: Color) -> None:
        """Draw a link that runs along the parent's lane and bends in the gap before the ghost, clear of other cards."""
        spacing, sideways = self.view.layout.spacing, self.place.sideways
        gap = (spacing.column_gap if sideways else spacing.row_gap) * self.view.zoom
        if sideways:
            turn = (max(leaving[0], arriving[0] - gap), leaving[1])
        else:
            turn = (leaving[0], max(leaving[1], arriving[1] - gap))
        if turn != leaving:
            self.items.append(Line((leaving, turn), paint, LINK_WIDTH, DASH))
        self.items.append(bend(turn, arriving, sideways, paint, LINK_WIDTH, dash=True))
