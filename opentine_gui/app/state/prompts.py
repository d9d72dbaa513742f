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
    """Which files to open? Answer: a tuple of paths."""

    title: str
    folder: Path


class OpenFolder(msgspec.Struct, frozen=True):
    """Which folder of runs to list? Answer: a tuple with one path."""

    title: str
    folder: Path


class SaveFile(msgspec.Struct, frozen=True):
    """Where to save? Answer: a tuple with one path."""

    title: str
    folder: Path
    name: str


class Confirm(msgspec.Struct, frozen=True):
    """Choose one of `choices`; Enter takes the first, Esc answers None. `danger` marks choices that lose something."""

    title: str
    text: str
    choices: tuple[str, ...]
    danger: frozenset[str] = frozenset()


class AskText(msgspec.Struct, frozen=True):
    """Type one line. Answer: the text."""

    title: str
    text: str
    value: str = ""


class Choose(msgspec.Struct, frozen=True):
    """Which one of a list? Answer: one of `items`, which are all different."""

    title: str
    text: str
    items: tuple[str, ...]


Question = OpenFile | OpenFolder | SaveFile | Confirm | AskText | Choose
Answer = tuple[Path, ...] | str


class Prompter(Protocol):
    """Whoever can put a question to the user."""

    def ask(self, question: Question, answer: Callable[[Answer | None], None]) -> None:
        """Put the question; call `answer` once, now or later, with None when the user declines."""


class ListPrompter:
    """Answers from a list, in order; remembers what was asked. Running out of answers means declining."""

    def __init__(self, answers: Iterable[Answer | None] = ()) -> None:
        self.answers: list[Answer | None] = list(answers)
        self.asked: list[Question] = []

    def ask(self, question: Question, answer: Callable[[Answer | None], None]) -> None:
        """Answer at once with the next item of the list."""
        self.asked.append(question)
        answer(self.answers.pop(0) if self.answers else None)
