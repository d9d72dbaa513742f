"""Questions, the palette, and notices: what is asked and said, and how one answers."""

from __future__ import annotations

import json
import weakref
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.state.prompts import AskText, Confirm, OpenFile
from opentine_gui.app.system.process_tuning import collect_what_was_left, freeze_what_stays
from opentine_gui.core import write
from opentine_gui.scene.space.camera import panned
from opentine_gui.ui.dialogs.list_dialog import ListDialog
from tests.conftest import MakeRun, named
from tests.ui.opened import Opened
from tests.ui.panels.places import zone_point


def test_the_palette_finds_a_step_by_its_title(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    palette = opened.window.palette
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: palette.visible, "the palette open")
    opened.keyboard.type("right")
    opened.until(lambda: any(choice.step is not None for choice in palette.choices), "steps found")
    opened.until(lambda: opened.session.view.palette_text == "right", "all letters in the box")
    for _ in range(20):
        opened.frame()
    assert palette.current == 1, "keys that the program pressed for the box moved through the rows"
    while palette.choices[palette.current].step is None:
        row = palette.current
        opened.keyboard.press("Down")
        opened.until(lambda before=row: palette.current != before, "the next row")
    opened.keyboard.press("Return")
    opened.until(lambda: not palette.visible, "the palette closed")
    opened.until(lambda: opened.document.selection.ids, "a step selected")
    assert opened.document.selection.ids == (named(record, "right"),)


def test_a_run_to_compare_with_is_found_by_its_title_and_by_its_file(opened: Opened, folder: Path) -> None:
    request = {"messages": [{"role": "user", "content": "Look at the cat"}]}
    (folder / "0f3a.json").write_text(json.dumps(request))
    opened.open(folder / "first.tine")
    opened.session.runs.show_folder(opened.session, folder)
    opened.until(lambda: len(opened.session.runs.rows) == 3, "the folder listed")
    for typed in ("the cat", "0f3a"):
        opened.keyboard.press("ctrl+shift+d")
        opened.until(lambda: opened.window.prompter.visible and opened.session.text_focused, "the question")
        opened.keyboard.type(typed)
        dialog = opened.window.prompter._dialog
        assert isinstance(dialog, ListDialog)
        opened.until(lambda dialog=dialog: dialog.items == ["Look at the cat"], "the run")
        opened.rest()
        words = opened.drawn(dialog.rows.node)
        assert "Look at the cat" in words and "0f3a.json" in words
        opened.keyboard.press("Escape")
        opened.until(lambda: not opened.window.prompter.visible, "no question")
    opened.keyboard.press("ctrl+shift+d")
    opened.keyboard.type("the cat")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.document.members is not None, "the comparison")


def test_the_palette_says_why_a_command_is_not_available_and_escape_leaves(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.open(folder / "first.tine")
    asked, invoke = list[str](), opened.session.invoke

    def spy(action_id: str, /, **arguments: Any) -> None:
        asked.append(action_id)
        invoke(action_id, **arguments)

    monkeypatch.setattr(opened.session, "invoke", spy)
    palette = opened.window.palette
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: palette.visible, "the palette open")
    opened.keyboard.type("undo")
    opened.rest()
    row = palette.rows.row_at(palette.current)
    reason = opened.session.enabled("edit.undo")
    assert reason is not None
    assert any(span.text == reason for span in row.left)
    opened.keyboard.press("Return")
    opened.rest()
    assert palette.visible and opened.session.view.palette_text == "undo"
    opened.keyboard.press("Escape")
    opened.rest()
    assert not palette.visible
    assert set(asked) <= {"view.palette"}, "neither the command nor a key of the window was done"


def test_a_question_is_answered_by_enter_with_its_first_choice_and_by_escape_with_nothing(opened: Opened) -> None:
    answers: list[object] = []
    question = Confirm("Save first.tine?", "It has changes that are in no file.", ("Save", "Don't save", "Cancel"))
    prompter = opened.window.prompter
    prompter.ask(question, answers.append)
    prompter.ask(question, answers.append)
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()
    assert answers == ["Save"]
    assert prompter.visible
    opened.keyboard.press("Escape")
    opened.rest()
    assert answers == ["Save", None]
    assert not prompter.visible


