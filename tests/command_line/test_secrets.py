"""What is written of a session with what looks like a secret is warned of on stderr, and written all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opentine_gui.cli import main
from opentine_gui.core.files import storage

KEY = "sk-ant-" + "Abc123Def456Ghi789Jkl012"


def session(folder: Path, *prompts: str) -> Path:
    """A session of pi in which somebody says something and is answered."""
    lines = [{"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/p"}]
    above = None
    for number, prompt in enumerate(prompts):
        for role, said in (("user", prompt), ("assistant", f"answer {number}")):
            message = {"role": role, "content": [{"type": "text", "text": said}], "timestamp": 1_767_225_600_000}
            identity = f"{role}{number}"
            lines.append({"type": "message", "id": identity, "parentId": above,
                          "timestamp": "2026-01-01T00:00:00Z", "message": message})  # fmt: skip
            above = identity
    path = folder / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("command", ["import", "export"])
def test_a_session_with_a_secret_is_written_with_a_warning_that_names_the_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    source = session(tmp_path, f"use {KEY}", "and go on")
    output = tmp_path / ("out.tine" if command == "import" else "out.md")
    assert main([command, str(source), "-o", str(output)]) == 0
    assert output.exists()
    said = [line for line in capsys.readouterr().err.splitlines() if "may hold" in line]
    assert len(said) == 1
    assert "a key of Anthropic" in said[0]
    assert source.name in said[0]
    assert KEY not in said[0]
    written = storage.read(tmp_path / "out.tine") if command == "import" else None
    if written is not None:
        step = said[0].partition("step ")[2].split()[0]
        assert KEY in str(written.graph.step(written.resolve(step)).inputs)


def test_many_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = session(tmp_path, *[f"{number}: use {KEY}" for number in range(9)])
    assert main(["import", str(source), "-o", str(tmp_path / "out.tine"), "--json"]) == 0
    answered = capsys.readouterr()
    said = [line for line in answered.err.splitlines() if "may hold" in line]
    assert len(said) == 7
    assert "3 more steps" in said[-1]
    assert len(json.loads(answered.out)["warnings"]) == 7


def test_a_fork_of_a_session_is_warned_of_and_a_tine_file_is_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = session(tmp_path, f"use {KEY}")
    kept, forked = tmp_path / "kept.tine", tmp_path / "forked.tine"
    assert main(["import", str(source), "-o", str(kept)]) == 0
    first = storage.read(kept).graph.ids[0]
    capsys.readouterr()
    assert main(["fork", str(source), "--from", first, "-o", str(forked)]) == 0
    assert "may hold" in capsys.readouterr().err
    assert main(["export", str(kept), "-o", str(tmp_path / "out.md")]) == 0
    assert "may hold" not in capsys.readouterr().err


def test_nothing_is_reported_where_nothing_looks_like_a_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = session(tmp_path, "an ordinary question")
    assert main(["import", str(source), "-o", str(tmp_path / "out.tine")]) == 0
    assert "may hold" not in capsys.readouterr().err
