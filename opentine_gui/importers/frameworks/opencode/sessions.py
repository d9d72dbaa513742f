"""OpenCode's sessions, from the database's rows, an export, or lines of its events.

Only the tables `session`, `message` and `part` of the database are read: the same file holds credentials.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reading import Place, Report, row_at
from opentine_gui.importers.sources.documents import Text
from opentine_gui.importers.sources.fields import object_of, objects_in, parsed, text_of, unix_time
from opentine_gui.importers.sources.parts import Part
from opentine_gui.importers.sources.sqlite import column_names


@dataclass(slots=True)
class Message:
    """A message with its parts, both in the order of their ids, which is that of time."""

    info: JsonObject
    parts: list[JsonObject] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    part_places: dict[str, Place] = field(default_factory=dict)
    """Places of parts that have records of their own, by id."""

    @property
    def id(self) -> str:
        """The message's id."""
        return text_of(self.info.get("id"))

    @property
    def is_prompt(self) -> bool:
        """Whether a person, or the agent that started a sub-agent, wrote it."""
        return self.info.get("role") == "user"


@dataclass(slots=True)
class Session:
    """A session: `info` as OpenCode has it (title, version, directory, revert, time), and its messages."""

    id: str
    info: JsonObject = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)


class Database:
    """The sessions of an open database."""

    COLUMNS = ("id", "parent_id", "title", "version", "directory", "revert", "time_created", "time_updated", "agent")

    def __init__(self, connection: sqlite3.Connection, report: Report, path: Path) -> None:
        self.connection = connection
        self.path = path
        self.report = report
        there = column_names(connection, "session")
        self.columns = [name for name in self.COLUMNS if name in there]
        self.has_parents = "parent_id" in there

    def parts(self) -> list[Part]:
        """The sessions that people started, oldest first; sub-agents belong to the one that started them."""
        parent = "WHERE parent_id IS NULL" if self.has_parents else ""
        counted = "(SELECT count(*) FROM message WHERE session_id = session.id)"
        folder = "directory" if "directory" in self.columns else "''"
        rows = self.connection.execute(
            f"SELECT id, title, time_updated, {counted}, {folder} FROM session {parent} ORDER BY 3, 1"
        )
        return [
            Part(str(name), str(title or ""), unix_time(time), int(count), text_of(where))
            for name, title, time, count, where in rows.fetchall()
        ]

    def session(self, identity: str) -> Session | None:
        """A session, None when it is not here."""
        names = ", ".join(self.columns)
        row = self.connection.execute(f"SELECT {names} FROM session WHERE id = ?", (identity,)).fetchone()
        if row is None:
            return None
        info = {name: value for name, value in zip(self.columns, row, strict=True) if value is not None}
        info["revert"] = parsed(info.get("revert"))
        messages = {}
        for key, created, data in self.connection.execute(
            "SELECT id, time_created, data FROM message WHERE session_id = ? ORDER BY id", (identity,)
        ):
            self.report.records += 1
            said = self._object(data)
            said.setdefault("time", {"created": created})
            messages[str(key)] = Message({**said, "id": str(key)}, places=[row_at(self.path, "message", id=str(key))])
        for key, message, data in self.connection.execute(
            "SELECT id, message_id, data FROM part WHERE session_id = ? ORDER BY id", (identity,)
        ):
            self.report.records += 1
            if str(message) in messages:
                owner = messages[str(message)]
                if not owner.parts:
                    owner.places.append(row_at(self.path, "part", message_id=str(message)))
                owner.parts.append({**self._object(data), "id": str(key)})
                owner.part_places[str(key)] = row_at(self.path, "part", id=str(key))
        return Session(identity, info, list(messages.values()))

    def _object(self, data: Any) -> JsonObject:
        found = parsed(data if isinstance(data, str) else "")
        if not isinstance(found, dict):
            self.report.bad_lines += 1
            return {}
        return found


def from_export(whole: Text, path: Path, report: Report) -> Session:
    """The session of an `opencode export`."""
    members = whole.members()
    info = object_of(members["info"].value()) if "info" in members else {}
    messages = []
    for item in members["messages"].items() if "messages" in members else ():
        report.records += 1
        value = object_of(item.value())
        if not value:
            report.bad_lines += 1
            continue
        messages.append(Message(object_of(value.get("info")), objects_in(value.get("parts")), [item.place(path)]))
    return Session(text_of(info.get("id")), _flat(info), _ordered(messages))


def from_events(path: Path, content: bytes, report: Report, pace: Pace) -> dict[str, Session]:
    """The sessions in lines of OpenCode's event table: of each session, message and part the last one counts."""
    sessions: dict[str, Session] = {}
    messages: dict[str, dict[str, Message]] = {}
    parts: dict[str, dict[str, JsonObject]] = {}
    for line in read_lines(path, content, report, pace):
        kind = text_of(line.value.get("type"))
        data = object_of(line.value.get("data"))
        owner = text_of(line.value.get("aggregate_id")) or text_of(data.get("sessionID"))
        session = sessions.setdefault(owner, Session(owner))
        own = messages.setdefault(owner, {})
        if kind.startswith(("session.created", "session.updated")):
            session.info = _flat(object_of(data.get("info")))
        elif kind.startswith("message.updated"):
            info = object_of(data.get("info"))
            message = own.setdefault(text_of(info.get("id")), Message({}))
            message.info = info
            message.places.append(line.place)
        elif kind.startswith("message.part.updated"):
            part = object_of(data.get("part"))
            key = text_of(part.get("messageID"))
            parts.setdefault(key, {})[text_of(part.get("id"))] = part
            own.setdefault(key, Message({"id": key})).places.append(line.place)
        elif kind.startswith("message.removed"):
            own.pop(text_of(data.get("messageID")), None)
        elif kind.startswith("message.part.removed"):
            parts.get(text_of(data.get("messageID")), {}).pop(text_of(data.get("partID")), None)
        else:
            report.skip(kind or "lines without a type")
    for identity, session in sessions.items():
        for key, message in messages[identity].items():
            message.parts = [parts[key][name] for name in sorted(parts[key])] if key in parts else []
        session.messages = _ordered([message for message in messages[identity].values() if message.info.get("role")])
    return {identity: session for identity, session in sessions.items() if session.messages}


def _flat(info: JsonObject) -> JsonObject:
    """A session's info with the names of the database's columns."""
    times = object_of(info.get("time"))
    return {
        **info,
        "parent_id": info.get("parentID"),
        "time_created": times.get("created"),
        "time_updated": times.get("updated"),
    }


def _ordered(messages: list[Message]) -> list[Message]:
    """Messages in the order of their ids; if some have none, in their recorded order."""
    return sorted(messages, key=lambda message: message.id) if all(message.id for message in messages) else messages
