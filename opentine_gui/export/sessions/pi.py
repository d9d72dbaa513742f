"""Writes a new session of pi with a step and the path to its root: entries keep their ids, as in forks of pi's own.

`pi --session` needs the header and the path, nothing else (0.73.1); the last entry of a file is where it goes on.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from opentine_gui.core.errors import EditError, TineError
from opentine_gui.core.model import JsonObject
from opentine_gui.core.progress import Pace
from opentine_gui.export.sessions.continuation import Continuation, Handback, NewFile
from opentine_gui.export.sessions.written import (
    BEGINS_ANEW,
    CLOSED,
    changed,
    closed_calls,
    lines_of,
    places_of,
    time_of,
    timed_id,
)
from opentine_gui.importers.pi.entries import Entry, Session, load
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.fields import objects_in, text_of
from opentine_gui.importers.sources.packed import pieces_of

PROVED = ("0.73.1",)
REMOVAL = "Delete the session in pi's list of sessions (/resume), or delete the file."
_SEPARATOR = re.compile(r"[/\\:]")


def write(wish: Continuation) -> Handback:
    """The new session and the command that goes on in it. EditError when the source has changed or holds too little."""
    places = places_of(wish)
    path = places[0].path
    try:
        session = load(path, pieces_of(path), Report(), Pace())
    except TineError as error:
        raise changed(path) from error
    if not any(text_of(entry.value.get("id")) for entry in session.entries.values()):
        raise EditError("a session of version 1 has no ids: open it in pi once, which writes it anew", path=path)
    entry = next((entry for entry in session.entries.values() if entry.place in places), None)
    if entry is None:
        raise changed(path)
    folder = text_of(session.header.get("cwd"))
    where = Path(folder) if folder else None
    tip = _tip(wish, session, entry)
    chain = _path_to(session, tip)
    if not any(found.role == "assistant" for found in chain):
        return Handback("pi", "", (), ("pi",), where, (BEGINS_ANEW,), REMOVAL, saying=_saying)
    new = timed_id(wish)
    stubs = [] if wish.replaces else _stubs(wish, chain)
    header: JsonObject = {
        "type": "session", "version": session.header.get("version", 3), "id": new, "timestamp": time_of(wish),
        "cwd": folder, "parentSession": str(path),
    }  # fmt: skip
    tail = [*(found.value for found in chain), *stubs]
    tail += _labels(session, chain, text_of(tail[-1].get("id")))
    name = f"{time_of(wish).replace(':', '-').replace('.', '-')}_{new}.jsonl"
    file = NewFile(_session_folder(wish, session, folder) / name, lines_of([header, *tail]))
    remarks = closed_calls(len(stubs))
    words = ("pi", "--session", new)
    return Handback("pi", new, (file,), words, where, tuple(remarks), REMOVAL, saying=_saying)


def _saying(prompt: str) -> tuple[str, ...]:
    """The prompt as an argument: pi would read one that begins with - as an option, and one that begins with @ as a
    file to read."""
    return (f" {prompt}" if prompt.startswith(("-", "@")) else prompt,) if prompt else ()


def _tip(wish: Continuation, session: Session, entry: Entry) -> Entry | None:
    """The entry that the new session ends with: after a batch of calls, the last result on the path."""
    if wish.replaces:
        return session.entries.get(entry.parent or "")
    if entry.role == "assistant" and wish.reading.record.graph.step(wish.step).kind != "tool":
        return entry
    calls = _calls_of(next((found for found in _path_to(session, entry)[::-1] if found.role == "assistant"), None))
    if entry.role not in ("toolResult", "assistant"):
        return entry
    while True:
        below = [
            found
            for found in session.entries.values()
            if found.parent == entry.id
            and found.role == "toolResult"
            and text_of(found.message.get("toolCallId")) in calls
        ]
        if not below:
            return entry
        entry = below[-1]


def _path_to(session: Session, tip: Entry | None) -> list[Entry]:
    """The entries from the root to one."""
    chain: list[Entry] = []
    seen: set[str] = set()
    while tip is not None and tip.id not in seen:
        seen.add(tip.id)
        chain.append(tip)
        tip = session.entries.get(tip.parent or "")
    return chain[::-1]


def _calls_of(entry: Entry | None) -> dict[str, str]:
    """The tools of an answer's calls by their ids."""
    if entry is None:
        return {}
    parts = [part for part in objects_in(entry.message.get("content")) if part.get("type") == "toolCall"]
    return {text_of(part.get("id")): text_of(part.get("name")) for part in parts}


def _stubs(wish: Continuation, chain: list[Entry]) -> list[JsonObject]:
    """Results for the calls at the end that have none; pi itself fills older gaps."""
    if chain[-1].role not in ("assistant", "toolResult"):
        return []
    answer = next(found for found in reversed(chain) if found.role == "assistant")
    answered = {text_of(found.message.get("toolCallId")) for found in chain if found.role == "toolResult"}
    stubs: list[JsonObject] = []
    above = chain[-1].id
    for call, name in _calls_of(answer).items():
        if call in answered:
            continue
        message: dict[str, Any] = {
            "role": "toolResult", "toolCallId": call, "toolName": name, "isError": True,
            "content": [{"type": "text", "text": CLOSED}], "timestamp": int(wish.now * 1000),
        }  # fmt: skip
        identity = wish.new_id()[:8]
        stubs.append(
            {"type": "message", "id": identity, "parentId": above, "timestamp": time_of(wish), "message": message}
        )
        above = identity
    return stubs


def _labels(session: Session, chain: list[Entry], above: str) -> list[JsonObject]:
    """The bookmarks of entries that are kept, added below the tip: they do not change what is sent."""
    kept = {entry.id for entry in chain}
    found: list[JsonObject] = []
    for entry in session.entries.values():
        if entry.type == "label" and entry.id not in kept and text_of(entry.value.get("targetId")) in kept:
            found.append(entry.value | {"parentId": above})
            above = entry.id
    return found


def _session_folder(wish: Continuation, session: Session, folder: str) -> Path:
    """Where pi looks for the sessions of a working folder."""
    if not folder:
        raise EditError("the session does not say in which folder the agent worked", path=session.path)
    sessions = (wish.config or wish.home / ".pi" / "agent") / "sessions"
    return sessions / f"--{_SEPARATOR.sub('-', folder.lstrip('/'))}--"
