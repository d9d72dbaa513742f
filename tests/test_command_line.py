"""The command line, in this process and in a subprocess; the real opentine package checks what it writes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import opentine
import pytest

from opentine_gui import cli
from opentine_gui.command_line.parser.arguments import build_parser
from opentine_gui.core import fork, read, write
from tests.core.sample_runs import make_step

ROOT = Path(__file__).parents[1]
COMMANDS = build_parser().commands
ESCAPE = "\x1b[31mred\x1b]0;title\x07\u202egnp.exe"


@pytest.fixture(autouse=True)
def plain_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A run of five steps written by the real package: a plan, two parallel searches, a join, an answer."""
    run = opentine.Run(id="source", model_info="m-1", user_prompt="Compare")
    plan = run.add_step(
        opentine.StepKind("think"), {"text": "plan"}, duration=0.5, cost=0.25, usage={"input": 10, "output": 5}
    )
    left = run.add_step(
        opentine.StepKind("tool"), {"name": "search", "arguments": {"q": "a"}}, {"result": ["x"]}, plan.id, duration=1.0
    )
    right = run.add_step(
        opentine.StepKind("tool"), {"name": "search", "arguments": {"q": "b"}}, {"result": ["y"]}, plan.id, duration=1.0
    )
    both = run.add_step(
        opentine.StepKind("model"), {"prompt": "join"}, {"text": "joined"}, parent_ids=[left.id, right.id], cost=0.5
    )
    run.add_step(opentine.StepKind("done"), {}, {"text": "done"}, both.id)
    run.status = opentine.RunStatus("completed")
    return Path(run.save(tmp_path / "source.tine"))


