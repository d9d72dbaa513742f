"""What is painted anew makes the one list of the other, and is little where little changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from scenes import EVERYTHING, METRICS, forked, view_of

from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Circle, Primitive
from opentine_gui.scene.picture.build import build
from opentine_gui.scene.picture.draw_list_diff import LOOK_AHEAD, Change, changes
from opentine_gui.scene.picture.view import DrawnCards, carry
from opentine_gui.scene.space.scene_index import SceneIndex

WORDS = st.lists(st.integers(0, 4).map(lambda number: Circle(number, 0, 1)), max_size=40)


def applied(old: Sequence[Primitive], found: Sequence[Change]) -> list[Primitive]:
    """From the end, as a painter does it: places further on would move otherwise."""
    made = list(old)
    for start, stop, items in reversed(found):
        made[start:stop] = items
    return made


@given(WORDS, WORDS)
def test_changes_make_the_new_list_of_the_old(old: list[Primitive], new: list[Primitive]) -> None:
    found = changes(old, new, len(old) + len(new))
    assert found is not None
    assert applied(old, found) == new
    assert all(before.stop < after.start for before, after in pairwise(found))


@given(WORDS, WORDS)
def test_what_is_allowed_is_done_and_nothing_beyond(old: list[Primitive], new: list[Primitive]) -> None:
    whole = changes(old, new, len(old) + len(new))
    assert whole is not None
    touched = sum(stop - start + len(items) for start, stop, items in whole)
    assert changes(old, new, touched) == whole
    assert touched == 0 or changes(old, new, touched - 1) is None


@given(WORDS, WORDS, st.integers(0, 30))
def test_no_more_than_was_allowed_is_touched(old: list[Primitive], new: list[Primitive], most: int) -> None:
    found = changes(old, new, most)
    if found is not None:
        assert sum(stop - start + len(items) for start, stop, items in found) <= most


def test_what_is_taken_out_or_put_in_is_found_where_it_is() -> None:
    old = [Circle(number, 0, 1) for number in range(400)]
    fresh = tuple(Circle(number, 1, 1) for number in range(LOOK_AHEAD - 1))
    assert changes(old, old, 0) == []
    assert changes(old, old[:200] + old[210:], 10) == [Change(200, 210, ())]
    assert changes(old, [*old[:200], *fresh, *old[200:]], len(fresh)) == [Change(200, 200, fresh)]
    assert changes(old, [*old[:7], *fresh[:3], *old[8:], *fresh[:1]], 5) == [
        Change(7, 8, fresh[:3]),
        Change(400, 400, fresh[:1]),
    ]
    assert changes(old, [Circle(number, 2, 1) for number in range(400)], 50) is None


def test_a_card_taken_in_hand_leaves_all_others_untouched() -> None:
    layout = forked()
    standing = view_of(layout)
    held = replace(standing, carried=carry(layout, frozenset({4})))
    old, new = build(standing).items, build(held).items
    found = changes(old, new, len(old))
    assert found is not None
    assert sum(stop - start for start, stop, _ in found) == len(old) - len(new)
    assert not any(items for _, _, items in found)


def test_cards_drawn_before_are_not_drawn_again_unless_they_look_different() -> None:
    asked: list[object] = []

    class Counted(DrawnCards):
        def keep(self, card, looks, drawn):  # type: ignore[no-untyped-def]
            asked.append(card)
            super().keep(card, looks, drawn)

    layout = forked()
    view = replace(view_of(layout), drawn=Counted(), rect=EVERYTHING, metrics=METRICS)
    plain = build(replace(view, drawn=None))
    assert build(view) == plain == build(view)
    assert asked == list(layout.nodes)
    asked.clear()
    chosen = replace(view, selection=frozenset({3}), dimmed=frozenset({5}))
    assert build(chosen) == build(replace(chosen, drawn=None))
    assert sorted(asked) == [layout.nodes[3], layout.nodes[5]]
    asked.clear()
    hovered = replace(chosen, hovered=2)
    assert build(hovered) == build(replace(hovered, drawn=None))
    assert build(chosen) == build(replace(chosen, drawn=None))
    assert asked == []


def test_cards_drawn_before_are_drawn_again_at_another_level_and_place() -> None:
    layout = forked()
    view = replace(view_of(layout), drawn=DrawnCards(), rect=EVERYTHING, metrics=METRICS)
    pictures = []
    moved = with_pins(layout, {layout.nodes[3]: (900.0, 40.0)})  # type: ignore[dict-item]
    for changed in (
        replace(view, level=Level.TITLE),
        replace(view, level=Level.CARD),
        replace(view, level=Level.CARD, layout=moved, index=SceneIndex(moved)),
    ):
        assert build(changed) == build(replace(changed, drawn=None))
        pictures.append(build(changed).items)
    assert len(set(pictures)) == 3


def test_what_is_in_hand_can_be_asked_whether_it_is_another() -> None:
    layout = forked()
    one, other = carry(layout, frozenset({1, 2})), carry(layout, frozenset({1, 2}))
    assert (7, one) == (7, one)
    assert (7, one) != (7, other)
    assert len({one, other}) == 2
