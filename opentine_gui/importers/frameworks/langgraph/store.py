"""The rows of a checkpointer's database, of both of its schemas."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.frameworks.langgraph.values import decoded
from opentine_gui.importers.sources.fields import object_of, text_of, unix_time
from opentine_gui.importers.sources.parts import Part
from opentine_gui.importers.sources.sqlite import column_names

NO_TASK = "00000000-0000-0000-0000-000000000000"
"""The task of writes that no node made: the answer to an interrupt."""
START, SENDS = "__start__", "__pregel_tasks"
"""Channels of the graph's input and of the arguments of `Send`."""


class _Shape(msgspec.Struct):
    """A checkpoint with its state undecoded, because each state repeats all messages so far."""

    channel_values: dict[str, msgspec.Raw]
    ts: str | None = None
    versions_seen: dict[str, dict[str, str | int | float | None]] = {}


_shape = msgspec.msgpack.Decoder(_Shape)


@dataclass(slots=True)
class Checkpoint:
    """What is kept of a checkpoint: not the state itself, which is read again where it is needed.

    `nodes`: nodes that will run next; `sends`: their arguments where `Send` names them; `ran`: those that ran before.
    """

    namespace: str
    id: str
    parent: str
    source: str
    time: float | None
    above: dict[str, str]
    start: Any = None
    nodes: list[str] = field(default_factory=list)
    sends: list[tuple[str, Any]] = field(default_factory=list)
    ran: frozenset[str] = frozenset()
    run_id: str = ""


@dataclass(slots=True)
class Task:
    """The writes of one task: (channel, type, blob) in the order of their indexes. `path` is "" in old files."""

    id: str
    path: str
    writes: list[tuple[str, Any, Any]] = field(default_factory=list)

    def values(self, channel: str) -> list[Any]:
        """All values written to a channel."""
        return [decoded(kind, blob) for name, kind, blob in self.writes if name == channel]

    def has(self, channel: str) -> bool:
        """Whether something was written to a channel."""
        return any(name == channel for name, _, _ in self.writes)


class Store:
    """The checkpoints of a database. Columns are named by the schema: the older one has no namespaces and no writes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        columns = column_names(connection, "checkpoints")
        self.is_legacy = "thread_ts" in columns and "checkpoint_id" not in columns
        self.has_type = "type" in columns
        writes = column_names(connection, "writes")
        self.has_writes = {"thread_id", "checkpoint_id", "task_id", "channel", "value"} <= writes
        self.has_paths = "task_path" in writes
        self.write_type = "type" if "type" in writes else "''"
        self.write_namespace = "checkpoint_ns" if "checkpoint_ns" in writes else "''"

    def threads(self) -> list[Part]:
        """The threads, oldest first; a thread's time is that of its last checkpoint."""
        key = "thread_ts" if self.is_legacy else "checkpoint_id"
        rows = self.connection.execute(
            f"SELECT thread_id, max({key}), count(*) FROM checkpoints GROUP BY thread_id ORDER BY max({key})"
        )
        return [
            Part(str(thread), time=self._last_time(str(thread), str(last)), records=int(count))
            for thread, last, count in rows.fetchall()
        ]

    def _last_time(self, thread: str, last: str) -> float | None:
        if self.is_legacy:
            return unix_time(last)
        row = self.connection.execute(
            f"SELECT {self._kind()}, checkpoint FROM checkpoints WHERE thread_id = ? AND checkpoint_id = ?",
            (thread, last),
        ).fetchone()
        return unix_time(object_of(decoded(*row)).get("ts")) if row else None

    def checkpoints(self, thread: str) -> Iterator[Checkpoint]:
        """A thread's checkpoints in the order of their ids, which is that of time."""
        if self.is_legacy:
            columns = f"'', thread_ts, parent_ts, {self._kind()}, checkpoint, metadata"
            order = "thread_ts"
        else:
            columns = f"checkpoint_ns, checkpoint_id, parent_checkpoint_id, {self._kind()}, checkpoint, metadata"
            order = "checkpoint_id, checkpoint_ns"
        for row in self._rows("checkpoints", columns, thread, order):
            yield _checkpoint(*row)

    def _rows(self, table: str, columns: str, thread: str, order: str) -> Iterator[tuple[Any, ...]]:
        """A thread's rows in an order. Sorting them whole would copy every value, so their numbers are sorted."""
        try:
            found = self.connection.execute(
                f"SELECT rowid FROM {table} WHERE thread_id = ? ORDER BY {order}", (thread,)
            )
        except sqlite3.OperationalError:  # a table without numbers
            yield from self.connection.execute(
                f"SELECT {columns} FROM {table} WHERE thread_id = ? ORDER BY {order}", (thread,)
            )
            return
        for number in found.fetchall():
            yield from self.connection.execute(f"SELECT {columns} FROM {table} WHERE rowid = ?", number)

    def state(self, thread: str, checkpoint: Checkpoint) -> JsonObject:
        """The values of all channels at a checkpoint."""
        where = "thread_ts = ?" if self.is_legacy else "checkpoint_id = ? AND checkpoint_ns = ?"
        keys = (checkpoint.id,) if self.is_legacy else (checkpoint.id, checkpoint.namespace)
        row = self.connection.execute(
            f"SELECT {self._kind()}, checkpoint FROM checkpoints WHERE thread_id = ? AND {where}",
            (thread, *keys),
        ).fetchone()
        return object_of(object_of(decoded(*row)).get("channel_values")) if row else {}

    def tasks(self, thread: str) -> dict[tuple[str, str], list[Task]]:
        """The tasks of each checkpoint (namespace, id), in the order of their paths."""
        if not self.has_writes:
            return {}
        path = "task_path" if self.has_paths else "''"
        found: dict[tuple[str, str], dict[str, Task]] = {}
        columns = f"{self.write_namespace}, checkpoint_id, task_id, {path}, channel, {self.write_type}, value"
        rows = self._rows("writes", columns, thread, f"checkpoint_id, {path}, task_id, idx")
        for namespace, checkpoint, task, place, channel, kind, blob in rows:
            tasks = found.setdefault((str(namespace), str(checkpoint)), {})
            tasks.setdefault(str(task), Task(str(task), str(place))).writes.append((str(channel), kind, blob))
        return {key: list(tasks.values()) for key, tasks in found.items()}

    def columns_of(self, checkpoint: Checkpoint) -> dict[str, str]:
        """The columns, beside the thread's, that tell a checkpoint from others."""
        if self.is_legacy:
            return {"thread_ts": checkpoint.id}
        return {"checkpoint_ns": checkpoint.namespace, "checkpoint_id": checkpoint.id}

    def _kind(self) -> str:
        return "type" if self.has_type else "''"


