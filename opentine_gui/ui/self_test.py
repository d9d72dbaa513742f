"""Self-test in a real window: opens, forks, merges, saves, verifies, follows a change, takes a screenshot.

It drives the real session and frame loop through actions, on copies of the demo runs in a temporary folder. Pointer and
keys are left to the window tests.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from io import BytesIO
from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.app.application import make_session
from opentine_gui.app.document.document import Document
from opentine_gui.app.folder.demo_runs import DEMO
from opentine_gui.app.state.prompts import ListPrompter
from opentine_gui.app.state.settings import Settings
from opentine_gui.app.system.licences import BUNDLED, licence_lines
from opentine_gui.assets import asset_path
from opentine_gui.core import RunRecord, TineError, verify
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import Compression
from opentine_gui.ui.frame import FrameLoop
from opentine_gui.ui.platform.display import display_problem
from opentine_gui.ui.platform.screenshot import Capture
from opentine_gui.ui.window import MainWindow

FORMS: tuple[Compression, ...] = ("zlib", "zstd")
LONGEST_SECONDS = 60.0
"""Limit for one part of the test; a slow machine with software rendering needs about one second."""

WEBP = bytes.fromhex("524946461e000000574542505650384c110000002f014000000750bc2a14beff8188e87f0000")
"""A picture of 2 × 2 pixels."""

SMALLEST_PICTURE = 20_000
"""In bytes; the picture of an empty window is far smaller."""


class SelfTestFailure(Exception):
    """Something the program must be able to do failed; the message says what."""


def self_test(picture: Path | None = None) -> Iterator[str]:
    """Run all parts, yielding a sentence after each. SelfTestFailure with the reason when one fails."""
    problem = display_problem(os.environ)
    if problem is not None:
        raise SelfTestFailure(problem)
    with tempfile.TemporaryDirectory(prefix="opentine-gui-self-test-") as name, _home(Path(name)):
        folder = Path(name) / "runs"
        try:
            for run in DEMO:
                storage.write_bytes_atomic(folder / run, asset_path(f"demo/{run}").read_bytes(), make_folders=True)
            if not licence_lines() or (hasattr(sys, "frozen") and not os.path.isfile(asset_path(BUNDLED))):
                raise SelfTestFailure("the licences of what is bundled are missing")
            yield f"loaded all {_load_everything()} modules"
            _try_libraries()
            yield "opened a database and a WebP picture"
            yield from _Trial(folder, picture or folder / "picture.png").run()
        except (TineError, OSError) as error:
            raise SelfTestFailure(str(error)) from error


def _load_everything() -> int:
    """Import every module of the package, as a build may lack a dependency; returns how many there are."""
    package = importlib.import_module(__name__.partition(".")[0])
    names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise SelfTestFailure(f"{name} cannot be loaded: {error}") from error
    return len(names)


def _try_libraries() -> None:
    """Use libraries that a build may lack. Pillow is imported by name, as ui may not depend on it otherwise."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute("SELECT 1").fetchone()
        with importlib.import_module("PIL.Image").open(BytesIO(WEBP)) as picture:
            picture.load()
    except (ImportError, sqlite3.Error, OSError) as error:
        raise SelfTestFailure(f"a database or a WebP picture cannot be opened: {error}") from error


