"""What draws pictures is made ready while nothing can be moved yet, not in the frame that first shows the minimap."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg

from tests.ui.opened import DEMO, Opened


def shown_pictures() -> list[tuple[int, int]]:
    """The sizes of the textures that are drawn in the views on screen."""
    found = []
    for item in dpg.get_all_items():
        if dpg.get_item_type(item) != "mvAppItemType::mvDrawImage":
            continue
        above: int | str | None = item
        while above and dpg.is_item_shown(above):
            above = dpg.get_item_parent(above)
        if not above:
            made = dpg.get_item_configuration(dpg.get_item_configuration(item)["texture_tag"])
            found.append((made["width"], made["height"]))
    return found


def test_a_picture_of_nothing_is_drawn_before_there_is_a_run_and_not_afterwards(tmp_path: Path) -> None:
    opened = Opened(tmp_path)
    (wide, high) = shown_pictures()[0]
    # What draws the minimap is made once for all sides that are no powers of two.
    assert wide & (wide - 1)
    assert high & (high - 1)
    opened.open(DEMO / "research-01.tine")
    opened.rest()
    assert (wide, high) not in shown_pictures()
    opened.close()
