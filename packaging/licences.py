"""The licences of everything that is inside the built program, as one text. Used by opentine_gui.spec.

Three sources: the licence files each Python distribution carries, Python's own licence, and for libraries of the system
the copyright file of the Debian package they come from. What has none is named as such: a build never hides one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

WORDS = ("licen", "copying", "notice", "copyright")
RULE = "=" * 100
OWN = "opentine-gui"


def distributions(modules: Iterable[str], files: Iterable[Path]) -> list[str]:
    """The names of the distributions that installed these modules or files, in alphabetical order."""
    owners = metadata.packages_distributions()
    names = {name for module in modules for name in owners.get(module.partition(".")[0], ())}
    wanted = {str(path) for path in files}
    for distribution in metadata.distributions():
        installed = distribution.files or []
        if any(str(distribution.locate_file(file)) in wanted for file in installed):
            names.add(distribution.metadata["Name"])
    # The tool that makes the program leaves a start-up part in it, under a licence with an exception for just that.
    return sorted({*names, "pyinstaller"} - {OWN}, key=str.lower)


def texts_of(name: str) -> list[tuple[str, str]]:
    """(file name, text) of every licence file a distribution carries."""
    found = []
    for file in metadata.distribution(name).files or ():
        in_metadata = any(part.endswith(".dist-info") for part in file.parts)
        if in_metadata and any(word in file.name.lower() for word in WORDS):
            found.append((file.name, Path(str(file.locate())).read_text(encoding="utf-8", errors="replace")))
    return found


def label(name: str) -> str:
    """A distribution's name, version and the licence its metadata names."""
    about = metadata.distribution(name).metadata
    licence = about.get("License-Expression") or about.get("License") or "licence: see the text below"
    return f"{about['Name']} {about['Version']} - {licence.strip().splitlines()[0]}"


def python_text() -> str:
    """The licence of the Python that is bundled."""
    places = [Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"]
    return next((path.read_text(encoding="utf-8") for path in places if path.is_file()), "")


def system_packages(files: Iterable[Path]) -> dict[str, str]:
    """{Debian package: its copyright file's text} of the libraries that come from the system, empty elsewhere."""
    found: dict[str, str] = {}
    if shutil.which("dpkg-query") is None:
        return found
    for path in files:
        names = {str(path), str(path.resolve()), str(path.resolve()).removeprefix("/usr")}
        done = subprocess.run(["dpkg-query", "-S", *sorted(names)], capture_output=True, text=True, check=False)
        if not done.stdout:
            continue
        package = done.stdout.split(":")[0]
        text = Path("/usr/share/doc", package, "copyright")
        found[package] = text.read_text(encoding="utf-8", errors="replace") if text.is_file() else ""
    return found


def collect(modules: Iterable[str], files: Iterable[Path]) -> str:
    """One text with the licences of what is bundled: `modules` by dotted name, `files` where the build found them."""
    files = list(files)
    sections: list[tuple[str, list[tuple[str, str]]]] = [
        (f"Python {sys.version.split()[0]} - PSF-2.0", [("LICENSE", python_text())])
    ]
    sections += [(label(name), texts_of(name)) for name in distributions(modules, files)]
    prefixes = (sys.base_prefix, sys.prefix)
    foreign = [path for path in files if not str(path).startswith(prefixes)]
    for package, text in sorted(system_packages(foreign).items()):
        sections.append((f"{package} - of the system this was built on", [("copyright", text)]))
    head = [
        "What is inside this build of opentine-gui besides itself, and under which terms. opentine-gui: Apache-2.0.",
        "The fonts Inter and JetBrains Mono: SIL Open Font License 1.1, texts beside them in assets/fonts.",
        "",
        *(f"* {title}" for title, _ in sections),
    ]
    body = []
    for title, texts in sections:
        body += ["", RULE, title, RULE]
        for name, text in texts:
            body += ["", f"--- {name}", "", text.strip() or "(no text was found where this was built)"]
        if not texts:
            body += ["", "(the distribution carries no licence text; its metadata names the licence above)"]
    return "\n".join([*head, *body, ""])
