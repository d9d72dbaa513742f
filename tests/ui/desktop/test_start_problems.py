"""Where no window can be opened, the program says so in one sentence with the way out: no assertion, no core dump."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.ui.virtual_display import SCREEN, VirtualDisplay

ROOT = Path(__file__).parents[3]
DEMO = ROOT / "assets" / "demo" / "research-01.tine"
NAMES = ("DISPLAY", "WAYLAND_DISPLAY", "LIBGL_ALWAYS_SOFTWARE")


def refused(display: str, *command: str, **environment: str) -> str:
    """What the program says when it is started with these variables and cannot open its window."""
    kept = {name: value for name, value in os.environ.items() if name not in NAMES}
    names = {"LIBGL_ALWAYS_SOFTWARE": "1", **({"DISPLAY": display} if display else {}), **environment}
    arguments = command or ("open", "--new-window", "--exit-after", "0.1", str(DEMO))
    done = subprocess.run(
        [sys.executable, "-m", "opentine_gui", *arguments],
        cwd=ROOT, env={**kept, **names}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1 if command else 2, "")
    assert done.stderr.startswith("opentine-gui: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.painted
def test_no_window_is_one_sentence_and_no_crash(display: str, tmp_path: Path) -> None:
    assert "xvfb-run -a opentine-gui" in refused("")
    assert "install xwayland" in refused("", WAYLAND_DISPLAY="wayland-0")
    assert "the display :9999 does not answer" in refused(":9999")
    assert "the display nonsense does not answer" in refused("nonsense")
    assert "refuses the connection" in refused("localhost:9999")
    with VirtualDisplay(SCREEN, "-extension", "GLX") as plain:
        assert f"the display {plain.name} has no OpenGL" in refused(plain.name)
        assert f"the display {plain.name} has no OpenGL" in refused(plain.name, "self-test")
    assert "LIBGL_ALWAYS_SOFTWARE=1 opentine-gui" in refused(display, LIBGL_DRIVERS_PATH=str(tmp_path))
    assert "OpenGL 3 cannot be used" in refused(display, MESA_GL_VERSION_OVERRIDE="1.4")
    (tmp_path / "libGL.so.1").write_bytes(b"")
    assert "OpenGL is missing on this system" in refused(display, LD_LIBRARY_PATH=str(tmp_path))
    (tmp_path / "libX11.so.6").write_bytes(b"")
    assert "libX11.so.6: file too short; on Debian" in refused(display, LD_LIBRARY_PATH=str(tmp_path))


@pytest.mark.parametrize("command", ["show", "verify"])
def test_what_needs_no_window_needs_no_display(command: str) -> None:
    done = subprocess.run(
        ["env", "-u", "DISPLAY", sys.executable, "-m", "opentine_gui", command, str(DEMO)],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
