"""Builds the draw list of a view: `build(SceneView) -> DrawList`, a pure function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.cards import draw_card, ring_around
from opentine_gui.scene.detail_level import BOX_BUDGET, Level, level_of_detail
from opentine_gui.scene.draw_list import Color, DrawList, Line, Part, Picture, Piece, Primitive, Rect
from opentine_gui.scene.picture.frames import draw_frames, draw_tabs
from opentine_gui.scene.picture.links import (
    LINK_WIDTH,
    MAIN_WIDTH,
    STRAND_WIDTH,
    draw_corners,
    draw_polyline,
    draw_strands,
    draw_stubs,
    lane_runs,
    polylines,
)
from opentine_gui.scene.picture.view import Carried, Projection, SceneView
from opentine_gui.scene.space.scene_index import Indices, overlapping
from opentine_gui.scene.theme import STEP_ROLES, Theme, mixed

# Most links drawn one by one. Beyond that, lane links are merged into long lines, and surplus merge links left out.
LINK_BUDGET = 1500
# Most rings around selected steps in a density picture.
MARK_BUDGET = 400
# Kinds of links between the columns of a folded run, as the layout numbers them.
COLUMN_LINK, STUB_LINK = 3, 4
CORNER = 14.0
# Below this zoom, lanes are so close together that links between steps are meaningless.
LINKED_DENSITY_ZOOM = 0.03
DENSITY_PICTURE = "density"


def build(view: SceneView) -> DrawList:
    """Return the draw list of a view; its cost depends on the number of cards and links in `view.rect`.

    Carried cards and the links at them are left out: see `build_carried` and `preview_layer.build_pulled`.
    """
    return _Builder(view).build()


def build_carried(view: SceneView, carried: Carried, level: Level) -> DrawList:
    """Return the carried cards that touch `view.rect` and the links between them, at their places in the layout.

    The painter moves them as one piece. `level` is that of the picture below; over a density picture they are boxes.
    """
    return _Builder(view).build_carried(carried, min(level, Level.BOX))


def build_hovered(view: SceneView, level: Level) -> DrawList:
    """Return the hovered card and the links at it, highlighted; to be painted over a view without it.

    `level` is that of the picture below; in a density picture no card is highlighted.
    """
    if view.hovered is None or level is Level.DENSITY:
        return DrawList(())
    return _Builder(view).build_hovered(view.hovered, level)


def draw_ahead(view: SceneView, level: Level) -> Iterator[None]:
    """Draw the cards of a view into its cache, one each time the iterator is advanced, for a later `build` to find."""
    builder = _Builder(view)
    for index in view.index.visible(view.rect).tolist():
        builder.card(index, level)
        yield


class _Builder:
    def __init__(self, view: SceneView) -> None:
        self.view = view
        self.place = Projection(view)
        self.items: list[Part] = []

    def build(self) -> DrawList:
        view, place = self.view, self.place
        visible = view.index.visible(view.rect)
        level = view.level if view.level is not None else level_of_detail(view.zoom, len(visible))
        if view.carried is not None:
            visible = visible[~np.isin(visible, view.carried.cards)]
        if level is Level.DENSITY:
            x0, y0 = place.pixel(view.rect[0], view.rect[1])
            x1, y1 = place.pixel(view.rect[2], view.rect[3])
            if view.zoom >= LINKED_DENSITY_ZOOM:
                self._links(self._links_not_carried(), Level.BOX)
            self.items.append(Picture(DENSITY_PICTURE, x0, y0, x1, y1))
            self._lit_places(visible)
            self._selection_marks()
            return DrawList(tuple(self.items), (), len(visible), place.origin)
        self.items.extend(draw_frames(view, place))
        self._links(self._links_not_carried(), level)
        drawn = self._steps(visible, level)
        tabs = draw_tabs(view, place)
        return drawn._replace(parts=drawn.parts + tuple(tabs)) if tabs else drawn

    def build_carried(self, carried: Carried, level: Level) -> DrawList:
        view = self.view
        seen = carried.cards[overlapping(view.index.boxes[carried.cards], view.rect)]
        links = view.index.edges_visible(view.rect)
        self._links(links[np.isin(links, carried.inner)], level)
        # Over a density picture there may be more carried cards than can be drawn one by one.
        return self._steps(seen[:BOX_BUDGET], level)

    def build_hovered(self, card: int, level: Level) -> DrawList:
        view = self.view
        if level is not Level.BOX:
            links = view.index.edges_visible(view.rect)
            ends = view.layout.edges[links]
            at_it = links[(ends[:, 0] == card) | (ends[:, 1] == card)]
            self._links(at_it, level)
            self._cards_under_links(card, at_it, level)
        return self._steps(np.array([card], dtype=np.int64), level)

    def _cards_under_links(self, card: int, links: Indices, level: Level) -> None:
        """Redraw the flagged cards at the other ends of these links, which would otherwise strike out their text."""
        view = self.view
        near = np.intersect1d(view.layout.edges[links], view.index.visible(view.rect))
        self._cards(np.array([one for one in near.tolist() if one != card and view.faces(one).flags], np.int64), level)

    def _steps(self, steps: Indices, level: Level) -> DrawList:
        if level is Level.BOX:
            self._boxes(steps)
        else:
            self._cards(steps, level)
        return DrawList(tuple(self.items), tuple(steps.tolist()), len(steps), self.place.origin)

    def _links_not_carried(self) -> Indices:
        view = self.view
        links = view.index.edges_visible(view.rect)
        if view.carried is None:
            return links
        return links[~(np.isin(links, view.carried.inner) | np.isin(links, view.carried.pulled))]

    # -- links ------------------------------------------------------------------------------------------------------

    def _links(self, links: Indices, level: Level) -> None:
        view, theme = self.view, self.view.theme
        layout, origin = view.layout, self.place.origin
        scale = min(max(view.zoom, 0.5), 1.5)
        quiet = mixed(theme.link, theme.canvas, 0.3) if view.dimmed is not None else theme.link
        if level is Level.BOX or len(links) > LINK_BUDGET:
            along = 0 if self.place.sideways else 1
            low = view.rect[along] * view.zoom - origin[along] - 16
            high = view.rect[along + 2] * view.zoom - origin[along] + 16
            limits = (low, high)
            for start, end, on_main, code in lane_runs(layout, links, view.zoom, origin, limits, view.link_roles):
                paint, width = (theme.main_link, 2.0) if on_main else (quiet, 1.0)
                if view.link_roles is not None:
                    paint, width = theme.role(view.link_palette[code]), 2.0
                self.items.append(Line((start, end), paint, width))
            links = links[(layout.edge_kinds[links] != 0) & (layout.edge_kinds[links] != STUB_LINK)]
            links = links[np.argsort(layout.edge_kinds[links], kind="stable")[:LINK_BUDGET]]
        kinds = layout.edge_kinds[links].tolist()
        ends = layout.edges[links].tolist()
        on_main_lane = (layout.lanes[layout.edges[links]] == 0).all(axis=1).tolist()
        roles = [-1] * len(links) if view.link_roles is None else view.link_roles[links].tolist()
        strong: list[Part] = []
        for link, ((x, y), points), kind, (source, target), on_main, role in zip(
            links.tolist(),
            polylines(layout, links, view.zoom, origin),
            kinds,
            ends,
            on_main_lane,
            roles,
            strict=True,
        ):
            paint, width, bucket = quiet, LINK_WIDTH * scale, self.items
            if role >= 0:
                paint, width = theme.role(view.link_palette[role]), MAIN_WIDTH * scale
                if view.link_palette[role] == "accent":
                    bucket = strong
                if view.dimmed is not None and target in view.dimmed:
                    paint, bucket = mixed(paint, theme.canvas, 0.7), self.items
            elif kind == COLUMN_LINK or (on_main and kind == 0):
                paint, width = theme.main_link, MAIN_WIDTH * scale
            if source in view.selection or target in view.selection:
                # Links in the colour of their run keep it: which run they belong to matters most.
                paint, bucket = (paint if role >= 0 else theme.accent), strong
            elif role < 0 and view.hovered is not None and view.hovered in (source, target):
                paint, bucket = theme.quiet, strong
            dimmed = view.dimmed is not None and target in view.dimmed
            together = view.strands(link) if view.strands is not None and bucket is self.items and not dimmed else ()
            if level is Level.BOX and kind not in (COLUMN_LINK, STUB_LINK):
                bucket.append(Line(tuple((x + px, y + py) for px, py in points), paint, 1.5))
                continue
            if kind == COLUMN_LINK:
                drawn = draw_corners(points, paint, width, CORNER * view.zoom)
            elif kind == STUB_LINK:
                drawn = draw_stubs(points, paint, width)
            elif together:
                paints = [theme.role(role) for role in together]
                drawn = draw_strands(points, self.place.sideways, paints, STRAND_WIDTH * scale)
            else:
                drawn = draw_polyline(points, self.place.sideways, paint, width, link in view.late)
            bucket.append(Piece(x, y, tuple(drawn)))
        self.items.extend(strong)

    # -- steps ------------------------------------------------------------------------------------------------------

    def _cards(self, visible: Indices, level: Level) -> None:
        visible = self._raised(visible)
        for index, (x, y) in zip(visible.tolist(), self.place.corners(visible), strict=True):
            self.items.append(Piece(x, y, self.card(index, level)))
        self._rings(visible)

    def card(self, index: int, level: Level) -> tuple[Primitive, ...]:
        """Return the primitives of a card, from the cache where it was drawn with these looks."""
        view = self.view
        hovered = index == view.hovered
        faded = view.dimmed is not None and index in view.dimmed
        selected = index in view.selection
        face = view.faces(index)
        if hovered and index in view.reasons:
            face = replace(face, flags=(Flag(view.reasons[index], "bad"),))
        node, looks = view.layout.nodes[index], (face, level, selected, faded)
        cache = None if hovered else view.drawn
        drawn = cache.get(node, looks) if cache is not None else None
        if drawn is None:
            width, height = (round(side * view.zoom) for side in view.index.node_size)
            drawn = tuple(
                draw_card(
                    face, 0, 0, width, height, view.zoom, level, view.theme, view.metrics, selected, hovered, faded
                )
            )
            if cache is not None:
                cache.keep(node, looks, drawn)
        return drawn

    def _rings(self, visible: Indices) -> None:
        """Put a ring around the cards that were found."""
        lit = self.view.lit
        if lit is None:
            return
        width, height = (round(side * self.view.zoom) for side in self.view.index.node_size)
        found = visible[lit[visible] == 1]
        color = lit_color(self.view.theme)
        for x, y in self.place.corners(found):
            self.items.append(ring_around(x, y, width, height, self.view.zoom, color))

    def _lit_places(self, visible: Indices) -> None:
        """Mark the places of a density picture at which steps were found, each once however many lie there."""
        view = self.view
        if view.lit is None:
            return
        found = visible[view.lit[visible] == 1]
        pixels = view.layout.centers[found] * view.zoom - np.array(self.place.origin)
        cells = np.unique(np.floor(pixels / LIT_CELL).astype(np.int64), axis=0)
        color = lit_color(view.theme)
        for x, y in (cells * LIT_CELL).tolist():
            self.items.append(Rect(x, y, x + LIT_CELL - 1, y + LIT_CELL - 1, color))

    def _raised(self, visible: Indices) -> Indices:
        """Return the order to draw overlapping cards in: dimmed ones first, selected ones last, as `hit` expects."""
        view = self.view
        if not view.selection and view.dimmed is None:
            return visible
        dimmed = view.dimmed or frozenset()
        order = sorted(visible.tolist(), key=lambda card: (card not in dimmed, card in view.selection))
        return np.array(order, dtype=visible.dtype)

    def _boxes(self, visible: Indices) -> None:
        view, theme = self.view, self.view.theme
        by_run = view.step_roles is not None
        palette = box_palette(theme, view.palette if by_run else STEP_ROLES)
        width, height = (max(round(side * view.zoom), 2) for side in view.index.node_size)
        radius = min(RADIUS_OF_BOX, height / 3)
        chosen = view.step_roles if by_run else view.kinds
        codes = chosen[visible].tolist() if chosen is not None else [STEP_ROLES.index("model")] * len(visible)
        failing: set[int] = set()
        if view.failures is not None and not by_run:
            failing = set(visible[np.isin(visible, view.failures)].tolist())
        faded = [mixed(paint, theme.canvas, 0.7) for paint in palette]
        marks: list[Primitive] = []
        lit = view.lit
        for index, code, (x, y) in zip(visible.tolist(), codes, self.place.corners(visible), strict=True):
            paint: Color = (faded if view.dimmed is not None and index in view.dimmed else palette)[code]
            if index in failing:
                paint = theme.bad
            if lit is not None and lit[index]:
                paint = theme.accent
            self.items.append(Rect(x, y, x + width, y + height, paint, None, radius))
            if index in view.selection or index == view.hovered:
                ring = theme.accent if index in view.selection else theme.text
                marks.append(Rect(x - 3, y - 3, x + width + 3, y + height + 3, None, ring, radius + 3, 2.0))
        self.items.extend(marks)

    def _selection_marks(self) -> None:
        """Mark the selection in a density picture: a ring per step, never too small to see."""
        view = self.view
        x0, y0, x1, y1 = view.rect
        width, height = (side * view.zoom / 2 + 3 for side in view.index.node_size)
        chosen = view.layout.centers[np.fromiter(view.selection, dtype=np.int64)]
        seen = (chosen[:, 0] >= x0) & (chosen[:, 0] <= x1) & (chosen[:, 1] >= y0) & (chosen[:, 1] <= y1)
        for cx, cy in chosen[seen][:MARK_BUDGET].tolist():
            x, y = self.place.pixel(cx, cy)
            self.items.append(Rect(x - width, y - height, x + width, y + height, None, view.theme.accent, 3, 2.0))


RADIUS_OF_BOX = 4.0
LIT_CELL = 4
"""Pixels of the smallest mark of found steps."""


def lit_color(theme: Theme) -> Color:
    """Return the colour of what was found: that of a selection, but quieter."""
    return mixed(theme.accent, theme.canvas, 0.3)


def box_palette(theme: Theme, roles: Sequence[str] = STEP_ROLES) -> list[Color]:
    """Return the colours of boxes by code of their kind (or role): paler than a card's bar, as there are many boxes."""
    return [mixed(theme.role(role), theme.canvas, 0.22) for role in roles]
