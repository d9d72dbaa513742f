"""Lists everything that can be pressed: views report the controls they draw, Dear PyGui's own are read from its items.

Nothing is collected while the views are drawn: the list is worked out when somebody asks for it, so it costs nothing
until then. A view calls `add` once, and runs what a control does through `act`, so that a test knows which one reacted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from weakref import WeakMethod

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.regions import Area, overlap

WIDGETS = {
    "mvButton": "button",
    "mvImageButton": "button",
    "mvCheckbox": "checkbox",
    "mvCombo": "list",
    "mvListbox": "list",
    "mvRadioButton": "list",
    "mvSelectable": "row",
    "mvMenuItem": "row",
    "mvTabButton": "tab",
    "mvInputText": "box",
    "mvInputInt": "box",
    "mvInputFloat": "box",
    "mvSliderInt": "slider",
    "mvSliderFloat": "slider",
}
"""The kinds of Dear PyGui's own widgets that answer a press."""
WINDOWS = ("mvWindowAppItem", "mvChildWindow")
ITEMS, DRAWN = 1, 2
"""The slots of an item's children: widgets, and what is drawn."""


class Part(NamedTuple):
    """A control as its view draws it; `area` is in pixels from the upper left corner of the item it was added for.

    `kind` is one word: "button", "link", "tab", "row", "splitter", "map". `content` may be cut by the view's edge, as
    it scrolls or pans; what is `above` gets the press before the views over it do.
    """

    name: str
    kind: str
    area: Area
    tooltip: str = ""
    enabled: bool = True
    content: bool = False
    above: bool = False


