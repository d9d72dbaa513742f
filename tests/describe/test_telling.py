"""Titles say something of the work: headings, rules and exclamations before it are left out."""

from __future__ import annotations

import pytest

from opentine_gui.core.graph.calls.call_roles import plain_command
from opentine_gui.describe.payload_text import telling_first


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Perfect! The theme is now complete.", "The theme is now complete"),
        ("---\n\n# Plan\n\n1. Read the parser\n2. Mend it", "Read the parser"),
        ("## Summary\nTwo files were changed.", "Two files were changed"),
        ("✅ Fixed\n\nThe strategy was optional.", "The strategy was optional"),
        ("Great! Done! All 12 tests pass.", "All 12 tests pass"),
        ("Ah! The bracket is missing.", "The bracket is missing"),
        ("I see the issue. The hook gets the wrong name.", "The hook gets the wrong name"),
        ("已完成！\n\n我整理了指南", "我整理了指南"),
        ("See the [issue 14](https://example.org/14) first", "See the issue 14 first"),
        ("Plan", "Plan"),
        ("👍", "👍"),
        ("完成總結", "完成總結"),
        ("Plan the migration of the tables first.", "Plan the migration of the tables first"),
    ],
)
def test_the_first_sentence_that_says_something_is_the_title(text: str, title: str) -> None:
    assert telling_first(text) == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I made two changes:\n\n1. **Reader** closes its file\n2.", "I made two changes: Reader closes its file"),
        ("Let me check the paths:", "Let me check the paths:"),
        ("Here's what I built:\n\n```yaml\nname: x\n```", "Here's what I built:"),
        ("Now I update the page with all of the latest news there is:\n- a",
         "Now I update the page with all of the latest news there is:"),
    ],
)  # fmt: skip
def test_a_short_sentence_that_leads_to_another_comes_with_it(text: str, title: str) -> None:
    assert telling_first(text) == title


def test_what_a_person_exclaims_is_what_they_said() -> None:
    assert telling_first("Perfect! Commit it.", spoken_by_a_person=True) == "Perfect!"
    assert telling_first("# Task\n\nMend the parser.", spoken_by_a_person=True) == "Mend the parser"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("# Fix the imports\nsed -i s/a/b/ x.ts", ["sed", "-i", "s/a/b/", "x.ts"]),
        ("$d = Get-ChildItem src", ["Get-ChildItem", "src"]),
        ("# only a remark", []),
        ("echo '# no remark'; ls", ["ls"]),
    ],
)
def test_remarks_and_assignments_do_not_name_a_command(command: str, words: list[str]) -> None:
    assert plain_command(command) == words
