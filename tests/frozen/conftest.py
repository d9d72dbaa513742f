"""The program as people get it: built once for this folder's tests, run in processes and on a display of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import build
import deb
from tests.ui.virtual_display import VirtualDisplay

LONGEST_SECONDS = 60.0
DESKTOP = "GNOME"
"""The desktop xdg-utils takes this for: without any they ask no shared-mime database and guess by `file`."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what lies in this folder as opening a window."""
    item.add_marker(pytest.mark.window)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built folder's program, fresh from these sources."""
    return build.build(folder_only=True, dist=tmp_path_factory.mktemp("dist")) / "opentine-gui"


@pytest.fixture(scope="session")
def installed(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of the Debian package, unpacked: a folder that has a usr/."""
    folder = tmp_path_factory.mktemp("installed")
    package = deb.build(program.parent, folder, compression=("-Znone",))
    root = folder / "root"
    subprocess.run(["dpkg-deb", "--extract", str(package), str(root)], check=True)
    for command, place in (("update-mime-database", "mime"), ("update-desktop-database", "applications")):
        subprocess.run([command, str(root / "usr" / "share" / place)], check=True, capture_output=True)
    return root


@dataclass
class Desktop:
    """A user with a display, a home and nothing else; `start` runs programs that are ended with the test."""

    environment: dict[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *words: str | Path) -> subprocess.Popen[bytes]:
        """Start a program and go on."""
        program = subprocess.Popen(
            [str(word) for word in words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.started.append(program)
        return program

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Run a program to its end."""
        return subprocess.run(
            [str(word) for word in words],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )

    def titles(self) -> list[str]:
        """The titles of all windows of the program that are on the screen."""
        return self.run(
            "xdotool", "search", "--onlyvisible", "--name", "opentine", "getwindowname", "%@"
        ).stdout.splitlines()

    def until(self, condition: Callable[[], object], what: str) -> None:
        """Wait until the condition holds; AssertionError naming `what` when it never does."""
        end = time.monotonic() + LONGEST_SECONDS
        while not condition():
            assert time.monotonic() < end, f"{what} did not come true; windows: {self.titles()}"
            time.sleep(0.02)  # between two looks at another process: there is nothing to wait on

    def processes(self) -> list[int]:
        """The processes on this display that are the program, by the environment the kernel remembers."""
        mark = f"DISPLAY={self.environment['DISPLAY']}".encode()
        home = f"HOME={self.environment['HOME']}".encode()
        found = []
        for folder in Path("/proc").iterdir():
            try:
                variables = (folder / "environ").read_bytes().split(b"\0") if folder.name.isdigit() else []
                words = (
                    (folder / "cmdline").read_bytes().split(b"\0") if mark in variables and home in variables else []
                )
            except OSError:
                continue
            if words and Path(os.fsdecode(words[0])).name == "opentine-gui":
                found.append(int(folder.name))
        return found

    def end(self) -> None:
        """End every process of the program on this display, and what was started."""
        for number in self.processes():
            os.kill(number, signal.SIGKILL)
        for program in self.started:
            program.kill()
            program.wait(10)


@pytest.fixture
def desktop(home: Path, tmp_path: Path) -> Iterator[Desktop]:
    """A fresh user on a fresh display."""
    with VirtualDisplay() as display:
        environment = {
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(home / "run"),
            "DISPLAY": display.name,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "LANG": "C.UTF-8",
            "PATH": os.defpath,
        }
        user = Desktop(environment)
        try:
            yield user
        finally:
            user.end()


@pytest.fixture
def owner(desktop: Desktop, installed: Path) -> Desktop:
    """The same user on a system that has the package installed."""
    desktop.environment |= {
        "PATH": f"{installed / 'usr' / 'bin'}:{os.environ['PATH']}",
        "XDG_DATA_DIRS": f"{installed / 'usr' / 'share'}:/usr/share",
        "XDG_CURRENT_DESKTOP": DESKTOP,
    }
    return desktop


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with the demo runs."""
    demo = Path(__file__).parents[2] / "assets" / "demo"
    return Path(shutil.copytree(demo, tmp_path / "runs", ignore=shutil.ignore_patterns("*.py", "__pycache__")))
