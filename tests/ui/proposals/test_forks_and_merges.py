"""Forks and merges with a real mouse and keyboard: proposed, edited, done, taken back by undo."""

from __future__ import annotations

from collections.abc import Callable

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.state.selection import Selection
from tests.ui.opened import Opened
from tests.ui.proposals.dock import (
    fill,
    fork_shown,
    last_step,
    merge_shown,
    press,
    propose,
    propose_merge,
    record_of,
    shown_whole,
    tool_step,
)


@pytest.mark.parametrize(("width", "height", "scale"), [(1440, 900, 1.0), (1000, 700, 1.0), (1440, 900, 1.5)])
def test_a_prompt_is_edited_in_two_lines_and_the_fork_stays_where_the_eye_is_until_undo_takes_it_away(
    make: Callable[..., Opened], width: int, height: int, scale: float
) -> None:
    opened = make(width, height, scale)
    opened.session.invoke("fold.every_step", shown=True)  # in the small ones the step is in a group
    opened.rest()
    source, step = opened.document, tool_step(opened)
    opened.mouse.click(*opened.point(step))
    opened.rest()
    propose(opened, "f")
    dock, canvas = opened.window.proposal.area, opened.window.canvas.area
    assert dock.y >= canvas.y + canvas.height, "it lies below the canvas and over nothing"
    opened.until(lambda: shown_whole(opened), "every card in view")
    opened.rest()
    press(opened, "Edit…")
    opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box that is typed into")
    opened.until(lambda: shown_whole(opened), "every card in view")
    opened.rest()
    fill(opened, "query", "first line")
    opened.keyboard.press("Return")
    opened.keyboard.type("second line")
    opened.until(lambda: "second line" in str(fork_shown(opened).inputs.value), "both lines")
    before = opened.point(step)
    press(opened, "Fork")
    opened.until(lambda: opened.document is not source and opened.document.picture.camera is not None, "the fork")
    opened.rest()
    assert last_step(opened).inputs["arguments"] == {"limit": 5, "query": "first line\nsecond line"}
    assert opened.window.proposal.area.height == 0
    assert opened.point(last_step(opened).id) == pytest.approx(before, abs=2)
    opened.keyboard.press("ctrl+z")
    opened.rest()
    assert opened.session.documents == [source]
    assert opened.point(step) == pytest.approx(before, abs=2)
    opened.keyboard.press("ctrl+shift+z")
    opened.rest()
    assert last_step(opened).inputs["arguments"]["query"] == "first line\nsecond line"
    assert opened.point(last_step(opened).id) == pytest.approx(before, abs=2)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1000, 700)])
def test_why_a_line_cannot_end_on_a_card_is_shown_where_nothing_covers_it(
    make: Callable[..., Opened], width: int, height: int
) -> None:
    opened = make(width, height)
    graph = record_of(opened).graph
    canvas = opened.window.canvas
    opened.session.invoke("view.fit")
    opened.rest()
    opened.mouse.move(*opened.point(graph.ids[0], down=0.97))
    opened.rest()
    opened.mouse.press()
    opened.mouse.travel(*opened.point(graph.ids[1]))
    opened.until(lambda: "already rests" in opened.drawn(canvas.hints.node), "why not")
    pills = [item for item in dpg.get_item_children(canvas.hints.node, 2) if dpg.get_item_type(item).endswith("Rect")]
    (left, top, *_), (right, bottom, *_) = (dpg.get_item_configuration(pills[-1])[end] for end in ("pmin", "pmax"))
    assert 0 <= left < right <= canvas.area.width
    for window in (opened.window.zoom_bar.window, opened.window.minimap.window):
        if not dpg.is_item_shown(window):
            continue
        x, y = dpg.get_item_pos(window)
        x, y = x - canvas.area.x, y - canvas.area.y
        wide, high = dpg.get_item_rect_size(window)
        assert left >= x + wide or right <= x or top >= y + high or bottom <= y
    opened.keyboard.press("Escape")
    opened.mouse.release()
    opened.rest()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1000, 700)])
