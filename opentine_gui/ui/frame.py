"""The frame loop: handles events, steps the session, updates the views, renders; sleeps when nothing is going on."""

from __future__ import annotations

import inspect
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import shows_time
from opentine_gui.app.session import Session
from opentine_gui.app.system.process_tuning import freeze_what_stays, release_freed_memory
from opentine_gui.app.system.single_instance import InstanceServer
from opentine_gui.core.errors import TineError
from opentine_gui.ui.input.idle_wait import InputWaiter
from opentine_gui.ui.platform.frame_log import FrameLog
from opentine_gui.ui.platform.minimised import OwnWindow
from opentine_gui.ui.platform.pointer_shape import set_shape
from opentine_gui.ui.platform.raise_window import raise_window
from opentine_gui.ui.platform.screenshot import Capture
from opentine_gui.ui.platform.window_events import SurvivedErrors
from opentine_gui.ui.window import MainWindow

BUSY_FRAME = 1 / 60  # seconds per frame while something moves
IDLE_FRAME = 1 / 10  # seconds between two steps of the session when nothing does
MINIMISED_LOOK = 1.0  # and while the window is minimised, where nobody sees what a step brought
FIRST_REST = 3.0  # seconds without a frame after something happened, for input that came in while the last was made
LONGEST_REST = 12.0  # and at most, for changes that the display did not announce
MOST_EMPTY_WAKES = 3
AFTER_WAKE = 0.12
FRAMES_AFTER_WAKE = 2  # at least, however slow they are: the first polls what arrived, the second acts on it
STAY_BUSY = 0.6  # seconds of full rate after the last input, so that hovering feels immediate
FRAMES_AFTER_INPUT = 4  # at least, however slow they are: a press opens something, which is made, and then shown


@dataclass
class Recording:
    """What the command line asked to record: a screenshot, a frame log, and when to stop."""

    screenshot: Path | None = None
    frame_log: Path | None = None
    exit_after: float | None = None


