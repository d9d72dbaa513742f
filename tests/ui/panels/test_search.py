"""The search with a real keyboard and mouse: typed at once, results, from match to match, and what is wrong in red."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import numpy as np
import pytest

from opentine_gui.core import write
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.space.camera import to_screen
from opentine_gui.ui.panels.search.panel import SearchPanel
from tests.conftest import MakeRun, named
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import Opened
from tests.ui.real_input import xdotool

pytestmark = pytest.mark.window
CHAIN = {f"step {number}": f"step {number - 1}" if number else "" for number in range(60)}
SHAPE = {**CHAIN, "the needle": "step 59", "between": "the needle", "another Needle": "between"}


@pytest.fixture
def folder(tmp_path: Path, make_run: MakeRun) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    write(runs / "first.tine", make_run(SHAPE, run_id="first"))
    for number in range(9):
        write(runs / f"other-{number}.tine", make_run({f"alone {number}": ""}, run_id=f"other-{number}"))
    return runs


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    window = Opened(folder)
    window.keyboard.focus()
    yield window
    window.close()


def panel_of(opened: Opened) -> SearchPanel:
    panel = opened.window.panels["search"]
    assert isinstance(panel, SearchPanel)
    return panel


def selected(opened: Opened) -> str:
    primary = opened.document.selection.primary
    return str(opened.document.step(primary).inputs["text"]) if primary is not None else ""


def test_what_the_box_asks_for_is_whole_or_elided_and_goes_with_the_first_letter(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    box, style = panel_of(opened).box, opened.window.style
    opened.keyboard.press("ctrl+f")
    opened.until(lambda: opened.session.text_focused, "the box with the keyboard")
    opened.rest()
    hint = dpg.get_item_configuration(box.item)["hint"]
    assert hint and style.width(hint, "text", style.size(13)) <= dpg.get_item_width(box.item) - 16
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.session.view.search, "no search")
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("n")  # at once: the box has not got the keyboard yet
    opened.until(lambda: opened.session.search.text == "n", "the letter")
    opened.rest()
    assert not box.ahead or dpg.get_item_configuration(box.item)["hint"] == ""


def test_what_is_typed_right_after_ctrl_f_is_searched_for_and_f3_goes_there(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    opened.session.invoke("fold.every_step", shown=True)  # those in groups: tests/ui/canvas/folding
    search, panel = opened.session.search, panel_of(opened)
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("needle")  # at once: the box has not got the keyboard yet
    opened.until(lambda: search.text == "needle" and not search.running, "every letter")
    opened.rest()
    assert (search.times, search.steps, panel.box.text) == (2, 2, "needle")
    lit = opened.window.canvas.colours.lit(opened.document)
    assert lit is not None and int(np.sum(lit)) == 2
    opened.keyboard.press("F3")
    opened.until(lambda: selected(opened) == "the needle", "the first match")
    opened.rest()
    card = opened.document.picture.index_of(named(opened.document.record, "the needle"))
    camera, layout = opened.document.picture.camera, opened.document.picture.layout
    assert camera is not None and layout is not None and card is not None
    x, y = to_screen(camera, opened.session.viewport, *layout.centers[card].tolist())
    assert abs(x - opened.session.viewport.width / 2) < 2
    assert 0 < y < opened.session.viewport.height - opened.session.covered
    assert camera.zoom >= 0.5
    opened.keyboard.press("F3")
    opened.until(lambda: selected(opened) == "another Needle", "the second match")
    opened.keyboard.press("shift+F3")
    opened.until(lambda: selected(opened) == "the needle", "the first match again")
    opened.mouse.click(*row_point(panel, 1))
    opened.until(lambda: selected(opened) == "another Needle", "the match that was clicked")
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("between")
    opened.until(lambda: search.text == "between", "the new text in place of the old one")
    opened.keyboard.press("Return")
    opened.until(lambda: selected(opened) == "between", "Enter goes to the match")
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.session.view.search, "the search closed")
    opened.rest()
    assert opened.window.canvas.colours.lit(opened.document) is None
    opened.keyboard.press("p")
    opened.until(lambda: selected(opened) == "the needle", "keys mean the canvas again")


def test_a_scope_a_completion_and_what_is_wrong(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    opened.until(lambda: len(opened.session.runs.rows) == 10, "the folder is listed")
    search, panel = opened.session.search, panel_of(opened)
    opened.keyboard.press("slash")
    opened.keyboard.type("ki")
    opened.until(lambda: search.text == "ki" and not panel.box.catches, "the beginning of a field")
    opened.keyboard.press("Tab")
    opened.until(lambda: search.text == "kind:" and not panel.box.catches, "the field completed")
    opened.keyboard.type("zz")
    opened.until(lambda: "no kind of step" in search.problem, "what is wrong")
    assert panel._said()[0][1] == opened.window.style.theme.bad
    assert opened.session.view.panels, "Tab belonged to the box"
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.session.view.search and not panel.box.active, "the search closed")
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("alone 7")
    opened.until(lambda: search.text == "alone 7" and not search.running, "the new text")
    opened.rest()
    opened.mouse.click(*tab_point(panel, "Folder"))
    opened.until(lambda: search.scope == "folder" and search.steps == 1, "the folder searched")
    opened.rest()
    opened.mouse.click(*row_point(panel, 1))
    opened.until(lambda: opened.document.title == "other-7.tine" and selected(opened) == "alone 7", "the run opened")


def test_a_folder_in_which_nothing_is_found_leads_to_those_below_it(
    opened: Opened, folder: Path, make_run: MakeRun
) -> None:
    (folder / "deeper").mkdir()
    write(folder / "deeper" / "deep.tine", make_run({"a hidden pearl": ""}, run_id="deep"))
    opened.session.invoke("file.open_folder", path=folder)
    opened.until(lambda: opened.session.runs.below, "the folder below")
    opened.session.invoke("search.folder")
    opened.session.invoke("search.ask", text="pearl")
    search = opened.session.search
    opened.until(lambda: search.search is not None and not search.running and not opened.session.busy, "the search")
    opened.rest()
    panel = opened.window.panels["search"]
    assert isinstance(panel, SearchPanel)
    assert "Nothing found" in opened.drawn(panel.head.node)
    opened.mouse.click(*tab_point(panel, "1 folder below not searched…"))
    opened.until(lambda: opened.session.runs.folder == folder / "deeper", "the folder below is listed")
    opened.until(lambda: search.times and not search.running, "and searched")
    opened.rest()
    assert "not searched" not in opened.drawn(panel.head.node)


def test_words_are_found_apart_and_with_a_press_side_by_side(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    search, panel = opened.session.search, panel_of(opened)
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("needle another")
    opened.until(lambda: search.text == "needle another" and not search.running, "both words")
    opened.until(lambda: search.steps == 1, "found apart")
    opened.rest()
    opened.mouse.click(*tab_point(panel, "as one phrase"))
    opened.until(lambda: search.text == '"needle another"' and not search.running, "the phrase")
    opened.rest()
    assert (search.steps, panel.box.text) == (0, '"needle another"'), "they stand the other way round"


def lit_on_screen(opened: Opened) -> list[str]:
    """What is lit among the rows of the inspector's content that are on screen."""
    page = opened.window.inspector.step.content.page
    if page.needle is None:
        return []
    lines = [page.line(row.line).text[row.begin : row.end] for row in page.rows()[: page.rows_in_view]]
    return [line[spot.start() : spot.end()] for line in lines for spot in page.needle.finditer(line)]


