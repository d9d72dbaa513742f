"""A real session without threads, dialogs or a window: jobs run at once, questions are answered from a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opentine_gui.app.application import make_session
from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.keys import action_of
from opentine_gui.app.state.prompts import Answer, ListPrompter
from opentine_gui.app.state.settings import Settings
from opentine_gui.app.system.watch import NoWatch
from opentine_gui.core import RunRecord
from opentine_gui.core.files import storage
from tests.app.inline_jobs import InlineJobs

TREE = {"a": "", "b": "a", "c": "a"}
"""The shape of a run of three steps with two tips."""
MOST_STEPS = 1_000
"""Most steps of the session that a test waits for something; jobs run at once, so that it takes a few."""


class Clock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Bench:
    """A session with the parts that tests control."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = Clock()
        self.jobs = InlineJobs(clock=self.clock)
        self.prompter = ListPrompter()
        self.watch = NoWatch()
        self.copied: list[str] = []
        self._nonces = 0
        self.session = make_session(
            keys_folder=folder,
            jobs=self.jobs,
            prompter=self.prompter,
            watch=self.watch,
            settings=Settings(motion=False),
            environment={},
            working_folder=folder,
            clock=self.clock,
            now=lambda: 1_770_000_500.0,
            nonce=self._nonce,
        )
        self.session.clipboard = self.copied.append
        self.session.trash = self._trash

    def _trash(self, path: Path) -> Path:
        return path.rename(self.folder / f"{path.name}.trashed")

    def _nonce(self) -> str:
        self._nonces += 1
        return f"{self._nonces:032x}"

    def write(self, name: str, record: RunRecord) -> Path:
        """Write a run into the folder."""
        return storage.write(self.folder / name, record)

    def open(self, name: str, record: RunRecord | None = None) -> Document:
        """Open a file of the folder; a given run is written to it first."""
        if record is not None:
            self.write(name, record)
        self.do("file.open", path=self.folder / name)
        document = self.session.active
        assert document is not None
        return document

    def do(self, action_id: str, /, *answers: Answer | None, **arguments: object) -> None:
        """Invoke an action, answer its questions, and wait until the session is idle."""
        self.prompter.answers.extend(answers)
        self.session.invoke(action_id, **arguments)
        self.session.settle()

    def press(self, chord: str) -> bool:
        """Invoke the action of a pressed chord. False when it has none, or one that cannot run now."""
        action = action_of(self.session, chord)
        if action is None or action.enabled(self.session) is not None:
            return False
        self.session.invoke(action.id)
        return True

    def step(self) -> bool:
        """One step of the session, in which all that waits is done, however slow the machine is."""
        return self.session.step(budget=30.0)

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Step until a condition holds. AssertionError that names it after more steps than anything here takes."""
        for _ in range(MOST_STEPS):
            if condition():
                return
            self.step()
        raise AssertionError(f"{what} did not come within {MOST_STEPS} steps")

    @property
    def active(self) -> Document:
        """The active document."""
        assert self.session.active is not None
        return self.session.active

    @property
    def record(self) -> RunRecord:
        """The run of the active document."""
        assert self.active.record is not None
        return self.active.record

    def notices(self, level: str | None = None) -> list[str]:
        """The texts of the notices shown."""
        return [notice.text for notice in self.session.notices.list() if level in (None, notice.level)]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A session in a folder of its own."""
    made = Bench(tmp_path)
    yield made
    made.session.close()


@pytest.fixture
def second_bench(tmp_path: Path) -> Iterator[Callable[[], Bench]]:
    """Further sessions in the same folder, as if the application were started again."""
    made: list[Bench] = []

    def make() -> Bench:
        made.append(Bench(tmp_path))
        return made[-1]

    yield make
    for bench in made:
        bench.session.close()
