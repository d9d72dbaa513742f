"""Paints a draw list with Dear PyGui: the only module that knows both the scene's primitives and the draw calls.

Dear PyGui's Python wrappers cost a third of the time of a draw call, so the extension module is called directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from math import ceil, log
from typing import Any, TypeAlias

import dearpygui._dearpygui as raw
import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Circle, Curve, Line, Part, Picture, Piece, Polygon, Rect, Text
from opentine_gui.scene.painters.strokes import bezier, dashes
from opentine_gui.scene.picture.draw_list_diff import Change, Look, changes
from opentine_gui.scene.text.clean import drawable
from opentine_gui.ui.toolkit.style import Style

CLEAR = (0, 0, 0, 0)

Drawn: TypeAlias = tuple[int, ...]
"""The Dear PyGui items that show one primitive, usually one."""


class Painter:
    """Draws primitives below a draw node; `textures` maps the names of pictures to texture items.

    `scale` is for lists in design pixels: the node's transform scales positions, and the painter scales what no
    transform reaches: text, line widths and radii.
    """

    def __init__(self, style: Style, textures: Mapping[str, int] | None = None, scale: float = 1.0) -> None:
        self.style, self.scale = style, scale
        self.textures = textures if textures is not None else {}
        self.texts: dict[int, float] | None = None
        """Where given: notes the height of every text that is drawn, by its item."""
        self._draw: dict[type, Callable[[Any, int, int], Drawn]] = {
            Rect: self._rect,
            Text: self._text,
            Line: self._line,
            Curve: self._curve,
            Polygon: self._polygon,
            Circle: self._circle,
            Picture: self._picture,
            Piece: self._piece,
        }

    def repaint(self, node: int, items: Iterable[object]) -> list[Drawn]:
        """Replace what is below `node` by `items`; returns the Dear PyGui items of each primitive."""
        dpg.delete_item(node, children_only=True)
        return self.paint(node, items)

    def paint(self, node: int, items: Iterable[object], before: int = 0) -> list[Drawn]:
        """Draw below `node`, in front of everything there or just behind the Dear PyGui item `before`."""
        draw = self._draw
        return [draw[type(item)](item, node, before) for item in items]

    def replace(self, node: int, drawn: list[Drawn], start: int, stop: int, items: Iterable[object]) -> None:
        """Draw other items below `node` in place of some of those in `drawn`, and put them there."""
        for item in chain.from_iterable(drawn[start:stop]):
            raw.delete_item(item)
        behind = next((made[0] for made in islice(drawn, stop, None) if made), 0)
        drawn[start:stop] = self.paint(node, items, behind)

    def place(self, drawn: Drawn, piece: Piece) -> None:
        """Move a piece that is drawn."""
        raw.apply_transform(drawn[0], transform=raw.create_translation_matrix((piece.x, piece.y)))

    def _piece(self, item: Piece, node: int, before: int) -> Drawn:
        drawn: Drawn = (raw.add_draw_node(parent=node, before=before),)
        self.place(drawn, item)
        self.paint(drawn[0], item.items)
        return drawn

    def _rect(self, item: Rect, node: int, before: int) -> Drawn:
        drawn = raw.draw_rectangle(
            (item.x0, item.y0),
            (item.x1, item.y1),
            color=item.edge or CLEAR,
            fill=item.fill or CLEAR,
            rounding=item.radius * self.scale,
            thickness=item.thickness * self.scale if item.edge else 1.0,
            parent=node,
            before=before,
        )
        return (drawn,)

    def _text(self, item: Text, node: int, before: int) -> Drawn:
        text = drawable(item.text) if not self.style.veil.on else self.style.said(drawable(item.text))
        if text is not item.text:
            item = item._replace(text=text)
        if text.isascii():
            return (self._words(item, node, before),)
        metrics, x = self.style.metrics, item.x
        baseline = item.y + metrics.ascent(item.face, item.size)
        drawn = []
        for piece, face in metrics.runs(item.text, item.face):
            y = item.y if face == item.face else baseline - metrics.ascent(face, item.size)
            drawn.append(self._words(item._replace(text=piece, face=face, x=x, y=y), node, before))
            x += metrics.width(piece, face, item.size)
        return tuple(drawn)

    def _words(self, item: Text, node: int, before: int) -> int:
        """Draw text that one font covers: Dear PyGui has no fallback between fonts."""
        # Dear ImGui's text size is the line height, the draw list's is the em.
        # Dear ImGui rasterises every new size; rounding to half pixels keeps them few during a zoom.
        height = round(self.style.metrics.line_height(item.face, item.size * self.scale) * 2) / 2
        at = (item.x, item.y)
        drawn: int = raw.draw_text(at, item.text, size=height, color=item.color, parent=node, before=before)
        if self.texts is not None:
            self.texts[drawn] = height
        if item.face != "text":
            raw.bind_item_font(drawn, self.style.font(item.face))
        return drawn

    def _line(self, item: Line, node: int, before: int) -> Drawn:
        pen = {"color": item.color, "thickness": item.thickness * self.scale, "parent": node, "before": before}
        if item.dash:
            return tuple(raw.draw_line(start, end, **pen) for start, end in dashes(item.points, *item.dash))
        if len(item.points) == 2:
            return (raw.draw_line(item.points[0], item.points[1], **pen),)
        return (raw.draw_polyline(list(item.points), **pen),)

    def _curve(self, item: Curve, node: int, before: int) -> Drawn:
        if item.dash:
            points = bezier(item.p1, item.p2, item.p3, item.p4, 24)
            return self._line(Line(points, item.color, item.thickness, item.dash), node, before)
        wide = item.thickness * self.scale
        drawn = raw.draw_bezier_cubic(
            item.p1, item.p2, item.p3, item.p4, color=item.color, thickness=wide, parent=node, before=before
        )
        return (drawn,)

    def _polygon(self, item: Polygon, node: int, before: int) -> Drawn:
        points = list(item.points)
        edge, fill = item.edge or item.fill or CLEAR, item.fill or CLEAR
        pen = {"color": edge, "fill": fill, "thickness": item.thickness * self.scale, "parent": node, "before": before}
        if len(points) == 3:
            return (raw.draw_triangle(*points, **pen),)
        if len(points) == 4:
            return (raw.draw_quad(*points, **pen),)
        # Dear PyGui fills polygons by scan lines; the outline covers their ragged edge.
        return (raw.draw_polygon([*points, points[0]], **pen),)

    def _circle(self, item: Circle, node: int, before: int) -> Drawn:
        drawn = raw.draw_circle(
            (item.x, item.y),
            item.r * self.scale,
            color=item.edge or CLEAR,
            fill=item.fill or CLEAR,
            thickness=item.thickness * self.scale,
            parent=node,
            before=before,
        )
        return (drawn,)

    def _picture(self, item: Picture, node: int, before: int) -> Drawn:
        texture = self.textures.get(item.name)
        if texture is None:
            return ()
        return (raw.draw_image(texture, (item.x0, item.y0), (item.x1, item.y1), parent=node, before=before),)


ONE_CHANGED_IN = 3
"""Patch only if fewer than one part in so many changed: an insertion costs as much as four appended items."""
MOST_CHANGED = 400
"""Patch at most so many changes: among 3,000 items an insertion costs as much as ten appended ones."""
PIECES_CHANGED = 0.75
"""Share of a picture's pieces that may change before it is painted anew: what is drawn in them costs more than that."""

