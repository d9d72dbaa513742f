"""What a slide of a presentation says of a step: what it is, what it did in readable type, and where in the run it is.

Its content is made within a frame, so long texts are cut, and the slide says by how much.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from opentine_gui.app.canvas.presentation import Remark, remark_of
from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.findings import findings_of
from opentine_gui.app.inspect.analysis.landmarks import landmarks
from opentine_gui.app.inspect.outcome import last_checks
from opentine_gui.app.inspect.reading.told_steps import is_edit
from opentine_gui.app.inspect.step.section import Section
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.app.session import Session
from opentine_gui.core import Graph, RunRecord, Step, StepKind, TineError
from opentine_gui.core.analysis.hidden_secrets import hide, hide_in_step, said
from opentine_gui.core.graph.calls.call_roles import call_of
from opentine_gui.core.graph.step_record import decode_step
from opentine_gui.describe.content.lines import JoinedLines, Lines, ListedLines
from opentine_gui.describe.content.show_value import Wish, show_value
from opentine_gui.describe.content.tree_lines import Folds
from opentine_gui.describe.difference_lines import DiffLine, difference_lines
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import first_text, has_text
from opentine_gui.describe.step_titles import figures, title
from opentine_gui.scene.text.clean import clean, clean_id
from opentine_gui.scene.text.styled import Span, StyledLine

LONGEST = 20_000
"""Characters of one text on a slide: some six hundred lines, which a wheel goes through."""
LONGEST_REASON = 300
LONGEST_REQUEST = 240
"""Characters of a request that is its own title."""
FIRST_PATHS, MOST_LINES = 12, 200
MOST_BACK = 60
"""Steps before the next request among which the answer to one is looked for."""
_LABELS = {"human": "Asked", "model": "Model", "done": "Answer", "think": "Thought", "error": "Error", "tool": "Call"}
_UNTOLD = frozenset({"settings"})
_BLANK = StyledLine()


class Slide(NamedTuple):
    """A slide: `label` says what kind of step it is (`role` is its colour), `title` and `reason` what it is about.

    `reason` is why it failed, `note` what the user wrote beside it, `remark` what a comparison says about it; `body` is
    to be read, `place` and `figures` stand below it. `hidden` says how many secrets are not shown.
    """

    kind: str
    label: str
    role: str
    title: str
    reason: str
    note: str
    remark: Remark | None
    body: Lines
    place: str
    figures: str
    hidden: str = ""


def slide_of(
    session: Session, document: Document, steps: tuple[str, ...], position: int, *, hides: bool = True
) -> Slide | None:
    """The slide at a position of a story; None for a step that the run has no longer.

    `hides`: what looks like a secret is not on it.
    """
    record, identity = document.record, steps[position]
    if record is None or identity not in record.graph:
        return None
    graph = record.graph
    index = graph.index(identity)
    place = f"Slide {position + 1:,} of {len(steps):,} · {_place(record, index)}"
    read = _Reader(hides)
    written = document.annotations[identity].note if identity in document.annotations else ""
    note = clean(read.words(written), LONGEST_REASON)
    remark = remark_of(document, identity)
    if remark is not None:
        remark = remark._replace(whose=read.words(remark.whose), sentence=read.words(remark.sentence))
    try:
        step = read.step(graph, index)
    except TineError as error:
        why = ListedLines([StyledLine((Span(clean(error.message, LONGEST_REASON), "bad", "text"),))])
        return Slide("error", "Cannot be read", "bad", clean_id(identity), "", note, remark, why, place, "")
    failure = failure_of(step)
    label, role = _label(session, document, record, step, index)
    reason = clean(shown_headline(step, failure), LONGEST_REASON) if failure is not None else ""
    named = _title(step)
    parts: list[Lines] = [*_divergence(document, identity, read), *_parts(record, step, named)]
    if step.shown_kind == "human":
        parts += _answer_to(record, index, read)
    return Slide(
        step.shown_kind,
        label,
        role,
        named,
        "" if reason == named else reason,
        note,
        remark,
        JoinedLines(parts),
        place,
        figures(step),
        read.said(first=position == 0),
    )


class _Reader:
    """Reads the steps of a slide, and counts what it hid in them."""

    def __init__(self, hides: bool) -> None:
        self.hides, self.count = hides, 0

    def step(self, graph: Graph, index: int) -> Step:
        """A step. FormatError."""
        found = hide_in_step(graph, index) if self.hides else None
        if found is None or not found.kinds:
            return graph.step(index)
        self.count += len(found.kinds)
        return decode_step(msgspec.Raw(found.raw))

    def words(self, text: str) -> str:
        """A text that is no step's."""
        if not self.hides or not text:
            return text
        found = hide(text)
        self.count += len(found.kinds)
        return found.text

    def said(self, *, first: bool) -> str:
        """What is said below the slide: nothing where nothing was hidden, but on the first one."""
        if not self.hides:
            return "Secrets are shown"
        return said(self.count) if self.count or first else ""


