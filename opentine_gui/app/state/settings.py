"""Settings remembered between sessions, in the configuration folder."""

from __future__ import annotations

import copy
from itertools import chain, count
from pathlib import Path
from typing import Any

import msgspec
import platformdirs

from opentine_gui.app.state.own_files import held_lock, path_of, stored_path
from opentine_gui.core import StorageError
from opentine_gui.core.files import storage
from opentine_gui.layout import Direction
from opentine_gui.scene.theme import THEMES

APPLICATION = "opentine-gui"
FILE_DIALOGS = ("system", "own")
"""The desktop's file dialogs if it has any, or always ours."""

SCALES = (1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
"""Interface scales: pixels for one design pixel."""

_MOST_RECENT = 20
_MOST_UNFOLDED = 200
_MOST_FORKED = 500
_MOST = {"recent": _MOST_RECENT, "every_step": _MOST_UNFOLDED}
_MOST_PIXELS = 100_000
_LOCK_SECONDS = 2.0
_DAMAGED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def config_folder() -> Path:
    """The folder of the settings file."""
    return Path(platformdirs.user_config_dir(APPLICATION, appauthor=False))


def data_folder() -> Path:
    """The folder of card positions and safety copies."""
    return Path(platformdirs.user_data_dir(APPLICATION, appauthor=False))


class Settings(msgspec.Struct, kw_only=True):
    """Everything that is remembered and not part of a document; sizes in design pixels, before display scaling."""

    window_width: int = 1440
    window_height: int = 900
    left_width: int = 260
    right_width: int = 380
    panel_heights: dict[str, int] = {}
    """Heights that the user gave to panels, by name."""
    theme: str = "dark"
    motion: bool = True
    direction: str = "top-to-bottom"
    minimap: bool = True
    sessions: bool = True
    """Whether the sessions that agents keep on this machine are listed."""
    panels: bool = True
    runs_order: str = "family"
    """The order of the list of runs, by its name in `app.folder.run_order`."""
    scale: float = 0.0
    """Pixels for one design pixel; 0: as the display says."""
    file_dialogs: str = "system"
    commands: dict[str, str] = {}
    """Commands that go on with a run, by its model or runner; {file}, {step} and {run} are filled in."""
    keep: bool = False
    """Whether new sessions are copied into the archive before their agents delete them."""
    keep_folder: str = ""
    """Where the archive is, "" for its place in the data folder."""
    kept_in: str = ""
    """The folder that held an archive: if it is gone, its disk may be unplugged, so no new archive is begun there."""
    last_folder: str = ""
    recent: list[str] = []
    forked_sessions: dict[str, str] = {}
    """Paths of agents' sessions by the ids of the runs that were forked from them and saved, the latest last."""
    every_step: list[str] = []
    """Ids of long runs of which every step is shown, the latest first."""

    @property
    def first_direction(self) -> Direction:
        """The direction of a document that is opened; top to bottom for an unknown one."""
        known = (direction for direction in Direction if direction.value == self.direction)
        return next(known, Direction.TOP_TO_BOTTOM)

    def remember_file(self, path: Path) -> None:
        """Make a path the first of the recent files, and its folder the one dialogs start in."""
        text = str(path)
        self.recent = [text, *(other for other in self.recent if other != text)][:_MOST_RECENT]
        self.last_folder = str(path.parent)

    def remember_forked_session(self, run_id: str, path: Path) -> None:
        """Remember the session that a saved run was forked from."""
        others = {known: other for known, other in self.forked_sessions.items() if known != run_id}
        kept = dict(list(others.items())[1 - _MOST_FORKED :])
        self.forked_sessions = {**kept, run_id: stored_path(str(path))}

    def remember_every_step(self, run_id: str, shown: bool) -> None:
        """Remember whether every step of a long run is shown."""
        others = [other for other in self.every_step if other != run_id]
        self.every_step = [run_id, *others][:_MOST_UNFOLDED] if shown else others


def read_settings(folder: Path | None = None) -> tuple[Settings, Path | None]:
    """(settings, path): read as by `load_settings`; a file that holds no JSON object is renamed to `path`.

    So the defaults are not written over it. `path` is None if the file is whole or missing, or cannot be read or
    renamed.
    """
    path = _settings_file(folder)
    try:
        return _settings_of(_stored(path)), None
    except StorageError:
        return Settings(), None
    except _DAMAGED:
        names = chain(("settings.damaged.json",), (f"settings.damaged.{number}.json" for number in count(2)))
        aside = next(free for free in map(path.with_name, names) if not free.exists())
        try:
            path.rename(aside)
        except OSError:
            return Settings(), None
        return Settings(), aside


def load_settings(folder: Path | None = None) -> Settings:
    """Read the settings; what is missing, damaged or unknown has its default. Never fails."""
    try:
        return _settings_of(_stored(_settings_file(folder)))
    except (StorageError, *_DAMAGED):
        return Settings()


def _settings_of(stored: dict[str, Any]) -> Settings:
    settings = Settings()
    for field in msgspec.structs.fields(Settings):
        try:
            value = msgspec.convert(stored[field.name], field.type)
        except (KeyError, msgspec.ValidationError):
            continue
        if _is_possible(field.name, value):
            setattr(settings, field.name, value)
    settings.recent = [path_of(path) for path in settings.recent]
    settings.last_folder = path_of(settings.last_folder)
    return settings


def _stored(path: Path) -> dict[str, Any]:
    return msgspec.json.decode(storage.read_bytes(path), type=dict[str, Any])


def _is_possible(name: str, value: object) -> bool:
    if name == "direction":
        return value in {direction.value for direction in Direction}
    if name == "theme":
        return value in THEMES
    if name == "file_dialogs":
        return value in FILE_DIALOGS
    if name == "scale":
        return value == 0 or (isinstance(value, float) and SCALES[0] <= value <= SCALES[-1])
    if name in ("commands", "forked_sessions"):
        return True
    if isinstance(value, dict):
        return all(0 < height <= _MOST_PIXELS for height in value.values())
    return not isinstance(value, int) or isinstance(value, bool) or 0 < value <= _MOST_PIXELS


def save_settings(settings: Settings, folder: Path | None = None, *, before: Settings | None = None) -> None:
    """Write the settings atomically. With `before` only what differs from it: the rest may be another window's.

    StorageError or OSError when the folder cannot be written or another program holds the file's lock.
    """
    if settings == before:
        return
    path = _settings_file(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with held_lock(path, _LOCK_SECONDS):
        try:
            stored = _stored(path) if before is not None else {}
        except (StorageError, *_DAMAGED):
            stored = {}
        kept = copy.copy(settings) if before is None or not stored else _merged(settings, before, _settings_of(stored))
        kept.recent = [stored_path(recent) for recent in kept.recent]
        kept.last_folder = stored_path(kept.last_folder)
        written = {**stored, **msgspec.to_builtins(kept)}
        storage.write_bytes_atomic(path, msgspec.json.format(msgspec.json.encode(written), indent=2))


def _merged(ours: Settings, before: Settings, theirs: Settings) -> Settings:
    """`theirs`, with what was changed from `before` to `ours`; in lists and tables entry by entry."""
    kept = copy.copy(theirs)
    for name in ours.__struct_fields__:
        mine, then, other = (getattr(settings, name) for settings in (ours, before, theirs))
        if mine == then:
            continue
        if isinstance(mine, list):
            mine = [*mine, *(entry for entry in other if entry not in mine and entry not in then)][: _MOST[name]]
        elif isinstance(mine, dict):
            others = {key: value for key, value in other.items() if key in mine or key not in then}
            mine = {**others, **{key: value for key, value in mine.items() if then.get(key) != value}}
        setattr(kept, name, mine)
    return kept


def _settings_file(folder: Path | None) -> Path:
    return (folder or config_folder()) / "settings.json"
