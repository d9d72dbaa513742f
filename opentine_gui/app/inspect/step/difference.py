"""How two steps differ, section by section, and which steps a step is worth comparing with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from opentine_gui.app.inspect.step.section import Section
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.app.inspect.step.values import value_text
from opentine_gui.core import Graph, RunRecord, Step
from opentine_gui.core.comparison.step_difference import same_value
from opentine_gui.core.graph.step_record import decode_step
from opentine_gui.describe.difference_lines import DiffLine, texts_apart
from opentine_gui.describe.step_titles import model_name, tool_name

LONGEST_TEXT = 1_000_000
"""Characters of a section's text that are compared; the rest is left out, with a word."""
MOST_LOOKED_AT = 200
"""Steps of other branches that are looked at for a twin."""


class SectionDifference(NamedTuple):
    """A section of two steps: `lines` are empty if both are alike; `before` and `after` say which step has it."""

    name: str
    lines: tuple[DiffLine, ...]
    before: bool = True
    after: bool = True


def step_differences(record: RunRecord, before: Step, after: Step, context: int = 3) -> list[SectionDifference]:
    """The sections of two steps, `before` first if only one has them, with `context` equal lines around changes."""
    old, new = _named(_compared(record, before)), _named(_compared(record, after))
    names = list(dict.fromkeys((*new, *old)))
    return [_difference(name[0], old.get(name), new.get(name), context) for name in names]


def side_by_side(lines: Sequence[DiffLine]) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    """The lines of a difference as (left, right) pairs."""
    gone: list[DiffLine] = []
    come: list[DiffLine] = []
    for line in (*lines, None):
        if line is not None and line.kind == "removed":
            if come:  # a removed line after added ones begins a new change
                yield from _paired(gone, come)
                gone, come = [], []
            gone.append(line)
        elif line is not None and line.kind == "added":
            come.append(line)
        else:
            yield from _paired(gone, come)
            gone, come = [], []
            if line is not None:
                yield line, line


def _paired(gone: Sequence[DiffLine], come: Sequence[DiffLine]) -> Iterator[tuple[DiffLine | None, DiffLine | None]]:
    for number in range(max(len(gone), len(come))):
        yield (gone[number] if number < len(gone) else None), (come[number] if number < len(come) else None)


def _compared(record: RunRecord, step: Step) -> Iterator[Section]:
    """What is compared of a step: its own sections, and what it is."""
    about = (("kind", step.shown_kind), ("model", model_name(step)), ("tool", tool_name(step.inputs, step.tool_info)))
    yield Section("Kind", "\n".join(f"{name}: {value}" for name, value in about if value), "settings")
    for section in step_sections(record, step):
        edited = section.role == "call" and not section.opened  # the change shows it
        if not section.step and not edited and section.name != "Tool":
            yield section


def _named(sections: Iterator[Section]) -> dict[tuple[str, int], Any]:
    """The values by section name; duplicate names are numbered."""
    found: dict[tuple[str, int], Any] = {}
    for section in sections:
        number = 0
        while (section.name, number) in found:
            number += 1
        found[(section.name, number)] = section.value
    return found


def _difference(name: str, old: Any, new: Any, context: int) -> SectionDifference:
    if old is not None and new is not None and same_value(old, new):
        return SectionDifference(name, ())
    texts = ["" if value is None else value_text(value) for value in (old, new)]
    lines = texts_apart(texts[0], texts[1], LONGEST_TEXT, context)
    return SectionDifference(name, tuple(lines), old is not None, new is not None)


# --- what to compare with --------------------------------------------------------------------------------------------


def has_branch_beside(graph: Graph, step_id: str) -> bool:
    """Whether a fork point is close above a step, so that another branch may have its twin; cheap."""
    above = _parent(graph, graph.index(step_id))
    for _ in range(MOST_LOOKED_AT):
        if above is None:
            return False
        if len(graph.children_of(above)) > 1:
            return True
        above = _parent(graph, above)
    return False


def twin_of(graph: Graph, step_id: str) -> str | None:
    """The step of another branch that did the same work; None if there is none.

    From the nearest fork point above, the other branches are followed down as far: a step with the same kind and inputs
    is the twin, else the one at the same depth, of the same kind if there is one.
    """
    here = graph.index(step_id)
    asked = decode_step(graph.raws[here])
    depth, child, above = 0, here, _parent(graph, here)
    looked = 0
    while above is not None:
        others = [other for other in graph.children_of(above) if other != child]
        if others:
            alike: int | None = None
            for other in others:
                for position in _line_down(graph, other, 2 * depth + 8):
                    looked += 1
                    if looked > MOST_LOOKED_AT:
                        return None if alike is None else graph.ids[alike]
                    if position != here and _of_kind(graph, position, here) and _asks_the_same(graph, position, asked):
                        return graph.ids[position]
                at_depth = next(_line_down(graph, other, depth + 1, skip=depth), None)
                if at_depth is not None and (
                    alike is None or _of_kind(graph, at_depth, here) > _of_kind(graph, alike, here)
                ):
                    alike = at_depth
            if alike is not None:
                return graph.ids[alike]
        depth, child, above = depth + 1, above, _parent(graph, above)
        if depth > MOST_LOOKED_AT:
            return None
    return None


def _parent(graph: Graph, position: int) -> int | None:
    parents = graph.parents[position]
    return parents[0] if parents else None


def _line_down(graph: Graph, position: int, most: int, skip: int = 0) -> Iterator[int]:
    """A step and its first children in turn: at most `most` steps, without the first `skip`."""
    here: int | None = position
    for number in range(most):
        if here is None:
            return
        if number >= skip:
            yield here
        children = graph.children_of(here)
        here = children[0] if len(children) else None


def _of_kind(graph: Graph, one: int, other: int) -> bool:
    return graph.kinds[one] == graph.kinds[other]


def _asks_the_same(graph: Graph, position: int, step: Step) -> bool:
    other = decode_step(graph.raws[position])
    return other.shown_kind == step.shown_kind and same_value(other.inputs, step.inputs)
