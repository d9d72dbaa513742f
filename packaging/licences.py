"""Collects the licences of everything in the built program as one text. Used by opentine_gui.spec.

`pip-licenses` gives the licence name of each distribution. It takes only the first licence file of each, which for
NumPy is one of 17 and for backports.zstd leaves out zstd's own, so the texts are read from the distributions here.
Those of Python and of system libraries, by Debian package, are added.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from opentine_gui.app.system.licences import FONTS

FILE = "THIRD_PARTY_LICENSES.txt"
WORDS = ("licen", "copying", "notice")
RULE = "=" * 100
OWN = "opentine-gui"


def distributions(held: Iterable[str]) -> list[str]:
    """The distributions of these modules (dotted names) and files (paths in the program)."""
    owners = metadata.packages_distributions()
    tops = {name.replace("\\", "/").replace("/", ".").partition(".")[0] for name in held}
    # PyInstaller leaves its boot loader in the program, under a licence with an exception for this.
    return sorted({"pyinstaller", *(name for top in tops for name in owners.get(top, ()))} - {OWN}, key=str.lower)


def titles(names: list[str]) -> dict[str, str]:
    """{distribution: its name, version and licence}, as pip-licenses reports them."""
    words = ["--from=mixed", "--format=json", "--with-system", "--packages", *names]
    done = subprocess.run([sys.executable, "-m", "piplicenses", *words], check=True, capture_output=True, text=True)
    rows = {row["Name"]: f"{row['Name']} {row['Version']} - {row['License']}" for row in json.loads(done.stdout)}
    return {name: rows[name] for name in names}


def texts_of(name: str) -> str:
    """Every licence file a distribution carries, one after the other."""
    files = [file for file in metadata.files(name) or () if ".dist-info" in str(file)]
    found = [file for file in files if any(word in file.name.lower() for word in WORDS)]
    return "\n\n".join(f"--- {file.name}\n\n{file.read_text(encoding='utf-8').strip()}" for file in found)


def python_text() -> str:
    """The licence of the Python that is bundled."""
    places = [Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"]
    return next((path.read_text(encoding="utf-8") for path in places if path.is_file()), "")


def system_packages(files: Iterable[Path]) -> dict[str, str]:
    """{Debian package: text of its copyright file} of bundled system libraries; empty on other systems."""
    found: dict[str, str] = {}
    if shutil.which("dpkg-query") is None:
        return found
    names = {path: {str(path), str(path.resolve()), str(path.resolve()).removeprefix("/usr")} for path in files}
    # Asked once for all: each call reads the lists of every installed package.
    words = ["dpkg-query", "-S", *sorted(set().union(*names.values()))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    owners = {place: owner for owner, _, place in (line.rpartition(": ") for line in done.stdout.splitlines())}
    for path in names:
        owner = next((owners[name] for name in sorted(names[path]) if name in owners), None)
        if owner is not None:
            package = owner.partition(":")[0]
            text = Path("/usr/share/doc", package, "copyright")
            found[package] = text.read_text(encoding="utf-8", errors="replace") if text.is_file() else ""
    return found


def text(held: Iterable[str], files: Iterable[Path]) -> str:
    """What is bundled and under which terms: a list, then all texts; `files` are the libraries' original paths.

    A part without a licence text is named as such: no part is left out.
    """
    sections = {f"Python {sys.version.split()[0]} - PSF-2.0": python_text()}
    sections |= {title: texts_of(name) for name, title in titles(distributions(held)).items()}
    foreign = [path for path in files if not str(path).startswith((sys.base_prefix, sys.prefix))]
    for package, copyright_text in sorted(system_packages(foreign).items()):
        sections[f"{package} - of the system this was built on"] = copyright_text
    return "\n".join(
        [
            f"What is inside this build of {OWN} besides itself, and under which terms. {OWN}: Apache-2.0.",
            f"The fonts {', '.join(FONTS)}: SIL Open Font License 1.1, texts beside them in assets/fonts.",
            "",
            *(f"* {title}" for title in sections),
            *(
                f"\n{RULE}\n{title}\n{RULE}\n\n{found.strip() or '(no text was found where this was built)'}"
                for title, found in sections.items()
            ),
            "",
        ]
    )
