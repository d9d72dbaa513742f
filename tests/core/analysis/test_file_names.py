"""Names of files in what checks print, and that hostile text costs no more than its length."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.analysis.files.file_names import names_in, places_in
from tests.growth import is_squared

# What is looked for, as one pattern that tries every way: right, but its time is the length cubed.
NAMED = re.compile(r"[\w@~./\\+-]*[\w+-]+\.[A-Za-z]\w{0,9}(?!\w)")
PLACE = re.compile(r"([\w@~./\\+-]*[\w+-]+\.[A-Za-z]\w{0,9})(?:\", line |:|\()(\d+)")
BAITS = ("a", "a.", "./", "-", "a(", " a", ".aaaaaaaaaaaaaaa", "a.b:1", "é")


def test_names_and_places_are_found() -> None:
    said = 'File "/w/src/a.py", line 12, in f\nlib/b.test.ts(3,4): error\n./c.rs:9:1 no.\nE   x = 1.5'
    assert list(places_in(said)) == [("/w/src/a.py", "12"), ("lib/b.test.ts", "3"), ("./c.rs", "9")]
    assert list(names_in(said)) == ["/w/src/a.py", "lib/b.test.ts", "./c.rs"]


@given(st.text(alphabet='ab1.:/"(-, ', max_size=40) | st.text(max_size=20))
def test_they_are_those_of_the_plain_pattern(text: str) -> None:
    assert list(names_in(text)) == NAMED.findall(text)
    assert list(places_in(text)) == PLACE.findall(text)


@pytest.mark.parametrize("bait", BAITS)
def test_the_time_follows_the_length(bait: str) -> None:
    def work(length: int) -> None:
        text = bait * (length // len(bait))
        list(names_in(text))
        list(places_in(text))

    assert not is_squared(work, 10_000)
