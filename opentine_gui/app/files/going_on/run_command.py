"""The proposal to go on from a step of a `.tine` run with a command of the user's own, and the command as it runs.

A command is a template of words, kept for each model or runner in the settings, and started without a shell. What a
file says becomes one word of it, or the value of an option.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.payload_form import Entry, entry_of
from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.desktop.command_run import CommandRun
from opentine_gui.core import EditError, RunRecord
from opentine_gui.describe.step_titles import title as step_title

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

PLACES = ("file", "step", "run")
OPENTINE = "tine resume {run}"
"""What is preset where the `opentine` package's own command is found."""
ANY = "any"
INTERPRETERS = frozenset(
    (
        "sh",
        "bash",
        "dash",
        "zsh",
        "ksh",
        "fish",
        "cmd",
        "powershell",
        "pwsh",
        "python",
        "python3",
        "node",
        "perl",
        "ruby",
    )
)
SCRIPT_OPTIONS = ("-c", "-lc", "-ic", "-e", "/c", "/k", "-command", "--command", "--eval", "-p")
"""Options after which an interpreter takes a script."""
_PLACE = re.compile(r"(?P<option>(?:--?\w[\w-]*=)?)\{(?P<place>file|step|run)\}")
_HARMLESS = re.compile(r"[\w.:@%+,=/-]*")
"""Characters that no shell gives a meaning of its own."""
LONGEST_VALUE = 4096
NOT_STARTED = "command:not-started"
"""The key of the notice that a command cannot be started; the next one that starts removes it."""


def key_of(record: RunRecord) -> str:
    """What a command is kept under: the run's model, else its runner, else `ANY`."""
    runner = record.metadata.get("harness")
    return record.model_info or (runner if isinstance(runner, str) else "") or ANY


def template_for(commands: Mapping[str, str], record: RunRecord, find: Callable[[str], str | None]) -> str:
    """The command kept for a run's model or runner, else the one for any, else that of `opentine`, else ""."""
    known = commands.get(key_of(record)) or commands.get(ANY)
    return known or (OPENTINE if find("tine") is not None else "")


def words_of(template: str, values: Mapping[str, str], platform: str = sys.platform) -> tuple[str, ...]:
    """The words of a command with {file}, {step} and {run} filled in. EditError for an invalid template.

    The template is cut into words first, so that nothing in a value can add one. A place is a word of its own or the
    value of an option (`--at={step}`). Programs such as ssh join their words for a shell of their own: so `step` and
    `run`, which the file names itself, may only be made of what no shell reads as code.
    """
    try:
        pieces = _split(template, platform)
    except ValueError as error:
        raise EditError(f"the command cannot be read: {error}") from error
    if not pieces:
        raise EditError("there is no command yet")
    if any(f"{{{place}}}" in pieces[0] for place in PLACES):
        raise EditError("the program itself is named in the command, not by the file")
    _refuse_scripts(pieces)
    return tuple(_filled(piece, values) for piece in pieces)


def _split(template: str, platform: str) -> list[str]:
    """The words of a line; on Windows a backslash is a part of a path, and only double quotes hold words together."""
    if platform != "win32":
        return shlex.split(template)
    reader = shlex.shlex(template, posix=True, punctuation_chars=False)
    reader.whitespace_split, reader.commenters, reader.escape, reader.quotes = True, "", "", '"'
    return list(reader)


def _refuse_scripts(pieces: Sequence[str]) -> None:
    """EditError where a value of the file would become a part of a script, which a program would run as code."""
    code = any(PurePath(piece).stem.lower() in INTERPRETERS for piece in pieces[:3])
    for before, piece in pairwise(pieces):
        here = [place for place in PLACES if f"{{{place}}}" in piece]
        if here and (_PLACE.fullmatch(piece) is None or (code and _is_script(before, piece))):
            raise EditError(
                f"{{{here[0]}}} has to be a word of its own, or all that follows an option and =: inside a script the "
                "file's words would be run as code"
            )


