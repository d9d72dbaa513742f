"""Heat colours of steps by a figure or a name, the rows of the legend, and the top ten."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.call_rows import calls_of
from opentine_gui.app.inspect.analysis.results import analysis, was_given_up
from opentine_gui.app.session import Session
from opentine_gui.core import Graph
from opentine_gui.core.analysis.call_table import CallTable, call_table
from opentine_gui.core.analysis.heat import LEVELS, MOST_NAMES, Figure, Heat, heat, tool_figures, value_of
from opentine_gui.describe.numbers import counted, format_cost, format_duration, format_time, format_tokens
from opentine_gui.describe.step_titles import model_in, title
from opentine_gui.scene.text.clean import clean

RAMP = ("hairline", *(f"heat_{level}" for level in range(1, LEVELS + 1)))
NAMED = ("hairline", "run_2", "run_3", "run_7", "run_5", "run_6", "run_4", "run_8", "shared")
"""Theme roles by the codes of `Heat.levels`: 0 is not recorded, or a wait; the last name stands for all others.

The most frequent names have the colours farthest from that of failures; `run_1`, which comes near it, is none of them.
"""
TITLES = {
    Figure.COST: "Cost",
    Figure.TIME: "Time",
    Figure.TOKENS: "Tokens",
    Figure.AGE: "Age",
    Figure.MODEL: "Model",
    Figure.TOOL: "Tool",
}


class HeatRow(NamedTuple):
    """A row of the list: a colour role, words, a figure, and the step or the name it leads to."""

    role: str
    words: str
    figure: str
    step: str = ""
    name: str = ""


def heat_of(session: Session, document: Document) -> Heat | None:
    """The heat colours in use; None while they are being computed, or if there are none."""
    wanted = session.view.heat
    if not wanted:
        return None
    calls = calls_of(session, document)
    if calls is None:
        return None
    return analysis(
        session, document, f"heat-{wanted}", lambda record, _pace, _latest: _heat(record.graph, wanted, calls)
    )


def heat_is_given_up(session: Session, document: Document) -> bool:
    """Whether there will be no colours for the run as it is now: looking for them failed or was stopped."""
    return any(was_given_up(document, name) for name in ("calls", f"heat-{session.view.heat}"))


def _heat(graph: Graph, wanted: str, calls: CallTable) -> Heat:
    figure = Figure(wanted)
    names = [model_in(graph.model_of(step)) for step in range(len(graph))] if figure is Figure.MODEL else ()
    return heat(graph, figure, calls, names)


def roles_of(found: Heat) -> tuple[str, ...]:
    """The theme roles for the codes of a heat."""
    return NAMED if found.names else RAMP


def codes_of(found: Heat) -> NDArray[np.uint8]:
    """The colour code of every step."""
    return np.frombuffer(found.levels, dtype=np.uint8)


MISSING = {
    Figure.COST: "No step has a recorded cost.",
    Figure.TIME: "No step has a recorded duration.",
    Figure.TOKENS: "No step has recorded tokens.",
    Figure.AGE: "No step has a recorded time.",
    Figure.MODEL: "No step names its model.",
    Figure.TOOL: "No step calls a tool by name.",
}
"""What is said of a figure that no step has."""


ONLY_WAITS = "No step has a recorded duration but those that waited for a person."


def missing_words(found: Heat) -> str:
    """Why no step has a colour; "" if any has."""
    if found.names or found.top:
        return ""
    return ONLY_WAITS if found.waits else MISSING[found.figure]


def scale_words(found: Heat) -> tuple[str, str]:
    """The lower and the upper end of the scale."""
    return _figure(found.figure, found.low), _figure(found.figure, found.high)


_MEANING = {
    Figure.COST: "a step: cheapest to dearest",
    Figure.TIME: "a step: shortest to longest",
    Figure.TOKENS: "a step: fewest to most",
    Figure.AGE: "a step: first to last",
}


def scale_meaning(found: Heat) -> str:
    """What the two ends of the scale are, and what colour a group has."""
    said = f"{_MEANING[found.figure]}; group: its {'last' if found.figure is Figure.AGE else 'most'}"
    return f"{said}; waits have no colour" if found.waits else said


def level_words(found: Heat, level: int) -> str:
    """What a colour of the scale stands for, of which 1 is the lowest level."""
    if found.figure is Figure.AGE:
        return f"A fifth of the steps, in the order of time: the {('1st', '2nd', '3rd', '4th', '5th')[level - 1]}."
    low, high = (_figure(found.figure, found.high * (edge / LEVELS) ** 2) for edge in (level - 1, level))
    return f"up to {high}" if level == 1 else f"from {low} to {high}"


def _figure(figure: Figure, value: float) -> str:
    if figure is Figure.COST:
        return format_cost(value)
    if figure is Figure.TIME:
        return format_duration(value)
    return format_tokens(value) if figure is Figure.TOKENS else format_time(value)


def heat_rows(found: Heat, graph: Graph) -> list[HeatRow]:
    """The names with their colours, or the ten steps with the highest figure; by time those that waited after them."""
    if found.names:
        return [
            HeatRow(NAMED[min(place, MOST_NAMES) + 1], clean(name, 80), f"{count:,}", name=name)
            for place, (name, count) in enumerate(zip(found.names, found.counts, strict=True))
        ]
    values = value_of(graph, found.figure)
    figures = [(step, _figure(found.figure, values[step])) for step in found.top]
    figures += [(step, f"waited {_figure(found.figure, values[step])}") for step in found.waits]
    return [
        HeatRow(RAMP[found.levels[step]], title(graph.step(step)), figure, graph.ids[step]) for step, figure in figures
    ]


class ToolWords(NamedTuple):
    """Statistics of one tool's calls: two lines, and a histogram of durations from `shortest` to `longest`."""

    calls: str
    times: str
    bins: tuple[int, ...]
    shortest: str
    longest: str


def tool_words(graph: Graph, calls: CallTable, tool: str) -> ToolWords:
    """The statistics of a tool."""
    found = tool_figures(graph, calls, tool)
    said = counted(len(found.steps), "call")
    said += f" · {found.failed:,} failed" if found.failed else ""
    waited = f"waited {format_duration(found.waited)}" if found.waited else ""
    if not found.seconds:
        return ToolWords(said, waited or "times not recorded", (), "", "")
    said += f" · {format_duration(sum(found.seconds))}" + (f" · {waited}" if waited else "")
    times = f"median {format_duration(found.share(0.5))} · 95 % within {format_duration(found.share(0.95))}"
    return ToolWords(said, times, found.bins, format_duration(found.seconds[0]), format_duration(found.seconds[-1]))


def named_steps(session: Session, document: Document, found: Heat, name: str) -> bytearray | None:
    """A 1 for each step of a tool or a model; None while it is being computed, or for a name no step has."""
    if name not in found.names:
        return None
    return analysis(
        session, document, f"heat-{found.figure.value}-{name}",
        lambda record, _pace, _latest: _lit(record.graph, found.figure, name),
    )  # fmt: skip


def _lit(graph: Graph, figure: Figure, name: str) -> bytearray:
    if figure is Figure.TOOL:
        calls = call_table(graph)
        return bytearray(tool >= 0 and calls.tools[tool] == name for tool in calls.tool_of)
    return bytearray(model_in(graph.model_of(step)) == name for step in range(len(graph)))
