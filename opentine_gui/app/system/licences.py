"""The licences of the libraries and fonts, for the About box."""

from __future__ import annotations

from functools import lru_cache

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
    "regex",
    "send2trash",
    "watchfiles",
    "wcwidth",
)
FONTS = ("Inter", "JetBrains Mono", "Noto Emoji", "Noto Sans Symbols", "Noto Sans Math", "Noto Sans SC", "Noto Sans KR")
"""All under the SIL Open Font License; the texts lie beside the files, which `packaging/fonts.py` writes."""


@lru_cache
def licence_lines() -> tuple[str, ...]:
    """The fonts, then a line per library with name, version and licence: of the build's list, else as installed."""
    fonts = f"{', '.join(FONTS)} - OFL-1.1"
    try:
        text = asset_path(BUNDLED).read_text(encoding="utf-8")
    except FileNotFoundError:
        return (fonts, *(line for line in map(_line, LIBRARIES) if line))
    lines = text.partition("\n====")[0].splitlines()
    return (fonts, *(line.removeprefix("* ") for line in lines if line.startswith("* ")))


def _line(library: str) -> str:
    from importlib import metadata  # imports the email package: slow, so not at the start

    try:
        about = metadata.metadata(library)
    except metadata.PackageNotFoundError:
        return ""  # such as backports.zstd, which newer Pythons do without
    named = [about[key] for key in ("License-Expression", "License") if key in about]
    named += [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", ()) if line.startswith("License :: ")]
    licence = named[0].strip().splitlines()[0].removesuffix(" License") if named else "see its licence text"
    return f"{about['Name']} {about['Version']} - {licence}"
