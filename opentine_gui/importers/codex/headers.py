"""Recognises a rollout by its first records, and the rollouts that belong together by their headers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from opentine_gui.core.errors import TineError
from opentine_gui.core.files import storage
from opentine_gui.importers.codex.rollouts import Home, name_of, parent_thread
from opentine_gui.importers.json_lines import BYTE_ORDER_MARK, read_lines
from opentine_gui.importers.reading import Report
from opentine_gui.importers.sources.fields import object_of, text_of
from opentine_gui.importers.sources.packed import head_of_packed

HEADER, LARGE_HEADER = 1 << 16, 1 << 21
"""Bytes read to find the header of a rollout, with the instructions; the second if the first are too few."""
MOST_HEADERS = 10_000
"""Most rollouts of a home, the newest, that are searched for a family."""
_LOOKED_AT = 1 << 16
_TYPES = re.compile(rb'"type"\s*:\s*"(session_meta|turn_context|response_item|event_msg|compacted|world_state)"')
_PAYLOAD = re.compile(rb'"payload"\s*:\s*\{')


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a rollout of Codex."""
    head = head_of_packed(head, _LOOKED_AT)[:_LOOKED_AT].removeprefix(BYTE_ORDER_MARK)
    if not head.lstrip().startswith(b"{"):
        return 0.0
    first = _TYPES.search(head)
    if first is None or _PAYLOAD.search(head) is None:
        return 0.0
    return 0.95 if first[1] == b"session_meta" else 0.8


def family_of(path: Path) -> tuple[Path, ...]:
    """The rollouts of other threads that belong together with this one: its bases, and forks of any of these.

    Files of the same thread and of sub-agents are part of the same run and are left out. Only headers are read.
    """
    heads = {found: _header_of(found) for found in Home(path).all()[-MOST_HEADERS:]}
    mine = next((found for found in heads if found.absolute() == path.absolute()), None)
    if mine is None:
        return ()
    names = {found: _names(found, meta) for found, meta in heads.items() if found == mine or not parent_thread(meta)}
    members = set(names[mine])
    found_before = 0
    while len(members) > found_before:
        found_before = len(members)
        for own in names.values():
            if members & own:
                members |= own
    thread = heads[mine].get("id")
    return tuple(found for found, own in names.items() if members & own and heads[found].get("id") != thread)


def _header_of(path: Path) -> dict[str, Any]:
    try:
        head = head_of_packed(storage.read_head(path, HEADER), LARGE_HEADER)
        if b"\n" not in head:
            head = head_of_packed(storage.read_head(path, LARGE_HEADER), LARGE_HEADER)
    except TineError:
        return {}
    first = head.split(b"\n", 1)[0] + b"\n"
    records = [line.value for line in read_lines(path, first, Report())]
    return object_of(records[0].get("payload")) if records else {}


def _names(path: Path, meta: dict[str, Any]) -> set[str]:
    """Ids of the rollout, its thread, and what it continues."""
    name = name_of(path)
    base = object_of(meta.get("history_base"))
    given = (text_of(meta.get("id")), text_of(meta.get("forked_from_id")), text_of(base.get("thread_id")))
    return {text for text in (*given, *((name.thread, name.rollout) if name else ())) if text}