def test_where_a_match_stands_is_lit_and_in_view_in_the_run_that_a_folder_search_opens(
    opened: Opened, folder: Path
) -> None:
    run = Recording()
    run.call(
        "Read", {"file_path": "/w/long.txt"}, "\n".join(f"line {n}" for n in range(300)) + "\nthe Thimble lies here"
    )
    run.call("Write", {"file_path": "/w/b.txt", "content": "\n".join(["x"] * 90 + ["a thimble"])}, "ok")
    run.call("Bash", {"command": "\n".join(["true"] * 90 + ["grep thimble"])}, "ok")
    write(folder / "sewing.tine", run.record(run_id="sewing"))
    opened.open(folder / "first.tine")
    opened.until(lambda: len(opened.session.runs.rows) == 11, "the folder is listed")
    search, panel = opened.session.search, panel_of(opened)
    opened.keyboard.press("ctrl+shift+f")
    opened.keyboard.type("thimble")
    opened.until(lambda: search.steps == 3 and not search.running, "the steps")
    opened.rest()
    opened.mouse.click(*row_point(panel, 1))
    opened.until(lambda: opened.document.title == "sewing.tine" and not opened.session.busy, "the run opened")
    opened.until(lambda: lit_on_screen(opened) == ["Thimble"], "the match in the result, far below its beginning")
    opened.keyboard.press("F3")
    opened.until(lambda: "Write" in title(opened.document.step(opened.document.selection.primary or "")), "the next")
    opened.until(lambda: lit_on_screen(opened) == ["thimble"], "the match in what was written, which is a result")
    assert opened.session.view.tab_of(opened.document.selection.primary) == "Result"
    opened.keyboard.press("F3")
    opened.until(lambda: "Bash" in title(opened.document.step(opened.document.selection.primary or "")), "the last")
    opened.until(lambda: lit_on_screen(opened) == ["thimble"], "the match in what was asked, behind the other tab")
    step = opened.document.selection.primary
    assert (opened.session.view.tab_of(step), opened.session.view.tab_of("another")) == ("Call", "Result")
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.window.inspector.step.content.page.needle is None, "nothing lit without a search")