def test_a_line_can_be_typed_as_an_answer(opened: Opened) -> None:
    answers: list[object] = []
    opened.window.prompter.ask(AskText("Title", "What shall the fork be called?", "Fork", "retry"), answers.append)
    opened.rest()
    opened.frame()
    opened.keyboard.type("mirror")
    opened.keyboard.press("Return")
    opened.rest()
    assert answers == ["mirror"]


def test_files_are_chosen_by_typing_a_part_of_their_name(opened: Opened, folder: Path) -> None:
    (folder / "notes.txt").write_text("not a run")
    answers: list[object] = []
    opened.window.prompter.ask(OpenFile("Open", folder), answers.append)
    opened.rest()
    opened.frame()
    opened.keyboard.type("sec")
    opened.rest()
    opened.keyboard.press("Return")
    opened.rest()
    assert answers == [(folder / "second.tine",)]


def test_saving_a_fork_asks_where_and_writes_beside_the_source(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    before = (folder / "first.tine").read_bytes()
    record = opened.document.record
    assert record is not None
    opened.session.invoke("run.fork", step=named(record, "plan"))
    opened.session.invoke("proposal.accept")
    opened.rest()
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: opened.window.prompter.visible, "the question where")
    opened.rest()
    opened.frame()
    opened.keyboard.type("mine.tine")
    opened.keyboard.press("Return")
    opened.until(lambda: (folder / "mine.tine").exists() and not opened.document.dirty, "the file written")
    assert (folder / "first.tine").read_bytes() == before


def test_escape_on_the_question_about_an_unverified_source_leaves_a_run_that_is_saved_and_closed(
    opened: Opened, folder: Path, make_run: MakeRun
) -> None:
    path = write(folder / "forged.tine", make_run({"plan": "", "left": "plan", "right": "plan"}, run_id="forged"))
    document = json.loads(path.read_bytes())
    for step in document["graph"]["steps"].values():
        step["cost"] = 0.5
    path.write_text(json.dumps(document))
    forged = path.read_bytes()
    opened.open(path)
    opened.rest()
    record = opened.document.record
    assert record is not None
    opened.session.invoke("run.merge", steps=(named(record, "left"), named(record, "right")))
    opened.session.invoke("proposal.accept")
    opened.rest()
    prompter, merged = opened.window.prompter, opened.document
    assert merged.dirty
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: prompter.visible, "the question about the mark")
    opened.rest()
    opened.keyboard.press("Escape")
    opened.until(lambda: not prompter.visible, "the question gone")
    opened.rest()
    assert path.read_bytes() == forged
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: prompter.visible, "the question again")
    opened.rest()
    opened.keyboard.press("Tab")
    opened.keyboard.press("Return")
    opened.until(lambda: not merged.dirty, "the run saved with the mark")
    opened.rest()
    opened.keyboard.press("ctrl+q")
    opened.until(lambda: opened.session.quit, "the program's end")


def test_a_question_survives_a_change_of_scale(opened: Opened) -> None:
    answers: list[object] = []
    opened.session.ask(Confirm("Save?", "It has changes.", ("Save", "Cancel")), answers.append)
    opened.session.ask(Confirm("And this one?", "It has changes, too.", ("Save", "Cancel")), answers.append)
    opened.rest()
    opened.rebuild()
    opened.rest()
    opened.keyboard.press("Return")
    opened.until(lambda: answers == ["Save"], "the first answer")
    opened.rest()
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.window.prompter.visible, "no question left")
    assert answers == ["Save"]


