"""Whatever a view forgets to cut or to clean ends at the door to Dear PyGui: no widget gets it."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import dearpygui._dearpygui as raw
import pytest

import opentine_gui
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.clean import LONGEST_DRAWN, clean
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.sheet import Pen, button_rows
from opentine_gui.ui.toolkit.style import Style

PACKAGE = Path(opentine_gui.__file__).parent
HOSTILE = "\x90\x1b[31mred\u202e\u200b\ud800" * 20_000


@pytest.fixture
def style() -> Style:
    return Style(DARK, FontMetrics(), fonts={"text": 1, "title": 2, "mono": 3})


def test_the_painter_gives_dear_pygui_nothing_that_is_long_or_hostile(
    style: Style, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[str] = []

    def draw_text(_at: Any, text: str, **_how: Any) -> int:
        given.append(text)
        return 1

    monkeypatch.setattr(raw, "draw_text", draw_text)
    monkeypatch.setattr(raw, "bind_item_font", lambda *_: None)
    monkeypatch.setattr(Style, "font", lambda *_: 1)
    Painter(style).paint(0, [Text(0, 0, HOSTILE, "text", 13.0, (0, 0, 0, 255))])
    assert 0 < len("".join(given)) <= LONGEST_DRAWN
    assert all(text == clean(text, LONGEST_DRAWN, lines=True) for text in given)


def test_a_pen_measures_and_explains_only_what_can_be_drawn(style: Style) -> None:
    pen = Pen(style, None)
    pen.text(0, 0, HOSTILE, (0, 0, 0, 255), room=100)
    (drawn,) = pen.items
    assert isinstance(drawn, Text)
    assert len(drawn.text) < 100
    assert [len(zone.hint) for zone in pen.zones] == [len(clean(zone.hint, LONGEST_DRAWN)) for zone in pen.zones]


def test_no_text_is_cleaned_to_a_limit_that_grows_with_it() -> None:
    """`clean` cuts before it cleans, unless its limit is the length of the text: that is what `clean_whole` is for."""
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    calling = {path: text for path, text in texts.items() if re.search(r"\bclean\(", text)}
    assert len(calling) > 40
    for path, text in calling.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "clean":
                limits = [*node.args[1:2], *(word.value for word in node.keywords if word.arg == "limit")]
                calls = [inner for limit in limits for inner in ast.walk(limit) if isinstance(inner, ast.Call)]
                assert not calls, f"{path.relative_to(PACKAGE)}:{node.lineno}"


def test_buttons_fill_as_many_rows_as_they_need() -> None:
    assert button_rows([100, 100, 100], 320, 10) == [[0, 1, 2]]
    assert button_rows([100, 100, 100], 319, 10) == [[0, 1], [2]]
    assert button_rows([500, 100], 300, 10) == [[0], [1]]
    assert button_rows([], 300, 10) == [[]]
