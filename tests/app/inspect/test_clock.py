"""How long a run took by the clock, and without the pauses in it."""

from __future__ import annotations

import pytest

from opentine_gui.app.inspect.analysis.clock import clock
from opentine_gui.app.inspect.clock_words import UNKNOWN
from opentine_gui.app.inspect.facts import totals_figures
from opentine_gui.core import totals_of
from opentine_gui.core.graph.pauses import pauses_of, possible_lengths
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_face import pause_flag
from opentine_gui.scene.overviews.timeline import timeline
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
    assert found.words == "21 min 40 s, 5 min 10 s without pauses"


def test_a_run_without_pauses_says_the_clock_alone() -> None:
    found = clock(run_at(10, 30).record().graph)
    assert (found.paused, found.words) == (0, "30 s")


def test_what_went_on_at_once_counts_once() -> None:
    run = Recording()
    first = run.ask("go", timestamp=START, duration=0.0)
    for end in (300.0, 310.0):
        run.call("Task", {"end": end}, after=[first], timestamp=START + end, duration=end)
    assert clock(run.record().graph).whole == pytest.approx(310)


def test_nothing_is_claimed_where_a_time_is_missing_or_no_end_of_a_step() -> None:
    assert clock(run_at(10, -1, 30).record().graph) == UNKNOWN
    assert clock(run_at(10).record().graph) == UNKNOWN
    run = run_at(1, duration=0.0)
    run.say("a span whose time is its beginning", timestamp=START + 2, duration=60.0)
    assert clock(run.record().graph) == UNKNOWN


def test_the_panel_says_which_time_it_means() -> None:
    graph = run_at(10, 30, 1030).record().graph
    sums = totals_of(graph, range(len(graph)))
    assert [(figure.label, figure.value) for figure in totals_figures(sums)][1] == ("Duration", "30 s")
    figure = totals_figures(sums, clock=clock(graph))[1]
    assert (figure.label, figure.value) == ("Without pauses", "40 s")
    assert "17 min 10 s" in figure.full
    assert totals_figures(sums, clock=None)[1].value == "…", "while it is worked out"


def test_totals_strip_and_cards_count_the_same_pauses() -> None:
    run = Recording()
    asked = run.ask("Go", timestamp=START, duration=0.0)
    said = run.say("I build it", after=[asked], timestamp=START + 10, duration=5.0)
    built = run.call("Bash", {"command": "make"}, after=[said], timestamp=START + 1_000, duration=985.0)  # no waiting
    done = run.say("It is built", after=[built], timestamp=START + 1_010, duration=5.0)
    run.ask("Thank you. Now the tests", after=[done], timestamp=START + 1_370, duration=0.0)
    graph = run.record().graph
    assert [pause.seconds for pause in pauses_of(graph)] == [360.0]
    assert clock(graph).paused == 360.0
    line = timeline(graph.timestamps, possible_lengths(graph.timestamps, graph.durations, graph.parents))
    assert line is not None
    assert [seconds for _, seconds in line.pauses] == [360.0]
    structure = Structure(graph)
    cards = Cards(structure.lanes, list(range(1, len(graph)))).cards
    flags = [pause_flag(structure, card) for card in cards]
    assert [flag.text if flag else "" for flag in flags] == ["", "", "", "pause 6 min", ""]
