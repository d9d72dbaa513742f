"""The licences of what this program is made of, for About."""

from __future__ import annotations

from opentine_gui.assets import asset_path

BUNDLED = "THIRD_PARTY_LICENSES.txt"
"""Written by the build (`packaging/licences.py`): a list, then every text."""
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
    "rapidfuzz",
    "watchfiles",
    "wcwidth",
)


def licence_lines() -> tuple[str, ...]:
    """One line a library with name, version and licence: of the build's own list, else of what is installed here."""
    try:
        text = asset_path(BUNDLED).read_text(encoding="utf-8")
    except FileNotFoundError:
        return tuple(line for line in map(_line, LIBRARIES) if line)
    return tuple(line.removeprefix("* ") for line in text.partition("\n====")[0].splitlines() if line.startswith("* "))


def _line(library: str) -> str:
    from importlib import metadata  # brings the email package, which the start need not wait for

    try:
        about = metadata.metadata(library)
    except metadata.PackageNotFoundError:
        return ""  # such as backports.zstd, which newer Pythons do without
    licence = next((about[key] for key in ("License-Expression", "License") if key in about), "see its licence text")
    return f"{about['Name']} {about['Version']} - {licence.strip().splitlines()[0]}"
