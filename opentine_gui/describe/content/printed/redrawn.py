"""Lines that a program redrew, such as progress bars: what a terminal finally shows of them."""

from __future__ import annotations

import re

from opentine_gui.describe.content.lines import Pace, no_pace

_HOME = re.compile(r"\x1b\[[01]?G")
_ERASED = "\x1b[2K"
"""Erases a whole line; programs then return to its beginning."""
_RETURN = re.compile(r"\r(?![\r\n])")
_SEQUENCE = re.compile(r"(?:\x1b\[|\x9b)([0-?]*+)[ -/]*+([@-~])")
_PROGRESS = re.compile("[%\x1b\u2588\u28ff]|\\d/\\d")
"""Tells a progress bar from text whose lines end in a carriage return alone, as in old files."""
RETURNED_OVER = 4096
"""Most states of one line that are examined, the last ones: older ones are nearly always covered."""


def last_states(text: str, pace: Pace = no_pace) -> tuple[str, int]:
    """(the text with only the last state of every redrawn line, how many earlier states were left out).

    Parts of an earlier state that a later one does not cover stay, as in a terminal.
    """
    if "\x1b[" in text:
        text = _HOME.sub("\r", text)
    if _RETURN.search(text) is None or ("\n" not in text and not _PROGRESS.search(text)):
        return text, 0
    done: list[str] = []
    dropped = at = 0
    while found := _RETURN.search(text, at):
        pace()
        begin = text.rfind("\n", at, found.start()) + 1 or at
        end = text.find("\n", found.end())
        end = len(text) if end < 0 else end
        states = [state for state in text[begin:end].rstrip("\r").replace(_ERASED, "\r\x1b[K").split("\r") if state]
        done += (text[at:begin], _last_state(states))
        dropped += max(len(states) - 1, 0)
        at = end
    done.append(text[at:])
    return "".join(done), dropped


def _last_state(states: list[str]) -> str:
    """What a line shows after each state was written over those before it; colours are kept."""
    if not states:
        return ""
    shown = states[-1]
    width, erased = _extent(shown)
    for place in range(len(states) - 2, max(len(states) - 2 - RETURNED_OVER, -1), -1):
        if erased:
            break
        under = states[place]
        if len(under) > width:
            reach, erased = _extent(under)
            if reach > width:
                shown += _behind(under, width)
                width = reach
        else:
            erased = "\x1b" in under and _extent(under)[1]
    return _pen_before(states) + shown


def _extent(state: str) -> tuple[int, bool]:
    """(columns that a state covers, whether it erased the rest of the line)."""
    if "\x1b" not in state and "\x9b" not in state:
        return len(state), False
    erased = any(found[2] == "K" and found[1] in ("", "0", "2") for found in _SEQUENCE.finditer(state))
    return len(_SEQUENCE.sub("", state)), erased


def _behind(state: str, column: int) -> str:
    """A state from a column on, with the sequences that colour it."""
    kept: list[str] = []
    seen = at = 0
    for found in (*_SEQUENCE.finditer(state), None):
        piece = state[at : found.start() if found else len(state)]
        kept.append(piece[max(column - seen, 0) :])
        seen += len(piece)
        if found:
            at = found.end()
            kept.append(found[0] if found[2] == "m" else "")
    return "".join(kept)


def _pen_before(states: list[str]) -> str:
    """The colours that earlier states left on for the last one."""
    for state in states[-2 : -2 - RETURNED_OVER : -1]:
        colours = [found[0] for found in _SEQUENCE.finditer(state) if found[2] == "m"] if "\x1b" in state else []
        if colours:
            return "".join(colours[-4:])
    return ""
