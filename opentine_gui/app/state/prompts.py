"""Questions the application asks the user, and who answers them.

Asking never blocks: the answer arrives later through a callback. The window shows dialogs; tests and batch runs answer
from a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec


class OpenFile(msgspec.Struct, frozen=True):
    """Asks which files to open. Answer: a tuple of paths."""

    title: str
    folder: Path


class OpenFolder(msgspec.Struct, frozen=True):
    """Asks for a folder. Answer: a tuple with one path. `verb` is what the answer does, on its button."""

    title: str
    folder: Path
    verb: str = "Open this folder"


class SaveFile(msgspec.Struct, frozen=True):
    """Asks where to save. Answer: a tuple with one path.

    `forms` are (suffix, what a file with it is) of all that can be written; empty where the suffix says nothing.
    `names` are the names to suggest, one for each of them: a name that is taken in one form is free in another.
    `labels` are the words that the forms are chosen by. `verb` is what the answer does, on its button. `scopes` says
    what may go into a file of a name, the likeliest first; a dialog in which that is chosen calls `scoped` before it
    answers.
    """

    title: str
    folder: Path
    name: str
    forms: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    verb: str = "Save"
    scopes: Callable[[Path], tuple[str, ...]] | None = None
    scoped: Callable[[str], None] | None = None

    @property
    def spelled_out(self) -> str:
        """The title with the suffixes, for a dialog that does not show them."""
        return f"{self.title} ({' '.join(suffix for suffix, _ in self.forms)})" if self.forms else self.title


CANCEL = "Cancel"
"""The choice that does nothing, as Esc does."""


class Confirm(msgspec.Struct, frozen=True):
    """Asks for one of `choices`; Enter takes the first, Esc answers None. `danger` marks those that lose something.

    ValueError where all that can be chosen is to cancel: then there is nothing to ask.
    """

    title: str
    text: str
    choices: tuple[str, ...]
    danger: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not set(self.choices) - {CANCEL}:
            raise ValueError(f"the question {self.title!r} has no answer but to cancel")


class AskText(msgspec.Struct, frozen=True):
    """Asks for a text, in a box of `lines` lines. Answer: the text. `verb` is what the answer does, on its button.

    A question with `left` is left without an answer by calling that with what was typed, if it is not `value`.
    `refusal` says in a sentence why a text is no answer, "" if it is one: the question stays until there is one.
    """

    title: str
    text: str
    verb: str
    value: str = ""
    lines: int = 1
    left: Callable[[str], None] | None = None
    refusal: Callable[[str], str] | None = None


class Choose(msgspec.Struct, frozen=True):
    """Asks for one of `items`, which are all different. Answer: the item.

    `dots` are the theme roles of dots before the items, "" for none. `details` are what stands below each, "" for
    nothing; what is typed is looked for in both.
    """

    title: str
    text: str
    items: tuple[str, ...]
    dots: tuple[str, ...] = ()
    details: tuple[str, ...] = ()


Question = OpenFile | OpenFolder | SaveFile | Confirm | AskText | Choose
Answer = tuple[Path, ...] | str


class Prompter(Protocol):
    """Asks the user: the window, or a list of answers."""

    def ask(self, question: Question, answer: Callable[[Answer | None], None]) -> None:
        """Ask, and call `answer` once, now or later; with None if the user declines."""


class ListPrompter:
    """Answers from a list, in order, and records the questions; with no answer left it declines."""

    def __init__(self, answers: Iterable[Answer | None] = ()) -> None:
        self.answers: list[Answer | None] = list(answers)
        self.asked: list[Question] = []

    def ask(self, question: Question, answer: Callable[[Answer | None], None]) -> None:
        """Answer with the next item of the list."""
        self.asked.append(question)
        answer(self.answers.pop(0) if self.answers else None)
