"""A step of a report as a part of a document: its words quoted, commands and output as code, edits as differences."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from opentine_gui.core import Graph, Step, StepKind
from opentine_gui.core.analysis.files.file_change import (
    PATHS,
    Change,
    FileUse,
    Insert,
    Plain,
    Replace,
    Whole,
    file_uses,
)
from opentine_gui.core.analysis.files.patches import Hunks, has_patch
from opentine_gui.core.analysis.tool_call import tool_call
from opentine_gui.core.comparison.text_difference import MOST_CHARACTERS, MOST_MEETINGS, Effort, lines_of, signed_lines
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS, COMMAND_KEYS, NAME_KEYS, call_of
from opentine_gui.describe.content.recognise import language_of, recognise
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.describe.failures.stopped_words import tried_words
from opentine_gui.describe.markdown import code, escaped, fenced, quoted
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import MESSAGES, TEXT_KEYS, Told, has_text, scalar, told

LONGEST = 6_000
"""Characters of one text; the JSON export has the whole of it."""
LONGEST_ASKED = 1_500
"""Characters of what a model was asked, which the steps before it say as well."""
MOST_NAMED = 12
LONGEST_VALUE = 40
EMPTY: tuple[object, ...] = (None, "", [], {})
_LISTS_OF_EDITS = ("edits", "changes")
_LABELS = frozenset({
    "role", "type", "id", "object", "index", "model", "name", "created", "signature", "usage", "stop_reason",
    "stop_sequence", "stop", "finish_reason", "finish", "tool_call_id",
})  # fmt: skip
"""Members that say something of what stands beside them, and nothing by themselves."""
_GOES_ON = ("*The rest is not shown: the JSON export has all of it.*", "")
_THOUGHTS = ("thinking", "reasoning", "reasoning_content", "thought", "thoughts")


class _Said(NamedTuple):
    """A text, how many values it leaves out, the `key` it stands under, if it is one, and whether it goes on."""

    text: str = ""
    left: int = 0
    key: str = ""
    cut: bool = False

    def __bool__(self) -> bool:
        return has_text(self.text)


def step_lines(graph: Graph, position: int) -> list[str]:
    """What a step said and did, as lines of Markdown below its heading; nothing in it can end a block or be a heading.

    What is cut or passed over is counted or named.
    """
    step = graph.step(position)
    lines: list[str] = []
    failure = failure_of(step)
    if failure is not None:
        how = graph.stopped.get(position, "failed").capitalize()
        headline = shown_headline(step, failure)
        lines += [f"**{how}:** {escaped(headline)}", ""]
    if step.kind is StepKind.TOOL and not step.v3_kind:
        lines += _tool(graph, position, step)
    else:
        lines += _words(graph, position, step)
    if failure is not None:
        printed = _said(step.outputs).text
        for text in (failure.message, failure.traceback):
            if has_text(text) and text.strip() != headline and text.strip() not in printed:
                lines += _block(text, "")
    return lines


def _words(graph: Graph, position: int, step: Step) -> Iterator[str]:
    """What was asked, thought and answered, and what else is recorded."""
    # What a model was sent is context; what any other step says in its inputs is what it says.
    of_model = bool(step.outputs) and step.shown_kind == "model"
    asked = _said(step.inputs, last=of_model)
    thoughts = {key: thought for key in _THOUGHTS if (thought := told(step.outputs.get(key)))}
    # Calls that were made are steps of their own.
    called = ("tool_calls",) if any(graph.kinds[child] is StepKind.TOOL for child in graph.children[position]) else ()
    answer = _said(step.outputs, (*thoughts, *called))
    if of_model and _is_beside(step.inputs, asked):
        yield from _beside(step.inputs)
    elif asked:
        yield from ("Asked:", "") if of_model else ()
        yield from _text(asked, LONGEST_ASKED if of_model else LONGEST)
        yield from (*_left(asked), *(_beside(step.inputs, asked.key) if asked.key else ()))
    for thought in thoughts.values():
        yield from ("Thinking:", "", *_prose(thought.text), *_left(thought))
    if _is_beside(step.outputs, answer, *thoughts, *called, thought=bool(thoughts)):
        yield from _beside(step.outputs, *thoughts, *called)
        return
    if answer and answer.text != asked.text:
        # What stands beside thoughts under no usual key is hardly an answer, but too much to be only named.
        heading = "Also recorded:" if thoughts and not answer.key else "Answered:"
        yield from (heading, "") if asked or thoughts else ()
        yield from _text(answer)
    yield from (*_left(answer), *(_beside(step.outputs, answer.key, *thoughts, *called) if answer.key else ()))


def _said(payload: Mapping[str, Any], passed: Iterable[str] = (), *, last: bool = False) -> _Said:
    """The whole text under the first of the usual keys that has any; else all but `passed`, without a key.

    Of messages all, or with `last` the last one that says something.
    """
    for key in (*TEXT_KEYS, *MESSAGES):
        value = payload.get(key)
        if key in passed or not value:
            continue
        if last and key in MESSAGES and isinstance(value, list):
            found = _last_said(value[-20:])
            found = found._replace(left=found.left + len(value) - 1)
        else:
            found = told(value)
        if found:
            return _Said(*found, key)
    others = {key: value for key, value in payload.items() if key not in passed and value not in EMPTY}
    if any(map(_has_objects, others.values())):
        return _json(others)
    return _Said(*told(others))


def _last_said(messages: list[Any]) -> Told:
    """The last message that has a text under a usual key, else the last that has more than a role and calls."""
    silent = []
    for message in reversed(messages):
        found = told(message)
        if found and not isinstance(message, dict):
            return found
        if found and any(message.get(key) and told(message[key]) for key in (*TEXT_KEYS, *MESSAGES)):
            return found
        silent.append(message)
    others = [
        {key: value for key, value in message.items() if key not in _LABELS and key != "tool_calls"}
        for message in silent
        if isinstance(message, dict)
    ]
    return next(filter(None, map(told, others)), Told())


def _is_beside(payload: Mapping[str, Any], said: _Said, *passed: str, thought: bool = False) -> bool:
    """Whether what a payload says, under no usual key, is only what stands beside something: labels, or small values
    beside what was thought.
    """
    return bool(said and not said.key) and all(
        name in _LABELS or (thought and _is_short(value))
        for name, value in payload.items()
        if name not in passed and value not in EMPTY
    )


def _has_objects(value: Any) -> bool:
    """Whether a value is more than texts one after another."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(part, dict | list) for part in value))


