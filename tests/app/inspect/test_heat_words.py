"""The legend of a heat says what its colours mean, in the unit of the figure."""

from __future__ import annotations

from itertools import pairwise

from opentine_gui.app.inspect.analysis.heat_rows import level_words, scale_meaning
from opentine_gui.core.analysis.heat import LEVELS, Figure, Heat


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