class FrameLoop:
    """Runs one window until it closes or the recording asked for on the command line is complete."""

    def __init__(
        self,
        window: MainWindow,
        session: Session,
        recording: Recording | None = None,
        *,
        door: InstanceServer | None = None,
        strict: bool = False,
    ) -> None:
        """`door` is where other starts of the program ask this window to open files.

        `strict`, for tests, lets an error in a view end the program instead of becoming a notice.
        """
        self.window, self.session = window, session
        self.door, self.strict = door, strict
        window.errors.strict = strict
        self.recording = recording or Recording()
        self.log = FrameLog(self.recording.frame_log) if self.recording.frame_log else None
        self.capture: Capture | None = None
        self.frames = 0
        self._busy_until = 0.0
        self.settled = 0
        """Frames since the last one in which something changed."""
        self._empty_wakes = 0
        self._awake_for = 0
        self._changed_at_rest = False
        self._rest = FIRST_REST
        self._given_back = 0
        self.waiter = InputWaiter()
        self.errors = SurvivedErrors()
        self.own_window = OwnWindow()
        self._shown: set[int] = set()
        self._stop: Callable[[], bool] = lambda: False
        self.stopped = False
        """Whether the condition given to `stop_when` ended the loop."""
        self._started = time.monotonic()

    def stop_when(self, stop: Callable[[], bool]) -> None:
        """End the loop, leaving the window open, once `stop()` is true."""
        self._stop = stop

    def run(self) -> None:
        """Render frames until the window closes."""
        self.waiter.attach()  # before `own_window` connects: what comes in there is for nobody to handle
        try:
            with self.own_window:
                self._render_frames()
        finally:
            if self.log:
                self.log.__exit__(None, None, None)

    def _render_frames(self) -> None:
        while dpg.is_dearpygui_running() and not self.session.quit:
            began = time.monotonic()
            self.errors.survive()
            if self.own_window.minimised():
                self._rest_minimised()
                began = time.monotonic()
                if not self._is_over():
                    continue
            else:
                self.render_frame()
            self.stopped = self._stop()
            if self._is_over() or self._finished():
                return
            self._sleep(began)

    def _rest_minimised(self) -> None:
        """Step the session, without drawing, until the window is restored or the program is to end.

        Dear PyGui waits for an event in every frame of a minimised window, so one is sent before each of these. A
        question that comes up meanwhile brings the window back, since nobody could answer it.
        """
        asked = self.window.prompter.visible
        self._begin_what_waited()  # the window may have been minimised from its first frame on
        while dpg.is_dearpygui_running() and not self._is_over():
            self.own_window.wake()
            dpg.render_dearpygui_frame()
            self._run_callbacks()
            self._open_requested()
            self.session.step()
            if self.window.prompter.visible and not asked:
                raise_window()
                asked = True
            if self.session.quit or not self.own_window.minimised():
                break
            self.waiter.wait(IDLE_FRAME if self.session.jobs.running() else MINIMISED_LOOK)
        self._changed_at_rest = True

    def _is_over(self) -> bool:
        return self.session.quit or self._over_time() or self._stop()

    def render_frame(self) -> None:
        """One frame, without any waiting."""
        cpu = time.thread_time()
        pointer = self.window.pointer
        pointer.refresh()
        self._run_callbacks()
        if pointer.events or pointer.left_down:
            self._busy_until = time.monotonic() + STAY_BUSY
            self._awake_for = self.frames + FRAMES_AFTER_INPUT
            self._empty_wakes = 0
        self._open_requested()
        with self.session.jobs.paused():
            changed = self.session.step() or self._changed_at_rest
            self._changed_at_rest = False
            moving = self._sync()
        if changed or moving:
            self._busy_until = max(self._busy_until, time.monotonic() + 0.1)
            self._rest = FIRST_REST
            # Movements and new layouts are complete only in the next frame: draw that one too, however long this takes.
            self._awake_for = max(self._awake_for, self.frames + FRAMES_AFTER_WAKE)
        dpg.render_dearpygui_frame()
        set_shape(pointer.shape)
        self.frames += 1
        self.settled = 0 if changed or moving or self.session.busy else self.settled + 1
        if self.frames == 1:
            self._begin_what_waited()
        shown = self._newly_shown()
        if shown is not None:
            freeze_what_stays()
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

    def _begin_what_waited(self) -> None:
        """Begin what loads modules of its own beside the frames, and would have delayed the first one."""
        self.session.watched.watch.begin()
        self.session.jobs.release_background()

    def _open_requested(self) -> None:
        """Open the files that other starts of the program asked for; an empty request only raises the window."""
        for request in self.door.receive() if self.door is not None else ():
            for path in request:
                self.session.invoke("file.open", path=path)
            raise_window()

    def _newly_shown(self) -> Document | None:
        """The document whose graph was shown for the first time in this frame, if any."""
        document = self.session.active
        if document is None or document.number in self._shown or self.window.canvas.painted is not document:
            return None
        self._shown.add(document.number)
        return document

    def _sync(self) -> bool:
        """Update the views. An error outside of them becomes a notice as well: window and unsaved work survive it."""
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
        """Run the callbacks Dear PyGui queued, each guarded: one that fails must not stop the others of its frame."""
        for job in dpg.get_callback_queue() or ():
            callback: Any = job[0]
            if callback is None or (self.window.press_is_taken and _is_control(job[1])):
                continue
            try:
                arguments = job[1 : 1 + _argument_count(callback)]
                self.window.style.controls.act(job[1], "", partial(callback, *arguments))
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
        """Keep the full frame rate while something moves; else wait for input and keep stepping the session."""
        now = time.monotonic()
        awake = now < self._busy_until or self.frames < self._awake_for
        if awake or self.session.moves or self._waiting():
            time.sleep(max(BUSY_FRAME - (now - began), 0.0))
            return
        if self._given_back != self.session.closed_documents:
            self._given_back = self.session.closed_documents
            release_freed_memory()
        if not self.waiter.known or self._empty_wakes > MOST_EMPTY_WAKES:
            self._empty_wakes = 0
            time.sleep(max(self._between_looks - (now - began), 0.0))
            return
        rest = FIRST_REST if self._shows_time else self._rest
        while time.monotonic() - now < rest and not self._over_time():
            if self.waiter.wait(self._between_looks):
                # A display sends more than input; such events must not keep the loop awake.
                self._empty_wakes += 1
                # Input is polled while a frame renders, handled in the next frame and visible in the one after.
                self._busy_until = time.monotonic() + AFTER_WAKE
                self._awake_for = max(self._awake_for, self.frames + FRAMES_AFTER_WAKE)
                self._rest = FIRST_REST
                return
            self._open_requested()
            if self.window.prompter.answered_outside() or self.session.step() or self.session.moves:
                self._changed_at_rest = True
                return
        self._rest = min(2 * rest, LONGEST_REST)

    @property
    def _shows_time(self) -> bool:
        """Whether something on screen disappears by itself after a while: a notice, or the word that a run is live."""
        session = self.session
        return bool(session.notices.list()) or any(shows_time(session, document) for document in session.documents)

    @property
    def _between_looks(self) -> float:
        """Seconds between two looks at the session.

        Nothing is drawn for a job that nobody sees at work, but its result is to be on screen at once.
        """
        return BUSY_FRAME if self.session.jobs.running() else IDLE_FRAME

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
            if self.settled > 8 and self.window.settled():
                self.capture = Capture(self.recording.screenshot)
            return False
        if self.capture.finished():
            return True
        self.capture.give_up_in_time()
        return False


def _is_control(sender: object) -> bool:
    """Whether a callback belongs to one of the toolkit's own buttons or boxes, which do not know what is drawn over
    them."""
    kinds = ("mvAppItemType::mvButton", "mvAppItemType::mvCheckbox", "mvAppItemType::mvCombo")
    return isinstance(sender, int) and dpg.does_item_exist(sender) and dpg.get_item_type(sender) in kinds


def _argument_count(callback: Callable[..., object]) -> int:
    """How many of the arguments (sender, data, user data) a callback accepts."""
    return len(inspect.signature(callback).parameters)
