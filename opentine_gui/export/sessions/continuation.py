"""A request to go on from a step in the agent's own program, and what has to be done for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from opentine_gui.importers.reading import Reading


@dataclass(frozen=True, slots=True)
class Continuation:
    """A request to go on after `step` (a full id of `reading.record`); only the step and its ancestors are kept.

    With `replaces`, the step is a prompt that is left out, and `prompt` takes its place. `prompt` is what to
    say next, "" to let the user type it in the agent.
    `home`: the home folder. `config`: the agent's own folder where the environment moves it, else None.
    `installed`: the version of the agent's program on this machine, "" when it is not known.
    `exchange`: the folder for files that an agent takes in by a command of its own.
    `new_id` gives a random UUID (version 4) as text at each call; `now` is the time in Unix seconds.
    """

    reading: Reading
    step: str
    home: Path
    new_id: Callable[[], str]
    now: float
    prompt: str = ""
    replaces: bool = False
    config: Path | None = None
    installed: str = ""
    exchange: Path | None = None


def no_words(_prompt: str) -> tuple[str, ...]:
    """The words of a command that take no prompt."""
    return ()


class NewFile(NamedTuple):
    """A file to write, readable by its owner alone; it must not be there yet."""

    path: Path
    content: bytes


@dataclass(frozen=True, slots=True)
class Handback:
    """What to do: write `files` (none if the agent has a fork command of its own), then run `command` in `folder`.

    `words` are the command without a prompt, and `saying` returns the arguments that give one. No file holds the
    prompt, so another `prompt` only changes the command. `folder` is None where any will do. `session` is the id
    of the new session, "" when the agent chooses it. `remarks` are sentences to show before anything is written.
    `removal`: how the user gets rid of the session in the agent's own way.
    `takes_in`: a command of the agent's that takes the written files in, and is run before `command`; () for none.
    `is_here` is False where the agent is not on this machine, so that nothing can be run.
    `folder_is_here` is False where the folder is not, so that the command can only be copied.
    `opens`: what shows the new session here, where that is not the first of `files`.
    """

    title: str
    session: str
    files: tuple[NewFile, ...]
    words: tuple[str, ...]
    folder: Path | None
    remarks: tuple[str, ...] = ()
    removal: str = ""
    takes_in: tuple[str, ...] = ()
    opens: Path | None = None
    is_here: bool = True
    folder_is_here: bool = True
    saying: Callable[[str], tuple[str, ...]] = no_words
    prompt: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        """The program and its arguments, never a line for a shell."""
        return (*self.words, *self.saying(self.prompt))
