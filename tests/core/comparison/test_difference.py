"""The field-level difference of two steps and the line-level difference of two texts."""

from __future__ import annotations

import copy
import re
from difflib import SequenceMatcher
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import LineChange, PathChange, Step, StepKind, canonical, step_difference, text_difference
from opentine_gui.core.comparison.step_difference import ABSENT, MOST_PATHS, field_difference, path_label, same_value
from opentine_gui.core.comparison.text_difference import (
    MOST_CHARACTERS,
    MOST_LINES,
    MOST_MEETINGS,
    MOST_SCANS,
    Effort,
    unified,
)
from tests.growth import is_squared

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 2)
    | st.sampled_from([0.0, 1.0, 0.5, -0.0])
    | st.text("ab\n", max_size=4),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
objects = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
texts = st.text("ab \n", max_size=40)


def step(**fields: Any) -> Step:
    return Step(**{"id": "s", "parent_ids": (), "kind": StepKind.MODEL, "inputs": {}, **fields})


@given(values, values)
def test_values_differ_exactly_when_their_canonical_texts_do(before: Any, after: Any) -> None:
    different = canonical(before) != canonical(after)
    assert same_value(before, after) == (not different)
    found = field_difference("inputs", before, after)
    assert (found is not None) == different
    assert found is None or found.paths


@given(objects, objects)
def test_the_paths_lead_from_one_value_to_the_other(before: dict[str, Any], after: dict[str, Any]) -> None:
    found = field_difference("inputs", before, after)
    paths = found.paths if found else ()
    result = copy.deepcopy(before)
    gone: list[tuple[list[Any], int]] = []
    for path in paths:
        place: Any = result
        for name in path.path[:-1]:
            place = place[name]
        last = path.path[-1]
        if isinstance(place, list):
            break  # items of lists may move; how they are matched is tested by itself
        if path.change is PathChange.REMOVED:
            assert canonical(place.pop(last)) == canonical(path.before)
        else:
            assert (last in place) == (path.change is PathChange.CHANGED)
            place[last] = path.after
    else:
        assert canonical(result) == canonical(after)
    assert not gone


def test_an_inserted_item_is_one_difference() -> None:
    found = field_difference("inputs", {"m": [1, 2, 3]}, {"m": [1, 9, 2, 3]})
    assert found is not None
    assert [(path.label, path.change, path.before, path.after) for path in found.paths] == [
        ("m[1]", PathChange.ADDED, ABSENT, 9)
    ]
    assert found.changed_keys == ("m",)


def test_null_is_not_the_same_as_nothing() -> None:
    found = field_difference("inputs", {"a": None}, {})
    assert found is not None
    assert [(path.change, path.before, path.after) for path in found.paths] == [(PathChange.REMOVED, None, ABSENT)]


def test_paths_are_written_as_people_write_them() -> None:
    assert path_label(("inputs", "messages", 2, "odd name", "", "x-1")) == 'inputs.messages[2]["odd name"][""].x-1'


def test_many_differences_are_counted_and_not_all_listed() -> None:
    found = field_difference("inputs", {}, {str(number): number for number in range(MOST_PATHS + 7)})
    assert found is not None
    assert (len(found.paths), found.left_out) == (MOST_PATHS, 7)


def test_fields_are_compared_as_the_format_means_them() -> None:
    before = step(cost=1.0, usage={"input": 2}, outputs={"a": 1}, timestamp=1.0, duration=1.0)
    assert step_difference(before, step(cost=1.0 + 1e-13, usage={"input": 2.0}, outputs={"a": 1})) == ()
    found = step_difference(
        before, step(cost=None, usage={}, outputs={"a": 1.0}, kind=StepKind.TOOL, model_info={"n": 1})
    )
    assert [field.name for field in found] == ["kind", "outputs", "model_info", "cost", "usage"]
    assert (found[0].before, found[0].after) == ("model", "tool")
    assert found[1].paths[0].path == ("a",)


def test_a_path_with_two_texts_has_a_text_difference() -> None:
    found = field_difference("inputs", {"a": "one\ntwo", "b": 1}, {"a": "one\n2", "b": 2})
    assert found is not None
    first, second = found.paths
    assert first.text is not None
    assert [line.text for line in first.text.lines] == ["one", "two", "2"]
    assert second.text is None


# --- texts ---------------------------------------------------------------------------------------------------------


@given(texts, texts)
def test_the_lines_of_a_difference_give_both_texts(before: str, after: str) -> None:
    found = text_difference(before, after, context=1000)
    kept = [line for line in found.lines if line.change is not LineChange.ADDED]
    come = [line for line in found.lines if line.change is not LineChange.REMOVED]
    assert "\n".join(line.text for line in kept) == before
    assert "\n".join(line.text for line in come) == after
    for line in found.lines:
        ends = [place for span in line.marks for place in span]
        assert ends == sorted(ends)
        assert not ends or (ends[0] >= 0 and ends[-1] <= len(line.text))
        assert line.change is not LineChange.SAME or not line.marks


@given(st.text("ab ,", max_size=30), st.text("ab ,", max_size=30))
def test_what_is_not_marked_is_the_same_in_both_lines(before: str, after: str) -> None:
    found = text_difference(before, after)
    if found.lines[0].change is not LineChange.SAME:
        rests = []
        for line in found.lines:
            rest = list(line.text)
            for start, stop in reversed(line.marks):
                del rest[start:stop]
            rests.append("".join(rest))
        assert rests[0] == rests[1]


