"""From what is to be seen to a draw list: `build(SceneView) -> DrawList`, a pure function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.camera import Bounds
from opentine_gui.scene.cards import CardFace, Flag, draw_card
from opentine_gui.scene.detail import Level, level_of_detail
from opentine_gui.scene.drawlist import Color, DrawList, Line, Picture, Point, Primitive, Rect
from opentine_gui.scene.index import Indices, SceneIndex
from opentine_gui.scene.links import DASH, LINK_WIDTH, MAIN_WIDTH, DraftLink, bend, draw_polyline, lane_runs, polylines
from opentine_gui.scene.theme import KINDS, Theme, faded_theme, mixed

if TYPE_CHECKING:
    from opentine_gui.layout import Layout
    from opentine_gui.scene.metrics import FontMetrics

ORIGIN_STEP = 65_536.0
# Links drawn one by one; lane links beyond are merged into runs, and the farthest kinds (merges) are left out last.
LINK_BUDGET = 1500
# Width of a run's line in a link that several runs share, at zoom 1.
STRAND_WIDTH = 2.5
# Rings drawn around selected steps in a density picture.
MARK_BUDGET = 400
# Farther out lanes lie so close that lines between steps would say nothing.
LINKED_DENSITY_ZOOM = 0.03
DENSITY_PICTURE = "density"


@dataclass(frozen=True, slots=True)
class GhostCard:
    """A card that does not exist yet (a fork or merge being proposed): its face, centre, and the cards it follows."""

    face: CardFace
    x: float
    y: float
    parents: tuple[int, ...] = ()


@dataclass(frozen=True)
class SceneView:
    """All that a picture of the graph depends on. `rect` is the world rectangle to build, margin included.

    `kinds` (n,) uint8 are codes of `theme.KINDS`; `failures` are indices of failing steps; `moved` cards are drawn
    `offset` world units from where the layout has them (a drag going on); `reasons` say, per dimmed card, why it is out
    of the question: shown while it is hovered.

    Where several runs are shown at once, `palette` names theme roles, and `step_roles` (n,) and `link_roles` (m,) uint8
    are codes of it: links, and steps seen from afar, have the colour of their run instead of that of their kind.
    `strands` answers for a link the roles of the runs that share it: they are drawn side by side; () draws one line.
    """

    faces: Callable[[int], CardFace]
    layout: Layout
    index: SceneIndex
    zoom: float
    rect: Bounds
    theme: Theme
    metrics: FontMetrics
    kinds: NDArray[np.uint8] | None = None
    failures: NDArray[np.int64] | None = None
    palette: Sequence[str] = ()
    step_roles: NDArray[np.uint8] | None = None
    link_roles: NDArray[np.uint8] | None = None
    strands: Callable[[int], Sequence[str]] | None = None
    selection: frozenset[int] = frozenset()
    hovered: int | None = None
    dimmed: frozenset[int] | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)
    links: tuple[DraftLink, ...] = ()
    ghosts: tuple[GhostCard, ...] = ()
    moved: frozenset[int] = frozenset()
    offset: Point = (0.0, 0.0)


def build_origin(rect: Bounds, zoom: float) -> Point:
    """Return the draw list's origin in pixels: whole steps towards the rectangle, (0, 0) near the world's origin."""
    x, y = (rect[0] + rect[2]) / 2 * zoom, (rect[1] + rect[3]) / 2 * zoom
    return (int(x / ORIGIN_STEP) * ORIGIN_STEP, int(y / ORIGIN_STEP) * ORIGIN_STEP)


def build(view: SceneView) -> DrawList:
    """Return what is to be painted for a view; its cost follows the number of cards and links in `view.rect`."""
    return _Builder(view).build()


class _Builder:
    def __init__(self, view: SceneView) -> None:
        self.view = view
        self.origin = build_origin(view.rect, view.zoom)
        self.sideways = view.layout.direction.value == "left-to-right"
        self.items: list[Primitive] = []

    def build(self) -> DrawList:
        view = self.view
        visible = self._visible()
        level = level_of_detail(view.zoom, len(visible))
        if level is Level.DENSITY:
            x0, y0 = self._pixel(view.rect[0], view.rect[1])
            x1, y1 = self._pixel(view.rect[2], view.rect[3])
            if view.zoom >= LINKED_DENSITY_ZOOM:
                self._links(view.index.edges_visible(view.rect), Level.BOX)
            self.items.append(Picture(DENSITY_PICTURE, x0, y0, x1, y1))
            self._selection_marks()
            cards: tuple[int, ...] = ()
        else:
            links = view.index.edges_visible(view.rect)
            self._links(links, level)
            if level is Level.BOX:
                self._boxes(visible)
            else:
                self._cards(visible, level)
            cards = tuple(visible.tolist())
        self._drafts()
        return DrawList(tuple(self.items), cards, len(visible), self.origin)

    def _visible(self) -> Indices:
        view = self.view
        visible = view.index.visible(view.rect)
        if not view.moved:
            return visible
        x0, y0, x1, y1 = view.rect
        dx, dy = view.offset
        moved = np.fromiter(view.moved, dtype=np.int64)
        arrived = np.intersect1d(view.index.visible((x0 - dx, y0 - dy, x1 - dx, y1 - dy)), moved)
        # Moved cards lie on top of the others while they are moved.
        return np.concatenate([np.setdiff1d(visible, moved), arrived])

    def _pixel(self, x: float, y: float) -> Point:
        return (x * self.view.zoom - self.origin[0], y * self.view.zoom - self.origin[1])

    def _corners(self, indices: Indices) -> list[list[float]]:
        """Top left corners in whole pixels."""
        view = self.view
        half = np.array(view.index.node_size) / 2
        centers = view.layout.centers[indices]
        if view.moved:
            carried = np.isin(indices, np.fromiter(view.moved, dtype=np.int64))
            centers = centers + carried[:, None] * np.array(view.offset)
        corners: list[list[float]] = np.rint((centers - half) * view.zoom - np.array(self.origin)).tolist()
        return corners

    def _anchor(self, index: int, leaving: bool) -> Point:
        """Where links leave a card, or arrive at it, in pixels."""
        view = self.view
        x, y = view.layout.centers[index].tolist()
        if index in view.moved:
            x, y = x + view.offset[0], y + view.offset[1]
        return self._beside(x, y, leaving)

    def _beside(self, x: float, y: float, leaving: bool) -> Point:
        width, height = self.view.index.node_size
        sign = 0.5 if leaving else -0.5
        return self._pixel(x + sign * width, y) if self.sideways else self._pixel(x, y + sign * height)

    # -- links ------------------------------------------------------------------------------------------------------

    def _links(self, links: Indices, level: Level) -> None:
        view, theme = self.view, self.view.theme
        layout = view.layout
        if view.moved:
            moved = np.fromiter(view.moved, dtype=np.int64)
            pulled = np.isin(layout.edges[:, 0], moved) | np.isin(layout.edges[:, 1], moved)
            links = links[~pulled[links]]
            self._pulled_links(np.flatnonzero(pulled)[:LINK_BUDGET])
        scale = min(max(view.zoom, 0.5), 1.5)
        quiet = mixed(theme.link, theme.canvas, 0.3) if view.dimmed is not None else theme.link
        if level is Level.BOX or len(links) > LINK_BUDGET:
            along = 0 if self.sideways else 1
            low = view.rect[along] * view.zoom - self.origin[along] - 16
            high = view.rect[along + 2] * view.zoom - self.origin[along] + 16
            limits = (low, high)
            for start, end, on_main, code in lane_runs(layout, links, view.zoom, self.origin, limits, view.link_roles):
                paint, width = (theme.main_link, 2.0) if on_main else (quiet, 1.0)
                if view.link_roles is not None:
                    paint, width = theme.role(view.palette[code]), 2.0
                self.items.append(Line((start, end), paint, width))
            links = links[layout.edge_kinds[links] != 0]
            links = links[np.argsort(layout.edge_kinds[links], kind="stable")[:LINK_BUDGET]]
        kinds = layout.edge_kinds[links].tolist()
        ends = layout.edges[links].tolist()
        on_main_lane = (layout.lanes[layout.edges[links]] == 0).all(axis=1).tolist()
        roles = [-1] * len(links) if view.link_roles is None else view.link_roles[links].tolist()
        strong: list[Primitive] = []
        for link, points, kind, (source, target), on_main, role in zip(
            links.tolist(),
            polylines(layout, links, view.zoom, self.origin),
            kinds,
            ends,
            on_main_lane,
            roles,
            strict=True,
        ):
            paint, width, bucket = quiet, LINK_WIDTH * scale, self.items
            if role >= 0:
                paint, width = theme.role(view.palette[role]), MAIN_WIDTH * scale
                if view.palette[role] == "accent":
                    bucket = strong
                if view.dimmed is not None and target in view.dimmed:
                    paint, bucket = mixed(paint, theme.canvas, 0.7), self.items
            elif on_main and kind == 0:
                paint, width = theme.main_link, MAIN_WIDTH * scale
            if source in view.selection or target in view.selection:
                # Where links have the colours of runs they keep them: whose they are matters most.
                paint, bucket = (paint if role >= 0 else theme.accent), strong
            elif role < 0 and view.hovered is not None and view.hovered in (source, target):
                paint, bucket = theme.quiet, strong
            dimmed = view.dimmed is not None and target in view.dimmed
            together = view.strands(link) if view.strands is not None and bucket is self.items and not dimmed else ()
            if level is Level.BOX:
                bucket.append(Line(tuple(points), paint, 1.5))
            elif together:
                self._strands(points, together, STRAND_WIDTH * scale)
            else:
                bucket.extend(draw_polyline(points, self.sideways, paint, width))
        self.items.extend(strong)

    def _strands(self, points: Sequence[Point], roles: Sequence[str], width: float) -> None:
        """One link as several lines side by side, a run each."""
        for place, role in enumerate(roles):
            aside = (place - (len(roles) - 1) / 2) * (width + 0.5)
            dx, dy = (0.0, aside) if self.sideways else (aside, 0.0)
            moved = [(x + dx, y + dy) for x, y in points]
            self.items.extend(draw_polyline(moved, self.sideways, self.view.theme.role(role), width))

    def _pulled_links(self, links: Indices) -> None:
        """Links of cards being moved: a plain curve from card to card, until the layout has routed them."""
        for source, target in self.view.layout.edges[links].tolist():
            start, end = self._anchor(source, True), self._anchor(target, False)
            self.items.append(bend(start, end, self.sideways, self.view.theme.link, LINK_WIDTH))

    # -- steps ------------------------------------------------------------------------------------------------------

    def _cards(self, visible: Indices, level: Level) -> None:
        view = self.view
        width, height = (round(side * view.zoom) for side in view.index.node_size)
        for index, (x, y) in zip(visible.tolist(), self._corners(visible), strict=True):
            hovered = index == view.hovered
            faded = view.dimmed is not None and index in view.dimmed
            face = view.faces(index)
            if hovered and index in view.reasons:
                face = replace(face, flags=(Flag(view.reasons[index], "bad"),))
            self.items.extend(
                draw_card(
                    face, x, y, width, height, view.zoom, level, view.theme, view.metrics,
                    index in view.selection, hovered, faded,
                )
            )  # fmt: skip

    def _boxes(self, visible: Indices) -> None:
        view, theme = self.view, self.view.theme
        by_run = view.step_roles is not None
        palette = box_palette(theme, view.palette if by_run else KINDS)
        width, height = (max(round(side * view.zoom), 2) for side in view.index.node_size)
        radius = min(RADIUS_OF_BOX, height / 3)
        chosen = view.step_roles if by_run else view.kinds
        codes = chosen[visible].tolist() if chosen is not None else [KINDS.index("model")] * len(visible)
        failing: set[int] = set()
        if view.failures is not None and not by_run:
            failing = set(np.intersect1d(view.failures, visible).tolist())
        faded = [mixed(paint, theme.canvas, 0.7) for paint in palette]
        marks: list[Primitive] = []
        for index, code, (x, y) in zip(visible.tolist(), codes, self._corners(visible), strict=True):
            paint: Color = (faded if view.dimmed is not None and index in view.dimmed else palette)[code]
            if index in failing:
                paint = theme.bad
            self.items.append(Rect(x, y, x + width, y + height, paint, None, radius))
            if index in view.selection or index == view.hovered:
                ring = theme.accent if index in view.selection else theme.text
                marks.append(Rect(x - 3, y - 3, x + width + 3, y + height + 3, None, ring, radius + 3, 2.0))
        self.items.extend(marks)

    def _selection_marks(self) -> None:
        """In a density picture the selection still shows: a ring a step, never smaller than can be seen."""
        view = self.view
        x0, y0, x1, y1 = view.rect
        width, height = (side * view.zoom / 2 + 3 for side in view.index.node_size)
        chosen = view.layout.centers[np.fromiter(view.selection, dtype=np.int64)]
        seen = (chosen[:, 0] >= x0) & (chosen[:, 0] <= x1) & (chosen[:, 1] >= y0) & (chosen[:, 1] <= y1)
        for cx, cy in chosen[seen][:MARK_BUDGET].tolist():
            x, y = self._pixel(cx, cy)
            self.items.append(Rect(x - width, y - height, x + width, y + height, None, view.theme.accent, 3, 2.0))

    # -- what is only proposed --------------------------------------------------------------------------------------

    def _drafts(self) -> None:
        view, theme = self.view, self.view.theme
        for link in view.links:
            start = self._anchor(link.source, True)
            if link.target is not None:
                end = self._anchor(link.target, False)
            elif link.point is not None:
                end = self._pixel(*link.point)
            else:
                continue
            self.items.append(bend(start, end, self.sideways, theme.role(link.role), LINK_WIDTH, dash=True))
        width, height = (round(side * view.zoom) for side in view.index.node_size)
        for ghost in view.ghosts:
            paint = theme.kind(ghost.face.kind)
            arriving = self._beside(ghost.x, ghost.y, False)
            for parent in ghost.parents:
                self._ghost_link(self._anchor(parent, True), arriving, paint)
            x, y = self._pixel(ghost.x, ghost.y)
            level = level_of_detail(view.zoom, 1)
            if level in (Level.CARD, Level.TITLE):
                self.items.extend(
                    draw_card(
                        ghost.face, round(x - width / 2), round(y - height / 2), width, height, view.zoom, level,
                        faded_theme(theme, 0.3), view.metrics,
                    )
                )  # fmt: skip
            else:
                half, tall = max(width / 2, 2), max(height / 2, 2)
                self.items.append(Rect(x - half, y - tall, x + half, y + tall, None, paint, 2))

    def _ghost_link(self, leaving: Point, arriving: Point, paint: Color) -> None:
        """Straight along the parent's lane first: the bend stays in the gap before the ghost, off the other cards."""
        spacing = self.view.layout.spacing
        gap = (spacing.column_gap if self.sideways else spacing.row_gap) * self.view.zoom
        if self.sideways:
            turn = (max(leaving[0], arriving[0] - gap), leaving[1])
        else:
            turn = (leaving[0], max(leaving[1], arriving[1] - gap))
        if turn != leaving:
            self.items.append(Line((leaving, turn), paint, LINK_WIDTH, DASH))
        self.items.append(bend(turn, arriving, self.sideways, paint, LINK_WIDTH, dash=True))


RADIUS_OF_BOX = 4.0


def box_palette(theme: Theme, roles: Sequence[str] = KINDS) -> list[Color]:
    """Return the colour of a step's box by code of its kind (or role): quieter than the bar, there are many of them."""
    return [mixed(theme.role(role), theme.canvas, 0.22) for role in roles]