def test_two_tips_are_merged_by_dragging_with_all_three_cards_in_view(
    make: Callable[..., Opened], width: int, height: int
) -> None:
    opened = make(width, height)
    graph = record_of(opened).graph
    left, right = (graph.ids[index] for index in graph.tips)
    opened.session.invoke("view.fit")
    opened.rest()
    opened.mouse.drag(opened.point(left, down=0.9), opened.point(right))
    opened.rest()
    assert [step for _, step in merge_shown(opened).parents] == [left, right]
    opened.until(lambda: shown_whole(opened), "every card in view")
    opened.rest()
    press(opened, "Swap order")
    assert [step for _, step in merge_shown(opened).parents] == [right, left]
    press(opened, "think", "Form")
    fill(opened, "prompt", "Which holds?")
    press(opened, "Add field Outputs", "Form")
    opened.until(lambda: opened.window.proposal.form.boxes.active == ("outputs", (0,), "name"), "the box for a name")
    opened.keyboard.type("answer")
    opened.keyboard.press("Tab")
    opened.until(lambda: opened.window.proposal.form.boxes.active == ("outputs", (0,), ""), "the box for its value")
    opened.keyboard.type("both")
    opened.until(lambda: merge_shown(opened).outputs.value == {"answer": "both"}, "the outputs")
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    merged = last_step(opened)
    assert merged.parent_ids == (right, left)
    assert merged.kind.value == "think"
    assert (merged.inputs, merged.outputs) == ({"prompt": "Which holds?"}, {"answer": "both"})
    opened.keyboard.press("ctrl+z")
    opened.rest()
    assert record_of(opened).graph.ids == graph.ids


def test_a_merge_of_a_run_in_columns_comes_into_view_wherever_it_is_laid_out(opened: Opened) -> None:
    graph, canvas = record_of(opened).graph, opened.window.canvas
    one, other = (graph.ids[index] for index in graph.tips)
    opened.until(lambda: opened.document.picture.fold is not None, "the run in columns")
    opened.rest()
    opened.document.select(Selection((one, other)))
    opened.rest()
    columns = centers_of(opened)
    propose(opened, "m")
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.proposal is None, "it done")
    merged = last_step(opened).id
    opened.until(lambda: opened.document.picture.index_of(merged) is not None, "it laid out")
    opened.rest()
    assert opened.document.selection.primary == merged
    assert canvas.area.contains(*opened.point(merged))
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: opened.document.picture.index_of(merged) is None, "it gone")
    opened.rest()
    assert centers_of(opened) == columns, "every card is where it was"


def centers_of(opened: Opened) -> list[tuple[float, float]]:
    layout = opened.document.picture.layout
    assert layout is not None
    return [(float(x), float(y)) for x, y in layout.centers]


def test_the_bar_is_left_by_its_button_and_by_escape_and_forks_by_button_key_and_enter(opened: Opened) -> None:
    source, step = opened.document, tool_step(opened)
    opened.session.invoke("select.step", step=step)
    opened.rest()
    propose(opened, "f")
    press(opened, "Cancel")
    assert opened.session.proposal is None
    propose(opened, "f")
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.session.proposal is None
    assert source.selection.ids == (step,)
    for by in ("button", "f", "Return"):
        propose(opened, "f")
        if by == "button":
            press(opened, "Fork")
        else:
            opened.keyboard.press(by)
        opened.until(lambda: opened.document is not source, "the fork")
        assert record_of(opened).lineage.fork_point == step
        opened.keyboard.press("ctrl+z")
        opened.until(lambda: opened.document is source, "the source again")
    propose(opened, "f")
    opened.keyboard.press("e")
    opened.until(lambda: fork_shown(opened).edit, "the form")


