"""The line of a card that says what an edit changed."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import StepKind
from opentine_gui.describe.card_marks import card_face
from opentine_gui.describe.content.changes.change_words import LARGEST, change_words
from tests.core.analysis.call_runs import Recording

PATCH = """*** Begin Patch
*** Update File: a.py
@@
 def f():
-    return 1
+    return 2
+    # two
*** End Patch"""


def words(name: str, arguments: Any, **fields: Any) -> str:
    run = Recording()
    run.ask("go")
    call = run.call(name, arguments, "The file /w/a.py has been updated successfully.", **fields)
    return change_words(run.record().graph, call)


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("Edit", {"file_path": "/w/a.py", "old_string": "a\n\nb\nc", "new_string": "a\n\nx\ny\nc"}, "+2 −1 · x"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a\nb", "new_string": "a"}, "+0 −1 · b"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a\nb", "new_string": "a\nn1\nb\nn2"}, "+2 −0 · n1"),
        (
            "Edit",
            {"file_path": "/w/a", "old_string": "a", "new_string": "b", "replace_all": True},
            "+1 −1 everywhere · b",
        ),
        ("Edit", {"file_path": "/w/a.py", "old_string": "", "new_string": "a\nb"}, "2 lines · a"),
        ("Write", {"file_path": "/w/a.py", "content": "\n\n  import os\n"}, "3 lines · import os"),
        (
            "MultiEdit",
            {
                "file_path": "/w/a.py",
                "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c", "new_string": "d\ne"}],
            },
            "+3 −2 · b",
        ),
        ("apply_patch", {"input": PATCH}, "+2 −1 · return 2"),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "\x1b[31mb\u202e"}, "+1 −1 · b"),
    ],
)
def test_it_counts_the_lines_that_came_and_went_and_says_the_first(name: str, arguments: Any, said: str) -> None:
    assert words(name, arguments) == said


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("Read", {"file_path": "/w/a.py"}),
        ("Edit", {"file_path": "/w/a.py"}),
        ("Edit", {"file_path": "/w/a.py", "old_string": "a", "new_string": "a"}),
        ("Write", {"file_path": "/w/a.py", "content": "x" * LARGEST}),
        ("Bash", {"command": "cat > a.py <<E\nx\nE"}),
        ("search", {"query": "x"}),
    ],
)
def test_of_what_changes_nothing_or_does_not_say_what_nothing_is_said(name: str, arguments: Any) -> None:
    assert words(name, arguments) == ""


def test_the_card_of_an_edit_says_it_in_place_of_the_tools_answer_but_not_in_place_of_a_failure() -> None:
    run = Recording()
    run.ask("go")
    arguments = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}
    done = run.call("Edit", arguments, "The file /w/a.py has been updated successfully.", duration=0.1)
    failed = run.call("Edit", arguments, failed="String to replace not found in file.")
    run.add(StepKind.MODEL, {}, outputs={"text": "+1 −1"})
    graph = run.record().graph
    face = card_face(graph, done)
    assert (face.line, face.line_first) == ("+1 −1 · b", True)
    face = card_face(graph, failed)
    assert "not found" in face.line and not face.line_first
