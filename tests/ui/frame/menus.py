"""Menus under a real mouse: opened, read, chosen from."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import named
from tests.ui.opened import Opened
from tests.ui.panels.places import row_point, row_with


def choose(opened: Opened, title: str) -> None:
    """Click a line of the open menu."""
    rows = opened.window.context_menu.rows
    opened.frame()
    opened.mouse.click(*row_point(rows, row_with(rows, title)))
    opened.rest()


def choose_inside(opened: Opened, line: str, title: str) -> None:
    """Click a line of the submenu that a line of the open menu has."""
    menu = opened.window.context_menu
    opened.frame()
    opened.mouse.move(*row_point(menu.rows, row_with(menu.rows, line)))
    opened.until(lambda: menu.submenu.shown, "the submenu")
    opened.rest()
    point = row_point(menu.submenu.rows, row_with(menu.submenu.rows, title))
    opened.mouse.travel(*point)
    opened.mouse.click(*point)
    opened.rest()


def titles(opened: Opened) -> list[str]:
    return [entry.title for entry in opened.window.context_menu.entries]


def open_menu_of(opened: Opened, path: Path, words: str) -> str:
    """Open a run, select the step that is called so and open its menu with the mouse; returns the step's id."""
    document = opened.open(path)
    assert document.record is not None
    step = named(document.record, words)
    opened.session.invoke("select.step", step=step)
    opened.rest()
    opened.mouse.click(*opened.point(step), button="right")
    opened.rest()
    return step
