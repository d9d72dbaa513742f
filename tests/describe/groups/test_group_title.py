"""Titles of groups in which nobody speaks."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from opentine_gui.core import StepKind
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.call_name import call_name
from opentine_gui.describe.groups.group_title import _said, _work, without_opening
from tests.core.sample_runs import make_record, make_step


def test_a_group_that_only_writes_the_plan_names_the_task_in_progress() -> None:
    items = [
        {"content": "Read the parser", "status": "completed"},
        {"content": "Mend the parser. Then test it.", "status": "in_progress"},
    ]
    inputs = {"tool": "TodoWrite", "arguments": {"todos": items}}
    step = structs.replace(make_step("", kind=StepKind.TOOL), inputs=inputs)
    structure = Structure(make_record([step]).graph, 0)
    assert _work(structure, [0]) == "Plan: Mend the parser"


def _structure(*inputs: dict[str, Any]) -> Structure:
    steps = [
        structs.replace(make_step(f"step {number}", kind=StepKind.TOOL), inputs=one)
        for number, one in enumerate(inputs)
    ]
    return Structure(make_record(steps).graph, 0)


@pytest.mark.parametrize(
    ("tool", "arguments", "title"),
    [
        ("Bash", {"command": "rm -f TODO.md && echo removed"}, "Delete TODO.md"),
        ("Bash", {"command": "sed -n 1,5p reader.py"}, "Read reader.py"),
        ("Bash", {"command": "ls /home/me/project/src"}, "List src"),
        ("Bash", {"command": "ls /home/me/project/docs/*/review-*.md"}, "List …/review-*.md"),
        ("Bash", {"command": "grep -rn 'two words' src/a.py"}, "Search “two words”"),
        ("Bash", {"command": "git log --oneline"}, "git log"),
        ("Bash", {"command": "ruby -e \"puts File.read('/a/b')\""}, "ruby -e"),
        ("Bash", {"command": 'grep -A 10 "constructor(" src/a.ts'}, "Search “constructor(”"),
        ("Bash", {"command": "rg -g '*.py' -nC 3 needle"}, "Search “needle”"),
        ("Bash", {"command": "grep -- -x a.txt"}, "Search “-x”"),
        ("Grep", {"pattern": "a|b", "path": "/home/me/cli"}, "Search “a|b”"),
        ("WebSearch", {"query": "dominators"}, "Search “dominators”"),
        ("WebFetch", {"url": "https://example.org/a"}, "Read example.org/a"),
        ("Skill", {"skill": "review"}, 'Skill "review"'),
        ("mcp__docs__resolve", {"library": "x"}, 'docs: resolve "x"'),
        ("spawn_agent", {"message": "Count the lines. Then stop."}, "Delegate “Count the lines”"),
        ("report_intent", {"intent": "Looking for tools"}, "Plan: Looking for tools"),
    ],
)
def test_a_call_is_named_by_what_it_did_not_by_a_bare_word(tool: str, arguments: Any, title: str) -> None:
    assert _work(_structure({"tool": tool, "arguments": arguments}), [0]) == title


def test_what_differs_between_repeated_calls_is_not_named_as_if_it_were_the_same() -> None:
    graph = _structure({"tool": "Grep", "arguments": {"pattern": "a|b", "path": "/home/me/cli"}}).graph
    assert call_name(graph, 0, plain=True) == "Search cli"


def test_a_plan_is_not_named_beside_other_work() -> None:
    plan = {"tool": "TodoWrite", "arguments": {"todos": []}}
    removed = {"tool": "Bash", "arguments": {"command": "rm TODO.md"}}
    structure = _structure(plan, removed, plan)
    assert _work(structure, range(len(structure.graph))) == "Delete TODO.md"


def test_words_that_say_nothing_of_the_work_are_no_title() -> None:
    said = [
        structs.replace(make_step(text, kind=StepKind.MODEL), inputs={}, outputs={"text": text})
        for text in ("I see the issue.", "The reader skips a line:")
    ]
    structure = Structure(make_record(said).graph, 0)
    assert _said(structure, [0]) == ""
    assert _said(structure, [0, 1]) == "The reader skips a line"
    assert _said(structure, [0], empty=True) == "I see the issue"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("look around", "Look around"),
        ("picoCTF{x} is the flag", "picoCTF{x} is the flag"),
        ("Now that the file exists, we can run it", "Now that the file exists, we can run it"),
        ("Now let me read it", "Read it"),
        ("I'll help you update the guide", "Update the guide"),
    ],
)
def test_an_opening_is_cut_only_where_it_is_one(said: str, title: str) -> None:
    assert without_opening(said) == title
