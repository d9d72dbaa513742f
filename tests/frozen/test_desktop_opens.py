"""Files opened the way a desktop opens them: types, default application, one window, and a window that was killed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from opentine_gui.core.files import storage
from tests.frozen.conftest import DESKTOP, Desktop

TYPE = "application/x-tine"


@pytest.fixture
def packed(runs: Path) -> Path:
    """A compressed run whose name has no ending."""
    path = runs / "packed"
    storage.write(path, storage.read(runs / "retry-01.tine"), compress="zlib")
    return path


def test_the_desktop_knows_the_type_by_name_and_by_content(owner: Desktop, runs: Path, packed: Path) -> None:
    for path in (runs / "retry-01.tine", packed):
        assert owner.run("xdg-mime", "query", "filetype", path).stdout.strip() == TYPE
    assert owner.run("xdg-mime", "query", "default", TYPE).stdout.strip() == "opentine-gui.desktop"
    (runs / "other").write_text("{}")
    assert owner.run("xdg-mime", "query", "filetype", runs / "other").stdout.strip() != TYPE


def test_opening_a_file_from_the_desktop_shows_its_run(owner: Desktop, packed: Path) -> None:
    owner.start("xdg-open", packed)
    owner.until(lambda: owner.titles() == ["packed - opentine"], "a window with the run")


def test_a_one_user_association_of_the_program_opens_files_until_it_is_taken_back(
    desktop: Desktop, program: Path, runs: Path
) -> None:
    desktop.environment |= {"PATH": os.environ["PATH"], "XDG_CURRENT_DESKTOP": DESKTOP}
    done = desktop.run(program, "associate")
    assert (done.returncode, done.stderr) == (0, "")
    assert desktop.run("xdg-mime", "query", "filetype", runs / "retry-01.tine").stdout.strip() == TYPE
    desktop.start("xdg-open", runs / "retry-01.tine")
    desktop.until(lambda: desktop.titles() == ["retry-01.tine - opentine"], "a window with the run")
    assert desktop.run(program, "associate", "--remove").returncode == 0
    assert desktop.run("xdg-mime", "query", "default", TYPE).stdout.strip() == ""


def test_five_files_one_after_the_other_are_five_documents_of_one_process(owner: Desktop, runs: Path) -> None:
    files = [runs / f"run-{number}.tine" for number in range(5)]
    for file in files:
        shutil.copy(runs / "retry-01.tine", file)
    owner.start("opentine-gui", files[0])
    owner.until(lambda: owner.titles() == [f"{files[0].name} - opentine"], "the first window")
    (process,) = owner.processes()
    for file in files[1:]:
        done = owner.run("opentine-gui", file)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        owner.until(lambda file=file: owner.titles() == [f"{file.name} - opentine"], f"{file.name} in front")
    assert owner.processes() == [process]
    for file in [files[3], files[2], files[1], files[0]]:  # Ctrl+Shift+Tab goes round through the tabs that are open
        owner.run("xdotool", "keydown", "ctrl+shift+Tab")
        owner.until(lambda file=file: owner.titles() == [f"{file.name} - opentine"], f"the tab of {file.name}")
        owner.run("xdotool", "keyup", "ctrl+shift+Tab")


def test_a_window_that_was_killed_does_not_stand_in_the_way(owner: Desktop, runs: Path) -> None:
    first = owner.start("opentine-gui", runs / "retry-01.tine")
    owner.until(lambda: owner.titles() == ["retry-01.tine - opentine"], "the first window")
    first.send_signal(signal.SIGKILL)
    first.wait(10)
    owner.until(lambda: owner.titles() == [], "the window gone")
    owner.start("opentine-gui", runs / "research-01.tine")
    owner.until(lambda: owner.titles() == ["research-01.tine - opentine"], "the window after it")
    assert owner.run("opentine-gui", runs / "retry-01.tine").returncode == 0
    owner.until(lambda: owner.titles() == ["retry-01.tine - opentine"], "the second file in that window")
    assert len(owner.processes()) == 1


def test_a_window_that_hangs_does_not_keep_a_second_start_waiting_for_ever(owner: Desktop, runs: Path) -> None:
    first = owner.start("opentine-gui", runs / "retry-01.tine")
    owner.until(lambda: owner.titles() == ["retry-01.tine - opentine"], "the first window")
    first.send_signal(signal.SIGSTOP)
    owner.start("opentine-gui", runs / "research-01.tine")
    owner.until(lambda: "research-01.tine - opentine" in owner.titles(), "a window of its own")
    first.send_signal(signal.SIGCONT)


@pytest.mark.skipif(shutil.which("openbox") is None, reason="openbox is not installed, and nothing else minimises")
def test_a_minimised_window_comes_back_with_the_file(owner: Desktop, runs: Path) -> None:
    owner.start("openbox")
    owner.start("opentine-gui", runs / "retry-01.tine")
    owner.until(lambda: owner.titles() == ["retry-01.tine - opentine"], "the first window")
    window = owner.run("xdotool", "search", "--onlyvisible", "--name", "opentine").stdout.split()[0]

    def minimised() -> bool:
        """Ask for it again and again: a request is lost as long as the window manager is starting."""
        owner.run("xdotool", "windowminimize", window)
        return owner.titles() == []

    owner.until(minimised, "the window minimised")
    assert owner.run("opentine-gui", runs / "research-01.tine").returncode == 0
    owner.until(lambda: owner.titles() == ["research-01.tine - opentine"], "the window with the second file")
    assert len(owner.processes()) == 1
    owner.until(lambda: owner.run("xdotool", "getactivewindow").stdout.strip() == window, "the window active")


def test_a_new_window_can_be_asked_for(owner: Desktop, runs: Path) -> None:
    owner.start("opentine-gui", runs / "retry-01.tine")
    owner.until(lambda: len(owner.titles()) == 1, "the first window")
    owner.start("opentine-gui", "--new-window", runs / "research-01.tine")
    owner.until(
        lambda: sorted(owner.titles()) == ["research-01.tine - opentine", "retry-01.tine - opentine"], "two windows"
    )
    assert len(owner.processes()) == 2


def test_a_named_step_reaches_the_open_window(owner: Desktop, runs: Path) -> None:
    owner.start("opentine-gui")
    owner.until(lambda: owner.titles() == ["opentine"], "an empty window")
    step = storage.read(runs / "retry-01.tine").graph.ids[2]
    relative = subprocess.run(
        ["opentine-gui", f"retry-01.tine#{step[:10]}"], cwd=runs, env=owner.environment, check=False, timeout=60
    )
    assert relative.returncode == 0
    owner.until(lambda: owner.titles() == ["retry-01.tine - opentine"], "the run")