def test_the_first_hit_of_a_folder_search_is_in_a_run_though_a_comparison_is_open(opened: Opened, folder: Path) -> None:
    run = opened.open(folder / "first.tine")
    other = opened.open(folder / "other-0.tine")
    opened.session.invoke("compare.open", a=run.number, b=other.number)
    opened.until(lambda: opened.document.members is not None and not opened.session.busy, "the comparison")
    opened.session.invoke("document.activate", document=run.number)
    opened.until(lambda: opened.session.active is run, "the run in front")
    search, panel = opened.session.search, panel_of(opened)
    opened.keyboard.press("ctrl+shift+f")
    opened.keyboard.type("the needle")
    opened.until(lambda: search.text == "the needle" and search.steps and not search.running, "what was found")
    opened.rest()
    assert panel.results.runs == 1
    opened.mouse.click(*row_point(panel, 1))
    opened.until(lambda: selected(opened) == "the needle", "the step")
    assert opened.session.active is run


def test_a_field_that_there_is_not_is_named_where_nothing_is_found(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    panel = panel_of(opened)
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("failed:yes")
    opened.until(lambda: opened.session.search.advice, "what there is not")
    opened.rest()
    words = opened.drawn(panel.head.node)
    assert "Nothing found" in words and "“failed:” is no field: there are kind, tool, error" in words


def row_point(panel: SearchPanel, index: int) -> tuple[float, float]:
    left, top = dpg.get_item_rect_min(panel.results.rows.drawlist)
    return left + 60, top + (index + 0.5) * panel.results.rows.row_height


def tab_point(panel: SearchPanel, name: str) -> tuple[float, float]:
    left, top = dpg.get_item_rect_min(panel.head.drawlist)
    zone = next(zone for zone in panel.head.zones if zone.name == name)
    return left + (zone.x0 + zone.x1) / 2, top + (zone.y0 + zone.y1) / 2


def test_the_switch_beside_the_box_makes_the_text_a_regular_expression(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    search = opened.session.search
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("^.{4}needle$")
    opened.until(lambda: search.text == "^.{4}needle$" and not search.running, "every letter")
    assert search.steps == 0
    switch = next(control for control in opened.window.controls() if control.name == "Regular expression")
    assert "Alt+X" in switch.tooltip
    opened.mouse.click(*switch.middle)
    opened.until(lambda: search.regex and search.steps == 1 and not search.running, "the pattern found")
    opened.keyboard.press("alt+x")
    opened.until(lambda: not search.regex and search.steps == 0 and not search.running, "words again")
    opened.keyboard.type("x")
    opened.until(lambda: "x" in search.text, "the box still has the keyboard")


def test_escape_closes_the_search_and_keeps_what_was_typed(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    search = opened.session.search
    opened.keyboard.press("ctrl+f")
    box = panel_of(opened).box
    opened.until(lambda: box.active and not box.catches, "the box with the keyboard")
    opened.keyboard.type("needle")
    opened.until(lambda: search.text == "needle" and not search.running, "every letter")
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.session.view.search, "the search closed")
    opened.rest()
    assert search.text == "needle"
    opened.keyboard.press("F3")
    opened.until(lambda: selected(opened) == "the needle", "the next match")
    opened.keyboard.press("ctrl+f")
    opened.until(lambda: box.text == "needle", "the box with its text")


def test_ctrl_a_selects_in_the_box_even_if_ctrl_is_up_before_the_next_frame(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    panel = panel_of(opened)
    opened.keyboard.press("ctrl+f")
    opened.until(lambda: panel.box.active and not panel.box.catches, "the box with the keyboard")
    opened.keyboard.type("kappa")
    opened.until(lambda: panel.box.text == "kappa", "the first text")
    opened.rest()
    opened.keyboard.press("End")
    opened.rest()
    xdotool("keydown", "ctrl")
    opened.frame()
    opened.frame()
    xdotool("keydown", "a", "keyup", "ctrl", "keyup", "a", "type", "ab")  # all of it between two frames
    opened.until(lambda: panel.box.text.endswith("b"), "the second text")
    opened.rest()
    assert panel.box.text == "ab"


def test_in_a_narrow_panel_the_way_to_one_phrase_stands_below_what_was_found(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    dpg.set_viewport_width(1000)
    opened.until(lambda: dpg.get_viewport_client_width() == 1000, "the narrow window")
    opened.keyboard.press("ctrl+f")
    opened.keyboard.type("the needle")
    search, panel = opened.session.search, panel_of(opened)
    opened.until(lambda: search.text == "the needle" and search.times and not search.running, "what was found")
    opened.rest()
    link = next(control for control in opened.window.controls() if control.name == "as one phrase")
    assert link.shown is not None and link.shown.width == link.area.width, "it is whole"
    rows = dpg.get_item_rect_min(panel.results.rows.drawlist)[1]
    assert link.area.y + link.area.height <= rows + 2, "above the results"
    opened.mouse.click(*link.middle)
    opened.until(lambda: search.text == '"the needle"' and not search.running, "the phrase asked for")
