"""A value as a file for an editor: a name made of our own letters, and a suffix by content."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.inspect.step.payload_file import payload_file
from opentine_gui.app.state.window_state import ValuePlace


@pytest.mark.parametrize(
    ("value", "suffix"),
    [
        ({"a": 1}, ".json"),
        ('{"a": 1}', ".json"),
        ("{not json", ".txt"),
        ("--- a.py\n+++ b.py\n@@ -1 +1 @@\n-x\n+y", ".diff"),
        ("# Title\n\n- one\n- two\n- three", ".md"),
        ("plain words", ".txt"),
        ("#!/bin/sh\nrm -rf /", ".txt"),
        ("<html><script>x()</script></html>", ".txt"),
    ],
)
def test_the_suffix_says_what_it_is_and_never_one_that_runs(value: Any, suffix: str) -> None:
    assert payload_file(ValuePlace("s", ("outputs",)), value).suffix == suffix


paths = st.lists(st.text() | st.integers(), max_size=4).map(tuple)


@given(st.text(min_size=1), paths, st.text())
def test_nothing_of_a_recording_gets_into_the_name(identity: str, path: tuple[str | int, ...], value: str) -> None:
    file = payload_file(ValuePlace(identity, path), value)
    assert re.fullmatch(r"step(-[a-z0-9]+)*", file.name)
    assert len(file.name) < 80
