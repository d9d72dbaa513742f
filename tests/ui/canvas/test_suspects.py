"""Suspects with a real mouse and keyboard: listed in the run panel, walked, marked on cards, beside a fork."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.inspect.analysis.findings import HEADING
from opentine_gui.core import write
from opentine_gui.ui.panels.inspector.panel import Inspector
from tests.core.analysis.call_runs import failing_session
from tests.ui.crawl.findings import faults
from tests.ui.opened import Opened, copy_of_demo


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    write(tmp_path / "failing.tine", failing_session())
    window = Opened(tmp_path)
    window.keyboard.focus()
    yield window
    window.close()


def test_suspects_are_listed_walked_and_marked(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "failing.tine")
    record = document.record
    assert record is not None
    inspector = opened.window.panels["inspector"]
    assert isinstance(inspector, Inspector)
    opened.until(lambda: HEADING in opened.drawn(inspector.list.node), "the suspects in the run panel")
    opened.until(lambda: "suspect 1: last edit" in opened.words(opened.window.canvas.area), "the mark on a card")
    heading = [fact.label for fact in inspector._facts].index(HEADING)
    left, top = dpg.get_item_rect_min(inspector.list.drawlist)
    opened.mouse.click(left + 30, top + (heading + 1.5) * inspector.list.row_height)
    opened.until(lambda: document.selection.primary == record.graph.ids[3], "the first suspect selected")
    opened.rest()
    assert "Suspect 1 of" in opened.drawn(inspector.footer.node)
    opened.keyboard.press("alt+n")
    opened.until(lambda: document.selection.primary != record.graph.ids[3], "the next suspect")
    opened.session.invoke("select.step", step=record.graph.ids[4])
    opened.rest()
    opened.keyboard.press("f")
    opened.until(lambda: opened.session.proposal is not None, "the fork proposed")
    opened.rest()
    assert "before a refused call" in opened.drawn(opened.window.proposal.head.node)


def flag_point(opened: Opened, text: str) -> tuple[float, float]:
    """Where the flag with this text is drawn, in pixels of the window."""
    document, canvas = opened.document, opened.window.canvas
    for y in range(4, int(canvas.viewport.height), 4):
        for x in range(4, int(canvas.viewport.width), 12):
            flag = canvas._flag_under(x, y)
            if flag is not None and flag.text == text:
                scale = canvas.style.scale
                return canvas.area.x + x * scale, canvas.area.y + y * scale
    raise AssertionError(f"no flag {text} in {document.title}")


def test_a_flag_is_pressed_it_says_why_and_offers_the_fork(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "failing.tine")
    record = document.record
    assert record is not None
    opened.until(lambda: "retry?" in opened.words(opened.window.canvas.area), "the mark on a card")
    opened.rest()
    x, y = flag_point(opened, "retry?")
    opened.mouse.move(x, y)
    opened.until(lambda: opened.window.canvas.pointer_shape == "hand", "the hand over the flag")
    assert "before a refused call: keeps" in opened.window.canvas._words(document)
    assert "drops" in opened.window.canvas._words(document)
    opened.mouse.click(x, y)
    opened.until(lambda: opened.session.proposal is not None, "the fork proposed")
    opened.rest()
    assert document.selection.primary == record.graph.ids[4]
    assert "before a refused call" in opened.drawn(opened.window.proposal.head.node)
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.proposal is None, "the proposal left")
    opened.rest()
    x, y = flag_point(opened, "suspect 1: last edit")
    opened.mouse.click(x, y)
    opened.until(lambda: document.selection.primary == record.graph.ids[3], "the suspect selected")
    assert opened.session.proposal is None


def test_the_palette_lists_the_places_to_fork(opened: Opened) -> None:
    document = opened.open(opened.session.working_folder / "failing.tine")
    record = document.record
    assert record is not None
    opened.until(lambda: opened.session.enabled("run.fork_where") is None, "the places to fork")
    opened.session.invoke("view.palette")
    palette = opened.window.palette
    opened.until(lambda: palette.visible, "the palette")
    opened.keyboard.type("fork where it")
    opened.until(lambda: any(choice.way for choice in palette.choices), "a place to fork in the list")
    opened.rest()
    place = next(number for number, choice in enumerate(palette.choices) if choice.way)
    way = palette.choices[place].way
    assert way is not None and "before a refused call: keeps" in way.label
    left, top = dpg.get_item_rect_min(palette.rows.drawlist)
    opened.mouse.click(left + 60, top + (place + 0.5) * palette.rows.row_height)
    opened.until(lambda: opened.session.proposal is not None, "the fork proposed")
    assert document.selection.primary == record.graph.ids[4]


def test_in_a_low_window_at_a_large_scale_nothing_below_a_failed_step_is_cut(tmp_path: Path) -> None:
    opened = Opened(copy_of_demo(tmp_path), scale=1.5)
    dpg.set_viewport_width(1440)
    dpg.set_viewport_height(900)
    opened.until(lambda: dpg.get_viewport_client_height() == 900, "the window's size")
    opened.keyboard.focus()
    opened.open(opened.session.working_folder / "research-01.tine")
    opened.session.invoke("family.open")
    opened.until(
        lambda: opened.document.members is not None and opened.document.picture.layout is not None, "the family"
    )
    opened.rest()
    opened.session.invoke("go.previous_failure")  # the last one, in which the run ended, with a suspect to name
    opened.rest()
    inspector = opened.window.panels["inspector"]
    assert isinstance(inspector, Inspector)
    assert "Also in" in opened.drawn(inspector.footer.node)
    assert list(faults(opened.window.controls(), 1.5)) == []
    opened.close()