def program(*arguments: str | Path, **how: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a subprocess."""
    return subprocess.run(
        [sys.executable, "-m", "opentine_gui", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False, **how,
    )  # fmt: skip


def ids(path: Path) -> list[str]:
    return [step.id for step in opentine.Run.load(path).steps]


def recomputed(path: Path) -> list[str]:
    """Every step's id as the package computes it from the stored step."""
    return [
        opentine.core.step_id(
            step.kind, step.inputs, parent_ids=list(step.parent_ids), outputs=step.outputs,
            model_info=step.model_info, tool_info=step.tool_info, error=step.error,
        )
        for step in opentine.Run.load(path).steps
    ]  # fmt: skip


def sound(path: Path) -> bool:
    """Whether the package loads the file, its digest verifies, and every id is the hash of its step."""
    return opentine.Run.verify_integrity(path).ok and ids(path) == recomputed(path)


def one_result(capsys: pytest.CaptureFixture[str], command: str, *arguments: str | Path, status: int = 0) -> Any:
    """The one result in the JSON that a command prints."""
    assert cli.main([command, *map(str, arguments), "--json"]) == status
    said = json.loads(capsys.readouterr().out)
    assert (said["schema"], said["command"], said["status"]) == ("opentine-gui/1", command, status)
    (result,) = said["results"]
    return result


def one_complaint(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line written to stderr."""
    captured = capsys.readouterr().err
    assert captured.startswith("opentine-gui: ")
    assert captured.count("\n") == 1
    return captured


# --- starting ------------------------------------------------------------------------------------------------------


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
def test_help_takes_at_most_five_times_an_empty_python() -> None:
    def best(*arguments: str) -> float:
        times = []
        for _ in range(7):
            started = time.perf_counter()
            subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, timeout=60, check=True)
            times.append(time.perf_counter() - started)
        return min(times)

    assert best("-m", "opentine_gui", "--help") <= 5 * best("-c", "pass")


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


# --- show ----------------------------------------------------------------------------------------------------------


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
    recording = Path(__file__).parent / "data" / "recordings" / "openhands" / "1.58.0-c-errors" / "conversations"
    assert cli.main(["show", str(recording)]) == 0
    assert "Answer: finished with errors\n" in capsys.readouterr().out


def test_show_without_json_is_a_line_a_step(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", str(source)]) == 0
    head, _, steps = capsys.readouterr().out.partition("\n\n")
    assert head.splitlines()[0] == "Compare"
    assert "completed" in head.splitlines()[1]
    assert head.splitlines()[2].startswith("5 steps  2.5 s  $0.7500  15 tok")
    assert head.splitlines()[3] == "Answer: done"
    assert [line[:12] for line in steps.splitlines()] == [identity[:12] for identity in ids(source)]
    assert steps.endswith("[main]\n")


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


# --- verify --------------------------------------------------------------------------------------------------------


def tamper(path: Path, old: str, new: str, *, reseal: bool = False) -> Path:
    """Change text in a file; `reseal` recomputes the digest, as a careful forger would."""
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    if reseal:
        data = json.loads(path.read_text())
        data["metadata"]["integrity"]["digest"] = opentine.Run.verify_integrity(path).actual
        path.write_text(json.dumps(data, indent=2, sort_keys=True))
    return path


def test_verify_says_a_line_a_file_and_0_when_all_is_fine(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(source), str(source)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.startswith(f"{source}: ok") for line in lines] == [True, True, False]
    assert lines[2] == "2 files: 2 ok"


def test_verify_answers_1_for_a_changed_payload(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(tamper(source, "joined", "forged"))]) == 1
    assert "digest" in capsys.readouterr().out


def test_a_fork_of_a_changed_file_says_so_in_verify_and_show(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tamper(source, '"cost": 0', '"cost": 9')
    target = tmp_path / "fork.tine"
    assert cli.main(["fork", str(source), "--from", ids(source)[-1], "-o", str(target)]) == 0
    capsys.readouterr()
    assert cli.main(["verify", str(target)]) == 1
    line = capsys.readouterr().out
    assert "MISMATCH, digest matches; 5 of 5 step ids match; " in line
    assert "made from a run that did not verify: run " in line and "where the digest says " in line
    assert cli.main(["verify", "--json", str(target)]) == 1
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert [mark["digest"] for mark in found["unverified_origins"]] == ["mismatch"]
    cli.main(["show", str(target)])
    assert "Made from a run that did not verify: run " in capsys.readouterr().out


def test_verify_finds_a_changed_step_that_the_package_passes(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(source, "joined", "forged", reseal=True)
    assert opentine.Run.verify_integrity(source).ok
    assert cli.main(["verify", str(source)]) == 1
    assert ids(source)[3][:12] in capsys.readouterr().out


def test_verify_can_let_redacted_steps_pass(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(source, '"joined"', '"[REDACTED]"', reseal=True)
    assert cli.main(["verify", str(source)]) == 3
    assert "redact" in capsys.readouterr().out
    assert cli.main(["verify", "--allow-redacted", str(source)]) == 0
    tamper(source, '"text": "done"', '"text": "forged"', reseal=True)
    assert cli.main(["verify", "--allow-redacted", str(source)]) == 1


def test_verify_answers_2_when_any_file_cannot_be_read_and_still_checks_the_others(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.tine"
    broken.write_text("{")
    gone = tmp_path / "gone.tine"
    assert cli.main(["verify", str(broken), str(gone), str(source)]) == 2
    out = capsys.readouterr().out.splitlines()
    assert out[2].startswith(f"{source}: ok")
    assert out[3:] == ["3 files: 2 not readable, 1 ok"]


def test_verify_says_that_a_legacy_file_has_no_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / "old.tine"
    old.write_text(
        '{"type":"Run","id":"src","steps":[{"type":"Step","id":"6c23b87fdfc9","parent_id":null,"kind":"think",'
        '"inputs":{"text":"hi"},"outputs":{},"model_info":"","timestamp":1.0,"duration":0.0,"cost":0.0}]}'
    )
    assert cli.main(["verify", str(old)]) == 3
    assert "no digest" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("integrity", "said"),
    [
        (None, "no digest to check"),
        ("sha256", "no digest to check"),
        ({}, "digest cannot be used (unsupported algorithm)"),
        ({"algorithm": "md5", "digest": "0" * 64}, "digest cannot be used (unsupported algorithm)"),
        ({"algorithm": "sha256", "digest": "0"}, "digest cannot be used (malformed digest)"),
        ({"algorithm": "sha256"}, "digest cannot be used (malformed digest)"),
    ],
)
def test_verify_answers_3_for_a_file_whose_digest_cannot_be_compared(
    source: Path, capsys: pytest.CaptureFixture[str], integrity: object, said: str
) -> None:
    data = json.loads(source.read_text())
    data["metadata"]["integrity"] = integrity
    next(iter(data["graph"]["steps"].values()))["cost"] = 1_000_000.0
    source.write_text(json.dumps(data))
    assert cli.main(["verify", str(source)]) == 3
    assert capsys.readouterr().out.startswith(
        f"{source}: not verified, nothing contradicts it, but not everything could be checked, {said}; "
    )


def test_verify_answers_for_the_worst_of_its_files(source: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.tine"
    whole.write_bytes(source.read_bytes())
    bare = tmp_path / "bare.tine"
    data = json.loads(source.read_text())
    del data["metadata"]["integrity"]
    bare.write_text(json.dumps(data))
    forged = tamper(source, "joined", "forged")
    assert cli.main(["verify", str(bare), str(whole)]) == 3
    assert cli.main(["verify", str(forged), str(bare)]) == 1
    assert cli.main(["verify", str(bare), str(tmp_path / "gone.tine"), str(forged)]) == 2


def test_a_redacted_file_without_a_digest_is_not_verified_even_when_redaction_is_allowed(source: Path) -> None:
    data = json.loads(source.read_text().replace('"joined"', '"[REDACTED]"'))
    del data["metadata"]["integrity"]
    source.write_text(json.dumps(data))
    assert cli.main(["verify", str(source)]) == 3
    assert cli.main(["verify", "--allow-redacted", str(source)]) == 3


# --- fork ----------------------------------------------------------------------------------------------------------


def test_fork_keeps_the_ancestors_and_leaves_the_source_alone(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, kept = source.read_bytes(), ids(source)
    out = tmp_path / "out.tine"
    assert (
        cli.main(
            [
                "fork",
                str(source),
                "--from",
                kept[3][:10],
                "--title",
                "Again",
                "--tag",
                "B",
                "--tag",
                "a",
                "-o",
                str(out),
            ]
        )
        == 0
    )
    run = opentine.Run.load(out)
    assert [step.id for step in run.steps] == kept[:4]
    assert (run.status.value, run.tags, run.refs["main"]) == ("running", ["a", "b"], kept[3])
    assert json.loads(out.read_text())["metadata"]["title"] == "Again"
    assert run.id in capsys.readouterr().out
    assert sound(out)
    assert source.read_bytes() == before


def test_two_forks_of_one_step_get_two_ids_and_a_given_id_is_taken(source: Path, tmp_path: Path) -> None:
    outs = [tmp_path / name for name in ("a.tine", "b.tine", "c.tine")]
    for out in outs[:2]:
        assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(out)]) == 0
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "--id", "mine", "-o", str(outs[2])]) == 0
    first, second, third = (opentine.Run.load(out).id for out in outs)
    assert first != second
    assert third == "mine"


def test_fork_with_edited_inputs_puts_a_sibling_beside_the_step(source: Path, tmp_path: Path) -> None:
    out, kept = tmp_path / "out.tine", ids(source)
    assert (
        cli.main(["fork", str(source), "--from", kept[3], "--edit-inputs", '{"prompt": "join é"}', "-o", str(out)]) == 0
    )
    run = opentine.Run.load(out)
    assert [step.id for step in run.steps][:3] == kept[:3]
    (edited,) = run.steps[3:]
    assert edited.inputs == {"prompt": "join é"}
    assert edited.parent_ids == opentine.Run.load(source).steps[3].parent_ids
    assert sound(out)


@pytest.mark.parametrize("step", ["ffffffffffff", ""])
def test_fork_refuses_an_unknown_step(
    source: Path, tmp_path: Path, step: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["fork", str(source), "--from", step, "-o", str(tmp_path / "out.tine")]) == 1
    one_complaint(capsys)
    assert not (tmp_path / "out.tine").exists()


def test_nothing_is_overwritten_without_force(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.tine"
    out.write_text("precious")
    words = ["fork", str(source), "--from", ids(source)[0], "-o", str(out)]
    assert cli.main(words) == 1
    assert "--force" in one_complaint(capsys)
    assert out.read_text() == "precious"
    assert cli.main([*words, "--force"]) == 0
    assert sound(out)


@pytest.mark.parametrize("name", ["source.tine", "link.tine", "hard.tine"])
def test_a_source_is_never_overwritten_under_any_name(
    source: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (source.parent / "link.tine").symlink_to(source)
    (source.parent / "hard.tine").hardlink_to(source)
    before = source.read_bytes()
    assert cli.main(["fork", str(source), "--from", ids(source)[0], "-o", str(source.with_name(name)), "--force"]) == 1
    assert "source" in one_complaint(capsys)
    assert source.read_bytes() == before


def test_an_unreadable_source_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.tine"
    broken.write_bytes(b"\x00")
    assert cli.main(["fork", str(broken), "--from", "a", "-o", str(tmp_path / "out.tine")]) == 2
    assert "broken.tine" in one_complaint(capsys)


# --- merge ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def family(source: Path, tmp_path: Path) -> tuple[Path, Path]:
    """A run, and a fork of it that is one step longer."""
    other = tmp_path / "other.tine"
    assert cli.main(["fork", str(source), "--from", ids(source)[1], "-o", str(other)]) == 0
    run = opentine.Run.load(other)
    run.add_step(opentine.StepKind("model"), {"prompt": "another way"}, {"text": "other"})
    run.save(other)
    return source, other


def test_merge_across_runs_is_the_union_with_one_new_step(family: tuple[Path, Path], tmp_path: Path) -> None:
    first, second = family
    before = first.read_bytes(), second.read_bytes()
    tips, out = [ids(first)[-1], ids(second)[-1]], tmp_path / "merged.tine"
    words = ["merge", str(first), str(second), "--parents", ",".join(tip[:12] for tip in tips), "-o", str(out)]
    assert cli.main([*words, "--inputs", '{"text": "compare"}', "--outputs", '{"text": "same"}']) == 0
    run = opentine.Run.load(out)
    assert {step.id for step in run.steps[:-1]} == {*ids(first), *ids(second)}
    joined = run.steps[-1]
    assert (list(joined.parent_ids), joined.kind.value, joined.inputs, joined.outputs) == (
        tips, "model", {"text": "compare"}, {"text": "same"},
    )  # fmt: skip
    assert set(tips) <= set(run.refs.values())
    assert json.loads(out.read_text())["metadata"]["merge"]
    assert sound(out)
    assert (first.read_bytes(), second.read_bytes()) == before


def test_merge_inside_one_run_writes_a_new_file_with_one_more_step(source: Path, tmp_path: Path) -> None:
    before, known, out = source.read_bytes(), ids(source), tmp_path / "merged.tine"
    assert (
        cli.main(["merge", str(source), "--parents", f"{known[1]},{known[2]}", "--kind", "think", "-o", str(out)]) == 0
    )
    assert ids(out)[:-1] == known
    assert list(opentine.Run.load(out).steps[-1].parent_ids) == known[1:3]
    assert sound(out)
    assert source.read_bytes() == before
    assert json.loads(out.read_text())["run_id"] != json.loads(before)["run_id"]


def test_an_empty_id_for_a_fork_is_derived(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "fork.tine"
    assert cli.main(["fork", str(source), "--from", ids(source)[1], "--id", "", "-o", str(out)]) == 0
    assert json.loads(out.read_text())["run_id"]
    assert cli.main(["verify", str(out)]) == 0


def test_merge_refuses_an_ancestor_unless_it_is_allowed(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, out = ids(source), tmp_path / "merged.tine"
    words = ["merge", str(source), "--parents", f"{known[4]},{known[0]}", "-o", str(out)]
    assert cli.main(words) == 1
    assert "ancestor" in one_complaint(capsys)
    assert not out.exists()
    assert cli.main([*words, "--allow-ancestor"]) == 0
    assert sound(out)


def test_merge_refuses_the_same_step_twice(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = ids(source)
    assert (
        cli.main(["merge", str(source), "--parents", f"{known[1]},{known[1][:12]}", "-o", str(tmp_path / "m.tine")])
        == 1
    )
    one_complaint(capsys)


def test_merge_warns_of_a_step_that_does_not_verify_and_goes_on(
    family: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = family
    tamper(second, '"other"', '"[REDACTED]"', reseal=True)
    out = tmp_path / "merged.tine"
    assert (
        cli.main(["merge", str(first), str(second), "--parents", f"{ids(first)[-1]},{ids(second)[-1]}", "-o", str(out)])
        == 0
    )
    assert "warning" in capsys.readouterr().err
    assert opentine.Run.verify_integrity(out).ok


def test_merge_refuses_to_write_over_any_of_its_sources(
    family: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = family
    parents = f"{ids(first)[-1]},{ids(second)[-1]}"
    assert cli.main(["merge", str(first), str(second), "--parents", parents, "-o", str(second), "--force"]) == 1
    assert "source" in one_complaint(capsys)


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
