"""`opentine-gui diff`, in this process and in a subprocess, on runs written by the real package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import opentine
import pytest

from opentine_gui import cli

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo"


@pytest.fixture(autouse=True)
def plain_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")


def saved(path: Path, *words: str, cost: float = 0.25, prompt: str = "Compare", **content: Any) -> Path:
    """A chain of think steps written by the package; the last one also holds `content`."""
    run = opentine.Run(id=path.stem, model_info="m", user_prompt=prompt)
    for number, word in enumerate(words):
        more = content if number == len(words) - 1 else {}
        run.add_step(
            opentine.StepKind("think"),
            {"text": word, **more},
            duration=0.5,
            cost=cost,
            usage={"input": 10},
        )
    run.status = opentine.RunStatus("completed")
    return Path(run.save(path))


def ids(path: Path) -> list[str]:
    return [step.id for step in opentine.Run.load(path).steps]


def answer(capsys: pytest.CaptureFixture[str], *paths: Path) -> tuple[int, dict[str, Any]]:
    status = cli.main(["diff", *map(str, paths), "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["status"] == status
    (found,) = said["results"]
    return status, found


def test_equal_runs_are_the_same_and_exit_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = saved(tmp_path / "a.tine", "x", "y"), saved(tmp_path / "b.tine", "x", "y")
    status, found = answer(capsys, one, two)
    assert status == 0
    assert (found["only_a"], found["only_b"], found["changed"], found["root_divergence"]) == ([], [], [], [])
    assert found["common_ancestor"] == ids(one)[-1]
    assert cli.main(["diff", str(one), str(two)]) == 0
    assert "Same: 2 steps, all in both runs." in capsys.readouterr().out


def test_the_durations_of_both_runs_are_called_the_sums_that_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = saved(tmp_path / "a.tine", "x", "y"), saved(tmp_path / "b.tine", "x", "y", "z")
    assert cli.main(["diff", str(one), str(two)]) == 1
    assert "sum of steps: 1.0 s → 1.5 s (+0.5 s)" in capsys.readouterr().out


def test_a_changed_step_is_reported_with_its_fields_and_exits_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = saved(tmp_path / "a.tine", "x", "y", q={"deep": [1, 2]})
    two = saved(tmp_path / "b.tine", "x", "y", q={"deep": [1, 3]}, new=True)
    status, found = answer(capsys, one, two)
    left, right = ids(one), ids(two)
    assert status == 1
    assert (found["common_ancestor"], found["only_a"], found["only_b"]) == (left[0], [], [])
    (pair,) = found["changed"]
    assert (pair["a"], pair["b"], pair["kind"], pair["same_request"]) == (left[1], right[1], "changed", False)
    (field,) = pair["fields"]
    assert (field["name"], field["changed_keys"]) == ("inputs", ["new", "q"])
    assert field["before"] == {"text": "y", "q": {"deep": [1, 2]}}
    assert field["paths"] == [
        {"path": ["new"], "change": "added", "after": True},
        {"path": ["q", "deep", 1], "change": "changed", "before": 2, "after": 3},
    ]
    assert found["root_divergence"] == [
        {"parent": left[0], "parents": [left[0]], "a": left[1], "b": right[1], "kind": "changed"}
    ]
    package = opentine.Run.load(one).diff(opentine.Run.load(two))
    assert package.common_ancestor == found["common_ancestor"]
    assert [(change.step_a.id, change.step_b.id) for change in package.changed] == [(pair["a"], pair["b"])]


def test_people_get_the_place_the_steps_and_the_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = saved(tmp_path / "a.tine", "x", "first\nsecond", "z")
    two = saved(tmp_path / "b.tine", "x", "first\n2nd", "z", "more", cost=0.5)
    assert cli.main(["diff", str(one), str(two)]) == 1
    out = capsys.readouterr().out
    assert f"They diverge after {ids(one)[0][:12]}: a step was changed." in out
    assert [line.strip() for line in out.splitlines() if "second" in line or "2nd" in line][-2:] == [
        "- second",
        "+ 2nd",
    ]
    assert "Steps: 1 in both runs, 1 only in B, 1 changed, 1 same work, moved, 1 with other figures." in out
    assert "cost: $0.7500 → $2.00 (+$1.25)" in out
    assert f"{ids(one)[0][:12]} is in both runs, with other figures:" in out
    assert "~ cost: 0.25 → 0.5" in out


def test_what_was_not_recorded_is_not_counted_as_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = saved(tmp_path / "a.tine", "x")
    run = opentine.Run(id="bare", model_info="m")
    run.add_step(opentine.StepKind("think"), {"text": "bare"}, cost=0.0)
    two = Path(run.save(tmp_path / "b.tine"))
    _, found = answer(capsys, one, two)
    assert found["totals"]["cost"] == {
        "a": 0.25, "b": None, "delta": None, "a_at_least": False, "b_at_least": False
    }  # fmt: skip
    assert cli.main(["diff", str(one), str(two)]) == 1
    assert "cost: $0.2500 → not recorded\n" in capsys.readouterr().out


def test_a_missing_or_broken_file_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = saved(tmp_path / "a.tine", "x")
    broken = tmp_path / "broken.tine"
    broken.write_text("{}")
    for other in (broken, tmp_path / "missing.tine"):
        assert cli.main(["diff", str(good), str(other)]) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith("opentine-gui: ")
        assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert cli.main(["diff", str(good)]) == 2


def test_recorded_text_cannot_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    escape = "\x1b[31mred\x1b]0;title\x07\u202egnp.exe"
    one = saved(tmp_path / "a.tine", "x", f"{escape} a", **{escape: 1}, lines=f"{escape}\none")
    two = saved(tmp_path / "b.tine", "x", f"{escape} b", **{escape: 2}, lines=f"{escape}\ntwo", prompt=escape)
    assert cli.main(["diff", str(one), str(two)]) == 1
    out = capsys.readouterr().out
    assert "red" in out
    assert not {"\x1b", "\x07", "\u202e"} & set(out)


def test_the_demo_parts_where_its_story_says(capsys: pytest.CaptureFixture[str]) -> None:
    source, retry = DEMO / "research-01.tine", DEMO / "retry-01.tine"
    status, found = answer(capsys, source, retry)
    point = opentine.Run.load(retry).metadata["fork_point"]
    assert status == 1
    assert found["common_ancestor"] == point
    assert point in {root["parent"] for root in found["root_divergence"]}
    assert set(found["only_a"]) | set(found["only_b"]) == set(ids(source)) ^ set(ids(retry))


def test_the_program_answers_with_the_same_exit_status(tmp_path: Path) -> None:
    one, two = saved(tmp_path / "a.tine", "x"), saved(tmp_path / "b.tine", "y")
    for other, status in ((one, 0), (two, 1), (tmp_path / "missing.tine", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "opentine_gui", "diff", str(one), str(other), "--json"],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == status
