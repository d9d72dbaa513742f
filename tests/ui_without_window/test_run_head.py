"""What the head of a run's panel says of what was asked last: how much of it, and where it leads."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from opentine_gui.app.inspect.facts import Asked, asked_last
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK
from opentine_gui.ui.panels.inspector.run_head import RunHead
from opentine_gui.ui.toolkit.sheet import Pen
from opentine_gui.ui.toolkit.style import Style
from tests.core.sample_runs import make_record, make_step

ROOM = 300.0


def drawn(asked: Asked, *, low: bool = False) -> tuple[list[str], list[str], float]:
    """(the lines, the steps that they lead to, the middle of the line after them)."""
    jumps: list[str] = []
    session: Any = None
    pen = Pen(Style(DARK, FontMetrics(), 1.0), None)
    bottom = RunHead(session, jumps.append)._draw_asked(pen, asked, 10.0, 20.0, ROOM, low=low)
    texts = [item for item in pen.items if isinstance(item, Text)]
    assert all(text.x + pen.style.width(text.text, text.face, text.size) <= 10.0 + ROOM for text in texts)
    assert all(above.y < below.y < bottom for above, below in pairwise(texts))
    for zone in pen.zones:
        if zone.act is not None:  # what is cut has a hint besides
            zone.act()
    return [text.text for text in texts], jumps, bottom


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (False, ["Asked last", "line 0", "line 1", "line 2 …", "after “Shall I?”", "option 1: “Yes”"]),
        (True, ["Asked last", "line 0", "line 1 …", "after “Shall I?”"]),
    ],
)
def test_a_long_last_request_leaves_room_for_what_comes_after_it_and_still_leads_there(
    low: bool, said: list[str]
) -> None:
    text = "\n".join(f"line {number}" for number in range(20))
    asked = Asked("Asked last", text, ("after “Shall I?”", "option 1: “Yes”", "and one more"), "step")
    lines, jumps, _ = drawn(asked, low=low)
    assert lines == said
    assert jumps == ["step"] * (2 if low else 3), "each line of the request, and no other"


def test_a_request_that_fits_is_whole_and_has_no_empty_lines() -> None:
    asked = Asked("Asked once", "Now mend it\n\n  \nplease", (), "step")
    assert drawn(asked)[0] == ["Asked once", "Now mend it", "please"]
    assert drawn(asked)[2] < drawn(asked._replace(rests_on=("after “Shall I?”",)))[2]


def test_what_a_run_was_asked_last_is_drawn_as_it_is_recorded() -> None:
    first = make_step("Build it", v3_kind="human")
    answer = make_step("It is built", first.id)
    last = make_step(
        "Now mend it, " + "and say which of the tests had to change for it, " * 9, answer.id, v3_kind="human"
    )
    asked = asked_last(make_record([first, answer, last], refs={"main": last.id}, metadata={"user_prompt": "Build it"}))
    assert asked is not None
    lines, jumps, _ = drawn(asked)
    assert lines[0] == "Asked last"
    assert lines[1].startswith("Now mend it, and say") and lines[3].endswith("…")
    assert len(lines) == 4 and jumps == [last.id] * 3