def _tool(graph: Graph, position: int, step: Step) -> Iterator[str]:
    """A call: the command, what it changed or its arguments, then what came out."""
    command = call_of(step.inputs, step.tool_info).command
    call = tool_call(graph, position)
    uses = [use for use in file_uses(call) if use.changes] if call is not None else []
    effort = Effort(MOST_MEETINGS)  # one for all edits of a step, of which there may be many
    changed = [line for use in uses for line in _changes(use, effort)]
    if command:
        yield from _block(command, "bash")
        if call is not None:
            key = next((key for key in COMMAND_KEYS if call.arguments.get(key)), "")
            yield from _beside(call.arguments, key) if key else ()
    elif changed and call is not None:
        tried = tried_words(step)
        yield from (f"{tried}:", "") if tried else ()
        yield from changed
        yield from _beside(call.arguments, *PATHS, *_keys_of_changes(call.arguments, uses))
    else:
        arguments = _arguments(step.inputs)
        if arguments not in EMPTY:
            written = _json(arguments)
            yield from _block(written.text, "json", cut=written.cut)
    result = _said(step.outputs)
    if result:
        yield from ("Result:", "", *_text(result, listing=True), *_left(result))
        yield from _beside(step.outputs, result.key) if result.key else ()


def _json(value: Any) -> _Said:
    """The beginning of a value as JSON: the whole of one that is nested deep can be hundreds of times as long."""
    parts: list[str] = []
    size = 0
    for part in json.JSONEncoder(ensure_ascii=False, indent=2, default=str).iterencode(value):
        parts.append(part)
        size += len(part)
        if size > LONGEST:
            return _Said("".join(parts)[:LONGEST], cut=True)
    return _Said("".join(parts))


