"""What calls are for and about, from tool names and command lines."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import Graph
from opentine_gui.core.analysis.tool_call import tool_call
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.graph.calls.call_roles import Role, call_of, classified, plain_command
from opentine_gui.core.graph.calls.shell_line import commands, deciding_command

PATCH = "*** Begin Patch\n*** Update File: src/x.rs\n@@\n-old\n+new\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "role", "about"),
    [
        ("Read", {"file_path": "/a/b/reader.py"}, Role.LOOK, "reader.py"),
        ("read_file", {"path": "src/part_3.py", "query": "x"}, Role.LOOK, "part_3.py"),
        ("MultiEdit", {"file_path": "a.py", "edits": []}, Role.EDIT, "a.py"),
        ("str_replace_editor", {"command": "view", "path": "/repo/app"}, Role.LOOK, "app"),
        ("file_editor", {"command": "str_replace", "path": "/repo/a.py"}, Role.EDIT, "a.py"),
        ("update_topic", {"title": "Cleaning up"}, Role.PLAN, ""),
        ("shell", {"command": "Get-Content app.py"}, Role.LOOK, "app.py"),
        ("Bash", {"command": "curl -s -X POST 'https://example.org/a' -d x"}, Role.RUN, "curl https://example.org/a"),
        ("Bash", {"command": "python3 -c 'import yaml'"}, Role.RUN, "python3 -c"),
        ("TodoWrite", {"todos": []}, Role.PLAN, ""),
        ("Task", {"description": "Explore", "prompt": "…"}, Role.DELEGATE, "Explore"),
        ("AskUserQuestion", {"question": "Which?"}, Role.ASK, "Which?"),
        ("WebSearch", {"query": "dominators"}, Role.LOOK, "dominators"),
        ("Bash", {"command": "cd '/a b' && git commit -m 'x && y'"}, Role.SAVE, "git commit"),
        ("Bash", {"command": "git -C sub status --short"}, Role.LOOK, "git status"),
        ("Bash", {"command": "FOO=1 timeout 60 .venv/bin/python -m pytest -q tests"}, Role.TEST, "python pytest"),
        ("Bash", {"command": "npm run test:unit"}, Role.TEST, "npm run test:unit"),
        ("Bash", {"command": "sed -i s/a/b/ reader.py"}, Role.EDIT, "reader.py"),
        ("Bash", {"command": "sed -n 1,5p reader.py"}, Role.LOOK, "reader.py"),
        ("Bash", {"command": "cat > notes.md <<'EOF'\nmake test\nEOF"}, Role.EDIT, "notes.md"),
        ("shell", {"command": ["bash", "-lc", "rg -n foo src/a.rs"]}, Role.LOOK, "a.rs"),
        ("apply_patch", {"input": PATCH}, Role.EDIT, "x.rs"),
        ("shell", {"command": ["applypatch", PATCH]}, Role.EDIT, "x.rs"),
        ("shell", {"cmd": f"apply_patch << 'EOF'\n{PATCH}EOF"}, Role.EDIT, "x.rs"),
        ("frobnicate", {"n": 3}, Role.RUN, ""),
        ("exec_command", {"cmd": "./deploy.sh prod"}, Role.RUN, "deploy.sh prod"),
    ],
)
def test_a_call_says_what_it_is_for_and_about(tool: str, arguments: Any, role: Role, about: str) -> None:
    found = classified(tool, arguments)
    assert (found.role, found.about) == (role, about)


def test_names_and_arguments_are_found_under_the_names_writers_use() -> None:
    assert call_of({"arguments": {"path": "a/b.py"}}, {"name": "edit"}).role is Role.EDIT
    assert call_of({"tool": "bash", "args": '{"command": "pytest -q"}'}).role is Role.TEST
    assert call_of({"function": {"name": "grep"}, "pattern": "x"}).tool == "grep"
    assert call_of({}).role is Role.RUN


def test_a_call_in_an_object_of_its_own_is_read_alike_by_all_who_read_calls() -> None:
    """As models ask for calls; what is tested and what is edited must not depend on who asks."""
    for arguments in ({"command": "pytest -q"}, '{"command": "pytest -q"}'):
        inputs = {"function": {"name": "bash", "arguments": arguments}}
        assert call_of(inputs) == call_of({"name": "bash", "arguments": arguments})
        assert call_of(inputs).role is Role.TEST
        step = new_step("tool", inputs, (), timestamp=0.0)
        called = tool_call(Graph.of([step]), 0)
        assert called is not None and called.arguments == {"command": "pytest -q"}


def test_only_the_command_that_matters_is_left_of_a_line() -> None:
    assert plain_command('cd "/a b" && A=1 env B=2 nice -n 5 make test 2>&1 | tail -5')[:2] == ["make", "test"]
    assert plain_command("cd somewhere") == ["cd", "somewhere"]
    assert plain_command("") == []


def test_a_line_goes_on_behind_a_backslash_that_ends_it() -> None:
    assert list(commands("pytest -q \\\n  tests/a.py \\\r\n  | tail")) == [
        ("", ["pytest", "-q", "tests/a.py"]),
        ("|", ["tail"]),
    ]
    assert [joint for joint, _ in commands("cd a && \\\n  make test")] == ["", "&&"]
    for unbroken in ("# all of them \\\nmake test", "ls # all \\\nmake test", "ls a\\\\\nmake test"):
        assert list(commands(unbroken))[1] == ("\n", ["make", "test"]), "a comment ends with its line"


def test_the_command_that_decides_the_exit_code_is_the_last_one_unless_an_earlier_one_may() -> None:
    assert deciding_command("cd /a && sudo grep b c")[0] == "grep"
    assert deciding_command("cat a | grep 'b && c'; wc -l d")[0] == "wc"
    assert deciding_command("test -f a || grep b c") == []
    for unsure in ("! grep b c", "set -e; test -f a; grep b c", "grep b <<END\nx\nEND\ntest -f a", "x" * 5_000):
        assert deciding_command(unsure) == []
    assert deciding_command("") == []


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("(npm test)", [["npm", "test"]]),
        ("(cd web && npm test); (ls)", [["cd", "web"], ["npm", "test"], ["ls"]]),
        ("( npm test ) | tail", [["npm", "test"], ["tail"]]),
        ("echo $(date)", [["echo", "$(date)"]]),
        ("find . \\( -name a \\)", [["find", ".", "\\(", "-name", "a", "\\)"]]),
        ("f() { npm test; }", [["f()", "{", "npm", "test"], ["}"]]),
        ("((x = 1))", [["((x", "=", "1"]]),
    ],
)
def test_parentheses_around_commands_are_no_part_of_them(command: str, words: list[list[str]]) -> None:
    assert [found for _, found in commands(command)] == words
