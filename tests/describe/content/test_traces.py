"""Errors with their calls: what leads, what is folded, and that no part of one is an error of ours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.describe.content.printed.trace import read_trace
from opentine_gui.describe.content.show_value import show_value
from opentine_gui.describe.content.tree_lines import Folds
from tests.describe.content.shown import said
from tests.describe.content.traces import (
    GO_TRACE,
    GROUP_TRACE,
    JAVA_TRACE,
    JAVASCRIPT_TRACE,
    NODE_TRACE,
    PYTHON_TRACE,
    RECURSION_TRACE,
    RUST_TRACE,
)


@pytest.mark.parametrize(
    ("text", "error", "innermost", "count"),
    [
        (PYTHON_TRACE, "ImportFailed: record 88 has no parent", "/src/run.py:77", 2),
        (JAVASCRIPT_TRACE, "TypeError: x is undefined", "/src/reader.js:41", 2),
        (JAVA_TRACE, 'Exception in thread "main" java.lang.IllegalStateException: no parent', "Reader.java:41", 2),
        (RUST_TRACE, "no parent", "src/reader.rs:41", 3),
        (GO_TRACE, "panic: no parent", "/src/reader.go:41", 2),
        (RECURSION_TRACE, "RecursionError: too deep", "/src/a.py:3", 3),
        (GROUP_TRACE, "ExceptionGroup: unhandled errors (2 sub-exceptions)", "/src/a.py:12", 1),
        ("Error: no parent\n    at link (/src/reader.js:41:7)\n", "Error: no parent", "/src/reader.js:41", 1),
    ],
)
def test_a_traceback_leads_with_its_error_and_the_innermost_call(
    text: str, error: str, innermost: str, count: int
) -> None:
    found = read_trace(text.split("\n"))
    assert found is not None
    assert found.error == (error,)
    assert f"{found.frames[0].file}:{found.frames[0].line}" == innermost
    assert len(found.frames) == count
    assert said(show_value(text, Folds()).lines)[0] == error


def test_an_error_of_node_keeps_its_members_and_its_place_is_not_taken_for_it() -> None:
    shown = said(show_value(NODE_TRACE, Folds()).lines)
    assert shown[:3] == ["Error: no settings", "  code: 'ENOENT'", "/src/load.js:3 in load"]


def test_the_errors_of_a_group_stand_below_it_each_with_its_calls() -> None:
    shown = said(show_value(GROUP_TRACE, Folds()).lines)
    assert shown[4:] == [
        "Error 1 of 2", "ValueError: first", "/src/a.py:4 in one", "", "Error 2 of 2", "TypeError: second",
        "/src/a.py:6 in two",
    ]  # fmt: skip


def test_frames_of_libraries_are_folded_before_those_of_the_users_own_code() -> None:
    inner = '  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode\n    obj = scan(s)\n'
    text = PYTHON_TRACE.replace("ImportFailed", inner + "ImportFailed")
    folded, opened = (said(show_value(text, Folds(opened=how)).lines) for how in ({}, {("frames",): True}))
    assert [line for line in folded if ".py" in line][:2] == ["/src/run.py:77 in run", "/src/cli.py:12 in main"]
    assert "1 more frame" in folded
    assert opened[1] == "/usr/lib/python3.11/json/decoder.py:337 in decode"


def test_the_cause_of_an_error_and_what_stands_around_it_are_kept() -> None:
    shown = said(show_value(PYTHON_TRACE, Folds(opened={("around",): True})).lines)
    assert "KeyError: 'parent'" in shown
    assert "some output" in shown


@pytest.mark.parametrize(
    ("line", "name", "place"),
    [
        ("    at Reader.link (/src/a b/reader.js:41:7)", "Reader.link", "/src/a b/reader.js:41"),
        ("    at async Promise.all (index 0)", "Promise.all", "index 0:"),
        ("    at /src/reader.js:41:7", "", "/src/reader.js:41"),
        ("    at link file:///src/reader.js:41:7", "link", "file:///src/reader.js:41"),
    ],
)
def test_a_call_of_javascript_is_named_with_its_place(line: str, name: str, place: str) -> None:
    found = read_trace(["Error: no parent", line])
    assert found is not None
    assert [(frame.name, f"{frame.file}:{frame.line}") for frame in found.frames] == [(name, place)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("main.(*Reader).link(0xc000, {0x1, 0x2})", "main.(*Reader).link"),
        ("created by main.(*Reader).start in goroutine 7", "main.(*Reader).start"),
        ("main.link(...)", "main.link"),
    ],
)
def test_a_call_of_go_is_named_with_the_type_of_its_method(line: str, name: str) -> None:
    found = read_trace(["panic: no parent", "goroutine 1 [running]:", line, "\t/src/reader.go:41 +0x1d"])
    assert found is not None
    assert [frame.name for frame in found.frames] == [name]


@given(st.lists(st.sampled_from([*PYTHON_TRACE.split("\n"), *JAVA_TRACE.split("\n"), *GO_TRACE.split("\n"), "x"])))
def test_no_part_of_a_traceback_is_an_error_of_ours(lines: list[str]) -> None:
    show_value("\n".join(lines), Folds())
