"""Dialogs over the graph with a real mouse and keyboard: they get every press on them and the keys they need."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.canvas.proposals import ForkProposal, MergeProposal
from opentine_gui.app.state.prompts import AskText, Choose, OpenFile, SaveFile
from opentine_gui.core import RunRecord
from tests.ui.opened import Opened, copy_of_demo

CONTROLS = ("mvButton", "mvInputText", "mvCheckbox", "mvCombo")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    runs = copy_of_demo(tmp_path)
    window = Opened(runs)
    window.keyboard.focus()
    window.open(runs / "research-01.tine")
    yield window
    window.close()


@pytest.fixture
def ran(opened: Opened) -> list[tuple[str, dict[str, Any]]]:
    """Record the actions invoked from now on, with their arguments."""
    asked: list[tuple[str, dict[str, Any]]] = []
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


def tool_step(opened: Opened) -> str:
    """A step in the middle of the run."""
    return record_of(opened).graph.ids[3]


def select(opened: Opened, *steps: str) -> None:
    opened.session.invoke("select.step", step=steps[0])
    for step in steps[1:]:
        opened.session.invoke("select.add", step=step)
    opened.rest()


def propose(opened: Opened, key: str) -> ForkProposal | MergeProposal:
    """Press F, E or M and wait until the proposal is shown."""
    opened.keyboard.press(key)
    opened.until(lambda: opened.session.proposal is not None, "a proposal")
    opened.until(lambda: opened.window.proposal.plate.area.height > 10, "the proposal laid out")
    for _ in range(3):
        opened.frame()
    proposal = opened.session.proposal
    assert proposal is not None
    return proposal


def propose_fork_and_edit(opened: Opened) -> ForkProposal:
    select(opened, tool_step(opened))
    proposal = propose(opened, "e")
    assert isinstance(proposal, ForkProposal)
    return proposal


def propose_merge(opened: Opened) -> MergeProposal:
    tips = record_of(opened).graph.tips
    ids = [record_of(opened).graph.ids[index] for index in tips]
    select(opened, *ids[:2])
    proposal = propose(opened, "m")
    assert isinstance(proposal, MergeProposal)
    return proposal


def fork_shown(opened: Opened) -> ForkProposal:
    proposal = opened.session.proposal
    assert isinstance(proposal, ForkProposal)
    return proposal


def merge_shown(opened: Opened) -> MergeProposal:
    proposal = opened.session.proposal
    assert isinstance(proposal, MergeProposal)
    return proposal


def controls(window: int | str) -> list[int]:
    """Every visible button, box and list in a window."""
    found: list[int] = []
    if any(kind in dpg.get_item_type(window) for kind in CONTROLS) and dpg.is_item_visible(window):
        found.append(int(window))
    for child in dpg.get_item_children(window, 1) or ():
        found += controls(child)
    return found


def button(opened: Opened, label: str) -> tuple[float, float]:
    """The middle of the proposal's button whose label begins with `label`."""
    found = controls(opened.window.proposal.window)
    return middle(next(item for item in found if (dpg.get_item_label(item) or "").startswith(label)))


def box(opened: Opened, name: str) -> tuple[float, float]:
    """The middle of the proposal's box for a field."""
    return middle(opened.window.proposal._boxes[name])


def fill(opened: Opened, name: str, text: str) -> None:
    """Click a box, type over its text, and wait until all of it has arrived: Dear PyGui takes it in bit by bit."""
    item = opened.window.proposal._boxes[name]
    opened.mouse.click(*middle(item))
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type(text)
    opened.until(lambda: dpg.get_value(item) == text, f"{text!r} in the box")


def middle(item: int) -> tuple[float, float]:
    (left, top), (width, height) = dpg.get_item_rect_min(item), dpg.get_item_rect_size(item)
    return left + width / 2, top + height / 2


def answers_the_mouse(opened: Opened, item: int) -> bool:
    """Whether a press on its middle reaches the control; released elsewhere, so that nothing is triggered."""
    opened.mouse.move(*middle(item))
    opened.frame()
    opened.mouse.press()
    opened.frame()
    reached = bool(dpg.is_item_active(item))
    opened.mouse.move(2, opened.window.canvas.area.height)
    opened.mouse.release()
    opened.frame()
    return reached


def dead_controls(opened: Opened, window: int | str) -> list[str]:
    found = controls(window)
    assert found, "there are controls to try"
    return [
        f"{dpg.get_item_type(item)} {dpg.get_item_label(item)} at {middle(item)}"
        for item in found
        if not answers_the_mouse(opened, item)
    ]


