"""Opens a real window in this process for a test: frame by frame, with a real mouse and keyboard."""

from __future__ import annotations

import itertools
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import dearpygui.dearpygui as dpg

from opentine_gui.app.application import make_session
from opentine_gui.app.canvas.pointer_tools import CanvasTools
from opentine_gui.app.document.document import Document
from opentine_gui.scene.space.camera import to_screen
from opentine_gui.ui.frame import FrameLoop
from opentine_gui.ui.platform import desktop_window
from opentine_gui.ui.platform.screenshot import Capture
from opentine_gui.ui.toolkit.regions import Area, Regions
from opentine_gui.ui.window import MainWindow
from tests.ui.real_input import Keyboard, Mouse, find_window, until
from tests.ui.virtual_display import UNPAINTED

_NAMES = itertools.count(1)


DEMO = Path(__file__).parents[2] / "assets" / "demo"


def copy_of_demo(folder: Path) -> Path:
    """Copy the demo runs to a new folder, so that a test can save there."""
    target = folder / "runs"
    shutil.copytree(DEMO, target, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return target


def first_of(opened: Opened, kind: str) -> str:
    """The id of the first step of the active run that is shown as this kind."""
    record = opened.document.record
    assert record is not None
    return next(step.id for step in record.graph if step.shown_kind == kind)


class Opened:
    """One window with its session; `close` closes both."""

    def __init__(self, folder: Path, *, scale: float = 1.0, environment: Mapping[str, str] | None = None) -> None:
        self.title = f"opentine test {next(_NAMES)}"
        desktop_window.TITLE = self.title
        self.session = make_session(working_folder=folder, environment=environment or {})
        dpg.create_context()
        self.window = MainWindow(self.session, scale=scale)
        self.loop = FrameLoop(self.window, self.session, strict=True)
        self.window.show()
        self.frame()
        handle = find_window(self.title, self.frame)
        self.mouse = Mouse(handle, self.frame)
        self.keyboard = Keyboard(handle, self.frame)

    def rebuild(self, *, scale: float = 1.0) -> None:
        """Give the session new views in the same window, as a change of scale does."""
        self.window.prompter.close()
        self.window.remove_views()
        self._fill(scale)

    def start_again(self, *, scale: float = 1.0, between: Callable[[], object] = lambda: None) -> None:
        """Give the same window a new session and new views; `between` is run when the old ones are gone."""
        folder = self.session.working_folder
        self.session.close()
        self.window.remove_views()
        between()
        self.session = make_session(working_folder=folder, environment={})
        self._fill(scale)

    def _fill(self, scale: float) -> None:
        self.window = MainWindow(self.session, scale=scale, like=self.window.style)
        self.loop = FrameLoop(self.window, self.session, strict=True)
        self.window.fill()
        self.frame()
        self.frame()

    def frame(self) -> None:
        """Render one frame."""
        self.loop.render_frame()

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Render frames until the condition holds, giving background jobs time between frames.

        A job makes its result known: until then there is little to see, and frames take the processor from it.
        """

        def step() -> None:
            self.session.jobs.wait(0.01 if self.session.jobs.idle else 0.05)
            self.frame()

        until(condition, step, what)

    def open(self, path: Path) -> Document:
        """Open a file and wait until its graph and what the panels say of it are on screen."""
        self.session.invoke("file.open", path=path)
        self.until(lambda: self.session.active and self.session.active.path == path, f"{path.name} opened")
        document = self.document
        self.until(lambda: self.window.canvas.painted is document and not self.session.busy, f"{path.name} painted")
        self.frame()
        self.until(lambda: not self.window.turns.pending, f"the panels show {path.name}")
        return document

    @property
    def regions(self) -> Regions:
        """The areas of the window, which has been arranged."""
        regions = self.window.arrangement.regions
        assert regions is not None
        return regions

    @property
    def document(self) -> Document:
        document = self.session.active
        assert document is not None
        return document

    def rest(self) -> None:
        """Wait until no job is running, and picture and panels are up to date."""
        self.until(lambda: not self.session.busy, "the session at rest")
        self.frame()
        self.frame()
        self.until(lambda: not self.session.busy and not self.window.turns.pending, "the panels up to date")
        self.until(lambda: not self.window.canvas.graph.late, "the picture up to date")

    def point(self, step_id: str, down: float = 0.0) -> tuple[float, float]:
        """The centre of a step's card in window pixels, shifted down by `down` times half its height."""
        document = self.document
        assert document.picture.layout is not None and document.picture.camera is not None
        index = document.picture.index_of(step_id)
        assert index is not None
        x, y = document.picture.layout.centers[index]
        y += down * document.picture.layout.spacing.node_height / 2
        area = self.window.canvas.area
        screen_x, screen_y = to_screen(document.picture.camera, self.session.viewport, float(x), float(y))
        scale = self.window.style.scale
        return area.x + screen_x * scale, area.y + screen_y * scale

    def free_point(self) -> tuple[float, float]:
        """A window pixel of the canvas without a card or link."""
        area, tools = self.window.canvas.area, self.session.tools
        assert isinstance(tools, CanvasTools)
        for share in range(95, 5, -5):
            x, y = area.width * 0.04, area.height * share / 100
            if tools.hit(self.document, x, y) is None and tools.edge_at(self.document, x, y) is None and share < 80:
                return area.x + x, area.y + y
        raise AssertionError("the canvas has no free place")

    def words(self, area: Area) -> str:
        """All text drawn in the views that begin in an area of the window, in drawing order."""
        found: list[str] = []
        for view in dpg.get_item_children(self.window.root, 1) or ():
            x, y = dpg.get_item_pos(view)
            if dpg.is_item_shown(view) and area.contains(x + 1, y + 1):
                _collect(view, found)
        return " ".join(found)

    def drawn(self, node: int) -> str:
        """All text drawn below a draw node."""
        found: list[str] = []
        _collect(node, found)
        return " ".join(found)

    def picture(self, path: Path) -> Path:
        """Save a screenshot of the window."""
        assert not UNPAINTED.keys() & os.environ.keys(), "a test that looks at pixels is marked `painted`"
        capture = Capture(path)
        self.until(capture.finished, "the picture on disk")
        return path

    def close(self) -> None:
        """Close the session and the window."""
        self.session.close()
        dpg.destroy_context()


def _collect(item: int | str, found: list[str]) -> None:
    text = dpg.get_item_configuration(item).get("text")
    if isinstance(text, str):
        found.append(text)
    for slot in (1, 2):
        for child in dpg.get_item_children(item, slot) or ():
            _collect(child, found)
