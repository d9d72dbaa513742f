"""The figures at the head of the inspector are whole in a panel of any width."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from opentine_gui.app.inspect.figures import Figure
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.inspector.figures import draw_failures, draw_figures
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style


@pytest.mark.parametrize("room", [132.0, 172.0, 240.0, 352.0])
def test_every_figure_is_whole(room: float) -> None:
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    values = ("$248.43", "4 d 14 h", "126,255,924")
    draw_figures(pen, [Figure(f"label {n}", value) for n, value in enumerate(values)], 14.0, 0.0, room, print)
    assert set(values) <= {item.text for item in pen.items if isinstance(item, Text)}


def test_the_arrows_beside_the_failures_stay_where_they_are_while_one_walks() -> None:
    actions = {f"go.{way}_failure": SimpleNamespace(id=way, title=way, key="") for way in ("next", "previous")}
    session: Any = SimpleNamespace(actions=actions)
    places = []
    for words in ("12 failures", "failure 1 of 12", "failure 12 of 12"):
        pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
        draw_failures(pen, session, words, 100.0, 20.0)
        places.append([item.x for item in pen.items if isinstance(item, Text) and item.text in "‹›"])
    assert len(places[0]) == 2 and places[0] == places[1] == places[2]
