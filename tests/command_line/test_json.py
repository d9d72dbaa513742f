"""What the command line prints with --json, and docs/JSON.md, which describes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import opentine
import pytest

from opentine_gui import cli
from opentine_gui.command_line.parser.arguments import build_parser

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "assets" / "demo"
A, B = DEMO / "research-01.tine", DEMO / "retry-01.tine"
FAILED = "2a55e61cfbd97ca14c5b1b34a317d8242cad9163401e1d0d1986c90c12e62eb2"
PAGE = (ROOT / "docs" / "JSON.md").read_text(encoding="utf-8")


def in_the_page(kind: str) -> set[str]:
    """The keys that docs/JSON.md says a result of this type has."""
    section = PAGE.partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    return {name for row in re.findall(r"^\| (`[^|]*) \|", section, re.M) for name in re.findall(r"`(\w+)`", row)}


def answers(tmp_path: Path) -> dict[str, list[str]]:
    """For each type of result a command that prints it."""
    return {
        "run": ["show", str(A)],
        "step": ["show", f"{A}#{FAILED}"],
        "overview": ["show", str(DEMO)],
        "verification": ["verify", str(A)],
        "comparison": ["diff", str(A), str(B)],
        "written": ["fork", str(A), "--from", FAILED, "-o", str(tmp_path / "fork.tine")],
        "imported": ["import", str(A), "-o", str(tmp_path / "imported.tine")],
        "message": ["associate", "--remove"],
    }


@pytest.mark.parametrize("kind", sorted(answers(Path())))
def test_the_page_about_json_names_every_key_and_no_other(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    cli.main([*answers(tmp_path)[kind], "--json"])
    out = capsys.readouterr().out
    assert out.isascii()
    said = json.loads(out)
    assert set(said) == set(json.loads(PAGE.split("```json\n")[1].split("```")[0]))
    assert said["results"]
    for result in said["results"]:
        assert result["type"] == kind
        assert set(result) == in_the_page(kind)


def test_every_command_with_json_is_in_the_page() -> None:
    speaking = {name for name, parser in build_parser().commands.items() if "--json" in parser.format_help()}
    assert speaking >= {"show", "verify", "diff", "export", "fork", "merge", "associate", "self-test"}
    assert [name for name in sorted(speaking) if f"`{name}" not in PAGE] == []


def test_errors_are_in_the_json_and_what_was_not_recorded_is_null(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone.tine"
    assert cli.main(["show", str(gone), str(A), "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert [(error["file"], "no such file" in error["message"]) for error in said["errors"]] == [(str(gone), True)]
    (run,) = said["results"]
    quiet = next(step for step in run["steps"] if step["id"] == FAILED)
    assert (quiet["cost"], quiet["tokens"], quiet["cost_state"]) == (None, None, "not recorded")
    bare = opentine.Run(id="bare")
    bare.add_step(opentine.StepKind("think"), {"text": "x"})
    path = Path(bare.save(tmp_path / "bare.tine"))
    for arguments in ([str(path)], [str(tmp_path)]):
        assert cli.main(["show", *arguments, "--json"]) == 0
        (result,) = json.loads(capsys.readouterr().out)["results"]
        totals = result["totals"]
        assert (totals["steps"], totals["cost"], totals["duration"], totals["tokens"]) == (1, None, None, None)


def test_json_and_the_file_itself_do_not_share_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fork", str(A), "--from", FAILED, "-o", "-", "--json"]) == 1
    assert "both want standard output" in json.loads(capsys.readouterr().out)["errors"][0]["message"]


def test_costs_whose_sum_is_no_finite_number_are_null_in_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = json.loads(A.read_bytes())
    for step in values["graph"]["steps"].values():
        step["cost"] = 1.7e308
    path = tmp_path / "dear.tine"
    path.write_text(json.dumps(values), encoding="utf-8")
    cli.main(["show", "--json", str(path)])
    assert "null" in capsys.readouterr().out
    for sources in ([path], [path, A]):
        target = tmp_path / "out.json"
        assert cli.main(["export", *map(str, sources), "-o", str(target), "--force"]) == 0
        assert b"null" in target.read_bytes()
        json.loads(target.read_bytes(), parse_constant=lambda word: pytest.fail(word))
