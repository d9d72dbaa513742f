"""Forks and merges with a real mouse and keyboard: proposed, edited in a form, done, taken back by undo."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.in_view import proposed_centers
from opentine_gui.app.canvas.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals import current_proposal
from opentine_gui.app.document.camera.framing import card_bounds
from opentine_gui.app.state.payload_form import entry_of
from opentine_gui.core import RunRecord, Step
from opentine_gui.core.files import storage
from opentine_gui.scene.space.camera import view_rect
from opentine_gui.ui.platform.x11 import X11
from opentine_gui.ui.proposals.form_rows import Key, main_box
from tests.ui.opened import Opened, copy_of_demo, first_of

RECORDINGS = Path(__file__).parents[1] / "data" / "recordings"
SESSION = next((RECORDINGS / "pi" / "0.73.1-c-errors").rglob("*.jsonl"))
"""A session of pi, which records the answers of its model and not what was sent for them."""

Ran = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Opens a window of a size with the failed demo run."""
    made: list[Opened] = []

    def open_window(width: int = 1440, height: int = 900, scale: float = 1.0) -> Opened:
        runs = copy_of_demo(tmp_path)
        window = Opened(runs, scale=scale)
        made.append(window)
        dpg.set_viewport_width(width)
        dpg.set_viewport_height(height)
        window.keyboard.focus()
        window.open(runs / "research-01.tine")
        return window

    yield open_window
    for window in made:
        window.close()


@pytest.fixture
def opened(make: Callable[..., Opened]) -> Opened:
    return make()


@pytest.fixture
def ran(opened: Opened) -> Ran:
    """Record the actions invoked from now on, with their arguments."""
    asked: Ran = []
    invoke = opened.session.invoke

    def spy(action_id: str, /, **arguments: Any) -> None:
        asked.append((action_id, arguments))
        invoke(action_id, **arguments)

    opened.session.invoke = spy  # type: ignore[method-assign]
    return asked


def record_of(opened: Opened) -> RunRecord:
    record = opened.document.record
    assert record is not None
    return record


def last_step(opened: Opened) -> Step:
    graph = record_of(opened).graph
    return graph.step(graph.ids[-1])


def tool_step(opened: Opened) -> str:
    """A step in the middle of the run, whose inputs are {"name": …, "arguments": {"query": …, "limit": …}}."""
    return record_of(opened).graph.ids[3]


def fork_shown(opened: Opened) -> ForkProposal:
    proposal = opened.session.proposal
    assert isinstance(proposal, ForkProposal)
    return proposal


def merge_shown(opened: Opened) -> MergeProposal:
    proposal = opened.session.proposal
    assert isinstance(proposal, MergeProposal)
    return proposal


def propose(opened: Opened, key: str) -> None:
    """Press F, E or M and wait until the proposal is shown and at rest."""
    opened.keyboard.press(key)
    opened.until(lambda: opened.window.proposal.area.height > 0, "a proposal in the dock")
    opened.rest()
    if opened.window.proposal.form.parts:
        opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box that is typed into")
        opened.rest()


def propose_merge(opened: Opened) -> None:
    ids = [record_of(opened).graph.ids[index] for index in record_of(opened).graph.tips]
    opened.session.invoke("select.step", step=ids[0])
    opened.session.invoke("select.add", step=ids[1])
    opened.rest()
    propose(opened, "m")


def press(opened: Opened, name: str, view: str = "Proposal") -> None:
    """Click the button, tick or word that is called this."""
    opened.frame()
    control = next(one for one in opened.window.controls() if one.name == name and one.view == view)
    assert not control.cover, f"{name} is covered by {control.cover}"
    opened.mouse.click(*control.middle)
    opened.rest()


def key_of(opened: Opened, label: str) -> Key:
    """The key of the box of a field, or of a part of the form."""
    rows = opened.window.proposal.form.rows
    return next(row.key for row in rows if (row.entry.name if row.key[1] and row.entry else row.part.name) == label)


def item_of(opened: Opened, label: str) -> int:
    """The Dear PyGui item of a box, scrolled into view."""
    form, key = opened.window.proposal.form, key_of(opened, label)
    form.focus(key)
    opened.until(lambda: form.boxes.active == key, f"the box {label}")
    return form.boxes.made[key].item


