"""What a tab of a step shows, as sections to read: its own parts, the record, or the conversation that leads to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from opentine_gui.app.inspect.reading import reader
from opentine_gui.app.inspect.step.section import Section, in_tab
from opentine_gui.app.inspect.transcript_turns import turns_to
from opentine_gui.core import RunRecord, Step

_COLOURS = {
    "error": "bad",
    "turn": "human",
    "thinking": "think",
    "answer": "model",
    "result": "tool",
    "change": "text",
    "tried": "text",
    "call": "quiet",
    "settings": "quiet",
}
_SPEAKERS = {"user": "human", "human": "human", "assistant": "model", "model": "model", "tool": "tool", "error": "bad"}
_LONG_TURN = 3_000
"""Characters of a turn from which it is folded, unless the step itself said it."""


class Page(NamedTuple):
    """Sections to read; `begin` is the one to bring to the top; `parts` are the parts of the step that they show.

    `lead` is what the step said, where what it was told stands above that: a low view begins there; 0 if nothing does.
    """

    sections: tuple[reader.Section, ...]
    begin: int = 0
    parts: tuple[Section, ...] = ()
    lead: int = 0


def page_of(
    sections: Sequence[Section],
    tab: str,
    *,
    whole: bool,
    conversation: Page | None,
    source: Sequence[reader.Section] | None,
    stored: Any,
    why: str = "",
) -> Page:
    """What a tab shows; with `whole` the first one shows the call below the result as well.

    `why` is the line for which the step is said to have failed: it is lit in what the step gave.

    `conversation`, `source` (the records of a step of an imported run) and `stored` (`stored_step`) are for the tabs
    that show them; None while they are being read.
    """
    if tab == "Conversation":
        return conversation or Page((reader.Section("Reading the conversation…"),))
    if tab == "Record":
        if source is None:
            return Page((reader.Section("Reading the source…"),))
        if stored is None:
            return Page((reader.Section("Reading the record…"),))
        whole_record = reader.Section(stored)
        if not source:
            return Page((whole_record,))
        made = whole_record._replace(heading="The step made of it", role="quiet", opened=True)
        return Page((*source, made))
    parts = in_tab(sections, tab)
    if whole and tab == "Result":
        parts += in_tab(sections, "Call")
    if len(parts) == 1 and parts[0].name in (tab, "Words", "Text"):  # the tab or the title already says it
        return Page((reader.Section(parts[0].value, hint=parts[0].hint, lit=_lit(parts[0], why)),), 0, parts)
    shown = tuple([_section(part)._replace(lit=_lit(part, why)) for part in parts])
    return Page(shown, 0, parts, _lead(parts) if tab == "Result" else 0)


def _lit(part: Section, why: str) -> str:
    return why if part.role == "result" else ""


def _lead(parts: Sequence[Section]) -> int:
    """The first of what a step said, below what it was told; 0 if there is no such part."""
    roles = [part.role for part in parts]
    said = next((number for number, role in enumerate(roles) if role in ("answer", "result", "change")), 0)
    return said if "turn" in roles[:said] else 0


def failure_sections(sections: Iterable[Section], headline: str) -> tuple[reader.Section, ...]:
    """The parts of an error that its headline does not already say."""
    errors = [section for section in sections if section.role == "error"]
    left = [section for section in errors if not _says(headline, section.value)]
    return tuple(reader.Section(section.value) for section in left)


def _says(headline: str, value: object) -> bool:
    """Whether a headline says all of a value, ignoring differences in white space."""
    if not isinstance(value, str) or len(value) > 2 * len(headline) + 100:
        return False
    return " ".join(value.split()) in " ".join(headline.split())


def _section(section: Section) -> reader.Section:
    note, link = ("go there", ("step", section.step)) if section.step else ("", None)
    role = _COLOURS[section.role]
    return reader.Section(section.value, section.name, section.hint, note, role, section.opened, link)


def conversation_page(record: RunRecord, step: Step, transcript: Sequence[Any]) -> Page:
    """What was said on the way to a step; takes the time of its texts."""
    turns, earlier, source = turns_to(record, step.id, transcript)
    first = source + (f". {earlier:,} earlier turns are not shown here." if earlier else "")
    found = [reader.Section("", first, role="faint")]
    begin = 0
    for number, turn in enumerate(turns, 1):
        here = turn.step == step.id
        if here and not begin:
            begin = number
        elsewhere = turn.step is not None and not here and turn.step in record.graph
        note = "this step" if here else "go there" if elsewhere else ""
        role = _SPEAKERS.get(turn.who.split(" ")[0], turn.who if turn.who.isalpha() else "quiet")
        opened = here or len(turn.text) <= _LONG_TURN
        link = ("step", turn.step) if elsewhere else None
        found.append(reader.Section(turn.text, turn.who, "", note, role, opened, link))
    return Page(tuple(found), begin or len(found) - 1)  # the last turn leads to a step that says nothing
