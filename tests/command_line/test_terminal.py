"""The command line among other programs: terminals, pipes, standard input and output."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import opentine
import pytest

from opentine_gui import cli
from opentine_gui.command_line.output import cut_to, width_of
from opentine_gui.command_line.parser.arguments import FORMATS
from opentine_gui.core import encode, read
from opentine_gui.describe.value_lines import value_lines
from opentine_gui.export import FORMATS as EXPORT_FORMATS
from opentine_gui.scene.text.clean import clean
from tests.gallery import picture

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo"
A, B = DEMO / "research-01.tine", DEMO / "retry-01.tine"
FAILED = "2a55e61cfbd97ca14c5b1b34a317d8242cad9163401e1d0d1986c90c12e62eb2"
ESCAPE = "\x1b[31mred\x1b]0;title\x07\u202egnp.exe"


def program(*arguments: str | Path, **how: Any) -> subprocess.CompletedProcess[bytes]:
    """The command line as a process of its own."""
    plain: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
    return subprocess.run(
        [sys.executable, "-m", "opentine_gui", *map(str, arguments)], cwd=ROOT, timeout=60, check=False, **plain
    )


def shell(line: str) -> subprocess.CompletedProcess[str]:
    """A line of sh in which `opentine-gui` is this program."""
    line = f'opentine_gui() {{ "{sys.executable}" -m opentine_gui "$@"; }}; {line}'
    return subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def on_a_terminal(*arguments: str | Path, columns: int = 60, **environment: str) -> str:
    """What the program prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    started = subprocess.Popen(
        [sys.executable, "-m", "opentine_gui", *map(str, arguments)], cwd=ROOT, stdout=theirs, stderr=theirs,
        stdin=subprocess.DEVNULL, env={**kept, "TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    try:
        while piece := os.read(ours, 65536):
            said += piece
    except OSError:  # the terminal's other end is closed
        pass
    finally:
        os.close(ours)
        started.wait(60)
    return said.decode().replace("\r\n", "\n")


# --- terminals -----------------------------------------------------------------------------------------------------


def test_a_terminal_gets_colours_and_lines_that_fit_and_a_pipe_neither() -> None:
    shown = on_a_terminal("show", A, columns=70)
    assert "\x1b[" in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b" not in plain
    assert max(map(width_of, plain.partition("\n\n")[2].splitlines())) <= 70
    assert "…" in plain
    assert "[main]" in on_a_terminal("show", A, columns=100)
    piped = program("show", A).stdout.decode()
    assert "\x1b" not in piped
    assert max(map(len, piped.partition("\n\n")[2].splitlines())) > 70
    assert on_a_terminal("show", A, columns=200, NO_COLOR="1") == piped
    assert "\x1b" not in on_a_terminal("verify", DEMO, TERM="dumb")


def test_a_line_is_cut_at_columns_not_at_characters() -> None:
    assert cut_to("奖励模型奖励模型", 7) == "奖励模…"
    assert width_of(cut_to("奖励模型奖励模型", 8)) <= 8
    assert cut_to("short", 5) == "short"


@pytest.mark.parametrize("closed", ["show {} | head -n 1", "export {} -o - --format svg | head -c 9"])
def test_a_reader_that_leaves_early_is_no_error(closed: str) -> None:
    done = shell(
        closed.format(f"'{A}'").replace("show", "opentine_gui show", 1).replace("export", "opentine_gui export", 1)
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
@pytest.mark.parametrize("arguments", ["show {} ", "show {} --json", "export {} -o - --format svg"])
def test_a_full_disk_is_one_sentence(arguments: str) -> None:
    done = shell(f"opentine_gui {arguments.format(A)} >/dev/full")
    assert done.returncode == 1
    assert done.stderr == "opentine-gui: the output cannot be written: No space left on device\n"


def test_closed_streams_are_one_sentence_or_silence(tmp_path: Path) -> None:
    done = shell(f"opentine_gui show '{A}' >&-")
    assert (done.returncode, done.stderr) == (
        1, "opentine-gui: standard output is closed, so there is nowhere to print\n",
    )  # fmt: skip
    done = shell("opentine_gui show none.tine 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = shell("opentine_gui show - <&-")
    assert done.returncode == 2
    assert "there is nothing to read" in done.stderr


# --- standard input and output -------------------------------------------------------------------------------------


def test_a_run_that_is_piped_in_reads_like_its_file() -> None:
    assert program("show", "-", input=A.read_bytes()).stdout == program("show", A).stdout
    assert program("diff", A, "-", input=B.read_bytes()).stdout == program("diff", A, B).stdout
    done = program("verify", "-", input=A.read_bytes())
    assert (done.returncode, done.stdout[:5]) == (0, b"-: ok")


@pytest.mark.parametrize(("data", "said"), [(b"", b"it is empty"), (b"{", b"standard input: ")])
def test_what_is_piped_in_and_is_no_run_is_called_standard_input(data: bytes, said: bytes) -> None:
    done = program("show", "-", input=data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr and done.stderr.count(b"\n") == 1
    assert b"/tmp" not in done.stderr


def test_an_export_to_standard_output_is_the_file_it_would_write(tmp_path: Path) -> None:
    for form in ("svg", "png", "md"):
        done = program("export", "-", "-o", "-", "--format", form, "--title", "T", input=A.read_bytes())
        target = tmp_path / f"a.{form}"
        assert program("export", A, "-o", target, "--title", "T").returncode == 0
        if form != "md":  # which names its source
            assert done.stdout == target.read_bytes()
        assert done.returncode == 0
    assert b"--format" in program("export", A, "-o", "-").stderr


def test_a_fork_can_be_piped_into_a_check() -> None:
    done = shell(f"opentine_gui fork '{A}' --from {FAILED[:8]} -o - | opentine_gui verify -")
    assert (done.returncode, done.stdout.startswith("-: ok, ")) == (0, True)
    assert done.stderr == ""


def test_a_format_can_be_named_for_a_file_too(tmp_path: Path) -> None:
    assert cli.main(["export", str(A), "-o", str(tmp_path / "graph"), "--format", "mmd"]) == 0
    assert (tmp_path / "graph").read_text().startswith("flowchart")


def test_every_format_can_be_named() -> None:
    assert sorted(FORMATS) == sorted(row.suffixes[0][1:] for row in EXPORT_FORMATS.values())


def test_a_terminal_is_not_given_pixels() -> None:
    assert "cannot show it" in on_a_terminal("export", A, "-o", "-", "--format", "png", columns=200)


# --- a step, a folder ----------------------------------------------------------------------------------------------


def hostile_run(tmp_path: Path) -> tuple[Path, str]:
    """A run with one step that holds every shape of value, some of it hostile; (path, step id)."""
    run = opentine.Run(id=ESCAPE, user_prompt=ESCAPE)
    inputs = {
        "command": "pytest -q\npytest -x\n",
        "number": "8080",
        "port": 8080,
        "empty": [],
        "deep": {"list": ["one", {"two": None}, ["three"]]},
        ESCAPE: f"{ESCAPE}\n{ESCAPE}",
        "long": "word " * 5000 + "end",
    }
    step = run.add_step(opentine.StepKind("tool"), inputs, {"result": "passed"})
    return Path(run.save(tmp_path / "hostile.tine")), step.id


def test_a_step_is_printed_whole_and_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, step = hostile_run(tmp_path)
    assert cli.main(["show", f"{path}#{step[:9]}"]) == 0
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x07\u202e")
    assert step in out and out.rstrip().endswith("result: passed")
    assert "\n  command:\n    pytest -q\n    pytest -x\n" in out
    assert '\n  number: "8080"\n' in out and "\n  port: 8080\n" in out
    assert "\n    list:\n      - one\n      -\n        two: null\n      -\n        - three\n" in out
    assert "word end\n" in out and "…" not in out


def test_a_step_that_is_not_there_is_refused_and_an_ambiguous_one_lists_its_candidates(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.main(["show", f"{A}#zz"]) == 1
    assert "there is no step 'zz' in this run" in capsys.readouterr().err
    for arguments in (["show", f"{A}#2"], ["fork", str(A), "--from", "2", "-o", str(tmp_path / "x.tine")],
                      ["merge", str(A), str(B), "--parents", "2,f", "-o", str(tmp_path / "x.tine")],
                      ["export", str(A), str(B), "--steps", "2", "-o", str(tmp_path / "x.tine")]):  # fmt: skip
        assert cli.main(arguments) == 1
        first, *listed = capsys.readouterr().err.splitlines()
        assert first.startswith("opentine-gui: ")
        assert {line.split()[0] for line in listed} == {
            step.id[:20] for step in opentine.Run.load(A).steps if step.id.startswith("2")
        }
        assert "fetch(papers.example.org/abs/2404-117)" in "".join(listed)


def test_a_folder_is_listed_and_its_files_that_cannot_be_read_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(A, tmp_path / "one.tine")
    shutil.copy(B, tmp_path / "two.tine")
    (tmp_path / "broken.tine").write_text("{")
    (tmp_path / "notes.txt").write_text("x")
    assert cli.main(["show", str(tmp_path)]) == 2
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == f"{tmp_path}: 2 runs (1 completed, 1 failed)"
    assert [line.split()[0] for line in said.out.splitlines()[1:]] == ["one.tine", "two.tine"]
    assert "broken.tine" in said.err
    assert cli.main(["verify", str(tmp_path)]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == "3 files: 1 not readable, 2 ok"
    (tmp_path / "empty").mkdir()
    assert cli.main(["verify", str(tmp_path / "empty")]) == 2
    assert "no run in this folder" in capsys.readouterr().err


def test_several_runs_are_printed_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", str(A), f"{A}#{FAILED}", str(DEMO)]) == 0
    out = capsys.readouterr().out
    assert out.index("27 steps") < out.index(FAILED) < out.index("2 runs (")


def test_values_come_back_from_their_lines() -> None:
    assert list(value_lines({"a": 1, "b": {"c": [True, "x\ny"]}, "d": ""})) == [
        "a: 1", "b:", "  c:", "    - true", "    -", "      x", "      y", 'd: ""',
    ]  # fmt: skip
    deep: Any = "bottom"
    for _ in range(400):
        deep = [deep]
    assert "bottom" in list(value_lines(deep))[-1]
    assert all(line == clean(line, len(line) + 1, lines=True) for line in value_lines({ESCAPE: [ESCAPE, {ESCAPE: 1}]}))


def test_of_a_picture_type_and_size_are_said_and_not_its_base64() -> None:
    data = picture()
    values = {"source": {"media_type": "image/png", "data": data}, "url": f"data:image/png;base64,{data}", "text": "a"}
    lines = list(value_lines(values))
    assert lines[0::4] == ["source:", "text: a"]
    assert "data: (image/png · 16 kB)" in lines[2]
    assert lines[3] == "url: (image/png · 16 kB)"


def test_a_run_read_from_the_pipe_is_byte_for_byte_the_files(tmp_path: Path) -> None:
    done = program("export", "-", "-o", "-", "--format", "json", input=encode(read(A)))
    assert json.loads(done.stdout)["run_id"] == "research-01"


@pytest.mark.parametrize("command", ["show", "verify", "diff", "fork", "export", "extract"])
def test_a_name_longer_than_a_name_may_be_is_one_clear_error(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = str(tmp_path / f"{'x' * 300}.tine")
    arguments = {
        "diff": ["diff", str(A), long],
        "fork": ["fork", str(A), "--from", FAILED[:12], "-o", long],
        "export": ["export", str(A), "-o", f"{long}.svg"],
        "extract": ["export", long, "-o", str(tmp_path / "x.svg")],
    }
    assert cli.main(arguments.get(command, [command, long])) != 0
    said = capsys.readouterr().err
    assert "File name too long" in said or "no such file" in said
    assert len(said.splitlines()) == 1
