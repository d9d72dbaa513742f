"""Sessions that belong together are offered as one family, and shown as one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opentine_gui.app.comparison import session_families
from opentine_gui.scene.space.camera import to_screen
from tests.app.conftest import Bench

RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-e-fork" / "home"


def opened(bench: Bench) -> list[Path]:
    """The recorded forks, the first of which is open."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    paths = sorted((home / ".claude" / "projects").rglob("*.jsonl"))
    bench.do("file.open", path=paths[0])
    bench.session.settle()
    return paths


def test_forks_of_a_session_are_offered_and_share_their_beginning(bench: Bench) -> None:
    paths = opened(bench)
    assert f"{len(paths) - 1} other sessions belong together" in bench.notices("info")[0]
    bench.do("family.sessions")
    overlay = bench.active.overlay
    assert overlay is not None
    assert len(overlay.runs) == len(paths)
    assert overlay.family.shared
    names = [run.title for run in overlay.runs]
    assert all(name == "First question" or name.startswith("then ") for name in names), names
    assert len({*names}) == len(names), "each is named by what was asked last in it"


def test_of_a_family_with_more_sessions_than_can_be_shown_all_are_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_families, "MOST_TOGETHER", 3)
    paths = opened(bench)
    assert len(paths) > 3
    said = bench.notices("info")[0]
    assert said.startswith(f"{len(paths) - 1} other sessions belong together")
    assert said.endswith(" At once 2 of them can be shown.")


def test_what_is_compared_by_hand_is_not_offered_any_more(bench: Bench) -> None:
    paths = opened(bench)
    assert len(bench.notices("info")) == 1
    bench.do("compare.open", a=paths[0], b=paths[1])
    bench.session.settle()
    assert bench.notices("info") == []


def test_a_family_that_is_too_long_to_be_shown_whole_is_shown_where_its_runs_part(bench: Bench) -> None:
    opened(bench)
    bench.do("family.sessions")
    document, viewport = bench.active, bench.session.viewport
    overlay, camera = document.overlay, document.picture.camera
    assert overlay is not None and camera is not None
    family = overlay.family
    last = max(family.shared)
    around = [last, *family.graph.children[last]]
    assert len(around) > 2
    for step in around:
        card = document.picture.index_of(family.graph.ids[step])
        assert card is not None and document.picture.layout is not None
        x, y = to_screen(camera, viewport, *document.picture.layout.centers[card])
        assert 0 < x < viewport.width and 0 < y < viewport.height


def test_forks_that_ask_nothing_else_are_told_apart_by_their_lengths(bench: Bench) -> None:
    paths = opened(bench)
    session = paths[0]
    shorter = session.with_stem("shorter")
    lines = session.read_bytes().splitlines(keepends=True)
    shorter.write_bytes(b"".join(lines[:-2]))
    bench.do("family.open", runs=[session, shorter])
    overlay = bench.active.overlay
    assert overlay is not None
    assert len({run.title for run in overlay.runs}) == 2
    assert all(run.title.split(":")[0].endswith(("step", "steps")) for run in overlay.runs)


def test_a_run_of_a_family_that_grows_is_read_again(bench: Bench) -> None:
    paths = opened(bench)
    bench.do("family.sessions")
    family = bench.active
    assert family.overlay is not None
    before = len(family.overlay.family.graph)
    whole = paths[1].read_bytes()
    paths[1].write_bytes(whole[: whole.rstrip(b"\n").rfind(b"\n", 0, len(whole) // 2) + 1])
    bench.watch.post([paths[1]])
    bench.session.settle()
    bench.session.settle()
    assert family.overlay is not None
    assert len(family.overlay.family.graph) != before


def test_a_run_that_is_switched_off_or_lit_stays_so_while_its_session_grows(bench: Bench) -> None:
    session = opened(bench)[0]
    lines = session.read_bytes().splitlines(keepends=True)
    growing = session.with_stem("growing")
    growing.write_bytes(b"".join(lines[:-3]))
    bench.do("family.open", runs=[session, growing])
    family = bench.active
    assert family.overlay is not None
    names = [run.title for run in family.overlay.runs]
    (off,) = [number for number, run in enumerate(family.overlay.runs) if run.path == growing]
    bench.do("family.toggle_run", run=off)
    bench.do("family.light_run", run=1 - off)
    growing.write_bytes(b"".join(lines[:-2]))
    bench.watch.post([growing])
    bench.session.settle()
    assert [run.title for run in family.overlay.runs] != names, "they are told apart by their steps"
    assert (family.overlay.hidden, family.overlay.lit) == ({off}, 1 - off)
