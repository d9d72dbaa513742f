"""Actions and their registry: by id, by key, as menus, by fuzzy search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

# The session is the first argument of each; its type cannot be named here, for it imports this module.
Run = Callable[..., None]
Enabled = Callable[..., str | None]
State = Callable[..., bool | str]

CLOSE = 0.75
"""The least similarity of a typed word to a word of a title, 0..1: one letter of four may be wrong."""
SILENT = ""
"""The reason of a condition that fails where nobody needs to be told: the key does nothing."""
MENUS = ("File", "Edit", "View", "Go", "Step", "Run", "Help")
FIRST_OF = {"step": ("Run", "Step")}
"""By kind of context menu: the menus whose actions come first in it, so that they are in view in a low window."""


class Choice(msgspec.Struct, frozen=True):
    """One of the things an action can do, as a line of its submenu: `here` marks the present one."""

    label: str
    arguments: Mapping[str, Any]
    here: bool = False


Choices = Callable[[Any], Sequence[Choice]]


def stateless(_session: Any, **_arguments: Any) -> bool | str:
    """The state of an action that has none."""
    return ""


def always(_session: Any, **_arguments: Any) -> str | None:
    """The condition of an action that can always run."""
    return None


class Action(msgspec.Struct, frozen=True):
    """Something a user can do. `enabled(session, **arguments)` is None, or the reason why it cannot run now.

    `menu` names its menu and `submenu` a submenu of that, "View/Zoom" where it is declared; groups of a menu are
    separated by lines, `keys` are chords ("Ctrl+Shift+Z"), `contexts` are the context menus it is in (`MENU_ARGUMENTS`
    in `app.state.window_state`), "step/Copy" the submenu Copy of "step".
    With `palette` False the palette leaves it out: it needs arguments that only a gesture or a list has. `mode_keys`
    are further chords, in the mode `mode` alone, where they win over `keys`. `state(session, **arguments)` is what it
    switches: on or off, the name of the present choice, or "" if it switches nothing. `choices(session)` is what there
    is to choose from, which a menu shows beside itself. `words` are what else it is looked for by, which it need not
    show.
    """

    id: str
    title: str
    description: str
    run: Run
    enabled: Enabled = always
    menu: str = ""
    group: int = 0
    keys: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    palette: bool = True
    mode: str = ""
    mode_keys: tuple[str, ...] = ()
    state: State = stateless
    choices: Choices | None = None
    submenu: str = ""
    words: str = ""

    def refusal(self, reason: str) -> str:
        """The reason why it cannot run, with its name unless the reason has it: "There is nothing to undo."."""
        name = self.title.rstrip("…")
        named = re.search(rf"\b{re.escape(name)}\b", reason, re.IGNORECASE)
        return reason if named else f"{name}: {reason}"

    def says(self, words: Sequence[str]) -> bool:
        """Whether the name, id, description or further words contain every one of `words`, in small letters."""
        said = f"{self.menu} {self.title} {self.id} {self.description} {self.key} {self.words}".casefold()
        return all(word in said for word in words)

    def is_looked_for_by(self, words: Sequence[str]) -> bool:
        """Whether every one of `words` begins a further word."""
        return all(any(known.startswith(word) for known in self.words.split()) for word in words)

    @property
    def key(self) -> str:
        """The chord shown beside the title, or ""."""
        return next(iter((*self.keys, *self.mode_keys)), "")


def declare(
    actions: list[Action],
    id: str,
    title: str,
    description: str,
    *,
    enabled: Enabled = always,
    menu: str = "",
    group: int = 0,
    keys: tuple[str, ...] = (),
    contexts: tuple[str, ...] = (),
    palette: bool = True,
    mode: str = "",
    mode_keys: tuple[str, ...] = (),
    state: State = stateless,
    choices: Choices | None = None,
) -> Callable[[Run], Run]:
    """Decorate a function as an action and add it to its area's list."""

    whole, _, inner = menu.partition("/")

    def add(run: Run) -> Run:
        actions.append(
            Action(
                id,
                title,
                description,
                run,
                enabled,
                whole,
                group,
                keys,
                contexts,
                palette,
                mode,
                mode_keys,
                state,
                choices,
                inner,
            )
        )
        return run

    return add


class Submenu(msgspec.Struct, frozen=True):
    """Actions that a menu shows beside itself, under one line."""

    title: str
    actions: tuple[Action, ...]


Item = Action | Submenu | None


class Menu(msgspec.Struct, frozen=True):
    """One menu: actions and submenus in order, None for a separator."""

    title: str
    items: tuple[Item, ...]

    @property
    def actions(self) -> tuple[Action, ...]:
        """All actions in it, those of submenus where these stand."""
        held = (item.actions if isinstance(item, Submenu) else (item,) for item in self.items if item is not None)
        return tuple(action for some in held for action in some)


