"""The rows of a form: where they are, which box comes after which, and which is edited first."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.app.state import payload_form as forms
from opentine_gui.app.state.payload_form import Entry, entry_of
from opentine_gui.ui.proposals.form_rows import FormRow, Part, box_order, form_rows, main_box, rows_between

PITCH = 16.0
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4),
    max_leaves=20,
)


def rows_of(value: Any) -> list[FormRow]:
    form = value if isinstance(value, Entry) else entry_of(value)
    parts = [Part("inputs", "Inputs", form), Part("title", "Title", ""), Part("reset", "Start at zero", False)]
    lines = lambda _key, entry, _depth: entry.text.count("\n") + 1  # noqa: E731
    return form_rows(parts, lambda *_: PITCH, lines, lambda *_: "text")


@settings(max_examples=60)
@given(st.dictionaries(st.text(max_size=2), VALUES, max_size=6), st.floats(-50, 900), st.floats(0, 400))
def test_rows_follow_each_other_and_those_in_view_are_found(value: Any, low: float, tall: float) -> None:
    rows = rows_of(value)
    for before, after in pairwise(rows):
        assert before.bottom <= after.y
    found = rows_between(rows, low, low + tall)
    assert all(row in found for row in rows if row.y <= low + tall and row.bottom >= low)
    assert len(found) <= sum(row.y <= low + tall and row.bottom >= low for row in rows) + 3


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ({"system": "a much longer text than the prompt", "prompt": "short"}, (1,)),
        ({"messages": [{"content": "a long first message"}, {"role": "user", "content": "last"}]}, (0, 1, 1)),
        ({"name": "Bash", "arguments": {"description": "what it is good for", "command": "ls"}}, (1, 1)),
        ({"name": "Bash", "arguments": {"command": ["bash", "-lc", "git diff"], "why": "because of that"}}, (1, 0, 2)),
        ({"name": "Write", "arguments": {"content": "a text", "file_path": "/w/a"}}, (1, 1)),
        ({"name": "Grep", "arguments": {"path": "/w/a/long/one", "pattern": "x"}}, (1, 1)),
        ({"name": "Agent", "arguments": {"description": "it looks around", "prompt": "look"}}, (1, 1)),
        ({"name": "odd", "arguments": {"n": 1, "first": "x", "second": "much longer"}}, (1, 1)),
        ({"description": "what it is good for", "command": "ls"}, (1,)),
        ({"a": "x", "b": "longest of all", "n": 3}, (1,)),
        ({"n": 3}, (0,)),
    ],
)
def test_the_prompt_the_last_message_what_a_call_does_or_the_longest_text_is_edited_first(
    value: Any, place: tuple[int, ...]
) -> None:
    assert main_box(rows_of(value)) == ("inputs", place, "")


def test_a_text_that_is_too_long_for_a_box_stays_as_it_is_and_can_be_taken_out() -> None:
    value = {"prompt": "short", "log": "a\x00b" * forms.LONGEST}
    form = entry_of(value)
    assert [row.box for row in rows_of(form) if row.entry is not None] == ["", "text", ""]
    assert form.value == value and form.entries[1].text is value["log"]
    assert form.changes == 0 and form.problems == ()
    assert form.holds_too_long and not form.entries[0].holds_too_long
    assert forms.removed(form, (1,)).value == {"prompt": "short"}


def test_tab_goes_through_every_box_from_top_to_bottom_and_the_name_of_a_new_field_comes_before_its_value() -> None:
    form = forms.added(entry_of({"prompt": "x", "inner": {"n": 1, "on": True}}), ())
    assert box_order(rows_of(form)) == [
        ("inputs", (0,), ""),
        ("inputs", (1, 0), ""),
        ("inputs", (1, 1), ""),
        ("inputs", (2,), "name"),
        ("inputs", (2,), ""),
        ("title", (), ""),
        ("reset", (), ""),
    ]
