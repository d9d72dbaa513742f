"""`import`: several sessions at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.cli import main
from opentine_gui.importers import readers

RECORDED = Path(__file__).parents[1] / "data" / "recordings" / "claude-code" / "2.1.197-a-plain" / "home"


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_of_two_sessions_with_one_name_neither_replaces_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], force: tuple[str, ...]
) -> None:
    (recorded,) = (RECORDED / ".claude" / "projects").rglob("*.jsonl")
    lines = recorded.read_bytes().splitlines(keepends=True)
    sessions = [tmp_path / name / "chat.jsonl" for name in ("one", "two")]
    for session, kept in zip(sessions, (len(lines), len(lines) - 2), strict=True):
        session.parent.mkdir()
        session.write_bytes(b"".join(lines[:kept]))
    out = tmp_path / "out"
    out.mkdir()
    assert main(["import", *map(str, sessions), "-o", str(out), *force]) != 0
    assert readers.read_run(out / "chat.tine").graph.ids == readers.read_run(sessions[0]).graph.ids
    assert f"what was just written of {sessions[0]}" in capsys.readouterr().err.replace("\n", "")
    assert main(["import", *map(str, sessions), "-o", str(out), "--force"]) != 0