def middle(item: int) -> tuple[float, float]:
    (left, top), (width, height) = dpg.get_item_rect_min(item), dpg.get_item_rect_size(item)
    return left + width / 2, top + height / 2


def fill(opened: Opened, label: str, text: str) -> None:
    """Click a box, type over its text, and wait until all of it has arrived: Dear PyGui takes it in bit by bit."""
    item = item_of(opened, label)
    opened.mouse.click(*middle(item))
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type(text)
    opened.until(lambda: dpg.get_value(item) == text, f"{text!r} in the box")


def shown_whole(opened: Opened) -> bool:
    """Whether every card the proposal is about lies in view."""
    document, proposal = opened.document, current_proposal(opened.session)
    assert proposal is not None and document.layout is not None and document.camera is not None
    x0, y0, x1, y1 = card_bounds(document.layout, proposed_centers(document, document.layout, proposal))
    left, top, right, bottom = view_rect(document.camera, opened.session.viewport)
    return left <= x0 and top <= y0 and x1 <= right and y1 <= bottom


# --- whole paths ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height", "scale"), [(1440, 900, 1.0), (1000, 700, 1.0), (1440, 900, 1.5)])
def test_a_prompt_is_edited_in_two_lines_and_the_fork_stays_where_the_eye_is_until_undo_takes_it_away(
    make: Callable[..., Opened], width: int, height: int, scale: float
) -> None:
    opened = make(width, height, scale)
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
    opened.until(lambda: opened.document is not source and opened.document.camera is not None, "the fork")
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


# --- the form ---------------------------------------------------------------------------------------------------------


def test_a_box_that_is_scrolled_into_view_gets_the_keyboard_and_no_other_before_it(make: Callable[..., Opened]) -> None:
    opened = make(1000, 700, 1.0)
    command = {"arguments": {"command": ["bash", "-lc", "git diff\n" * 6]}, "name": "shell"}
    after = tool_step(opened)
    opened.session.invoke("run.add_step", step=after, kind="tool", inputs=entry_of(command), accept=True)
    opened.rest()
    opened.session.invoke("select.step", step=last_step(opened).id)
    opened.rest()
    opened.keyboard.press("e")
    form = opened.window.proposal.form
    seen: set[Key] = set()

    def settled() -> bool:
        seen.update(() if form.boxes.active is None else [form.boxes.active])
        return bool(seen) and not form.boxes.waits

    opened.until(settled, "a box that is typed into")
    assert dpg.get_y_scroll(form.pane.window) > 0, "it was not in view"
    assert seen == {main_box(form.rows)}


def test_where_nothing_was_recorded_of_what_a_step_was_sent_the_prompt_is_a_press_away(opened: Opened) -> None:
    opened.open(SESSION)
    graph = record_of(opened).graph
    answer = next(step for step in graph if step.kind.value == "model" and not step.inputs)
    said = [
        step.id
        for step in graph
        if step.shown_kind == "human" and graph.is_ancestor(*map(graph.index, (step.id, answer.id)))
    ]
    opened.session.invoke("select.step", step=answer.id)
    opened.rest()
    propose(opened, "e")
    assert fork_shown(opened).prompt == said[-1]
    press(opened, "Edit the prompt")
    opened.until(lambda: fork_shown(opened).step == said[-1], "the prompt proposed to be edited")
    assert opened.document.selection.ids == (said[-1],), "it is in view"
    opened.until(lambda: opened.window.proposal.form.boxes.active == key_of(opened, "text"), "its box typed into")
    opened.keyboard.type("again ")
    opened.until(lambda: fork_shown(opened).inputs.changes == 1, "it changed")
    assert fork_shown(opened).prompt is None


def test_what_is_wrong_is_said_and_nothing_is_done_until_it_is_mended(opened: Opened) -> None:
    source = opened.document
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    fill(opened, "limit", "many")
    opened.until(lambda: fork_shown(opened).refusal == "arguments.limit: not a number", "the reason")
    opened.keyboard.press("ctrl+Return")
    opened.rest()
    assert opened.document is source
    form = opened.window.proposal.form
    opened.until(lambda: form.boxes.active == key_of(opened, "limit"), "the keyboard in the wrong box")
    assert "not a number" in opened.drawn(form.sheet.node)
    for _ in range(4):
        opened.keyboard.press("BackSpace")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("7")
    opened.until(lambda: fork_shown(opened).refusal is None, "it mended")
    assert source.selection.ids == (tool_step(opened),), "no key went to the canvas"
    assert "was 5" in opened.drawn(form.sheet.node)
    press(opened, "JSON arguments", "Form")
    opened.until(lambda: form.boxes.active == key_of(opened, "arguments"), "the arguments as JSON")
    fill(opened, "arguments", '{"limit": 7,')
    opened.until(lambda: "line 1" in (fork_shown(opened).refusal or ""), "the line that is wrong")
    press(opened, "Restore arguments", "Form")
    assert fork_shown(opened).inputs.changes == 0
    assert fork_shown(opened).refusal is None