class Control(NamedTuple):
    """Something on screen that can be pressed; areas are in pixels of the window.

    `shown` is the part that its views and the window leave visible, None for nothing; `cover` names the view that lies
    over the middle of that part, "" for none; `view` the view it belongs to. `cut` is how many pixels of its label do
    not fit.
    """

    item: int
    name: str
    kind: str
    area: Area
    shown: Area | None
    cover: str = ""
    tooltip: str = ""
    enabled: bool = True
    content: bool = False
    cut: float = 0.0
    view: str = ""

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of what is visible of it, where a user would press."""
        x, y, width, height = self.shown or self.area
        return x + width / 2, y + height / 2


class _Window(NamedTuple):
    """A window or child window on screen: where it begins, what is visible of it, and the windows it is in.

    What is in one that `scrolls` may be cut by its edge.
    """

    item: int
    x: float
    y: float
    shown: Area | None
    inside: tuple[int, ...]
    scrolls: bool = False


Report = Callable[[], Iterable[Part]]


class Controls:
    """The controls of one window."""

    def __init__(self) -> None:
        self._reports: dict[int, list[WeakMethod[Any]]] = {}
        self._titles: dict[int, str] = {}
        self.acting: tuple[int, str] | None = None
        """(item, name) of the control whose work is being done."""
        self.acted: Callable[[int, str], None] | None = None
        """Told of every control that reacts, before it does."""

    def add(self, item: int, report: Report) -> None:
        """Let the bound method `report` list the controls drawn on a Dear PyGui item; its owner may be forgotten."""
        self._reports.setdefault(item, []).append(WeakMethod(report))

    def call(self, window: int, title: str) -> None:
        """Name a window or child window after the view in it."""
        self._titles[window] = title

    def act(self, item: int, name: str, work: Callable[[], object]) -> None:
        """Do the work of a control that was pressed."""
        self.acting = (item, name)
        if self.acted is not None:
            self.acted(item, name)
        try:
            work()
        finally:
            self.acting = None

    def visible(self, size: tuple[float, float], front: int | None = None) -> list[Control]:
        """Every control on screen now, in a window of `size` pixels.

        With `front`, the item of a dialog or menu that gets all presses, only those in it.
        """
        self._reports = {item: kept for item, known in self._reports.items() if (kept := _living(item, known))}
        self._titles = {item: title for item, title in self._titles.items() if dpg.does_item_exist(item)}
        windows: list[_Window] = []
        found: list[tuple[int, Control, bool]] = []
        roots = [item for item in dpg.get_windows() if _kind(item) == "mvWindowAppItem" and dpg.is_item_shown(item)]
        if front in roots:  # what is in the others is left out, and covers nothing of it
            roots = [front]
        for root in roots:
            self._walk(root, _Window(0, 0, 0, Area(0, 0, *size), ()), windows, found)
        listed = []
        for order, control, above in found:
            window = windows[order]
            if front is not None and front not in (*window.inside, window.item):
                continue
            cover = "" if above or control.shown is None else self._cover(control, windows[order + 1 :])
            listed.append(control._replace(cover=cover, view=self._title(window)))
        return listed

    def _walk(self, item: int, parent: _Window, windows: list[_Window], found: list[tuple[int, Control, bool]]) -> None:
        """Add a window, the controls in it, and the windows in it, in the order they are painted."""
        state = dpg.get_item_state(item)
        (x, y), (width, height) = state["pos"], state["rect_size"]
        scroll_most, scrolls = dpg.get_y_scroll_max(item), _scrolls(item)
        window = _Window(
            item,
            parent.x + x,
            parent.y + y,
            overlap(parent.shown, Area(parent.x + x, parent.y + y, width, height)),
            (*parent.inside, parent.item),
            parent.scrolls or (bool(parent.item) and scroll_most > 0 and scrolls),
        )
        order = len(windows)
        windows.append(window)
        below = window._replace(
            x=window.x - dpg.get_x_scroll(item), y=window.y - dpg.get_y_scroll(item), inside=window.inside
        )
        inner: list[int] = []
        free = state.get("content_region_avail", (width, height))[0]
        bar = _scroll_bar(window, width, height, width - free) if scrolls and scroll_most > 0 else None
        if bar is not None:
            found.append((order, bar, False))
            # What is in a window ends where its scroll bar begins.
            inner_area = Area(window.x, window.y, width - bar.area.width, height)
            below = below._replace(shown=overlap(window.shown, inner_area))
        self._read(item, below, order, inner, found)
        for child in inner:
            self._walk(child, below, windows, found)

    def _read(
        self, item: int, window: _Window, order: int, inner: list[int], found: list[tuple[int, Control, bool]]
    ) -> None:
        """Add the controls below an item, and the child windows among what is below it."""
        parts = [
            part
            for report in self._reports.get(item, ())
            for part in (report() or ())()  # type: ignore[operator]
        ]
        if parts:
            corner = (window.x, window.y) if item == window.item else dpg.get_item_rect_min(item)
            found += [(order, _placed(item, part, window, *corner), part.above) for part in parts]
        children = dpg.get_item_children(item, ITEMS) or ()
        for place, child in enumerate(children):
            kind = _kind(child)
            if not dpg.is_item_shown(child) or kind == "mvTooltip":
                continue
            if kind in WINDOWS:
                inner.append(child)
            elif kind in WIDGETS:
                tooltip = _tooltip(children[place + 1]) if place + 1 < len(children) else ""
                control = _widget(child, WIDGETS[kind], tooltip, window)
                if control is not None:
                    found.append((order, control, False))
            else:
                self._read(child, window, order, inner, found)

    def _cover(self, control: Control, above: list[_Window]) -> str:
        x, y = control.middle
        over = next((window for window in above if window.shown is not None and window.shown.contains(x, y)), None)
        return "" if over is None else self._title(over)

    def _title(self, window: _Window) -> str:
        """The name of the view that a window belongs to."""
        named = (item for item in (window.item, *reversed(window.inside)) if item in self._titles)
        return self._titles.get(next(named, 0), f"{_kind(window.item)} {window.item}")


def _living(item: int, reports: list[WeakMethod[Any]]) -> list[WeakMethod[Any]]:
    return [report for report in reports if report() is not None] if dpg.does_item_exist(item) else []


@lru_cache(maxsize=1 << 16)
def _kind(item: int) -> str:
    """What an item is, which it stays: Dear PyGui gives the number of an item to no other one."""
    return str(dpg.get_item_type(item)).rpartition("::")[2]


def _placed(item: int, part: Part, window: _Window, x: float, y: float) -> Control:
    """A control that is drawn on an item whose upper left corner is (x, y), in pixels of the window."""
    area = Area(x + part.area.x, y + part.area.y, part.area.width, part.area.height)
    return Control(
        item,
        part.name,
        part.kind,
        area,
        overlap(window.shown, area),
        tooltip=part.tooltip,
        enabled=part.enabled,
        content=part.content or window.scrolls,
    )


def _widget(item: int, kind: str, tooltip: str, window: _Window) -> Control | None:
    """One of Dear PyGui's own widgets; None for one that it has not laid out yet."""
    (x, y), (width, height) = dpg.get_item_rect_min(item), dpg.get_item_rect_size(item)
    if width <= 0 or height <= 0:
        return None
    area = Area(x, y, width, height)
    settings = dpg.get_item_configuration(item)
    label = str(settings.get("label") or "").partition("##")[0]
    cut = 0.0
    if kind == "button" and label:
        size = dpg.get_text_size(label, font=dpg.get_item_info(item)["font"] or 0)
        cut = max(float(size[0]) - width, 0.0) if size else 0.0
    name = label or str(settings.get("hint") or "") or tooltip.partition("\n")[0]
    enabled = bool(settings.get("enabled", True)) and not settings.get("readonly", False)
    return Control(item, name, kind, area, overlap(window.shown, area), "", tooltip, enabled, window.scrolls, cut)


def _scroll_bar(window: _Window, width: float, height: float, wide: float) -> Control | None:
    """The scroll bar at the right of a window whose content is higher than it, in the pixels left free there."""
    if wide <= 2:
        return None
    area = Area(window.x + width - wide, window.y, wide, height)
    return Control(window.item, "Scroll bar", "scroll bar", area, overlap(window.shown, area))


def _scrolls(window: int) -> bool:
    return not dpg.get_item_configuration(window).get("no_scrollbar")


def _tooltip(item: int) -> str:
    """The text of a tooltip, "" for another item."""
    return "\n".join(_words(item)) if _kind(item) == "mvTooltip" else ""


def _words(item: int) -> list[str]:
    found: list[str] = []
    for child in (*(dpg.get_item_children(item, ITEMS) or ()), *(dpg.get_item_children(item, DRAWN) or ())):
        text = dpg.get_value(child) if _kind(child) == "mvText" else dpg.get_item_configuration(child).get("text")
        found += [str(text)] if text else []
        found += _words(child)
    return found
