"""A payload as a form: it has exactly the value it was made of, and knows what was changed and what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.app.state import payload_form as forms
from opentine_gui.app.state.payload_form import Entry, Place, Problem, entry_of, same

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.sampled_from(["", "a\nb", "tab\t", "\x00", "\x1b[31m", "\u202e", "x\r\n", "true", "1", "漢字 🎉"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=5)


def places(entry: Entry, place: Place = ()) -> list[Place]:
    """The places of an entry and of all that is in it."""
    found = [place]
    for number, inner in enumerate(entry.entries):
        found += places(inner, (*place, number))
    return found


@settings(max_examples=60)
@given(VALUES)
def test_a_form_has_the_value_it_was_made_of_and_nothing_is_changed_or_wrong(value: Any) -> None:
    form = entry_of(value)
    assert same(form.value, value)
    assert json.dumps(form.value) == json.dumps(value), "the order of names, too"
    assert form.problems == ()
    assert form.changes == 0


@settings(max_examples=60)
@given(OBJECTS, st.data())
def test_showing_any_part_as_json_and_as_boxes_again_changes_nothing(value: Any, data: st.DataObject) -> None:
    form = entry_of(value)
    for _ in range(3):
        place = data.draw(st.sampled_from(places(form)))
        form = forms.as_json(form, place)
        assert same(form.value, value)
        assert form.changes == 0
        if data.draw(st.booleans()):
            form = forms.as_fields(form, place)
            assert same(form.value, value)
            assert form.changes == 0


@settings(max_examples=60)
@given(OBJECTS, st.data(), VALUES)
def test_a_value_written_as_json_is_the_value_and_restoring_brings_the_first_one_back(
    value: Any, data: st.DataObject, other: Any
) -> None:
    form = entry_of(value)
    place = data.draw(st.sampled_from(places(form)))
    before = forms.entry_at(form, place).value
    form = forms.with_text(forms.as_json(form, place), place, json.dumps(other))
    assert same(forms.entry_at(form, place).value, other)
    assert (form.changes > 0) is not same(before, other)
    fields = forms.as_fields(form, place)
    assert same(fields.value, form.value)
    assert (fields.changes > 0) is not same(before, other)
    assert same(forms.restored(fields, place).value, value)
    assert forms.restored(fields, ()).changes == 0


@settings(max_examples=60)
@given(OBJECTS, st.data())
def test_a_field_that_is_removed_counts_as_a_change_and_one_added_and_removed_again_does_not(
    value: Any, data: st.DataObject
) -> None:
    form = entry_of(value)
    containers = [place for place in places(form) if forms.entry_at(form, place).kind in ("object", "list")]
    if not containers:
        return
    place = data.draw(st.sampled_from(containers))
    longer = forms.added(form, place)
    assert longer.changes == 1
    added = (*place, len(forms.entry_at(form, place).entries))
    assert forms.removed(longer, added).changes == 0
    assert forms.restored(longer, added).changes == 0
    if not forms.entry_at(form, place).entries:
        return
    first = forms.removed(form, (*place, 0))
    assert first.changes == 1
    assert same(forms.restored(first, place).value, value)


@settings(max_examples=60)
@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_any_text_typed_into_a_text_is_the_value_as_it_is(typed: str) -> None:
    form = forms.with_text(entry_of({"prompt": "hello"}), (0,), typed)
    assert form.value == {"prompt": typed}
    assert form.changes == (typed != "hello")


@settings(max_examples=60)
@given(st.text(alphabet='0123456789+-.eE "{}[],:tfn\n', max_size=12))
def test_what_is_typed_into_a_number_or_as_json_is_one_value_or_a_problem_and_nothing_beside_it(typed: str) -> None:
    form = entry_of({"a": 1, "b": "kept"})
    for changed in (forms.with_text(form, (0,), typed), forms.with_text(forms.as_json(form, (0,)), (0,), typed)):
        if changed.problems:
            assert [problem.place for problem in changed.problems] == [(0,)]
        else:
            assert same(changed.value, {"a": json.loads(typed), "b": "kept"})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n  "a": 1,\n  "b" 2\n}', ("expecting ':' delimiter", 3)),
        ("", ("expecting value", 1)),
        ('{"a": 1, "a": 2}', ("the JSON text gives one key twice", 0)),
        ("NaN", ("NaN is not a JSON number", 0)),
        ('"\\ud800"', ("the JSON text holds a lone surrogate, which no file can store", 0)),
        ("1e999", ("1e999 is too large a number", 0)),
    ],
)
def test_what_is_wrong_with_json_is_reported_with_its_line(text: str, problem: tuple[str, int]) -> None:
    form = forms.with_text(forms.as_json(entry_of({"x": "", "inner": {"a": 1}}), (1,)), (1,), text)
    assert form.problems == (Problem((1,), *problem),)


def test_two_fields_of_one_name_are_a_problem_of_the_later_one() -> None:
    form = forms.renamed(forms.added(entry_of({"prompt": "x"}), ()), (1,), "prompt")
    assert form.problems == (Problem((1,), "there is a field “prompt” already"),)
    form = forms.with_text(forms.renamed(form, (1,), "seed"), (1,), "7")
    assert form.value == {"prompt": "x", "seed": "7"}
    assert form.changes == 1


def test_a_number_that_is_none_says_so() -> None:
    form = forms.with_text(entry_of({"temperature": 0.7}), (0,), "warm")
    assert form.problems == (Problem((0,), "not a number"),)
    assert form.changes == 1


def test_characters_that_a_box_cannot_show_are_shown_as_json_escapes() -> None:
    form = entry_of({"a": "x\x00y", "b": "\u202edne"})
    assert [entry.kind for entry in form.entries] == ["json", "json"]
    assert [entry.text for entry in form.entries] == ['"x\\u0000y"', '"\\u202edne"']
