"""Makes the Debian package: the built folder in /usr/lib, a link in /usr/bin, desktop files in /usr/share."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from opentine_gui import __version__
from opentine_gui.app.system.desktop import DESCRIPTION, NAME, linux

ROOT = Path(__file__).resolve().parents[1]
# What Dear PyGui's extension links to or opens at run time, and what a driver loaded beside it needs.
DEPENDS = (
    "libgcc-s1",
    "libgl1",
    "libstdc++6",
    "libx11-6",
    "libxcursor1",
    "libxext6",
    "libxi6",
    "libxinerama1",
    "libxrandr2",
    "libxrender1",
    "libxxf86vm1",
)
RECOMMENDS = ("desktop-file-utils", "libgl1-mesa-dri", "shared-mime-info", "xdg-utils")


def control(version: str, architecture: str, kilobytes: int, glibc: str) -> str:
    """The package's control file."""
    return f"""Package: {NAME}
Version: {version}
Architecture: {architecture}
Maintainer: opentine-gui contributors <opentine-gui@users.noreply.github.com>
Installed-Size: {kilobytes}
Depends: libc6 (>= {glibc}), {", ".join(DEPENDS)}
Recommends: {", ".join(RECOMMENDS)}
Section: devel
Priority: optional
Description: {DESCRIPTION.lower()}
 A desktop editor for .tine files: it opens the record of an agent's run, shows
 its steps as a graph, and lets you fork, merge, undo and save. It needs no
 Python and no network.
"""


def architecture() -> str:
    """Debian's name for this machine's architecture."""
    return subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()


def needed_glibc(folder: Path) -> str:
    """The newest version of the C library that a file in the folder requires, such as "2.35"."""
    found = {(2, 0)}
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if data[:4] == b"\x7fELF":
                names = re.findall(rb"GLIBC_(\d+)\.(\d+)(?:\.\d+)?\0", data)
                found |= {(int(major), int(minor)) for major, minor in names}
    return ".".join(map(str, max(found)))


def lay_out(program: Path, tree: Path) -> None:
    """Put everything the package installs below `tree`, laid out as below /."""
    home = tree / "usr" / "lib" / NAME
    shutil.copytree(program, home, symlinks=True)
    link = tree / "usr" / "bin" / NAME
    link.parent.mkdir(parents=True)
    link.symlink_to(f"../lib/{NAME}/{NAME}")
    for place, data in linux.shared_files((NAME,)).items():
        target = tree / "usr" / "share" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    documents = tree / "usr" / "share" / "doc" / NAME
    documents.mkdir(parents=True)
    bundled = home / "_internal" / "opentine_gui" / "assets" / "THIRD_PARTY_LICENSES.txt"
    own = (ROOT / "LICENSE").read_text(encoding="utf-8")
    text = f"{NAME} {__version__}\n\n{own}\n\n{bundled.read_text(encoding='utf-8')}"
    (documents / "copyright").write_text(text, encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_bytes()
    (documents / "changelog.gz").write_bytes(gzip.compress(changes, 9, mtime=0))
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            executable = path.is_dir() or os.access(path, os.X_OK)
            path.chmod(0o755 if executable else 0o644)


def build(program: Path, dist: Path, compression: tuple[str, ...] = ("-Zxz", "-z2")) -> Path:
    """Make the package of a built folder; returns its path. CalledProcessError when dpkg-deb fails."""
    with tempfile.TemporaryDirectory(prefix="opentine-gui-deb-") as name:
        tree = Path(name) / "tree"
        lay_out(program, tree)
        kilobytes = sum(path.lstat().st_size for path in tree.rglob("*")) // 1024
        (tree / "DEBIAN").mkdir(mode=0o755)
        about = control(__version__, architecture(), kilobytes, needed_glibc(program))
        (tree / "DEBIAN" / "control").write_text(about, encoding="utf-8")
        target = dist / f"{NAME}_{__version__}_{architecture()}.deb"
        target.unlink(missing_ok=True)
        words = ["dpkg-deb", "--root-owner-group", "--build", *compression, str(tree), str(target)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return target
