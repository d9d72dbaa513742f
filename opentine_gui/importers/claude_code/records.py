"""The records of a session log, decoded only as far as the shape of the run needs; content stays encoded.

Lines with a `uuid` are linked by `parentUuid`; lines without one say something about the session. Fields are as
versions 1.0 to 2.1 write them; each may be missing.
"""

from __future__ import annotations

from typing import Any

import msgspec

from opentine_gui.importers.reading import Place

NOTHING = msgspec.Raw()


_IRREGULAR = {
    "parent_tool_use_id": "parentToolUseID",
    "source_tool_use_id": "sourceToolUseID",
    "total_cost_usd": "totalCostUSD",
}


def _camel(name: str) -> str:
    """A field's name as the log spells it."""
    first, *rest = name.split("_")
    return _IRREGULAR.get(name) or first + "".join(part.capitalize() for part in rest)


class Block(msgspec.Struct, gc=False):
    """A part of a message: text, thinking, an image, a call or its result."""

    type: str = ""
    id: str | None = None
    name: str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    text: msgspec.Raw = NOTHING
    thinking: msgspec.Raw = NOTHING
    input: msgspec.Raw = NOTHING
    content: msgspec.Raw = NOTHING
    source: msgspec.Raw = NOTHING


class Message(msgspec.Struct, gc=False):
    """What was sent to the API, or a part of what it answered."""

    id: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    usage: msgspec.Raw = NOTHING
    content: str | list[Block] | None = None


class Compaction(msgspec.Struct, gc=False, rename=_camel):
    """`compactMetadata`: what was summarised, and which records are kept word for word."""

    trigger: str | None = None
    pre_tokens: int | None = None
    post_tokens: int | None = None
    preserved_segment: dict[str, Any] | None = None
    preserved_messages: dict[str, Any] | None = None

    @property
    def kept(self) -> tuple[str, str] | None:
        """(first, last) uuid of the records that are kept; None if there are none."""
        uuids = (self.preserved_messages or {}).get("uuids")
        if isinstance(uuids, list) and uuids:
            pair: tuple[Any, Any] = (uuids[0], uuids[-1])
        else:
            segment = self.preserved_segment or {}
            pair = (segment.get("headUuid"), segment.get("tailUuid"))
        return pair if isinstance(pair[0], str) and isinstance(pair[1], str) else None

    @property
    def anchor(self) -> str | None:
        """The record after which the kept ones are sent: the summary, or the boundary where they come before it."""
        found = (self.preserved_messages or {}).get("anchorUuid") or (self.preserved_segment or {}).get("anchorUuid")
        return found if isinstance(found, str) else None


class Attachment(msgspec.Struct, gc=False, rename=_camel):
    """What Claude Code adds to the conversation by itself; a command that was queued while it worked is the user's."""

    type: str = ""
    prompt: str | list[Block] | None = None
    command_mode: str | None = None
    origin: Any = None


class Details(msgspec.Struct, gc=False, rename=_camel):
    """The part of `toolUseResult` that is read if it is an object: times, and the sub-agent that a call started."""

    agent_id: Any = None
    is_async: Any = None
    status: Any = None
    duration_ms: Any = None
    total_duration_ms: Any = None
    interrupted: Any = None

    @property
    def seconds(self) -> float | None:
        """The duration that the log states."""
        for value in (self.duration_ms, self.total_duration_ms):
            if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
                return value / 1000
        return None


class Record(msgspec.Struct, gc=False, rename=_camel):
    """One line. `place`, `number` (in order of reading), `time` (Unix seconds) and `sub_agent` are set by the reader.

    `sub_agent` is "" for the conversation with the user, else the id of the sub-agent whose conversation it belongs to.
    """

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | None = None
    version: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    agent_id: str | None = None
    prompt_id: str | None = None
    request_ref: str | None = None
    team_name: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    message: Message | None = None
    attachment: Attachment | None = None
    compact_metadata: Compaction | None = None
    forked_from: Any = None
    request_session_id: str | None = None
    origin: Any = None
    turn_origin: Any = None
    leaf_uuid: str | None = None
    parent_tool_use_id: str | None = None
    source_tool_use_id: str | None = None
    duration_ms: float | None = None
    tool_use_result: Details | str | list[msgspec.Raw] | float | bool | None = None
    data: msgspec.Raw = NOTHING
    # lines that say something about the session
    id: str | None = None
    summary: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None
    total_cost_usd: float | None = None
    start_time: Any = None
    operation: str | None = None
    content: Any = None
    # set by the reader
    place: Place | None = None
    number: int = 0
    time: float | None = None
    sub_agent: str = ""

    @property
    def blocks(self) -> list[Block]:
        """The parts of the message; text alone is one part."""
        message = self.message
        if message is not None:
            content = message.content
        else:
            content = self.attachment.prompt if self.attachment is not None else None
        if isinstance(content, str):
            return [Block(type="text", text=msgspec.Raw(msgspec.json.encode(content)))]
        return content or []

    @property
    def kind_name(self) -> str:
        """The type with its kind, as unknown and skipped records are counted."""
        part = self.subtype or (self.attachment.type if self.attachment is not None else "")
        return f"{self.type}/{part}" if part else self.type or "no type"


class Progress(msgspec.Struct, gc=False, rename=_camel):
    """`data` of a progress line that carries a record of a sub-agent."""

    type: str = ""
    agent_id: str | None = None
    message: Record | None = None


DECODER = msgspec.json.Decoder(Record)
_progress = msgspec.json.Decoder(Progress)


def progress_of(record: Record) -> Progress | None:
    """The sub-agent's record in a progress line; None for other progress."""
    if b'"agent_progress"' not in bytes(record.data):
        return None
    try:
        found = _progress.decode(record.data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return found if found.type == "agent_progress" and found.agent_id and found.message is not None else None


NO_DETAILS = Details()


def details_of(record: Record) -> Details:
    """What a result's details say about time and sub-agent; empty where they are text or missing."""
    found = record.tool_use_result
    return found if isinstance(found, Details) else NO_DETAILS
