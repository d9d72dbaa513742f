"""Dialogs over the graph with a real mouse and keyboard: they get every press on them and the keys they need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.state.prompts import AskText, Choose, Confirm, OpenFile, SaveFile
from opentine_gui.core import RunRecord
from tests.ui.opened import Opened
from tests.ui.real_input import send

CONTROLS = ("mvButton", "mvInputText", "mvCheckbox", "mvCombo")


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


def controls(window: int | str) -> list[int]:
    """Every visible button, box and list in a window."""
    found: list[int] = []
    if any(kind in dpg.get_item_type(window) for kind in CONTROLS) and dpg.is_item_visible(window):
        found.append(int(window))
    for child in dpg.get_item_children(window, 1) or ():
        found += controls(child)
    return found


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


def test_every_control_of_the_window_answers_the_mouse(opened: Opened) -> None:
    assert dead_controls(opened, opened.window.root) == []


def test_what_is_typed_in_the_palette_is_found_below_its_action_and_done_by_enter(opened: Opened) -> None:
    palette = opened.window.palette
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: palette.visible, "the palette open")
    opened.keyboard.type("light")
    opened.until(lambda: palette._text == "light" and len(palette.choices) < 20, "what was found")
    opened.rest()
    first = palette.choices[palette.current]
    assert first.way is not None and first.way.label == "Light"
    assert not any(choice.way for choice in palette.choices if choice.action and choice.action.id != "view.theme")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.session.view.theme == "light", "the light theme")


def test_an_action_and_one_of_its_choices_typed_together_find_the_choice(opened: Opened) -> None:
    palette = opened.window.palette
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: palette.visible, "the palette open")
    opened.keyboard.type("theme light")
    opened.until(lambda: palette._text == "theme light" and len(palette.choices) < 20, "what was found")
    first = palette.choices[palette.current]
    assert first.way is not None and first.way.label == "Light"
    opened.keyboard.press("Return")
    opened.until(lambda: opened.window.style.theme.name == "light", "the theme")


def test_what_can_be_run_stands_above_what_cannot(opened: Opened) -> None:
    palette, session = opened.window.palette, opened.session
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: palette.visible, "the palette open")
    for text in ("filter", "font", "fork", "copy", "next"):
        opened.keyboard.press("ctrl+a")
        opened.keyboard.type(text)
        opened.until(lambda text=text: palette._text == text, "what was typed")  # type: ignore[misc]
        opened.rest()
        named = [choice.action for choice in palette.choices if choice.action is not None and choice.way is None]
        begun = [session.enabled(action.id) is None for action in named if action.title.lower().startswith(text)]
        assert begun == sorted(begun, reverse=True), text
        first = palette.choices[palette.current].action
        assert first is not None and session.enabled(first.id) is None, text
    assert any(session.enabled(action.id) is not None for action in named), "some cannot be run"


def test_every_control_of_questions_and_of_the_palette_answers_the_mouse(opened: Opened, tmp_path: Path) -> None:
    questions = (
        AskText("Title", "What shall it be called?", "Rename", "retry"),
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


def test_a_press_that_comes_in_with_the_pointer_answers_a_question(opened: Opened, tmp_path: Path) -> None:
    """A quick hand, or a touch: move, press and release arrive in one frame, before anything showed the pointer."""
    for question, words, presses in (
        (Confirm("Save it?", "It has unsaved edits.", ("Save", "Cancel")), "Cancel", 1),
        (AskText("Title", "What shall it be called?", "retry"), "Cancel", 1),
        (Choose("Which", "One of these", ("one", "two", "three")), "row 1", 2),
        (OpenFile("Open", tmp_path), "Cancel", 1),
    ):
        given: list[object] = []
        opened.mouse.move(2, 2)
        opened.window.prompter.ask(question, given.append)
        opened.rest()
        control = next(control for control in opened.window.controls() if control.name.startswith(words))
        x, y = control.middle
        send("mousemove", "--window", opened.mouse.window, str(round(x)), str(round(y)))
        for _ in range(presses):
            send("mousedown", "1")
            send("mouseup", "1")
        opened.until(lambda: given, "an answer")  # noqa: B023 - asked before the next question
        assert not opened.window.prompter.visible


def test_every_answer_of_a_question_is_given_by_key(opened: Opened) -> None:
    given: list[object] = []
    question = Confirm("Save it?", "It has unsaved edits.", ("Save", "Don't save", "Cancel"))
    for chords, answer in (
        (("Return",), "Save"),
        (("Tab", "Return"), "Don't save"),
        (("Right", "Right", "Return"), "Cancel"),
        (("shift+Tab", "Left", "Return"), "Don't save"),
        (("Tab", "Escape"), None),
    ):
        opened.session.ask(question, given.append, declined=lambda: given.append(None))
        opened.until(lambda: opened.window.prompter.window is not None, "the question")
        opened.frame()
        for chord in chords:
            opened.keyboard.press(chord)
        opened.until(lambda: given, "an answer")
        assert given.pop() == answer


def test_the_zoom_buttons_zoom(opened: Opened) -> None:
    before = opened.document.picture.camera
    plus = next(item for item in controls(opened.window.zoom_bar.window) if dpg.get_item_label(item) == "+")
    opened.mouse.click(*middle(plus))
    opened.rest()
    assert before is not None
    assert opened.document.picture.camera is not None
    assert opened.document.picture.camera.zoom > before.zoom


def test_a_menu_over_the_edge_of_a_panel_gets_the_press(opened: Opened) -> None:
    menus, menu = opened.window.menus, opened.window.context_menu
    x0, x1, _ = next(title for title in menus.titles if title[2] == "Run")
    opened.mouse.click((x0 + x1) / 2, menus.height / 2)
    opened.rest()
    opened.frame()
    regions = opened.regions
    edge = regions.left_edge.x + regions.left_edge.width / 2
    left, top = dpg.get_item_pos(menu.window)
    assert left < edge < left + (dpg.get_item_width(menu.window) or 0), "the menu lies over the edge"
    row = next(place for place, entry in enumerate(menu.entries) if entry.action == "run.verify")
    opened.mouse.click(edge, top + 5 + (row + 0.5) * menu.rows.row_height)
    opened.rest()
    assert not menu.visible
    assert opened.window.splitters.dragged is None


# --- the keyboard -----------------------------------------------------------------------------------------------------


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
    opened.window.prompter.ask(AskText("Title", "What shall it be called?", "Rename"), answers.append)
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


def test_an_open_menu_is_walked_with_the_arrow_keys_and_takes_every_other_key(
    opened: Opened, ran: list[tuple[str, dict[str, Any]]]
) -> None:
    select(opened, tool_step(opened))
    menus, menu = opened.window.menus, opened.window.context_menu
    x0, x1, _ = next(title for title in menus.titles if title[2] == "View")
    opened.mouse.click((x0 + x1) / 2, menus.height / 2)
    opened.until(lambda: menu.visible, "the menu open")
    ran.clear()
    for chord in ("Home", "Down", "f", "ctrl+w", "Right", "Left", "Down"):
        opened.keyboard.press(chord)
    assert ran == []
    assert menu.visible
    assert menu.current is not None
    chosen = menu.entries[menu.current].action
    opened.keyboard.press("Return")
    opened.rest()
    assert [action for action, _ in ran] == [chosen]
    assert not menu.visible
    assert opened.document.selection.ids == (tool_step(opened),)


def test_a_tooltip_goes_with_the_next_key_and_comes_back_when_the_pointer_moves(opened: Opened) -> None:
    rows = opened.window.panels["outline"].rows  # type: ignore[attr-defined]
    left, top = dpg.get_item_rect_min(rows.drawlist)
    opened.mouse.move(left + 40, top + rows.row_height * 0.5)
    opened.until(lambda: rows.tooltip.shown, "a tooltip asked for")
    opened.keyboard.press("F1")
    opened.until(lambda: not rows.tooltip.shown, "the tooltip gone")
    opened.mouse.move(left + 44, top + rows.row_height * 0.5)
    opened.rest()
    assert not rows.tooltip.shown, "nothing behind the help has one"
    opened.keyboard.press("Escape")
    opened.mouse.move(left + 48, top + rows.row_height * 0.5)
    opened.until(lambda: rows.tooltip.shown, "the tooltip back")


def test_the_tooltip_of_a_box_makes_way_for_what_is_typed_into_it(opened: Opened) -> None:
    opened.session.runs.show_folder(opened.session, opened.session.working_folder)
    opened.rest()
    box = opened.window.panels["runs"].filter.item  # type: ignore[attr-defined]
    siblings = dpg.get_item_children(dpg.get_item_parent(box), 1) or ()
    tooltip = siblings[siblings.index(box) + 1]
    assert tooltip in opened.window.style.explained
    left, top = dpg.get_item_rect_min(box)
    opened.mouse.click(left + 40, top + 10)
    opened.until(lambda: dpg.is_item_shown(tooltip), "the tooltip")
    opened.keyboard.type("re")
    opened.until(lambda: not dpg.is_item_shown(tooltip), "the tooltip gone")
    opened.rest()
    assert not dpg.is_item_shown(tooltip)
    opened.mouse.move(left + 44, top + 10)
    opened.until(lambda: dpg.is_item_shown(tooltip), "the tooltip back")


def test_ctrl_z_takes_back_a_new_name_and_then_the_edit_before_it(opened: Opened) -> None:
    run = opened.session.working_folder / "retry-01.tine"
    document = opened.open(run)
    opened.session.invoke("run.edit_details", title="Changed", accept=True)
    opened.session.invoke("runs.rename", run=run)
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("third")
    opened.keyboard.press("Return")
    opened.until(lambda: document.path != run and not opened.session.busy, "the new name")
    opened.rest()
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: document.path == run and not opened.session.busy, "the old name")
    assert document.dirty, "the edit stays"
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: not document.dirty, "the edit before it")
    opened.keyboard.press("ctrl+shift+z")
    opened.keyboard.press("ctrl+shift+z")
    opened.until(lambda: document.dirty and document.path is not None and document.path.stem == "third", "both again")
