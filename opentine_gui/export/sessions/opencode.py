"""Writes a new session of OpenCode with a step and what came before it, as a file for its own `opencode import`.

Nothing is written into its database from here. Messages and parts get new ids that contain the old times, because
OpenCode orders by ids; the rest is unchanged (1.18.33).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from opentine_gui.core.errors import EditError, TineError
from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.export.sessions.continuation import Continuation, Handback, NewFile
from opentine_gui.export.sessions.written import BEGINS_ANEW, CLOSED, changed, closed_calls
from opentine_gui.importers.frameworks.opencode.sessions import Database, Message, Session, from_export
from opentine_gui.importers.frameworks.opencode.steps import Conversation
from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import documents, sqlite
from opentine_gui.importers.sources.fields import object_of, parsed, text_of
from opentine_gui.importers.sources.parts import divide, part_path
from opentine_gui.importers.sources.sqlite import column_names

PROVED = ("1.18.33",)
REMOVAL = "Delete the session with: opencode session delete {session}"
OF_THE_ROW = ("slug", "project_id", "path", "permission", "model", "agent", "directory", "version", "title")
OF_THE_SOURCE = (
    "parentID",
    "parent_id",
    "share",
    "revert",
    "cost",
    "tokens",
    "summary",
    "time_created",
    "time_updated",
)
"""Fields that belong to the source session and not to the new one."""
NOT_SUMMARISED = "OpenCode's last summary came to nothing: the new session does not ask for it again."
TIME_DIGITS = 12
"""Hexadecimal digits of the time in an id."""


class _Found(NamedTuple):
    """The session that a step stands in, and which of its messages: `place`, from 0."""

    session: Session
    place: int


def write(wish: Continuation) -> Handback:
    """The new session and the commands that take it in and go on in it. EditError when the source has changed."""
    source, part = divide(wish.reading.sources[0])
    part = part or wish.reading.record.run_id  # the session that was chosen of several
    try:
        if source.suffix.lower() == ".json":
            session = from_export(documents.read_text(source), source, Report())
            found = _find(wish, session, {}, source)
        else:
            with sqlite.opened(source) as connection:
                database = Database(connection, Report(), source)
                session = database.session(part) or Session(part)
                inner: dict[str, Session] = {}
                found = _find(wish, session, inner, source, database)
                found.session.info.update(_row(connection, found.session.id))
    except TineError as error:
        if isinstance(error, EditError):
            raise
        raise changed(source) from error
    kept = found.session.messages[: found.place + (not wish.replaces)]
    folder = text_of(found.session.info.get("directory"))
    where = Path(folder) if folder else None
    if not any(text_of(message.info.get("role")) == "assistant" for message in kept):
        return Handback("OpenCode", "", (), ("opencode",), where, (BEGINS_ANEW,), saying=_saying)
    new = _new_session(wish)
    going_on = _without_pending_summary(kept)
    document, closed = _document(wish, found, going_on, new)
    file = NewFile(_exchange(wish) / f"{new}.json", msgspec.json.encode(document) + b"\n")
    remarks = []
    if len(going_on) < len(kept):
        remarks.append(NOT_SUMMARISED)
    remarks += closed_calls(closed)
    if text_of(found.session.info.get("parent_id")):
        remarks.append("The step is a sub-agent's: its conversation becomes a session of its own.")
    return Handback(
        "OpenCode",
        new,
        (file,),
        ("opencode", "--session", new),
        where,
        tuple(remarks),
        REMOVAL.format(session=new),
        takes_in=("opencode", "import", str(file.path)),
        opens=part_path(source, new) if source.suffix.lower() != ".json" else None,
        saying=_saying,
    )


def _saying(prompt: str) -> tuple[str, ...]:
    return (f"--prompt={prompt}",) if prompt else ()


def _exchange(wish: Continuation) -> Path:
    """The folder of files that agents take in."""
    return wish.exchange or wish.home / ".cache" / "opentine-gui" / "handed-back"


def _find(
    wish: Continuation, session: Session, inner: dict[str, Session], source: Path, database: Database | None = None
) -> _Found:
    """The message that the step was made of: the session is read again, with its messages numbered."""
    numbered: list[_Found] = []

    def number(one: Session) -> Session:
        for index, message in enumerate(one.messages):
            message.places = [Place(source, len(numbered), 1)]
            numbered.append(_Found(one, index))
        return one

    def find(identity: str) -> Session | None:
        if identity not in inner:
            found = database.session(identity) if database is not None else None
            if found is None:
                return None
            inner[identity] = number(found)
        return inner[identity]

    draft = RunDraft()
    Conversation(draft, find, Pace()).grow(number(session))
    if not draft.steps:
        raise changed(source)
    places = draft.finish(run_id="x", created_at=0.0, capture={}).places
    graph = wish.reading.record.graph
    step = graph.step(wish.step)
    asked = step.parent_ids[0] if step.kind is StepKind.TOOL and step.parent_ids else step.id
    own = places.get(asked) if wish.step in places else None
    if not own:
        raise changed(source)
    return numbered[own[0].offset]


def _row(connection: Any, identity: str) -> JsonObject:
    """The fields of the source session that the new one needs, from the database."""
    names = [name for name in OF_THE_ROW if name in column_names(connection, "session")]
    row = connection.execute(f"SELECT {', '.join(names)} FROM session WHERE id = ?", (identity,)).fetchone() or ()
    found: JsonObject = {name: value for name, value in zip(names, row, strict=False) if value is not None}
    for name in ("permission", "model"):
        value = parsed(found.pop(name, None))
        if isinstance(value, dict | list):
            found[name] = value
    if "project_id" in found:
        found["projectID"] = found.pop("project_id")
    return found


def _without_pending_summary(kept: list[Message]) -> list[Message]:
    """The messages without a request for a summary that came to nothing.

    OpenCode would answer such a request at the next prompt: it writes the summary and does not send the prompt. The
    failed summary itself stays as an answer to the last prompt.
    """
    finished = max((place for place, message in enumerate(kept) if message.info.get("finish")), default=-1)
    pending = {
        message.id
        for message in kept[finished + 1 :]
        if any(part.get("type") == "compaction" for part in message.parts)
    }
    found: list[Message] = []
    asked = ""
    for message in kept:
        if message.id in pending:
            continue
        if message.is_prompt:
            asked = message.id
        is_failed = text_of(message.info.get("parentID")) in pending
        found.append(replace(message, info=message.info | {"parentID": asked}) if is_failed else message)
    return found


def _new_session(wish: Continuation) -> str:
    """An id for a session: they count down, so that the newest comes first."""
    time = ~(int(wish.now * 1000) * 0x1000) & (1 << 4 * TIME_DIGITS) - 1
    return f"ses_{time:0{TIME_DIGITS}x}{_random(wish)}"


def _random(wish: Continuation) -> str:
    return wish.new_id().replace("-", "")[-14:]


def _fresh(wish: Continuation, identity: str) -> str:
    """An id with the time of another one."""
    kind, _mark, rest = identity.partition("_")
    return f"{kind}_{rest[:TIME_DIGITS]}{_random(wish)}"


def _document(wish: Continuation, found: _Found, kept: list[Message], new: str) -> tuple[JsonObject, int]:
    """(the new session as `opencode export` would write it, the number of calls that were closed)."""
    source = found.session.info
    times = object_of(source.get("time"))
    created = times.get("created") or source.get("time_created") or int(wish.now * 1000)
    info = {name: value for name, value in source.items() if name not in OF_THE_SOURCE and value is not None}
    info |= {"id": new, "title": f"{text_of(source.get('title'))[:200]} (fork)"}
    info["time"] = {"created": created, "updated": int(wish.now * 1000)}
    ids = {message.id: _fresh(wish, message.id) for message in kept}
    at_answer = not wish.replaces and wish.reading.record.graph.step(wish.step).kind is not StepKind.TOOL
    closed = 0
    messages = []
    last = found.session.messages[found.place].id
    for message in kept:
        is_last = message.id == last and not wish.replaces
        own = {"id": ids[message.id], "sessionID": new}
        above = text_of(message.info.get("parentID"))
        if above:
            own["parentID"] = ids.get(above, above)
        parts = []
        for part in message.parts:
            if is_last and part.get("type") == "tool" and (at_answer or not _is_done(part)):
                part = part | {"state": _closed(wish, part)}
                closed += 1
            identity = _fresh(wish, text_of(part.get("id")))
            parts.append(part | {"id": identity, "messageID": own["id"], "sessionID": new})
        messages.append({"info": message.info | own, "parts": parts})
    return {"info": info, "messages": messages}, closed


def _is_done(part: JsonObject) -> bool:
    return text_of(object_of(part.get("state")).get("status")) in ("completed", "error")


def _closed(wish: Continuation, part: JsonObject) -> JsonObject:
    """The state of a call without a result."""
    state = object_of(part.get("state"))
    start = object_of(state.get("time")).get("start") or int(wish.now * 1000)
    given = object_of(state.get("input"))
    return {"status": "error", "input": given, "error": CLOSED, "time": {"start": start, "end": start}}
