"""Goes on from a step in the agent that made it: a new session in the agent's own place, and the command for it.

The source is never touched. What was written is removed again on the user's word, while the agent has not gone on.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
import shlex
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from opentine_gui.app.document.document import Document
from opentine_gui.app.features import Written
from opentine_gui.app.files import opening
from opentine_gui.app.files.closing import typed_into
from opentine_gui.app.files.going_on.forked_session import reading_of
from opentine_gui.app.state.notices import NoticeAction
from opentine_gui.app.state.prompts import Answer, Confirm
from opentine_gui.app.state.settings import data_folder
from opentine_gui.app.system.desktop.short_command import run_to_end
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.work_queue import error_sentence
from opentine_gui.core import EditError, Graph, RunRecord, Step, TineError
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import counted
from opentine_gui.importers.reading import Reading
from opentine_gui.scene.text.clean import clean, clean_whole

if TYPE_CHECKING:
    from opentine_gui.app.session import Session
    from opentine_gui.export.sessions import Handback, NewFile

# What writes sessions is imported where it is used: no start of the program has to wait for it.

FOR_ITS_OWNER = 0o600
DO_NOT_RUN, RUN = "Don't run", "Run"
NOTICE, NOT_RUN = "handed back", "handed back: not run"
LONGEST_WAIT, LOOK_EVERY = 600.0, 1.0
"""Seconds to wait for a session that the agent starts by itself, and between two looks for it."""
_VERSION = re.compile(r"\d+\.\d+\.\d+")


def refusal(session: Session, document: Document, step: str) -> str | None:
    """Why a step cannot be continued in its agent, or None."""
    reading = reading_of(session, document)
    if reading is None:
        return "Only the session of an agent can be continued in it."
    from opentine_gui.export.sessions import why_not

    reason = why_not(reading.record)
    if reason is not None:
        return f"{reason}."
    record = document.record
    if step not in reading.record.graph and (record is None or prompt_in_fork(reading, record, step) is None):
        has_above = record is not None and step in record.graph and record.graph.step(step).parent_ids
        way = ": continue from the one above it." if has_above else ", and none is above it to continue from."
        return f"The agent's session does not have this step{way}"
    return None


def prompt_in_fork(reading: Reading, record: RunRecord, step: str) -> tuple[str, str, bool] | None:
    """(step of the session, text, whether it takes that step's place) of a prompt that was written into a fork here.

    It is what is said next after the step above it; one without a step above takes the place of the first prompt.
    None for any other step.
    """
    if step not in record.graph:
        return None
    found = record.graph.step(step)
    text = found.inputs.get("text")
    graph, above = reading.record.graph, found.parent_ids
    if found.v3_kind != "human" or not isinstance(text, str):
        return None
    if len(found.inputs) > 1 and not _differs_in_text_alone(graph, found):
        return None  # images, too, would have to be written
    if above:
        return (above[0], text, False) if len(above) == 1 and above[0] in graph else None
    first = graph.step(0) if len(graph) else None
    return (first.id, text, True) if first is not None and first.v3_kind == "human" else None


def _differs_in_text_alone(graph: Graph, prompt: Step) -> bool:
    """Whether a prompt beside a command of the session only says the command otherwise: the agent expands it anew."""
    beside = graph.roots
    if prompt.parent_ids:
        beside = graph.children_of(graph.index(prompt.parent_ids[0])) if prompt.parent_ids[0] in graph else ()
    if prompt.inputs.keys() != {"text", "expansion"}:
        return False
    commands = (graph.step(position) for position in beside if graph.v3_kinds.get(position) == "human")
    return any(command.inputs.get("expansion") == prompt.inputs["expansion"] for command in commands)


def prepare(session: Session, reading: Reading, step: str, prompt: str, *, replaces: bool) -> Handback:
    """What has to be done to go on after a step (in a job: it reads the source). EditError says why it cannot be."""
    from opentine_gui.export.sessions import Continuation, hand_back

    places = session.agent_sessions.places
    wish = Continuation(
        reading,
        step,
        home=places.home,
        new_id=lambda: str(uuid.uuid4()),
        now=session.now(),
        prompt=prompt,
        replaces=replaces,
        config=config_folder(session, reading),
        installed="",
        exchange=data_folder() / "handed-back",
    )
    found = hand_back(wish)
    where = session.terminals.find(found.command[0]) if found.command else None
    version = version_of(where)
    if version:
        found = hand_back(dataclasses.replace(wish, installed=version))
    elif where is not None:
        found = dataclasses.replace(found, remarks=(_unknown_version(reading, found.command[0]), *found.remarks))
    keeping = session.agent_sessions.keeping
    files = tuple(file._replace(path=keeping.original(file.path)) for file in found.files)
    found = dataclasses.replace(found, files=files)  # beside the source of a kept copy, never beside the copy
    if found.command and where is None:
        said = f"{clean(found.command[0], 40)} was not found on this machine: the command works where it is installed."
        found = dataclasses.replace(found, remarks=(said, *found.remarks), is_here=False)
    if found.folder is not None and not found.folder.is_dir():
        found = dataclasses.replace(found, remarks=(folder_words(found), *found.remarks), folder_is_here=False)
    return found


def folder_words(handback: Handback) -> str:
    """The sentence for a working folder that is gone, or is on another machine: why nothing is run, and what works."""
    rest = "write the session and copy the command" if handback.files else "copy the command"
    return f"Its folder is not on this machine: {rest}."  # short, for it stands beside the buttons; the path is below


def _unknown_version(reading: Reading, program: str) -> str:
    """The sentence for a program whose files do not say its version: it is never run to be asked."""
    from opentine_gui.export.sessions.writers import writer_of

    writer = writer_of(reading.record)
    proved = f"; going on was proved up to {writer.proved[-1]}" if writer is not None else ""
    name = clean(program, 40)
    return f"Which version of {name} is installed is not known (“{name} --version” says it){proved}."


def config_folder(session: Session, reading: Reading) -> Path | None:
    """The agent's own folder if the environment moves it; None for its usual place."""
    capture = reading.record.metadata.get("capture")
    name = capture.get("source_format") if isinstance(capture, dict) else ""
    variable = {"claude-code": "CLAUDE_CONFIG_DIR", "codex": "CODEX_HOME", "pi": "PI_CODING_AGENT_DIR"}.get(str(name))
    moved = session.agent_sessions.places.environment.get(variable) if variable else None
    return Path(moved).expanduser() if moved else None


def version_of(program: str | None) -> str:
    """The version of an installed program, from the names and package files around it; it is not run. "" if unknown."""
    if program is None:
        return ""
    real = Path(os.path.realpath(program))
    named = [part for part in real.parts if _VERSION.fullmatch(part)]
    if named:
        return named[-1]
    for folder in list(real.parents)[:4]:
        try:
            found = msgspec.json.decode(storage.read_head(folder / "package.json", 1 << 20))
        except (TineError, msgspec.DecodeError, UnicodeDecodeError):
            continue
        version = found.get("version") if isinstance(found, dict) else None
        if isinstance(version, str) and _VERSION.match(version):
            return version
    return ""


def command_line(
    command: tuple[str, ...], folder: Path | None, before: tuple[str, ...] = (), platform: str = sys.platform
) -> str:
    """A command as a line for a shell, every word quoted, with the folder it is run in and what comes before it."""
    windows = platform == "win32"
    join = subprocess.list2cmdline if windows else shlex.join
    line = " && ".join(join(words) for words in (before, command) if words)
    if folder is None:
        return line
    return f'cd /d "{folder}" && {line}' if windows else f"cd {shlex.quote(str(folder))} && {line}"


def write(
    session: Session, handback: Handback, *, run: bool = False, not_written: Callable[[], None] = lambda: None
) -> None:
    """Write the new session in a job and open it, followed; with `run` go on in it in a terminal then.

    `not_written` runs where that fails.
    """
    program = session.terminals.find(handback.takes_in[0]) if handback.takes_in else None
    environment = session.agent_sessions.places.environment
    title = f"Writing a session for {handback.title}"

    def work(_progress: ReportProgress, cancelled: IsCancelled) -> Written:
        written = _write_files(handback)
        return _take_in(written, handback, program, environment, cancelled) if program is not None else written

    def done(written: Written) -> None:
        if written.files or written.opens is not None:
            session.handed_back.append(written)
        if written.opens is not None:
            opening.open_path(session, written.opens).live.follows = True
        can_run = handback.folder_is_here and not written.takes_in
        ran = _go_on(session, written, run=run and can_run, can_run=can_run)
        if ran and not written.files and written.opens is None and handback.session:
            session.awaited = (handback.session, session.clock())
        session.agent_sessions.look(session)

    def failed(error: Exception) -> None:
        not_written()
        session.notices.add("error", f"{title}: {error_sentence(error)}", key=NOTICE)
        session.touch()

    session.jobs.submit(f"hand back:{session.nonce()}", work, done, failed, title=title, must_finish=True)


def _go_on(session: Session, written: Written, *, run: bool, can_run: bool) -> bool:
    """Say how to go on in a session that was written, and with `run` do so; whether it runs.

    Said first, so that the reason why it cannot be run is the newest notice: a small window shows one.
    """
    _say(session, written, ran=False, can_run=can_run)
    ran = run and _has_started(session, written)
    if ran:
        _say(session, written, ran=True, can_run=can_run)
    return ran


def _has_started(session: Session, written: Written) -> bool:
    """Run the command in a terminal; False where it cannot be, which a notice says."""
    try:
        start(session, written.command, written.folder)
    except (LookupError, OSError) as error:
        session.notices.add("error", f"Not run: {error_sentence(error)}", key=NOT_RUN)
        return False
    session.notices.dismiss(NOT_RUN)
    return True


def open_awaited(session: Session) -> None:
    """Open and follow the session an agent was asked to begin, once it is there. Called in every `Session.step`."""
    if session.awaited is None:
        return
    name, since = session.awaited
    found = next((row.path for row in session.agent_sessions.rows if name in row.path.name), None)
    if found is not None:
        session.awaited = None
        opening.open_path(session, found).live.follows = True
    elif session.clock() - since > LONGEST_WAIT:
        session.awaited = None
    else:
        session.agent_sessions.look_now_and_then(session, session.clock(), every=LOOK_EVERY)


def _write_files(handback: Handback) -> Written:
    """Write the files, each new; those written before one that fails are removed (in a job). StorageError."""
    done: list[tuple[Path, str]] = []
    try:
        for file in handback.files:
            storage.write_bytes_atomic(file.path, file.content, overwrite=False, mode=FOR_ITS_OWNER, make_folders=True)
            done.append((file.path, hashlib.sha256(file.content).hexdigest()))
    except Exception:
        for path, digest in done:
            storage.remove_unchanged(path, digest)
        raise
    opens = done[0][0] if done and not handback.takes_in else None
    at = opens.stat().st_mtime if opens is not None else 0.0
    return Written(
        handback.title, tuple(done), handback.command, handback.folder, handback.removal, handback.takes_in, opens, at
    )


def was_only_written(session: Session, path: Path, changed: float) -> bool:
    """Whether a session's file, last changed at this Unix time, is as it was written here: no agent works in it."""
    return any(written.opens == path and changed <= written.at for written in session.handed_back)


def _take_in(
    written: Written, handback: Handback, program: str, environment: Mapping[str, str], cancelled: IsCancelled
) -> Written:
    """Have the agent take the written files in, which are of no use after that (in a job). EditError, OSError."""
    folder = handback.folder if handback.folder is not None and handback.folder.is_dir() else None
    try:
        words = (program, *handback.takes_in[1:])
        status, said = run_to_end(words, folder or handback.files[0].path.parent, environment, cancelled)
    finally:
        for path, digest in written.files:
            storage.remove_unchanged(path, digest)
    if status != 0:
        why = clean(said.rpartition("\n")[2], 300) or (
            "it took too long" if status is None else f"it ended with {status}"
        )
        raise EditError(f"{written.title} did not take the session in: {why}")
    return msgspec.structs.replace(written, files=(), takes_in=(), opens=handback.opens)


def _say(session: Session, written: Written, *, ran: bool, can_run: bool) -> None:
    line = command_line(written.command, written.folder, written.takes_in)
    shown = clean(command_line(written.command, None, written.takes_in), 160)
    files = f"A new session for {written.title} is written. " if written.files or written.opens is not None else ""
    undo: tuple[NoticeAction, ...] = (("Undo", "continue.undo", {}),) if written.files else ()
    text = f"{files}{'Running in your terminal' if ran else 'Go on with'}: {shown}"
    copy: NoticeAction = ("Copy", "edit.copy_text", {"text": line, "what": "the command"})
    go: tuple[NoticeAction, ...] = (("Run", "continue.start", {}),) if can_run and not ran else ()
    session.notices.add("good", text, detail=line, actions=(copy, *go, *undo), key=NOTICE)
    session.touch()


def start(session: Session, command: tuple[str, ...], folder: Path | None) -> None:
    """Run the command that was shown in the user's terminal. LookupError, OSError."""
    place = folder if folder is not None else session.agent_sessions.places.home
    if not os.path.isdir(place):
        raise LookupError(f"{place} is not on this machine, and the agent goes on in that folder.")
    session.terminals.run(command, place)


def ask_to_start(session: Session, written: Written) -> None:
    """Show the whole command of a session that was written, and run it if the user says so.

    A notice says what came of it, with the command to copy.
    """
    is_here = written.folder is None or os.path.isdir(written.folder)

    def answered(choice: Answer | None = None) -> None:
        _go_on(session, written, run=choice == RUN, can_run=is_here and not written.takes_in)

    line = clean_whole(command_line(written.command, written.folder))
    # Enter takes the first: a key that was meant for something else runs nothing.
    question = Confirm(f"Go on in {written.title}, in your terminal?", line, (DO_NOT_RUN, RUN))
    session.ask(question, answered, declined=answered)


def shows_written(session: Session, document: Document) -> bool:
    """Whether a document shows what was written last for an agent, which could be removed again."""
    written = session.handed_back[-1] if session.handed_back else None
    return written is not None and any(path == document.path for path, _digest in written.files)


def undo(session: Session) -> None:
    """Remove in a job what was written last, while the agent has not gone on in it; its tab closes then, unless it has
    edits or something was typed into its forms.

    EditError says why it cannot be, at once or as a notice.
    """
    if not session.handed_back:
        raise EditError("no session was written that could be removed")
    written = session.handed_back[-1]
    if not written.files:
        raise EditError(f"{written.title} has taken it in, so it is for {written.title} to remove. {written.removal}")

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
        changed = [path for path, digest in written.files if not storage.is_unchanged(path, digest)]
        if changed:
            left = f"{written.title} has gone on in it, so it is left as it is."
            raise EditError(f"{left} {written.removal} The file: {changed[0]}")  # a notice cuts the end
        for path, digest in written.files:
            storage.remove_unchanged(path, digest)

    def done(_nothing: None) -> None:
        if written in session.handed_back:
            session.handed_back.remove(written)
        for path, _digest in written.files:
            document = session.document_at(path)
            if document is not None and not (document.edited or typed_into(session, document)):
                session.remove_document(document)
        session.notices.dismiss(NOTICE)
        session.notices.add("info", f"{counted(len(written.files), 'file')} removed again.", key="handed back undone")
        session.agent_sessions.look(session)
        session.touch()

    session.jobs.submit("undo hand back", work, done, title="Removing the written session", must_finish=True)


def size_words(files: tuple[NewFile, ...]) -> str:
    """How much is written, such as "2 files, 41,300 bytes"."""
    return f"{counted(len(files), 'file')}, {sum(len(file.content) for file in files):,} bytes"
