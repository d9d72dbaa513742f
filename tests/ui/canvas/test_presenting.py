"""A presentation with a real keyboard: where it begins, how large a step is, and what an audience does not see."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.canvas.presentation import Story, stage_camera
from opentine_gui.core import write
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import Opened, copy_of_demo


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    monkeypatch.setattr(dpg, "toggle_viewport_fullscreen", lambda: None)  # for screens of other sizes than this one
    folder = copy_of_demo(tmp_path)
    window = Opened(folder)
    window.keyboard.focus()
    window.open(folder / "research-01.tine")
    window.rest()
    yield window
    window.close()


def told(opened: Opened) -> Story:
    """The story in progress, once the camera stands."""
    opened.until(lambda: opened.session.presentation is not None, "the presentation")
    opened.rest()
    opened.until(lambda: opened.document.picture.flight is None, "the end of the flight")
    story = opened.session.presentation
    assert isinstance(story, Story)
    return story


def test_it_begins_at_the_beginning_large_and_without_the_rings_of_a_search(opened: Opened) -> None:
    record = opened.document.record
    assert record is not None
    opened.session.invoke("search.open")
    opened.session.invoke("search.ask", text="fetch")
    opened.session.invoke("select.step", step=record.graph.ids[12])
    opened.until(lambda: opened.session.search.times and not opened.session.search.running, "what was found")
    opened.rest()
    assert opened.window.canvas.colours.lit(opened.document) is not None
    opened.session.invoke("present.start")  # the box of the search has the keyboard
    story = told(opened)
    assert (story.position, story.step) == (0, record.graph.ids[0])
    assert opened.document.picture.camera == stage_camera(opened.document, story.step, opened.session.viewport)
    assert opened.window.canvas.colours.lit(opened.document) is None
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.presentation is None, "the end")
    opened.rest()
    assert opened.window.canvas.colours.lit(opened.document) is not None, "and they come back"


def test_from_here_it_begins_at_the_selected_step(opened: Opened) -> None:
    record = opened.document.record
    assert record is not None
    opened.session.invoke("select.step", step=record.graph.ids[12])
    opened.rest()
    opened.keyboard.press("shift+F5")
    assert told(opened).step == record.graph.ids[12]


def pressed(opened: Opened, name: str) -> None:
    """Press a button of the slide with the mouse."""
    control = next(one for one in opened.window.controls() if one.name == name and one.view == "Slide")
    assert control.enabled and not control.cut
    opened.mouse.click(*control.middle)
    opened.rest()


def test_the_mouse_turns_the_slides_and_their_text_is_read_beside_the_graph(opened: Opened) -> None:
    record = opened.document.record
    assert record is not None
    camera = opened.document.picture.camera
    opened.session.invoke("present.start")
    story = told(opened)
    slide = opened.window.slide
    assert slide.area.x + slide.area.width == opened.window.canvas.area.width
    x, _ = opened.point(story.step)
    assert x < slide.area.x, "the card is beside the slide"
    assert f"Slide 1 of {len(story.steps)}" in opened.drawn(slide.sheet.node)
    pressed(opened, "Next ›")
    second = told(opened)
    assert second.position == 1
    face = opened.document.face(opened.document.picture.index_of(second.step) or 0)
    assert face.title in opened.drawn(slide.sheet.node)
    assert slide.content is not None and opened.drawn(slide.content.drawlist), "what it did is there to be read"
    pressed(opened, "‹ Previous")
    assert told(opened).position == 0
    opened.mouse.move(slide.area.x + 100, slide.area.height / 2)
    pressed(opened, "Stop")
    opened.until(lambda: opened.session.presentation is None, "the end")
    opened.rest()
    opened.until(lambda: opened.document.picture.flight is None, "the flight back")
    assert opened.document.picture.camera_goal == camera
    assert not opened.document.selection, "and nothing is selected that was not"


def test_a_press_on_the_slide_selects_nothing_under_it(opened: Opened) -> None:
    opened.session.invoke("present.start")
    story = told(opened)
    area = opened.window.slide.area
    for share in (0.2, 0.5, 0.8):
        opened.mouse.click(area.x + area.width / 2, area.height * share)
        opened.rest()
    assert opened.document.selection.primary == story.step
    assert told(opened).position == 0


@pytest.mark.parametrize("size", [(720, 480), (800, 600), (1000, 700)])
def test_no_button_of_a_slide_lies_over_another(opened: Opened, size: tuple[int, int]) -> None:
    dpg.set_viewport_width(size[0])
    dpg.set_viewport_height(size[1])
    opened.until(lambda: dpg.get_viewport_client_height() == size[1], "the small window")
    opened.session.invoke("present.start")
    told(opened)
    zones = sorted((zone.x0, zone.x1) for zone in opened.window.slide.sheet.zones if zone.kind == "button")
    assert len(zones) == 4
    assert all(one[1] <= other[0] for one, other in pairwise(zones))
    assert zones[-1][1] <= opened.window.slide.sheet.width


def test_a_long_slide_is_scrolled_and_copied_by_key(opened: Opened, tmp_path: Path) -> None:
    run = Recording()
    run.ask("Look")
    run.say("\n\n".join(f"Paragraph {number} of the answer" for number in range(80)))
    opened.open(write(tmp_path / "long.tine", run.record()))
    copied: list[str] = []
    opened.session.clipboard = copied.append
    opened.session.invoke("present.start")
    told(opened)
    opened.keyboard.press("End")
    position = told(opened).position
    content = opened.window.slide.content
    assert content is not None
    first = opened.drawn(content.drawlist)
    opened.keyboard.press("shift+Next")
    opened.rest()
    assert opened.drawn(content.drawlist) != first, "its text went on"
    assert told(opened).position == position, "and no slide was turned"
    opened.keyboard.press("ctrl+c")
    opened.rest()
    assert "Paragraph 79 of the answer" in copied[-1], "all of it, where nothing is selected"
    assert not copied[-1].startswith("{"), "and never the recorded step"
