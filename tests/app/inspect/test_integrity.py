"""What the window says of what was checked, where the run is an agent's own log."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.inspect.integrity import A_LOG, VERIFIED, statements, verdict
from tests.app.conftest import Bench

SESSION = next((Path(__file__).parents[2] / "data/recordings/claude-code/2.1.197-b-parallel").rglob("*.jsonl"))


def test_a_log_has_nothing_to_check_against_until_it_is_saved(bench: Bench) -> None:
    path = bench.folder / "session.jsonl"
    path.write_bytes(SESSION.read_bytes())
    bench.open("session.jsonl")
    words, role, why = verdict(bench.active)
    assert (words, role) == (A_LOG, "quiet")
    assert statements(bench.active) == [(why, "text")]
    bench.prompter.answers.append((bench.folder / "session.tine",))
    bench.do("file.save")
    assert verdict(bench.active)[0] == VERIFIED
