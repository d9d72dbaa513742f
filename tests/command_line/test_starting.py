"""The command line itself and `open`, in this process and in a subprocess."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.clock import own_home
from opentine_gui import cli
from opentine_gui.command_line.parser.arguments import build_parser
from tests.command_line.answers import one_complaint, program

ROOT = Path(__file__).parents[2]
COMMANDS = build_parser().commands


def test_help_loads_neither_the_window_nor_numpy_nor_networkx() -> None:
    script = (
        "import sys\nfrom opentine_gui.cli import main\nstatus = main(['--help'])\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "heavy = loaded & {'dearpygui', 'numpy', 'networkx', 'PIL', 'msgspec', 'watchfiles'}\n"
        "print('HEAVY', sorted(heavy), status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "HEAVY [] 0"


@pytest.mark.serial
def test_help_takes_at_most_four_times_an_empty_python(tmp_path: Path) -> None:
    """CPU time, least of several rounds in turns, with compiled modules: Python keeps those from the first start on."""
    environment = own_home(tmp_path) | {"PYTHONPYCACHEPREFIX": str(tmp_path / "compiled")}

    def cpu(*arguments: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, timeout=60, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    cpu("-m", "opentine_gui", "--help")
    helped = empty = float("inf")
    for _ in range(20):
        helped, empty = min(helped, cpu("-m", "opentine_gui", "--help")), min(empty, cpu("-c", "pass"))
        if helped <= 4 * empty:
            return
    raise AssertionError(f"--help takes {helped / empty:.1f} times as long as an empty Python")


def test_help_lists_every_command_with_what_it_does_and_the_exit_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    said = capsys.readouterr().out
    for name in COMMANDS:
        assert re.search(rf"^ +{name}\s+\w", said, re.MULTILINE), name
    assert "Exit status: 0 done" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert cli.main([command, "--help"]) == 0
    said = capsys.readouterr().out
    assert f"usage: opentine-gui {command} " in said and f"\n\n{COMMANDS[command].description}\n" in said


def test_version_is_the_packages_version(capsys: pytest.CaptureFixture[str]) -> None:
    from opentine_gui import __version__

    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"opentine-gui {__version__}\n"


def test_the_version_is_the_same_in_the_project_file() -> None:
    import tomllib

    from opentine_gui import __version__

    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == __version__


@pytest.mark.parametrize(
    "arguments",
    [
        ["fork", "x.tine"],
        ["fork", "x.tine", "--from", "a", "-o", "y.tine", "--edit-inputs", "[1]"],
        ["fork", "x.tine", "--from", "a", "-o", "y.tine", "--edit-inputs", '{"a": 1, "a": 2}'],
        ["fork", "x.tine", "--from", "a", "-o", "y.tine", "--edit-inputs", '{"a": NaN}'],
        ["fork", "x.tine", "--from", "a", "-o", "y.tine", "--edit-inputs", '{"a": "\\ud800"}'],
        ["fork", "x.tine", "--from", "a", "-o", "y.tine", "--edit-inputs", '{"a": 1e999}'],
        ["merge", "x.tine", "--parents", "abc", "-o", "y.tine"],
        ["merge", "x.tine", "--parents", "abc,def", "--kind", "dream", "-o", "y.tine"],
        ["open", "--exit-after", "soon"],
        ["open", "--exit-after", "nan"],
        ["verify"],
    ],
)
def test_what_is_not_understood_is_said_on_one_line_and_exits_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    one_complaint(capsys)


# --- open ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The calls that would have opened a window."""
    calls: list[dict[str, Any]] = []
    window = ModuleType("opentine_gui.ui.main")
    window.run = lambda paths, **wishes: calls.append({"paths": paths, **wishes}) or 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "opentine_gui.ui.main", window)
    return calls


def test_a_bare_file_or_folder_means_open(opened: list[dict[str, Any]], source: Path) -> None:
    assert cli.main([str(source), str(source.parent)]) == 0
    assert opened[0]["paths"] == [source, source.parent]


def test_no_argument_at_all_opens_an_empty_window(opened: list[dict[str, Any]]) -> None:
    assert cli.main([]) == 0
    assert opened[0]["paths"] == []


def test_open_passes_on_what_to_record_and_when_to_leave(
    opened: list[dict[str, Any]], source: Path, tmp_path: Path
) -> None:
    picture, log = tmp_path / "a.png", tmp_path / "a.jsonl"
    assert cli.main([str(source), "--screenshot", str(picture), "--frame-log", str(log), "--exit-after", "2.5"]) == 0
    assert callable(opened[0].pop("ask_display"))
    assert opened == [{"paths": [source], "screenshot": picture, "frame_log": log, "exit_after": 2.5}]


def test_a_step_after_a_number_sign_is_selected(opened: list[dict[str, Any]], source: Path) -> None:
    assert cli.main([f"{source}#ab12"]) == 0
    assert opened[0]["paths"] == [source]
    assert opened[0]["select"] == {source: "ab12"}


def test_a_number_sign_in_a_file_name_belongs_to_the_name(opened: list[dict[str, Any]], source: Path) -> None:
    odd = source.rename(source.with_name("run#1.tine"))
    assert cli.main([str(odd), f"{odd}#ab"]) == 0
    assert opened[0]["paths"] == [odd, odd]
    assert opened[0]["select"] == {odd: "ab"}


def test_a_missing_file_opens_no_window(
    opened: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([str(tmp_path / "gone.tine")]) == 2
    assert "gone.tine: no such file or folder" in one_complaint(capsys)
    assert opened == []


# --- as a program --------------------------------------------------------------------------------------------------


def test_the_program_answers_with_the_same_exit_status(source: Path, tmp_path: Path) -> None:
    assert program("verify", source).returncode == 0
    missing = program("show", tmp_path / "none.tine")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert missing.stderr.startswith("opentine-gui: ")
    assert missing.stderr.count("\n") == 1


def test_a_name_that_is_not_utf_8_goes_into_json(source: Path, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"run-\xff.tine")
    path.write_bytes(source.read_bytes())
    done = program("show", path, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"][0]["file"] == str(path)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (
            "opentine_gui.ui.window",
            "the Python module opentine_gui.ui.window is missing; installing opentine-gui again",
        ),
        ("networkx", "the Python module networkx is missing; installing opentine-gui again"),
        ("dearpygui.dearpygui", "Dear PyGui cannot be loaded: "),
    ],
)
def test_what_cannot_be_loaded_is_named(missing: str, said: str) -> None:
    script = (
        f"import sys\nsys.modules[{missing!r}] = None\nfrom opentine_gui.cli import main\n"
        "raise SystemExit(main(['open', '--new-window', '--exit-after', '0.1']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert f"the window cannot be opened, because {said}" in done.stderr
    assert done.stderr.count("\n") == 1
