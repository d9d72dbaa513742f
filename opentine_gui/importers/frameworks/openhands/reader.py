"""The reader of OpenHands' sources: recognises them and puts the run together."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import RunStatus
from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.frameworks.openhands.event_list import EventList
from opentine_gui.importers.frameworks.openhands.source import (
    CONVERSATION_FOLDER,
    EVENT_FILE,
    STATE,
    Conversation,
    Event,
    KnownFiles,
    conversation_folder,
    is_event,
    parts_of,
    read_conversation,
    states_beside,
)
from opentine_gui.importers.frameworks.openhands.tree import Tree
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources import archives, documents
from opentine_gui.importers.sources.fields import object_of, text_of, unix_time
from opentine_gui.importers.sources.head import names_in_folder
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import choose, divide

STATUSES = {
    "running": RunStatus.RUNNING,
    "paused": RunStatus.PAUSED,
    "error": RunStatus.FAILED,
    "stuck": RunStatus.FAILED,
}


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head holds conversations of the SDK.

    A conversation's folder or state, a folder or archive of such, or lines of the SDK's events.
    """
    names = names_in_folder(head)
    if names is not None:
        if STATE.encode() in names:
            return 1.0
        folders = sum(bool(CONVERSATION_FOLDER.fullmatch(name)) for name in names)
        return 0.6 if folders and folders >= len(names) - 2 else 0.0
    inside = archives.names_in(head)
    if inside:
        last = {name.rpartition(b"/")[2].decode("utf-8", "replace") for name in inside}
        return 0.95 if STATE in last or any(EVENT_FILE.fullmatch(name) for name in last) else 0.0
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:4096]
    if start.startswith(b"{") and b'"leaf_event_id"' in head and b'"workspace"' in head:
        return 0.9
    return 0.9 if is_event(head) else 0.0


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run in a conversation of the SDK; of several the newest, or the one that the path names. TineError."""
    return _read(path, KnownFiles(), Pace(progress, cancelled))


class GrowingConversation:
    """A conversation that grows, one file per event; only new files are read each time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known = KnownFiles()

    def read(self, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
        """The run as its files are now. TineError when it cannot be read."""
        return _read(self.path, self.known, Pace(progress, cancelled))


def _read(path: str | Path, known: KnownFiles, pace: Pace) -> Reading:
    source, part = divide(path)
    draft = RunDraft()
    parts = parts_of(source)
    chosen = choose(parts, part, source).id if parts else ""
    conversation = read_conversation(source, chosen, draft.report, pace.part(0, 0.5), known)
    if not conversation.events:
        raise FormatError("there are no events in it", path=source)
    tree = Tree(conversation, draft, pace.part(0.5, 0.8))
    if tree.has_copies():
        tree.ask(states_beside(source, chosen))
    tree.grow()
    state = conversation.state
    if tree.metrics.total_cost and not any(step.cost for step in draft.steps.values()):
        draft.report.remark(f"The log states ${tree.metrics.total_cost:.4f} for the whole conversation, not by step.")
        draft.report.state(tree.metrics.total_cost)
    status = STATUSES.get(text_of(state.get("execution_status")), RunStatus.COMPLETED)
    main = tree.tip(text_of(state.get("leaf_event_id"))) or _last(draft)
    names = (text_of(state.get("id")), chosen, conversation_folder(source).name if source.is_dir() else source.stem)
    sources = (source, *(event.place.path for event in conversation.events if event.place and source.is_dir()))
    return draft.finish(
        run_id=run_id(*names),
        created_at=_began(conversation.events),
        capture=origin("openhands-events", "1", source, part=chosen),
        metadata=_metadata(conversation),
        status=status,
        main=main,
        sources=sources,
        pace=pace.part(0.8, 1),
    )


def recognise_list(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a list of events of version 0.

    An array of events with `source` and `action` or `observation`.
    """
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"["):
        return 0.0
    early = start[:8192]
    named = b'"source"' in early and (b'"action"' in early or b'"observation"' in early)
    return 0.85 if named and (b'"cause"' in head or b'"args"' in early) else 0.0


def read_list(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run in a list of events of version 0. TineError."""
    source = divide(path)[0]
    pace = Pace(progress, cancelled)
    whole = documents.read_text(source)
    draft = RunDraft()
    events = []
    for item in whole.items():
        draft.report.records += 1
        value = item.value()
        if isinstance(value, dict):
            events.append(Event(value, item.place(source)))
        else:
            draft.report.bad_lines += 1
    if not events:
        raise FormatError("there are no events in it", path=source)
    EventList(draft, pace.part(0.3, 0.8)).grow(events)
    return draft.finish(
        run_id=run_id(source.stem),
        created_at=_began(events),
        capture=origin("openhands-event-list", "0", source, content=bytes(whole.content)),
        main=_last(draft),
        sources=(source,),
        pace=pace.part(0.8, 1),
    )


def _began(events: list[Event]) -> float:
    return next((time for event in events if (time := unix_time(event.value.get("timestamp"))) is not None), 0.0)


def _last(draft: RunDraft) -> str | None:
    return next(reversed(draft.steps), None)


def _metadata(conversation: Conversation) -> dict[str, object]:
    found: dict[str, object] = {"agent": "OpenHands"}
    if conversation.title:
        found["title"] = conversation.title[:200]
    folder = text_of(object_of(conversation.state.get("workspace")).get("working_dir"))
    if folder:
        found["cwd"] = folder
    for name in ("forked_from_conversation_id", "forked_from_event_id"):
        if text_of(conversation.meta.get(name)):
            found[name] = conversation.meta[name]
    return found
