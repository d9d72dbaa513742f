"""Starts a private X server without a screen, for tests that open a real window."""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
from types import TracebackType

SCREEN = "1600x1000x24"
SOFTWARE = {"LIBGL_ALWAYS_SOFTWARE": "1"}
"""Variables for a program that draws on the display."""
UNPAINTED = {"GALLIUM_NOOP": "true", "LP_NO_RAST": "true"}
"""And those with which Mesa takes what is drawn and fills no pixels, as far as it knows them: most of the work."""
UNPAINTED_FOR_LONG = {"LP_NO_RAST": "true"}
"""The same for thousands of frames: half as slow again, but the other one keeps 0.3 MB of every frame."""
NO_COMPOSING = {"XCOMPOSEFILE": os.devnull}
"""And one for what types no accents by dead keys: Xlib otherwise reads some 5,000 lines of them for each window."""
START_LIMIT_SECONDS = 30.0
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent ends for any reason: a crashed test must leave no server behind."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class VirtualDisplay:
    """Xvfb on a free display number, as a context manager; `name` is the value for DISPLAY."""

    def __init__(self, screen: str = SCREEN, *options: str) -> None:
        """`options` are further arguments of the server."""
        self.screen, self.options = screen, options
        self.name = ""
        self._server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> VirtualDisplay:
        program = shutil.which("Xvfb")
        if program is None:
            raise RuntimeError("window tests need Xvfb; `make test` installs it")
        told, tell = os.pipe()
        try:
            self._server = subprocess.Popen(
                [
                    program,
                    "-displayfd",
                    str(tell),
                    "-screen",
                    "0",
                    self.screen,
                    "-nolisten",
                    "tcp",
                    "-noreset",
                    *self.options,
                ],
                pass_fds=(tell,),
                preexec_fn=die_with_parent,
                process_group=0,  # Ctrl+C at a terminal is for us, who end it when the window is gone
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        finally:
            os.close(tell)
        with os.fdopen(told, "rb", buffering=0) as answers:
            number = b""
            # Xvfb writes its number and a newline once it accepts connections; an early end means it could not start.
            while not number.endswith(b"\n"):
                ready, _, _ = select.select([answers], [], [], START_LIMIT_SECONDS)
                piece = answers.read(16) if ready else b""
                if not piece:
                    self._stop()
                    raise RuntimeError("Xvfb did not start")
                number += piece
        self.name = f":{int(number)}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _stop(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        server.terminate()
        try:
            server.wait(timeout=10)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
