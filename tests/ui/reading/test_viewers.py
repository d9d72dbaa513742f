"""Payloads in the inspector with a real mouse: selecting and copying, a long log, a picture, folds and links."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest
from PIL import Image

from bench.generate import run_of
from opentine_gui.core import Graph, write
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.sheet import LINE_HEIGHT
from tests.gallery import LOG, TRACE, gallery
from tests.ui.opened import Opened
from tests.ui.panels.places import zone_point
from tests.ui.real_input import xdotool


class Viewer:
    """The gallery in a window; `show` selects the step of some work."""

    def __init__(self, folder: Path) -> None:
        record, self.ids = gallery()
        write(folder / "gallery.tine", record)
        self.opened = Opened(folder)
        self.opened.keyboard.focus()
        self.opened.open(folder / "gallery.tine")
        self.copied: list[str] = []
        self.opened.session.clipboard = self.copied.append

    @property
    def content(self) -> ContentView:
        """The payload in the inspector."""
        view: ContentView = self.opened.window.inspector.step.content
        return view

    def show(self, name: str) -> ContentView:
        """Show the payload of some work, complete."""
        self.opened.session.invoke("select.step", step=self.ids[name])
        self.opened.rest()
        self.opened.rest()
        return self.content

    def pixel(self, text: str, into: int = 0) -> tuple[float, float]:
        """The window pixel before a character of a text on screen."""
        page = self.content.page
        left, top = dpg.get_item_rect_min(self.content.drawlist)
        for number, row in enumerate(page.rows()):
            line = page.line(row.line)
            at = line.text.find(text, row.begin, row.end)
            if at >= 0:
                letters, place = page.letters(row.line), at + into
                base = letters[row.begin - 1] if row.begin else 0.0
                x = page.start(line, row.number) - page.left + (letters[place - 1] if place else 0.0) - base
                return left + x + 1, top + (number + 0.5) * page.row_height
        raise AssertionError(f"{text!r} is not on screen")

    def words(self) -> str:
        """What of the payload is on screen."""
        page = self.content.page
        return "\n".join(page.line(row.line).text[row.begin : row.end] for row in page.rows())


@pytest.fixture
def viewer(tmp_path: Path) -> Iterator[Viewer]:
    shown = Viewer(tmp_path)
    yield shown
    shown.opened.close()


def test_what_is_dragged_over_is_copied_as_it_is_seen(viewer: Viewer) -> None:
    mouse, keyboard = viewer.opened.mouse, viewer.opened.keyboard
    viewer.show("report")
    mouse.drag(viewer.pixel("What I changed"), viewer.pixel("reader.py", 9))
    keyboard.press("ctrl+c")
    viewer.opened.until(lambda: viewer.copied, "the copy")
    assert viewer.copied == ["What I changed\n\n1. reader.py"]
    viewer.copied.clear()
    for _ in range(5):  # frames of a busy machine may last longer than a double click
        mouse.double_click(*viewer.pixel("summary.py", 3))
        viewer.opened.rest()
        if viewer.content.page.selection is not None:
            break
    keyboard.press("ctrl+c")
    viewer.opened.until(lambda: viewer.copied, "the copy of a word")
    assert viewer.copied == ["summary"]
    viewer.show("read")
    mouse.click(*viewer.pixel("def link"))
    keyboard.press("ctrl+a")
    keyboard.press("ctrl+c")
    viewer.opened.until(lambda: len(viewer.copied) > 1, "the copy of all")
    assert viewer.copied[1].startswith("def link(records: list[Record]) -> None:\n    "), "without the line numbers"


def test_a_long_log_is_scrolled_by_wheel_key_and_bar_and_costs_no_more_at_its_end(viewer: Viewer) -> None:
    mouse, keyboard = viewer.opened.mouse, viewer.opened.keyboard
    content = viewer.show("log")
    page, last = content.page, LOG.splitlines()[-1]
    left, top = dpg.get_item_rect_min(content.drawlist)
    drawn = len(content._rows)
    mouse.move(left + 60, top + 60)
    mouse.wheel(-4)
    viewer.opened.rest()
    assert page.top > 0
    mouse.click(left + 60, top + 60)
    keyboard.press("ctrl+End")
    viewer.opened.rest()
    assert last[-20:] in viewer.words().replace("\n", "")
    assert len(content._rows) < 2 * drawn, "rows in view only"
    begin, end = content.bars._thumb("down")
    bar = left + page.width + 4
    mouse.drag((bar, top + (begin + end) / 2), (bar, top + page.height / 2))
    viewer.opened.rest()
    assert 2000 < page.top < 3000


def test_a_text_is_found_in_the_payload_that_was_pressed(viewer: Viewer) -> None:
    keyboard = viewer.opened.keyboard
    content = viewer.show("log")
    left, top = dpg.get_item_rect_min(content.drawlist)
    viewer.opened.mouse.click(left + 60, top + 60)
    keyboard.press("ctrl+f")
    viewer.opened.until(lambda: viewer.opened.session.text_focused, "the box with the keyboard")
    keyboard.type("record 499")
    viewer.opened.until(lambda: content.finder.text == "record 499", "all letters in the box")
    viewer.opened.until(lambda: content.finder.matches, "what was found")
    assert content.finder.matches is not None and len(content.finder.matches) == 11  # 499, 4990 to 4999
    assert content.selected_text() == "record 499"
    assert "record 499 read" in viewer.words().replace("\n", "")
    keyboard.press("Return")
    viewer.opened.until(lambda: content.finder.number == 1, "the next one")
    assert "record 4990" in viewer.words().replace("\n", "")
    keyboard.press("shift+F3")
    viewer.opened.until(lambda: content.finder.number == 0, "the one before")
    keyboard.press("Escape")
    viewer.opened.rest()
    assert not content.find_bar.visible
    assert content.page.needle is None


def test_what_is_sought_is_replaced_gone_through_both_ways_and_closed_by_key_and_by_press(viewer: Viewer) -> None:
    opened, keyboard = viewer.opened, viewer.opened.keyboard
    content = viewer.show("log")
    bar = content.find_bar
    left, top = dpg.get_item_rect_min(content.drawlist)
    opened.mouse.click(left + 60, top + 60)
    keyboard.press("ctrl+f")
    keyboard.type("record 49")
    opened.until(lambda: content.finder.text == "record 49" and content.finder.matches, "what was found")
    beside = bar.beside
    assert beside is not None
    found = len(content.finder.matches or ())
    keyboard.press("shift+Return")
    opened.until(lambda: content.finder.number == found - 1, "the last one, before the first")
    keyboard.press("Return")
    opened.until(lambda: content.finder.number == 0, "the first again")
    keyboard.press("Escape")
    opened.until(lambda: not bar.visible, "the box closed")
    opened.rest()
    keyboard.press("ctrl+f")
    opened.until(lambda: bar.visible and content.finder.text == "record 49", "the box with what was sought last")
    opened.rest()
    keyboard.type("record 7")
    opened.until(lambda: content.finder.text == "record 7", "it is replaced by what is typed")
    opened.until(lambda: content.finder.matches, "what was found")
    opened.rest()
    first = content.finder.number
    assert first is not None
    assert "of" in opened.drawn(beside.node)
    opened.mouse.click(*zone_point(beside, "Next  Enter"))
    opened.until(lambda: content.finder.number == first + 1, "the next one")
    opened.mouse.click(*zone_point(beside, "Previous  Shift+Enter"))
    opened.until(lambda: content.finder.number == first, "the one before")
    opened.mouse.click(left + 60, top + 200)
    opened.until(lambda: not bar.has_keyboard, "the text with the keyboard")
    keyboard.press("ctrl+f")
    opened.until(lambda: bar.has_keyboard, "the box has it again")
    assert not opened.session.view.search
    opened.mouse.click(*zone_point(beside, "Close  Esc"))
    opened.until(lambda: not bar.visible, "the box closed")
    assert content.page.needle is None


def test_the_box_to_find_in_is_whole_over_a_payload_of_one_line(viewer: Viewer) -> None:
    keyboard = viewer.opened.keyboard
    content = viewer.show("question")
    left, top = dpg.get_item_rect_min(content.drawlist)
    viewer.opened.mouse.click(left + 60, top + 10)
    keyboard.press("ctrl+f")
    viewer.opened.until(lambda: viewer.opened.session.text_focused, "the box with the keyboard")
    keyboard.type("rewind")
    viewer.opened.until(lambda: content.finder.matches, "what was found")
    plate = content.find_bar.plate.area
    assert plate.y + plate.height <= dpg.get_item_height(content.window)
    assert dpg.get_y_scroll(content.window) == 0, "the text stays where it was"


@pytest.mark.painted
def test_a_picture_appears_and_is_shown_larger(viewer: Viewer, tmp_path: Path) -> None:
    content = viewer.show("screen")
    viewer.opened.until(lambda: content.textures.items and not content.textures.waiting, "the picture")
    for _ in range(3):
        viewer.opened.frame()
    left, top = dpg.get_item_rect_min(content.drawlist)
    rows = content.page.rows()
    number = next(number for number, row in enumerate(rows) if content.page.line(row.line).figure is not None)
    line = content.page.line(rows[number].line)
    wide, high = content.page.figure_size(line)
    middle = (left + content.page.start(line) + wide / 2, top + number * content.page.row_height + high / 2)
    with Image.open(viewer.opened.picture(tmp_path / "shown.png")) as shown:
        seen = shown.convert("RGB")
        red, green, blue = seen.getpixel((round(middle[0]), round(middle[1])))  # type: ignore[misc]
        across = [
            seen.getpixel((x, round(middle[1]))) for x in range(round(middle[0] - wide / 2) - 4, round(middle[0]))
        ]
    assert viewer.opened.window.style.theme.hairline[:3] in across[:6], "a frame says where it begins"
    assert red > 230 and 180 < green < 220 and blue < 110, "the disc in the middle of the picture"
    viewer.opened.mouse.click(*viewer.pixel("100%", 1))
    viewer.opened.rest()
    assert content.page.figure_size(content.page.line(rows[number].line))[0] == 960
    viewer.opened.mouse.move(left + 60, top + 60)
    xdotool("keydown", "shift")
    viewer.opened.mouse.wheel(-3)
    xdotool("keyup", "shift")
    viewer.opened.rest()
    assert content.page.left > 0, "what is wider than the page is scrolled sideways"


def test_an_error_is_shown_whole_where_there_is_room_and_said_once(viewer: Viewer, tmp_path: Path) -> None:
    failed = new_step("tool", {"command": "python -m importer"}, (), error={"message": TRACE}, timestamp=1.0)
    write(tmp_path / "failed.tine", run_of(Graph.of([failed]), "failed"))
    viewer.opened.open(tmp_path / "failed.tine")
    viewer.opened.session.invoke("select.step", step=failed.id)
    viewer.opened.rest()
    step = viewer.opened.window.inspector.step
    page = step.error.view.page
    assert len(page.rows()) >= page.count_rows(1_000) > 14
    headline = "ImportFailed: record 88 has no parent"
    assert headline not in viewer.opened.drawn(step.error.sheet.node)
    assert sum(headline in page.line(number).text for number in range(len(page.lines))) == 1


def test_an_error_in_what_was_printed_is_said_in_brief_and_brought_into_view_lit(
    viewer: Viewer, tmp_path: Path
) -> None:
    wrong = f"src/chat.ts(28,2): error TS2739: 'Theme' is not {'a member of another ' * 20}type."
    printed = "\n".join([f"compiled file number {number}" for number in range(200)] + [wrong, "npm: done", ""])
    error = {"message": printed[:2_000], "type": "failed"}
    step = new_step("tool", {"command": "npm run check"}, (), tool_info={"name": "bash"}, error=error,
                    outputs={"result": printed}, timestamp=1.0)  # fmt: skip
    write(tmp_path / "check.tine", run_of(Graph.of([step]), "check"))
    opened = viewer.opened
    opened.open(tmp_path / "check.tine")
    opened.session.invoke("select.step", step=step.id)
    opened.rest()
    opened.rest()
    shown = opened.window.inspector.step
    assert not shown.error.view.shown, "what was printed is not shown a second time"
    assert "'Theme'" in opened.drawn(shown.error.sheet.node)
    assert shown.error.sheet.height <= 4.5 * opened.window.style.size(LINE_HEIGHT), "three lines of it"
    page = shown.content.page
    row = next(row for row in page.rows()[: page.rows_in_view] if page.line(row.line).text == wrong)
    assert page.line(row.line).ground == "wrong"
    left, top = dpg.get_item_rect_min(shown.content.drawlist)
    opened.mouse.move(left + 40, top + 40)
    opened.mouse.wheel(200)
    opened.rest()
    assert page.top == 0, "it is brought into view once"


def test_what_went_wrong_is_said_above_what_was_printed_before_it(viewer: Viewer, tmp_path: Path) -> None:
    wrong = "src/chat.ts(28,2): error TS2739: 'Theme' has no member 'noMatch'."
    printed = f"\n> importer@0.7.29 check\n> tsc --noEmit\n\n{wrong}\nsrc/chat.ts(30,3): error TS18004: No value.\n"
    error = {"message": printed, "exit_code": 2}
    step = new_step("tool", {"command": "npm run check"}, (), tool_info={"name": "bash"}, error=error, timestamp=1.0)
    write(tmp_path / "check.tine", run_of(Graph.of([step]), "check"))
    viewer.opened.open(tmp_path / "check.tine")
    viewer.opened.session.invoke("select.step", step=step.id)
    viewer.opened.rest()
    block = viewer.opened.window.inspector.step.error
    assert wrong.partition(":")[0] in viewer.opened.drawn(block.sheet.node)
    page = block.view.page
    assert any("tsc --noEmit" in page.line(number).text for number in range(3)), "and all of it below"


def test_frames_of_a_traceback_unfold_where_they_are(viewer: Viewer) -> None:
    failure = viewer.show("tests")
    assert not viewer.opened.window.inspector.step.error.view.shown, "it is the result, and not shown twice"
    viewer.opened.rest()
    left, top = dpg.get_item_rect_min(failure.drawlist)
    rows = failure.page.rows()
    number = next(number for number, row in enumerate(rows) if failure.page.line(row.line).text.endswith("more frames"))
    count = len(failure.page.lines)
    viewer.opened.mouse.click(left + 40, top + (number + 0.5) * failure.page.row_height)
    viewer.opened.rest()
    assert len(failure.page.lines) > count
