"""Right clicks and submenus with a real mouse."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.core import write
from tests.conftest import named, run_of
from tests.ui.frame.menus import choose, choose_inside, open_menu_of, titles
from tests.ui.frame.runs import NAMES
from tests.ui.opened import Opened
from tests.ui.panels.places import row_point, row_with


def test_a_right_click_works_everywhere_and_opens_no_run(opened: Opened, tmp_path: Path) -> None:
    copied: list[str] = []
    opened.session.clipboard = copied.append
    document = opened.open(tmp_path / NAMES[0])
    opened.rest()
    runs = opened.window.panels["runs"].rows
    opened.mouse.click(*row_point(runs, row_with(runs, "name-03")), button="right")
    opened.rest()
    assert titles(opened)[0] == "Open"
    assert opened.session.documents == [document], "the list's run was not opened"
    choose(opened, "Copy file path")
    assert copied == [str(tmp_path / NAMES[3])]

    opened.session.invoke("fold.every_step")  # one below the other: more than is in view
    opened.rest()
    minimap = opened.window.minimap.area
    opened.mouse.click(minimap.x + 20, minimap.y + 20, button="right")
    opened.rest()
    choose(opened, "Fit all")
    assert opened.window.canvas.painted is document

    x0, x1, _ = opened.window.menus.tabs[0]
    opened.mouse.click((x0 + x1) / 2 - 20, 18, button="right")
    opened.rest()
    assert {"Close", "Close other tabs", "Reopen closed tab"} <= set(titles(opened))
    opened.keyboard.press("Escape")
    opened.rest()

    opened.session.invoke("select.step", step=named(document.record, "5"))  # type: ignore[arg-type]
    opened.rest()
    opened.mouse.click(*opened.free_point(), button="right")
    opened.rest()
    assert "Switch direction" in titles(opened)
    opened.keyboard.press("Escape")
    opened.rest()


def test_a_steps_menu_shows_every_line_in_a_small_window_and_explains_them_beside_itself(
    opened: Opened, tmp_path: Path
) -> None:
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(700)
    opened.until(lambda: dpg.get_viewport_client_height() == 700, "the small window")
    open_menu_of(opened, tmp_path / NAMES[0], "5")
    menu = opened.window.context_menu.menu
    assert opened.document.selected_group is not None, "the low window has the run in groups"
    assert titles(opened)[:3] == ["Open group", "Fork from here", "Fork and edit…"]
    assert menu.rows.content_height <= menu.area.height <= 0.8 * 700, "nothing has to be scrolled to"
    for title in ("Fork and edit…", "Continue…", "Local view"):
        opened.mouse.move(*row_point(menu.rows, row_with(menu.rows, title)))
        opened.until(lambda: menu.hint.area is not None, f"what {title} does")
        hint, area = menu.hint.area, menu.area
        assert hint is not None
        assert hint.x >= area.x + area.width or hint.x + hint.width <= area.x, "it covers no line"
        assert hint.x >= 0 and hint.x + hint.width <= 1000 and hint.y + hint.height <= 700
    opened.keyboard.press("Escape")
    opened.rest()
    assert menu.hint.area is None


def test_what_a_submenu_of_a_steps_menu_holds_is_chosen_with_the_mouse(opened: Opened, tmp_path: Path) -> None:
    copied: list[str] = []
    opened.session.clipboard = copied.append
    step = open_menu_of(opened, tmp_path / NAMES[0], "5")
    menu = opened.window.context_menu
    opened.mouse.move(*row_point(menu.rows, row_with(menu.rows, "Copy")))
    opened.until(lambda: menu.submenu.shown, "the submenu")
    opened.rest()
    assert [entry.title for entry in menu.submenu.entries] == ["Copy id", "Copy as JSON", "Copy as Markdown"]
    opened.mouse.travel(*row_point(menu.submenu.rows, 0))
    opened.mouse.click(*row_point(menu.submenu.rows, 0))
    opened.rest()
    assert copied == [step]
    assert not menu.visible


def test_the_way_into_a_submenu_leads_over_other_lines_and_a_line_that_is_rested_on_counts(
    opened: Opened, tmp_path: Path
) -> None:
    open_menu_of(opened, tmp_path / NAMES[0], "5")
    menu = opened.window.context_menu

    def held() -> list[str]:
        return [entry.title for entry in menu.submenu.entries] if menu.submenu.shown else []

    diff, copy = row_with(menu.rows, "Diff"), row_with(menu.rows, "Copy")
    opened.mouse.move(*row_point(menu.rows, diff))
    opened.until(lambda: "Diff with parent" in held(), "the submenu")
    opened.rest()
    last = menu.submenu.rows.count - 1
    assert row_point(menu.submenu.rows, last)[1] > row_point(menu.rows, copy)[1], "past the line Copy"
    opened.mouse.travel(*row_point(menu.submenu.rows, last), moves=12)
    opened.rest()
    assert "Diff requests" in held()

    opened.mouse.travel(*row_point(menu.rows, diff))
    opened.mouse.move(*row_point(menu.rows, copy))
    opened.frame()
    assert "Copy id" in held(), "straight down means the next line"
    opened.mouse.move(*row_point(menu.rows, diff))
    opened.until(lambda: "Diff with parent" in held(), "the submenu again")
    x, _ = row_point(menu.rows, diff)
    opened.mouse.move(x + 40, row_point(menu.rows, diff + 1)[1])
    opened.until(lambda: not held(), "the line that is rested on taken for the goal")
    opened.keyboard.press("Escape")


def test_a_branch_is_named_and_made_the_main_one_with_the_mouse(opened: Opened, tmp_path: Path) -> None:
    path = write(tmp_path / "branches.tine", run_of({"ask": "", "left": "ask", "right": "ask", "end": "right"}))
    left = open_menu_of(opened, path, "left")
    choose_inside(opened, "Branch", "Name branch…")
    opened.keyboard.type("with retry")
    opened.keyboard.press("Return")
    opened.rest()
    assert "with retry" in opened.drawn(opened.window.canvas.world.node)
    opened.mouse.click(*opened.point(left), button="right")
    opened.rest()
    choose_inside(opened, "Branch", "Name branch…")
    opened.keyboard.type("main")
    opened.keyboard.press("Return")
    opened.rest()
    assert opened.window.prompter.visible, "the question stays until there is an answer"
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.document.record is not None and opened.document.record.refs["with retry"] == left

    before = opened.document.record.main_tip
    opened.mouse.click(*opened.point(left), button="right")
    opened.rest()
    choose_inside(opened, "Branch", "Make this the main branch")
    layout = opened.document.picture.layout
    assert layout is not None and opened.document.record.main_tip == left
    assert layout.position(left)[0] == layout.position(named(opened.document.record, "ask"))[0], "the straight line"
    opened.keyboard.press("ctrl+z")
    opened.rest()
    layout = opened.document.picture.layout
    assert layout is not None and opened.document.record.main_tip == before
    assert layout.position(left)[0] != layout.position(named(opened.document.record, "ask"))[0]
