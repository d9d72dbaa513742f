"""Outline, inspector, tabs and time strip with a real mouse and keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.system import jobs
from opentine_gui.core import RunRecord, write
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.sheet import Sheet
from tests.conftest import named
from tests.core.analysis.call_runs import failing_session
from tests.ui.opened import Opened
from tests.ui.panels.conftest import SHAPE
from tests.ui.panels.places import row_point, row_with, zone_point


def test_a_click_in_the_outline_selects_the_step(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    rows = opened.window.panels["outline"].rows
    opened.mouse.click(*row_point(rows, row_with(rows, "plan")))
    opened.rest()
    assert opened.document.selection.ids == (named(record, "plan"),)
    with opened.keyboard.holding("shift"):
        opened.mouse.click(*row_point(rows, row_with(rows, "answer")))
    opened.rest()
    assert opened.document.selection.ids == (named(record, "plan"), named(record, "answer"))


def test_a_selection_made_elsewhere_is_scrolled_to_and_only_rows_on_screen_are_drawn(
    opened: Opened, folder: Path, chain: Callable[[int], RunRecord]
) -> None:
    write(folder / "long.tine", chain(3_000))
    opened.open(folder / "long.tine")
    record = opened.document.record
    assert record is not None
    rows = opened.window.panels["outline"].rows
    drawn = rows.drawn
    opened.session.invoke("select.step", step=record.graph.ids[2_000])
    opened.rest()
    opened.frame()
    scroll = dpg.get_y_scroll(rows.window)
    assert scroll <= 2_000 * rows.row_height <= scroll + rows.page * rows.row_height
    assert 0 < drawn < 500
    assert 0 < rows.drawn < 500


def test_a_row_that_leads_to_a_step_does_so_beside_its_words_too(opened: Opened, folder: Path) -> None:
    write(folder / "failing.tine", failing_session())
    opened.open(folder / "failing.tine")
    opened.rest()
    rows = opened.window.inspector.list
    place = row_with(rows, "1× ")
    opened.mouse.click(*row_point(rows, place, rows.width - 30.0))
    opened.until(lambda: opened.document.selection.primary is not None, "the last step that failed so")


def test_only_a_row_that_answers_a_press_is_lit_under_the_pointer(opened: Opened, folder: Path) -> None:
    write(folder / "failing.tine", failing_session())
    opened.open(folder / "failing.tine")
    opened.rest()
    rows = opened.window.inspector.list

    def drawn_under_the_pointer(place: int) -> int:
        opened.mouse.move(*row_point(rows, place))
        opened.until(lambda: rows.hovered == place, "the pointer on the row")
        return rows.drawn

    lit = drawn_under_the_pointer(row_with(rows, "1× "))
    prose = next(place for place in range(rows.count) if rows.row_at(place).still and rows.row_at(place).left)
    assert drawn_under_the_pointer(prose) == lit - 1


def test_unfolded_nodes_stay_unfolded_after_another_step_was_shown(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.session.invoke("inspect.record")
    opened.rest()
    view = opened.window.inspector.step.content
    place = line_with(view, "inputs")
    assert view.page.line(place).fold is True
    opened.mouse.click(*line_point(view, place))
    opened.rest()
    assert view.page.line(place).fold is False
    opened.session.invoke("select.step", step=named(record, "left"))
    opened.rest()
    assert view.page.line(line_with(view, "inputs")).fold is True
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    assert view.page.line(place).fold is False


def line_with(view: ContentView, text: str) -> int:
    """The index of the first line of a page that contains `text`."""
    lines = view.page.lines
    return next(index for index in range(len(lines)) if text in lines[index].text)


def line_point(view: ContentView, line: int) -> tuple[float, float]:
    """The window pixel at the beginning of a line of a page that is on screen."""
    left, top = dpg.get_item_rect_min(view.drawlist)
    row = next(number for number, row in enumerate(view.page.rows()) if row.line == line)
    x = view.page.start(view.page.line(line)) + 12
    return left + x, top + (row + 0.5) * view.page.row_height


def test_a_click_on_a_parent_in_the_inspector_goes_there(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    footer = opened.window.panels["inspector"].footer
    left, top = dpg.get_item_rect_min(footer.drawlist)
    links = [zone for zone in footer.zones if not zone.hint]
    opened.mouse.click(left + links[0].x0 + 4, top + (links[0].y0 + links[0].y1) / 2)
    opened.rest()
    assert opened.document.selection.primary == named(record, "find")


def test_a_click_on_the_short_id_copies_the_whole_id(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    copied: list[str] = []
    opened.session.clipboard = copied.append
    step = named(record, "join")
    opened.session.invoke("select.step", step=step)
    opened.rest()
    opened.mouse.click(*zone_point(opened.window.inspector.step.header, step))
    opened.rest()
    assert copied == [step]


def test_tabs_are_changed_and_closed_with_the_mouse(opened: Opened, folder: Path) -> None:
    first = opened.open(folder / "first.tine")
    opened.open(folder / "second.tine")
    menus = opened.window.menus
    left, top = dpg.get_item_rect_min(menus.sheet.drawlist)
    x0, x1, number = menus.tabs[0]
    assert number == first.number
    opened.mouse.click(left + x0 + 16, top + 14)
    opened.rest()
    assert opened.session.active is first
    x0, x1, _ = menus.tabs[0]
    opened.mouse.click(left + x1 - 11, top + menus.height / 2)
    opened.rest()
    assert first not in opened.session.documents


def test_a_click_on_a_bar_of_the_time_strip_selects_its_step(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    strip = opened.window.panels["timeline"]
    bar = next(bar for bar in strip.bars if record.graph.ids[bar.step] == named(record, "join"))
    left, top = dpg.get_item_rect_min(strip.sheet.drawlist)
    margin = opened.window.style.size(14)
    opened.mouse.click(left + margin + (bar.x0 + bar.x1) / 2, top + strip.sheet.height / 2)
    opened.rest()
    assert opened.document.selection.ids == (named(record, "join"),)


def test_an_idle_window_repaints_no_panel(opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=named(record, "plan"))
    opened.rest()
    for _ in range(10):
        opened.frame()
    repaints: list[int] = []
    paint = Painter.repaint

    def counted(self: Painter, node: int, items: object) -> int:
        repaints.append(node)
        return paint(self, node, items)  # type: ignore[arg-type]

    monkeypatch.setattr(Painter, "repaint", counted)
    for _ in range(20):
        opened.frame()
    assert repaints == []
    opened.session.invoke("select.step", step=named(record, "left"))
    opened.rest()
    assert repaints != []


def test_the_strip_of_a_large_run_is_worked_out_beside_the_window(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.open(folder / "first.tine")
    strip = opened.window.panels["timeline"]
    opened.rest()
    small, height = list(strip.bars), strip.wanted_height(900.0)
    assert small
    assert height > 0
    monkeypatch.setattr(jobs, "INLINE_STEPS", 2)
    opened.open(folder / "second.tine")  # a run of one step has no strip
    opened.rest()
    assert strip.wanted_height(900.0) == 0
    first, second = opened.session.documents
    for _ in range(2):
        opened.session.activate(first)
        opened.frame()
        assert strip.run.record is None, "nothing of another run is on show meanwhile"
        assert strip.wanted_height(900.0) == height, "the place is kept while the strip is worked out"
        opened.rest()
        assert strip.bars == small
        opened.session.activate(second)
        opened.rest()
    opened.session.activate(first)
    opened.rest()
    record = opened.document.record
    assert record is not None
    sides = (named(record, "left"), named(record, "right"))
    opened.session.invoke("run.merge", steps=sides, accept=True)
    opened.frame()
    assert strip.bars == small, "the one of before stays meanwhile"
    opened.rest()
    assert strip.run.record is opened.document.record is not record
    for _ in range(2):
        opened.session.remove_document(opened.document)
    opened.rest()
    assert strip.wanted_height(900.0) == 0
    assert strip.run.record is None


def test_a_check_that_fails_marks_what_does_not_match_and_what_rests_on_it(
    opened: Opened, folder: Path, tmp_path: Path
) -> None:
    sound = opened.open(folder / "first.tine")
    opened.until(lambda: sound.verification is not None, "the sound run checked")
    record = sound.record
    assert record is not None
    every = [sound.face(index).seal for index in range(len(record.graph))]
    assert every == ["ok"] * 6

    value = json.loads((folder / "first.tine").read_text())
    value["graph"]["steps"][named(record, "left")]["inputs"] = {"text": "tampered"}
    (folder / "tampered.tine").write_text(json.dumps(value))
    document = opened.open(folder / "tampered.tine")
    opened.until(lambda: document.verification is not None, "the tampered run checked")
    opened.rest()
    seals = {name: document.face(record.graph.index(named(record, name))).seal for name in SHAPE}
    resting = {"join": "unsupported", "answer": "unsupported"}
    assert seals == {"find": "ok", "plan": "ok", "left": "mismatch", "right": "ok", **resting}

    words = {"join": "unsupported", "left": "content differs", "right": "still stands"}
    for name, said in words.items():
        opened.mouse.click(*opened.point(named(record, name)))
        opened.rest()
        assert said in opened.drawn(opened.window.inspector.step.header.node)
    hint = zone_hint(opened.window.panels["status"].sheet, "The digest does not agree")
    assert "3 steps still stand" in hint
    assert "2 steps match their ids but rest on a step that does not." in hint


def zone_hint(sheet: Sheet, beginning: str) -> str:
    """The whole tooltip that begins so."""
    return next(zone.hint for zone in sheet.zones if zone.hint.startswith(beginning))


def test_the_page_of_a_file_of_no_known_format_says_what_can_be_opened_and_offers_that_first(
    opened: Opened, folder: Path
) -> None:
    (folder / "binary.jsonl").write_bytes(bytes(range(256)))
    opened.session.invoke("file.open", path=folder / "binary.jsonl")
    opened.until(lambda: opened.session.active and opened.session.active.error, "the error")
    opened.rest()
    page = opened.window.placeholder.window
    buttons = [item for item in dpg.get_item_children(page, 1) or () if "mvButton" in dpg.get_item_type(item)]
    assert [dpg.get_item_label(item) for item in buttons] == ["Open another file…", "Try again", "Close"]
    assert "Claude Code, Codex" in opened.drawn(page)
