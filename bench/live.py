"""A session that its agent writes while it is open: what a frame costs, and what stays in memory, over ten minutes.

The window is real, but time is simulated: a frame is a sixtieth of a second, 25 lines arrive per second, and the
benchmark waits for jobs between frames, so that other load does not change the figures. Only the program's own work in
a frame counts; the time in which Dear PyGui draws one, in software here, is measured now and then.

The delay of a line is measured in real time, with the system's notifications of writes: from the write to the end of
the first frame that shows the line.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.clock import own_home, program, quantile
from bench.table import Row, at_most, share

SECONDS = 600
WRITES = 25
FRAMES = 60
TOLD = 0.1
"""Simulated seconds after a write until the program is notified, while writes go on."""
BEFORE = 6_000_000
"""Bytes of the session when it is opened: about 1,000 steps."""
RENDERED = 60
"""One frame in this many is drawn."""
GROWTH = 3.0
"""Most bytes of memory per byte of the session."""
AFRESH = 1.1
"""Most memory of a process that followed the session, as a multiple of that of a process that opens the complete
session."""
LATENCY_SECONDS = 60
WARM_UP = 4.0
"""Seconds for opening the session, before the first line is written."""
PAINTED_WITHIN = 0.5
LATENCY = "latency"


def rows(folder: Path, seconds: int = SECONDS) -> Iterator[Row]:
    """Frames and memory while a session grows, folded and with a card for every step."""
    for shown in ("folded", "every step"):
        found = _played(folder, seconds, shown)
        what = f"{shown}, {WRITES} writes a second for {seconds} s, {found['steps']:,} steps in the end"
        note = f"p50 {found['p50']:.1f}, most {found['most']:.0f}; drawing it {found['drawing']:.1f}"
        yield Row("live", f"p95 of a frame, {what}", found["p95"], "CPU ms", target=at_most(8), note=note)
        yield Row(
            "live", f"growth of memory, {what}", found["memory"], "MB", found["data"], "what was written", share(GROWTH)
        )
        against = "opening it when it is whole"
        yield Row(
            "live", f"memory in the end, {what}", found["resident"], "MB", found["afresh"], against, share(AFRESH)
        )

    found = _played(folder, min(seconds, LATENCY_SECONDS), LATENCY)
    what = f"p95 from a write to its picture, {WRITES} writes a second, {found['steps']:,} steps in the end"
    note = (
        f"p50 {found['p50']:.2f}, most {found['most']:.2f}; {found['late']} of {found['writes']} later than the target"
    )
    yield Row("live", what, found["p95"], "s", target=at_most(PAINTED_WITHIN), note=note)


def _played(folder: Path, seconds: int, shown: str) -> dict[str, Any]:
    """The figures of a process of its own."""
    from tests.ui.virtual_display import VirtualDisplay

    place = folder / shown.replace(" ", "-")
    place.mkdir()
    with VirtualDisplay() as display:
        environment = {**own_home(place / "home"), "DISPLAY": display.name, "LIBGL_ALWAYS_SOFTWARE": "1"}
        words = ["-m", "bench.live", str(place), str(seconds), shown]
        found: dict[str, Any] = json.loads(program(words, environment, 7_200).stdout.splitlines()[-1])
        if shown != LATENCY:
            words = ["-m", "bench.live", str(place), "0", shown]
            whole = json.loads(program(words, environment, 7_200).stdout.splitlines()[-1])
            assert whole["steps"] == found["steps"], "both show the same"
            found["afresh"] = whole["resident"]
    return found


def main() -> None:
    """Play it in this process, or only open what was played before in 0 seconds; prints the figures as JSON."""
    from bench.session_lines import session_lines

    folder, seconds, shown = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    path = folder / "session" / "s.jsonl"
    lines = session_lines(1 << 40)
    if seconds:
        path.parent.mkdir()
        with path.open("wb") as file:
            while file.tell() < BEFORE:
                file.write(next(lines))
    figures = _latency(path, lines, seconds) if shown == LATENCY else _frames(path, lines, seconds, shown)
    print(json.dumps(figures))


def _latency(path: Path, lines: Iterator[bytes], seconds: int) -> dict[str, float]:
    import dearpygui.dearpygui as dpg

    from opentine_gui.app.application import make_session
    from opentine_gui.ui.frame import FrameLoop
    from opentine_gui.ui.window import MainWindow

    session = make_session(working_folder=path.parent, environment={})
    dpg.create_context()
    window = MainWindow(session)
    loop = FrameLoop(window, session, strict=True)
    window.show()
    session.invoke("file.open", path=path)
    session.invoke("live.follow")
    waiting: deque[tuple[int, float]] = deque()
    late: list[float] = []
    began, size, written = time.monotonic() + WARM_UP, path.stat().st_size, 0

    def tick() -> bool:
        """Between two frames: write the lines that are due, and note which writes the last frame has painted."""
        nonlocal size, written
        now = time.monotonic()
        document = session.active
        record = document.picture.record if document is not None else None
        if record is not None and window.canvas.painted is document:
            painted = record.metadata["capture"]["source_bytes"]
            while waiting and waiting[0][0] <= painted:
                late.append(now - waiting.popleft()[1])
        while written < seconds * WRITES and now - began >= written / WRITES:
            line = next(lines)
            log.write(line)
            size, written = size + len(line), written + 1
            waiting.append((size, time.monotonic()))
        return not waiting and written >= seconds * WRITES

    with path.open("ab", buffering=0) as log:
        loop.stop_when(tick)
        loop.run()
    document = session.active
    assert document is not None and document.record is not None
    figures = {
        "p50": quantile(late, 0.5),
        "p95": quantile(late, 0.95),
        "most": max(late),
        "late": sum(one > PAINTED_WITHIN for one in late),
        "writes": len(late),
        "steps": len(document.record.graph),
    }
    session.close()
    return figures


def _frames(path: Path, lines: Iterator[bytes], seconds: int, shown: str) -> dict[str, float]:
    import dearpygui.dearpygui as dpg

    from bench.memory import resident
    from opentine_gui.app.application import make_session
    from opentine_gui.app.system.watch import NoWatch
    from opentine_gui.ui.frame import FrameLoop
    from opentine_gui.ui.window import MainWindow

    now = 100.0
    watch = NoWatch()
    session = make_session(working_folder=path.parent, environment={}, watch=watch, clock=lambda: now)
    session.settings.every_step = [] if shown == "folded" else ["00000000-0000-4000-8000-000000000000"]
    dpg.create_context()
    window = MainWindow(session)
    loop = FrameLoop(window, session, strict=True)
    window.show()
    draw = dpg.render_dearpygui_frame
    drawing: list[float] = []

    def render() -> None:
        if loop.frames % RENDERED == 0:
            began = time.thread_time()
            draw()
            drawing.append(1000 * (time.thread_time() - began))

    dpg.render_dearpygui_frame = render
    session.invoke("file.open", path=path)

    def rest() -> None:
        """Wait for two seconds, and for as long as any work is under way."""
        nonlocal now
        least = now + 2
        while now < least or session.busy:
            loop.render_frame()
            session.jobs.wait(0.02)
            now += 1 / FRAMES

    rest()
    document = session.active
    assert document is not None and document.record is not None
    session.invoke("live.follow")
    drawing.clear()
    gc.collect()
    before, size = resident(), path.stat().st_size
    frames: list[float] = []
    written, told = 0.0, now
    with path.open("ab", buffering=0) as log:
        for _ in range(seconds * FRAMES):
            now += 1 / FRAMES
            written += WRITES / FRAMES
            while written >= 1:
                written -= 1
                log.write(next(lines))
            if now - told >= TOLD:
                told = now
                watch.post([path])
            drawn = len(drawing)
            began = time.thread_time()
            loop.render_frame()
            spent = 1000 * (time.thread_time() - began)
            frames.append(spent - sum(drawing[drawn:]))
            if not session.jobs.idle:
                session.jobs.wait(0.05)
    watch.post([path])
    rest()
    gc.collect()
    if not seconds:
        opened = {"resident": resident(), "steps": len(document.record.graph)}
        session.close()
        return opened
    figures = {
        "p50": quantile(frames, 0.5),
        "p95": quantile(frames, 0.95),
        "most": max(frames),
        "drawing": quantile(drawing, 0.95),
        "memory": resident() - before,
        "resident": resident(),
        "data": (path.stat().st_size - size) / 1e6,
        "steps": len(document.record.graph),
    }
    session.close()
    return figures


if __name__ == "__main__":
    main()