TEXT_STEP = 0.9
"""How much smaller text gets in one step while a picture is shown smaller than it was painted."""
AT_ONCE = 2
"""Parts that are painted before the time is looked at: a card has some dozen primitives."""


class Painting:
    """Remembers what is painted below a draw node, so that repainting costs only what differs."""

    def __init__(self, painter: Painter, node: int) -> None:
        self.painter, self.node = painter, node
        self._parts: Sequence[Part] = ()
        self._looks: list[Look] = []
        self._drawn: list[Drawn] = []
        self._whole = True
        self._texts: dict[int, float] = {}
        self._text_scale = 1.0

    def __len__(self) -> int:
        """The number of painted primitives."""
        return sum(len(part.items) if isinstance(part, Piece) else 1 for part in self._parts)

    def show(self, parts: Sequence[Part], *, alike: bool) -> None:
        """Paint these parts. With `alike`, try to patch the previous picture: keep what is equal, move what only moved.

        Pictures are equal when name and place are: a caller that gave a name new pixels must not set `alike`.
        """
        looks: list[Look] = [part.items if isinstance(part, Piece) else part for part in parts]
        changed = None
        if alike and self._whole:
            in_pieces = any(isinstance(part, Piece) for part in parts)
            most = int(len(parts) * PIECES_CHANGED) if in_pieces else min(len(parts) // ONE_CHANGED_IN, MOST_CHANGED)
            changed = changes(self._looks, looks, most)
        self._whole = False  # if painting fails half way, the next picture is painted from scratch
        self.scale_text(1.0)
        self.painter.texts = self._texts
        try:
            if changed is None:
                self._texts.clear()
                self._drawn = self.painter.repaint(self.node, parts)
            else:
                self._patch(parts, changed)
        finally:
            self.painter.texts = None
        self._parts, self._looks, self._whole = parts, looks, True

    def begin(self, parts: Sequence[Part]) -> None:
        """Remove what is painted, to paint these parts with `go_on`."""
        self._drawn = self.painter.repaint(self.node, ())
        self._texts.clear()
        self._text_scale = 1.0
        self._parts, self._whole = parts, False
        self._looks = [part.items if isinstance(part, Piece) else part for part in parts]

    def go_on(self, enough: Callable[[], bool]) -> bool:
        """Paint some more parts, until it is `enough`; true once all are painted."""
        self.painter.texts = self._texts
        try:
            while len(self._drawn) < len(self._parts):
                start = len(self._drawn)
                self._drawn += self.painter.paint(self.node, self._parts[start : start + AT_ONCE])
                if enough():
                    break
        finally:
            self.painter.texts = None
        self._whole = len(self._drawn) == len(self._parts)
        return self._whole

    def scale_text(self, times: float) -> None:
        """Show text smaller where the node's transform shrinks the rest; 1 shows it as it was painted.

        In steps, as every size of a font is made anew, and no larger than the rest, so that words stay on their cards.
        """
        steps = ceil(log(times) / log(TEXT_STEP) - 1e-6) if times < 1.0 else 0
        scale = TEXT_STEP**steps
        if scale == self._text_scale:
            return
        self._text_scale = scale
        for item, height in list(self._texts.items()):
            if raw.does_item_exist(item):
                raw.configure_item(item, size=max(round(height * scale * 2) / 2, 1.0))
            else:
                del self._texts[item]

    def _patch(self, parts: Sequence[Part], changed: Sequence[Change]) -> None:
        """Draw what differs, from the end, so that places further on stay what they were; then move what only moved."""
        before = list(self._parts)
        ahead = len(parts) - len(before)
        for start, stop, looks in reversed(changed):
            ahead -= len(looks) - (stop - start)
            fresh = parts[start + ahead : start + ahead + len(looks)]
            self.painter.replace(self.node, self._drawn, start, stop, fresh)
            before[start:stop] = fresh
        for old, part, drawn in zip(before, parts, self._drawn, strict=True):
            if isinstance(part, Piece) and isinstance(old, Piece) and (part.x, part.y) != (old.x, old.y):
                self.painter.place(drawn, part)
