"""Keys that the user chose: `keys.json` in the configuration folder changes those of any action.

The file is `{"changed": {"run.fork": ["Ctrl+Shift+F"], "run.close": []}, "delivered": {…}}`. Only `changed` is read;
`delivered` lists every action with the keys it comes with, for looking up.
"""

from __future__ import annotations

import difflib
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.app.state.action_registry import Action, Registry
from opentine_gui.app.state.settings import config_folder
from opentine_gui.core.files import storage
from opentine_gui.scene.text.clean import clean

MODIFIERS = ("Ctrl", "Shift", "Alt")
"""In the order in which a chord names them."""
NAMED_KEYS = frozenset(
    ("Home", "End", "PageUp", "PageDown", "Left", "Right", "Up", "Down", "Tab", "Enter", "Delete", "Backspace", "Space")
)
FIXED = frozenset(("view.dismiss",))
"""Actions that keep their keys: what is open can always be closed with Esc."""
MOST_BYTES = 1 << 20
_PLAIN = re.compile(r"[A-Z0-9]|F([1-9]|1[0-2])|[-/+=,.\[\];']")


def keys_path(folder: Path | None = None) -> Path:
    """The file of the user's keys, which need not exist."""
    return (folder or config_folder()) / "keys.json"


def with_own_keys(actions: Iterable[Action], folder: Path | None = None) -> tuple[Registry, list[str]]:
    """The registry with the user's keys, and a sentence for each entry that could not be followed. Never fails.

    A chord the user gives to one action is taken from the one that had it. An action whose keys hold in one mode alone
    keeps its mode.
    """
    delivered = list(actions)
    path = keys_path(folder)
    try:
        with path.open("rb") as file:
            changed = _changes(file.read(MOST_BYTES))
    except FileNotFoundError:
        return Registry(delivered), []
    except (OSError, ValueError, RecursionError) as error:
        return Registry(delivered), [f"{path} cannot be read, so the keys are those the program comes with: {error}"]
    chosen, complaints = _chosen(delivered, changed)
    taken = {(mode, chord) for keys in chosen.values() for mode, chord in keys}
    return Registry([_changed(action, chosen, taken) for action in delivered]), [f"{path}: {c}" for c in complaints]


def write_keys_file(actions: Iterable[Action], folder: Path | None = None) -> Path:
    """Make the file of the user's keys if there is none; returns its path.

    StorageError or OSError when it cannot be written.
    """
    path = keys_path(folder)
    if not os.path.exists(path):
        delivered = {action.id: list(action.keys or action.mode_keys) for action in actions if action.id not in FIXED}
        text: dict[str, Any] = {"changed": {}, "delivered": delivered}
        path.parent.mkdir(parents=True, exist_ok=True)
        storage.write_bytes_atomic(path, msgspec.json.format(msgspec.json.encode(text), indent=2) + b"\n")
    return path


def checked_chord(text: str) -> str | None:
    """The chord in the spelling of the actions ("Ctrl+Shift+Z"), or None for anything that is not a chord."""
    *held, name = text.split("+") if not text.endswith("+") else [*text[:-1].rstrip("+").split("+"), "+"]
    by_name = {modifier.lower(): modifier for modifier in MODIFIERS}
    modifiers = {by_name.get(word.strip().lower(), "") for word in held if word.strip()}
    name = name.strip()
    named = {key.lower(): key for key in NAMED_KEYS}.get(name.lower())
    name = named or (name.upper() if len(name) < 4 else name)
    if "" in modifiers or not (named or _PLAIN.fullmatch(name)):
        return None
    return "+".join([*(word for word in MODIFIERS if word in modifiers), name])


def _each_once(members: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON. ValueError for a name that stands twice: which of the two was meant is not known."""
    held = dict(members)
    if len(held) < len(members):
        names = Counter(name for name, _ in members)
        raise ValueError(f"“{clean(next(name for name in names if names[name] > 1), 60)}” stands twice")
    return held


def _changes(text: bytes) -> Mapping[str, object]:
    """What stands under "changed"; ValueError says on which line it is not JSON, what stands twice or is missing."""
    try:
        # The standard library's reader says the line and the column, where msgspec counts bytes.
        held = json.loads(text, object_pairs_hook=_each_once)
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise ValueError(f"line {line} is not UTF-8") from error
    changed = held.get("changed") if isinstance(held, dict) else None
    if isinstance(held, dict) and held.keys() <= {"delivered"}:
        changed = {}
    if not isinstance(changed, dict):
        raise ValueError('expected {"changed": {"action": ["key"]}}')
    return changed


_Chord = tuple[str, str]
"""(mode, chord); the mode "" stands for all modes."""


def _chosen(delivered: list[Action], changed: Mapping[str, object]) -> tuple[dict[str, tuple[_Chord, ...]], list[str]]:
    """The chords of each action that the user changed, and what is wrong with the other entries."""
    known = {action.id: action for action in delivered}
    chosen: dict[str, tuple[_Chord, ...]] = {}
    owner: dict[_Chord, str] = {}
    complaints = []
    for identity, chords in changed.items():
        action = known.get(identity)
        if action is None or identity in FIXED:
            near = "" if action else next(iter(difflib.get_close_matches(identity, list(known), n=1)), "")
            why = "keeps its keys" if action else "is no action" + (f"; did you mean {near}?" if near else "")
            complaints.append(f"{identity[:80]} {why}")
            continue
        if not isinstance(chords, list) or not all(isinstance(text, str) for text in chords):
            complaints.append(f'{identity} needs a list of keys, such as ["{action.key or "Ctrl+F2"}"]')
            continue
        mode = "" if action.keys or not action.mode_keys else action.mode
        own: list[_Chord] = []
        for text in chords:
            chord = checked_chord(text)
            if chord is None:
                complaints.append(f"{text[:40]!r} of {identity} is no key")
            elif owner.setdefault((mode, chord), identity) != identity:
                complaints.append(f"{chord} is given to {owner[mode, chord]} and to {identity}; the first has it")
            elif (mode, chord) not in own:
                own.append((mode, chord))
        chosen[identity] = tuple(own)
    return chosen, complaints


def _changed(action: Action, chosen: Mapping[str, tuple[_Chord, ...]], taken: set[_Chord]) -> Action:
    """The action with the user's keys, or with those of its own that the user gave to no other."""
    mine = chosen.get(action.id)
    if mine is None:
        keys = tuple(key for key in action.keys if ("", key) not in taken)
        mode_keys = tuple(key for key in action.mode_keys if (action.mode, key) not in taken)
        return msgspec.structs.replace(action, keys=keys, mode_keys=mode_keys)
    if action.keys or not action.mode_keys:
        mode_keys = tuple(key for key in action.mode_keys if (action.mode, key) not in taken)
        return msgspec.structs.replace(action, keys=tuple(chord for _, chord in mine), mode_keys=mode_keys)
    return msgspec.structs.replace(action, mode_keys=tuple(chord for _, chord in mine))
