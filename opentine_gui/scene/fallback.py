"""Fonts of the system for scripts the packaged faces lack: only well-known places are looked at."""

from __future__ import annotations

from pathlib import Path

# By face name; the first file that is there serves, and faces are asked in this order.
_PLACES: dict[str, tuple[str, ...]] = {
    "cjk": (
        "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
        "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
        "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
        "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
        "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
        "/usr/share/fonts/truetype/arphic/uming.ttc",
        "/System/Library/Fonts/PingFang.ttc",
        "/System/Library/Fonts/Hiragino Sans GB.ttc",
        "C:/Windows/Fonts/msyh.ttc",
        "C:/Windows/Fonts/simsun.ttc",
    ),
    "symbols": (
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf",
        "/System/Library/Fonts/Supplemental/Arial Unicode.ttf",
        "C:/Windows/Fonts/seguisym.ttf",
    ),
}


def fallback_paths() -> dict[str, Path]:
    """Return the fallback faces this system has, by face name, for `FontMetrics` (which reads them when needed)."""
    found: dict[str, Path] = {}
    for face, places in _PLACES.items():
        path = next((path for path in map(Path, places) if path.is_file()), None)
        if path is not None:
            found[face] = path
    return found