def test_the_keys_of_the_bar_are_those_of_its_step_until_another_one_is_selected(opened: Opened) -> None:
    source, step, other = opened.document, tool_step(opened), last_step(opened).id
    opened.session.invoke("select.step", step=step)
    opened.rest()
    propose(opened, "f")
    opened.session.invoke("select.step", step=other)
    opened.rest()
    opened.keyboard.press("f")
    opened.until(lambda: fork_shown(opened).step == other, "the fork of the step that is selected")
    opened.rest()
    assert opened.document is source, "no fork was made of the step before"
    opened.session.invoke("select.step", step=step)
    opened.rest()
    opened.keyboard.press("e")
    opened.until(lambda: fork_shown(opened).edit, "the form")
    assert fork_shown(opened).step == step
    opened.keyboard.press("Escape")
    opened.rest()
    propose(opened, "f")
    opened.session.invoke("select.none")
    opened.rest()
    opened.keyboard.press("f")
    opened.until(lambda: opened.document is not source, "the fork of the bar, for nothing else is selected")


def test_a_word_typed_wrong_in_a_fork_is_corrected_in_the_fork(opened: Opened) -> None:
    source, step = opened.document, tool_step(opened)
    opened.mouse.click(*opened.point(step))
    opened.rest()
    propose(opened, "e")
    opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box that is typed into")
    fill(opened, "query", "wrogn")
    press(opened, "Fork")
    opened.until(lambda: opened.document is not source and opened.document.picture.camera is not None, "the fork")
    opened.rest()
    fork = opened.document
    propose(opened, "e")
    opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box that is typed into")
    fill(opened, "query", "right")
    press(opened, "Change step")
    opened.until(lambda: "right" in str(last_step(opened).inputs), "the step corrected")
    opened.rest()
    assert opened.session.documents == [source, fork]
    assert opened.document.selection.primary == last_step(opened).id
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: "wrogn" in str(last_step(opened).inputs), "the step as it was")
    propose(opened, "e")
    opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box that is typed into")
    fill(opened, "query", "another way")
    press(opened, "Fork instead")
    opened.until(lambda: "another way" in str(fork_shown(opened).inputs.value), "the text in the form of the fork")
    press(opened, "Fork")
    opened.until(lambda: opened.document is not fork and opened.document.picture.camera is not None, "a second fork")
    assert "another way" in str(last_step(opened).inputs)
    assert len(opened.session.documents) == 3


def test_the_dock_closes_when_undo_takes_away_the_step_it_is_about(opened: Opened) -> None:
    propose_merge(opened)
    press(opened, "Merge")
    opened.until(lambda: opened.session.proposal is None, "the merge")
    opened.rest()
    opened.mouse.click(*opened.point(last_step(opened).id))
    opened.rest()
    propose(opened, "f")
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: opened.session.proposal is None, "nothing proposed")
    opened.rest()
    assert opened.window.proposal.area.height == 0
    said = [(notice.level, notice.text) for notice in opened.session.notices.list()]
    assert said == [("info", "What was proposed is closed: its step is no longer in the run.")]


def test_undo_while_the_card_it_takes_away_is_dragged_ends_the_drag(opened: Opened) -> None:
    propose_merge(opened)
    press(opened, "Merge")
    opened.until(lambda: opened.session.proposal is None, "the merge")
    opened.rest()
    merged, steps = last_step(opened).id, len(record_of(opened).graph)
    x, y = opened.point(merged)
    opened.mouse.move(x, y)
    opened.mouse.press()
    opened.mouse.travel(x + 60, y - 40)
    opened.until(lambda: opened.session.tools.state.moved, "the card in hand")
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: len(record_of(opened).graph) < steps, "the merge undone")
    opened.rest()
    assert not opened.session.tools.state.moved
    opened.mouse.travel(x + 80, y - 50)
    opened.mouse.release()
    opened.rest()
    state = opened.document.state
    assert state is not None
    assert not state.placed(opened.document.direction, opened.document.is_folded)
    assert not opened.session.notices.list()
