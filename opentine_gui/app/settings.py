"""What is remembered between sessions: settings in the configuration folder, positions in the side store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from opentine_gui.core import storage
from opentine_gui.layout import Direction
from opentine_gui.scene.theme import THEMES

APPLICATION = "opentine-gui"
FILE_DIALOGS = ("system", "own")
"""The desktop's file dialogs where there are any, or always ours."""

SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""Interface scales: pixels for one design pixel."""

MOST_POSITIONS = 50_000
_MOST_RECENT = 20
_MOST_PIXELS = 100_000
_LOCK_SECONDS = 2.0

Point = tuple[float, float]


def config_folder() -> Path:
    """Folder of the settings file."""
    return Path(platformdirs.user_config_dir(APPLICATION, appauthor=False))


def data_folder() -> Path:
    """Folder of the side store and of recovered work."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


class Settings(msgspec.Struct, kw_only=True):
    """Everything remembered that is not part of a document; sizes in pixels before display scaling."""

    window_width: int = 1440
    window_height: int = 900
    left_width: int = 260
    right_width: int = 380
    theme: str = "dark"
    motion: bool = True
    direction: str = "top-to-bottom"
    minimap: bool = True
    panels: bool = True
    scale: float = 0.0
    """Pixels for one design pixel; 0 takes the display's."""
    file_dialogs: str = "system"
    last_folder: str = ""
    recent: list[str] = []

    def remember_file(self, path: Path) -> None:
        """Put a path at the head of the recent files and make its folder the one dialogs start in."""
        text = str(path)
        self.recent = [text, *(other for other in self.recent if other != text)][:_MOST_RECENT]
        self.last_folder = str(path.parent)


def load_settings(folder: Path | None = None) -> Settings:
    """Read the settings; what is missing, damaged or unknown is as by default (settings are never worth an error)."""
    try:
        stored = msgspec.json.decode(_settings_file(folder).read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Settings()
    settings = Settings()
    for field in msgspec.structs.fields(Settings):
        try:
            value = msgspec.convert(stored[field.name], field.type)
        except (KeyError, msgspec.ValidationError):
            continue
        if _is_possible(field.name, value):
            setattr(settings, field.name, value)
    return settings


def _is_possible(name: str, value: object) -> bool:
    if name == "direction":
        return value in {direction.value for direction in Direction}
    if name == "theme":
        return value in THEMES
    if name == "file_dialogs":
        return value in FILE_DIALOGS
    if name == "scale":
        return value == 0 or (isinstance(value, float) and SCALES[0] <= value <= SCALES[-1])
    return not isinstance(value, int) or isinstance(value, bool) or 0 < value <= _MOST_PIXELS


def save_settings(settings: Settings, folder: Path | None = None) -> None:
    """Write the settings atomically; raises StorageError or OSError when the folder cannot be written."""
    path = _settings_file(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    storage.write_bytes_atomic(path, msgspec.json.format(msgspec.json.encode(settings), indent=2))


def _settings_file(folder: Path | None) -> Path:
    return (folder or config_folder()) / "settings.json"


class Placed(msgspec.Struct, array_like=True):
    """A card's remembered centre and when it was put there (Unix seconds, for pruning the oldest)."""

    x: float
    y: float
    at: float


class SideStore:
    """Positions of moved cards by direction and step id, beside the files and never in them.

    One store for all runs: a step that several runs of a family share stands in the same place in each. Every change
    reads, merges and rewrites the file under a lock, so that two windows do not lose each other's positions.
    """

    def __init__(self, folder: Path | None = None, *, now: Callable[[], float], most: int = MOST_POSITIONS) -> None:
        self._path = (folder or data_folder()) / "positions.json"
        self._now = now
        self._most = most

    def positions(self, direction: str, step_ids: Iterable[str]) -> dict[str, Point]:
        """Remembered centres of those steps; empty when nothing is stored or the store cannot be read."""
        stored = self._read().get(direction, {})
        if not stored:
            return {}
        return {key: (stored[key].x, stored[key].y) for key in step_ids if key in stored}

    def remember(self, direction: str, changes: Mapping[str, Point | None]) -> None:
        """Store new centres, forget those given as None; prunes the oldest beyond the store's size.

        Raises OSError, StorageError or filelock.Timeout when the store cannot be written.
        """
        if not changes:
            return
        from filelock import FileLock  # not at the start: it is not cheap to import

        self._path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(str(self._path) + ".lock", timeout=_LOCK_SECONDS):
            everything = self._read()
            stored = everything.setdefault(direction, {})
            at = self._now()
            for key, point in changes.items():
                if point is None:
                    stored.pop(key, None)
                else:
                    stored[key] = Placed(float(point[0]), float(point[1]), at)
            if len(stored) > self._most:
                newest = sorted(stored.items(), key=lambda item: item[1].at)[-self._most :]
                everything[direction] = dict(newest)
            storage.write_bytes_atomic(self._path, msgspec.json.encode(everything))

    def _read(self) -> dict[str, dict[str, Placed]]:
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, dict[str, Placed]])
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return {}


__all__ = [
    "Placed",
    "Point",
    "Settings",
    "SideStore",
    "config_folder",
    "data_folder",
    "load_settings",
    "save_settings",
]
