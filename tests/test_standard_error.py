"""Nothing that was recorded or named steers a terminal, even when something nobody expected goes wrong."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opentine_gui import cli
from opentine_gui.command_line import show

HOSTILE = "\x1b]0;owned\x07\x1b[31m\u202e\x9b2J"


def test_an_error_nobody_expected_is_printed_cleaned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_options: object) -> int:
        raise RuntimeError(f"about {HOSTILE}")

    monkeypatch.setattr(show, "show", fail)
    assert cli.main(["show", "x"]) == 2
    said = capsys.readouterr().err
    assert "RuntimeError: about" in said
    assert not any(char in said for char in "\x1b\x07\x9b\u202e")


@pytest.mark.parametrize("name", ["", "/somewhere/" + HOSTILE])
def test_what_the_system_refuses_is_one_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_options: object) -> int:
        raise PermissionError(13, "Permission denied", name or None)

    monkeypatch.setattr(show, "show", fail)
    monkeypatch.setattr(cli, "discard_output", lambda: None)
    assert cli.main(["show", "x"]) == (2 if name else 1)
    said = capsys.readouterr().err
    assert said.endswith(": Permission denied\n") and said.count("\n") == 1
    assert "\x1b" not in said


def test_the_name_of_a_file_that_cannot_be_opened_is_cleaned_on_every_way_out(tmp_path: Path) -> None:
    path = tmp_path / f"a{HOSTILE}.tine"
    path.write_text("{")
    for arguments in (["show"], ["verify"], ["export", "-o", "x.svg"], ["open", "--screenshot", "x.png"], ["--bad"]):
        done = subprocess.run(
            [sys.executable, "-m", "opentine_gui", *arguments, str(path)],
            cwd=Path(__file__).parent.parent, env={**os.environ, "DISPLAY": ":none"}, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 2
        assert not any(byte in done.stdout + done.stderr for byte in b"\x1b\x07"), arguments
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
@pytest.mark.parametrize("buffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["show", "--help"]])
def test_help_that_cannot_be_written_is_reported(arguments: list[str], buffered: str) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "opentine_gui", *arguments],
            cwd=Path(__file__).parent.parent, env={**os.environ, "PYTHONUNBUFFERED": buffered},
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        1, "opentine-gui: the output cannot be written: No space left on device\n",
    )  # fmt: skip


@pytest.mark.parametrize("code", [errno.EACCES, errno.EIO, errno.ESTALE])
@pytest.mark.parametrize("command", ["show", "verify", "search x", "open", "import"])
def test_a_file_the_system_refuses_is_not_called_missing(
    command: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = os.stat

    def refuse(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        if not isinstance(path, int) and str(os.fspath(path)).startswith("/behind/"):
            raise OSError(code, os.strerror(code), path)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "stat", refuse)
    more = ["-o", "/behind/out.tine"] if command == "import" else []
    assert cli.main([*command.split(), "/behind/run.tine", *more]) == 2
    said = capsys.readouterr().err
    assert os.strerror(code) in said
    assert "no such file" not in said and said.count("\n") == 1
