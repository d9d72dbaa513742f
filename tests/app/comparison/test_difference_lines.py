"""The lines in which the difference of two steps is shown."""

from __future__ import annotations

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.app.inspect.step.difference_lines import DiffLine, all_lines, fields_between, first_lines, text_lines
from opentine_gui.core import Step
from tests.conftest import run_of


def step_with(**fields: object) -> Step:
    inputs = fields.pop("inputs", {})
    return msgspec.structs.replace(run_of({"a": ""}).graph.step(0), inputs=inputs, **fields)


def test_a_changed_text_is_shown_on_both_sides_with_marks_on_the_words_that_differ() -> None:
    fields = fields_between(
        step_with(inputs={"prompt": "ask the old server"}), step_with(inputs={"prompt": "ask the new server"})
    )
    path, old, new = first_lines(fields)
    assert path == DiffLine("path", "inputs.prompt")
    assert (old.kind, new.kind) == ("removed", "added")
    assert [old.text[slice(*mark)] for mark in old.marks] == ["old"]
    assert [new.text[slice(*mark)] for mark in new.marks] == ["new"]


def test_a_step_without_an_answer_is_all_removed_or_all_added() -> None:
    only = step_with(inputs={"url": "x", "deep": {"n": 1}})
    gone, come = all_lines(fields_between(only, None)), all_lines(fields_between(None, only))
    assert {line.kind for line in gone} == {"path", "removed"}
    assert {line.kind for line in come} == {"path", "added"}
    assert [line.text for line in gone] == [line.text for line in come]
    assert DiffLine("removed", "x") in gone


def test_only_the_first_paths_are_listed_at_first_and_the_rest_is_counted() -> None:
    one, other = ({f"k{n}": n + shift for n in range(9)} for shift in (0, 1))
    lines = first_lines(fields_between(step_with(inputs=one), step_with(inputs=other)))
    assert [line.text for line in lines if line.kind == "path"] == [f"inputs.k{n}" for n in range(4)]
    assert lines[-1] == DiffLine("note", "and 5 more under All fields")


def test_texts_are_compared_line_by_line() -> None:
    one = step_with(inputs={"text": "same\nold line\nend"}, outputs={"text": "fine"})
    other = step_with(inputs={"text": "same\nnew line\nend"}, outputs={"text": "fine"})
    lines = text_lines(one, other)
    assert [(line.kind, line.text) for line in lines] == [
        ("path", "asked"), ("same", "same"), ("removed", "old line"), ("added", "new line"), ("same", "end"),
        ("path", "answered"), ("same", "fine"),
    ]  # fmt: skip


def test_a_difference_that_cannot_be_seen_is_said_to_be_one() -> None:
    lines = all_lines(fields_between(step_with(inputs={"t": "a\u202eb"}), step_with(inputs={"t": "ab"})))
    assert lines[-1].kind == "note"
    assert "cannot be seen" in lines[-1].text


@settings(max_examples=60)
@given(st.text(max_size=60), st.text(max_size=60))
def test_recorded_text_is_shown_safely_and_marks_lie_inside_their_line(one: str, other: str) -> None:
    fields = fields_between(step_with(inputs={"t": one, one[:9]: 1}), step_with(inputs={"t": other}))
    for line in (*first_lines(fields), *all_lines(fields), *text_lines(step_with(inputs={"text": one}), None)):
        assert "\u202e" not in line.text
        assert "\x1b" not in line.text
        assert "\n" not in line.text
        assert all(0 <= begin < end <= len(line.text) for begin, end in line.marks)
