"""Presentation mode: which steps it shows, in which order, and that its end restores everything."""

from __future__ import annotations

import pytest

from opentine_gui.app.canvas.presentation import SLIDE_SHARE, restage, stage_camera, story_of
from opentine_gui.app.inspect.keys import action_of
from opentine_gui.app.state.settings import load_settings
from opentine_gui.core import RunRecord
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen
from tests.app.conftest import Bench
from tests.conftest import named, run_of

#   a        a: root, main line a b d f
#   |        c: parallel with b, e: a branch off b
#   b   c
#   |\ /
#   e d
#     f
SHAPE = {"a": "", "b": "a", "c": "a", "d": "b c", "e": "b", "f": "d"}


@pytest.fixture
def record() -> RunRecord:
    return run_of(SHAPE)


@pytest.fixture(name="bench")
def bench_with_a_story(bench: Bench, record: RunRecord) -> Bench:
    bench.open("story.tine", record)
    return bench


def names(bench: Bench, ids: tuple[str, ...]) -> list[str]:
    return [str(bench.active.step(step).inputs["text"]) for step in ids]


def test_without_a_selection_the_story_is_the_main_line(bench: Bench) -> None:
    steps, position = story_of(bench.active)
    assert names(bench, steps) == ["a", "b", "d", "f"]
    assert position == 0


def test_a_selected_step_of_the_line_is_where_the_story_begins(bench: Bench, record: RunRecord) -> None:
    bench.do("select.step", step=named(record, "d"))
    steps, position = story_of(bench.active)
    assert names(bench, steps)[position] == "d"


def test_a_selected_step_elsewhere_brings_its_own_path(bench: Bench, record: RunRecord) -> None:
    bench.do("select.step", step=named(record, "e"))
    steps, position = story_of(bench.active)
    assert names(bench, steps) == ["a", "b", "e"]
    assert position == 2


def test_several_selected_steps_are_the_story_in_the_order_of_the_run(bench: Bench, record: RunRecord) -> None:
    for name in "fca":
        bench.do("select.add", step=named(record, name))
    assert names(bench, story_of(bench.active)[0]) == ["a", "c", "f"]


def test_the_story_walks_and_stops_at_its_ends(bench: Bench) -> None:
    session = bench.session
    bench.do("present.start")
    assert session.presentation is not None
    assert not session.view.panels
    seen = []
    for action in ("present.previous", "present.next", "present.next", "present.last", "present.next", "present.first"):
        bench.do(action)
        assert session.presentation is not None
        seen.append(session.presentation.position)
    assert seen == [0, 1, 2, 3, 3, 0]


def test_the_camera_shows_the_present_step_large_and_left_of_the_slide(bench: Bench) -> None:
    bench.do("present.start")
    bench.do("present.next")
    document, session = bench.active, bench.session
    assert session.presentation is not None and document.picture.layout is not None
    index = document.picture.index_of(session.presentation.step)
    assert index is not None
    goal = document.picture.flight.goal if document.picture.flight else document.picture.camera
    assert goal is not None
    x, y = document.picture.layout.centers[index]
    assert goal.y == pytest.approx(y)
    wide = goal.zoom * document.picture.layout.spacing.node_width
    assert wide > session.viewport.width * 0.25
    middle, _ = to_screen(goal, session.viewport, float(x), float(y))
    free = session.viewport.width * (1 - SLIDE_SHARE)
    assert middle == pytest.approx(free / 2)
    assert middle + wide / 2 < free, "the slide covers none of it"


def test_stopping_brings_back_panels_camera_and_selection(bench: Bench, record: RunRecord) -> None:
    bench.do("select.step", step=named(record, "b"))
    before = bench.active.picture.camera_goal
    bench.do("present.start")
    bench.do("present.next")
    bench.do("present.stop")
    assert bench.session.presentation is None
    assert bench.session.view.panels
    goal = bench.active.picture.flight.goal if bench.active.picture.flight else bench.active.picture.camera
    assert goal == before
    assert bench.active.selection.primary == named(record, "b")


def test_the_panels_are_there_again_at_the_next_start_after_quitting_while_presenting(bench: Bench) -> None:
    bench.do("present.start")
    assert not bench.session.view.panels
    bench.do("file.quit")
    bench.session.close()
    assert load_settings().panels


def test_while_presenting_the_arrow_keys_and_esc_belong_to_the_story(bench: Bench) -> None:
    session = bench.session
    assert action_of(session, "Right") is not session.actions["present.next"]
    bench.do("present.start")
    meant = {"Right": "next", "Enter": "next", "Backspace": "previous", "Home": "first", "End": "last", "Esc": "stop"}
    for chord, action in meant.items():
        assert action_of(session, chord) is session.actions[f"present.{action}"]
    assert action_of(session, "F5") is session.actions["present.stop"]
    assert action_of(session, "Ctrl+K") is session.actions["view.palette"]


def test_presenting_without_a_run_says_why_not(bench: Bench) -> None:
    bench.do("file.close")
    assert bench.session.enabled("present.start") is not None
    assert bench.session.enabled("present.next") == "Nothing is being presented."


def test_on_the_whole_screen_the_first_step_is_as_large_as_the_others(bench: Bench) -> None:
    session, document = bench.session, bench.active
    bench.do("present.start")
    before, session.viewport = session.viewport, Viewport(1920.0, 1080.0)
    restage(session, before)
    assert session.presentation is not None
    assert document.picture.camera_goal == stage_camera(document, session.presentation.step, session.viewport)
    moved = Camera(5.0, 6.0, 1.0)
    document.picture.set_camera(moved)
    before, session.viewport = session.viewport, Viewport(1000.0, 700.0)
    restage(session, before)
    assert document.picture.camera_goal == moved, "what was moved by hand stays"


def test_a_presentation_ends_well_where_the_step_it_came_from_is_gone(bench: Bench, record: RunRecord) -> None:
    bench.do("select.step", step=named(record, "f"))
    bench.do("present.start")
    bench.write("story.tine", run_of({"a": "", "b": "a"}))
    bench.do("file.reload")
    bench.do("present.stop")
    assert bench.session.presentation is None
    assert list(bench.active.selection) == []
    assert bench.notices("error") == []


def test_slides_cannot_be_begun_while_slides_are_shown(bench: Bench) -> None:
    bench.do("present.start")
    for action in ("present.start", "present.from_here"):
        assert bench.session.enabled(action) == "Slides are being shown already; Esc ends them."
    bench.do("present.stop")
    assert bench.session.view.panels, "and the panels come back"


def test_a_slide_of_a_step_that_is_gone_selects_nothing(bench: Bench) -> None:
    bench.do("present.start")
    bench.write("story.tine", run_of({"a": "", "b": "a"}))
    bench.do("file.reload")
    bench.do("present.last")
    assert list(bench.active.selection) == []
