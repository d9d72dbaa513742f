"""The view of a run that grows: it keeps still, and what a person said, and the last answer, head cards in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest

from opentine_gui.core import Graph
from opentine_gui.core.structure import growing
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.facts import HUMAN
from opentine_gui.core.structure.first_view import first_views, fitting
from opentine_gui.core.structure.growing import grown
from opentine_gui.core.structure.lanes import Lanes
from opentine_gui.core.structure.structure import Structure
from tests.core.structure.shapes import graph_of

BUDGET = 20
ROUND = "mRmEmT"


def chain(kinds: str) -> Graph:
    """A run of one line with these kinds of steps."""
    return graph_of([(number - 1,) if number else () for number in range(len(kinds))], kinds)


def views(kinds: str, first: int, by: int) -> Iterator[tuple[Structure, Cards]]:
    """The first view of the first steps, and every view after `by` more steps have come."""
    whole = chain(kinds)
    structure = Structure(whole.subset(range(first)))
    borders = fitting(first_views(structure), BUDGET).borders
    yield structure, Cards(structure.lanes, borders)
    for count in (*range(first + by, len(kinds), by), len(kinds)):
        structure = Structure(whole.subset(range(count)), known=structure)
        borders, _ = grown(structure, borders, (), (), BUDGET)
        yield structure, Cards(structure.lanes, borders)


def names(cards: Cards) -> set[int]:
    return {card.name for card in cards.cards}


def turns_of(structure: Structure) -> list[int]:
    return [step for step in structure.lanes.lanes[0].elements if structure.facts.sorts[step] == HUMAN]


def test_a_turn_heads_a_card_as_soon_as_it_is_there_and_as_long_as_there_are_fewer_turns_than_cards() -> None:
    kinds = ("h" + ROUND * 8 + "d") * 3 + "h" + ROUND + "dh" + ROUND * 12 + "dh" + ROUND * 20 + "d"
    for structure, cards in views(kinds, 140, 3):
        assert set(turns_of(structure)) - {0} <= names(cards)
        assert len(cards.cards) <= 1.1 * BUDGET + 1


def test_the_last_answer_of_a_run_that_grew_has_a_card_of_its_own() -> None:
    kinds = "h" + ROUND * 30 + "dh" + ROUND * 3 + "d"
    *_, (_structure, cards) = views(kinds, 120, 7)
    last = cards.cards[-1]
    assert (last.name, last.size) == (len(kinds) - 1, 1)


def test_of_more_turns_than_cards_whole_ones_are_joined_and_the_last_stays() -> None:
    kinds = ("h" + ROUND * 2) * 8 + ("h" + ROUND + "d") * 50
    for structure, cards in views(kinds, 100, 5):
        assert len(cards.cards) <= 1.1 * BUDGET + 2
        turns = turns_of(structure)
        assert turns[-1] in names(cards)
        for card in cards.cards:
            held = [turn for turn in turns if card.name < turn < card.name + card.size]
            assert not held or card.name in turns, "a turn is only ever joined to whole turns before it"


def test_a_view_keeps_still_while_a_run_grows_step_by_step() -> None:
    kinds = "h" + (ROUND * 9 + "h") * 4 + ROUND * 40 + "dh" + ROUND * 10
    before: dict[int, int] | None = None
    for _structure, cards in views(kinds, 120, 1):
        now = {card.name: card.size for card in cards.cards}
        if before is not None:
            last = max(before)
            changed = [name for name in before if name != last and now.get(name) != before[name]]
            assert len(changed) <= 2
        before = now


def test_a_thousand_turns_that_come_at_once_are_joined_evenly_and_cards_are_made_for_few_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kinds = "h" + ROUND * 20 + ("h" + ROUND) * 1_000
    made = 0

    class Counted(Cards):
        def __init__(self, lanes: Lanes, borders: Collection[int]) -> None:
            nonlocal made
            made += 1
            super().__init__(lanes, borders)

    monkeypatch.setattr(growing, "Cards", Counted)
    *_, (structure, cards) = views(kinds, 100, len(kinds))
    assert 0 < made <= 2 * BUDGET, "not one for each turn"
    assert len(cards.cards) <= 1.1 * BUDGET + 2
    turns = turns_of(structure)
    assert turns[-1] in names(cards)
    held = [[turn for turn in turns if card.name <= turn < card.name + card.size] for card in cards.cards]
    assert all(not inside or inside[0] == card.name for inside, card in zip(held, cards.cards, strict=True))
    assert max(map(len, held)) <= 200, "the cards hold about as many each"
