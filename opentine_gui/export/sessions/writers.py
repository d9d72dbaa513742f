"""The table of agents that a run can be handed back to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

from opentine_gui.core import RunRecord
from opentine_gui.core.errors import EditError
from opentine_gui.export.sessions import claude_code, codex, gemini, opencode, pi
from opentine_gui.export.sessions.continuation import Continuation, Handback


class Writer(NamedTuple):
    """A row of the table.

    `format`: the `source_format` that the importer's capture names. `program`: the command that starts the agent.
    `proved`: versions of the agent that were seen to continue correctly from what is written, oldest first. `write`
    raises EditError with a sentence if it cannot be done.
    """

    format: str
    title: str
    program: str
    proved: tuple[str, ...]
    write: Callable[[Continuation], Handback]


WRITERS: tuple[Writer, ...] = (
    Writer("claude-code", "Claude Code", "claude", claude_code.PROVED, claude_code.write),
    Writer("codex", "Codex", "codex", codex.PROVED, codex.write),
    Writer("pi", "pi", "pi", pi.PROVED, pi.write),
    Writer("gemini-cli", "Gemini CLI", "gemini", gemini.PROVED, gemini.write),
    Writer("opencode-session", "OpenCode", "opencode", opencode.PROVED, opencode.write),
)
"""Every agent, in the order in which they are offered."""


def writer_of(record: RunRecord) -> Writer | None:
    """The agent whose log a run was read from; None for a run of any other origin."""
    capture = _capture(record)
    return next((writer for writer in WRITERS if writer.format == capture.get("source_format")), None)


def why_not(record: RunRecord) -> str | None:
    """Why a run cannot be handed back to an agent; None when it can."""
    if not _capture(record):
        return "This run was not read from an agent's session log"
    if writer_of(record) is None:
        return "Sessions of this agent cannot be written yet"
    return None


def hand_back(continuation: Continuation) -> Handback:
    """What has to be done to go on after a step in the agent that made it. EditError says why it cannot be done."""
    record = continuation.reading.record
    writer = writer_of(record)
    if writer is None:
        raise EditError(why_not(record) or "")
    record.graph.index(continuation.step)
    found = writer.write(continuation)
    _refuse_folder(found.folder)
    source = _capture(record).get("source_version")
    remarks = (*about_versions(writer, continuation.installed, source if isinstance(source, str) else ""),)
    return replace(found, prompt=continuation.prompt, remarks=(*remarks, *found.remarks))


def _refuse_folder(folder: Path | None) -> None:
    """EditError for a recorded folder that is not absolute, or whose control characters a terminal would obey."""
    if folder is None:
        return
    if any(unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in str(folder)):
        raise EditError("the session says that the agent worked in a folder whose name holds control characters")
    if not (folder.is_absolute() or PureWindowsPath(folder).is_absolute()):
        raise EditError("the session does not say where the folder is in which the agent worked")


def about_versions(writer: Writer, installed: str, source: str) -> list[str]:
    """A sentence that warns of a version newer than the proved ones."""
    newest = writer.proved[-1]
    for version, what in ((installed, "is installed"), (source, "wrote this session")):
        if version and _numbers(version) > _numbers(newest):
            return [f"{writer.title} {version} {what}; going on was proved up to {newest}."]
    return []


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, without what follows them: `0.169.0-linux-x64` is 0.169.0."""
    found = re.match(r"[\d.]*", version.lstrip("v"))
    return tuple(int(part[:9]) for part in (found[0] if found else "").split(".")[:4] if part)


def _capture(record: RunRecord) -> dict[str, Any]:
    capture = record.metadata.get("capture")
    return capture if isinstance(capture, dict) else {}
