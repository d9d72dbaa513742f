"""Logs: the time muted, the level in its colour. Lines are independent, so a log of any length can be shown."""

from __future__ import annotations

from opentine_gui.core.format.late_pattern import late_pattern
from opentine_gui.describe.content.lines import Lines, Pace, no_pace, text_lines
from opentine_gui.scene.text.styled import Span, StyledLine

_PARTS = late_pattern(
    r"^(?P<time>[\[(<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[\])>]?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|)"
    r"(?P<middle>.{0,120}?)"
    r"(?P<level>\b(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL|PANIC|PASSED|PASS|FAILED|FAIL|SKIPPED"
    r"|XFAIL|XPASS)\b|\b(?:debug|info|warn(?:ing)?|error|fatal|critical)\b(?=[\]:=]))"
)
LEVELS = {
    "TRACE": "quiet", "DEBUG": "quiet", "INFO": "tool", "NOTICE": "tool", "WARN": "warning", "WARNING": "warning",
    "ERROR": "bad", "ERR": "bad", "FATAL": "bad", "CRITICAL": "bad", "PANIC": "bad", "PASSED": "good", "PASS": "good",
    "FAILED": "bad", "FAIL": "bad", "SKIPPED": "quiet", "XFAIL": "warning", "XPASS": "warning",
}  # fmt: skip
_TIME = late_pattern(
    r"^[\[(<]?(?:\d{4}[-/]\d\d[-/]\d\d[T ])?\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?[\])>]?"
)


def log_lines(text: str, pace: Pace = no_pace) -> Lines:
    """The lines of a log of any length."""
    return text_lines(text, log_line, pace)


def log_line(line: str, _number: int = 0) -> StyledLine:
    """One line of a log."""
    if not line:
        return StyledLine()
    found = _PARTS.match(line)
    if found is None:
        time = _TIME.match(line)
        end = time.end() if time else 0
        spans = (Span(line[:end], "quiet"), Span(line[end:]))
        return StyledLine(tuple(span for span in spans if span.text), hang=16.0)
    role = LEVELS[found["level"].upper()]
    rest = "bad" if role == "bad" else "quiet" if role == "quiet" else "text"
    parts = (
        Span(found["time"], "quiet"),
        Span(found["middle"], "text"),
        Span(found["level"], role),
        Span(line[found.end() :], rest),
    )
    return StyledLine(tuple(span for span in parts if span.text), hang=16.0, ground="trouble" if role == "bad" else "")
