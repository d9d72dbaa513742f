"""Recorded values by their place in a step's record: as text for the clipboard, as a path, as JSON, as Markdown."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from typing import Any

import msgspec

from opentine_gui.app.inspect.step.section import Path, Section, in_tab, tabs_of
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.core import RunRecord
from opentine_gui.core.comparison.step_difference import path_label
from opentine_gui.describe.content.tree_lines import part_at
from opentine_gui.describe.markdown import fenced


def stored_step(record: RunRecord, step_id: str) -> Any:
    """A step's record as the file has it, with every key; the decoded step if it cannot be read as JSON."""
    try:
        return msgspec.json.decode(record.graph.raw(step_id))
    except (msgspec.MsgspecError, RecursionError):
        return msgspec.to_builtins(record.graph.step(step_id))


def first_place(record: RunRecord, step_id: str, tab: str) -> ValuePlace:
    """The place of the first section that a tab shows of a step, or of the whole step if the tab shows that."""
    sections = step_sections(record, record.graph.step(step_id))
    tabs = tabs_of(sections)
    shown = in_tab(sections, tab if tab in tabs else tabs[0])
    if not shown or tab not in ("Result", "Call"):
        return ValuePlace(step_id)
    return place_of(step_id, shown[0])


def place_of(step_id: str, section: Section, rest: Sequence[Hashable] = (), selected: str = "") -> ValuePlace:
    """The place of a section of a step, or of a value in it; `selected` is the text that is selected there."""
    value = part_at(section.value, rest)
    whole = not rest and not isinstance(value, str)  # only a part of an object may be shown
    inner = tuple(key for key in rest if isinstance(key, str | int))
    path = (*section.path, *inner) if section.path else ()
    return ValuePlace(section.step or step_id, path, () if whole and path else (value,), selected)


def value_at(record: RunRecord, place: ValuePlace) -> Any:
    """The value at a place; LookupError if the record has nothing there."""
    if place.shown:
        return place.shown[0]
    for whole in (stored_step(record, place.step), msgspec.to_builtins(record.graph.step(place.step))):
        try:
            return _member(whole, place.path)
        except (KeyError, IndexError, TypeError):  # older formats have other names: try the current ones next
            continue
    raise LookupError(f"The step has nothing at {path_label(place.path)}.")


def _member(value: Any, path: Path) -> Any:
    for part in path:
        value = value[part]
    return value


def value_text(value: Any) -> str:
    """A text as it is, with real line ends and quotation marks; any other value as JSON."""
    return value if isinstance(value, str) else value_json(value)


def value_json(value: Any) -> str:
    """A value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def value_markdown(value: Any) -> str:
    """A value as a fenced code block that nothing in it can close."""
    language = "" if isinstance(value, str) else "json"
    return "\n".join(fenced(value_text(value).split("\n"), language)) + "\n"
