"""Fixtures shared by all tests: a private home folder, and small runs."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind, step_id
from tests.compiled import compile_once

# A busy machine fails nothing: growth is measured where it matters, seconds are not.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
TESTS = Path(__file__).parent
MakeRun = Callable[..., RunRecord]


class ByRoom(LoadScopeScheduling):
    """Keeps what shares fixtures in one process: the folder of the built program's tests, else a file's tests.

    Tests that open a window share nothing and go wherever there is room. By name: the groups of pytest-xdist 3.8 come
    to nothing with pytest 9: two processes then built the program at once, each into the other's archive.
    """

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::", 1)[0]
        room = path.split("/")[1]
        return nodeid if room == "ui" else room if room == "frozen" else path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByRoom | None:
    """Share the tests out by room where they run side by side."""
    return ByRoom(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Compile once what every process is about to import."""
    compile_once(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file without serial tests where these run alone: to collect every test takes three times as long."""
    if config.getoption("markexpr") != "serial" or not collection_path.match("test_*.py"):
        return None
    return None if "mark.serial" in collection_path.read_text(encoding="utf-8") else True


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Set what was collected aside: a full garbage collection walks all of 12,000 tests, in a quarter of a second.

    `tests/growth.py` asks for one before everything it measures; the tests' processes spent more on that than on work.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give every test its own home folder, so that no test reads or writes real settings."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder / name.lower()))
    runtime = folder / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


def run_of(
    shape: dict[str, str], *, run_id: str = "example", cost: float = 0.001, status: str = "completed"
) -> RunRecord:
    """A run described by the parents of each step, {"a": "", "b": "a", "m": "b c"}; everything about it is fixed.

    A step's name is the text in its inputs; a name that begins with "x" makes an error step. Several parents are
    parted by spaces; one parent's name may hold spaces itself.
    """
    ids: dict[str, str] = {}
    steps = []
    for number, (name, parents) in enumerate(shape.items()):
        kind = StepKind.ERROR if name.startswith("x") else StepKind.THINK
        parent_ids = tuple(ids[parent] for parent in ([parents] if parents in ids else parents.split()))
        error = {"message": f"{name} failed"} if kind is StepKind.ERROR else {}
        identity = step_id(kind, {"text": name}, parent_ids=parent_ids, model_info="example-model", error=error)
        ids[name] = identity
        steps.append(
            Step(
                id=identity,
                parent_ids=parent_ids,
                kind=kind,
                inputs={"text": name},
                model_info="example-model",
                error=error,
                timestamp=1_770_000_000.0 + number,
                duration=0.5,
                cost=cost,
            )
        )
    return RunRecord(
        run_id=run_id,
        status=RunStatus(status),
        created_at=1_770_000_000.0,
        graph=Graph.of(steps),
        refs={"main": steps[-1].id if steps else ""},
        metadata={"model_info": "example-model", "system_prompt": "", "user_prompt": "Draw the graph"},
    )


def named(record: RunRecord, name: str) -> str:
    """The id of the step whose text is `name`."""
    return next(step.id for step in record.graph if step.inputs.get("text") == name)


@pytest.fixture
def make_run() -> MakeRun:
    """Makes runs from the parents of each step, as `run_of` does."""
    return run_of


@pytest.fixture
def chain() -> Callable[[int], RunRecord]:
    """A run of n steps in a row, called "0", "1", …"""

    def make(count: int) -> RunRecord:
        return run_of({str(number): str(number - 1) if number else "" for number in range(count)})

    return make


@pytest.fixture
def diamond() -> RunRecord:
    """a → b, c → d: two branches that meet again."""
    return run_of({"a": "", "b": "a", "c": "a", "d": "b c"})
