"""How long a run took by the clock, and without the pauses in it."""

from __future__ import annotations

import pytest

from opentine_gui.app.inspect.analysis.clock import clock_of
from opentine_gui.app.inspect.figures import totals_figures
from opentine_gui.core import totals_of
from opentine_gui.core.analysis.run_clock import UNKNOWN, clock
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.structure import Structure
from opentine_gui.core.structure.work_times import work_times
from opentine_gui.describe.groups.group_face import pause_flag
from opentine_gui.describe.numbers import clock_words
from opentine_gui.ui.panels.time_strip.strip_run import made_of
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import START, Recording


def run_at(*ends: float, duration: float = 10.0) -> Recording:
    """Steps that end so many seconds after the start."""
    run = Recording()
    for end in ends:
        run.say(f"at {end}", timestamp=START + end if end >= 0 else 0.0, duration=duration)
    return run


def test_pauses_of_five_minutes_are_left_out_and_shorter_ones_are_not() -> None:
    found = clock(run_at(10, 30, 1030, 1300).record().graph)
    assert found.whole == pytest.approx(1300)
    assert found.working == pytest.approx(1300 - 990)
    assert clock_words(found) == "21 min 40 s, 5 min 10 s without pauses"


def test_a_run_without_pauses_says_the_clock_alone() -> None:
    found = clock(run_at(10, 30).record().graph)
    assert (found.paused, clock_words(found)) == (0, "30 s")


def test_what_went_on_at_once_counts_once() -> None:
    run = Recording()
    first = run.ask("go", timestamp=START, duration=0.0)
    for end in (300.0, 310.0):
        run.call("Task", {"end": end}, after=[first], timestamp=START + end, duration=end)
    assert clock(run.record().graph).whole == pytest.approx(310)


def test_nothing_is_claimed_where_a_time_is_missing_and_beginnings_are_told_from_ends() -> None:
    assert clock(run_at(10, -1, 30).record().graph) == UNKNOWN
    assert clock(run_at(10).record().graph) == UNKNOWN
    run = run_at(1, duration=0.0)
    run.say("a span whose time is its beginning", timestamp=START + 2, duration=60.0)
    assert clock(run.record().graph).whole == pytest.approx(61)


def test_the_panel_says_which_time_it_means() -> None:
    graph = run_at(10, 30, 1030).record().graph
    sums = totals_of(graph, range(len(graph)))
    assert [(figure.label, figure.value) for figure in totals_figures(sums)][1] == ("Sum of steps", "30 s")
    figure = totals_figures(sums, clock=clock(graph))[1]
    assert (figure.label, figure.value) == ("Without pauses", "40 s")
    assert "17 min 10 s" in figure.full
    assert totals_figures(sums, clock=None)[1].value == "…", "while it is worked out"


@pytest.mark.parametrize("begins", [False, True])
def test_totals_strip_and_cards_count_the_same_pauses_and_a_command_that_runs_is_none(begins: bool) -> None:
    run = Recording()
    for begin, end, name in ((0, 0, "Go"), (2, 8, "I build it"), (8, 1_000, "make"), (1_000, 1_010, "It is built")):
        fields = {"timestamp": START + (begin if begins else end), "duration": float(end - begin)}
        if name == "Go":
            run.ask(name, **fields)
        elif name == "make":
            run.call("Bash", {"command": name}, **fields)
        else:
            run.say(name, **fields)
    run.ask("Thank you. Now the tests", timestamp=START + 1_370, duration=0.0)
    graph = run.record().graph
    work = work_times(graph)
    assert [pause.seconds for pause in work.pauses] == [360.0]
    assert clock(graph).paused == 360.0
    line = made_of(run.record()).line
    assert line is not None
    assert [seconds for _, seconds in line.pauses] == [360.0]
    structure = Structure(graph)
    cards = Cards(structure.lanes, list(range(1, len(graph)))).cards
    flags = [pause_flag(structure, card) for card in cards]
    assert [flag.text if flag else "" for flag in flags] == ["", "", "", "pause 6 min", ""]


def test_a_fork_of_a_log_shows_the_sum_of_its_steps_and_not_how_long_ago_its_source_was(bench: Bench) -> None:
    record = run_at(10, 30, 1030, 90_000_000).record(metadata={"capture": {"method": "transcript-import"}})
    document = bench.open("log.tine", record)
    assert clock_of(bench.session, document) is None, "it is worked out"
    bench.step()
    found = clock_of(bench.session, document)
    assert found is not None
    assert found.whole > 0
    fork = record.edited(metadata={**record.metadata, "forked_from": record.run_id, "fork_point": record.graph.ids[2]})
    assert clock_of(bench.session, bench.open("fork.tine", fork)) == UNKNOWN