class Registry:
    """All actions. ValueError for two with the same id or key."""

    def __init__(self, actions: Iterable[Action]) -> None:
        self._by_id: dict[str, Action] = {}
        self._by_key: dict[tuple[str, str], Action] = {}
        """(mode, chord) -> action; the mode "" stands for all modes."""
        for action in actions:
            if action.id in self._by_id:
                raise ValueError(f"two actions are called {action.id}")
            self._by_id[action.id] = action
            chords = [*(("", key) for key in action.keys), *((action.mode, key) for key in action.mode_keys)]
            for chord in chords:
                if chord in self._by_key:
                    raise ValueError(f"{chord[1]} belongs to {self._by_key[chord].id} and to {action.id}")
                self._by_key[chord] = action

    def __iter__(self) -> Iterator[Action]:
        return iter(self._by_id.values())

    def __getitem__(self, action_id: str) -> Action:
        return self._by_id[action_id]

    def __contains__(self, action_id: object) -> bool:
        return action_id in self._by_id

    def all(self) -> tuple[Action, ...]:
        """Every action, in the order of the areas."""
        return tuple(self._by_id.values())

    def by_key(self, chord: str, mode: str = "") -> Action | None:
        """The action of a chord like "Ctrl+Shift+Z" in a mode, or None; the mode's own keys win."""
        return self._by_key.get((mode, chord)) or self._by_key.get(("", chord))

    def of_mode(self, chord: str, mode: str) -> Action | None:
        """The action that has this chord in a mode alone, or None."""
        return self._by_key.get((mode, chord))

    def menus(self) -> tuple[Menu, ...]:
        """The menu bar."""
        return tuple(Menu(title, self._menu(title)) for title in MENUS)

    def _menu(self, title: str) -> tuple[Item, ...]:
        rows: dict[str, Action | Submenu] = {}
        for action in sorted((action for action in self if action.menu == title), key=lambda action: action.group):
            _put(rows, action, action.submenu)
        return _with_lines(tuple(rows.values()))

    def context_menu(self, kind: str) -> tuple[Item, ...]:
        """The context menu of a kind (`MENU_ARGUMENTS` in `app.state.window_state`)."""
        rows: dict[str, Action | Submenu] = {}
        for action in self:
            for context in action.contexts:
                whole, _, inner = context.partition("/")
                if whole != kind:
                    continue
                _put(rows, action, inner)
        first = FIRST_OF.get(kind, ())
        return _with_lines(sorted(rows.values(), key=lambda row: _place(_leader(row), first)))

    def search(self, text: str) -> tuple[Action, ...]:
        """Actions for the palette, best match first; all of them in order for an empty text."""
        listed = [action for action in self if action.palette]
        if not text.strip():
            return tuple(listed)
        scored = [(_score(text, action), place, action) for place, action in enumerate(listed)]
        return tuple(action for score, _, action in sorted(scored, key=lambda s: (-s[0], s[1])) if score > 0)


def _put(rows: dict[str, Action | Submenu], action: Action, inner: str) -> None:
    """Put an action into the rows of a menu, or into its submenu `inner`, which stands where its first action is."""
    row = rows.get(inner)
    before = row.actions if isinstance(row, Submenu) else ()
    rows[inner or action.id] = Submenu(inner, (*before, action)) if inner else action


def _place(action: Action, first: Sequence[str]) -> tuple[int, int]:
    """Where an action stands in a context menu that begins with those of the menus `first`."""
    return (first.index(action.menu), action.group) if action.menu in first else (len(first), 0)


def _leader(row: Action | Submenu) -> Action:
    """The action, or the first one of a submenu."""
    return row.actions[0] if isinstance(row, Submenu) else row


def _with_lines(rows: Sequence[Action | Submenu]) -> tuple[Item, ...]:
    items: list[Item] = []
    for before, row in zip([None, *rows], rows, strict=False):
        if before is not None:
            last, action = _leader(before), _leader(row)
            if (last.group, last.menu) != (action.group, action.menu):
                items.append(None)
        items.append(row)
    return tuple(items)


MENU_SHARE = 0.7
"""What a word counts that stands in the menu's name alone: "edit" is "Fork and edit…" before all of the menu Edit."""
WORDS_SHARE = 0.9
"""What one of an action's further words counts: what is called so goes before what is also looked for so."""


def _score(text: str, action: Action) -> float:
    """How well a typed text fits; 0 means not at all.

    Best is the start of the title, then the start of a word, the inside of a word, and last letters in order and typing
    errors.
    """
    wanted = text.lower().split()
    title = f"{action.menu} {action.title}".lower()
    own = action.title.lower()
    total = 1.0 if wanted and own.startswith(wanted[0]) else 0.0
    for word in wanted:
        named = max(_word_score(word, own), MENU_SHARE * _word_score(word, title))
        also = WORDS_SHARE * _word_score(word, action.words) if _begins_a_word(word, action.words) else 0.0
        best = max(named, also, 0.6 * _word_score(word, action.id), 0.3 * _contained(word, action))
        if best <= 0:
            return 0.0
        total += best
    return total / max(len(wanted), 1)


def _contained(word: str, action: Action) -> float:
    return 1.0 if word in action.description.lower() or word == action.key.lower() else 0.0


def _begins_a_word(word: str, text: str) -> bool:
    return re.search(rf"(?<![^\W_]){re.escape(word)}", text) is not None


def _word_score(word: str, title: str) -> float:
    if _begins_a_word(word, title):
        return 3.0 + len(word) / len(title)
    if word in title:
        return 2.0
    from rapidfuzz import fuzz  # takes 15 ms to load, which no window has to wait for
    from rapidfuzz.distance import LCSseq

    closeness = max((fuzz.ratio(word, part) for part in re.findall(r"\w+", title)), default=0.0) / 100.0
    return closeness if closeness >= CLOSE or LCSseq.similarity(word, title) == len(word) else 0.0
