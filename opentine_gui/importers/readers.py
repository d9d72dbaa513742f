"""The table of readers: how the files of each format are recognised and read. `.tine` is its first row."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.core import Overview, RunRecord, StorageError, overview_of, read_overview
from opentine_gui.core.errors import FormatError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.format.container import MAGIC
from opentine_gui.core.progress import Progress, Stop, collector_paused
from opentine_gui.importers.reader import Growing, Named
from opentine_gui.importers.reader import Reader as Reader
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.head import HEAD as HEAD
from opentine_gui.importers.sources.head import head_of
from opentine_gui.importers.sources.parts import Part, divide

SURE = 0.5
"""A file is listed as a run if a reader is at least this sure of its content."""


UNKNOWN = "its format is not known: it is neither a .tine file nor a session of an agent that can be read"
_OF_AN_EXPORT = (b'"format_version"', b'"source_format"', b'"container"')
"""The names at the beginning of a run's JSON export, which may lie beside runs but is not one."""
_BEGINNING = 1_000
_AS_WRITTEN = re.compile(
    rb'\s*\{\s*"cache"\s*:\s*\{\s*\}\s*,\s*"created_at"\s*:\s*[-+.\deE]+\s*,\s*"format_version"\s*:\s*\d'
)
"""How a run without a cache begins: its keys are sorted."""