def test_only_the_words_that_changed_are_marked() -> None:
    found = text_difference("the quick brown fox", "the slow brown fox")
    marked = [[line.text[start:stop] for start, stop in line.marks] for line in found.lines]
    assert marked == [["quick"], ["slow"]]


def test_equal_lines_far_from_a_change_are_left_out_and_counted() -> None:
    lines = [str(number) for number in range(20)]
    found = text_difference("\n".join(lines), "\n".join([*lines[:10], "new", *lines[10:]]), context=2)
    assert [line.text for line in found.lines] == ["8", "9", "new", "10", "11"]
    assert (found.skipped, found.aligned, found.cut) == ((8, 8), True, False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n".join(f"a{number}" for number in range(MOST_LINES + 2)), "b"),
        ("x\ny\n" * 240 + "x", "y\nx\n" * 240 + "end\n" * 3),
    ],
    ids=["long", "repeating"],
)
def test_texts_that_would_take_long_are_put_one_after_the_other(before: str, after: str) -> None:
    found = text_difference(before, after)
    assert not found.aligned
    assert sum(line.change is LineChange.REMOVED for line in found.lines) > 100


def test_hostile_lines_are_marked_from_end_to_end() -> None:
    found = text_difference("a b " * 20_000, "b a " * 20_000)
    assert [len(line.marks) for line in found.lines] == [1, 1]
    many = text_difference("\n".join(["x y " * 70] * 400), "\n".join(["y x " * 70 + "z"] * 400))
    assert many.aligned
    assert {len(line.marks) for line in many.lines[-10:]} == {1}


def test_what_is_too_long_is_cut_and_said_to_be() -> None:
    found = text_difference("a" * (MOST_CHARACTERS + 5), "b")
    assert found.cut
    assert len(found.lines[0].text) == MOST_CHARACTERS


def lines_of(text: str) -> list[str]:
    """The lines of a text: none of no text, and an empty one of a newline alone."""
    return text.removesuffix("\n").split("\n") if text else []


def patched(lines: list[str], hunks: list[str]) -> list[str]:
    """What the hunks of a unified diff make of lines, by the places that their heads name."""
    made, at = list[str](), 0
    for row in hunks:
        head = re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),\d+ @@", row)
        if head is not None:
            begin = int(head[1]) - (int(head[2]) > 0)
            made += lines[at:begin]
            at = begin
            assert int(head[3]) in (len(made), len(made) + 1)
            continue
        if row[0] == "\\":
            continue
        if row[0] in " -":
            assert lines[at] == row[1:]
            at += 1
        made += [row[1:]] if row[0] in " +" else []
    return made + lines[at:]


some_lines = st.lists(st.sampled_from(["a", "b", "c", "", "-x", "@@"]), min_size=1, max_size=40).map("\n".join)


@given(some_lines, some_lines, st.integers(0, 4))
def test_the_hunks_of_a_unified_diff_make_the_one_text_of_the_other(old: str, new: str, context: int) -> None:
    hunks = unified(old, new, context=context)
    assert (hunks == []) == (old == new)
    if old != new:
        assert patched(lines_of(old), hunks) == lines_of(new)


def test_equal_lines_far_from_a_change_are_left_out_of_a_unified_diff() -> None:
    old = "\n".join(map(str, range(40)))
    new = old.replace("\n5\n", "\nfive\n").replace("\n30\n", "\n")
    assert [row for row in unified(old, new) if row[0] in "@+-"] == [
        "@@ -3,7 +3,7 @@", "-5", "+five", "@@ -28,7 +28,6 @@", "-30",
    ]  # fmt: skip
    assert unified("", "a\nb\n") == ["@@ -0,0 +1,2 @@", "+a", "+b"]
    assert unified("a\n", "b\n") == ["@@ -1,1 +1,1 @@", "-a", "+b"]


def test_texts_that_only_differ_at_their_very_end_or_far_behind_say_so() -> None:
    assert unified("a", "a\n") == ["\\ Only the newline at the end differs"]
    assert unified("\n", "a\n") == ["@@ -1,1 +1,1 @@", "-", "+a"]
    long = "x" * MOST_CHARACTERS
    assert unified(f"{long}one", f"{long}two") == ["\\ Only the first 1,000,000 characters were compared"]


def test_one_line_between_all_others_does_not_cost_more_than_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """difflib looks at all pairs of that line again for each line that it has aligned."""
    old = "\n".join(f"x\nu{number}" for number in range(249))
    new = "\n".join(f"v{number}\nx" for number in range(249))
    looked: list[int] = []
    plain = SequenceMatcher.find_longest_match

    def counted(matcher: Any, alo: int, ahi: int, blo: int, bhi: int) -> object:
        looked.append(sum(len(matcher.b2j.get(item, ())) for item in matcher.a[alo:ahi]))
        return plain(matcher, alo, ahi, blo, bhi)

    monkeypatch.setattr(SequenceMatcher, "find_longest_match", counted)
    effort = Effort(MOST_MEETINGS)
    for _ in range(4):
        assert len(unified(old, new, effort=effort)) == 2 * 498 + 1
    assert sum(looked) <= MOST_SCANS


def test_a_unified_diff_of_lines_that_repeat_is_bounded() -> None:
    def work(size: int) -> object:
        old, new = ("\n".join(f"{number % 7 * step}" for number in range(size)) for step in (1, 2))
        return unified(old, new)

    assert not is_squared(work, 2_000)
