"""Following a file is right, and costs no more than its length whatever stands in it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.analysis.files import line_alignment
from opentine_gui.core.analysis.files.file_change import Replace, Whole, file_uses
from opentine_gui.core.analysis.files.file_text import IS_TOO_LONG, FileText, changed, read_lines, without_notes
from opentine_gui.core.analysis.files.line_alignment import same_lines
from opentine_gui.core.analysis.files.patches import Hunk, Hunks
from opentine_gui.core.analysis.tool_call import ToolCall
from tests.growth import is_squared

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "d"]), max_size=12)


def of(*lines: str) -> FileText:
    return FileText(lines, (0,) * len(lines))


@given(LINES, LINES, st.booleans())
def test_same_lines_are_equal_in_order_and_each_once(old: list[str], new: list[str], few: bool) -> None:
    most = line_alignment.MOST_MEETINGS
    line_alignment.MOST_MEETINGS = 0 if few else most
    try:
        found = same_lines(old, new)
    finally:
        line_alignment.MOST_MEETINGS = most
    reached = (0, 0)
    for one, other, size in found:
        assert one >= reached[0] and other >= reached[1]
        assert old[one : one + size] == new[other : other + size]
        reached = (one + size, other + size)
    assert not few or old != new or sum(same.size for same in found) == len(old)


def test_lines_that_stand_once_are_still_matched_in_a_text_beyond_the_budget() -> None:
    blank = [""] * 3_000
    found = same_lines(["x", *blank, "only", *blank, "y"], ["z", *blank, "new", *blank, "only", "w"])
    assert (3_001, 6_002) in [(one + step, other + step) for one, other, size in found for step in range(size)]


def test_a_replacement_everywhere_is_the_same_one_by_one_and_at_once() -> None:
    for count in (3, 3_000):
        text = of(*(f"a{number}" if number % 2 else "b" for number in range(2 * count)))
        done = changed(text, Replace("a", "cc", True), 7)
        assert done.lines == tuple(line.replace("a", "cc") for line in text.lines or ())
        assert done.writers == (0, 7) * count


def test_a_replacement_that_makes_a_text_too_long_is_not_carried_out() -> None:
    done = changed(of(*["x"] * 1_000), Replace("x", "y" * 10_000, True), 1)
    assert (done.lines, done.reason) == (None, IS_TOO_LONG)


def test_a_line_of_a_patch_ends_at_a_line_feed_alone() -> None:
    body = "+one\x0ctwo\u2028three\r\n+four"
    added, changed_file = (
        f"*** Begin Patch\n*** Add File: a.c\n{body}\n*** End Patch",
        "--- a.c\n+++ a.c\n@@ -0,0 +1,2 @@\n",
    )
    (use,) = file_uses(ToolCall("apply_patch", {"input": added}, {}, {}))
    assert use.changes == (Whole("one\x0ctwo\u2028three\nfour\n"),)
    (use,) = file_uses(ToolCall("apply_patch", {"input": f"{changed_file}{body}\n"}, {}, {}))
    assert use.changes == (Hunks((Hunk((), ("one\x0ctwo\u2028three", "four"), line=0),)),)


def test_a_number_too_long_for_a_line_is_none() -> None:
    number = "1" * 5_000
    patch = f"--- a.c\n+++ a.c\n@@ -{number} +1 @@\n+x"
    (use,) = file_uses(ToolCall("apply_patch", {"patch": patch}, {}, {}))
    assert use.path == "a.c"
    assert read_lines(f"{number}\tx") is None


def test_search_and_replace_blocks_are_read_by_line() -> None:
    first = "<<<<<<< SEARCH\none\ntwo\n=======\nthree\n>>>>>>> REPLACE\n"
    diff = first + "<<<<<<< SEARCH\n=======\nat the top\n>>>>>>> REPLACE"
    (use,) = file_uses(ToolCall("replace_in_file", {"path": "a.py", "diff": diff}, {}, {}))
    assert use.changes[0] == Replace("one\ntwo", "three")
    assert len(use.changes) == 2
    open_end = ToolCall("replace_in_file", {"path": "a.py", "diff": "<<<<<<< SEARCH\none\n=======\n"}, {}, {})
    assert not any(isinstance(change, Replace) for use in file_uses(open_end) for change in use.changes)


def test_a_hunk_goes_to_where_its_lines_stand_nearest_to_its_number() -> None:
    text = of("x", "a", "b", "y", "a", "b", "a", "a", "b")
    for number, place in ((1, 1), (5, 4), (9, 7)):
        done = changed(text, Hunks((Hunk(("a", "b"), ("new",), line=number),)), 3)
        assert done.lines is not None and done.lines.index("new") == place
    assert changed(text, Hunks((Hunk(("b", "x"), ("new",)),)), 3).lines is None


@given(st.lists(st.sampled_from(["<system-reminder>", "</system-reminder>", "\n", " ", "a"]), max_size=14))
def test_notes_of_the_program_are_taken_out(parts: list[str]) -> None:
    plain = re.compile(r"\n*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)
    assert without_notes("".join(parts)) == plain.sub("", "".join(parts))


def notes(length: int) -> object:
    return without_notes("<system-reminder>\n" * (length // 18)), without_notes("\n" * length)


def equal_lines(length: int) -> object:
    return changed(of(*["a"] * (length // 4)), Whole("\n".join(["b", *["a"] * (length // 4), "c"])), 1)


def everywhere(length: int) -> object:
    return changed(of("ab" * (length // 2)), Replace("a", "xyz", True), 1)


def lines_everywhere(length: int) -> object:
    return changed(of(*["a"] * length), Replace("a\na", "b", True), 1)


def nearly(length: int) -> object:
    part = ("a",) * (length // 8)
    return changed(of(*["a"] * (length // 2)), Hunks((Hunk((*part, "b"), ("c",)),)), 1)


def blocks(length: int) -> object:
    text = "<<<<<<< SEARCH\n" * (length // 30) + "=======\n" * (length // 16)
    return file_uses(ToolCall("replace_in_file", {"path": "a.py", "diff": text}, {}, {}))


def marks(length: int) -> object:
    return file_uses(ToolCall("replace_in_file", {"path": "a.py", "diff": "SEARCH " + "<" * length}, {}, {}))


@pytest.mark.parametrize("work", [notes, equal_lines, everywhere, lines_everywhere, nearly, blocks, marks])
def test_the_time_follows_the_length(work: Callable[[int], object]) -> None:
    assert not is_squared(work, 20_000)
