"""Files of several runs on the command line: all are searched and listed, and which one is read is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from opentine_gui import cli
from opentine_gui.command_line.files import each_run
from opentine_gui.importers import readers

RECORDINGS = Path(__file__).parent.parent / "data" / "recordings"


@pytest.fixture
def evaluation(tmp_path: Path) -> Path:
    """A log of two samples."""
    (log,) = (RECORDINGS / "inspect-ai" / "0.3.285-a-agent-eval").glob("*.eval")
    return Path(shutil.copy(log, tmp_path / "log.eval"))


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A source that may hold several runs, and holds one."""
    return Path(shutil.copy(RECORDINGS / "openai-agents" / "0.24.0-b-tools" / "session.db", tmp_path / "session.db"))


def test_every_run_of_a_file_is_searched(evaluation: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", "--json", "kind:model", str(evaluation)]) == 0
    found = json.loads(capsys.readouterr().out)["results"]
    assert {one["file"] for one in found} == {f"{evaluation}#s1_epoch_1", f"{evaluation}#s2_epoch_1"}


@pytest.mark.parametrize("source", ["evaluation", "traces"])
def test_what_a_search_prints_is_a_step_that_can_be_shown(
    source: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["search", "kind:model", str(request.getfixturevalue(source))]) == 0
    places = [line.split("  ")[0] for line in capsys.readouterr().out.splitlines()]
    for place in places:
        assert cli.main(["show", "--json", place]) == 0
        assert json.loads(capsys.readouterr().out)["results"][0]["id"].startswith(place.rpartition("#")[2])


def test_a_file_of_several_runs_is_listed_like_a_folder(evaluation: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", str(evaluation)]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith(f"{evaluation}: 2 runs")
    assert [line.split()[0] for line in lines] == ["log.eval#s1_epoch_1", "log.eval#s2_epoch_1"]
    assert cli.main(["show", f"{evaluation}#s1_epoch_1"]) == 0
    assert "2 runs" not in capsys.readouterr().out


@pytest.mark.parametrize("command", ["fork", "export", "import", "diff", "blame"])
def test_a_command_for_one_run_says_which_of_several_it_takes(
    command: str, evaluation: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    step = readers.read_run(evaluation).graph.ids[0]
    arguments = {
        "fork": [str(evaluation), "--from", step, "-o", str(tmp_path / "out.tine")],
        "export": [str(evaluation), "-o", str(tmp_path / "out.svg")],
        "import": [str(evaluation), "-o", str(tmp_path / "out.tine")],
        "diff": [str(evaluation), f"{evaluation}#s1_epoch_1"],
        "blame": [str(evaluation), "a.py:1"],
    }
    cli.main([command, *arguments[command]])
    said = capsys.readouterr().err
    assert said.count("holds 2 runs; this is its #s1_epoch_1") == 1, "the one that is read"
    assert "FILE#PART" in said


def test_a_file_of_one_run_and_a_run_that_is_named_stand_for_themselves(evaluation: Path, traces: Path) -> None:
    named = Path(f"{evaluation}#s1_epoch_1")
    assert each_run(traces) == [traces] and each_run(named) == [named] and each_run(Path("-")) == [Path("-")]


def test_a_step_that_is_in_no_run_of_the_file_is_named(evaluation: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", f"{evaluation}#zzz"]) == 1
    assert "there is no step 'zzz'" in capsys.readouterr().err