# --- the mouse --------------------------------------------------------------------------------------------------------


def test_every_control_of_the_window_and_of_each_proposal_answers_the_mouse(opened: Opened) -> None:
    assert dead_controls(opened, opened.window.root) == []
    select(opened, tool_step(opened))
    for key in ("f", "e"):
        propose(opened, key)
        assert dead_controls(opened, opened.window.proposal.window) == []
        opened.session.invoke("proposal.cancel")
        opened.rest()
    propose_merge(opened)
    assert dead_controls(opened, opened.window.proposal.window) == []


def test_every_control_of_questions_and_of_the_palette_answers_the_mouse(opened: Opened, tmp_path: Path) -> None:
    questions = (
        AskText("Title", "What shall it be called?", "retry"),
        OpenFile("Open", tmp_path),
        SaveFile("Save", tmp_path, "x.tine"),
        Choose("Which", "One of these", ("one", "two", "three")),
    )
    for question in questions:
        opened.window.prompter.ask(question, lambda _answer: None)
        opened.rest()
        for _ in range(6):
            opened.frame()
        dialog: Any = opened.window.prompter._dialog
        assert dead_controls(opened, dialog.window) == []
        opened.keyboard.press("Escape")
        opened.rest()
        assert not opened.window.prompter.visible
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: opened.window.palette.visible, "the palette open")
    for _ in range(4):
        opened.frame()
    assert dead_controls(opened, opened.window.palette.window) == []


def test_the_zoom_buttons_zoom(opened: Opened) -> None:
    before = opened.document.camera
    plus = next(item for item in controls(opened.window.zoom_bar.window) if dpg.get_item_label(item) == "+")
    opened.mouse.click(*middle(plus))
    opened.rest()
    assert before is not None
    assert opened.document.camera is not None
    assert opened.document.camera.zoom > before.zoom


def test_the_fork_bar_forks_goes_on_to_editing_and_is_left_by_its_buttons(opened: Opened) -> None:
    source, step = opened.document, tool_step(opened)
    select(opened, step)
    propose(opened, "f")
    opened.mouse.click(*button(opened, "Esc"))
    opened.rest()
    assert opened.session.proposal is None
    assert source.selection.ids == (step,)
    propose(opened, "f")
    opened.mouse.click(*button(opened, "Fork and edit"))
    opened.rest()
    assert fork_shown(opened).edit
    opened.mouse.click(*button(opened, "Cancel"))
    opened.rest()
    assert opened.session.proposal is None
    propose(opened, "f")
    opened.mouse.click(*button(opened, "Fork  Enter"))
    opened.rest()
    assert opened.document is not source
    assert record_of(opened).lineage.fork_point == step


def test_each_box_of_fork_and_edit_takes_what_is_typed_and_the_button_forks_with_it(opened: Opened) -> None:
    propose_fork_and_edit(opened)
    fill(opened, "inputs", '{"q":1}')
    fill(opened, "title", "retry")
    fill(opened, "tags", "a, b")
    checkbox = opened.window.proposal._boxes["reset_metrics"]
    left, top = dpg.get_item_rect_min(checkbox)
    for wanted in (True, False, True):
        opened.mouse.click(left + 8, top + 8)
        opened.until(lambda: fork_shown(opened).reset_metrics is wanted, "the box ticked or not")  # noqa: B023
    proposal = fork_shown(opened)
    assert (proposal.inputs, proposal.title, proposal.tags) == ('{"q":1}', "retry", "a, b")
    opened.mouse.click(*button(opened, "Fork  Ctrl+Enter"))
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    graph = record_of(opened).graph
    assert graph.step(graph.ids[-1]).inputs == {"q": 1}
    assert opened.document.title.startswith("retry")


def test_each_control_of_the_merge_card_does_what_it_says(opened: Opened) -> None:
    first = propose_merge(opened)
    before = len(record_of(opened).graph)
    opened.mouse.click(*button(opened, "Swap order"))
    opened.rest()
    assert [step for _, step in merge_shown(opened).parents] == [step for _, step in first.parents][::-1]
    for _ in range(3):
        opened.frame()
    fill(opened, "title", "er")
    fill(opened, "inputs", '{"v":1}')
    fill(opened, "outputs", '{"n":2}')
    x, y = box(opened, "kind")
    opened.mouse.click(x, y)
    opened.mouse.click(x, y + 43)
    opened.until(lambda: merge_shown(opened).kind != first.kind, "another kind chosen")
    proposal = merge_shown(opened)
    assert (proposal.title, proposal.inputs, proposal.outputs) == ("er", '{"v":1}', '{"n":2}')
    opened.mouse.click(*button(opened, "Merge  Ctrl+Enter"))
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    graph = record_of(opened).graph
    assert len(graph) == before + 1
    merged = graph.step(graph.ids[-1])
    assert (merged.kind.value, merged.inputs, merged.outputs) == (proposal.kind, {"v": 1}, {"n": 2})


