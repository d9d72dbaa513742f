"""What is parted where: ranks, repetitions, openings, the first view."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import Graph
from opentine_gui.core.structure.borders import Borders
from opentine_gui.core.structure.cards import Card, Cards
from opentine_gui.core.structure.first_view import first_views, fitting
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure
from tests.core.structure.shapes import Table, graph_of, tables


def chain(kinds: str, failed: Iterable[int] = ()) -> Structure:
    """A run in a straight line."""
    table = [(number - 1,) if number else () for number in range(len(kinds))]
    return Structure(graph_of(table, kinds, tuple(failed)))


def cards_of(structure: Structure, borders: Iterable[int]) -> list[Card]:
    return Cards(structure.lanes, frozenset(borders)).cards


def test_a_turn_of_a_person_is_the_strongest_border() -> None:
    structure = chain("hmRmRmE" + "hmRmTmC" * 2)
    turns = [step for step in range(len(structure)) if structure.borders.level[step] == 10]
    assert turns == [7, 14]


def test_a_failed_call_made_again_is_a_retry_and_three_times_the_same_a_loop() -> None:
    retried = chain("hqTqTqTqR", failed=(2, 4))
    (repeat,) = retried.borders.repeats[0]
    assert (repeat.sort, repeat.times) == ("retry", 3)
    looped = chain("h" + "qEqT" * 4)
    (repeat,) = looped.borders.repeats[0]
    assert (repeat.sort, repeat.times, repeat.period) == ("loop", 4, 2)


def test_reading_different_things_in_a_row_is_no_loop() -> None:
    structure = chain("hqRqRqR")
    assert structure.borders.repeats[0][0].sort == "loop"  # the same file each time
    table = [(number - 1,) if number else () for number in range(5)]
    assert not Structure(graph_of(table, "hqRqE")).borders.repeats


def test_the_first_view_is_as_full_as_its_budget_and_no_card_is_large() -> None:
    structure = chain("h" + "mRmEmT" * 400)
    view = fitting(first_views(structure), 66)
    assert 60 <= view.cards <= 66
    assert max(card.size for card in cards_of(structure, view.borders)) <= 0.08 * len(structure)


def test_a_short_run_is_not_split_into_single_rounds_that_nothing_distinguishes() -> None:
    wordless, told = chain("h" + "qR" * 40), chain("h" + "mR" * 40)
    few, many = (len(cards_of(run, first_views(run)[-1].borders)) for run in (wordless, told))
    assert few < 0.7 * many, "of rounds of reading those that begin with words have cards of their own"


def test_each_of_several_first_views_splits_one_card_of_the_one_before() -> None:
    structure = chain("h" + "mRmEmT" * 60)
    views = first_views(structure)
    for one, other in pairwise(views):
        assert one.borders < other.borders
        assert one.cards < other.cards


def a_sub_agent() -> Graph:
    """A call that hands work to a sub-agent of 12 steps, which comes back; before and after, plain rounds."""
    table: Table = [(), (0,)]
    kinds = "hm"
    for _ in range(12):
        table.append((len(table) - 1,))
        kinds += "s" if len(table) == 3 else "mR"[len(table) % 2]
    table.append((1, len(table) - 1))  # the call itself: the response and the last step of the sub-agent
    table += [(len(table) - 1,), (len(table),)]
    return graph_of(table, kinds + "DmR")


def test_a_lone_sub_agent_opens_to_its_lane_at_once() -> None:
    structure = Structure(a_sub_agent())
    lane = structure.lanes.lane_of(2)
    assert lane.piece
    assert len(lane.elements) == 12
    openings = Openings(structure)
    (card,) = [card for card in cards_of(structure, (1, 15)) if card.name == 1]
    opened = openings.by_count(card)
    assert 2 in opened
    assert any(step in opened for step in lane.elements[1:])


@settings(max_examples=60)
@given(tables(), st.data())
def test_opening_a_card_parts_only_that_card_into_few_and_closing_takes_it_back(
    table: Table, data: st.DataObject
) -> None:
    structure = Structure(graph_of(table))
    openings = Openings(structure)
    borders = Cards(structure.lanes, data.draw(st.sets(st.integers(0, len(table) - 1), max_size=5))).borders
    before = cards_of(structure, borders)
    card = data.draw(st.sampled_from(before))
    added = openings.by_count(card)
    after = Cards(structure.lanes, borders | added)
    others = {other for other in before if other != card}
    assert others <= set(after.cards), "no other card changes"
    if card.size > 1:
        assert added, "every group can be opened"
        assert len(after.cards) > len(before)
    assert cards_of(structure, after.borders - (after.borders - borders)) == before


@settings(max_examples=50)
@given(tables(), st.data())
def test_a_step_that_is_jumped_to_has_a_card_of_its_own_or_one_with_its_calls(
    table: Table, data: st.DataObject
) -> None:
    structure = Structure(graph_of(table))
    step = data.draw(st.integers(0, len(table) - 1))
    cards = Cards(structure.lanes, Openings(structure).alone(step))
    assert cards.cards[cards.card_of()[step]].name == step
    assert cards.cards[cards.card_of()[step]].size == 1


@settings(max_examples=60)
@given(tables(largest=60))
def test_the_same_run_gives_the_same_view(table: Table) -> None:
    one, other = Structure(graph_of(table)), Structure(graph_of(table))
    assert first_views(one) == first_views(other)


def test_facts_of_a_run_that_grew_are_those_of_reading_it_anew() -> None:
    whole = chain("h" + "mRmEmT" * 10).graph
    start = whole.subset(range(30))
    grown = Structure(whole, known=Structure(start))
    anew = Structure(whole)
    for name in ("sorts", "roles", "abouts", "calls", "speaks", "ties"):
        assert getattr(grown.facts, name) == getattr(anew.facts, name)
    assert grown.borders.level == anew.borders.level


@settings(max_examples=80)
@given(tables(), st.data())
def test_a_local_view_holds_the_cone_and_nothing_else_whatever_is_open(table: Table, data: st.DataObject) -> None:
    graph = graph_of(table)
    steps = st.integers(0, len(table) - 1)
    seeds = tuple(sorted(data.draw(st.sets(steps, min_size=1, max_size=3))))
    structure = Structure(graph, data.draw(steps), seeds=seeds)
    cone = {*graph.closure(seeds, causal=False), *graph.descendants(seeds)}
    assert structure.main in cone
    for view in first_views(structure, (), structure.side_borders()):
        cards = Cards(structure.lanes, view.borders | data.draw(st.sets(steps, max_size=5)))
        held = [step for card in structure.visible(cards.cards) for step in cards.steps(card)]
        assert sorted(held) == sorted(cone)


def nested(depth: int) -> Structure:
    """A call that starts a call that starts a call …, each of which returns into the one around it."""
    table: Table = [(step - 1,) if step else () for step in range(depth)]
    table += [(depth - 1,)]
    for step in range(depth - 2, -1, -1):
        table.append((len(table) - 1, step))
    return Structure(graph_of(table))


def test_nested_lanes_are_not_read_again_for_each_lane_around_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = [0]

    class Counted(bytearray):
        def __getitem__(self, place: Any) -> Any:
            read[0] += 1
            return super().__getitem__(place)

    made = []
    for depth in (150, 600):
        structure = nested(depth)
        assert len(structure.lanes.lanes) > depth // 2
        structure.facts.failed = Counted(structure.facts.failed)
        read[0] = 0
        Borders(structure.facts, structure.lanes)
        made.append(read[0])
    assert made[1] <= 5 * made[0]


def test_a_hundred_thousand_branches_of_one_lane_are_not_looked_at_for_every_view(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table: Table = [()] + [(step,) for step in range(60)] + [(step % 60,) for step in range(3000)]
    structure = Structure(graph_of(table), main=60)
    whole = first_views(structure)
    monkeypatch.setattr("opentine_gui.core.structure.first_view.MOST_WORK", 4_000)
    some = first_views(structure)
    assert len(some) < len(whole)
    assert [view.borders for view in some] == [view.borders for view in whole[: len(some)]]


def test_what_was_asked_last_heads_a_card_in_the_smallest_view() -> None:
    structure = chain("hmRm" * 40 + "hmRmTm")
    last = 160
    for view in first_views(structure, most=6):
        assert any(card.name == last for card in cards_of(structure, view.borders))


def test_what_was_asked_last_on_the_other_line_of_a_merge_heads_a_card_too() -> None:
    """The main line is that of the first parent; on the other one a person spoke later."""
    count = 40
    table: Table = [(number - 1,) if number else () for number in range(count)]
    table += [(1,), *((number,) for number in range(count, 2 * count - 1)), (count - 1, 2 * count - 1)]
    kinds = "hmRm" * 10 + "mRm" + "hmRm" * 9 + "m"
    structure = Structure(graph_of(table, kinds), main=2 * count)
    said = max(place for place, letter in enumerate(kinds[: 2 * count - 6]) if letter == "h")
    last = next(structure.graph.turns(2 * count))
    assert last >= said > count
    assert structure.lanes.lane_of(last).number, "it is not on the main line"
    for view in first_views(structure, most=6):
        assert any(card.name == last for card in cards_of(structure, view.borders))


def test_the_progress_of_a_structure_never_stands_still_for_long() -> None:
    table = [(number - 1,) if number else () for number in range(4_000)]
    fractions: list[float] = []
    Structure(graph_of(table, "h" + "mRmEmT" * 666 + "mRm"), progress=fractions.append)
    assert fractions == sorted(fractions)
    assert max(after - before for before, after in pairwise([0.0, *fractions, 1.0])) <= 0.12
