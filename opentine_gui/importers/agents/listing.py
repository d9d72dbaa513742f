"""The sessions of this machine's agents, newest first: found by file name, titled from their first and last bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.importers import readers
from opentine_gui.importers.agents.headline import Headline, headline_of
from opentine_gui.importers.agents.table import AGENTS, WHOLE_FOLDERS, Agent, Places, files_below
from opentine_gui.importers.sources.head import head_of
from opentine_gui.importers.sources.parts import part_path

FIRST_BYTES, LAST_BYTES = 1 << 16, 1 << 13
MOST_SESSIONS = 20_000
MOST_OF_ONE = 20
"""Most files of one session of Gemini CLI that are searched for its title, oldest first."""
MOST_LOOKED_AT = 400
"""Most sessions, newest first, whose heads are read to find those of a working folder."""


class Session(NamedTuple):
    """A session on disk: the path to open, its size in bytes and when it last changed (Unix seconds).

    `headline` is None until its first bytes are read (`looked_at`).
    """

    agent: str
    path: Path
    size: int
    changed: float
    headline: Headline | None = None


def found_sessions(places: Places, agents: Sequence[Agent] = AGENTS) -> list[Session]:
    """The sessions in the agents' folders by name alone, newest first; at most the newest `MOST_SESSIONS`."""
    found: dict[Path, Session] = {}
    for agent in agents:
        for folder in agent.folders(places):
            for entry in files_below(folder, agent.deepest):
                path = Path(entry.path)
                if not agent.is_session(path):
                    continue
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if status.st_size:
                    where = path.parent if agent.name in WHOLE_FOLDERS else path
                    found[where] = Session(agent.name, where, status.st_size, status.st_mtime)
    return sorted(found.values(), key=lambda session: (-session.changed, session.path))[:MOST_SESSIONS]


def looked_at(session: Session) -> list[Session]:
    """The session with its headline; several for a database; none if no reader recognises the file."""
    try:
        head = head_of(session.path)
        reader = readers.reader_of(session.path.name, head)
        if reader is readers.TINE or reader.recognise(head) < readers.SURE:
            return []
        if reader.parts is not None:
            return [
                session._replace(
                    path=part_path(session.path, part.id),
                    size=0,
                    changed=part.time or session.changed,
                    headline=Headline(part.title, part.folder[:1000]),
                )
                for part in reader.parts(session.path)
            ]
        if session.path.is_dir():
            return [session._replace(headline=_of_folder(session.path))]
        tail = b""
        if session.size > FIRST_BYTES:
            tail = storage.read_piece(session.path, max(session.size - LAST_BYTES, FIRST_BYTES), LAST_BYTES)
    except TineError:
        return []
    headline = headline_of(head, tail)
    if not headline.title and session.agent == "gemini":
        headline = headline._replace(title=_resumed(session.path))
    if not headline.folder:
        headline = headline._replace(folder=_folder_beside(session))
    return [session._replace(headline=headline)]


def _of_folder(folder: Path) -> Headline:
    """The headline of a session that is a folder: from its first few files."""
    for inside in (folder / "events", folder):
        try:
            names = sorted(os.listdir(inside))[:8]
        except OSError:
            continue
        for name in names:
            if not name.endswith(".json"):
                continue
            try:
                found = headline_of(storage.read_head(inside / name, FIRST_BYTES).replace(b"\n", b" "))
            except TineError:
                continue
            if found.title:
                return found
    return Headline(folder.name)


def _resumed(path: Path) -> str:
    """The title of a Gemini CLI chat that begins by resuming another one, from that one; "" if unknown."""
    identity = path.stem.rpartition("-")[2]
    if not identity.isalnum():
        return ""
    for other in sorted(path.parent.glob(f"session-*-{identity}.jsonl"))[:MOST_OF_ONE]:
        try:
            title = headline_of(storage.read_head(other, FIRST_BYTES)).title if other.name != path.name else ""
        except TineError:
            continue
        if title:
            return f"Resumed: {title}"
    return ""


def _folder_beside(session: Session) -> str:
    """The working folder that Gemini CLI writes beside its chats."""
    if session.agent != "gemini":
        return ""
    try:
        text = storage.read_head(session.path.parents[1] / ".project_root", 4096)
    except TineError:
        return ""
    return text.decode("utf-8", "replace").strip()


def sessions_of(folder: Path, places: Places, agents: Sequence[Agent] = AGENTS) -> Iterator[Session]:
    """The sessions held in a working folder, newest first, among the `MOST_LOOKED_AT` newest ones."""
    real = os.path.realpath(folder)
    by_name = {agent.name: agent for agent in agents}
    left = MOST_LOOKED_AT
    for session in found_sessions(places, agents):
        if left <= 0:
            return
        if not by_name[session.agent].belongs(session.path, Path(real)) and not by_name[session.agent].belongs(
            session.path, Path(os.path.abspath(folder))
        ):
            continue
        left -= 1
        for one in sorted(looked_at(session), key=lambda one: -one.changed):
            held = one.headline.folder if one.headline is not None else ""
            if not held or os.path.realpath(held) == real:
                yield one


def latest_session(folder: Path, places: Places, agents: Sequence[Agent] = AGENTS) -> Session | None:
    """The newest session of a working folder, or None. Sessions without a recorded folder are the last resort."""
    without = latest = None
    for session in sessions_of(folder, places, agents):
        if session.headline is None or not session.headline.folder:
            without = without or session
            continue
        if latest is None or session.changed > latest.changed:
            latest = session
        if session.size:  # in a file of its own: all that follow are older, except those in a database
            break
    return latest or without


def places_of_this_machine() -> Places:
    """The environment and the home folder of this process."""
    return Places(os.environ, Path.home())
