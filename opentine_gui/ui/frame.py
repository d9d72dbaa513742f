"""The loop: events in, session a step further, views in sync, one frame out; asleep when nothing is going on."""

from __future__ import annotations

import gc
import inspect
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.app.system.process_tuning import release_freed_memory
from opentine_gui.core.errors import TineError
from opentine_gui.ui.arrivals import Arrivals
from opentine_gui.ui.input.idle_wait import InputWaiter
from opentine_gui.ui.platform.frame_log import FrameLog
from opentine_gui.ui.platform.screenshot import Capture
from opentine_gui.ui.window import MainWindow

BUSY_FRAME = 1 / 60  # seconds a frame takes at most while something moves
IDLE_FRAME = 1 / 10  # and between looks at the session when nothing does
LONGEST_REST = 3.0  # seconds without a frame at most: what a display did not announce is seen after that
MOST_EMPTY_WAKES = 3
AFTER_WAKE = 0.12
STAY_BUSY = 0.6  # seconds of full rate after the last input, so that hovering feels immediate


@dataclass
class Recording:
    """What a start from the command line wants on file: a picture, a frame log, an end."""

    screenshot: Path | None = None
    frame_log: Path | None = None
    exit_after: float | None = None


class FrameLoop:
    """Runs one window until it closes, or until what was asked for on the command line is done."""

    def __init__(
        self, window: MainWindow, session: Session, recording: Recording | None = None, *, strict: bool = False
    ) -> None:
        """`strict` lets an error of a view end the program instead of becoming a notice: for tests."""
        self.window, self.session = window, session
        self.strict = strict
        self.recording = recording or Recording()
        self.log = FrameLog(self.recording.frame_log) if self.recording.frame_log else None
        self.capture: Capture | None = None
        self.arrivals: Arrivals | None = None
        self.frames = 0
        self._busy_until = 0.0
        self._settled = 0
        self._empty_wakes = 0
        self._changed_at_rest = False
        self._given_back = 0
        self.waiter = InputWaiter()
        self._shown: set[int] = set()
        self._stop: Callable[[], bool] = lambda: False
        self.stopped = False
        """Whether what `stop_when` was given ended the loop."""
        self._started = time.monotonic()

    def stop_when(self, stop: Callable[[], bool]) -> None:
        """End the loop, with the window still open, once this holds."""
        self._stop = stop

    def run(self) -> None:
        """Render frames until the window closes."""
        self.waiter.attach()
        try:
            while dpg.is_dearpygui_running() and not self.session.quit:
                began = time.monotonic()
                self.render_frame()
                self.stopped = self._stop()
                if self.stopped or self._finished():
                    break
                self._sleep(began)
        finally:
            if self.log:
                self.log.__exit__(None, None, None)

    def render_frame(self) -> None:
        """One frame, without any waiting."""
        cpu = time.thread_time()
        pointer = self.window.pointer
        pointer.refresh()
        self._run_callbacks()
        if pointer.events or pointer.left_down:
            self._busy_until = time.monotonic() + STAY_BUSY
            self._empty_wakes = 0
        if self.arrivals:
            self.arrivals.look()
        with self.session.jobs.paused():
            changed = self.session.step() or self._changed_at_rest
            self._changed_at_rest = False
            moving = self._sync()
        if changed or moving:
            self._busy_until = max(self._busy_until, time.monotonic() + 0.1)
        dpg.render_dearpygui_frame()
        self.frames += 1
        self._settled = 0 if changed or moving or self.session.busy else self._settled + 1
        shown = self._newly_shown()
        if shown is not None:
            # What is there by now stays: the collector would walk through all of it, 50 ms, in some later frame.
            gc.freeze()
        if self.log:
            canvas = self.window.canvas
            self.log.frame(
                cpu_ms=(time.thread_time() - cpu) * 1000,
                visible=canvas.visible,
                drawn=canvas.drawn,
                steps=canvas.steps,
                zoom=canvas.zoom,
            )
            if shown is not None:
                self.log.event("graph_shown", steps=canvas.steps)

    def _newly_shown(self) -> Document | None:
        """The document whose graph this frame was the first to show."""
        document = self.session.active
        if document is None or document.number in self._shown or self.window.canvas.painted is not document:
            return None
        self._shown.add(document.number)
        return document

    def _sync(self) -> bool:
        """Bring the views in sync; one that fails costs a notice, not the window and the work in it."""
        try:
            return self.window.sync()
        except Exception as error:
            if self.strict:
                raise
            traceback.print_exc()
            self.session.notices.add(
                "error", f"Part of the window could not be drawn: {error}", detail=traceback.format_exc(), key="view"
            )
            self.window.pointer.clear()
            return False

    def _run_callbacks(self) -> None:
        """Run what Dear PyGui queued, each guarded: one that fails must not lose the others of its frame."""
        for job in dpg.get_callback_queue() or ():
            callback: Any = job[0]
            if callback is None:
                continue
            try:
                callback(*job[1 : 1 + _wants(callback)])
            except TineError as error:
                if self.strict:
                    raise
                self.session.notices.add("error", str(error))
            except Exception as error:
                if self.strict:
                    raise
                traceback.print_exc()
                self.session.notices.add("error", f"This did not work: {error}")

    def _sleep(self, began: float) -> None:
        """Keep the full rate while something moves; else wait for input, looking after the session meanwhile."""
        now = time.monotonic()
        if now < self._busy_until or self.session.busy or self._waiting():
            time.sleep(max(BUSY_FRAME - (now - began), 0.0))
            return
        if self._given_back != self.session.closed_documents:
            self._given_back = self.session.closed_documents
            release_freed_memory()
        if not self.waiter.known or self._empty_wakes > MOST_EMPTY_WAKES:
            self._empty_wakes = 0
            time.sleep(max(IDLE_FRAME - (now - began), 0.0))
            return
        while time.monotonic() - now < LONGEST_REST and not self._over_time():
            if self.waiter.wait(IDLE_FRAME):
                # A display may have things to say that are no input; those must not keep the loop awake.
                self._empty_wakes += 1
                # What arrived is polled while a frame renders, acted on in the next and seen in the one after.
                self._busy_until = time.monotonic() + AFTER_WAKE
                return
            if self.arrivals:
                self.arrivals.look()
            if self.window.prompter.answered_outside() or self.session.step() or self.session.busy:
                self._changed_at_rest = True
                return

    def _waiting(self) -> bool:
        return self.recording.screenshot is not None

    def _over_time(self) -> bool:
        after = self.recording.exit_after
        return after is not None and time.monotonic() - self._started >= after

    def _finished(self) -> bool:
        if self._over_time():
            return True
        if self.recording.screenshot is None:
            return False
        if self.capture is None:
            if self._settled > 8 and self.window.settled():
                self.capture = Capture(self.recording.screenshot)
            return False
        if self.capture.finished():
            return True
        self.capture.give_up_in_time()
        return False


def _wants(callback: Callable[..., object]) -> int:
    """How many of (sender, data, user data) a callback takes."""
    return len(inspect.signature(callback).parameters)
