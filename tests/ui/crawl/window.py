"""One crawl: a window of one size, scale and theme, on one scene."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from tests.ui.crawl.crawler import Crawler, Tried
from tests.ui.crawl.scenes import SCENES
from tests.ui.crawl.stage import Stage
from tests.ui.crawl.states import Report
from tests.ui.opened import Opened, copy_of_demo


class Look(NamedTuple):
    """How the window looks."""

    width: int
    height: int
    scale: float
    theme: str

    def __str__(self) -> str:
        return f"{self.width}x{self.height} at {self.scale:g}, {self.theme}"


LOOKS = tuple(
    Look(width, height, scale, theme)
    for width, height, scale in ((1440, 900, 1.0), (1000, 700, 1.0), (1440, 900, 1.5))
    for theme in ("dark", "light")
)


def crawl(
    scene: str,
    look: Look,
    folder: Path,
    *,
    most: int = 0,
    first: int = 0,
    every: int = 1,
    tried: Tried | None = None,
    seconds: float = 0.0,
) -> Report:
    """Crawl a scene, with copies of the runs in `folder`; see `Crawler` for the rest."""
    runs = copy_of_demo(folder)
    opened = Opened(runs)
    try:
        dpg.set_viewport_vsync(False)
        dpg.set_viewport_width(look.width)
        dpg.set_viewport_height(look.height)
        opened.until(lambda: _size() == look[:2], "the window's size")
        stage = Stage(opened, SCENES[scene], runs, scale=look.scale, theme=look.theme)
        return Crawler(stage, most=most, first=first, every=every, tried=tried, seconds=seconds).crawl()
    finally:
        opened.close()


def _size() -> tuple[int, int]:
    return dpg.get_viewport_client_width(), dpg.get_viewport_client_height()