def _recognise_tine(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a `.tine` file.

    Compressed files begin with magic bytes; plain ones name `format_version`, which a long cache can push out.
    """
    if head.startswith(MAGIC):
        return 1.0
    if b'"format_version"' not in head or _has_lines(head):
        return 0.0
    if all(name in head[:_BEGINNING] for name in _OF_AN_EXPORT):
        return 0.0
    return 1.0 if _AS_WRITTEN.match(head) else 0.9


def _has_lines(head: bytes) -> bool:
    """Whether a file is JSON lines: its first line is an object, and another begins after it."""
    first, _, rest = head.partition(b"\n")
    if not rest.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(msgspec.json.decode(first), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _read_tine(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    head = storage.read_head(path, HEAD)
    if not head:  # not a .tine file: maybe a session that has just begun
        raise FormatError("the file is empty", path=path)
    try:
        return Reading(storage.read(path, progress=progress, cancelled=cancelled), sources=(Path(path),))
    except FormatError as error:
        if is_run(Path(path).name) or _recognise_tine(head) >= SURE:
            raise
        raise FormatError(UNKNOWN, path=path) from error


TINE = Reader("tine", (".tine",), _recognise_tine, _read_tine, title="tine")


def _row(
    name: str,
    title: str,
    suffixes: str,
    module: str,
    *,
    recognise: str = "recognise",
    read: str = "read",
    parts: str = "",
    family: str = "",
    grow: str = "",
) -> Reader:
    """A row whose functions are in `module`, unless they name another one ("growing.pi:GrowingTree")."""

    def at(place: str) -> Callable[..., Any]:
        elsewhere, _, called = place.rpartition(":")
        return Named(elsewhere or module, called)

    return Reader(
        name,
        tuple(suffixes.split()),
        at(recognise),
        at(read),
        at(parts) if parts else None,
        title,
        at(family) if family else None,
        at(grow) if grow else None,
    )


_OPENHANDS, _OPENCODE, _SPANS = "frameworks.openhands.reader", "frameworks.opencode.reader", "frameworks.spans.reader"
_EDITORS, _TRAJECTORIES = "frameworks.editors", "frameworks.trajectories"
READERS: tuple[Reader, ...] = (
    TINE,
    _row("claude-code", "Claude Code", ".jsonl", "claude_code", family="family",
         grow="growing.claude_code:GrowingSession"),
    _row("codex", "Codex", ".jsonl .jsonl.zst", "codex", family="family", grow="growing.codex:GrowingRollout"),
    _row("pi", "pi", ".jsonl", "pi", family="family", grow="growing.pi:GrowingTree"),
    _row("gemini", "Gemini CLI", ".jsonl .json", "gemini", grow="growing.gemini:GrowingChat"),
    _row("openhands", "OpenHands", ".json .jsonl .tar .tar.gz .tgz .zip", _OPENHANDS, parts="parts_of",
         family="frameworks.openhands.source:family_of", grow="GrowingConversation"),
    _row("openhands-events", "OpenHands", ".json", _OPENHANDS, recognise="recognise_list", read="read_list"),
    _row("langgraph", "LangGraph", ".sqlite .db .sqlite3", "frameworks.langgraph.reader", parts="parts_of"),
    _row("opencode", "OpenCode", ".db .sqlite", _OPENCODE, parts="parts_of", family="family_of"),
    _row("opencode-export", "OpenCode", ".json", _OPENCODE, recognise="recognise_export", read="read_export"),
    _row("opencode-events", "OpenCode", ".jsonl", _OPENCODE, recognise="recognise_events", read="read_events",
         parts="parts_of_events"),
    _row("otel", "OpenTelemetry", ".json .jsonl", _SPANS, parts="parts_of"),
    _row("langfuse", "Langfuse", ".json", _SPANS, recognise="recognise_langfuse", parts="parts_of"),
    _row("openai-agents", "OpenAI Agents", ".json .jsonl", _SPANS, recognise="recognise_openai", parts="parts_of"),
    _row("langsmith", "LangSmith", ".json .jsonl", _SPANS, recognise="recognise_langsmith", parts="parts_of"),
    _row("openai-agents-session", "OpenAI Agents", ".db .sqlite", "frameworks.openai_sessions", parts="parts_of"),
    _row("inspect", "Inspect", ".eval .json", "frameworks.inspect_ai.reader", parts="parts_of"),
    _row("copilot-cli", "Copilot CLI", ".jsonl", f"{_EDITORS}.copilot_cli"),
    _row("vscode-chat", "Copilot in VS Code", ".json .jsonl", f"{_EDITORS}.vscode_chat"),
    _row("cline", "Cline", ".json", f"{_EDITORS}.cline"),
    _row("atif", "ATIF", ".json", f"{_TRAJECTORIES}.atif"),
    _row("swe-agent", "SWE-agent", ".traj .json", f"{_TRAJECTORIES}.swe_agent"),
    _row("mini-swe-agent", "mini-swe-agent", ".json", f"{_TRAJECTORIES}.messages", recognise="recognise_mini",
         read="read_mini"),
    _row("messages", "Messages", ".json .jsonl", f"{_TRAJECTORIES}.messages"),
)  # fmt: skip
"""Every format that can be opened, the project's own first. Where two are equally sure, the first one reads."""


_CAPTURED_AS = {
    "gemini-cli": "gemini", "openhands-event-list": "openhands", "langgraph-checkpoints": "langgraph",
    "opencode-session": "opencode", "inspect-log": "inspect", "copilot-events": "copilot-cli",
    "cline-messages": "cline", "openhands-events": "openhands",
}  # fmt: skip
"""The rows of formats that imported runs name otherwise than the table."""


def load_all() -> None:
    """Import what recognises each format (in a job): the first folder that is opened need not wait for it."""
    for reader in READERS:
        reader.recognise(b"")


def title_of(made_from: str) -> str:
    """What the user calls the program that wrote the log of an imported run, such as "Claude Code"; "" if not known."""
    name = _CAPTURED_AS.get(made_from, made_from)
    return next((reader.title for reader in READERS if reader.name == name and reader is not TINE), "")


def titles() -> tuple[str, ...]:
    """What the user calls the formats of other programs, each once, in the table's order."""
    return tuple(dict.fromkeys(reader.title for reader in READERS if reader is not TINE))


def suffixes() -> tuple[str, ...]:
    """The endings of all formats, each once, in the table's order."""
    return tuple(dict.fromkeys(suffix for reader in READERS for suffix in reader.suffixes))


def is_run(name: str) -> bool:
    """Whether a file of this name is a run without a look at its content: one of the project's own format."""
    return name.lower().endswith(TINE.suffixes)


def may_be_run(name: str) -> bool:
    """Whether a file of this name is worth a look at its content: its ending is one of the table's."""
    return name.lower().endswith(suffixes())


def is_recognised(path: Path) -> bool:
    """Whether a file is listed as a run: it has our ending, or an ending of the table and content that is recognised.

    A folder is one when its names are recognised. False too for what cannot be read.
    """
    if is_run(path.name):
        return True
    if not may_be_run(path.name) and not os.path.isdir(path):
        return False
    try:
        return _surest(head_of(path))[1] >= SURE
    except (TineError, OSError):
        return False


def reader_of(name: str, head: bytes) -> Reader:
    """The reader for a file: the one that is surest of the content, else the one for its ending, else the reader of
    `.tine`.

    An ending that several formats share says nothing. The last is the fallback because its errors say why a file is
    not a run.
    """
    reader, sure = _surest(head)
    if sure > 0:
        return reader
    named = [reader for reader in READERS if name.lower().endswith(reader.suffixes)]
    return named[0] if len(named) == 1 else TINE


def reader_for(path: str | Path) -> Reader:
    """The reader of a file or folder, or of the source of a part. StorageError when it cannot be read."""
    source = divide(path)[0]
    return reader_of(source.name, head_of(source))


def divide_step(argument: str | Path) -> tuple[Path, str | None]:
    """`run.tine#ab12` as (path, step prefix); what follows the name of a source of several runs is one of them.

    `file.db#part#ab12` names a step of a part. A `#` that belongs to an existing file's name stays part of it.
    """
    path = Path(argument)
    name, sign, step = str(argument).rpartition("#")
    if not sign or not name or not step or os.path.exists(path):
        return path, None
    source = Path(name)
    if not is_run(source.name) and os.path.exists(source):
        try:
            if reader_for(source).parts is not None:
                return path, None
        except (TineError, OSError):
            pass
    return source, step


def read_run(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> RunRecord:
    """The run in a file of any format of the table. TineError (with `path` in it) when it cannot be read."""
    return read_source(path, progress=progress, cancelled=cancelled).record


def growing_at(path: Path) -> Growing | None:
    """What reads a growing source incrementally; None if each reading reads it whole. TineError."""
    grow = reader_for(path).grow
    return None if grow is None else grow(path)


def read_source(
    path: str | Path,
    *,
    progress: Progress | None = None,
    cancelled: Stop | None = None,
    growing: Growing | None = None,
) -> Reading:
    """As `read_run`, with the places of the steps' own records and what was not understood.

    The path may name a part of a source that holds several runs. `growing` is what read it before (`growing_at`).
    """
    with _errors_of(path):
        if growing is not None:
            return growing.read(progress=progress, cancelled=cancelled)
        with collector_paused():
            return reader_for(path).read(path, progress=progress, cancelled=cancelled)


def parts_of(path: str | Path) -> list[Part]:
    """The runs in a source, oldest first or in its order; [] for a format of one run a file. TineError."""
    with _errors_of(path):
        reader = reader_for(path)
        return [] if reader.parts is None else reader.parts(divide(path)[0])


def read_overview_of(path: str | Path, *, cancelled: Stop | None = None) -> Overview:
    """What the list of runs shows of a file in any format of the table. TineError when it cannot be read.

    No payload of a `.tine` file is decoded; a file of another format is read whole.
    """
    if reader_for(path) is TINE:
        return read_overview(path, cancelled=cancelled)
    return overview_of(read_source(path, cancelled=cancelled).record, by_title=True)


@contextmanager
def _errors_of(path: str | Path) -> Iterator[None]:
    """Turn errors of reading a source into a TineError that names the source's path."""
    try:
        yield
    except TineError as error:
        raise error.at_path(divide(path)[0]) from error.__cause__
    except OSError as error:  # the system refused access to a file beside it
        raise StorageError("it cannot be read", path=error.filename or path, cause=error.strerror) from error
    except RecursionError as error:
        raise FormatError("its records are nested too deeply", path=divide(path)[0]) from error


def _surest(head: bytes) -> tuple[Reader, float]:
    """(reader, how sure it is), the first of the table among equals. Where one is certain no more are asked."""
    surest, most = READERS[0], 0.0
    for reader in READERS:
        sure = reader.recognise(head)
        if sure > most:
            surest, most = reader, sure
        if sure >= 1.0:
            break
    return surest, most
