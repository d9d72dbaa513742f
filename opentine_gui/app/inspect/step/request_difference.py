"""What a model saw at a step, as recorded or else assembled from the steps, and how two requests differ."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.step.difference import LONGEST_TEXT, SectionDifference
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.requests import in_context
from opentine_gui.core.errors import TineError
from opentine_gui.core.graph.graph import Graph
from opentine_gui.describe.difference_lines import DiffLine, texts_apart
from opentine_gui.describe.numbers import counted, format_tokens
from opentine_gui.describe.payload_text import whole_text
from opentine_gui.describe.step_titles import title
from opentine_gui.importers.reading import Reading
from opentine_gui.scene.text.clean import clean

FORMATS = ("claude-code",)
"""Readers whose logs may keep requests."""
MOST_SHOWN = 2_000
"""Messages of each side whose text is compared."""
_RECORDED = ("messages", "history", "turns")


class Sent(NamedTuple):
    """A request: named `parts` besides its messages, the messages, how one reads, and how the request is known."""

    source: str
    estimated: bool
    messages: Sequence[Any]
    text: Callable[[Any], str]
    parts: tuple[tuple[str, Any], ...] = ()


class RequestDifference(NamedTuple):
    """How two requests differ, and how each of them is known."""

    sections: list[SectionDifference]
    sources: tuple[str, str]


class Source(NamedTuple):
    """Where to look for a request: the run of a step, and what it was read from, if known."""

    record: RunRecord
    origin: Origin | None


def source_of(session: Session, document: Document, step: str) -> Source | None:
    """The run that has a step; if several are shown, the first open one that has it."""
    if document.members is not None:
        for member in document.members.members:
            shown = session.document(member.document) if member.document is not None else None
            if shown is not None and shown.record is not None and step in shown.record.graph:
                return Source(shown.record, shown.origin)
    record = document.record
    return Source(record, document.origin) if record is not None and step in record.graph else None


def sent_for(source: Source, step: str) -> Sent:
    """What was sent for the answer `step`. TineError when the log cannot be read any more."""
    from opentine_gui.importers.claude_code.requests import request_of  # in a job: no window has to wait for a reader

    record, origin = source
    graph = record.graph
    kept = origin is not None and origin.format in FORMATS
    request = request_of(Reading(record, origin.places), step) if kept and origin is not None else None
    if request is not None:
        parts = (("Settings", request.params), ("System prompt", request.system), ("Tools", request.tools))
        return Sent("whole, as the log keeps it", False, request.messages, message_text, parts)
    recorded = graph.step(step).inputs
    name = next((key for key in _RECORDED if isinstance(recorded.get(key), list) and recorded[key]), None)
    if name is not None:
        rest = {key: value for key, value in recorded.items() if key != name and value not in ("", None)}
        return Sent("whole, as the step records it", False, recorded[name], message_text, (("Also sent", rest),))
    return _estimated(record, graph.index(step))


def _estimated(record: RunRecord, position: int) -> Sent:
    graph = record.graph
    steps, compaction = in_context(graph, position)
    since = " since the compaction" if compaction is not None else ""
    said = f"estimated from the {counted(len(steps), 'step')} it rests on{since}; system prompt and tools unknown"
    fill = _fill(graph, position)
    said += f"; {format_tokens(fill)} by the usage" if fill else ""
    return Sent(said, True, [graph.ids[step] for step in steps], lambda identity: _step_text(graph, identity))


def _fill(graph: Graph, position: int) -> float:
    usage = graph.step(position).usage
    return sum(usage.get(name, 0) for name in ("input", "cache_read", "cache_write_5m", "cache_write_1h"))


def _step_text(graph: Graph, identity: str) -> str:
    step = graph.step(identity)
    said = whole_text(step.outputs) or whole_text(step.inputs)
    asked = title(step) if step.shown_kind in ("tool", "subagent") else ""
    return "\n".join(part for part in (f"[{step.shown_kind}] {asked}".strip(), said) if part)


def message_text(message: Any) -> str:
    """A recorded message as lines: texts as they are, everything else as JSON."""
    if message is None:
        return "[answer] not in this file"
    content = message.get("content") if isinstance(message, dict) and "content" in message else message
    found = [f"[{clean(str(message['role']), 40)}]"] if isinstance(message, dict) and "role" in message else []
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        found.append(text if isinstance(text, str) else json.dumps(part, ensure_ascii=False, indent=1))
    return "\n".join(found)


def request_difference(before: Source, old: str, after: Source, new: str) -> RequestDifference:
    """How what was sent for the answer `new` differs from what was sent for `old` (in a job)."""
    try:
        one, other = sent_for(before, old), sent_for(after, new)
    except TineError as error:
        return RequestDifference([SectionDifference("Requests", (DiffLine("note", str(error)),))], ("", ""))
    sections = [_messages(one, other)]
    values, others = dict(one.parts), dict(other.parts)
    for name in dict.fromkeys((*others, *values)):
        here, there = values.get(name), others.get(name)
        if here in (None, "", {}, []) and there in (None, "", {}, []):
            continue
        if one.estimated != other.estimated:
            missing = "the left" if one.estimated else "the right"
            lines = (DiffLine("note", f"not recorded on {missing}: nothing to compare with"),)
            sections.append(SectionDifference(name, lines))
        elif here == there:
            sections.append(SectionDifference(name, ()))
        else:
            texts = ["" if value is None else _plain(value) for value in (here, there)]
            apart = texts_apart(texts[0], texts[1], LONGEST_TEXT, 3)
            sections.append(SectionDifference(name, tuple(apart), here is not None, there is not None))
    return RequestDifference(sections, (one.source, other.source))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)


def _messages(one: Sent, other: Sent) -> SectionDifference:
    """The messages; those shared at the beginning and the end are left out and counted."""
    old, new = list(one.messages), list(other.messages)
    same = one.estimated == other.estimated
    front = 0
    while same and front < min(len(old), len(new)) and old[front] == new[front]:
        front += 1
    back = 0
    while same and back < min(len(old), len(new)) - front and old[-1 - back] == new[-1 - back]:
        back += 1
    gone, come = old[front : len(old) - back], new[front : len(new) - back]
    word = "step" if one.estimated and other.estimated else "message"
    if not gone and not come:
        return SectionDifference(f"{counted(len(old), word)}, all the same", (DiffLine("note", "Nothing differs."),))
    name = f"Messages: {front + back:,} kept, {len(gone):,} dropped, {len(come):,} added"
    lines: list[DiffLine] = []
    if front:
        lines.append(DiffLine("note", f"{counted(front, word)} before, in both"))
    texts = ["\n\n".join(map(side.text, part[:MOST_SHOWN])) for side, part in ((one, gone), (other, come))]
    if not texts[0] or not texts[1]:
        kind = "added" if come else "removed"
        whole = clean(texts[1] or texts[0], LONGEST_TEXT, lines=True)
        lines += [DiffLine(kind, line) for line in whole.split("\n")]
    else:
        lines += texts_apart(texts[0], texts[1], LONGEST_TEXT, 3)
    for number in (len(gone), len(come)):
        if number > MOST_SHOWN:
            lines.append(DiffLine("note", f"and {number - MOST_SHOWN:,} more that are not compared"))
    if back:
        lines.append(DiffLine("note", f"{counted(back, word)} after, in both"))
    return SectionDifference(name, tuple(lines))
