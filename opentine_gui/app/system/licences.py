"""The licences of the libraries, for the About box."""

from __future__ import annotations

from opentine_gui.assets import asset_path

BUNDLED = "THIRD_PARTY_LICENSES.txt"
"""Written by the build (`packaging/licences.py`): a list, then all licence texts."""
LIBRARIES = (
    "backports.zstd",
    "dearpygui",
    "filelock",
    "fonttools",
    "msgspec",
    "networkx",
    "numpy",
    "pillow",
    "platformdirs",
    "pygments",
    "rapidfuzz",
    "watchfiles",
    "wcwidth",
)


def licence_lines() -> tuple[str, ...]:
    """One line per library with name, version and licence: from the build's list, else from the installed packages."""
    try:
        text = asset_path(BUNDLED).read_text(encoding="utf-8")
    except FileNotFoundError:
        return tuple(line for line in map(_line, LIBRARIES) if line)
    return tuple(line.removeprefix("* ") for line in text.partition("\n====")[0].splitlines() if line.startswith("* "))


def _line(library: str) -> str:
    from importlib import metadata  # imports the email package: slow, so not at the start

    try:
        about = metadata.metadata(library)
    except metadata.PackageNotFoundError:
        return ""  # such as backports.zstd, which newer Pythons do without
    licence = next((about[key] for key in ("License-Expression", "License") if key in about), "see its licence text")
    return f"{about['Name']} {about['Version']} - {licence.strip().splitlines()[0]}"
