"""Every colour that a text asks for can be read on every ground it may stand on, in every theme."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.scene.reading_colours import GROUNDS, INKS, ground, ink
from opentine_gui.scene.theme import THEMES, Theme, contrast

ALL = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)


@ALL
@pytest.mark.parametrize("under", ["", *GROUNDS, *(f"ansi{number}" for number in range(16))])
def test_every_ink_can_be_read_on_every_ground(theme: Theme, under: str) -> None:
    for name in (*INKS, "text", "quiet", "faint", "good", "bad", "tool", "human", "accent"):
        assert contrast(ink(theme, name, under), ground(theme, under)) >= 4.5, name


@ALL
@pytest.mark.parametrize("under", [name for name in GROUNDS if name not in ("selected", "match")])
def test_what_is_selected_can_be_read_whatever_it_stands_on(theme: Theme, under: str) -> None:
    for name in ("text", "quiet", "keyword", "string", "number", "function", "type", "good", "bad"):
        for lit in ("selected", "match"):
            assert contrast(ink(theme, name, under), ground(theme, lit)) >= 4.5, (name, lit)


@ALL
@given(st.integers(0, 0xFFFFFF), st.integers(0, 0xFFFFFF))
def test_a_colour_of_the_text_itself_is_moved_until_it_can_be_read(theme: Theme, over: int, under: int) -> None:
    behind = f"#{under:06X}"
    assert contrast(ink(theme, f"#{over:06X}", behind), ground(theme, behind)) >= 4.5