def _is_short(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and len(value) <= LONGEST_VALUE)


def _arguments(inputs: Mapping[str, Any]) -> Any:
    found = next((inputs[key] for key in ARGUMENT_KEYS if inputs.get(key)), None)
    return found if found is not None else {key: value for key, value in inputs.items() if key not in NAME_KEYS}


def _keys_of_changes(arguments: Mapping[str, Any], uses: Iterable[FileUse]) -> Iterator[str]:
    """The arguments whose texts the changes of files are told by."""
    parts = [part for use in uses for change in use.changes for part in change if isinstance(part, str)]
    shown = frozenset(parts)
    for key, value in arguments.items():
        if key in _LISTS_OF_EDITS or (isinstance(value, str) and (value in shown or _holds_changes(value))):
            yield key


def _holds_changes(text: str) -> bool:
    return has_patch(text) or ("<<<<< SEARCH" in text and ">>>>> REPLACE" in text)


def _changes(use: FileUse, effort: Effort) -> Iterator[str]:
    for change in use.changes:
        lines = list(_change(use.path, change, effort))
        if lines:
            yield from (f"In {code(use.path)}:", "", *lines)


def _change(path: str, change: Change, effort: Effort) -> Iterator[str]:
    match change:
        case Whole(text):
            yield from _block(text, language_of(path))
        case Replace(old, new):
            # Where there is nothing on one side, the empty line after the last newline is none either.
            before, after = (text.split("\n") if old and new else lines_of(text) for text in (old, new))
            yield from _difference(before, after, effort)
        case Insert(_, text):
            yield from _block("\n".join(f"+{line}" for line in text.splitlines()), "diff")
        case Hunks(hunks):
            for hunk in hunks:  # the lines around a change, which are in what was and in what is, are written once
                yield from _difference(hunk.old, hunk.new, effort)
        case Plain(word):
            yield from ([f"The file was {word}.", ""] if word == "deleted" else [])


def _difference(old: Sequence[str], new: Sequence[str], effort: Effort) -> Iterator[str]:
    lines, cut = signed_lines(old, new, effort=effort)
    yield from _block("\n".join(lines), "diff")
    if cut:
        yield from _rest(max("\n".join(old), "\n".join(new), key=len), MOST_CHARACTERS)


def _text(said: _Said, most: int = LONGEST, *, listing: bool = False) -> list[str]:
    """A text: words as a quotation, anything else, and what a tool gave, as code."""
    found = recognise(said.text)
    if not listing and found.kind in ("prose", "markdown", "text"):
        return _prose(said.text, most)
    language = {"json": "json", "diff": "diff", "code": language_of(found.language)}.get(found.kind, "")
    return _block(said.text, language, most, cut=said.cut)


def _prose(text: str, most: int = LONGEST) -> list[str]:
    """A text as a quotation, cut if it is long."""
    return [*quoted(text[:most].strip("\n")), "", *_rest(text, most)]


def _block(text: str, language: str, most: int = LONGEST, *, cut: bool = False) -> list[str]:
    """A text as a block of code, cut if it is long; `cut`: it is only the beginning of one."""
    if not has_text(text):
        return []
    return [*fenced([text[:most].strip("\n")], language), "", *(_GOES_ON if cut else _rest(text, most))]


def _rest(text: str, most: int) -> list[str]:
    left = len(text) - most
    return [f"*{counted(left, 'more character')}: the JSON export has them all.*", ""] if left > 0 else []


def _left(shown: Told | _Said) -> list[str]:
    """How many values a text leaves out."""
    return [f"*{counted(shown.left, 'more value')}: the JSON export has them all.*", ""] if shown.left else []


def _beside(payload: Mapping[str, Any], *passed: str) -> list[str]:
    """What is recorded beside what was told, which is `passed`: small values and the names of others."""
    names = [
        f"{name}: {scalar(value)}" if _is_short(value) else str(name)
        for name, value in payload.items()
        if name not in passed and value not in EMPTY
    ]
    if not names:
        return []
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    named = escaped(", ".join(names[:MOST_NAMED]))
    return [f"*Also recorded: {named}{more}; the JSON export has all of it.*", ""]