def test_the_views_before_a_change_of_scale_are_freed(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    freeze_what_stays()
    views = weakref.ref(opened.window)
    opened.rebuild()
    opened.rest()
    collect_what_was_left()
    assert views() is None


def test_a_notice_is_dismissed_by_its_cross_and_an_informing_one_by_time(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    session = opened.session
    for notice in session.notices.list():
        session.notices.dismiss(notice.key)
    now = [100.0]
    session.clock = lambda: now[0]
    session.notices.add("error", "The file could not be written: the disk is full.", key="bad")
    session.notices.add("good", "Saved.", key="good")
    opened.frame()
    opened.frame()
    now[0] += 60.0
    opened.rest()
    assert [notice.key for notice in session.notices.list()] == ["bad"]
    stack = opened.window.notices
    opened.mouse.click(*zone_point(stack.sheets[0], "Dismiss"))
    opened.rest()
    assert session.notices.list() == ()


def test_an_offer_stands_in_the_tab_it_is_about_and_goes_after_a_minute_in_view(opened: Opened, folder: Path) -> None:
    first, session = opened.open(folder / "first.tine"), opened.session
    for notice in session.notices.list():
        session.notices.dismiss(notice.key)
    second = opened.open(folder / "second.tine")
    now, stack = [100.0], opened.window.notices
    session.clock = lambda: now[0]
    offer = (("Keys", "help.keys", {}),)
    session.notices.add("info", "Another one belongs to it.", key="offer", actions=offer, document=first.number)

    def shown() -> bool:
        return any(dpg.is_item_shown(sheet.window) for sheet in stack.sheets)

    opened.rest()
    now[0] += 600.0
    opened.rest()
    assert not shown(), "it says nothing of the run in front"
    session.activate(first)
    opened.until(shown, "the offer")
    now[0] += 50.0
    opened.rest()
    assert shown()
    now[0] += 20.0
    opened.until(lambda: not shown(), "its end")
    assert session.notices.get("offer") is None
    session.notices.add("info", "Another one belongs to it.", key="offer", actions=offer, document=second.number)
    session.invoke("file.close", document=second.number)
    opened.until(lambda: session.notices.get("offer") is None, "it to go with its tab")


def test_a_notice_lies_over_no_selected_card(opened: Opened, folder: Path) -> None:
    document, session = opened.open(folder / "first.tine"), opened.session
    record = document.record
    assert record is not None
    session.notices.add("error", "The file could not be written: the disk is full.", key="bad")
    opened.until(lambda: opened.window.notices.sheets, "the notice")
    sheet = opened.window.notices.sheets[0]
    usual = dpg.get_item_pos(sheet.window)
    step = record.graph.ids[0]
    session.invoke("select.step", step=step)
    opened.rest()
    assert document.picture.camera is not None
    x, y = opened.point(step)
    left, top = dpg.get_item_pos(sheet.window)
    document.picture.camera = panned(document.picture.camera, left + 60 - x, top + 20 - y)
    session.touch()
    opened.until(lambda: dpg.get_item_pos(sheet.window) != usual, "the notice off the card")
    x, y = opened.point(step)
    left, top = dpg.get_item_pos(sheet.window)
    assert not (left < x < left + sheet.width and top < y < top + sheet.height)


def test_a_notice_that_comes_covers_no_card_where_there_is_room_and_no_more_than_its_words_take(
    opened: Opened, folder: Path
) -> None:
    document, session = opened.open(folder / "first.tine"), opened.session
    record = document.record
    assert record is not None and document.picture.camera is not None
    for notice in session.notices.list():
        session.notices.dismiss(notice.key)
    opened.rest()
    area = opened.window.canvas.area
    x, y = opened.point(record.graph.ids[-1])
    usual = area.x + 60, area.y + area.height - 90
    document.picture.camera = panned(document.picture.camera, usual[0] - x, usual[1] - y)
    session.touch()
    opened.rest()
    session.notices.add("error", "Bad.", key="bad")
    stack = opened.window.notices
    opened.until(lambda: stack.sheets and dpg.is_item_shown(stack.sheets[0].window), "the notice")
    sheet = stack.sheets[0]
    left, top = dpg.get_item_pos(sheet.window)
    for step in record.graph.ids:
        x, y = opened.point(step)
        assert not (left < x < left + sheet.width and top < y < top + sheet.height)
    assert not (left < usual[0] and top > area.y + area.height / 2), "not where a card stands"
    assert sheet.width < 120, "a press beside its words is for the cards"


def test_a_button_of_a_notice_stays_where_it_is_while_others_come_and_go(opened: Opened, folder: Path) -> None:
    opened.open(folder / "first.tine")
    session, now = opened.session, [100.0]
    session.clock = lambda: now[0]
    stack = opened.window.notices
    session.notices.add("info", "A run was copied.", key="asks", actions=(("Keys", "help.keys", {}),))
    opened.until(lambda: stack.sheets and dpg.is_item_shown(stack.sheets[0].window), "the notice")
    opened.rest()
    place = zone_point(stack.sheets[0], "Show all keys")
    session.notices.add("good", "Saved.", key="passes")
    opened.until(lambda: len(stack.sheets) == 2, "another one")
    opened.rest()
    assert zone_point(stack.sheets[1], "Show all keys") == pytest.approx(place, abs=1)
    opened.mouse.move(*zone_point(stack.sheets[0], "Dismiss"))
    opened.rest()
    now[0] += 60.0
    opened.rest()
    assert session.notices.get("passes") is not None, "nothing goes from under the pointer"
    opened.mouse.click(*place)
    opened.until(lambda: session.view.keys, "the keys")


def test_what_was_said_before_lies_over_nothing_that_is_read(opened: Opened, folder: Path) -> None:
    document, session = opened.open(folder / "first.tine"), opened.session
    assert document.record is not None
    session.notices.add("warning", "There is unsaved work.", key="old")
    stack = opened.window.notices
    opened.until(lambda: stack.sheets and dpg.is_item_shown(stack.sheets[0].window), "the notice")
    session.invoke("select.step", step=document.record.graph.ids[0])
    opened.keyboard.press("Return")
    opened.until(lambda: session.view.reading and not dpg.is_item_shown(stack.sheets[0].window), "the step alone")
    session.notices.add("error", "The file could not be written: the disk is full.", key="new")
    opened.until(lambda: dpg.is_item_shown(stack.sheets[0].window), "what is said now")
    assert "disk is full" in opened.drawn(stack.sheets[0].window)
    opened.keyboard.press("Escape")
    opened.keyboard.press("Escape")
    opened.until(lambda: not session.view.reading, "the canvas")
    opened.until(lambda: "unsaved work" in opened.drawn(stack.sheets[0].window), "the first notice again")


def test_a_notice_that_stays_lies_over_no_help_and_esc_dismisses_it_before_the_selection(
    opened: Opened, folder: Path
) -> None:
    document, session = opened.open(folder / "first.tine"), opened.session
    opened.keyboard.press("ctrl+a")
    session.notices.add("error", "The file could not be written: the disk is full.", key="bad")
    sheets = opened.window.notices.sheets
    opened.until(lambda: sheets and dpg.is_item_shown(sheets[0].window), "the notice")
    opened.keyboard.press("F1")
    opened.until(lambda: not dpg.is_item_shown(sheets[0].window), "the help alone")
    opened.keyboard.press("Escape")
    opened.until(lambda: dpg.is_item_shown(sheets[0].window), "the notice again")
    assert session.notices.get("bad") is not None
    opened.keyboard.press("Escape")
    opened.until(lambda: session.notices.get("bad") is None, "no notice")
    assert document.selection.ids
    opened.keyboard.press("Escape")
    opened.until(lambda: not document.selection.ids, "nothing selected")


@pytest.mark.parametrize("opens", ["view.palette", "help.keys"])
def test_a_press_beside_what_lies_on_top_closes_it_and_does_nothing_else(
    opened: Opened, folder: Path, opens: str
) -> None:
    opened.open(folder / "first.tine")
    record = opened.document.record
    assert record is not None
    chosen = named(record, "plan")
    opened.session.invoke("select.step", step=chosen)
    opened.rest()
    bar = opened.window.zoom_bar
    left, top = dpg.get_item_rect_min(bar.label)
    zoom_in = left + bar.style.whole(58) + 12, top + 10
    before = opened.window.canvas.zoom
    area = opened.window.canvas.area
    free = area.x + area.width * 0.5, area.y + 3  # above the help

    def is_open() -> bool:
        return opened.window.palette.visible or opened.window.help.has_keyboard

    beside = zoom_in if opens == "view.palette" else (5.0, area.y + area.height / 2)  # the list of keys covers the rest
    for place in (beside, free):
        opened.session.invoke(opens)
        opened.rest()
        assert is_open()
        opened.mouse.click(*place)
        opened.rest()
        assert not is_open()
        assert opened.window.canvas.zoom == before
        assert opened.document.selection.ids == (chosen,)
    opened.mouse.click(*zoom_in)
    opened.rest()
    assert opened.window.canvas.zoom > before
