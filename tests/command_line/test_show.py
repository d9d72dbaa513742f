"""`show`, and the ids of a repository wherever steps are named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import opentine
import pytest

from opentine_gui import cli
from opentine_gui.core import StepKind, fork, read, write
from tests.command_line.answers import ids, one_result, program
from tests.core.sample_runs import make_record, make_step

ROOT = Path(__file__).parents[2]
ESCAPE = "\x1b[31mred\x1b]0;title\x07\u202egnp.exe"


def test_show_prints_what_the_package_reads(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown, run = one_result(capsys, "show", source), opentine.Run.load(source)
    assert (shown["run_id"], shown["status"], shown["format_version"]) == ("source", "completed", 2)
    assert [(s["id"], s["kind"], s["parent_ids"]) for s in shown["steps"]] == [
        (step.id, step.kind.value, list(step.parent_ids)) for step in run.steps
    ]
    assert [(s["cost"], s["duration"]) for s in shown["steps"]] == [
        (step.cost or None, step.duration or None)
        for step in run.steps  # what was not recorded is null
    ]
    assert shown["roots"] == [step.id for step in run.root_steps()]
    assert shown["tips"] == [run.steps[-1].id]
    assert shown["refs"] == {"main": run.steps[-1].id}
    totals = shown["totals"]
    assert totals["cost"] == pytest.approx(run.total_cost)
    assert totals["duration"] == pytest.approx(run.total_duration)
    assert totals["tokens"] == run.total_tokens == 15


def test_an_answer_whose_step_has_no_question_in_it_is_shown_itself(capsys: pytest.CaptureFixture[str]) -> None:
    recording = Path(__file__).parents[1] / "data" / "recordings" / "openhands" / "1.58.0-c-errors" / "conversations"
    assert cli.main(["show", str(recording)]) == 0
    assert "Answer: finished with errors\n" in capsys.readouterr().out


def test_show_without_json_is_a_line_a_step(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", str(source)]) == 0
    head, _, steps = capsys.readouterr().out.partition("\n\n")
    assert head.splitlines()[0] == "Compare"
    assert "completed" in head.splitlines()[1]
    assert head.splitlines()[2].startswith("5 steps  2.5 s over all steps  $0.7500  15 tok")
    assert head.splitlines()[3] == "Answer: done"
    assert [line[:12] for line in steps.splitlines()] == [identity[:12] for identity in ids(source)]
    assert steps.endswith("[main]\n")


def test_a_list_says_of_a_log_what_the_run_itself_says_and_no_more(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recordings = Path(__file__).parents[1] / "data" / "recordings" / "claude-code"
    folder = tmp_path / "runs"
    folder.mkdir()
    log = shutil.copy(next((recordings / "2.1.197-a-plain").rglob("*.jsonl")), folder / "log.jsonl")
    shutil.copy(source, folder / "own.tine")
    assert cli.main(["import", str(log), "-o", str(folder / "imported.tine")]) == 0
    capsys.readouterr()
    assert cli.main(["show", str(log)]) == 0
    assert " · turn ended · " in capsys.readouterr().out
    assert cli.main(["show", str(folder)]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.endswith(": 3 runs (1 completed, 2 turn ended)")
    assert [row.split()[0] for row in rows if "turn ended" in row] == ["imported.tine", "log.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs links")
@pytest.mark.parametrize("command", [["show"], ["verify"], ["search", "plan"]])
def test_an_entry_that_cannot_be_looked_at_leaves_the_others_of_its_folder(
    command: list[str], source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copy(source, folder / "own.tine")
    (folder / "loop.tine").symlink_to("loop.tine")
    assert cli.main([*command, str(folder)]) == 2
    said, error = capsys.readouterr()
    assert "own.tine" in said
    assert "loop.tine" in error and "own.tine" not in error


def test_show_of_a_fork_whose_metrics_were_reset_counts_from_the_fork_and_keeps_the_whole(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = read(source)
    child = fork(record, record.graph.ids[2], now=1.5, nonce="", reset_metrics=True)
    longer = child.with_graph(child.graph.with_steps([make_step("next", record.graph.ids[2], cost=7.0)]))
    path = write(tmp_path / "reset.tine", longer)
    assert cli.main(["show", str(path)]) == 0
    since, whole = capsys.readouterr().out.splitlines()[2:4]
    assert since.startswith("1 step since the fork  ")
    assert "$7.00" in since
    assert whole.startswith("3 steps  ") and whole.endswith("the whole run")
    totals = one_result(capsys, "show", path)["totals"]
    assert totals["metrics_reset"] is True
    assert (totals["steps"], totals["own"]["steps"], totals["own"]["cost"]) == (3, 1, 7.0)


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_recorded_text_cannot_steer_the_terminal(
    tmp_path: Path, how: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = opentine.Run(id=ESCAPE, user_prompt=ESCAPE)
    run.add_step(opentine.StepKind("think"), {"text": ESCAPE}, ref=ESCAPE)
    path = Path(run.save(tmp_path / "hostile.tine"))
    assert cli.main(["show", str(path), *how]) == 0
    out = capsys.readouterr().out
    assert not set(out) & set("\x1b\x07\u202e")
    assert "red" in out


def test_a_closed_pipe_is_no_error(source: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "opentine_gui", "show", str(source), "--json"],
            cwd=ROOT, stdout=closed, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert (done.stderr, done.returncode) == ("", cli.PIPE_CLOSED)


def test_a_terminal_without_unicode_is_still_answered(source: Path) -> None:
    run = opentine.Run.load(source)
    run.add_step(opentine.StepKind("think"), {"text": "奖励模型 ✅"})
    run.save(source)
    done = program("show", source, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u5956" in done.stdout


# --- ids of a repository -------------------------------------------------------------------------------------------


def event_ids(path: Path, *, alike: int = 0) -> list[str]:
    """Give the steps ids as an export from a repository has them; the hex of all begins with `alike` equal letters."""
    text, names = path.read_text(), []
    for number, old in enumerate(ids(path)):
        names.append("event:sha256:" + ("a" * alike + f"{number:x}" + old)[:64])
        text = text.replace(old, names[-1])
    path.write_text(text)
    return names


def test_show_names_steps_of_a_repository_by_what_tells_them_apart(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = event_ids(source)
    assert cli.main(["show", str(source)]) == 0
    out = capsys.readouterr().out
    assert "event:" not in out
    for name in names:
        assert f"\n{name[13:25]}  " in out


def test_diff_names_steps_of_a_repository_by_what_tells_them_apart(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = event_ids(source)
    shorter = tmp_path / "shorter.tine"
    assert cli.main(["fork", str(source), "--from", names[3], "-o", str(shorter)]) == 0
    assert cli.main(["diff", str(source), str(shorter)]) == 1
    out = capsys.readouterr().out
    assert names[4][13:25] in out
    assert "event:" not in out


@pytest.mark.parametrize("typed", [slice(13, 17), slice(13, None), slice(0, 17), slice(0, None)])
def test_fork_takes_a_prefix_of_the_hex_of_a_repository_id_or_of_all_of_it(
    source: Path, tmp_path: Path, typed: slice
) -> None:
    names, out = event_ids(source), tmp_path / "fork.tine"
    assert cli.main(["fork", str(source), "--from", names[1][typed], "-o", str(out)]) == 0
    assert set(ids(out)) == set(names[:2])


@pytest.mark.parametrize("typed", ["aaaa", "event:sha256:", "event:sha256:aa", "e"])
def test_a_prefix_that_several_steps_of_a_repository_have_is_refused(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], typed: str
) -> None:
    event_ids(source, alike=4)
    assert cli.main(["fork", str(source), "--from", typed, "-o", str(tmp_path / "fork.tine")]) != 0
    assert "names several steps; give more characters" in capsys.readouterr().err


def test_a_failure_that_is_called_by_its_reason_is_said_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"type": "limit", "message": "Exceeded the limit of 50"}
    write(tmp_path / "run.tine", make_record([make_step("", kind=StepKind.ERROR, error=error)]))
    assert cli.main(["show", str(tmp_path / "run.tine")]) == 0
    (said,) = [line for line in capsys.readouterr().out.splitlines() if "1 step failed" in line]
    assert said.count("Exceeded the limit of 50") == 1
