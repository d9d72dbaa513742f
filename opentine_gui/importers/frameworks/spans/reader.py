"""The readers of traces: one for all envelopes, with a row for each name under which people know them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from opentine_gui.core.progress import Pace, Progress, Stop
from opentine_gui.importers.frameworks.spans.conversation import Conversation
from opentine_gui.importers.frameworks.spans.dialects import request_of
from opentine_gui.importers.frameworks.spans.envelopes import spans_in
from opentine_gui.importers.frameworks.spans.forest import Forest, conversations
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.reading import Reading, Report
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.fields import text_of
from opentine_gui.importers.sources.former import same_records
from opentine_gui.importers.sources.origin import origin, run_id
from opentine_gui.importers.sources.parts import Part, choose, divide

LONGEST_TITLE = 200
_OPENAI = re.compile(rb'"object"\s*:\s*"trace(?:\.span)?"')


def recognise(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head holds traces.

    From OTLP, Tempo, Jaeger, the JavaScript SDK, Phoenix or Logfire.
    """
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
    if start not in (b"{", b"["):
        return 0.0
    if b'"resourceSpans"' in head or b'"resource_spans"' in head:
        return 0.95
    if b'"batches"' in head and (b'"scopeSpans"' in head or b'"instrumentationLibrarySpans"' in head):
        return 0.95
    if b'"traceID"' in head and b'"operationName"' in head:
        return 0.9
    if b'"spanContext"' in head and b'"traceId"' in head:
        return 0.9
    if b'"trace_id"' in head and b'"span_id"' in head:
        return 0.8 if b'"context"' in head or b'"span_name"' in head or b'"start_time' in head else 0.0
    return 0.6 if b'"traceId"' in head and b'"spanId"' in head and b'"startTime' in head else 0.0


def recognise_langfuse(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head is a trace of Langfuse with observations."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    if not start.startswith(b"{"):
        return 0.0
    if b'"observations"' in head and (b'"parentObservationId"' in head or b'"trace"' in start[:200]):
        return 0.9
    return 0.85 if b'"trace"' in start[:40] and b'"projectId"' in start[:1000] else 0.0


def recognise_openai(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head holds traces and spans of OpenAI Agents."""
    start = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
    return 0.9 if _OPENAI.search(head[:8192]) and start in (b"{", b"[") else 0.0


def recognise_langsmith(head: bytes) -> float:
    """How surely, from 0 to 1, a source with this head holds runs of LangSmith."""
    is_json = head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")
    return 0.85 if is_json and b'"run_type"' in head and (b'"dotted_order"' in head or b'"trace_id"' in head) else 0.0


def parts_of(path: Path) -> list[Part]:
    """The conversations in a file, oldest first; the id of each is that of its first trace."""
    spans, _ = spans_in(path, Report(), Pace())
    return [_part(some) for some in conversations(spans)]


def _part(spans: list[Span]) -> Part:
    first = min(spans, key=lambda span: span.began)
    title = ""
    for span in spans[:2000]:
        said = [message.content.text for message in request_of(span) if message.role == "user"]
        if said:
            title = said[0]
            break
    ends = [span.ended for span in spans if span.start is not None]
    return Part(
        first.trace, (title or first.service or first.name)[:LONGEST_TITLE], max(ends, default=None), len(spans)
    )


def read(path: str | Path, *, progress: Progress | None = None, cancelled: Stop | None = None) -> Reading:
    """The run of a conversation's traces: of several the newest, or the one that the path names. TineError."""
    source, part = divide(path)
    pace = Pace(progress, cancelled)
    draft = RunDraft()
    spans, content = spans_in(source, draft.report, pace.part(0, 0.5))
    several = conversations(spans)
    parts = [_part(some) for some in several]
    chosen = choose(parts, part, source)
    mine = several[parts.index(chosen)]
    if len(several) > 1:
        draft.report.remark(f"The file holds {len(several)} conversations; this is one of them.")
    conversation = Conversation(Forest(mine), draft, pace.part(0.5, 0.8))
    tips = conversation.grow()
    if not draft.steps:
        _show_plain(mine, draft)
        tips = list(draft.steps)[-1:]
    first = min(mine, key=lambda span: span.began)
    agents = sorted(conversation.forest.agents(), key=lambda span: span.began)
    names = [text_of(span.attributes.get("gen_ai.agent.name")) for span in agents]
    agent = next((name for name in names if name), "") or first.service
    reading = draft.finish(
        run_id=run_id(chosen.id, source.stem),
        created_at=first.began,
        capture=origin("spans", "", source, part=chosen.id if len(several) > 1 else "", content=content),
        metadata={"title": chosen.title} | ({"agent": agent[:LONGEST_TITLE]} if agent else {}),
        main=tips[-1] if tips else None,
        sources=(source,),
        pace=pace.part(0.8, 1),
    )
    if not any(span.once for span in mine):
        return reading
    return replace(reading, former=same_records(_as_it_was(mine), reading))


def _as_it_was(spans: list[Span]) -> Reading:
    """The run by an older rule: with spans that `one_a_call` merges left as they were."""
    draft = RunDraft()
    Conversation(Forest([one for span in spans for one in span.once or [span]]), draft, Pace()).grow()
    return draft.finish(run_id="", created_at=0.0, capture={})


def _show_plain(spans: list[Span], draft: RunDraft) -> None:
    """Add a trace without a model, tool or agent as it is: one step per span, below the span around it."""
    from opentine_gui.core.model import StepKind
    from opentine_gui.importers.sources.fields import between, storable

    draft.report.remark(
        "No span says that it is a model's, a tool's or an agent's: all of them are shown as they nest."
    )
    forest = Forest(spans)
    for span, above in forest.parent.items():
        step = draft.add(
            f"{span.trace} {span.id}",
            StepKind.TOOL,
            [f"{above.trace} {above.id}"] if above is not None else [],
            inputs={"name": span.name, "arguments": storable(span.attributes)},
            timestamp=span.start,
            duration=between(span.start, span.end),
        )
        step.error = {"type": "failed", "message": span.message} if span.failed else {}
        if span.place:
            step.places.append(span.place)