@pytest.mark.parametrize("key", ["f", "e", "m"])
def test_a_click_on_a_proposal_does_nothing_to_the_canvas_behind_it(
    opened: Opened, key: str, ran: list[tuple[str, dict[str, Any]]]
) -> None:
    if key == "m":
        propose_merge(opened)
    else:
        select(opened, tool_step(opened))
        propose(opened, key)
    selected, camera = opened.document.selection.ids, opened.document.camera
    area = opened.window.proposal.plate.area
    proposal = opened.session.proposal
    ran.clear()
    for x in (area.x + 4, area.x + area.width / 2, area.x + area.width - 4):
        opened.mouse.click(x, area.y + 5)
        opened.mouse.double_click(x, area.y + 5)
        opened.mouse.drag((x, area.y + 5), (x, area.y + area.height + 60))
        opened.mouse.wheel(2, (x, area.y + 5))
        opened.mouse.click(x, area.y + 5, button="right")
    opened.rest()
    assert ran == []
    assert opened.session.context_menu is None
    assert opened.document.selection.ids == selected
    assert opened.document.camera == camera
    assert opened.session.proposal is proposal


def test_a_menu_over_the_edge_of_a_panel_gets_the_press(opened: Opened) -> None:
    menus, menu = opened.window.menus, opened.window.context_menu
    x0, x1, _ = next(title for title in menus.titles if title[2] == "Run")
    opened.mouse.click((x0 + x1) / 2, menus.height / 2)
    opened.rest()
    opened.frame()
    regions = opened.window.regions
    assert regions is not None
    edge = regions.left_edge.x + regions.left_edge.width / 2
    left, top = dpg.get_item_pos(menu.window)
    assert left < edge < left + (dpg.get_item_width(menu.window) or 0), "the menu lies over the edge"
    row = next(place for place, entry in enumerate(menu.entries) if entry.action == "run.verify")
    opened.mouse.click(edge, top + 5 + (row + 0.5) * menu.rows.row_height)
    opened.rest()
    assert not menu.visible
    assert opened.window.splitters.dragged is None


# --- the keyboard -----------------------------------------------------------------------------------------------------


def test_letters_typed_into_a_box_are_text_and_nothing_else(
    opened: Opened, ran: list[tuple[str, dict[str, Any]]]
) -> None:
    propose_fork_and_edit(opened)
    preview = fork_shown(opened).preview
    opened.mouse.click(*box(opened, "title"))
    ran.clear()
    opened.keyboard.type("retry")
    opened.rest()
    assert {action for action, _ in ran} == {"proposal.change"}
    proposal = fork_shown(opened)
    assert proposal.title == "retry"
    assert proposal.preview is preview, "it is the same proposal still"
    assert dpg.get_value(opened.window.proposal._boxes["title"]) == "retry"


@pytest.mark.parametrize("chord", ["F1", "F5", "Home", "Tab", "ctrl+k", "ctrl+s", "ctrl+z", "ctrl+w", "alt+m", "slash"])
def test_no_chord_reaches_the_window_while_a_box_is_typed_into(
    opened: Opened, ran: list[tuple[str, dict[str, Any]]], chord: str
) -> None:
    propose_fork_and_edit(opened)
    opened.mouse.click(*box(opened, "title"))
    ran.clear()
    opened.keyboard.press(chord)
    opened.rest()
    assert {action for action, _ in ran} <= {"proposal.change"}
    assert opened.session.proposal is not None


def test_letters_that_come_before_the_box_has_the_focus_are_no_shortcuts(
    opened: Opened, ran: list[tuple[str, dict[str, Any]]]
) -> None:
    select(opened, tool_step(opened))
    opened.session.invoke("run.fork_edit")
    opened.frame()  # the card is there now, but Dear PyGui has not yet reported that its box has the focus
    assert opened.window.proposal.has_keyboard
    ran.clear()
    opened.keyboard.type("vefn")
    opened.keyboard.press("Return")
    opened.rest()
    assert {action for action, _ in ran} <= {"proposal.change"}
    assert fork_shown(opened).edit


