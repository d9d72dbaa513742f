"""A step of a report as a part of a document: its words quoted, commands and output as code, edits as differences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any

from opentine_gui.core import Graph, Step, StepKind
from opentine_gui.core.analysis.files.file_change import Change, FileUse, Insert, Plain, Replace, Whole, file_uses
from opentine_gui.core.analysis.files.patches import Hunks
from opentine_gui.core.analysis.tool_call import tool_call
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS, NAME_KEYS, call_of
from opentine_gui.describe.content.recognise import language_of, recognise
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.describe.markdown import code, escaped, fenced, quoted
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import first_text, has_text, whole_text

LONGEST = 6_000
"""Characters of one text; the JSON export has the whole of it."""
LARGEST_EDIT = 100_000
"""Characters of an edit beyond which no difference is worked out."""
LONGEST_ASKED = 1_500
"""Characters of what a model was asked, which the steps before it say as well."""
_PROSE = ("prose", "markdown")


def step_lines(graph: Graph, position: int) -> list[str]:
    """What a step did, as lines of Markdown below its heading; nothing in it can end a block or be a heading."""
    step = graph.step(position)
    lines: list[str] = []
    failure = failure_of(step)
    if failure is not None:
        lines += [f"**Failed:** {escaped(shown_headline(failure))}", ""]
    if step.kind is StepKind.TOOL and not step.v3_kind:
        lines += _tool(graph, position, step)
    else:
        asked = first_text(step.inputs)
        said = first_text(step.outputs)
        if has_text(asked):
            # What a model was sent is context; what any other step says in its inputs is what it says.
            of_model = bool(step.outputs) and step.shown_kind == "model"
            lines += [*(["Asked:", ""] if of_model else ()), *_text(asked, LONGEST_ASKED if of_model else LONGEST)]
        if has_text(said) and said != asked:
            lines += [*(["Answered:", ""] if has_text(asked) else ()), *_text(said)]
    if failure is not None:
        printed = whole_text(dict(step.outputs))
        for text in (failure.message, failure.traceback):
            if has_text(text) and text.strip() != shown_headline(failure) and text.strip() not in printed:
                lines += _block(text, "")
    return lines


def _tool(graph: Graph, position: int, step: Step) -> Iterator[str]:
    """A call: the command, what it changed or its arguments, then what came out."""
    command = call_of(step.inputs, step.tool_info).command
    call = tool_call(graph, position)
    uses = [use for use in file_uses(call) if use.changes] if call is not None else []
    told = [lines for use in uses for lines in _changes(use)]
    if command:
        yield from _block(command, "bash")
    elif not told:
        arguments = _arguments(step.inputs)
        if arguments not in (None, "", {}, []):
            yield from _block(json.dumps(arguments, ensure_ascii=False, indent=2, default=str), "json")
    if not command:
        for lines in told:
            yield from lines
    result = whole_text(dict(step.outputs)) if step.outputs else ""
    if has_text(result):
        yield "Result:"
        yield ""
        yield from _text(result, listing=True)


def _arguments(inputs: Mapping[str, Any]) -> Any:
    found = next((inputs[key] for key in ARGUMENT_KEYS if inputs.get(key)), None)
    return found if found is not None else {key: value for key, value in inputs.items() if key not in NAME_KEYS}


def _changes(use: FileUse) -> Iterator[list[str]]:
    for change in use.changes:
        lines = list(_change(use.path, change))
        if lines:
            yield [f"In {code(use.path)}:", "", *lines]


def _change(path: str, change: Change) -> Iterator[str]:
    match change:
        case Whole(text):
            yield from _block(text, language_of(path))
        case Replace(old, new):
            if len(old) + len(new) <= LARGEST_EDIT:
                differing = list(unified_diff(old.splitlines(), new.splitlines(), lineterm=""))[2:]
                yield from _block("\n".join(line for line in differing if not line.startswith("@@")), "diff")
        case Insert(_, text):
            yield from _block("\n".join(f"+{line}" for line in text.splitlines()), "diff")
        case Hunks(hunks):
            for hunk in hunks:
                removed, added = [f"-{line}" for line in hunk.old], [f"+{line}" for line in hunk.new]
                yield from _block("\n".join([*removed, *added]), "diff")
        case Plain(word):
            yield from ([f"The file was {word}.", ""] if word == "deleted" else [])


def _text(text: str, most: int = LONGEST, *, listing: bool = False) -> list[str]:
    """A text: words as a quotation, anything else, and what a tool gave, as code."""
    found = recognise(text)
    if not listing and found.kind in (*_PROSE, "text"):
        shown = text[:most].strip("\n")
        return [*quoted(shown), "", *_rest(text, most)]
    language = {"json": "json", "diff": "diff", "code": language_of(found.language)}.get(found.kind, "")
    return _block(text, language, most)


def _block(text: str, language: str, most: int = LONGEST) -> list[str]:
    """A text as a block of code, cut if it is long."""
    if not has_text(text):
        return []
    return [*fenced([text[:most].strip("\n")], language), "", *_rest(text, most)]


def _rest(text: str, most: int) -> list[str]:
    left = len(text) - most
    return [f"*{counted(left, 'more character')}: the JSON export has them all.*", ""] if left > 0 else []
