"""The structure of a run that grew: every part is as if it had been read anew, at the cost of what was added."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.generate import agent_run
from bench.session_runs import messy_run, session_run
from opentine_gui.core import Graph, merge
from opentine_gui.core.structure import borders
from opentine_gui.core.structure.facts import Facts
from opentine_gui.core.structure.structure import Structure
from tests.core.structure.shapes import Table, graph_of, tables

PARTS = ("level", "strength", "rounds", "repeats", "turns", "depths")


def parts(structure: Structure) -> dict[str, Any]:
    """Everything a structure says, by name."""
    facts, lanes, ranks, sums = structure.facts, structure.lanes, structure.borders, structure.sums
    count = len(structure)
    for lane in lanes.lanes:
        ranks.rank(lane)
    found: dict[str, Any] = {name: getattr(ranks, name) for name in PARTS}
    found |= {name: getattr(facts, name) for name in ("sorts", "roles", "abouts", "calls", "speaks", "ties", "failed")}
    found |= {name: getattr(sums, name) for name in ("weight", "humans", "subagents")}
    found |= {name: getattr(lanes, name) for name in ("order", "place", "lane", "index", "pieces_end", "pieces")}
    found |= {name: list(getattr(structure, name)) for name in ("order", "link_sources", "link_targets", "agents")}
    found["late"] = structure.late
    found["tree"] = (lanes.tree.above, lanes.tree.depth)
    found["lanes"] = [
        (one.number, one.owner, one.piece, one.elements, one.plain, one.merged, one.start, one.end)
        for one in lanes.lanes
    ]
    found["failing"] = sums.failed
    found["further"] = (lanes._next[:count], lanes._branches, lanes._only, lanes._on_main)
    return found


def assert_equal(grown: Structure, anew: Structure) -> None:
    one, other = parts(grown), parts(anew)
    for name in one:
        assert one[name] == other[name], name


def beginning(graph: Graph, count: int) -> Graph:
    return graph.subset(range(count))


@settings(max_examples=400)
@given(tables(largest=60), st.data())
def test_a_run_that_grew_has_the_same_structure_as_one_read_as_a_whole(table: Table, data: st.DataObject) -> None:
    kinds = "".join(data.draw(st.lists(st.sampled_from("hmmRRETqsc"), min_size=len(table), max_size=len(table))))
    whole = graph_of(table, kinds, failed=data.draw(st.sets(st.integers(0, len(table) - 1), max_size=5)))
    known: Structure | None = None
    for count in sorted(data.draw(st.sets(st.integers(1, len(table)), min_size=1, max_size=6)) | {len(table)}):
        graph = beginning(whole, count)
        main = data.draw(st.none() | st.integers(0, count - 1))
        known = Structure(graph, main, known=known)
        assert_equal(known, Structure(graph, main))


@settings(max_examples=150)
@given(tables(largest=50), tables(largest=20), st.data())
def test_steps_that_were_replaced_at_the_end_leave_nothing_behind(
    table: Table, other: Table, data: st.DataObject
) -> None:
    kept = data.draw(st.integers(1, len(table)))
    again = [tuple(parent for parent in parents if parent < kept) or (kept - 1,) for parents in other]
    first = graph_of(table, "h" + "mRE" * 30)
    second = graph_of([*table[:kept], *again], ("h" + "mRE" * 30)[:kept] + "Tmh" * 20)
    assert_equal(Structure(second, known=Structure(first)), Structure(second))


@settings(max_examples=200)
@given(tables(largest=60), st.text("hmmRRETqsc", min_size=60, max_size=60), st.data())
def test_a_fork_has_the_same_structure_as_one_read_anew_though_its_records_are_not_read_again(
    table: Table, kinds: str, data: st.DataObject
) -> None:
    whole = graph_of(table, kinds, failed=range(0, len(table), 7))
    point = data.draw(st.integers(0, len(table) - 1))
    forked = whole.subset(whole.closure([point]))
    source, anew = Structure(whole), Structure(forked)
    with patch.object(Facts, "_read", side_effect=AssertionError("read again")):
        assert_equal(Structure(forked, known=source), anew)
    added = forked.with_steps([graph_of([()], "E").step(0)])
    assert_equal(Structure(added, known=source), Structure(added))


@settings(max_examples=100)
@given(tables(largest=60), st.text("hmmRRETqsc", min_size=60, max_size=60))
def test_a_short_lane_is_ranked_when_it_is_asked_about_as_it_would_be_at_once(table: Table, kinds: str) -> None:
    graph = graph_of(table, kinds, failed=range(0, len(table), 7))
    later = Structure(graph)
    assert set(later.borders.rounds) <= {0}
    with patch.object(borders, "SHORT", 0):
        at_once = Structure(graph)
    long = {lane.number for lane in at_once.lanes.lanes if len(lane.elements) > 1}
    assert set(at_once.borders.rounds) == long
    assert_equal(later, at_once)


class RankedMeanwhile(dict[int, Any]):
    """A table of lanes to which another thread adds one whenever a place of it was looked at."""

    def items(self) -> Any:
        for item in super().items():
            yield item
            self[len(self) + 1_000_000] = []


def test_lanes_that_are_ranked_for_the_picture_while_the_run_grows_do_not_end_the_job() -> None:
    whole = messy_run(400, 3).graph
    known = Structure(beginning(whole, 390))
    for lane in known.lanes.lanes:
        known.borders.rank(lane)
    known.borders.rounds = RankedMeanwhile(known.borders.rounds)
    known.borders.repeats = RankedMeanwhile(known.borders.repeats)
    assert known.borders.rounds and known.borders.repeats
    assert_equal(Structure(whole, known=known), Structure(whole))


@settings(max_examples=300)
@given(tables(largest=40), st.data())
def test_a_merge_of_any_two_steps_and_its_undo_have_the_structure_that_is_read_anew(
    table: Table, data: st.DataObject
) -> None:
    steps = st.integers(0, len(table) - 1)
    merges = data.draw(st.lists(st.tuples(steps, steps).filter(lambda pair: pair[0] != pair[1]), max_size=3))
    main = data.draw(st.none() | steps)
    before = graph_of(table, "h" + "mRE" * 20)
    after = graph_of([*table, *merges], "h" + "mRE" * 20)
    first = Structure(before, main)
    merged = Structure(after, main, known=first)
    assert_equal(merged, Structure(after, main))
    assert_equal(Structure(before, main, known=merged), first)


@pytest.mark.parametrize("made", [session_run, messy_run])
def test_a_long_session_grows_a_few_steps_at_a_time(made: Any) -> None:
    whole = made(1_500, 3).graph
    known = Structure(beginning(whole, 1_300))
    for count in (1_301, 1_302, 1_309, 1_320, 1_333, 1_400, len(whole)):
        graph = beginning(whole, count)
        known = Structure(graph, known=known)
        assert_equal(known, Structure(graph))


def calls(work: Callable[[], object]) -> int:
    """Function calls that something takes."""
    profile = cProfile.Profile()
    profile.enable()
    work()
    profile.disable()
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


def calls_of_a_growth(steps: int) -> int:
    """Function calls for eight steps that are appended to a session of so many."""
    whole = session_run(steps + 200, 5).graph
    known = Structure(beginning(whole, steps))
    graph = beginning(whole, steps + 8)
    return calls(lambda: Structure(graph, known=known))


def test_a_merge_beside_the_main_line_costs_a_small_part_of_reading_the_run_anew() -> None:
    record = agent_run(5_000)
    graph, main = record.graph, len(record.graph) - 1
    known = Structure(graph, main)
    place = next(step for step in range(10, main) if graph.parents[step] == graph.parents[step + 1])
    pair = [(0, graph.ids[place]), (0, graph.ids[place + 1])]
    merged = merge([record], pair, inputs={}, now=1.0, nonce="").graph
    anew, followed = calls(lambda: Structure(merged, main)), calls(lambda: Structure(merged, main, known=known))
    assert 20 * followed < anew, (followed, anew)


def test_the_work_of_an_append_does_not_grow_with_the_run() -> None:
    small, large = calls_of_a_growth(1_000), calls_of_a_growth(10_000)
    assert large < 2.5 * small, (small, large)