def _checkpoint(namespace: Any, identity: Any, parent: Any, kind: Any, blob: Any, metadata: Any) -> Checkpoint:
    value, channels = _told(kind, blob)
    said = _metadata(metadata)
    above = {name: found for name, found in object_of(said.get("parents")).items() if isinstance(found, str)}
    return Checkpoint(
        namespace=str(namespace or ""),
        id=str(identity),
        parent=str(parent or ""),
        source=text_of(said.get("source")) or "loop",
        time=unix_time(value.get("ts")),
        above=above,
        start=channels.get(START),
        nodes=[name[len("branch:to:") :] for name in channels if str(name).startswith("branch:to:")],
        sends=_sends(channels.get(SENDS)),
        ran=frozenset(str(name) for name, seen in object_of(value.get("versions_seen")).items() if seen),
        run_id=text_of(said.get("run_id")),
    )


def _told(kind: Any, blob: Any) -> tuple[JsonObject, JsonObject]:
    """(the checkpoint's members, its channels); of the state only the channels that say what runs next are decoded."""
    if str(kind).lower() == "msgpack" and isinstance(blob, bytes):
        try:
            shape = _shape.decode(blob)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            pass  # encoded otherwise, or damaged
        else:
            channels = {
                name: decoded("msgpack", bytes(raw)) if name in (START, SENDS) else None
                for name, raw in shape.channel_values.items()
            }
            return {"ts": shape.ts, "versions_seen": shape.versions_seen}, channels
    value = object_of(decoded(kind, blob))
    return value, object_of(value.get("channel_values"))


def _metadata(blob: Any) -> JsonObject:
    if isinstance(blob, bytes) and blob[:1] not in (b"{", b""):
        return object_of(decoded("msgpack", blob))
    try:
        return object_of(json.loads(blob)) if blob else {}
    except (ValueError, TypeError, RecursionError):
        return {}


def _sends(value: Any) -> list[tuple[str, Any]]:
    """(node, argument) of each `Send` of a superstep."""
    found = []
    for item in value if isinstance(value, list) else ():
        arguments = object_of(item).get("arguments")
        if isinstance(arguments, list) and len(arguments) >= 2:
            found.append((text_of(arguments[0]), arguments[1]))
        else:
            found.append((text_of(object_of(item).get("node")), object_of(item).get("arg")))
    return found
