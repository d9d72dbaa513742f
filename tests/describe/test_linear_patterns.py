"""What has the beginning of a sign and not its end takes time in proportion to its length."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.core.graph.calls.shell_line import commands, deciding_command
from opentine_gui.describe.content.markdown import markdown_lines
from opentine_gui.describe.content.printed.terminal import terminal_lines
from opentine_gui.describe.failures.reason import without_folders
from tests.growth import is_squared

SHORT = 250


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(lambda size: "# a" + " " * size + "b", id="a heading with a gap"),
        pytest.param(lambda size: "```" + " " * size + "a`", id="a fence with a gap"),
        pytest.param(lambda size: "~" * size + "`", id="a long fence that is none"),
        pytest.param(lambda size: "~~~" + "a" * size + "`", id="a fence with a long name"),
        pytest.param(lambda size: "a|b\n" + " " * size + "-x", id="a table's rule with a gap before it"),
        pytest.param(lambda size: "a|b\n-" + " " * size + "x", id="a table's rule with a gap in it"),
        pytest.param(lambda size: "a" + "`" * size, id="signs of code that has no end"),
        pytest.param(lambda size: "[a](" + "b" * size, id="a link that has no end"),
    ],
)
def test_markdown_without_an_end(text: Callable[[int], str]) -> None:
    assert not is_squared(lambda size: markdown_lines(text(size)), SHORT)


@pytest.mark.parametrize("unit", ["\x90", "\x9d", "\x90\u200b", "a\x98"])
def test_terminal_sequences_without_an_end(unit: str) -> None:
    assert not is_squared(lambda size: terminal_lines("\x1b[31m" + unit * size + "\x1b["), SHORT)


def test_what_a_terminal_sequence_without_an_end_holds_is_shown() -> None:
    lines = terminal_lines("one \x90two\x1b[31m three\x1b]0;title\x07 four")
    assert "".join(span.text for span in lines[0].spans) == "one two three four"


@pytest.mark.parametrize("sign", "@+~-")
def test_signs_that_may_begin_a_path(sign: str) -> None:
    assert not is_squared(lambda size: without_folders(sign * size), SHORT)
    assert without_folders(f"in {sign}a/b/c.py") == "in c.py"


@pytest.mark.parametrize("work", [deciding_command, lambda line: list(commands(line))])
@pytest.mark.parametrize("unit", ["\n", '"\\', "\n "])
def test_command_lines(work: Callable[[str], object], unit: str) -> None:
    assert not is_squared(lambda size: work((unit * size)[:size]), SHORT)


def test_quotes_in_a_command_line() -> None:
    assert list(commands("a \"b;c\" 'd;e' ; f")) == [("", ["a", '"b;c"', "'d;e'"]), (";", ["f"])]
    assert list(commands("a \"b ; c 'd;e'")) == [("", ["a", '"b']), (";", ["c", "'d;e'"])]
    assert deciding_command("true\n\n  set -e; grep x") == []


@pytest.mark.parametrize(
    ("line", "text"),
    [("# a", "a"), ("## a ##", "a"), ("# a b#", "a b"), ("###", ""), ("# # a", "# a"), ("#a", "#a"), ("#######", "")],
)
def test_headings(line: str, text: str) -> None:
    shown = markdown_lines(line)
    assert "".join(span.text for span in shown[0].spans if len(shown)) == text if len(shown) else not text
