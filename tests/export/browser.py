"""A headless Chromium on a pipe: opens a file, clicks and types like a person, and tells what the page did."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 30.0
_FROM_US, _TO_US = 3, 4
"""The numbers under which Chromium looks for the two ends of its pipe."""


class Browser:
    """One page. `requests` are the addresses it asked for, `errors` what was thrown, refused or logged as one."""

    def __init__(self, program: subprocess.Popen[bytes], write: int, read: int) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._program, self._write, self._read = program, write, read
        self._rest = b""
        self._number = 0
        self._events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        attached = self._call("Target.attachToTarget", {"targetId": target, "flatten": True}, None)
        self._session: str = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def open(self, path: Path) -> None:
        """Open a file and wait until it is loaded and its script has run."""
        self._events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.until(lambda: any(event["method"] == "Page.loadEventFired" for event in self._events), "the page to load")
        self.settle()

    def settle(self) -> None:
        """Wait until what the page asked to be painted is painted."""
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def resize(self, width: int, height: int) -> None:
        """Give the page a size in pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def calm(self) -> None:
        """Ask for no motion, as a system setting does: the camera jumps."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def click(self, x: float, y: float) -> None:
        """A click of the left button at a point of the page."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            how = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **how)
        self.settle()

    def wheel(self, x: float, y: float, down: float) -> None:
        """A turn of the wheel over a point."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=down)
        self.settle()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A pull with the left button."""
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for part in (0.3, 0.7, 1.0):
            x, y = (a + (b - a) * part for a, b in zip(start, end, strict=True))
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)
        self.settle()

    def key(self, name: str, text: str = "") -> None:
        """A key pressed and released; `text` is what it types."""
        how = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, **how)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name)
        self.settle()

    def picture(self) -> bytes:
        """What the page shows, as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def call(self, method: str, **options: Any) -> dict[str, Any]:
        """A call of the DevTools protocol to the page."""
        return self._call(method, options, self._session)

    def until(self, holds: Callable[[], bool], what: str) -> None:
        """Read messages until something holds."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            self._take(deadline, what)

    def _call(self, method: str, options: dict[str, Any], session: str | None) -> dict[str, Any]:
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": options}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._take(deadline, method)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _take(self, deadline: float, what: str) -> dict[str, Any]:
        """The next message; events are noted."""
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(deadline - time.monotonic(), 0))
            piece = os.read(self._read, 1 << 20) if ready else b""
            if not piece:
                raise AssertionError(f"the browser did not answer while waiting for {what}")
            self._rest += piece
        text, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        if "method" in message:
            self._note(message["method"], message.get("params", {}))
            self._events.append(message)
        return message

    def _note(self, method: str, said: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(said["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(said["exceptionDetails"])[:400])
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            self.errors.append(said["entry"]["text"])
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(said["args"])[:400])
        elif method in ("Page.javascriptDialogOpening", "Page.windowOpen"):
            self.errors.append(method)


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile in `folder`, ended with its children afterwards."""
    if CHROMIUM is None:
        raise AssertionError("chromium is missing; packaging/bootstrap.sh dev installs it")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    # Out of the way of the numbers Chromium wants, so that one copy does not close the other.
    far = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]

    def place() -> None:
        os.dup2(far[0], _FROM_US)
        os.dup2(far[1], _TO_US)

    environment = {**os.environ, "HOME": str(folder), "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
    program = subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
        pass_fds=(_FROM_US, _TO_US),
        preexec_fn=place,
    )
    for end in (theirs_in, theirs_out, *far):
        os.close(end)
    try:
        yield Browser(program, ours_out, ours_in)
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()
        os.close(ours_out)
        os.close(ours_in)
