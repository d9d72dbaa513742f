"""Where to write or open, asked in the window, with a real mouse and keyboard: forms, names, folders, hidden files."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from bench.generate import agent_run
from opentine_gui.app.folder.browse import Listing, list_folder
from opentine_gui.core.files import storage
from opentine_gui.ui.dialogs import file_chooser
from opentine_gui.ui.dialogs.file_chooser import FileChooser
from tests.ui.opened import Opened
from tests.ui.panels.places import row_point, row_with


def test_a_note_says_how_it_is_done_and_the_export_of_a_long_run_can_be_cancelled(
    opened: Opened, tmp_path: Path
) -> None:
    opened.open(storage.write(tmp_path / "long.tine", agent_run(200)))
    opened.keyboard.press("n")
    opened.rest()
    opened.keyboard.press("ctrl+m")
    opened.until(lambda: opened.session.text_focused, "the note's box")
    assert "Ctrl+Enter" in opened.drawn(opened.window.prompter.window), "Enter begins a line"
    opened.keyboard.press("Escape")
    opened.rest()
    opened.keyboard.press("ctrl+e")
    opened.until(lambda: opened.window.prompter.visible, "the question")
    for _ in range(6):
        opened.frame()
    cancel = next(control for control in opened.window.controls() if control.name.startswith("Cancel"))
    opened.mouse.click(*cancel.middle)
    opened.until(lambda: not opened.window.prompter.visible, "the question left")
    assert not opened.session.notices.list()


def test_the_form_of_an_export_is_chosen_with_the_mouse_and_no_other_is_accepted(
    opened: Opened, tmp_path: Path
) -> None:
    opened.session.invoke("file.export", part="all")
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("story.sv")
    opened.rest()
    assert "not an export format" not in opened.drawn(opened.window.prompter.window), "it may become .svg"
    opened.keyboard.press("Return")
    words = ".sv is not an export format"
    opened.until(lambda: words in opened.drawn(opened.window.prompter.window), "what Enter does not take")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("story.pdf")
    opened.until(lambda: ".pdf is not an export format" in opened.drawn(opened.window.prompter.window), "the refusal")
    opened.keyboard.press("Return")
    opened.rest()
    assert opened.window.prompter.visible, "nothing of what was typed is lost"
    assert not opened.session.notices.list()
    form = next(control for control in opened.window.controls() if control.name == "Report (.md)")
    opened.mouse.click(*form.middle)
    opened.until(lambda: "not an export format" not in opened.drawn(opened.window.prompter.window), "another name")
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.session.notices.list() and not opened.session.busy, "what was written")
    path = opened.session.working_folder / "story.md"
    assert path.read_text().startswith("# ")


def test_an_export_says_in_its_dialog_what_it_writes_and_as_what(opened: Opened) -> None:
    record = opened.document.record
    assert record is not None
    for step in record.graph.ids[:2]:
        opened.session.invoke("select.add", step=step)
    opened.rest()
    opened.keyboard.press("ctrl+e")
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    opened.rest()
    names = [control.name for control in opened.window.controls()]
    everything = f"All {len(record.graph)} steps"
    assert {"2 selected", everything, "Web page (.html)", "Picture (.png)"} <= set(names)
    assert any(name.startswith("Export") for name in names) and not any(name.startswith("Save") for name in names)

    def press(name: str) -> None:
        control = next(one for one in opened.window.controls() if one.name == name)
        assert control.shown == pytest.approx(control.area), "whole"
        opened.mouse.click(*control.middle)
        opened.rest()

    press("Data (.json)")
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    press(everything)
    press("2 selected")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.session.notices.list() and not opened.session.busy, "what was written")
    assert not opened.window.prompter.visible, "nothing more is asked"
    written = next(opened.session.working_folder.glob("*.json"))
    assert len(json.loads(written.read_text())["steps"]) == 2


def test_a_name_without_a_suffix_is_written_in_the_format_that_was_pressed(opened: Opened) -> None:
    opened.session.invoke("file.export", part="all")
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    form = next(control for control in opened.window.controls() if control.name == "Report (.md)")
    opened.mouse.click(*form.middle)
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("about-4.1")
    opened.keyboard.press("Return")
    opened.until(lambda: opened.session.notices.list() and not opened.session.busy, "what was written")
    assert [path.name for path in opened.session.working_folder.glob("about*")] == ["about-4.1.md"]


def test_a_file_name_that_cannot_be_is_refused_where_it_is_typed(
    opened: Opened, ran: list[tuple[str, dict[str, Any]]]
) -> None:
    run = opened.session.working_folder / "retry-01.tine"
    opened.session.invoke("runs.rename", run=run)
    opened.until(lambda: opened.session.text_focused, "the box for the name")
    ran.clear()
    for name, reason in (("kept/retry", "has no slash"), ("research-01", "There is a file research-01.tine")):
        opened.keyboard.press("ctrl+a")
        opened.keyboard.type(name)
        opened.keyboard.press("Return")
        opened.until(lambda said=reason: said in opened.drawn(opened.window.prompter.window), "the refusal")
    opened.keyboard.type("third")
    opened.until(lambda: "There is" not in opened.drawn(opened.window.prompter.window), "a name that can be")
    opened.keyboard.press("Return")
    opened.until(lambda: not opened.window.prompter.visible and not opened.session.busy, "the new name")
    assert (run.parent / "third.tine").exists()
    assert not [notice for notice in opened.session.notices.list() if notice.level == "error"]
    assert ran == []


def test_a_folder_that_was_pressed_is_the_one_that_is_meant(opened: Opened, tmp_path: Path) -> None:
    run = opened.session.working_folder / "retry-01.tine"
    (run.parent / "kept").mkdir()
    opened.session.invoke("runs.move", run=run)
    opened.until(lambda: opened.session.text_focused, "the box for a folder")
    opened.until(lambda: "kept/" in opened.drawn(opened.window.prompter.window), "the folders")
    assert any(control.name.startswith("Move here") for control in opened.window.controls())
    chooser = opened.window.prompter._dialog
    assert isinstance(chooser, FileChooser)
    opened.mouse.click(*row_point(chooser.rows, row_with(chooser.rows, "kept/")))
    opened.rest()
    move = next(control for control in opened.window.controls() if control.name.startswith("Move to kept/"))
    opened.mouse.click(*move.middle)
    opened.until(lambda: (run.parent / "kept" / run.name).exists() and not opened.session.busy, "the run moved")
    assert not run.exists()


def test_hidden_files_are_offered_once_the_folder_is_read_and_asked_for_while_it_is(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    (opened.session.working_folder / ".hidden.tine").write_bytes(b"{}")
    gate = threading.Event()

    def slow(folder: Path, *, hidden: bool = False) -> Listing:
        assert gate.wait(30)
        return list_folder(folder, hidden=hidden)

    monkeypatch.setattr(file_chooser, "list_folder", slow)
    opened.session.invoke("file.open")
    opened.until(lambda: isinstance(opened.window.prompter._dialog, FileChooser), "the dialog")
    chooser = opened.window.prompter._dialog
    assert isinstance(chooser, FileChooser)
    opened.frame()
    said = opened.drawn(chooser.foot.node)
    assert "Listing runs…" in said and "hidden" not in said
    gate.set()
    opened.until(lambda: chooser.choice.shown, "the names")
    opened.rest()
    gate.clear()
    box = next(control for control in opened.window.controls() if control.name == "Show hidden files")
    opened.mouse.click(*box.middle)
    chooser._list(chooser.choice.folder)
    gate.set()
    opened.until(lambda: any(entry.name == ".hidden.tine" for entry in chooser.choice.shown), "the hidden file")
    assert "Hide hidden files" in opened.drawn(chooser.foot.node)
