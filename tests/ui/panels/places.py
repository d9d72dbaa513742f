"""Where the parts of drawn panels are on the window."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import Sheet
from tests.ui.opened import Opened


def row_point(rows: RowList, index: int, x: float = 60.0) -> tuple[float, float]:
    """The window pixel in the middle of a row."""
    left, top = dpg.get_item_rect_min(rows.drawlist)
    return left + x, top + (index + 0.5) * rows.row_height


def zone_point(sheet: Sheet, hint: str) -> tuple[float, float]:
    """The window pixel in the middle of the zone whose tooltip begins with `hint`."""
    left, top = dpg.get_item_rect_min(sheet.drawlist)
    zone = next(zone for zone in sheet.zones if zone.hint.startswith(hint))
    return left + (zone.x0 + zone.x1) / 2, top + (zone.y0 + zone.y1) / 2


def row_with(rows: RowList, text: str) -> int:
    """The index of the first row that contains `text`."""
    for index in range(rows.count):
        row = rows.row_at(index)
        if text in " ".join(span.text for span in (*row.left, *row.right)):
            return index
    raise AssertionError(f"no row says {text!r}")


def title_point(opened: Opened, name: str) -> tuple[float, float]:
    x0, x1, _ = next(title for title in opened.window.menus.titles if title[2] == name)
    return (x0 + x1) / 2, opened.window.menus.height / 2
