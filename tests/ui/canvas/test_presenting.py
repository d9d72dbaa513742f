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


KEY = "sk-proj-" + "Ab12Cd34Ef56Gh78Ij90Kl12Mn34"


def written_now(opened: Opened) -> str:
    """All text that is drawn in the window, that of tooltips included, but for what is in hidden views."""
    texts = (item for item in dpg.get_all_items() if dpg.get_item_type(item) == "mvAppItemType::mvDrawText")
    return "\n".join(str(dpg.get_item_configuration(item)["text"]) for item in texts if is_shown(item))


def is_shown(item: int) -> bool:
    while item and dpg.get_item_configuration(item).get("show", True):
        item = dpg.get_item_parent(item) or 0
    return not item


def test_no_secret_is_drawn_anywhere_while_something_is_presented(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str] = []
    monkeypatch.setattr(dpg, "set_viewport_title", names.append)
    run = Recording()
    run.ask(f"Deploy with OPENAI_API_KEY={KEY}, however long that takes and whatever else it may be that is needed")
    run.call("Bash", {"command": f"deploy --key {KEY} " + "--verbose " * 12}, failed=f"403: {KEY} is not allowed")
    run.call("Bash", {"command": f"make all VERY_LONG_NAME=1 OTHER_NAME=2 THIRD_NAME=3 deploy {KEY}"}, "ok")
    run.say(f"It refused {KEY}")
    path = write(tmp_path / f"deploy OPENAI_API_KEY={KEY}.tine", run.record())
    opened.open(path)
    begun = KEY[:16]
    opened.until(lambda: begun in names[-1], "the run")
    opened.rest()
    assert begun in written_now(opened)
    opened.session.invoke("present.start")
    told(opened)
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: opened.window.palette.visible, "the palette")
    opened.keyboard.type("deploy")
    opened.until(lambda: any(choice.step is not None for choice in opened.window.palette.choices), "the steps found")
    opened.rest()
    rows = opened.window.palette.rows
    steps = [place for place, choice in enumerate(opened.window.palette.choices) if choice.step is not None]
    left, top = dpg.get_item_rect_min(rows.drawlist)
    for place in steps:
        opened.mouse.move(left + 200, top + (place + 0.5) * rows.row_height)
        opened.rest()
        assert begun not in written_now(opened)
    assert len(steps) >= 3 and "[API key]" in opened.drawn(rows.node), "its place is seen"
    assert begun not in names[-1] and "[API key]" in names[-1]
    opened.keyboard.press("Escape")
    opened.rest()
    opened.keyboard.press("s")
    opened.until(lambda: begun in names[-1], "what is shown again")
    opened.keyboard.press("s")
    opened.rest()
    assert begun not in names[-1]
    assert begun not in written_now(opened)
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.presentation is None, "the end")
    opened.rest()
    assert begun in written_now(opened) and begun in names[-1]
