"""The system's Chromium without a window: opens a file, clicks and types like a person, and tells what the page did."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Dialog, Page, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page. `requests` are the addresses it asked for, `errors` what was thrown, refused or logged as one."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._page = page
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("popup", lambda _page: self.errors.append("a window was opened"))
        page.on("console", self._note)
        page.on("dialog", self._dismiss)

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded and its script has run."""
        self._page.goto(path.as_uri())
        self.settle()

    def settle(self) -> None:
        """Wait until what the page asked to be painted is painted."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def resize(self, width: int, height: int) -> None:
        """Give the page a size in pixels."""
        self._page.set_viewport_size({"width": width, "height": height})

    def calm(self) -> None:
        """Ask for no motion, as a system setting does: the camera jumps."""
        self._page.emulate_media(reduced_motion="reduce")

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        return self._page.evaluate(expression)

    def click(self, x: float, y: float) -> None:
        """A click of the left button at a point of the page."""
        self._page.mouse.click(x, y)
        self.settle()

    def wheel(self, x: float, y: float, down: float) -> None:
        """A turn of the wheel over a point."""
        self._page.mouse.move(x, y)
        self._page.mouse.wheel(0, down)
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A pull with the left button."""
        self._page.mouse.move(*start)
        self._page.mouse.down()
        self._page.mouse.move(*end, steps=3)
        self._page.mouse.up()
        self.settle()

    def key(self, name: str) -> None:
        """A key pressed and released."""
        self._page.keyboard.press(name)
        self.settle()

    def picture(self) -> bytes:
        """What the page shows, as a PNG."""
        return self._page.screenshot(caret="initial")

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.errors.append(message.text)

    def _dismiss(self, dialog: Dialog) -> None:
        self.errors.append(f"a dialog was opened: {dialog.message}")
        dialog.dismiss()


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile and without a network, at home in `folder`, ended afterwards."""
    if CHROMIUM is None:
        raise AssertionError("chromium is missing; packaging/bootstrap.sh dev installs it")
    environment = {**os.environ, "HOME": str(folder), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(
            executable_path=CHROMIUM,
            chromium_sandbox=False,
            args=["--disable-gpu", "--disable-quic"],
            env=environment,
        ) as program,
    ):
        yield Browser(program.new_context(offline=True).new_page())
