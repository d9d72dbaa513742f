"""The menus of the bar with a real mouse and keyboard."""

from __future__ import annotations

import shutil
from pathlib import Path

import dearpygui.dearpygui as dpg

from tests.conftest import named
from tests.ui.frame.menus import titles
from tests.ui.frame.runs import NAMES
from tests.ui.opened import DEMO, Opened
from tests.ui.panels.places import row_point, row_with


def test_arrows_walk_in_an_open_menu_and_not_behind_it(opened: Opened, tmp_path: Path) -> None:
    document = opened.open(tmp_path / NAMES[0])
    assert document.record is not None
    opened.session.invoke("select.step", step=named(document.record, "5"))
    x0, x1, _ = next(title for title in opened.window.menus.titles if title[2] == "View")
    opened.mouse.click((x0 + x1) / 2, 18)
    opened.rest()
    place = titles(opened).index("Theme")
    enabled = [entry.reason is None for entry in opened.window.context_menu.entries]
    for _ in range(sum(enabled[: place + 1])):
        opened.keyboard.press("Down")
    assert document.selection.ids == (named(document.record, "5"),)
    opened.keyboard.press("Right")
    opened.rest()
    opened.keyboard.press("Down")
    opened.keyboard.press("Return")
    opened.rest()
    assert opened.session.view.theme == "light"
    assert not opened.window.context_menu.visible


def test_no_line_of_the_menu_bar_has_to_be_scrolled_to_where_the_window_has_room(
    opened: Opened, tmp_path: Path
) -> None:
    opened.open(tmp_path / NAMES[0])
    dpg.set_viewport_height(900)
    opened.until(lambda: dpg.get_viewport_client_height() == 900, "the window's height")
    for x0, x1, name in opened.window.menus.titles:
        opened.mouse.click((x0 + x1) / 2, 18)
        opened.until(lambda: opened.window.context_menu.visible, f"the menu {name}")
        opened.rest()
        menu = opened.window.context_menu.menu
        assert menu.rows.content_height <= menu.area.height, name
        opened.keyboard.press("Escape")
        opened.rest()


def test_a_menu_of_the_bar_that_has_no_room_scrolls_below_its_name(opened: Opened, tmp_path: Path) -> None:
    opened.open(tmp_path / NAMES[0])
    dpg.set_viewport_height(420)
    opened.until(lambda: dpg.get_viewport_client_height() == 420, "the window's height")
    x0, x1, _ = next(title for title in opened.window.menus.titles if title[2] == "View")
    opened.mouse.click((x0 + x1) / 2, 18)
    opened.until(lambda: opened.window.context_menu.visible, "the menu")
    opened.rest()
    menu = opened.window.context_menu.menu
    assert menu.rows.content_height > menu.area.height, "or this shows nothing"
    assert menu.area.y >= opened.window.menus.height and menu.area.y + menu.area.height <= 420
    opened.mouse.click(menu.area.x + 60, menu.area.y + menu.rows.row_height / 2 + 5)
    opened.until(lambda: not opened.window.context_menu.visible, "its first line was pressed")


def test_a_wide_submenu_never_covers_the_line_it_belongs_to(opened: Opened, tmp_path: Path) -> None:
    opened.open(Path(shutil.copy(DEMO / "research-01.tine", tmp_path)))
    dpg.set_viewport_width(1000)
    opened.until(lambda: dpg.get_viewport_client_width() == 1000, "the window's width")
    x0, x1, _ = next(title for title in opened.window.menus.titles if title[2] == "Run")
    opened.mouse.click((x0 + x1) / 2, 18)
    menu = opened.window.context_menu
    opened.until(lambda: menu.visible, "the menu")
    opened.rest()
    line = row_point(menu.rows, row_with(menu.rows, "Fork where it went wrong"))
    opened.mouse.move(*line)
    opened.until(lambda: menu.submenu.shown, "the submenu")
    opened.rest()
    area = menu.submenu.area
    assert not area.contains(*line)
    assert area.x >= 0 and area.x + area.width <= 1000
    opened.mouse.click(*line)
    opened.rest()
    assert menu.submenu.shown, "the press chose what cannot have been read"
    assert opened.session.proposal is None


def test_the_right_and_left_arrows_go_from_menu_to_menu(opened: Opened, tmp_path: Path) -> None:
    opened.open(tmp_path / NAMES[0])
    names = [name for _, _, name in opened.window.menus.titles]
    x0, x1, _ = opened.window.menus.titles[0]
    opened.mouse.click((x0 + x1) / 2, 18)
    opened.rest()

    def shown() -> str:
        wanted = opened.session.context_menu
        return wanted.kind.removeprefix("menu:") if wanted is not None else ""

    for name in (*names[1:], names[0]):
        opened.keyboard.press("Down")  # at a line without a submenu, too
        opened.keyboard.press("Down")
        opened.keyboard.press("Right")
        opened.rest()
        if opened.window.context_menu.submenu.shown:
            opened.keyboard.press("Right")
            opened.rest()
        assert shown() == name
    opened.keyboard.press("Left")
    opened.rest()
    assert shown() == names[-1]
