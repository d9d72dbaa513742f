"""What is kept: the files that are read with each session of each agent, found by name."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.importers.agents.listing import Session, found_sessions
from opentine_gui.importers.agents.table import AGENTS, WHOLE_FOLDERS, Agent, Places, files_below

NOT_KEPT = ("opencode",)
"""OpenCode keeps its sessions in the database in which its credentials are."""
HEAD = 1 << 12
MOST_FILES = 20_000
DEEPEST = 5
LARGEST_FILE = 2 << 30
"""Bytes; a larger file is not kept, nor read by any reader."""
_UUID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SESSION_ID = re.compile(rb'"sessionId"\s*:\s*"([0-9A-Za-z._-]{1,200})"')


class Seen(NamedTuple):
    """A file as it lies on the disk: its path, size in bytes, time in nanoseconds and inode."""

    path: Path
    size: int
    modified: int
    inode: int


class Unit(NamedTuple):
    """A session with its files: `root` is the agent's folder, `session` as the list has it."""

    root: Path
    session: Session
    files: tuple[Seen, ...]

    @property
    def key(self) -> str:
        """The name of its page."""
        return key_of(self.session.path)


def key_of(source: Path) -> str:
    """The name of the page of a session that lies here."""
    return hashlib.sha256(os.fsencode(source)).hexdigest()[:32]


def units(places: Places) -> Iterator[Unit]:
    """The sessions of every agent that can be kept, newest first. Nothing is read but heads of a few lines."""
    agents = {agent.name: agent for agent in AGENTS if agent.name not in NOT_KEPT}
    beside: dict[Path, dict[str, list[Path]]] = {}
    for session in found_sessions(places, tuple(agents.values())):
        root = _root(agents[session.agent], places, session.path)
        paths = _files_of(session, beside)
        files = [seen for path in paths if (seen := look(path)) is not None and seen.size <= LARGEST_FILE]
        if root is not None and files:
            yield Unit(root, session, tuple(files[:MOST_FILES]))


def look(path: Path) -> Seen | None:
    """A file as it is now; None when it is not there."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return Seen(path, status.st_size, status.st_mtime_ns, status.st_ino)


def ids_of(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(the ids in a file's name, those in its first line): what Codex's rollouts find each other by."""
    names = tuple(found.decode() for found in _UUID.findall(os.fsencode(path.name)))
    line = _head(path).split(b"\n", 1)[0]
    return names, tuple(sorted({found.decode() for found in _UUID.findall(line)}))


def _root(agent: Agent, places: Places, path: Path) -> Path | None:
    return next((folder for folder in agent.folders(places) if path.is_relative_to(folder)), None)


def _files_of(session: Session, beside: dict[Path, dict[str, list[Path]]]) -> list[Path]:
    path = session.path
    if session.agent in WHOLE_FOLDERS:
        return [found for found in _below(path) if found.suffix in (".json", ".jsonl")]
    if session.agent == "claude":
        return [path, *_below(path.with_suffix("")), *_agents_beside(path, beside)]
    if session.agent == "gemini":
        return [path, *_chats_of(path)]
    if session.agent == "copilot":
        return [path, *(found for found in _below(path.parent, 0) if found.suffix in (".json", ".yaml"))]
    return [path]


def _below(folder: Path, deepest: int = DEEPEST) -> list[Path]:
    return sorted(Path(entry.path) for entry in files_below(folder, deepest))[:MOST_FILES]


def _agents_beside(path: Path, known: dict[Path, dict[str, list[Path]]]) -> list[Path]:
    """The files of sub-agents that older versions of Claude Code put beside the session."""
    folder = path.parent
    if folder not in known:
        owners: dict[str, list[Path]] = {}
        for found in _below(folder, 0):
            if found.name.startswith("agent-") and found.suffix == ".jsonl":
                owner = _SESSION_ID.search(_head(found))
                owners.setdefault(owner[1].decode() if owner else "", []).append(found)
        known[folder] = owners
    return known[folder].get(path.stem, [])


def _chats_of(path: Path) -> list[Path]:
    """Gemini's: the chats of sub-agents, in folders named after the session, and which folder the project is."""
    found = [path.parents[1] / ".project_root"]
    owner = _SESSION_ID.search(_head(path))
    waiting = [owner[1].decode()] if owner else []
    while waiting and len(found) < MOST_FILES:
        name = waiting.pop()
        inner = _below(path.parent / name, 0) if name.strip(".") else []
        found += inner
        waiting += [chat.stem for chat in inner if (path.parent / chat.stem).is_dir() and chat.stem != name]
    return [chat for chat in dict.fromkeys(found) if chat.is_file()]


def _head(path: Path) -> bytes:
    try:
        return storage.read_head(path, HEAD)
    except TineError:
        return b""