# -- what it is, and where ------------------------------------------------------------------------------------------


def _label(session: Session, document: Document, record: RunRecord, step: Step, index: int) -> tuple[str, str]:
    """(what kind of step it is, and what it is to the run; the theme role of these words)."""
    graph, stopped = record.graph, record.graph.stopped.get(index, "")
    label, role = _LABELS.get(step.shown_kind, step.shown_kind.capitalize()), ""
    if index in document.notable_steps.failures:
        label, role = "Failure", "bad"
    elif stopped:
        label = stopped.capitalize()
    elif step.kind is StepKind.TOOL and not step.v3_kind and is_edit(graph, index):
        label = "Edit"
    words = [label]
    if document.members is None:
        checks = last_checks(findings_of(session, document), graph)
        if checks.step == step.id:
            words.append(checks.words)
            role = role or checks.role
    if step.id == record.main_tip and document.members is None:
        end = landmarks(record)[-1]
        words.append(end.word)
        role = role or end.role
    overlay = document.shown_overlay
    if overlay is not None and overlay.comparison is not None:
        runs = [overlay.family.records[run] for run in overlay.pair]
        words += [f"end of {letter}" for letter, run in zip("AB", runs, strict=True) if run.main_tip == step.id]
    return " · ".join(words), role if role not in ("", "text", "quiet") else ""


def _place(record: RunRecord, index: int) -> str:
    """Where in the run a step is: its task among those of the main line, and its number."""
    graph, tip = record.graph, record.main_tip
    number = f"step {index + 1:,} of {len(graph):,}"
    if tip is None or "human" not in graph.v3_kinds.values():
        return number
    way = graph.closure([graph.index(tip)], causal=False)
    asked = [step for step in way if graph.v3_kinds.get(step) == "human"]
    before = sum(step <= index for step in asked)
    if len(asked) < 2 or not before or index not in way:
        return number
    return f"task {before:,} of {len(asked):,} · {number}"


def _title(step: Step) -> str:
    """The title of a step; a request that fits is its own."""
    if step.shown_kind == "human":
        text = first_text(step.inputs)
        whole = clean(text, LONGEST_REQUEST + 1) if len(text) <= 2 * LONGEST_REQUEST else ""
        if 0 < len(whole) <= LONGEST_REQUEST:
            return whole
    return title(step)


# -- what it did ----------------------------------------------------------------------------------------------------


