"""What an idle window does, and one whose cards slide, counted in calls and frames: no seconds are measured here."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

import dearpygui.dearpygui as dpg
import pytest

from bench.generate import agent_run
from opentine_gui.app.folder import agent_sessions
from opentine_gui.app.system.watch import time_of_files
from opentine_gui.core import write
from opentine_gui.ui import frame as frame_module
from opentine_gui.ui.toolkit.painter import Painter
from tests.ui.opened import Opened, copy_of_demo

ROOT = Path(__file__).parents[3]
RECORDED = ROOT / "tests" / "data" / "recordings"
LOOKS = 50
MOST_CALLS_IN_A_LOOK = 85
MOST_CALLS_IN_A_FRAME = 570
SESSIONS = 64
MOST_FRAMES = 300
QUIET_FRAMES = 4


class Time:
    """Stands for the module `time` in the frame loop: sleeping takes no time and moves this clock on."""

    def __init__(self) -> None:
        self.now = monotonic()

    def monotonic(self) -> float:
        return self.now

    def thread_time(self) -> float:
        return 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def calls_in(work: Callable[[], object], times: int) -> float:
    """How many functions of Python a call of `work` calls, on average."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(called)
    try:
        for _ in range(times):
            work()
    finally:
        sys.setprofile(None)
    return count / times


def at_rest(opened: Opened, path: Path) -> None:
    """Open a run and wait until everything about it is worked out and on screen.

    It is opened once it is older than any tick of the clock of files: what is younger than its watch is looked at again
    some time later.
    """
    written = max(file.stat().st_ctime_ns for file in path.parent.iterdir())
    opened.until(lambda: time_of_files() > written, "a later time")
    opened.open(path)
    quiet = QUIET_FRAMES
    while quiet:  # what came with one frame may ask for more in the next
        opened.rest()
        quiet = quiet - 1 if opened.session.jobs.idle else QUIET_FRAMES


def demo(folder: Path) -> Path:
    """A run in a folder where nobody else writes: the window looks at what happens beside a run, too."""
    return copy_of_demo(folder) / "research-01.tine"


def runs(folder: Path) -> dict[str, Path]:
    return {"demo": demo(folder), "folded": write(folder / "long.tine", agent_run(700))}


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    return Opened(tmp_path)


def idle_frames(opened: Opened, monkeypatch: pytest.MonkeyPatch, seconds: float) -> int:
    """How many frames the loop draws in so many seconds in which the display sends nothing."""
    session, loop = opened.session, opened.loop
    time = Time()
    time.now = max(time.now, loop._busy_until)  # what happened last keeps a window awake for a moment
    monkeypatch.setattr(frame_module, "time", time)
    monkeypatch.setattr(session, "clock", time.monotonic)
    monkeypatch.setattr(session.jobs, "clock", time.monotonic)
    monkeypatch.setattr(session.agent_sessions, "_next_look", 0.0)
    monkeypatch.setattr(session.agent_sessions, "_looked_at", 0.0)

    def wait(seconds: float) -> bool:
        time.sleep(seconds)
        session.jobs.wait(5.0 if not session.jobs.idle else 0.0)  # a look is short, and this clock runs fast
        return False

    loop.waiter.attach()
    monkeypatch.setattr(loop.waiter, "wait", wait)
    began, drawn = time.now, loop.frames
    while time.now - began < seconds and loop.frames - drawn < MOST_FRAMES:
        loop.render_frame()
        loop._sleep(time.now)
    return loop.frames - drawn


def listed_sessions(opened: Opened) -> None:
    """Put many sessions of an agent where it keeps them."""
    folder = opened.session.agent_sessions.places.home / ".claude" / "projects" / "-work-project"
    folder.mkdir(parents=True)
    recorded = min(RECORDED.rglob("claude-code/**/*.jsonl"), key=lambda path: path.stat().st_size)
    for number in range(SESSIONS):
        shutil.copy(recorded, folder / f"{number:08d}-0000-4000-8000-000000000000.jsonl")
    opened.session.agent_sessions.look(opened.session)
    opened.until(lambda: len(opened.session.agent_sessions.rows) == SESSIONS, "the sessions listed")


