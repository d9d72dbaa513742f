"""Texts that begin something and never end it: what looks for an end may look for it again from every letter."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

BEGINNINGS = (
    # Markdown: headings, fences, tables, lists, quotations, links, pictures, code
    *("# a", "## ", "```", "```a ", "~~~", "~~~ a", "a|b\n-", "a|b\n|", "| a | ", "- [", "1. ", "> ", "[a](", "[a](<"),
    *("[a][", "[a]: ", "![a](", "![", "<http://", "http://a", "www.", "a@b", "`", "``", "**a", "__a", "~~a", "\\"),
    *("---", "<details", "<!--", "<![CDATA[", "<a href='", "&#", "$$", "\\("),
    # sequences for terminals
    *("\x1b[", "\x1b[31", "\x1b]0;", "\x1b]8;;", "\x1bP", "\x1b_", "\x1b^", "\x90", "\x9b", "\x9d", "\x9f", "\r", "\b"),
    # quotations and brackets of code and data
    *('"', "'", '"""', "'''", "f'{", "r'", "`${", "(", "[", "{", '{"a":"', '{"a":[', "[[", "/*", "//", "<<EOF\n"),
    *("<<'E", "/a", "#{", "%(", "@{", "<?php ", "{{", "{%", "b'", "0x", "1e", "1.", "-"),
    # paths, places, errors
    *("/a/", "a/", "./", "../", "~/", "C:\\", "\\\\", "@a/", "+a/", "file:///", "a.py:", "a.py:1:", "a(1,", '  File "'),
    *("Traceback (most recent call last):\n", "at a (", "    at ", "Error: ", "error", "E   ", "[a] ", "output:"),
    *('{"message":"', "Command failed: ", "exit code ", "npm ERR! ", "fatal: ", "Uncaught ", "1 | ", "2024-01-01T"),
    # commands
    *("$(", "${", "a=", "a && ", "git commit -m '", 'git commit -m "$(cat <<', "cat <<EOF\n", "sudo ", "env A=", "! "),
    "set ",
    # patches and tables of values
    *("@@ -", "@@ -1,9 +1,9 @@ ", "--- a", "+++ ", "diff --git a", "*** Begin Patch\n", 'a,b\n"', "a\tb\n"),
    "data:image/png;base64,",
)  # fmt: skip
GOES_ON = (" ", "a", "\t", "-", "|", "1", "/a", "\\", "a ", " a", "\n", "\n ", '\\"', ", ", "é")
"""What follows a beginning again and again, besides the beginning itself."""
ENDS = ((), ("x",), ("!",), ("\n",), ("\x00",), ("`",))
"""What ends no text that was begun, and keeps what stands before it from matching."""


def beginnings(random: Random) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]:
    """For every beginning: itself again and again, and followed by something again and again; with any end."""
    for begin in BEGINNINGS:
        yield (), (begin,), random.choice(ENDS)
        yield (begin,), (random.choice(GOES_ON),), random.choice(ENDS)
        yield (begin,), (random.choice(GOES_ON[:2]),), random.choice(ENDS)
