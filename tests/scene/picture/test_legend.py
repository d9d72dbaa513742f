"""The legend of a folded run: it explains each sign that is drawn, and no other, on any canvas."""

from __future__ import annotations

import pytest
from scenes import METRICS

from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.scene.draw_list import Text
from opentine_gui.scene.picture.legend import ENTRIES, FORK_MARK, FORMS, Signs, draw_legend, fitting_form, legend_width
from opentine_gui.scene.theme import DARK

EVERY = Signs(frozenset(entry.role for entry in ENTRIES if entry.role), frozenset(entry.kind for entry in ENTRIES))


def words(signs: Signs, room: float = 2_000.0) -> list[str]:
    form = fitting_form(METRICS, signs, room)
    assert form is not None
    return [item.text for item in draw_legend(0.0, 10.0, signs, DARK, METRICS, form=form) if isinstance(item, Text)]


def test_every_kind_a_card_can_have_is_explained() -> None:
    assert {entry.kind for entry in ENTRIES} >= set(SHOWN_KINDS)


def test_what_is_not_drawn_is_not_explained() -> None:
    assert words(Signs(frozenset({"human"}), frozenset({"human", "model"})))[:2] == ["person", "agent"]
    said = words(Signs(frozenset({"tool", "stopped"}), frozenset({"done"})))
    assert "answer" in said
    assert "stopped, no result" in said
    assert not {"agent", "tool call", "failed", "person"} & set(said)


def test_the_mark_of_a_place_to_fork_is_explained_where_one_is_drawn() -> None:
    kinds = frozenset({"human", "model"})
    assert words(Signs(frozenset(), kinds, frozenset({FORK_MARK}), numbered=False))[-2:] == [
        "retry?",
        "a place to fork",
    ]
    assert FORK_MARK not in words(Signs(frozenset(), kinds, numbered=False))


@pytest.mark.parametrize("room", [480.0, 620.0, 800.0, 1_200.0])
def test_it_fits_its_room_and_keeps_what_the_bars_mean(room: float) -> None:
    signs = Signs(EVERY.roles - {"text"}, EVERY.kinds - {"policy", "approval", "error"})
    form = fitting_form(METRICS, signs, room)
    assert form is not None
    assert legend_width(METRICS, signs, 1.0, form) <= room
    said = words(signs, room)
    assert {"person", "agent", "reads", "edits", "sub-agent", "failed"} <= set(said)
    items = draw_legend(0.0, 10.0, signs, DARK, METRICS, form=form)
    last = max(item.x + METRICS.width(item.text, item.face, item.size) for item in items if isinstance(item, Text))
    assert abs(last - legend_width(METRICS, signs, 1.0, form)) < 3.0


def test_the_forms_need_less_and_less_room() -> None:
    widths = [legend_width(METRICS, EVERY, 1.0, form) for form in FORMS]
    assert widths == sorted(widths, reverse=True)