def _is_script(before: str, piece: str) -> bool:
    return before.lower() in SCRIPT_OPTIONS or piece.partition("=")[0].lower() in SCRIPT_OPTIONS


def _filled(piece: str, values: Mapping[str, str]) -> str:
    """A word with its place filled in. EditError for a value that a program could take for something else."""
    match = _PLACE.fullmatch(piece)
    if match is None:
        return piece
    option, place = match["option"], match["place"]
    value = values[place]
    if "\0" in value or len(value) > LONGEST_VALUE:
        raise EditError(f"{place} cannot be a part of a command")
    if place != "file" and _HARMLESS.fullmatch(value) is None:
        raise EditError(f"{place} has characters that a shell could read as code, so it cannot be a part of a command")
    if not option and value.startswith("-"):
        raise EditError(f"{place} begins with a dash, which a program would read as an option")
    return option + value


class CommandProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Running `said`, a template typed by the user, for a step of a document's file."""

    TYPED: ClassVar[tuple[str, ...]] = ("said",)

    document: Document
    step: str
    said: Entry
    key: str

    @property
    def subject(self) -> Hashable:
        """What it is about: two proposals for the same step have the same."""
        return "command", self.document.number, self.step

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it."""
        return bool(self.said.changes)

    @property
    def step_title(self) -> str:
        """The step's title as its card has it."""
        return step_title(self.document.step(self.step))

    @property
    def words(self) -> tuple[str, ...]:
        """The command as it will be run. EditError when there is none."""
        record, path = self.document.record, self.document.path
        if record is None or path is None or self.document.dirty:
            raise EditError("save the run first: the command is given its file")
        return words_of(self.said.text, {"file": str(path), "step": self.step, "run": record.run_id})

    @property
    def sentence(self) -> str:
        """What runs, and for which runs the command is kept."""
        return f"Runs the command below, without a shell · kept for {self.key}"

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        try:
            _ = self.words
        except EditError as error:
            return f"{error.message[:1].upper()}{error.message[1:]}."
        return None

    def concerns(self, document: Document | None) -> bool:
        """Whether the proposal belongs to this document."""
        return document is self.document

    def accept(self, session: Session) -> None:
        """Keep the command, and run it; its output is shown below the canvas, and its file is followed.

        EditError for an invalid command, or while another one runs.
        """
        words = self.words
        if session.command is not None and session.command.status is None:
            raise EditError("a command is running already: stop it first")
        session.settings.commands = {**session.settings.commands, self.key: self.said.text}
        session.proposal = None
        session.drafts.pop(self.subject, None)
        start(session, words, self.document)


def propose_command(session: Session, document: Document, step: str) -> CommandProposal:
    """The proposal to run a command for a step. EditError before the run is read."""
    record = document.record
    if record is None:
        raise EditError("the run is not open any more")
    template = template_for(session.settings.commands, record, session.terminals.find)
    return CommandProposal(document, record.resolve(step), entry_of(template), key_of(record))


def start(session: Session, words: tuple[str, ...], document: Document) -> None:
    """Run a command in the folder of a document's file; a notice says that it cannot be started. StorageError."""
    folder = data_folder() / "output"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    where = document.path.parent if document.path is not None else session.working_folder
    close(session)
    try:
        log = folder / f"{session.nonce()}.log"
        session.command = CommandRun(words, where, log, session.agent_sessions.places.environment)
    except OSError as error:
        session.notices.add("error", f"{words[0]} cannot be started: {error.strerror or error}", key=NOT_STARTED)
        return
    session.notices.dismiss(NOT_STARTED)
    document.live.follows = True
    session.touch()


def close(session: Session) -> None:
    """Close the output of a command; one that still runs goes on."""
    if session.command is not None:
        session.command.let_go()
        session.command = None
        session.touch()


def keep_looking(session: Session) -> None:
    """Look at the command that runs. Called in every `Session.step`."""
    command = session.command
    if command is not None and command.poll(session.clock()):
        session.touch()