@contextmanager
def _home(folder: Path) -> Iterator[None]:
    """Keep the test away from the user's settings and unsaved work, on systems whose folders follow variables."""
    before = dict(os.environ)
    os.environ.update({f"XDG_{kind}_HOME": str(folder / kind.lower()) for kind in ("CONFIG", "DATA", "CACHE", "STATE")})
    for name in ("OPENTINE_RUNS_DIR", "TINE_RUNS_DIR", "OPENTINE_COMPRESS"):
        os.environ.pop(name, None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _is_at(document: Document, path: Path) -> bool:
    return document.path == path


class _Trial:
    """One window on a folder of runs."""

    def __init__(self, folder: Path, picture: Path) -> None:
        self.folder, self.picture = folder, picture
        self.session = make_session(
            prompter=ListPrompter(), settings=Settings(motion=False), environment={}, working_folder=folder
        )

    def run(self) -> Iterator[str]:
        """Run all parts in order, yielding a sentence after each."""
        dpg.create_context()
        try:
            self.window = MainWindow(self.session)
            self.session.prompter = ListPrompter()
            self.loop = FrameLoop(self.window, self.session, strict=True)
            self.window.show()
            yield from self._parts()
        finally:
            self.session.close()
            dpg.destroy_context()

    def _parts(self) -> Iterator[str]:
        failed, retry = (self._open(name) for name in DEMO)
        record = failed.record
        assert record is not None
        yield f"opened {failed.title}: {len(record.graph)} steps on the screen"

        for form in FORMS:
            path = self.folder / f"packed-{form}.tine"
            storage.write(path, record, compress=form)
            if storage.read(path).graph.ids != record.graph.ids:
                raise SelfTestFailure(f"a run packed with {form} is not the same when it is read again")
        yield f"packed it and read it again: {', '.join(FORMS)}"

        self._do("document.activate", document=failed.number)
        self._do("run.fork", step=record.refs["evidence"], accept=True)
        fork = self._front("the fork")
        yield f"forked it: {len(self._shown(fork).graph)} steps kept"

        tips = [(document.number, self._shown(document).tips[0]) for document in (fork, retry)]
        self._do("run.merge", parents=tips, accept=True)
        merged = self._front("the merge")
        yield f"merged the fork with {retry.title}: {len(self._shown(merged).graph)} steps"

        targets = [self.folder / "fork.tine", self.folder / "merged.tine"]
        for document, target in zip((fork, merged), targets, strict=True):
            self._do("file.save_as", document=document.number, path=target)
            self._until(partial(_is_at, document, target), f"{target.name} being saved")
            found = verify(target)
            if not found.ok or found.fork_id is False:
                raise SelfTestFailure(f"{target.name} does not verify after saving")
        yield "saved and verified both"

        self._do("document.activate", document=fork.number)
        storage.write_bytes_atomic(targets[0], (self.folder / DEMO[1]).read_bytes())
        self._until(
            lambda: self._shown(fork).run_id == self._shown(retry).run_id or fork.on_disk.changed,
            "a change of the file by somebody else being noticed",
        )
        yield "noticed that a file changed"

        self._do("document.activate", document=merged.number)
        self._until(self.window.settled, "the picture being complete")
        for _ in range(3):
            self.loop.render_frame()
        capture = Capture(self.picture)
        self._until(capture.finished, "the picture being written")
        size = self.picture.stat().st_size
        if size < SMALLEST_PICTURE:
            raise SelfTestFailure(f"the window's picture has {size:,} bytes: the window stayed empty")
        yield f"exported a picture of {size:,} bytes"

    def _open(self, name: str) -> Document:
        path = self.folder / name
        self._do("file.open", path=path)
        document = self._front(name)
        if document.path != path:
            raise SelfTestFailure(f"{name} was not opened")
        return document

    def _front(self, what: str) -> Document:
        """Wait until the graph of the active document is on screen and return the document."""
        document = self.session.active
        if document is None:
            raise SelfTestFailure(f"{what} is not there")
        self._until(lambda: document.error is not None or self.window.canvas.painted is document, f"{what} being shown")
        if document.error is not None:
            raise SelfTestFailure(str(document.error))
        return document

    def _shown(self, document: Document) -> RunRecord:
        record = document.record
        if record is None:
            raise SelfTestFailure(f"{document.title} holds no run")
        return record

    def _do(self, action: str, **arguments: object) -> None:
        """Invoke an action and wait until it is done; an error notice is the failure."""
        before = {notice.key for notice in self.session.notices.list()}
        self.session.invoke(action, **arguments)
        self._until(lambda: not self.session.busy, f"{action} being done")
        for notice in self.session.notices.list():
            if notice.level == "error" and notice.key not in before:
                raise SelfTestFailure(f"{action}: {notice.text}")

    def _until(self, condition: Callable[[], object], what: str) -> None:
        """Render frames until the condition holds."""
        end = time.monotonic() + LONGEST_SECONDS
        while True:
            self.loop.render_frame()
            if condition():
                return
            if time.monotonic() > end:
                raise SelfTestFailure(f"{what} did not happen within {LONGEST_SECONDS:.0f} s")
            self.session.jobs.wait(0.01)
