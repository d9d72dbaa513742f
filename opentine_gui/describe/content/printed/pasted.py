"""A person's own words beside what they pasted from a terminal, a log or a screen into their message."""

from __future__ import annotations

import re

from opentine_gui.core.graph.typed_prompt import typed

PASTED = "Pasted: "
_LOOKED_AT = 4_000
_MOST_WORDS = 600
"""Most characters of a last paragraph that is taken for the person's own words."""
_SHORT_LEAD = 3
"""A first line of no more words, such as "So this:", only leads to the pasted text; own words are at least as many."""
_PRINTED = re.compile(
    r"\s{0,40}(?:"
    r"(?:\S{1,60} )?[➜❯»]\s"  # the prompts of shells
    r"|\$ \S|[\w.-]{1,40}@[\w.-]{1,60}[:~]"
    r"|(?:~|/[\w.-]{1,60})(?:/[\w.@~-]{1,60}){1,20}(?: \([\w/.-]{1,60}\))?\s*$"
    r"|[+-] ?\d{1,6} {1,9}[-+|│*#]"  # numbered lines of a diff
    r"|(?:remote|fatal|error|warning|[A-Za-z]{0,40}Error): |npm (?:ERR!|error) |Traceback \(most recent"
    r"|node:[\w/]{1,40}:\d|at .{1,200}:\d{1,6}\)?\s*$"
    r'|[{\[]["{])'
)
_DRAWN = re.compile(r"[─-▟⠀-⣿]")
"""Characters that boxes, bars and spinners are drawn with."""
_SAYS_WHAT = re.compile(r"\s{0,40}(?:fatal: |error: |[A-Za-z]{0,40}Error: )(?=\S)")


def own_words(prompt: str) -> str:
    """What a person typed of a prompt, without what their editor added and without pasted lines it begins with.

    Where all of it was pasted, "Pasted: " and the line that says most.
    """
    text = typed(prompt)
    lines = text[:_LOOKED_AT].strip("\n").split("\n", 60)[:60]
    if not _begins_printed(lines):
        return text
    for paragraph in reversed(text[-_LOOKED_AT:].strip().split("\n\n")[1:]):
        own = paragraph.strip("\n")
        if _is_printed(own):
            continue
        if len(own) <= _MOST_WORDS and len(own.split()) >= _SHORT_LEAD and not any(map(_is_printed, own.split("\n"))):
            return own.strip()
        break
    printed = [line for line in lines if _is_printed(line)]
    if len(printed) < 2:
        return text
    return PASTED + next((line for line in lines if _SAYS_WHAT.match(line)), printed[0]).strip()


def _begins_printed(lines: list[str]) -> bool:
    if _is_printed(lines[0]):
        return True
    short = len(lines) > 1 and len(lines[0].split()) <= _SHORT_LEAD
    return short and (_is_printed(lines[1]) or (len(lines) > 2 and bool(_DRAWN.search(lines[2]))))


def _is_printed(line: str) -> bool:
    return bool(_PRINTED.match(line) or _DRAWN.search(line[:_LOOKED_AT]))
