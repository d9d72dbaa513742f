"""Notices in the corner of the canvas that has the fewest cards: a sentence, buttons, and a cross to dismiss it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from opentine_gui.app.session import Session
from opentine_gui.app.state.notices import Notice
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.space.camera import to_screen
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.canvas.minimap import Minimap
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import BODY, Pen, Sheet, button_rows, button_width
from opentine_gui.ui.toolkit.style import Style, wrap

WIDTH = 400.0
MARGIN = 16.0
ABOVE_ZOOM_BAR = 50.0
BELOW_LEGEND = 20.0
BESIDE = 250.0
"""Width in design pixels that the minimap takes beside the notices, on a canvas wide enough for it."""
MINIMAP_FROM = 2.2 * 208.0
LINE = 20.0
MOST_LINES = 6
Corner = tuple[bool, bool]
"""A corner of the canvas: whether it is an upper one, and whether it is at the left."""
LOW_LEFT: Corner = (False, True)
CORNERS: tuple[Corner, ...] = (LOW_LEFT, (True, True), (True, False), (False, False))
"""Those in which notices may stand, the usual one first; in the last they stand above the minimap."""
MOST_SHOWN = 5
STAY = {"good": 4.0, "info": 7.0}
"""Seconds after which a notice disappears by level; warnings and errors stay."""
STAY_WITH_BUTTONS = 60.0
"""The same for one with buttons: what they do is in a menu as well."""


class NoticeStack:
    """Shows the newest notices on at most a third of the canvas, and the number of older ones."""

    def __init__(self, session: Session, style: Style, parent: int | str, minimap: Minimap) -> None:
        self.session, self.style, self.parent, self._minimap = session, style, parent, minimap
        self.sheets: list[Sheet] = []
        self._area = Area(0, 0, 10, 10)
        self._arranged: object = None
        self._corner: Corner = LOW_LEFT
        self._chosen_in: object = None
        """What the canvas showed when the corner was chosen, which is done again for a picture that comes."""
        self._reading = False
        self._waiting: tuple[Notice, ...] = ()
        """The notices that stood there when the reading view opened."""
        self._wide = 10.0
        self._stack: list[tuple[Notice, list[str], float, float]] = []
        """What is shown: a notice, its lines, its height and its width, which is that of its words."""
        self._more = 0
        self._since: dict[str, tuple[Notice, float]] = {}
        with dpg.theme() as self._clear, dpg.theme_component(dpg.mvAll):
            dpg.add_theme_color(dpg.mvThemeCol_ChildBg, (0, 0, 0, 0))

    def place(self, x: float, y: float, width: float, height: float) -> None:
        """Set the canvas's area in the window, in pixels."""
        self._area = Area(x, y, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the session's notices; remove those whose time is up."""
        self._expire()
        notices, hidden = self.session.notices, self._behind_something
        self._wait_for_reader()
        reads = self.session.view.reading
        arranged = (notices.revision, self._area, self.style.theme.name, hidden, self._waiting, self._in_front, reads)
        if arranged != self._arranged:
            self._arranged = arranged
            shown = tuple(notice for notice in notices.list() if self._is_in_view(notice))
            pointed_at, first = self._pointed_at, not self._stack
            self._arrange(() if hidden else shown)
            if first:
                self._corner, self._chosen_in = self._freest_corner(), self._place_now
            elif not pointed_at:
                self._corner = self._best_corner()
            self._stand()
        elif self._stack and self._chosen_in != self._place_now and not self._pointed_at:
            self._corner, self._chosen_in = self._freest_corner(), self._place_now
            self._stand()
        elif self._stack and not self._pointed_at and (best := self._best_corner()) != self._corner:
            self._corner = best
            self._stand()
        for number, (notice, lines, *_size) in enumerate(self._stack):
            more = self._more if number == len(self._stack) - 1 else 0
            key = (notice, tuple(lines), more)
            self.sheets[number].sync(
                pointer,
                key,
                lambda pen, n=notice, ls=lines, m=more: self._draw(pen, n, ls, m),  # type: ignore[misc]
            )

    def _wait_for_reader(self) -> None:
        """Hide earlier notices while the reading view is open: they would cover the text."""
        if not self.session.view.reading:
            self._waiting, self._reading = (), False
        elif not self._reading:
            self._waiting, self._reading = tuple(self.session.notices.list()), True

    @property
    def _place_now(self) -> object:
        document = self.session.active
        pictured = document is not None and document.picture.scene_index is not None
        return self._area, self._in_front, self._minimap.covers_now, pictured

    @property
    def _in_front(self) -> int | None:
        """The number of the document in front."""
        return self.session.active.number if self.session.active is not None else None

    def _is_in_view(self, notice: Notice) -> bool:
        if notice.document is not None and notice.document != self._in_front:
            return False
        return not any(notice is one for one in self._waiting)

    @property
    def _behind_something(self) -> bool:
        """Whether a view covers the notices; those that stay are shown again after it."""
        session = self.session
        return session.view.keys or session.view.about or session.presentation is not None

    def _expire(self) -> None:
        if not self.session.notices.list():
            self._since.clear()
            return
        now = self.session.clock()
        since: dict[str, tuple[Notice, float]] = {}
        for notice in self.session.notices.list():
            known = self._since.get(notice.key)
            seen = known is not None and known[0] is notice and self._is_in_view(notice)
            since[notice.key] = known if known is not None and seen else (notice, now)
            stay = STAY.get(notice.level)
            if stay is not None and notice.actions:
                stay = STAY_WITH_BUTTONS
            over = stay is not None and now - since[notice.key][1] > stay and not self._pointed_at
            if over or (notice.document is not None and self.session.document(notice.document) is None):
                self._dismiss(notice)
        self._since = since

    @property
    def _pointed_at(self) -> bool:
        """Whether the pointer is over a notice: none goes or moves then, for one is read or about to be pressed."""
        return any(sheet.hovered for sheet in self.sheets[: len(self._stack)])

    def _arrange(self, notices: tuple[Notice, ...]) -> None:
        style, width, height = self.style, self._area.width, self._area.height
        beside = BESIDE if width > style.size(MINIMAP_FROM) else 2 * MARGIN
        wide = min(style.size(WIDTH), max(width / 3, style.size(240)), max(width - style.size(beside), 40))
        room = height / 3
        self._stack, used = [], 0.0
        for notice in reversed(notices[-MOST_SHOWN:]):
            lines = wrap(clean(notice.text, 600), wide - style.size(52), style, most=MOST_LINES)
            tall = style.size(LINE) * len(lines) + style.size(20) + style.size(30 * len(self._rows(notice, wide)))
            if self._stack and used + tall > room:
                break
            words = max(style.width(line, "text", style.size(BODY)) for line in lines) if lines else 0.0
            own = wide if notice.actions else min(words + style.size(56), wide)  # beside it a press is for the cards
            self._stack.append((notice, lines, tall, own))
            used += tall + style.size(8)
        self._more = len(notices) - len(self._stack)
        while len(self.sheets) < len(self._stack):
            sheet = Sheet(self.parent, style)
            style.controls.call(sheet.window, "NoticeStack")
            dpg.bind_item_theme(sheet.window, self._clear)
            self.sheets.append(sheet)
        self._wide = max((own for *_, own in self._stack), default=wide)

    def _stand(self) -> None:
        """Place the notices below each other, the oldest at the edge, where it stays when another one comes."""
        area, style = self._standing(self._corner), self.style
        top, high = area.y, self._corner[0]
        numbers = range(len(self._stack))
        for number in reversed(numbers) if high else numbers:
            *_, tall, wide = self._stack[number]
            x = area.x if self._corner[1] else area.x + area.width - wide
            self.sheets[number].place(x, top, wide, tall)
            top += tall + style.size(8)
        for number, sheet in enumerate(self.sheets):
            sheet.show(number < len(self._stack))

    def _standing(self, corner: Corner) -> Area:
        """The area of the notices in a corner of the canvas: below its legend, above its zoom buttons if shown."""
        style, canvas = self.style, self._area
        tall = sum(height + style.size(8) for _, _, height, _ in self._stack) - style.size(8)
        high, left = corner
        x = canvas.x + (style.size(MARGIN) if left else canvas.width - style.size(MARGIN) - self._wide)
        top = canvas.y + style.size(MARGIN + BELOW_LEGEND)
        above = style.size(ABOVE_ZOOM_BAR) if left else self._minimap.covers_now
        above = 0.0 if self.session.view.reading else above
        bottom = canvas.y + canvas.height - style.size(MARGIN) - above
        # On a low canvas they reach over what is below it: the tabs above it are theirs alone.
        return Area(x, top if high else max(bottom - tall, canvas.y + style.size(4)), self._wide, tall)

    def _freest_corner(self) -> Corner:
        """The place where notices that come cover the least of the selected card, and then of all cards."""
        if self.session.view.reading:
            return LOW_LEFT
        return min(CORNERS, key=lambda corner: (self._covered(corner), self._cards_covered(corner)))

    def _cards_covered(self, corner: Corner) -> float:
        """How many square pixels of cards the notices would cover; asked when the first of them comes."""
        document, viewport, scale = self.session.active, self.session.viewport, self.style.scale
        camera = document.picture.camera if document is not None else None
        index = document.picture.scene_index if document is not None else None
        if camera is None or index is None or not len(index.boxes):
            return 0.0
        boxes, area, canvas = np.asarray(index.boxes, dtype=float), self._standing(corner), self._area
        middle = viewport.width / 2, viewport.height / 2
        found = np.ones(len(boxes))
        for at, (start, long) in enumerate(((area.x - canvas.x, area.width), (area.y - canvas.y, area.height))):
            low = ((boxes[:, at] - camera[at]) * camera.zoom + middle[at]) * scale
            high = ((boxes[:, at + 2] - camera[at]) * camera.zoom + middle[at]) * scale
            found *= np.clip(np.minimum(high, start + long) - np.maximum(low, start), 0.0, None)
        return float(found.sum())

    def _best_corner(self) -> Corner:
        """The place where the notices cover the least of the selected card; they stay where they are while they cover
        none of it.

        Over the reading view, which has its controls at the top, they are in the usual corner.
        """
        if self.session.view.reading:
            return LOW_LEFT
        corners = (self._corner, *(corner for corner in CORNERS if corner != self._corner))
        return min(corners, key=self._covered)

    def _covered(self, corner: Corner) -> float:
        """How many square pixels of the selected card the notices would cover."""
        document, session, size = self.session.active, self.session, self.style.size
        primary = document.selection.primary if document is not None else None
        if document is None or primary is None:
            return 0.0
        camera, index, card = document.picture.camera, document.picture.scene_index, document.picture.index_of(primary)
        if camera is None or index is None or card is None or card >= len(index.boxes):
            return 0.0
        x0, y0, x1, y1 = map(float, index.boxes[card])
        left, top = to_screen(camera, session.viewport, x0, y0)
        right, bottom = to_screen(camera, session.viewport, x1, y1)
        area, canvas = self._standing(corner), self._area
        wide = min(canvas.x + size(right), area.x + area.width) - max(canvas.x + size(left), area.x)
        tall = min(canvas.y + size(bottom), area.y + area.height) - max(canvas.y + size(top), area.y)
        return max(wide, 0.0) * max(tall, 0.0)

    def _draw(self, pen: Pen, notice: Notice, lines: list[str], more: int) -> None:
        style, theme = self.style, self.style.theme
        color = {"good": theme.good, "warning": theme.human, "error": theme.bad}.get(notice.level, theme.tool)
        sheet = next((s for (n, *_), s in zip(self._stack, self.sheets, strict=False) if n is notice), None)
        if sheet is None:
            return
        width, height = float(sheet.width), float(sheet.height)
        pen.items.append(Rect(0.5, 0.5, width - 0.5, height - 0.5, theme.raised, theme.hairline, style.size(6)))
        pen.rect(0, style.size(6), style.size(3), height - style.size(6), color)
        y = style.size(10) + style.size(LINE) / 2
        for line in lines:
            pen.text(style.size(16), y, line, theme.text)
            y += style.size(LINE)
        if notice.detail:
            detail = clean(notice.detail, 2000, lines=True)
            pen.zone(0, 0, width, y, None, detail)
        for row in self._rows(notice, width):
            x = style.size(16)
            for number in row:
                label, action_id, arguments = notice.actions[number]
                act = self._acting(notice, action_id, arguments)
                hint = self.session.actions[action_id].description
                x = pen.button(x, y, clean(label, 60), act, height=24, hint=hint) + style.size(8)
            y += style.size(30)
        close = style.size(14)
        right = width - style.size(18)
        over = pen.over(right - close, 0, width, style.size(34))
        pen.cross(right, style.size(20), style.size(4), theme.text if over else theme.faint)
        words = "Dismiss" if not more else f"Dismiss; {more} older notices are behind it"
        pen.zone(right - close, 0, width, style.size(34), lambda: self._dismiss(notice), words)

    def _rows(self, notice: Notice, wide: float) -> list[list[int]]:
        """The buttons of a notice in as many rows as they need."""
        style = self.style
        widths = [button_width(style, clean(label, 60)) for label, _, _ in notice.actions]
        return button_rows(widths, wide - style.size(32), style.size(8)) if widths else []

    def _acting(self, notice: Notice, action_id: str, arguments: Mapping[str, Any]) -> Callable[[], None]:
        def act() -> None:
            self.session.invoke("notice.dismiss", key=notice.key)
            self.session.invoke(action_id, **arguments)

        return act

    def _dismiss(self, notice: Notice) -> None:
        self.session.invoke("notice.dismiss", key=notice.key)
