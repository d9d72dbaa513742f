"""The list of runs takes the keyboard, and shows where it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.document.tab_names import names_of
from opentine_gui.ui.panels.runs.panel import RunsPanel
from tests.ui.opened import Opened, copy_of_demo
from tests.ui.panels.places import zone_point


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    window = Opened(copy_of_demo(tmp_path))
    window.session.invoke("file.open_folder", path=window.session.working_folder)
    window.until(lambda: len(window.session.runs.rows) > 1, "the runs of the folder")
    window.keyboard.focus()
    yield window
    window.close()


def marked(opened: Opened) -> list[int]:
    panel = next(panel for panel in opened.window.panels.values() if isinstance(panel, RunsPanel))
    return [place for place in range(len(panel.entries)) if panel._row(place).marked]


def test_without_a_run_the_arrows_mark_a_row_and_enter_opens_it(opened: Opened) -> None:
    assert marked(opened) == []
    opened.keyboard.press("Down")
    opened.until(lambda: marked(opened) == [0], "a mark on the first row")
    opened.keyboard.press("Down")
    opened.until(lambda: marked(opened) == [1], "a mark on the second row")
    wanted = opened.session.runs.rows[1].path
    opened.keyboard.press("Return")
    opened.until(lambda: opened.session.active is not None, "the run")
    assert opened.document.path == wanted
    assert marked(opened) == []


def test_a_key_puts_the_keyboard_into_the_list_and_a_press_takes_it_back(opened: Opened) -> None:
    opened.open(opened.session.runs.rows[0].path)
    opened.keyboard.press("F6")
    opened.keyboard.press("Down")
    opened.until(lambda: marked(opened) == [1], "a mark below the open run")
    x, y = opened.free_point()
    opened.mouse.click(x, y)
    opened.until(lambda: marked(opened) == [], "the canvas with the keyboard")
    opened.keyboard.press("F6")
    opened.until(lambda: marked(opened) == [0], "the mark at the open run again")
    opened.keyboard.press("Escape")
    opened.until(lambda: marked(opened) == [], "the canvas with the keyboard")


@pytest.fixture
def many(opened: Opened) -> Opened:
    """So many runs that there is a filter box above them, and one of them in front."""
    folder = opened.session.working_folder
    for number in range(8):
        shutil.copy(folder / "research-01.tine", folder / f"more-{number}.tine")
    opened.session.runs.scan(opened.session)
    opened.until(lambda: len(opened.session.runs.rows) >= 10, "all runs listed")
    opened.open(folder / "research-01.tine")
    return opened


def panel_of(opened: Opened) -> RunsPanel:
    return next(panel for panel in opened.window.panels.values() if isinstance(panel, RunsPanel))


def type_filter(opened: Opened, text: str) -> None:
    """Click into the filter box and replace what it has."""
    left, top = dpg.get_item_rect_min(panel_of(opened).filter.item)
    opened.mouse.click(left + 40, top + 10)
    opened.until(lambda: opened.session.text_focused, "the box with the keyboard")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type(text)
    opened.until(lambda: opened.session.runs.filter_text == text, "the filter")
    opened.rest()


@pytest.mark.parametrize("way", [("F6", "Return"), ("Return",), ("Down", "Return"), ("Escape", "F6", "Return")])
def test_enter_opens_what_a_filter_found_and_the_keys_are_the_canvas_s_again(
    many: Opened, way: tuple[str, ...]
) -> None:
    opened = many
    type_filter(opened, "retry-01")
    for chord in way:
        opened.keyboard.press(chord)
    opened.until(lambda: opened.document.path is not None and opened.document.path.stem == "retry-01", "the run")
    opened.rest()
    assert marked(opened) == []
    opened.keyboard.press("i")
    opened.until(lambda: opened.session.view.inspector_wide, "a key of the canvas")
    assert opened.session.runs.filter_text == "retry-01"


def test_escape_leaves_the_filter_as_it_was_typed(many: Opened) -> None:
    opened, box = many, panel_of(many).filter
    type_filter(opened, "more")
    opened.keyboard.press("Escape")
    opened.rest()
    assert (opened.session.runs.filter_text, box.text) == ("more", "more"), "what was typed is not taken back"
    left, top = dpg.get_item_rect_min(box.item)
    opened.mouse.click(left + 40, top + 10)
    opened.until(lambda: box.active, "the box with the keyboard")
    for chord in ("ctrl+a", "BackSpace"):
        opened.keyboard.press(chord)
    opened.until(lambda: opened.session.runs.filter_text == "", "the whole list")
    opened.keyboard.press("Escape")
    opened.rest()
    assert (opened.session.runs.filter_text, box.text, dpg.get_value(box.item)) == ("", "", "")
    assert not opened.session.text_focused
    assert len(panel_of(opened).entries) >= 10


def test_an_empty_list_leads_back_to_all_runs_and_to_the_failing_ones(many: Opened) -> None:
    opened, empty = many, panel_of(many).empty.sheet
    type_filter(opened, "failed nowhere")
    opened.until(lambda: "No run matches the filter." in opened.drawn(empty.node), "an empty list")
    assert "Open file" not in opened.drawn(empty.node)
    opened.mouse.click(*zone_point(empty, "Filter by failures:>0"))
    opened.until(lambda: opened.session.runs.filter_text == "failures:>0", "the filter that finds them")
    opened.rest()
    assert panel_of(opened).filter.text == "failures:>0"
    assert panel_of(opened).entries
    type_filter(opened, "failed:yes")
    opened.until(lambda: "is no field" in opened.drawn(empty.node), "what is wrong")
    opened.mouse.click(*zone_point(empty, "List all runs"))
    opened.until(lambda: len(panel_of(opened).entries) >= 10, "all runs")
    assert panel_of(opened).filter.text == ""


def test_a_filter_set_elsewhere_stands_in_its_box(many: Opened) -> None:
    many.session.invoke("runs.filter", text="retry")
    many.until(lambda: dpg.get_value(panel_of(many).filter.item) == "retry", "the filter in the box")


def test_the_palette_finds_a_run_of_the_folder_by_its_title(opened: Opened) -> None:
    wanted = next(row for row in opened.session.runs.rows if row.path.stem == "retry-01")
    opened.keyboard.press("ctrl+k")
    opened.keyboard.type("retry-01")
    opened.rest()
    choice = next(choice for choice in opened.window.palette.choices if choice.run is not None)
    assert choice.run == wanted
    opened.keyboard.press("Return")
    opened.until(lambda: opened.session.active is not None, "the run")
    assert opened.document.path == wanted.path


def test_open_runs_with_one_title_are_listed_as_their_tabs_are_called(opened: Opened, tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        opened.open(Path(shutil.copy(opened.session.runs.rows[0].path, tmp_path / name / "run.tine")))
    opened.rest()
    panel = next(panel for panel in opened.window.panels.values() if isinstance(panel, RunsPanel))
    listed = opened.drawn(panel.rows.node)
    assert "Other open runs" in listed
    for document in opened.session.documents:
        name = names_of(opened.session.documents)[document].differing
        assert listed.count(name) == 1 and opened.drawn(opened.window.menus.sheet.node).count(name) == 1


def test_a_change_of_the_open_run_draws_its_row_again_and_makes_no_list(opened: Opened) -> None:
    opened.open(opened.session.runs.rows[0].path)
    opened.rest()
    panel = next(panel for panel in opened.window.panels.values() if isinstance(panel, RunsPanel))
    entries, drawn, row = panel.entries, panel.rows.key, panel._row(0)
    record = opened.document.record
    assert record is not None
    opened.session.invoke("run.add_step", step=record.graph.ids[0], accept=True)
    opened.until(lambda: opened.document.dirty, "the edit")
    opened.rest()
    assert panel.entries is entries
    assert panel._row(0) != row, "it is not saved"
    assert panel.rows.key != drawn
