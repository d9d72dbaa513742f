"""A note, a bookmark and a colour with a real mouse and keyboard: written, marked, listed, walked to, undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.state.annotations import Annotation
from opentine_gui.ui.panels.notes import NotesPanel
from tests.ui.opened import Opened, copy_of_demo, first_of
from tests.ui.real_input import xdotool


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    window = Opened(copy_of_demo(tmp_path))
    window.keyboard.focus()
    yield window
    window.close()


def test_a_step_is_annotated_by_keys_and_found_again_by_mouse(opened: Opened) -> None:
    path = opened.session.working_folder / "research-01.tine"
    document = opened.open(path)
    before = path.read_bytes()
    panel = opened.window.panels["notes"]
    assert isinstance(panel, NotesPanel)
    assert not panel.in_use
    step = first_of(opened, "tool")
    opened.session.invoke("select.step", step=step, reveal=True)
    opened.rest()
    opened.mouse.click(*opened.point(step))
    opened.keyboard.press("ctrl+b")
    opened.until(lambda: document.annotations.get(step) == Annotation(bookmarked=True), "the bookmark")
    opened.keyboard.press("ctrl+m")
    opened.until(lambda: opened.session.text_focused, "the note's box")
    opened.keyboard.type("Why this one?")
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: document.annotations.get(step, Annotation()).note == "Why this one?", "the note")
    opened.rest()
    assert "Why this one?" in opened.words(opened.window.canvas.area)
    other = document.record.graph.ids[-1] if document.record is not None else ""
    opened.session.invoke("select.step", step=other)
    opened.rest()
    left, top = dpg.get_item_rect_min(panel.rows.drawlist)
    opened.mouse.click(left + 60, top + panel.rows.row_height / 2)
    opened.until(lambda: document.selection.primary == step, "the step of the note")
    opened.keyboard.press("ctrl+m")
    opened.until(lambda: opened.session.text_focused, "the note's box")
    opened.keyboard.press("Return")
    opened.keyboard.type("Ask again.")
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: document.annotations[step].note == "Why this one?\nAsk again.", "a note of two lines")
    opened.rest()
    assert "Ask again." in opened.drawn(opened.window.inspector.step.header.window)
    for _ in range(3):
        opened.keyboard.press("ctrl+z")
    opened.until(lambda: not document.annotations, "nothing written")
    opened.rest()
    assert not panel.in_use
    assert path.read_bytes() == before


def test_what_is_typed_at_once_is_in_the_note_and_is_there_again_after_esc(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "research-01.tine")
    step = first_of(opened, "tool")
    opened.session.invoke("select.step", step=step, reveal=True)
    opened.rest()
    opened.keyboard.press("ctrl+m")
    opened.keyboard.type("why")  # before its box can have the keyboard
    opened.until(lambda: opened.session.text_focused, "the note's box")
    opened.keyboard.press("Return")
    opened.keyboard.type("Not so.")
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.window.prompter.visible, "the question left")
    assert step not in document.annotations
    opened.until(lambda: not opened.session.text_focused, "the keyboard given back")
    opened.keyboard.press("ctrl+m")
    opened.until(lambda: opened.session.text_focused, "the note's box")
    opened.keyboard.type(" Or is it?")
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: step in document.annotations, "the note")
    assert document.annotations[step].note == "why\nNot so. Or is it?"


def test_a_command_that_is_typed_in_one_go_is_the_one_that_is_done(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "research-01.tine")
    step = first_of(opened, "tool")
    opened.session.invoke("select.step", step=step, reveal=True)
    opened.rest()
    opened.keyboard.press("ctrl+k")
    xdotool("type", "--delay", "1", "bookm")  # all of it before the next frame, as on a slow display
    xdotool("key", "Return")
    opened.until(lambda: document.annotations.get(step) == Annotation(bookmarked=True), "the bookmark")
    assert not opened.window.palette.visible
