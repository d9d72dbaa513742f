"""The folders of agents are looked at while their list can be seen; a look that finds nothing new changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from opentine_gui.app.folder import agent_sessions
from tests.app.conftest import Bench


@pytest.fixture
def looks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The looks at the folders from now on."""
    bench.session.settle()
    looks: list[object] = []
    found = agent_sessions.found_sessions
    monkeypatch.setattr(agent_sessions, "found_sessions", lambda places: looks.append(places) or found(places))
    return looks


def wait(bench: Bench, seconds: float) -> bool:
    """Look at the session ten times a second for so long; whether anything visible changed."""
    bench.step()
    changed = False
    for _ in range(round(seconds * 10)):
        bench.clock.now += 0.1
        changed |= bench.step()
    return changed


def test_a_look_that_finds_nothing_new_changes_nothing_on_screen(bench: Bench, looks: list[object]) -> None:
    assert not wait(bench, 60.0)
    assert 5 <= len(looks) <= 7


def test_what_a_look_finds_is_seen(bench: Bench, looks: list[object]) -> None:
    wait(bench, 12.0)
    folder = bench.session.agent_sessions.places.home / ".claude" / "projects" / "-work-project"
    folder.mkdir(parents=True)
    recorded = Path(__file__).parents[3] / "data" / "recordings" / "claude-code"
    found = min(recorded.rglob("*.jsonl"), key=lambda path: path.stat().st_size)
    (folder / found.name).write_bytes(found.read_bytes())
    assert wait(bench, 12.0)
    assert len(bench.session.agent_sessions.rows) == 1


@pytest.mark.parametrize("switch", ["sessions", "panels"])
def test_nothing_is_looked_at_while_the_list_is_hidden(bench: Bench, looks: list[object], switch: str) -> None:
    setattr(bench.session.view, switch, False)
    wait(bench, 60.0)
    assert looks == []