def _parts(record: RunRecord, step: Step, said: str) -> Iterator[Lines]:
    """What a step did, in the order in which it is told: the command, why it failed, what it changed, what came out."""
    sections = [part for part in step_sections(record, step) if not part.step and part.role not in _UNTOLD]
    tool = step.kind is StepKind.TOOL and not step.v3_kind
    command = call_of(step.inputs, step.tool_info).command if tool else ""
    changed = any(part.role in ("change", "tried") for part in sections)
    called = [part for part in sections if part.role == "call"]
    if command:
        called = [Section("Command", command, "call", hint="bash")]
    elif changed or not tool:  # an edit is its difference, and what else was sent with words is no part of a talk
        called = []
    rest = [part for part in sections if part.role not in ("call", "turn", "thinking")]
    turns = [part for part in sections if part.role == "turn"] if step.shown_kind in ("human", "subagent") else []
    thoughts = [part for part in sections if part.role == "thinking"]
    told = [*turns, *called, *(rest or thoughts)] or [part for part in sections if part.role == "call"]
    bare = len(told) == 1 and told[0].role in ("turn", "answer", "thinking")
    for part in told:
        if bare and isinstance(part.value, str) and " ".join(part.value.split()) == said:
            return  # the title says all of it
        if not bare:
            yield _heading(part.name, "bad" if part.role == "error" else "quiet")
        yield from _value(part)
        yield ListedLines([_BLANK])


def _answer_to(record: RunRecord, index: int, read: _Reader) -> Iterator[Lines]:
    """What the agent said last before it was asked again; nothing if it said nothing there."""
    graph, tip = record.graph, record.main_tip
    if tip is None:
        return
    way = graph.closure([graph.index(tip)], causal=False)
    begin = bisect_left(way, index)
    if begin >= len(way) or way[begin] != index:
        return
    end = next((place for place in range(begin + 1, len(way)) if graph.v3_kinds.get(way[place]) == "human"), len(way))
    for place in reversed(way[max(begin + 1, end - MOST_BACK) : end]):
        if graph.kinds[place] is StepKind.TOOL:
            continue
        try:
            sections = step_sections(record, read.step(graph, place))
        except TineError:
            continue
        answer = next((part for part in sections if part.role == "answer" and has_text(part.value)), None)
        if answer is not None:
            yield _heading(f"Answered after {counted(end - begin - 1, 'step')}")
            yield from _value(answer)
            return


def _heading(words: str, role: str = "quiet") -> Lines:
    return ListedLines([StyledLine((Span(words, role, "title"),))])


def _value(part: Section) -> Iterator[Lines]:
    value: Any = part.value
    left = 0
    if isinstance(value, str):
        value, left = value[:LONGEST].strip("\n"), len(value) - LONGEST
    elif isinstance(value, Mapping):
        value = {key: _cut(member) for key, member in value.items()}
    yield show_value(value, Folds(), Wish(hint=part.hint)).lines
    if left > 0:
        words = f"… {counted(left, 'character')} more; the whole of it can be read after the presentation"
        yield ListedLines([StyledLine((Span(words, "quiet", "text"),), ours=True)])


def _cut(member: Any) -> Any:
    if isinstance(member, str) and len(member) > LONGEST:
        return f"{member[:LONGEST]} … {counted(len(member) - LONGEST, 'character')} more"
    return member


def _divergence(document: Document, identity: str, read: _Reader) -> Iterator[Lines]:
    """What differs between the two steps at a root divergence, on the slide of B's."""
    overlay = document.shown_overlay
    if overlay is None or overlay.comparison is None:
        return
    root = next((one for one in overlay.comparison.root_divergences if one.b == identity), None)
    if root is None or root.a is None or root.b is None:
        return
    a, b = overlay.comparison.a.graph, overlay.comparison.b.graph
    found = difference_lines(read.step(a, a.index(root.a)), read.step(b, b.index(root.b)), FIRST_PATHS)
    if found:
        yield _heading("Unlike A")
        yield ListedLines([_difference(line) for line in found[:MOST_LINES]])
        yield ListedLines([_BLANK])


def _difference(line: DiffLine) -> StyledLine:
    role, sign = {"removed": ("removed", "- "), "added": ("added", "+ ")}.get(line.kind, ("quiet", ""))
    ground = line.kind if sign else ""
    return StyledLine((Span(f"{sign}{line.text}", role, ground=ground),), hang=14.0, ground=ground)
