"""Builds what people download, into dist/: `python packaging/build.py folder | binary | deb | sizes`.

folder   the program in one folder, dist/opentine-gui/
binary   that, and the program in one file, dist/opentine-gui-one-file
deb      a Debian package of the folder, dist/opentine-gui_VERSION_ARCHITECTURE.deb
sizes    what is in the folder, by size, as a table
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging")]

import deb  # noqa: E402 - the script's own folder is not on the path when a test imports it

DIST, WORK = ROOT / "dist", ROOT / "build" / "pyinstaller"
MOST_ONE_FILE_BYTES = 60_000_000


def build(folder_only: bool, dist: Path = DIST) -> Path:
    """Run PyInstaller; returns the folder with the program. CalledProcessError when it fails."""
    environment = {
        **os.environ,
        "OPENTINE_GUI_BUILD": "folder" if folder_only else "all",
        "PYINSTALLER_CONFIG_DIR": str(ROOT / "build" / "pyinstaller-cache"),
    }
    # Two builds that share this folder would damage each other's archives.
    work = WORK if dist == DIST else dist.with_name(f"{dist.name}-work")
    places = ["--distpath", str(dist), "--workpath", str(work)]
    words = ["--noconfirm", "--log-level", "WARN", *places, str(ROOT / "packaging" / "opentine_gui.spec")]
    subprocess.run([sys.executable, "-m", "PyInstaller", *words], check=True, env=environment, stdin=subprocess.DEVNULL)
    return dist / "opentine-gui"


def one_file(dist: Path = DIST) -> Path:
    """Path of the one-file program, as the build names it on this system."""
    return dist / ("opentine-gui-one-file" + (".exe" if sys.platform == "win32" else ""))


def parts(folder: Path) -> Counter[str]:
    """Bytes of each part of the program: distributions by their folder, loose libraries by name."""
    sizes: Counter[str] = Counter()
    inner = folder / "_internal"
    for path in folder.rglob("*"):
        if not path.is_file() or path.is_symlink():
            continue
        below = path.relative_to(inner if path.is_relative_to(inner) else folder)
        sizes[below.parts[0] + ("/" if len(below.parts) > 1 else "")] += path.stat().st_size
    return sizes


def size_table(folder: Path) -> str:
    """The parts of the program by size, as a Markdown table; 1 MB is a million bytes."""
    sizes = parts(folder)
    large = [(name, size) for name, size in sizes.most_common() if size >= 100_000]
    rest = sum(sizes.values()) - sum(size for _, size in large)
    lines = ["| part | MB |", "|---|---|", *(f"| `{name}` | {size / 1e6:.1f} |" for name, size in large)]
    return "\n".join([*lines, f"| the rest | {rest / 1e6:.1f} |", f"| **all** | **{sum(sizes.values()) / 1e6:.1f}** |"])


def main(words: list[str]) -> int:
    """Build what the argument names; 1, with a message, when the one-file program is too large."""
    if words == ["folder"]:
        print(build(folder_only=True))
    elif words == ["binary"]:
        print(build(folder_only=False))
        size = one_file().stat().st_size
        print(f"{one_file()}: {size / 1e6:.1f} MB")
        if size > MOST_ONE_FILE_BYTES:
            print(f"build: one file may have {MOST_ONE_FILE_BYTES / 1e6:.0f} MB at most", file=sys.stderr)
            return 1
    elif words == ["deb"]:
        print(deb.build(build(folder_only=True), DIST))
    elif words == ["sizes"]:
        print(size_table(DIST / "opentine-gui"))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
