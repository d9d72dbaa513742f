"""The desktop's file dialogs: which program runs with which arguments, what its output means, how it may fail."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opentine_gui.app.state.prompts import OpenFile, OpenFolder, SaveFile
from opentine_gui.app.system.desktop.file_dialogs import (
    BETWEEN_PATHS,
    SystemDialog,
    dialog_call,
    open_dialog,
    paths_in,
)
from opentine_gui.app.system.desktop.outer_environment import outer_environment

FOLDER = Path("/home/me/runs")
ODD_NAMES = [
    "two words.tine",
    "-rf.tine",
    "$(touch x).tine",
    "q'uo\"te.tine",
    "новый 漢字.tine",
    "a\nb.tine",
]


def having(*programs: str) -> Callable[..., str | None]:
    return lambda name, path=None: f"/usr/bin/{name}" if name in programs else None


def stand_in(folder: Path, script: str) -> dict[str, str]:
    """An environment in which `zenity` is a script that first writes its arguments to a file, one a line."""
    folder.mkdir(exist_ok=True)
    program = folder / "zenity"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/words"\n{script}\n', encoding="utf-8")
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def answered(dialog: SystemDialog) -> SystemDialog:
    end = time.monotonic() + 20
    while not dialog.poll():
        assert time.monotonic() < end, "the stand-in did not end"
    return dialog


def test_zenity_is_asked_first_except_on_kde() -> None:
    both = having("zenity", "kdialog")
    question = OpenFile("Open", FOLDER)
    gnome = dialog_call(question, {"XDG_CURRENT_DESKTOP": "GNOME"}, platform="linux", find=both)
    kde = dialog_call(question, {"XDG_CURRENT_DESKTOP": "X:KDE"}, platform="linux", find=both)
    assert gnome is not None and gnome.words[0] == "/usr/bin/zenity"
    assert kde is not None and kde.words[0] == "/usr/bin/kdialog"
    alone = dialog_call(question, {"XDG_CURRENT_DESKTOP": "KDE"}, platform="linux", find=having("zenity"))
    assert alone is not None and alone.words[0] == "/usr/bin/zenity"
    assert dialog_call(question, {}, platform="linux", find=having()) is None


def test_the_words_say_what_is_asked_and_where_to_begin() -> None:
    def words(question: OpenFile | OpenFolder | SaveFile, program: str = "zenity") -> tuple[str, ...]:
        call = dialog_call(question, {}, platform="linux", find=having(program))
        assert call is not None
        return call.words[1:]

    assert {"--multiple", "--filename=/home/me/runs/"} <= set(words(OpenFile("Open", FOLDER)))
    assert {"--directory", "--filename=/home/me/runs/"} <= set(words(OpenFolder("Open folder", FOLDER)))
    assert {"--save", "--filename=/home/me/runs/-x.tine"} <= set(words(SaveFile("Save as", FOLDER, "-x.tine")))
    assert words(SaveFile("Save as", FOLDER, "-x.tine"), "kdialog")[-1] == "/home/me/runs/-x.tine"
    assert words(OpenFolder("Open", Path("/")), "kdialog")[-1] == "/"


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_elsewhere_no_name_becomes_part_of_a_script(platform: str) -> None:
    hostile = "'; exit #$(x)\".tine"
    call = dialog_call(
        SaveFile("Save as", FOLDER, hostile), {}, platform=platform, find=having("osascript", "powershell")
    )
    assert call is not None
    scripts = [word for word in call.words if "\n" in word]
    assert len(scripts) == 1
    assert hostile not in scripts[0]
    assert hostile in (*call.words, *call.variables.values())


@given(st.lists(st.text(st.characters(exclude_characters="\0/", exclude_categories=["Cs"]), min_size=1), min_size=1))
@example(["\n", "ends in a line feed\n", "0"])
def test_paths_come_back_as_they_were(names: list[str]) -> None:
    paths = tuple(Path("/somewhere") / name for name in names)
    assert paths_in(BETWEEN_PATHS.join(map(str, paths)) + "\n") == paths


def test_lines_and_windows_paths_are_understood_too() -> None:
    assert paths_in("/a/b.tine\n/c/d e.tine\n") == (Path("/a/b.tine"), Path("/c/d e.tine"))
    assert paths_in("") == () == paths_in("not a path\n")


@pytest.mark.parametrize("name", ODD_NAMES)
def test_what_the_dialog_answers_is_what_was_chosen(name: str, tmp_path: Path) -> None:
    chosen = tmp_path / name
    (tmp_path / "answer").write_text(f"{chosen}\n", encoding="utf-8")
    environment = stand_in(tmp_path / "bin", f'cat "{tmp_path}/answer"')
    dialog = open_dialog(SaveFile("Save as", tmp_path, name), environment)
    assert dialog is not None
    assert answered(dialog).paths == (chosen,)
    assert f"--filename={chosen}" in (tmp_path / "bin" / "words").read_text(encoding="utf-8")


def test_more_files_than_a_pipe_holds_arrive_whole(tmp_path: Path) -> None:
    many = [tmp_path / f"{number:05}-{'x' * 60}.tine" for number in range(3000)]
    (tmp_path / "answer").write_text(BETWEEN_PATHS.join(map(str, many)) + "\n", encoding="utf-8")
    dialog = open_dialog(OpenFile("Open", tmp_path), stand_in(tmp_path / "bin", f'cat "{tmp_path}/answer"'))
    assert dialog is not None
    assert answered(dialog).paths == tuple(many)


def test_declining_is_no_failure_and_a_crash_is_one(tmp_path: Path) -> None:
    declined = open_dialog(OpenFile("Open", tmp_path), stand_in(tmp_path / "a", "exit 1"))
    crashed = open_dialog(OpenFile("Open", tmp_path), stand_in(tmp_path / "b", "echo /x; exit 255"))
    silent = open_dialog(OpenFile("Open", tmp_path), stand_in(tmp_path / "c", "exit 0"))
    assert declined is not None and crashed is not None and silent is not None
    assert (answered(declined).failed, declined.paths) == (False, ())
    assert (answered(crashed).failed, crashed.paths) == (True, ())
    assert (answered(silent).failed, silent.paths) == (True, ())


def test_closing_ends_a_dialog_that_still_asks(tmp_path: Path) -> None:
    dialog = open_dialog(
        OpenFile("Open", tmp_path), stand_in(tmp_path / "bin", f'echo $$ > "{tmp_path}/pid"; exec sleep 600')
    )
    assert dialog is not None
    end = time.monotonic() + 20
    while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text().strip():
        assert time.monotonic() < end
    assert not dialog.poll()
    dialog.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_program_that_does_not_start_leaves_the_question_to_us(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    environment = stand_in(folder, "")
    (folder / "zenity").write_bytes(b"\x7fELF no program")
    assert open_dialog(OpenFile("Open", tmp_path), {"PATH": str(folder)}) is None
    assert open_dialog(SaveFile("Save as", tmp_path, "nul\0.tine"), environment) is None
    assert open_dialog(OpenFile("Open", tmp_path), {"PATH": str(tmp_path / "nothing")}) is None


def test_the_desktops_programs_do_not_get_the_built_programs_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = {"LD_LIBRARY_PATH": "/tmp/_MEI1", "LD_LIBRARY_PATH_ORIG": "/opt/lib", "HOME": "/home/me"}
    assert outer_environment(inside) == inside
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert outer_environment(inside) == {"LD_LIBRARY_PATH": "/opt/lib", "HOME": "/home/me"}
    assert outer_environment({"LD_LIBRARY_PATH": "/tmp/_MEI1"}) == {}
