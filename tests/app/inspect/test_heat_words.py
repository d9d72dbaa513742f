"""The legend of a heat says what its colours mean, in the unit of the figure."""

from __future__ import annotations

from itertools import pairwise

from opentine_gui.app.inspect.analysis.heat_rows import (
    heat_rows,
    level_words,
    missing_words,
    scale_meaning,
    tool_words,
)
from opentine_gui.core.analysis.call_table import call_table
from opentine_gui.core.analysis.heat import LEVELS, Figure, Heat, heat
from tests.core.analysis.call_runs import Recording
from tests.core.analysis.test_heat import waiting_run


def test_each_colour_says_from_where_to_where_it_goes() -> None:
    found = Heat(Figure.TIME, bytes(3), 1.0, 100.0)
    said = [level_words(found, level) for level in range(1, LEVELS + 1)]
    assert said[0] == "up to 4.0 s"
    assert said[-1].startswith("from 64 s") or said[-1].startswith("from 1 min 04 s")
    assert len(set(said)) == LEVELS
    assert all(before.rpartition("to ")[2] in after for before, after in pairwise(said))


def test_the_scale_says_what_low_and_high_are_and_what_a_group_shows() -> None:
    for figure in (Figure.COST, Figure.TIME, Figure.TOKENS, Figure.AGE):
        said = scale_meaning(Heat(figure, bytes(2), 1.0, 2.0))
        assert "a step" in said and "group" in said


def test_what_waited_stands_apart_and_is_called_that() -> None:
    graph = waiting_run().record().graph
    found = heat(graph, Figure.TIME, call_table(graph), ())
    assert [row.figure for row in heat_rows(found, graph)] == [
        "40 s", "10 s", "2.0 s", "waited 1 h 00 min", "waited 11 min 40 s", "waited 1 min 30 s"
    ]  # fmt: skip
    assert {row.role for row in heat_rows(found, graph)[3:]} == {"hairline"}
    assert scale_meaning(found).endswith("; waits have no colour")
    assert "waited 11 min 40 s" in tool_words(graph, call_table(graph), "Edit").calls


def test_a_run_that_only_waited_says_so() -> None:
    run = Recording()
    run.call("AskUserQuestion", {"question": "Which?"}, "The first", duration=3_600.0)
    graph = run.record().graph
    found = heat(graph, Figure.TIME, call_table(graph), ())
    assert missing_words(found) == "No step has a recorded duration but those that waited for a person."
    assert tool_words(graph, call_table(graph), "AskUserQuestion").times == "waited 1 h 00 min"
