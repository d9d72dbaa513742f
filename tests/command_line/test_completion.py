"""Shells complete what is typed, and a word that was mistyped gets a suggestion."""

from __future__ import annotations

import os
import pty
import select
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui import cli
from opentine_gui.command_line.parser.arguments import build_parser
from opentine_gui.command_line.parser.completion import SHELLS

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo"
A = DEMO / "research-01.tine"


def completed(shell_name: str, words: list[str], folder: Path) -> set[str]:
    """What a shell offers for the last of the words that were typed, in a folder."""
    script = SHELLS[shell_name](build_parser())
    if shell_name == "bash":
        line = f'COMP_WORDS=({" ".join(words)!s} ); COMP_WORDS[{len(words) - 1}]="{words[-1]}"\n'
        script += f'\n{line}COMP_CWORD={len(words) - 1}\n_opentine_gui\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=True
        )
    else:
        script += f"\ncomplete -C {' '.join(words)!r}\n"
        done = subprocess.run(
            ["fish", "-c", script], cwd=folder, capture_output=True, text=True, timeout=60, check=True
        )
    assert done.stderr == ""
    return {line.split("\t")[0] for line in done.stdout.splitlines() if line}


def in_bash(words: list[str], folder: Path) -> set[str]:
    return completed("bash", words, folder)


def in_fish(words: list[str], folder: Path) -> set[str]:
    return completed("fish", words, folder)


@pytest.mark.parametrize("ask", [in_bash, in_fish])
def test_shells_complete_commands_options_choices_and_runs(
    ask: Callable[[list[str], Path], set[str]], tmp_path: Path
) -> None:
    (tmp_path / "one.tine").write_text("")
    (tmp_path / "other.tine").write_text("")
    assert ask(["opentine-gui", "sho"], tmp_path) == {"show"}
    assert ask(["opentine-gui", "o"], tmp_path) >= {"open", "one.tine", "other.tine"}
    assert "--direction" in ask(["opentine-gui", "export", "--d"], tmp_path)
    assert ask(["opentine-gui", "export", "--theme", "l"], tmp_path) == {"light"}
    assert ask(["opentine-gui", "show", "on"], tmp_path) == {"one.tine"}
    assert ask(["opentine-gui", "completion", "z"], tmp_path) == {"zsh"}


def test_zsh_takes_the_script_and_completes_an_option(tmp_path: Path) -> None:
    """Zsh completes only at a prompt, so a terminal is typed into."""
    (tmp_path / "_opentine_gui.zsh").write_text(SHELLS["zsh"](build_parser()))
    (tmp_path / ".zshrc").write_text("autoload -U compinit; compinit -D; PS1='ready>'; source ./_opentine_gui.zsh\n")
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        ["zsh", "-i"], cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        env={**os.environ, "ZDOTDIR": str(tmp_path), "HOME": str(tmp_path), "TERM": "dumb"},
    )  # fmt: skip
    os.close(theirs)
    said = b""

    def until(wanted: bytes) -> None:
        nonlocal said
        while wanted not in said:
            assert select.select([ours], [], [], 30)[0], said
            said += os.read(ours, 65536).replace(b"\x07", b"")
        said = said.partition(wanted)[2]

    try:
        until(b"ready>")
        os.write(ours, b"opentine-gui export --them\t")
        until(b"--theme")
        os.write(ours, b"hi\t")
        until(b"high-contrast")
        os.write(ours, b"\x15opentine-gui sho\t")
        until(b"show")
    finally:
        started.kill()
        started.wait(60)
        os.close(ours)


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["shwo", "x.tine"], "did you mean the command show?"),
        (["show", "x", "--jsno"], "did you mean --json?"),
        (["export", "x", "-o", "y.svg", "--tittle=T"], "did you mean --title?"),
        (["show", str(DEMO / "reserch-01.tine")], f"did you mean {A}?"),
        ([str(DEMO / "reserch-01.tine")], f"did you mean {A}?"),
        (["verify", "--all-redacted", "x"], "did you mean --allow-redacted?"),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_what_was_meant(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == 2
    said = capsys.readouterr().err
    assert meant in said and said.count("\n") == 1
