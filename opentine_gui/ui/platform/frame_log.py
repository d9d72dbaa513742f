"""The frame log: one JSON line per frame, and one when a document's graph is first on screen."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from types import TracebackType

from opentine_gui.core.files.storage import open_log

IMPORTED = time.monotonic()


def process_age() -> float:
    """Seconds since this process started, according to the kernel (Linux), else since this import."""
    try:
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, ValueError, IndexError, AttributeError):
        return time.monotonic() - IMPORTED


class FrameLog:
    """Writes lines `{"t","cpu_ms","visible","drawn","steps","zoom"}` and events to a file.

    `t` is seconds since the process started, `cpu_ms` the CPU milliseconds of the render thread for the whole frame
    (ours and Dear PyGui's), `visible` steps in the view, `drawn` primitives on the canvas, `steps` of the document.
    """

    def __init__(self, path: Path) -> None:
        self._stream = open_log(path)
        self._offset = process_age() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset

    def frame(self, *, cpu_ms: float, visible: int, drawn: int, steps: int, zoom: float) -> None:
        self._write(
            {
                "t": round(self.now(), 6),
                "cpu_ms": round(cpu_ms, 4),
                "visible": visible,
                "drawn": drawn,
                "steps": steps,
                "zoom": round(zoom, 6),
            }
        )

    def event(self, name: str, **values: object) -> None:
        self._write({"event": name, "t": round(self.now(), 6), **values})

    def _write(self, line: dict[str, object]) -> None:
        self._stream.write(json.dumps(line) + "\n")

    def __enter__(self) -> FrameLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
