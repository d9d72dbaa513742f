"""Text in the boxes of a form: typed, wrapped, copied, with a real mouse and keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest
from PIL import Image

from opentine_gui.app.state.payload_form import entry_of
from opentine_gui.ui.dialogs.prompts import SentenceDialog
from opentine_gui.ui.platform.x11 import X11
from opentine_gui.ui.proposals.form_rows import Key, main_box
from opentine_gui.ui.toolkit.style import FACE_SIZES
from tests.ui.opened import Opened, first_of
from tests.ui.panels.places import zone_point
from tests.ui.proposals.conftest import Ran
from tests.ui.proposals.dock import (
    fill,
    fork_shown,
    item_of,
    key_of,
    last_step,
    middle,
    press,
    propose,
    record_of,
    tool_step,
)


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


@pytest.mark.parametrize("text", ["one\ntwo\nthree\nfour", "第一项\n第二项\n第三项 🚀\n第四项"])
def test_a_box_is_as_high_as_its_lines_in_whatever_font_draws_them(opened: Opened, text: str) -> None:
    asked = {"prompt": text}
    opened.session.invoke("run.add_step", step=tool_step(opened), kind="model", inputs=entry_of(asked), accept=True)
    opened.rest()
    opened.session.invoke("select.step", step=last_step(opened).id)
    opened.rest()
    propose(opened, "e")
    form = opened.window.proposal.form
    row = next(row for row in form.rows if row.key == main_box(form.rows))
    style = opened.window.style
    font = dpg.get_item_font(item_of(opened, "prompt"))
    face = next(face for face, item in style.fonts.items() if item == font)
    line = style.metrics.line_height(face, style.size(FACE_SIZES.get(face, 13.0)))
    assert style.size(row.tall) >= 4 * line + style.size(6)
    assert "Inputs: prompt" in [one.tooltip for one in opened.window.controls()], "where it belongs, and its name"


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


def test_the_box_for_the_name_of_a_new_field_is_whole(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    add = next(one.name for one in opened.window.controls() if one.name.startswith("Add field"))
    press(opened, add, "Form")
    (box,) = [one for one in opened.window.controls() if one.name == "Name of the field"]
    made = next(made for key, made in opened.window.proposal.form.boxes.made.items() if key[2] == "name")
    assert dpg.get_item_rect_size(made.item)[1] <= dpg.get_item_rect_size(made.window)[1]
    assert not box.cut


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
    for chord in ("F1", "F5", "Home", "ctrl+k", "ctrl+s", "ctrl+z", "alt+m", "slash", "BackSpace"):
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


def test_before_what_was_typed_is_forgotten_the_form_is_named_and_shown_again(opened: Opened) -> None:
    step = tool_step(opened)
    opened.session.invoke("select.step", step=step)
    opened.rest()
    propose(opened, "e")
    fill(opened, "title", "retry")
    opened.until(lambda: fork_shown(opened).title == "retry", "what was typed")
    opened.keyboard.press("Escape")
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.proposal is None, "the form left")
    opened.session.invoke("select.none")
    opened.rest()
    opened.keyboard.press("ctrl+q")
    opened.until(lambda: opened.window.prompter.visible, "the question")
    opened.rest()
    dialog = opened.window.prompter._dialog
    assert isinstance(dialog, SentenceDialog)
    place = record_of(opened).graph.index(step) + 1
    assert f"Fork and edit of step {place} in “research-01.tine”" in opened.drawn(dialog.sheet.node)
    opened.mouse.click(*zone_point(dialog.sheet, "Answer “Show”"))
    opened.until(lambda: opened.session.proposal is not None, "the form again")
    opened.rest()
    assert fork_shown(opened).title == "retry" and fork_shown(opened).step == step
    assert not opened.session.quit


GO = "\tif err != nil {\n\t\treturn err\n\t}"
FACES: dict[str, tuple[object, str]] = {
    "command": ("git diff main...HEAD --stat", "mono"),
    "description": ("Show what was changed in the branch", "text"),
    "prompt": ("Read the paper again.\nThen say what it leaves open.", "text"),
    "patch": ("@@ -1,2 +1,2 @@\n-old\n+new\n", "mono"),
    "content": ("import os\n\n\ndef main():\n    return os.getcwd()\n", "mono"),
    "readme": ("# Title\n\n- one\n- two\n", "text"),
    "edit": ({"file_path": "a/hooks.go", "new_string": "// reads the settings", "old_string": GO}, ""),
}


def test_code_is_edited_in_the_face_of_code_and_prose_in_that_of_prose(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    opened.session.invoke("proposal.change", inputs=json.dumps({name: value for name, (value, _) in FACES.items()}))
    opened.rest()
    style = opened.window.style

    def font_of(label: str) -> str:
        font = dpg.get_item_font(item_of(opened, label))
        return next(face for face, one in style.fonts.items() if one == font)

    for label, (_, face) in FACES.items():
        if face:
            assert font_of(label) == face, label
    expected = {"file_path": "text", "new_string": "mono", "old_string": "mono", "title": "text", "tags": "text"}
    assert {label: font_of(label) for label in expected} == expected
    fill(opened, "description", '{"limit": 5}')
    assert font_of("description") == "text", "it does not change while it is typed"
    item_of(opened, "command")
    opened.rest()
    assert font_of("description") == "mono", "the face of what it became, once it is left"
    assert fork_shown(opened).inputs.value["description"] == '{"limit": 5}'


@pytest.mark.painted
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_where_one_types_is_seen_in_every_theme(opened: Opened, tmp_path: Path, theme: str) -> None:
    opened.session.view.theme = theme
    opened.session.invoke("run.edit_details")
    opened.rest()
    item = item_of(opened, "tags")
    fill(opened, "tags", " ")
    (left, top), (width, height) = dpg.get_item_rect_min(item), dpg.get_item_rect_size(item)
    inside = (left + 3, top + 3, left + width / 2, top + height - 3)

    def contrast() -> int:
        with Image.open(opened.picture(tmp_path / "box.png")) as picture:
            low, high = picture.convert("L").crop(tuple(map(round, inside))).getextrema()
        return int(high) - int(low)

    opened.until(lambda: contrast() > 120, "a cursor that stands out")


def test_the_words_about_a_box_stand_off_its_edge(opened: Opened) -> None:
    opened.session.invoke("run.edit_details")
    opened.rest()
    item = item_of(opened, "tags")
    opened.mouse.move(*middle(item))

    def shown() -> list[int]:
        tooltips = [one for one in dpg.get_all_items() if dpg.get_item_type(one) == "mvAppItemType::mvTooltip"]
        filled = [one for one in tooltips if dpg.get_item_children(one, 1)]
        return [one for one in filled if dpg.is_item_visible(dpg.get_item_children(one, 1)[0])]

    opened.until(shown, "the tooltip of the box")
    opened.frame()
    tooltip = shown()[0]
    words = dpg.get_item_children(tooltip, 1)[0]
    (wide, tall), (width, height) = dpg.get_item_rect_size(tooltip), dpg.get_item_rect_size(words)
    assert wide >= width + 12
    assert tall >= height + 8


def test_the_boxes_of_an_added_step_follow_its_kind_by_key_until_one_is_typed_into(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "a")
    form = opened.window.proposal.form

    def boxes() -> list[str]:
        return [row.entry.name for row in form.rows if row.entry is not None and row.depth == 1]

    assert boxes() == ["prompt"]
    form.focus(("kind", (), ""))
    opened.rest()
    opened.keyboard.press("Left")
    opened.until(lambda: boxes() == ["name", "arguments"], "the boxes of a call")
    opened.keyboard.press("Right")
    opened.until(lambda: boxes() == ["prompt"], "those of a model, with the keyboard still at the kinds")
    form.focus(("inputs", (0,), ""))
    opened.until(lambda: form.boxes.active is not None and not form.boxes.waits, "the box")
    opened.keyboard.type("look")
    opened.until(lambda: form.rows and opened.session.proposal.touched, "what was typed")
    form.focus(("kind", (), ""))
    opened.rest()
    opened.keyboard.press("Left")
    opened.until(lambda: opened.session.proposal.kind == "tool", "a call")
    opened.rest()
    assert boxes() == ["prompt"] and opened.session.proposal.inputs.value == {"prompt": "look"}


def test_a_kind_that_was_chosen_by_mouse_is_there_again_after_cancel(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "a")
    press(opened, "tool", "Form")
    assert opened.session.proposal.kind == "tool"
    press(opened, "Cancel")
    assert opened.session.proposal is None
    propose(opened, "a")
    assert opened.session.proposal.kind == "tool"


def test_ctrl_w_from_a_box_asks_before_the_tab_goes_with_what_was_typed_into_it(opened: Opened) -> None:
    prompter, document = opened.window.prompter, opened.document
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    opened.keyboard.type("more")
    opened.until(lambda: fork_shown(opened).touched, "what was typed")
    opened.keyboard.press("ctrl+w")
    opened.until(lambda: prompter.visible, "the question")
    opened.keyboard.press("Return")
    opened.until(lambda: not prompter.visible, "it gone")
    opened.rest()
    assert document in opened.session.documents
    assert fork_shown(opened).touched
    opened.keyboard.press("ctrl+w")
    opened.until(lambda: prompter.visible, "the question again")
    opened.frame()
    forget = next(one for one in opened.window.controls() if one.name == "Close and forget it")
    opened.mouse.click(*forget.middle)
    opened.until(lambda: document not in opened.session.documents, "the tab gone")