def test_letters_right_after_a_press_on_a_box_are_no_shortcuts(
    opened: Opened, ran: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    propose_fork_and_edit(opened)
    opened.mouse.click(*opened.free_point())
    opened.rest()
    opened.mouse.move(*box(opened, "title"))
    opened.frame()
    monkeypatch.setattr(dpg, "is_item_focused", lambda _item: False)  # Dear PyGui reports it late
    ran.clear()
    opened.mouse.press()
    opened.keyboard.type("retry")
    opened.mouse.release()
    opened.rest()
    assert {action for action, _ in ran} == {"proposal.change"}
    assert fork_shown(opened).title == "retry"


def test_shortcuts_work_again_after_a_press_beside_the_card_and_the_typed_text_stays(opened: Opened) -> None:
    propose_fork_and_edit(opened)
    fill(opened, "title", "retry")
    opened.mouse.click(*opened.free_point())
    opened.rest()
    select(opened, tool_step(opened))
    shown = opened.session.view.minimap
    opened.keyboard.press("alt+m")
    opened.rest()
    assert opened.session.view.minimap is not shown
    opened.keyboard.press("e")
    opened.rest()
    assert fork_shown(opened).title == "retry", "what is proposed once more keeps what its boxes show"
    assert dpg.get_value(opened.window.proposal._boxes["title"]) == "retry"


def test_ctrl_enter_forks_with_what_the_box_shows(opened: Opened) -> None:
    propose_fork_and_edit(opened)
    fill(opened, "inputs", '{"e":1}')
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    graph = record_of(opened).graph
    assert graph.step(graph.ids[-1]).inputs == {"e": 1}


def test_ctrl_enter_takes_text_that_the_session_has_not_heard_of(opened: Opened) -> None:
    propose_fork_and_edit(opened)
    card = opened.window.proposal
    dpg.configure_item(card._boxes["title"], callback=lambda: None)
    fill(opened, "title", "late")
    assert fork_shown(opened).title == ""
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    assert opened.session.proposal is None
    assert opened.document.title.startswith("late")


def test_ctrl_enter_merges_with_what_the_boxes_show(opened: Opened) -> None:
    propose_merge(opened)
    fill(opened, "inputs", '{"e":1}')
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.proposal is None, "it done")
    opened.rest()
    graph = record_of(opened).graph
    assert graph.step(graph.ids[-1]).inputs == {"e": 1}


def test_escape_leaves_the_card_from_a_box_and_enter_in_a_box_does_not_fork(opened: Opened) -> None:
    propose_fork_and_edit(opened)
    lines = fork_shown(opened).inputs.count("\n")
    opened.mouse.click(*box(opened, "inputs"))
    opened.keyboard.press("Return")
    opened.until(lambda: fork_shown(opened).inputs.count("\n") > lines, "a new line in the box")
    opened.mouse.click(*box(opened, "title"))
    opened.keyboard.press("Return")
    opened.rest()
    assert opened.session.proposal is not None
    opened.mouse.click(*box(opened, "title"))
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.session.proposal is None
    assert len(opened.session.documents) == 1


def test_no_key_reaches_the_window_behind_the_help(opened: Opened, ran: list[tuple[str, dict[str, Any]]]) -> None:
    select(opened, tool_step(opened))
    opened.keyboard.press("F1")
    opened.rest()
    assert opened.session.view.keys
    ran.clear()
    for chord in ("e", "f", "Home", "ctrl+k", "Tab", "Return"):
        opened.keyboard.press(chord)
    opened.rest()
    assert ran == []
    opened.keyboard.press("F1")
    opened.rest()
    assert not opened.session.view.keys
    opened.keyboard.press("F1")
    opened.keyboard.press("Escape")
    opened.rest()
    assert not opened.session.view.keys
    assert opened.document.selection.ids == (tool_step(opened),)


def test_no_key_reaches_the_window_behind_a_question(opened: Opened, ran: list[tuple[str, dict[str, Any]]]) -> None:
    select(opened, tool_step(opened))
    answers: list[object] = []
    opened.window.prompter.ask(AskText("Title", "What shall it be called?", ""), answers.append)
    opened.rest()
    ran.clear()
    opened.mouse.click(*middle(controls(opened.window.prompter._dialog.window)[0]))  # type: ignore[union-attr]
    opened.keyboard.type("refvn")
    for chord in ("F1", "ctrl+k", "Home"):
        opened.keyboard.press(chord)
    opened.keyboard.press("Return")
    opened.rest()
    assert answers == ["refvn"]
    assert ran == []
