"""Sessions of OpenAI Agents in SQLite: the items of a conversation, which the traces of the same runs do not hold."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.reading import Place, Reading, row_at
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import sqlite
from opentine_gui.importers.sources.content import Content, call_of, content_of
from opentine_gui.importers.sources.fields import parsed, text_of, unix_time
from opentine_gui.importers.sources.former import same_records
from opentine_gui.importers.sources.head import tables_in
from opentine_gui.importers.sources.line import Line, began, first_prompt
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import Part, choose, divide

TABLES = {b"agent_sessions", b"agent_messages"}
CALLS = frozenset({"function_call", "custom_tool_call"})
ANSWERS = CALLS | {"message", "reasoning"}
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output"})


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a database of agents' sessions and messages."""
    return 0.95 if (tables_in(head) or set()) >= TABLES else 0.0


def parts_of(path: Path) -> list[Part]:
    """The sessions, oldest first. TineError."""
    with sqlite.opened(path) as connection:
        return _parts(connection)


def _parts(connection: sqlite3.Connection) -> list[Part]:
    rows = connection.execute(
        "SELECT session_id, max(created_at), count(*) FROM agent_messages GROUP BY session_id ORDER BY 2, 1"
    )
    return [Part(str(name), str(name)[:200], unix_time(time), int(count)) for name, time, count in rows.fetchall()]


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a session: of several the newest, or the one that the path names. TineError."""
    source, part = divide(path)
    pace = Pace(progress, cancelled)
    with sqlite.opened(source, cancelled) as connection:
        chosen = choose(_parts(connection), part, source)
        conversation = _read(connection, chosen.id, source)
        former = _read(connection, chosen.id, source, divides=True) if conversation.has_joined else None
    reading = _finished(conversation, source, chosen, pace)
    if former is None:
        return reading
    return replace(reading, former=same_records(_finished(former, source, chosen, Pace()), reading))


def _read(connection: sqlite3.Connection, session: str, source: Path, *, divides: bool = False) -> _Conversation:
    """The items of a session; with `divides` by the older rule, see `_Conversation`."""
    draft = RunDraft()
    conversation = _Conversation(draft, divides=divides)
    rows = connection.execute(
        "SELECT message_data, created_at, id FROM agent_messages WHERE session_id = ? ORDER BY id", (session,)
    )
    for data, time, identity in rows:
        draft.report.records += 1
        item = parsed(data)
        if isinstance(item, dict):
            conversation.take(item, unix_time(time), row_at(source, "agent_messages", id=identity))
        else:
            draft.report.bad_lines += 1
    conversation.close()
    return conversation


def _finished(conversation: _Conversation, source: Path, chosen: Part, pace: Pace) -> Reading:
    draft = conversation.line.draft
    if not draft.steps:
        raise FormatError("the session has no messages", path=source, place=chosen.id[:80])
    draft.report.remark(
        "Items that were taken back are deleted in the database: only the conversation as it stands is here."
    )
    return draft.finish(
        run_id=run_id(chosen.id, source.stem),
        created_at=began(draft),
        capture=origin("openai-agents-session", "", source, part=chosen.id),
        metadata={"agent": "OpenAI Agents", "title": first_prompt(draft)},
        main=conversation.line.tips[-1],
        sources=(source,),
        pace=pace.part(0.9, 1),
    )


class _Conversation:
    """Takes items in their order: an answer is a run of thoughts, texts and calls up to an output or a message.

    By an older rule (`divides`) a custom call right after another call begins an answer of its own.
    """

    def __init__(self, draft: RunDraft, *, divides: bool = False) -> None:
        self.line = Line(draft)
        self.report = draft.report
        self.divides = divides
        self.has_joined = False
        """Whether the older rule would have divided an answer."""
        self.answer: Content | None = None
        self.time: float | None = None
        self.places: list[Place] = []
        self.call_places: list[Place] = []
        """The places of the answer being collected, and of each of its calls."""

    def take(self, item: JsonObject, time: float | None, place: Place) -> None:
        """Add an item."""
        kind = text_of(item.get("type")) or ("message" if "role" in item else "")
        role = text_of(item.get("role"))
        if kind in OUTPUTS:
            self.close()
            self.line.result(
                text_of(item.get("call_id")), content_of(item.get("output")).outcome(), time=time, place=place
            )
        elif kind == "message" and role in ("user", "human"):
            self.close()
            self.line.person(content_of(item.get("content")), time=time, place=place)
        elif kind == "message" and role in ("system", "developer"):
            self.close()
            self.line.policy({"system": content_of(item.get("content")).text}, time=time, place=place)
        elif kind in ANSWERS:
            if self.answer is not None and self.answer.calls and kind != "function_call":
                self.has_joined |= kind in CALLS
                if self.divides or kind not in CALLS:
                    self.close()
            self.answer = self.answer or Content()
            self.time = time
            self.places.append(place)
            if kind == "message":
                content = content_of(item.get("content"))
                self.answer.texts += content.texts
                self.answer.images += content.images
            elif kind == "reasoning":
                said = content_of(item.get("summary") or item.get("content"))
                self.answer.thoughts += [*said.thoughts, *said.texts]
            else:
                self.answer.calls.append(call_of(item))
                self.call_places.append(place)
        else:
            self.report.skip(kind or "items of no kind")

    def close(self) -> None:
        """End the answer that is being collected."""
        if self.answer is not None:
            step = self.line.answer(self.answer, time=self.time)
            step.places = self.places
            for call, place in zip(self.line.waiting.values(), self.call_places, strict=True):
                call.places = [place]
        self.places, self.call_places = [], []
        self.answer = None
