"""What went wrong in a step: type, message, traceback and exit code, from wherever recordings keep them.

Some writers have an object with `type`, `message` and `traceback`; others put all of it in one text that begins with
"Exit code 1" and ends with a traceback; error steps may have the message in their inputs or outputs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from opentine_gui.core import Step, StepKind
from opentine_gui.core.graph.outcomes.masked_failure import masked_failure
from opentine_gui.describe.payload_text import first_text, has_text, whole_text

Path = tuple[str | int, ...]
"""The members and indices that lead to a value of a step."""

_KINDS = ("type", "name", "kind", "class", "error_type")
_MESSAGES = ("message", "error", "detail", "reason", "exception", "text", "stderr")
_TRACES = ("traceback", "trace", "stack", "stacktrace", "stack_trace")
_EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
PLAIN_KINDS = frozenset({"ToolError", "Error", "error", "failed", "exit_code", "unknown"})
"""Types that only say that something failed: they are left out, both before a message and on their own."""

_EXIT_LINE = re.compile(
    r"\s*(?:Command failed with )?exit(?:ed with)?[ _](?:code|status):? (-?\d{1,10})\s*(?:\n|\Z)", re.I
)
_WRAPPED = re.compile(r"\s*<(tool_use_error|error|stderr)>(.*)</\1>\s*\Z", re.DOTALL)
_TRACE_START = re.compile(r"^[ \t|+]*(?:Exception Group )?Traceback \(most recent call last\):[ \t]*$", re.MULTILINE)
_NAMED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Reached|Timeout)?: ?.+")
_COLOURS = re.compile(r"\x1b\[[0-9;]{0,12}m")
JUDGED, BY_OUTPUT = "judged by", "what it printed; its exit code is lost in the pipe behind it"
_LONGEST_LOOK = 200_000
"""Characters at the end of a message that are searched for a traceback."""
_SHORTEST_CUT, _LONGEST_CUT = 1_000, 20_000
"""Characters of a message that may be the beginning alone of what was printed: logs are read with a limit."""
_SHORTEST_MARKED = 200
"""The same of a message with an ellipsis at its end."""


class Failure(msgspec.Struct, frozen=True):
    """Why a step failed. `headline` is one line; `message` and `traceback` are complete, as recorded ("" if missing).

    `message` excludes the line with the exit code and the traceback. `facts` are the other recorded members.
    """

    headline: str
    kind: str = ""
    message: str = ""
    traceback: str = ""
    exit_code: int | None = None
    facts: Mapping[str, Any] = {}
    paths: tuple[Path, ...] = ()
    """The recorded values that it was read from, which need not be shown again."""


def failure_of(step: Step) -> Failure | None:
    """What went wrong in a step; None for a step that did not fail."""
    if step.error:
        return _from_object(step, step.error, ("error",))
    found = step.outputs.get("error")
    if isinstance(found, Mapping) and found:
        return _from_object(step, found, ("outputs", "error"))
    if has_text(found):
        return _made(step, "", found, "", ("outputs", "error"))
    if step.kind is StepKind.ERROR and not step.v3_kind:
        return _from_error_step(step)
    return _from_output(step) if step.kind is StepKind.TOOL else None


def exit_code_of(values: Mapping[str, Any]) -> int | None:
    """The exit code among the members of an object, or None."""
    codes = (values.get(key) for key in _EXIT_CODES)
    return next((code for code in codes if isinstance(code, int) and not isinstance(code, bool)), None)


def _from_object(step: Step, error: Mapping[str, Any], path: Path) -> Failure:
    kind = next((error[key] for key in _KINDS if isinstance(error.get(key), str)), "")
    message_key = next((key for key in _MESSAGES if _said(error.get(key))), "")
    trace_key = next((key for key in _TRACES if _said(error.get(key))), "")
    message, trace = (_said(error.get(key)) if key else "" for key in (message_key, trace_key))
    used = {*_KINDS, *_EXIT_CODES, message_key, trace_key}
    facts = {key: value for key, value in error.items() if key not in used and value not in (None, "", {}, [])}
    code = exit_code_of(error)
    return _made(step, kind, message, trace, path, facts, code)


def _from_output(step: Step) -> Failure | None:
    """The failure of a check whose exit code is lost in a pipe: what it printed says so."""
    line = masked_failure(step.inputs, step.outputs)
    if not line:
        return None
    headline = " ".join(_COLOURS.sub("", line).split())
    return Failure(headline, message=headline, facts={JUDGED: BY_OUTPUT})


def _from_error_step(step: Step) -> Failure | None:
    """The failure of an error step without a recorded error: its message is in the inputs or outputs."""
    for part, values in (("outputs", step.outputs), ("inputs", step.inputs)):
        for key in ("message", "error", "text", "result"):
            message = _said(values.get(key))
            if message:
                return _made(step, "", message, "", (part, key))
    return None


def _made(
    step: Step,
    kind: str,
    message: str,
    trace: str,
    path: Path,
    facts: Mapping[str, Any] | None = None,
    code: int | None = None,
) -> Failure:
    recorded, message = message, _uncut(step, message)
    wrapped = _WRAPPED.match(message) if len(message) < _LONGEST_LOOK else None
    if wrapped:
        message = wrapped[2].strip()
    first = _EXIT_LINE.match(message)
    if first:
        code = int(first[1]) if code is None else code
        message = message[first.end() :]
    if code is None:
        code = exit_code_of(step.outputs)
    if not trace:
        message, trace = without_traceback(message)
    headline = _headline(kind, message, trace) or (f"Exit code {code}" if code is not None else "Failed")
    same = tuple(
        ("outputs", key) for key, value in step.outputs.items() if isinstance(value, str) and value == recorded
    )
    return Failure(headline, kind, _bare(message), _bare(trace), code, facts or {}, (path, *same))


def _uncut(step: Step, message: str) -> str:
    """A message, or the printed text of which it is only the beginning: why a command failed stands at its end."""
    is_marked = message.endswith("…") and len(message) >= _SHORTEST_MARKED
    if not (is_marked or len(message) >= _SHORTEST_CUT) or len(message) > _LONGEST_CUT:
        return message
    begun = message.removesuffix("…").strip()
    for printed in (*step.outputs.values(), first_text(step.outputs)):
        if isinstance(printed, str) and len(printed) > len(begun):
            head = printed[:_SHORTEST_CUT]
            if printed.startswith(begun, len(head) - len(head.lstrip())):
                return printed
    return message


def _bare(text: str) -> str:
    """A text without the empty lines around it; a long one as it is, because this runs within frames and copies."""
    return text.strip("\n") if len(text) < _LONGEST_LOOK else text


def without_traceback(message: str) -> tuple[str, str]:
    """(message without its traceback, the traceback); the traceback is "" if there is none."""
    start = max(len(message) - _LONGEST_LOOK, 0)
    found = _TRACE_START.search(message, start)
    return (message[: found.start()], message[found.start() :]) if found else (message, "")


def _headline(kind: str, message: str, trace: str) -> str:
    """The line that says most: the traceback's line that names the error, else the type and the message's first line.

    A traceback of a different error than the recorded type is ignored: it may be the caller's.
    """
    kind = " ".join(kind.split())
    first = next((line.strip() for line in message[:_LONGEST_LOOK].split("\n") if line.strip()), "")
    last = last_line(trace)
    same = not kind or kind in PLAIN_KINDS or kind in last
    if last and (not first or _is_frame(first) or (same and _NAMED.fullmatch(last))):
        return last
    if not first:
        return "" if kind in PLAIN_KINDS else kind.strip()
    said = kind in PLAIN_KINDS or kind in first or kind.replace("_", " ") in first  # "no_result: no result recorded"
    return first if not kind or said else f"{kind}: {first}"


def last_line(trace: str) -> str:
    """The line of a traceback that names the error: the last that looks like one, else the last line."""
    lines = [line for line in (one.strip(" \t\r|+") for one in trace[-_LONGEST_LOOK:].split("\n")) if line.strip("-")]
    return next((line for line in reversed(lines[-40:]) if _NAMED.fullmatch(line)), lines[-1] if lines else "")


def _is_frame(line: str) -> bool:
    return line.startswith(("File ", "at ", "Traceback"))


def _said(value: Any) -> str:
    """A text, or a list of lines joined into one; "" for anything else."""
    if isinstance(value, str):
        return value if has_text(value) else ""
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value[:50]):
        return "\n".join(str(line) for line in value)
    return whole_text(value) if isinstance(value, Mapping | list) else ""
