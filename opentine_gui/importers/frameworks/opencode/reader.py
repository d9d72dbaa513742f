"""The reader of OpenCode's database, exports and event lines."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.frameworks.opencode.sessions import Database, Session, from_events, from_export
from opentine_gui.importers.frameworks.opencode.steps import Conversation, Find
from opentine_gui.importers.reading import Reading, Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import documents, sqlite
from opentine_gui.importers.sources.fields import object_of, text_of, unix_time
from opentine_gui.importers.sources.head import tables_in
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import Part, choose, divide, part_path

TABLES = {b"session", b"message", b"part"}
MOST_RELATIVES = 50


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a database of sessions, messages and parts."""
    return 0.95 if (tables_in(head) or set()) >= TABLES else 0.0


def parts_of(path: Path) -> list[Part]:
    """The sessions that people started, oldest first. TineError."""
    with sqlite.opened(path) as connection:
        return Database(connection, Report(), path).parts()


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a session with its sub-agents: of several the newest, or the one that the path names. TineError."""
    source, part = divide(path)
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    with sqlite.opened(source, cancelled) as connection:
        database = Database(connection, draft.report, source)
        chosen = part or choose(database.parts(), "", source).id
        session = database.session(chosen)
        if session is None:
            raise FormatError(f"there is no session {chosen[:80]!r} in it", path=source)
        return _finish(session, database.session, draft, source, chosen, pace)


def family_of(path: Path) -> list[Path]:
    """Other sessions of the database whose first message has the same time, which a fork keeps."""
    source, part = divide(path)
    with sqlite.opened(source) as connection:
        first = "(SELECT min(id) FROM message WHERE session_id = session.id)"
        rows = connection.execute(
            f"SELECT session.id, message.time_created FROM session JOIN message ON message.id = {first}"
            " WHERE session.parent_id IS NULL"
        ).fetchall()
        times = {str(identity): time for identity, time in rows}
    mine = part or choose(parts_of(source), "", source).id
    relatives = [name for name, time in times.items() if name != mine and time == times.get(mine)]
    return [part_path(source, name) for name in relatives[:MOST_RELATIVES]]


def recognise_export(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is an object of `info` and `messages` with parts."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"{") or b'"messages"' not in head or b'"info"' not in start[:200]:
        return 0.0
    return 0.9 if b'"parts"' in head and (b'"sessionID"' in head or b'"ses_' in head) else 0.0


def read_export(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of an exported session. TineError."""
    source = divide(path)[0]
    whole = documents.read_text(source)
    draft = RunDraft()
    session = from_export(whole, source, draft.report)
    return _finish(
        session, lambda _identity: None, draft, source, "", Pace(progress, cancelled), content=bytes(whole.content)
    )


def recognise_events(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head has lines of `{aggregate_id, type, data}`."""
    line = head.lstrip(b"\xef\xbb\xbf \r\n\t").split(b"\n", 1)[0]
    return 0.9 if line.startswith(b"{") and b'"aggregate_id"' in line and b'"data"' in line else 0.0


def parts_of_events(path: Path) -> list[Part]:
    """The sessions in lines of events, in their order, without those started by another one there. TineError."""
    sessions = from_events(path, storage.read_bytes(path), Report(), Pace())
    return [
        Part(
            name,
            text_of(one.info.get("title")),
            unix_time(one.info.get("time_updated")),
            len(one.messages),
            text_of(one.info.get("directory")),
        )
        for name, one in sessions.items()
        if text_of(one.info.get("parent_id")) not in sessions
    ]


def read_events(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run in lines of events. TineError."""
    source, part = divide(path)
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    content = storage.read_bytes(source)
    sessions = from_events(source, content, draft.report, pace.part(0, 0.5))
    chosen = part or choose(parts_of_events(source), "", source).id
    if chosen not in sessions:
        raise FormatError(f"there is no session {chosen[:80]!r} in it", path=source)
    return _finish(sessions[chosen], sessions.get, draft, source, part, pace.part(0.5, 1), content=content)


def _finish(
    session: Session, find: Find, draft: RunDraft, source: Path, part: str, pace: Pace, *, content: bytes | None = None
) -> Reading:
    conversation = Conversation(draft, find, pace.part(0, 0.8))
    tips = conversation.grow(session)
    if not draft.steps:
        raise FormatError("the session has no messages", path=source)
    info = session.info
    reverted = text_of(object_of(info.get("revert")).get("messageID"))
    if reverted:
        tips = conversation.before(session, reverted) or tips
        draft.report.remark("The session was reverted: what came after stands as a branch of its own.")
    times = [step.timestamp for step in draft.steps.values() if step.timestamp is not None]
    metadata = {"agent": "OpenCode"}
    for name, key in (("title", "title"), ("cwd", "directory")):
        if text_of(info.get(key)):
            metadata[name] = text_of(info[key])[:1000]
    return draft.finish(
        run_id=run_id(session.id, source.stem),
        created_at=unix_time(info.get("time_created")) or min(times, default=0.0),
        capture=origin("opencode-session", text_of(info.get("version")), source, part=part, content=content),
        metadata=metadata,
        main=tips[-1] if tips else None,
        sources=(source,),
        pace=pace.part(0.8, 1),
    )