def test_tab_goes_from_box_to_box_and_every_part_of_the_form_is_used(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    form = opened.window.proposal.form
    opened.mouse.click(*middle(item_of(opened, "query")))
    expected = [key_of(opened, label) for label in ("name", "title", "tags")]
    for key in expected:
        opened.keyboard.press("Tab")
        opened.until(lambda: form.boxes.active == key, f"{key} after Tab")  # noqa: B023
    opened.keyboard.press("Tab")
    opened.keyboard.press("space")
    opened.until(lambda: fork_shown(opened).reset_metrics, "the tick set by the keyboard")
    opened.keyboard.press("shift+Tab")
    opened.until(lambda: form.boxes.active == expected[-1], "back to the tags")
    opened.keyboard.type("a, b")
    opened.until(lambda: fork_shown(opened).tags == "a, b", "the tags")
    assert fork_shown(opened).inputs.changes == 0, "no tab was typed into a text"
    fill(opened, "title", "retry")
    press(opened, "Remove limit", "Form")
    press(opened, "Start the fork's cost and time at zero", "Form")
    opened.until(lambda: not fork_shown(opened).reset_metrics, "the tick taken away by the mouse")
    item_of(opened, "title")
    opened.keyboard.press("Return")
    opened.rest()
    assert opened.session.proposal is not None, "Enter in a line does not fork"
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    assert last_step(opened).inputs["arguments"] == {"query": "RLHF critique"}
    assert opened.document.title == "retry"
    assert record_of(opened).tags == ("a", "b")


def test_escape_leaves_the_form_and_what_was_typed_is_there_again(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    fill(opened, "query", "half a thought")
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.session.proposal is None
    assert len(opened.session.documents) == 1
    propose(opened, "e")
    assert dpg.get_value(item_of(opened, "query")) == "half a thought"
    assert fork_shown(opened).inputs.changes == 1


def test_copying_nothing_while_the_clipboard_is_empty_does_nothing(opened: Opened) -> None:
    with X11() as x11:
        assert x11.selection_owner("CLIPBOARD") == 0
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    opened.session.invoke("proposal.change", inputs=json.dumps({"prompt": "Read the paper again. " * 20}))
    opened.rest()
    assert dpg.get_value(item_of(opened, "prompt")).count("\n") > 1
    opened.keyboard.press("Home")
    opened.keyboard.press("ctrl+c")
    opened.rest()
    assert opened.session.proposal is not None


def test_a_long_line_is_wrapped_and_copied_and_changed_as_the_one_line_it_is(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    prompt = "Read the paper again. " * 20 + "End"
    opened.session.invoke("proposal.change", inputs=json.dumps({"prompt": prompt}))
    opened.rest()
    item = item_of(opened, "prompt")
    assert dpg.get_value(item).count("\n") > 1, "lines end at the box's edge"
    opened.keyboard.press("ctrl+a")
    opened.keyboard.press("ctrl+c")
    opened.until(lambda: dpg.get_clipboard_text() == prompt, "the text without breaks of our own")
    opened.keyboard.press("ctrl+x")
    opened.until(lambda: fork_shown(opened).inputs.value == {"prompt": ""}, "all of it cut")
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: fork_shown(opened).inputs.value == {"prompt": prompt}, "all of it back")
    opened.keyboard.press("ctrl+Home")
    opened.keyboard.type("Please. ")
    opened.until(lambda: fork_shown(opened).inputs.value == {"prompt": "Please. " + prompt}, "the letters typed")
    opened.keyboard.press("Tab")
    opened.until(lambda: opened.window.proposal.form.boxes.active == key_of(opened, "title"), "the next box")
    assert fork_shown(opened).inputs.value == {"prompt": "Please. " + prompt}


def test_letters_are_text_in_the_form_and_shortcuts_beside_it(opened: Opened, ran: Ran) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    opened.session.invoke("run.fork_edit")
    opened.frame()  # the form is there now, but Dear PyGui has not yet reported that its box has the focus
    assert opened.window.proposal.has_keyboard
    ran.clear()
    opened.keyboard.type("vefn")
    opened.rest()
    item_of(opened, "title")
    for chord in ("F1", "F5", "Home", "ctrl+k", "ctrl+s", "ctrl+z", "ctrl+w", "alt+m", "slash", "BackSpace"):
        opened.keyboard.press(chord)
    opened.rest()
    assert {action for action, _ in ran} <= {"proposal.change"}
    assert fork_shown(opened).edit
    fill(opened, "title", "retry")
    opened.mouse.click(*opened.free_point())
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    minimap = opened.session.view.minimap
    opened.keyboard.press("alt+m")
    opened.rest()
    assert opened.session.view.minimap is not minimap
    assert fork_shown(opened).title == "retry", "what was typed stays"


def test_a_click_on_the_dock_does_nothing_to_the_canvas(opened: Opened, ran: Ran) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    area, camera = opened.window.proposal.area, opened.document.camera
    ran.clear()
    for x in (area.x + 4, area.x + area.width / 2):
        opened.mouse.click(x, area.y + 4)
        opened.mouse.double_click(x, area.y + 4)
        opened.mouse.drag((x, area.y + 4), (x, area.y - 90))
        opened.mouse.wheel(2, (x, area.y + area.height / 2))
        opened.mouse.click(x, area.y + 4, button="right")
    opened.rest()
    assert ran == []
    assert opened.session.context_menu is None
    assert opened.document.camera == camera


def test_a_long_text_is_edited_without_a_stall(make: Callable[..., Opened], tmp_path: Path) -> None:
    opened = make()
    step = first_of(opened, "tool")
    text = "\n".join(f"{number:5} " + "word " * 12 for number in range(3000))
    assert len(text) > 190_000
    opened.session.invoke("run.fork_edit", step=step)
    opened.rest()
    opened.session.invoke("proposal.change", inputs='{"text": ' + json.dumps(text) + "}")
    opened.rest()
    item = item_of(opened, "text")
    opened.mouse.click(*middle(item))
    opened.keyboard.type("x")
    opened.until(lambda: len(fork_shown(opened).inputs.value["text"]) == len(text) + 1, "the letter typed")
    assert fork_shown(opened).inputs.value["text"].replace("x", "") == text


def test_title_tags_and_status_are_edited_saved_and_taken_back(opened: Opened) -> None:
    record, path = record_of(opened), opened.document.path
    assert path is not None
    content = path.read_bytes()
    propose(opened, "F2")
    fill(opened, "title", "Second look")
    fill(opened, "tags", "Slow, to read")
    press(opened, "paused", "Form")
    press(opened, "Change")
    opened.until(lambda: opened.session.proposal is None, "it done")
    assert (record_of(opened).title, record_of(opened).status) == ("Second look", "paused")
    assert record_of(opened).tags == ("slow", "to read")
    assert path.read_bytes() == content
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: not opened.document.dirty, "the file written")
    assert storage.read(path).title == "Second look"
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: record_of(opened).title == record.title, "the title of before")
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: not opened.document.dirty, "the file written again")
    assert path.read_bytes() == content


def test_a_step_is_added_by_hand_after_the_selected_one(opened: Opened) -> None:
    graph, after = record_of(opened).graph, tool_step(opened)
    opened.mouse.click(*opened.point(after))
    opened.rest()
    propose(opened, "a")
    opened.until(lambda: shown_whole(opened), "every card in view")
    opened.rest()
    press(opened, "tool", "Form")
    fill(opened, "prompt", "Try the archive")
    press(opened, "Add step")
    opened.until(lambda: opened.session.proposal is None and opened.document.layout_record is not None, "it done")
    opened.rest()
    added = last_step(opened)
    assert (added.kind.value, added.parent_ids, added.inputs) == ("tool", (after,), {"prompt": "Try the archive"})
    assert opened.document.selection.ids == (added.id,)
    opened.mouse.click(*opened.point(added.id))
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: record_of(opened).graph.ids == graph.ids, "the step gone again")
