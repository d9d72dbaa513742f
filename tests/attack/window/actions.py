"""Does random actions in one window and prints what happened: `python -m tests.attack.window.actions`.

It prints a line of JSON from time to time and one at the end, each about all actions until then. SIGINT ends it.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import dearpygui.dearpygui as dpg

from opentine_gui.core.files import storage
from tests.attack.campaign import slowness
from tests.attack.window import surroundings
from tests.conftest import run_of
from tests.ui.opened import Opened, copy_of_demo

NOT_DONE = {"file.quit", "view.file_dialogs"}
"""What would end the window, or hand its questions to a program of the desktop."""
AFTER_PROPOSING = ("continue.run", "continue.copy", "continue.close_output", "proposal.accept", "proposal.cancel")
"""What is no line of the palette, and has to do with a proposal or with what became of it."""
COMMANDS = ("sh-like {file} {step}", "editor {run}", "no-such-program", "")
KEYS = ("Escape", "Return", "Tab", "space", "Down", "Up", "Left", "Right", "F2", "ctrl+z", "ctrl+s", "ctrl+f", "a", "n")
WIDTH, HEIGHT = 900, 600
"""Of the window: small, for it is painted by the processor."""
MOST_DOCUMENTS = 6
MOST_FILES = 30
WARM = 150
"""Actions before frames are measured: the first ones load modules and fonts."""
NOTED = 12
LONG = 0.05
"""CPU seconds from which on a frame is compared with how slow the machine is just then."""
REPORTED_EVERY = 10.0
"""Seconds between two reports."""


def main(seed: int, count: int, seconds: float) -> None:
    """Do up to `count` actions in up to `seconds`."""
    ends = time.monotonic() + seconds
    stopped: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _frame: stopped.append(number))
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        runs = copy_of_demo(Path(folder))
        storage.write(runs / "wide.tine", run_of({"r": "", **{f"c{number}": "r" for number in range(60)}}))
        surroundings.home(Path(folder) / "home")
        sessions = surroundings.sessions(runs / "sessions")
        opened = Opened(runs, environment=surroundings.programs(Path(folder) / "programs"))
        dpg.set_viewport_vsync(False)
        dpg.set_viewport_width(WIDTH)
        dpg.set_viewport_height(HEIGHT)
        soak = _Soak(opened, runs, sessions, random)
        reported = time.monotonic()
        for number in range(count):
            now = time.monotonic()
            if now > ends or stopped:
                break
            if now - reported > REPORTED_EVERY:
                reported = now
                _print(soak.report())
            soak.act(number)
        _print(soak.report())
        opened.close()


def _print(report: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stdout.flush()


class _Soak:
    def __init__(self, opened: Opened, runs: Path, sessions: list[Path], random: Random) -> None:
        self.opened, self.runs, self.sessions, self.random = opened, runs, sessions, random
        self.session = opened.session
        self.session.settings.file_dialogs = "own"
        self.session.trash = lambda path: path.unlink()
        self.actions = [action for action in self.session.actions if action.palette and action.id not in NOT_DONE]
        self.tries = 0
        self.slow: list[tuple[float, str]] = []
        self.internal: list[str] = []
        self.memory: list[float] = []

    def act(self, number: int) -> None:
        """One action, key or click, and a few frames."""
        self.tries += 1
        what = self._one()
        for _ in range(self.random.choice((1, 2, 4))):
            began = time.thread_time()
            self.opened.frame()
            spent = time.thread_time() - began
            if number >= WARM:
                self.slow.append((_on_an_idle_core(spent), what))
        self.slow = sorted(self.slow, reverse=True)[:NOTED]
        if number % 20 == 0:
            self._tidy()
        for notice in self.session.notices.list():
            if "Traceback" in notice.detail:
                self.internal.append(f"{notice.text} after {what}: {notice.detail.strip().splitlines()[-3:]}"[:600])
                self.session.notices.dismiss(notice.key)
        if number % 100 == 0:
            self.memory.append(_megabytes())
        self.session.quit = False

    def _one(self) -> str:
        random = self.random
        kind = random.random()
        if kind < 0.12:
            key = random.choice(KEYS)
            self.opened.keyboard.press(key)
            return f"key {key}"
        if kind < 0.22:
            width, height = dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
            at = (random.randrange(4, max(8, width - 4)), random.randrange(4, max(8, height - 4)))
            if random.random() < 0.3:
                self.opened.mouse.wheel(random.choice((-3, 3)), at=at)
            else:
                self.opened.mouse.click(*at)
            return f"click {at}"
        if kind < 0.4:
            return self._with_arguments()
        action = random.choice(self.actions)
        chosen = action.choices(self.session) if action.choices is not None else ()
        arguments = dict(random.choice(chosen).arguments) if chosen else {}
        try:
            if self.session.enabled(action.id, **arguments) is None:
                self.session.invoke(action.id, **arguments)
        except TypeError:  # it needs what only a gesture gives
            return f"nothing ({action.id})"
        return action.id

    def _with_arguments(self) -> str:
        random, session = self.random, self.session
        record = session.active.record if session.active is not None else None
        if record is None or not len(record.graph) or random.random() < 0.2:
            path = random.choice(sorted(self.runs.rglob("*.tine")) if random.random() < 0.5 else self.sessions)
            session.invoke("file.open", path=path)
            return f"file.open {path.name}"
        step = random.choice(record.graph.ids)
        match random.randrange(8):
            case 0:
                session.invoke("select.step", step=step, reveal=True)
            case 1:
                place = (random.uniform(-900, 900), random.uniform(-900, 900))
                session.invoke("canvas.move_steps", pins={step: place})
            case 2:
                session.invoke("run.fork", step=step, accept=random.random() < 0.5)
            case 3:
                session.invoke("select.add", step=random.choice(record.graph.ids))
            case 4:
                return self._if_it_can("edit.open_value", step=step)
            case 5:
                said = random.choice(COMMANDS)
                fields = {"said": said} if session.active and session.active.source is None else {}
                return self._if_it_can("continue.propose", step=step, **fields)
            case 6:
                return self._if_it_can(random.choice(AFTER_PROPOSING))
            case _:
                session.invoke("document.activate", document=random.choice(session.documents).number)
        return "an action with arguments"

    def _if_it_can(self, action: str, **arguments: object) -> str:
        if self.session.enabled(action, **arguments) is not None:
            return f"nothing ({action})"
        self.session.invoke(action, **arguments)
        return action

    def _tidy(self) -> None:
        """Close what would pile up."""
        while len(self.session.documents) > MOST_DOCUMENTS:
            self.session.remove_document(self.session.documents[0])
        files = sorted(self.runs.rglob("*.tine"), key=lambda path: path.stat().st_mtime_ns)
        for path in files[MOST_FILES:]:
            path.unlink(missing_ok=True)
        if not list(self.runs.glob("*.tine")):
            storage.write(self.runs / "again.tine", run_of({"a": "", "b": "a", "c": "a"}))

    def report(self) -> dict[str, object]:
        """What happened, as JSON."""
        return {"tries": self.tries, "internal": self.internal[:20], "slow": self.slow, "memory": self.memory}


def _on_an_idle_core(spent: float) -> float:
    """CPU seconds of a frame as an idle core would take them: a core or a cache that is shared makes all work longer.

    Asked right after a frame that seems long, of this thread alone.
    """
    return spent / slowness(time.thread_time) if spent > LONG else spent


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
