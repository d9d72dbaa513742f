"""The menus of the bar and of a step, by mouse."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import named
from tests.ui.opened import Opened
from tests.ui.panels.places import row_point, row_with, title_point


def test_a_menu_opens_slides_to_its_neighbour_and_runs_what_is_clicked(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    menu = opened.window.context_menu
    opened.mouse.click(*title_point(opened, "File"))
    opened.rest()
    assert menu.visible
    assert menu.entries[0].action == "file.open"
    opened.mouse.travel(*title_point(opened, "View"))
    opened.rest()
    place = [entry.title for entry in menu.entries].index("Show")
    shown = opened.session.view.minimap
    opened.frame()
    opened.mouse.travel(*row_point(menu.rows, place))
    opened.until(lambda: menu.submenu.shown and menu.submenu.entries[0].title == "Minimap", "the submenu")
    opened.rest()
    inner = menu.submenu.rows
    assert "Alt+M" in " ".join(span.text for span in inner.row_at(0).right), "keys stay in sight"
    opened.mouse.travel(*row_point(inner, 0))
    opened.frame()
    opened.mouse.click(*row_point(inner, 0))
    opened.rest()
    assert opened.session.view.minimap is not shown
    assert not menu.visible


def test_what_is_not_available_stays_in_the_menu_and_says_why(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    menu = opened.window.context_menu
    opened.mouse.click(*title_point(opened, "File"))
    opened.rest()
    opened.frame()
    place = row_with(menu.rows, "Save")
    assert menu.rows.row_at(place).hint == opened.session.enabled("file.save")
    opened.mouse.click(*row_point(menu.rows, place))
    opened.rest()
    assert menu.visible
    opened.keyboard.press("Escape")
    opened.rest()
    assert not menu.visible


def test_a_press_beside_an_open_menu_closes_it_and_does_nothing_else(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    menu = opened.window.context_menu
    opened.mouse.click(*title_point(opened, "File"))
    opened.rest()
    opened.mouse.click(*opened.point(named(record, "answer")))
    opened.rest()
    assert not menu.visible
    assert opened.document.selection.ids == (named(record, "plan"),)


def test_the_menu_of_a_step_acts_on_that_step(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    copied: list[str] = []
    opened.session.clipboard = copied.append
    rows = opened.window.panels["outline"].rows
    opened.mouse.click(*row_point(rows, row_with(rows, "join")), button="right")
    opened.rest()
    menu = opened.window.context_menu
    assert menu.visible
    opened.frame()
    opened.mouse.move(*row_point(menu.rows, row_with(menu.rows, "Copy")))
    opened.until(lambda: menu.submenu.shown, "the submenu")
    opened.frame()
    opened.mouse.click(*row_point(menu.submenu.rows, row_with(menu.submenu.rows, "Copy id")))
    opened.rest()
    assert copied == [named(record, "join")]
