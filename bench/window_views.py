"""CPU time of the render thread with each view of the window open: a folded run, the panels beside it, and viewers.

Each view in a process of its own, on a private display, under a real mouse (xdotool) where it is pointed at. `python -m
bench.window_views VIEW STEPS` plays one in this process and prints the milliseconds of its frames as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dearpygui.dearpygui as dpg

from bench.clock import own_home, program, quantile
from bench.idle import write_sessions
from bench.session_runs import session_run
from bench.table import Row, at_most
from opentine_gui.core import write
from tests.gallery import gallery
from tests.ui.opened import DEMO, Opened
from tests.ui.virtual_display import VirtualDisplay

SIZES = (700, 10_000)
MOVES, NOTCHES, TIMES = 40, 15, 8
SCREEN = "1600x1000x24"


def _pan(opened: Opened) -> None:
    """Move the canvas away and back, then zoom out and in."""
    area = opened.window.canvas.area
    x, y = area.x + area.width / 2, area.y + area.height / 2
    opened.mouse.drag((x, y), (x + 200, y - 240), "middle", MOVES)
    opened.mouse.drag((x + 200, y - 240), (x, y), "middle", MOVES)
    for notches in (-NOTCHES, NOTCHES):
        opened.mouse.wheel(notches, (x, y))


def _over(opened: Opened, panel: str) -> None:
    """Turn the wheel over a panel, then move the canvas beside it."""
    pane = opened.window.panels[panel].pane.window
    (x, y), wide, high = dpg.get_item_pos(pane), dpg.get_item_width(pane), dpg.get_item_height(pane)
    for notches in (-NOTCHES, NOTCHES):
        opened.mouse.wheel(notches, (x + wide / 2, y + high * 0.7))
    _pan(opened)


def _groups(opened: Opened) -> None:
    """Open the largest group that is shown, again and again inside, and close them all."""
    session, document = opened.session, opened.document
    for _ in range(2):
        for _ in range(TIMES):
            fold = document.picture.fold
            assert fold is not None
            groups = [card for card in range(len(fold)) if fold.is_group(card)]
            if not groups:
                break
            card = max(groups, key=lambda one: fold.card(one).size)
            session.invoke("fold.open", step=document.picture.step_id(card))
            _moving(opened)
        while document.picture.fold is not None and document.picture.fold.state.openings:
            before = len(document.picture.fold.state.openings)
            session.invoke("fold.close", name=document.picture.fold.state.openings[-1].name)
            _moving(opened)
            if len(document.picture.fold.state.openings) >= before:
                break


def _moving(opened: Opened) -> None:
    """Frames as they come while something moves, until every panel shows it."""
    opened.frame()
    end = time.monotonic() + 20
    while (opened.session.busy or opened.window.turns.pending) and time.monotonic() < end:
        time.sleep(0.01)
        opened.frame()
    opened.frame()


def _brush(opened: Opened) -> None:
    """Drag an area over the time strip, move the canvas with it, and zoom the strip."""
    sheet = opened.window.panels["timeline"].sheet  # type: ignore[attr-defined]
    left, top = dpg.get_item_rect_min(sheet.drawlist)
    low = top + sheet.height - 20
    opened.mouse.drag((left + 60, low), (left + 500, low), moves=MOVES)
    opened.until(lambda: opened.document.strip.area is not None, "the area")
    _pan(opened)
    for notches in (NOTCHES, -NOTCHES):
        opened.mouse.wheel(notches, (left + 300, low))


def _files(opened: Opened) -> None:
    opened.session.invoke("view.files", shown=True)
    opened.rest()
    _over(opened, "files")


def _suspects(opened: Opened) -> None:
    """Walk the failures, each with its suspects in the inspector, and scroll there."""
    for _ in range(TIMES):
        opened.keyboard.press("n")
        _moving(opened)
    opened.session.invoke("select.none")
    opened.rest()
    _over(opened, "inspector")


def _search(opened: Opened) -> None:
    """Type a question with many results, go from match to match, and scroll them."""
    opened.session.invoke("search.open", text="parser")
    opened.rest()
    for _ in range(TIMES):
        opened.session.invoke("search.next")
        _moving(opened)
    _over(opened, "search")


def _heat(opened: Opened) -> None:
    opened.session.invoke("view.heat", figure="time")
    opened.rest()
    _over(opened, "heat")


def _sessions(opened: Opened) -> None:
    opened.session.agent_sessions.look(opened.session)
    opened.until(lambda: opened.session.agent_sessions.rows, "the sessions listed")
    opened.rest()
    opened.session.invoke("sessions.all", agent="claude")
    opened.rest()
    _over(opened, "sessions")


def _viewer(name: str) -> Callable[[Opened], None]:
    def play(opened: Opened) -> None:
        _, ids = gallery()
        opened.session.invoke("select.step", step=ids[name])
        opened.rest()
        opened.session.invoke("inspect.read")
        opened.rest()
        for notches in (-NOTCHES, -NOTCHES, NOTCHES, NOTCHES):
            opened.mouse.wheel(notches, (700, 500))

    return play


VIEWS: dict[str, Callable[[Opened], None]] = {
    "a folded run is moved": _pan,
    "groups open and close": _groups,
    "an area is dragged over the time strip": _brush,
    "the files are listed": _files,
    "suspects are walked": _suspects,
    "results of a search are walked": _search,
    "steps are coloured": _heat,
    "64 sessions are listed": _sessions,
}
VIEWERS = {"Markdown": "report", "a diff": "edit", "a log of 5,000 lines": "log"}
REFERENCE = "the demo is moved"
"""What every view is set beside: a machine that does much else takes longer for both."""
LONGEST = {"groups open and close": 30.0}
"""Milliseconds that no frame may take, where that is a target of its own."""


def play(view: str, steps: int) -> list[float]:
    """CPU milliseconds of the frames while a view is used, in this process."""
    with tempfile.TemporaryDirectory(prefix="opentine-gui-bench-") as name:
        folder = Path(name)
        path: Path
        work: Callable[[Opened], None]
        if view == REFERENCE:
            path, work = DEMO / "research-01.tine", _pan
        elif view in VIEWERS:
            path, work = write(folder / "gallery.tine", gallery()[0]), _viewer(VIEWERS[view])
        else:
            path, work = write(folder / "session.tine", session_run(steps)), VIEWS[view]
        if work is _sessions:
            write_sessions(Path.home() / ".claude" / "projects" / "-home-dev-project")
        opened = Opened(folder)
        opened.keyboard.focus()
        opened.open(path)
        opened.rest()
        frames: list[float] = []
        render = opened.loop.render_frame

        def timed() -> None:
            began = time.thread_time()
            render()
            frames.append((time.thread_time() - began) * 1000)

        opened.loop.render_frame = timed  # type: ignore[method-assign]
        work(opened)
        return frames


def rows(folder: Path, sizes: tuple[int, ...] = SIZES) -> Iterator[Row]:
    """A row for each view at each size, and for each viewer."""
    wanted = [(REFERENCE, 0), *((view, steps) for steps in sizes for view in VIEWS), *((view, 0) for view in VIEWERS)]
    reference: float | None = None
    for number, (view, steps) in enumerate(wanted):
        home = folder / f"view-{number}"
        home.mkdir()
        with VirtualDisplay(SCREEN) as display:
            environment = {**own_home(home), "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
            environment["XDG_RUNTIME_DIR"] = str(home)
            done = program(["-m", "bench.window_views", view, str(steps)], environment)
        frames = json.loads(done.stdout.splitlines()[-1])
        size = f", {steps:,} steps" if steps else ""
        note = f"median {quantile(frames, 0.5):.1f}, longest {max(frames):.1f}, {len(frames)} frames"
        p95, against = quantile(frames, 0.95), REFERENCE if reference is not None else ""
        yield Row("views", f"frame while {view}{size}, p95", p95, "ms CPU", reference, against, at_most(8), note)
        if view in LONGEST:
            what, limit = f"longest frame while {view}{size}", at_most(LONGEST[view])
            yield Row("views", what, max(frames), "ms CPU", reference, against, limit)
        reference = p95 if reference is None else reference


def main() -> int:
    """Play one view, and print its frames."""
    view, steps = sys.argv[1:]
    print(json.dumps([round(frame, 3) for frame in play(view, int(steps))]), flush=True)
    dpg.destroy_context()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