@pytest.mark.parametrize("kind", ["demo", "folded"])
def test_a_look_at_an_unchanged_session_does_next_to_nothing(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    at_rest(opened, runs(tmp_path)[kind])
    session, submitted, asked = opened.session, Counter[str](), Counter[str]()
    submit = session.jobs.submit
    monkeypatch.setattr(session.agent_sessions, "_next_look", session.clock() + 1e6)
    monkeypatch.setattr(session.agent_sessions, "_looked_at", session.clock() + 1e6)

    def noted(key: str, *given: Any, **options: Any) -> None:
        submitted[key] += 1
        submit(key, *given, **options)

    def counted(name: str) -> None:
        inner = getattr(os, name)

        def call(*given: Any, **options: Any) -> Any:
            asked[name] += 1
            return inner(*given, **options)

        monkeypatch.setattr(os, name, call)

    monkeypatch.setattr(session.jobs, "submit", noted)
    for name in ("stat", "lstat", "scandir", "listdir", "open"):
        counted(name)
    revision = session.revision
    calls = calls_in(lambda: session.step(), LOOKS)
    here = {name: count for name, count in asked.items() if count > LOOKS // 10}  # the watch looks for itself
    assert (session.revision, submitted, here) == (revision, Counter(), {})
    assert calls < MOST_CALLS_IN_A_LOOK
    opened.close()


@pytest.mark.parametrize("kind", ["demo", "folded"])
def test_a_frame_of_an_unchanged_session_paints_nothing(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    at_rest(opened, runs(tmp_path)[kind])
    painted: list[object] = []
    monkeypatch.setattr(Painter, "repaint", lambda _painter, node, _items: painted.append(node))
    monkeypatch.setattr(Painter, "paint", lambda _painter, node, _items: painted.append(node))
    assert opened.window.sync() is False
    calls = calls_in(opened.window.sync, 20)
    assert painted == []
    assert calls < MOST_CALLS_IN_A_FRAME
    opened.close()


def test_an_idle_window_draws_hardly_a_frame_while_the_folders_of_agents_are_looked_at(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed_sessions(opened)
    at_rest(opened, demo(tmp_path))
    looks: list[object] = []
    found = agent_sessions.found_sessions
    monkeypatch.setattr(agent_sessions, "found_sessions", lambda places: looks.append(places) or found(places))
    revision = opened.session.agent_sessions.revision
    drawn = idle_frames(opened, monkeypatch, 120.0)
    assert 10 <= len(looks) <= 14
    assert opened.session.agent_sessions.revision == revision
    assert drawn <= 15
    opened.close()


def test_a_job_that_nobody_sees_at_work_costs_no_frames(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_rest(opened, demo(tmp_path))
    opened.session.view.sessions = False
    without = idle_frames(opened, monkeypatch, 30.0)
    jobs = opened.session.jobs
    for number in range(20):
        jobs.submit(f"look:{number}", lambda _progress, _cancelled: None, lambda _none: None, quiet=True)
    assert idle_frames(opened, monkeypatch, 30.0) <= without + 2
    opened.close()


def test_a_notice_that_goes_by_itself_is_gone_in_time(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_rest(opened, demo(tmp_path))
    idle_frames(opened, monkeypatch, 60.0)
    opened.session.notices.add("info", "This goes by itself.", key="going")
    idle_frames(opened, monkeypatch, 12.0)
    assert not opened.session.notices.list()
    opened.close()


def test_what_stands_beside_the_canvas_is_made_once_for_an_opened_group_and_not_while_its_cards_slide(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_rest(opened, runs(tmp_path)["folded"])
    document, window = opened.document, opened.window
    made: Counter[str] = Counter()

    def noted(view: object, name: str) -> None:
        inner = getattr(view, name)

        def call(*given: Any) -> Any:
            made[type(view).__name__] += document.picture.card_slide is not None
            return inner(*given)

        monkeypatch.setattr(view, name, call)

    noted(window.inspector, "_build")
    noted(window.minimap, "_make")
    status = window.panels["status"]
    noted(status, "_draw")
    fold = document.picture.fold
    assert fold is not None
    card = max((card for card in range(len(fold)) if fold.is_group(card)), key=lambda card: fold.card(card).size)
    time = Time()
    monkeypatch.setattr(opened.session, "clock", time.monotonic)
    opened.session.invoke("fold.open", step=document.picture.step_id(card))
    opened.until(lambda: document.picture.card_slide is not None, "cards on their way")
    frames = 0
    while document.picture.card_slide is not None:
        time.sleep(1 / 60)
        opened.frame()
        frames += 1
    assert frames > 6
    assert max(made.values(), default=0) <= 2, made
    opened.close()


def test_cards_that_slide_are_moved_and_not_drawn_again(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_rest(opened, runs(tmp_path)["folded"])
    document, world = opened.document, opened.window.canvas.world
    drawn: list[set[int]] = []
    show = world.show

    def noted(*given: Any, **more: Any) -> None:
        show(*given, **more)
        drawn.append(set(dpg.get_item_children(world.node, 2)))

    monkeypatch.setattr(world, "show", noted)
    fold = document.picture.fold
    assert fold is not None
    card = next(card for card in range(len(fold)) if fold.is_group(card))
    time = Time()
    monkeypatch.setattr(opened.session, "clock", time.monotonic)
    opened.session.invoke("fold.open", step=document.picture.step_id(card))
    opened.until(lambda: document.picture.card_slide is not None, "cards on their way")
    assert document.picture.card_slide is not None
    assert len(document.picture.card_slide.origins) > 5
    drawn = drawn[-1:]
    while document.picture.card_slide is not None:
        time.sleep(1 / 60)
        opened.frame()
    assert len(drawn) > 6
    made = [len(after - before) for before, after in pairwise(drawn)]
    assert max(made) <= len(world.drawing.parts) / 8, f"links to cards that stand still, and frames: {made}"
    opened.close()
