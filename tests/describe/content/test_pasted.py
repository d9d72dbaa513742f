"""What a person said beside the output they pasted."""

from __future__ import annotations

import pytest

from opentine_gui.core import Step, StepKind
from opentine_gui.describe.content.printed.pasted import own_words
from opentine_gui.describe.step_titles import title
from tests.growth import is_squared


def said(prompt: str) -> str:
    return title(Step(id="a", parent_ids=(), kind=StepKind.MODEL, inputs={"prompt": prompt}, v3_kind="human"))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("remote: Permission denied.\nfatal: unable to access\n\nbut it's a public repo", "but it's a public repo"),
        ("So this:\n Step 3\n│ Define it │\n╰──╯\n\nShould show the markers. Thanks", "Should show the markers"),
        ("~/work (main)\n➜  work npm test\nError: ENOENT: no file\n    at read (node:fs:443:20)",
         "Pasted: Error: ENOENT: no file"),
        ("then tackle this:\n\n{\"type\": 1}\n{\"type\": 2}", "then tackle this:"),
        ("/init", "/init"),
        ("+1 for that one", "+1 for that one"),
        ("Error: it fails", "Error: it fails"),
    ],
)  # fmt: skip
def test_a_persons_own_words_come_before_what_they_pasted(prompt: str, expected: str) -> None:
    assert said(prompt) == expected


@pytest.mark.parametrize("unit", ["remote: a\n", "│\n\n", "at x:", "~/a/", "➜ "])
def test_long_pasted_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    assert not is_squared(lambda size: own_words(unit * size), 250)
