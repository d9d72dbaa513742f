"""`blame` on the command line: the step that wrote a line, of the file as it lies there or as a step left it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opentine_gui import cli
from opentine_gui.core import write
from tests.core.analysis.call_runs import Recording, session_of_edits


@pytest.fixture
def session(tmp_path: Path) -> Path:
    return write(tmp_path / "edits.tine", session_of_edits())


def test_a_line_names_the_step_that_wrote_it(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    step = session_of_edits().graph.ids[7]
    assert cli.main(["blame", str(session), "src/a.py:2"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"src/a.py:2  {step[:12]}  2026-02-02 02:41:10  Edit(")
    assert said.endswith("return 3\n")


def test_the_text_a_step_left_can_be_asked_for(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ids = session_of_edits().graph.ids
    assert cli.main(["blame", str(session), "a.py", "--step", ids[4], "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["results"]
    assert [(line["line"], line["text"], line["step"]) for line in lines] == [
        (1, "def f():", None),
        (2, "    return 2", ids[3]),
        (3, "# end", None),
    ]


def test_the_file_on_the_disk_goes_before_the_recorded_one(
    session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(session.parent)
    (session.parent / "src").mkdir()
    (session.parent / "src" / "a.py").write_text("# new\ndef f():\n    return 3\n")
    assert cli.main(["blame", str(session), "src/a.py:3"]) == 0
    assert session_of_edits().graph.ids[7][:12] in capsys.readouterr().out
    assert cli.main(["blame", str(session), "src/a.py:1"]) == 1
    assert "no record: the run does not leave the line like that" in capsys.readouterr().out


@pytest.mark.parametrize("place", ["other.py:3", "a.py:99", "a.py:0"])
def test_what_is_not_there_is_refused_in_a_sentence(
    place: str, session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["blame", str(session), place]) == 1
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith("opentine-gui: ")


def test_recorded_text_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = Recording()
    run.call("Write", {"file_path": "/w/\x1b[31ma.py", "content": "\x1b]0;title\x07\n"})
    path = write(tmp_path / "run.tine", run.record())
    assert cli.main(["blame", str(path), "/w/\x1b[31ma.py"]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("number", ["²", "9" * 5_000])
def test_what_is_no_number_of_a_line_belongs_to_the_name(
    session: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["blame", str(session), f"a.py:{number}"]) == 1
    assert "a.py:" in capsys.readouterr().err
