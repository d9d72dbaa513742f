"""The licences of what this program is made of, for About and for whoever asks."""

from __future__ import annotations

from opentine_gui.assets import asset_path

BUNDLED = "THIRD_PARTY_LICENSES.txt"
FONTS = ("fonts/Inter-OFL.txt", "fonts/JetBrainsMono-OFL.txt")
LIBRARIES = (
    "backports.zstd",
    "dearpygui",
    "filelock",
    "msgspec",
    "networkx",
    "numpy",
    "pillow",
    "platformdirs",
    "watchfiles",
)
_WORDS = ("licen", "copying", "notice")


def third_party_licences() -> str:
    """The licence texts of all that ships with the program: the build's own list, else that of what is installed."""
    try:
        return asset_path(BUNDLED).read_text(encoding="utf-8")
    except FileNotFoundError:
        return "\n\n".join([*map(_of_library, LIBRARIES), *map(_of_font, FONTS)])


def licence_lines() -> tuple[str, ...]:
    """One line a library with name, version and licence, for a short list."""
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


def _of_library(library: str) -> str:
    from importlib import metadata

    line = _line(library)
    if not line:
        return f"{library}: not installed here"
    texts = [
        file.locate().read_text(encoding="utf-8", errors="replace")  # type: ignore[attr-defined]
        for file in metadata.files(library) or ()
        if any(part.endswith(".dist-info") for part in file.parts) and any(w in file.name.lower() for w in _WORDS)
    ]
    return "\n\n".join([line, *texts])


def _of_font(name: str) -> str:
    return asset_path(name).read_text(encoding="utf-8")
