"""Which files are meant by what is listed, typed and marked in the file chooser."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.app.folder.browse import list_folder
from opentine_gui.app.folder.file_choice import FileChoice
from opentine_gui.app.state.prompts import OpenFile, OpenFolder, SaveFile

FORMS = ((".png", "a picture"), (".svg", "a drawing"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("zeta.tine", "Alpha.tine", "notes.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / "sub").mkdir()
    return tmp_path


def listed(choice: FileChoice) -> FileChoice:
    """The choice once the folder it shows is listed."""
    choice.narrow()
    choice.listing = list_folder(choice.base)
    choice.narrow()
    return choice


def press(choice: FileChoice, name: str, *, several: bool = False) -> bool:
    place = next(place for place, entry in enumerate(choice.shown) if entry.name == name)
    return choice.press(place, several=several)


def test_the_first_run_is_meant_until_another_entry_is(folder: Path) -> None:
    choice = listed(FileChoice(OpenFile("Open", folder)))
    assert choice.chosen() == (folder / "Alpha.tine",)
    choice.move(1)
    assert choice.chosen() == (folder / "zeta.tine",)
    choice.move(100)
    assert choice.chosen() == (folder / "notes.txt",)


def test_marked_files_are_meant_together_until_one_is_pressed_alone(folder: Path) -> None:
    choice = listed(FileChoice(OpenFile("Open", folder)))
    press(choice, "zeta.tine", several=True)
    press(choice, "Alpha.tine", several=True)
    assert choice.chosen() == (folder / "Alpha.tine", folder / "zeta.tine")
    press(choice, "notes.txt")
    assert choice.chosen() == (folder / "notes.txt",)


def test_a_typed_path_shows_another_folder_and_enter_goes_there(folder: Path) -> None:
    (folder / "sub" / "inner.tine").write_text("x")
    choice = listed(FileChoice(OpenFile("Open", folder)))
    choice.type("sub/inn")
    choice.narrow()
    assert choice.base == folder / "sub" and choice.shown == [], "nothing of the folder listed before"
    assert [entry.name for entry in listed(choice).shown] == ["inner.tine"]
    assert choice.chosen() == (folder / "sub" / "inner.tine",)
    choice.complete(choice.shown[0])
    assert choice.text == str(folder / "sub" / "inner.tine")
    choice.type("sub/")
    assert choice.folder_to_enter() == folder / "sub"


def test_going_elsewhere_clears_a_filter_and_keeps_a_name(folder: Path) -> None:
    opening, saving = FileChoice(OpenFile("Open", folder)), FileChoice(SaveFile("Save", folder, "run.tine"))
    opening.type("alp")
    assert opening.go(folder / "sub") and opening.text == ""
    assert not saving.go(folder / "sub") and saving.text == "run.tine"
    saving.type(str(folder / "other.tine"))
    assert saving.go(folder / "sub") and saving.text == "other.tine"


def test_a_folder_is_the_answer_until_one_within_it_is_chosen(folder: Path) -> None:
    choice = listed(FileChoice(OpenFolder("Where", folder)))
    assert [entry.name for entry in choice.shown] == ["sub"]
    assert choice.chosen() == (folder,)
    press(choice, "sub")
    assert choice.chosen() == (folder / "sub",)


def test_a_name_to_save_gets_the_suffix_of_the_form_and_takes_that_of_a_file_pressed(folder: Path) -> None:
    choice = listed(FileChoice(SaveFile("Export", folder, "gpt-4.1", FORMS)))
    choice.choose_form(".svg")
    assert choice.text == "gpt-4.1.svg" and choice.named_form == "a drawing"
    choice.type("gpt-4.1")
    assert choice.chosen() == (folder / "gpt-4.1.svg",), "a number is no suffix"
    assert press(choice, "notes.txt") and choice.text == "notes.txt"
    assert choice.unknown_form(choice.chosen()) == ".txt"
    assert not choice.may_become_form(choice.chosen())
    choice.type("notes.sv")
    assert choice.unknown_form(choice.chosen()) == ".sv"
    assert choice.may_become_form(choice.chosen()), "it may still be typed"
    choice.type("sub")
    assert choice.chosen() == (), "a folder is no name of a file"


def test_a_suggested_name_is_that_of_the_form_until_another_is_typed(folder: Path) -> None:
    names = ("run-2.svg", "run.png")
    forms = ((".svg", "a drawing"), (".png", "pixels"))
    choice = listed(FileChoice(SaveFile("Export", folder, "run-2.svg", forms, names)))
    choice.choose_form(".png")
    assert choice.text == "run.png"
    choice.choose_form(".svg")
    assert choice.text == "run-2.svg"
    choice.type("mine-2.svg")
    choice.choose_form(".png")
    assert choice.text == "mine-2.png"
