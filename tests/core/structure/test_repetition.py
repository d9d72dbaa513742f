"""Retries and loops in the rounds of turns: what they are is tested with the borders, here what finding them costs."""

from __future__ import annotations

from opentine_gui.core.structure.repetition import Unit, units
from tests.growth import control_text, excess

ROUNDS = 24
"""Rounds of a turn."""


def found_in_turns(count: int) -> list[Unit]:
    """The units of all turns of a lane of so many rounds, each turn ending in a loop of three equal rounds."""
    keys = [number if number % ROUNDS < ROUNDS - 3 else count + number // ROUNDS for number in range(count)]
    nothing = bytes(count)
    found: list[Unit] = []
    for start in range(0, count, ROUNDS):
        found += units(keys, keys, nothing, nothing, start, start + ROUNDS)
    return found


def test_the_turns_at_the_end_of_a_long_lane_cost_no_more_than_those_at_its_beginning() -> None:
    found = found_in_turns(10 * ROUNDS)
    assert [unit.start for unit in found if unit.sort == "loop"] == [turn * ROUNDS + ROUNDS - 3 for turn in range(10)]
    small, large = 200 * ROUNDS, 2_000 * ROUNDS
    texts = control_text(small), control_text(large)
    assert not excess(lambda: found_in_turns(small), lambda: found_in_turns(large), texts)
