"""Markdown is rendered as far as anybody reads it, in time that follows its length, and loses no word."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.describe.content.markdown import markdown_lines
from tests.describe.content.shown import said, styled
from tests.growth import is_squared

REPORT = """# What happened

The importer dies with `KeyError` as soon as a session was **rewound**.

1. first
2. second

| File | Edits |
|---|---|
| reader.py | 5 |

```python
def link(records):
    return None
```
"""


def test_markdown_is_rendered_and_its_links_say_where_they_lead() -> None:
    lines = styled(
        markdown_lines(REPORT + "\n[https://good.example](https://bad.example) and [here](https://a.example)\n")
    )
    texts = [line.text for line in lines]
    assert texts[0] == "What happened"
    assert "The importer dies with KeyError as soon as a session was rewound." in texts
    assert "def link(records):" in texts
    assert "https://good.example (https://bad.example) and here" in texts
    assert next(span.hint for span in lines[-2].spans if span.text == "here") == "https://a.example"


@pytest.mark.parametrize("row", ["", "\u0300", "> a", "| a |", "# a"])
@pytest.mark.parametrize("begin", ["", "```\n"], ids=["", "fenced"])
def test_markdown_of_more_lines_than_anybody_reads_is_not_rendered(begin: str, row: str) -> None:
    many = begin + f"{row}\n" * 100_000 + "*end*"
    lines = markdown_lines(many)
    assert len(lines) == many.count("\n") + 1  # as it is: neither empty lines nor marks are left out
    assert lines[len(lines) - 1].text == "*end*"


@pytest.mark.parametrize("row", ["a", "| a |", "> a"])
def test_a_long_block_of_markdown_lets_the_window_go_on(row: str) -> None:
    paced = 0

    def pace() -> None:
        nonlocal paced
        paced += 1

    begin = "```\n" if row == "a" else "| a |\n|---|\n"
    markdown_lines(begin + f"{row}\n" * 10_000, pace)
    assert paced >= 100


MARKS = (
    "**",
    "*",
    "_",
    "`",
    "```",
    "[",
    "](",
    ")",
    "\n",
    "# ",
    "- ",
    "> ",
    "|",
    "---",
    "~~",
    "1. ",
    "\\",
    "https://x.y/",
)


@given(st.lists(st.sampled_from([*MARKS, "a", "b c"]), max_size=60))
def test_every_word_of_markdown_is_shown(parts: list[str]) -> None:
    text = "".join(parts)
    shown = "".join(said(markdown_lines(text)))
    assert shown.count("c") >= text.count("b c")


@pytest.mark.parametrize("sign", ["`", "*", "**", "~~", "_", "\\", "![", "]("])
def test_signs_that_are_left_out_join_no_marks_to_a_flood(sign: str) -> None:
    text = sign.join(["a\u064b\u064b\u064b\u064b"] + ["\u064b\u064b\u064b\u064b"] * 9)
    for line in said(markdown_lines(f"{text}\n\n|{text}|{text}|\n|-|-|\n")):
        assert re.search("\u064b{5}", line) is None


@pytest.mark.parametrize("bait", ["`" * 4000, "*a" * 2000, "[" * 4000, "_a_" * 1500, "**" * 2000, "![](" * 1000])
def test_no_markdown_takes_longer_than_its_length(bait: str) -> None:
    assert not is_squared(lambda count: said(markdown_lines(bait * count)), 1, 64.0)
