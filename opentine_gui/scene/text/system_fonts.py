"""Finds fonts of the system for scripts that the packaged faces lack, by file name in the font folders."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

# By face name; faces are tried in this order, and the first file found is used. File names in lower case, of upright,
# regular fonts with outlines (bitmaps of coloured emoji cannot be drawn).
_FILES: dict[str, tuple[str, ...]] = {
    "sans": ("dejavusans.ttf", "notosans-regular.ttf", "segoeui.ttf", "arial unicode.ttf", "arial.ttf", "freesans.ttf"),
    "cjk": (
        "notosanscjk-regular.ttc", "notosanscjksc-regular.otf", "notosanscjkjp-regular.otf", "notosanssc-regular.otf",
        "notosansjp-regular.otf", "sourcehansans-regular.ttc", "sourcehansanssc-regular.otf", "wqy-microhei.ttc",
        "wqy-zenhei.ttc", "droidsansfallbackfull.ttf", "droidsansfallback.ttf", "uming.ttc", "pingfang.ttc",
        "hiragino sans gb.ttc", "msyh.ttc", "msgothic.ttc", "yugothm.ttc", "simsun.ttc",
    ),
    "korean": ("nanumgothic.ttf", "unbatang.ttf", "applesdgothicneo.ttc", "malgun.ttf"),
    "arabic": ("notosansarabic-regular.ttf", "notonaskharabic-regular.ttf", "kacstone.ttf", "geezapro.ttc"),
    "devanagari": ("notosansdevanagari-regular.ttf", "lohit-devanagari.ttf", "nirmala.ttf", "nirmala.ttc"),
    "thai": ("notosansthai-regular.ttf", "loma.ttf", "garuda.ttf", "leelawui.ttf", "thonburi.ttc"),
    "hebrew": ("notosanshebrew-regular.ttf", "arialhb.ttc"),
    "emoji": (
        "notoemoji-regular.ttf", "notoemoji[wght].ttf", "notoemoji-variablefont_wght.ttf", "symbola.ttf",
        "symbola_hint.ttf", "seguiemj.ttf", "seguisym.ttf",
    ),
    "symbols": (
        "notosanssymbols2-regular.ttf", "notosanssymbols-regular.ttf", "notosansmath-regular.ttf", "freeserif.ttf",
        "apple symbols.ttf", "arial unicode ms.ttf", "unifont.ttf", "unifont.otf",
    ),
}  # fmt: skip
MOST_FILES = 20_000
"""Most file names to look at; a larger folder is not searched completely."""


def font_folders(environment: Mapping[str, str], platform: str = sys.platform) -> list[Path]:
    """Return the font folders of this system, the user's own first."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/")
    if platform == "win32":
        own = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local") / "Microsoft" / "Windows" / "Fonts"
        return [own, Path(environment.get("WINDIR") or "C:/Windows") / "Fonts"]
    if platform == "darwin":
        return [home / "Library" / "Fonts", Path("/Library/Fonts"), Path("/System/Library/Fonts")]
    data = [environment.get("XDG_DATA_HOME") or str(home / ".local" / "share")]
    data += (environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share").split(":")
    found = [Path(folder) / "fonts" for folder in data if folder.startswith("/")]
    return [found[0], home / ".fonts", *found[1:]] if found else [home / ".fonts"]


def fallback_paths(folders: Iterable[Path] | None = None) -> dict[str, Path]:
    """Return the fallback fonts found, by face name, for `FontMetrics` (which asks when a letter is missing).

    Searches `folders`, or those of this system; takes some milliseconds.
    """
    wanted = {name for names in _FILES.values() for name in names}
    places: dict[str, Path] = {}
    looked_at = 0
    for top in font_folders(os.environ) if folders is None else folders:
        for folder, _, names in os.walk(top):
            for name in names:
                if name.lower() in wanted:
                    places.setdefault(name.lower(), Path(folder, name))
            looked_at += len(names)
            if looked_at > MOST_FILES:
                break
    first = {face: next((places[name] for name in names if name in places), None) for face, names in _FILES.items()}
    return {face: path for face, path in first.items() if path is not None}
