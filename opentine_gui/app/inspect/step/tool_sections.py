"""The sections of a tool step: what it changed, what came out, and the call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from opentine_gui.app.inspect.step.section import Path, Role, Section, is_worth, label, only_text, parsed
from opentine_gui.core import Step
from opentine_gui.core.comparison.text_difference import MOST_MEETINGS, Effort, unified
from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS, NAME_KEYS
from opentine_gui.describe.failures.stopped_words import tried_words
from opentine_gui.describe.payload_text import has_text
from opentine_gui.scene.text.clean import clean

_RESULTS = (
    "result", "results", "output", "content", "text", "stdout", "stderr", "hits", "matches", "items", "data", "rows",
    "body",
)  # fmt: skip
_FILES = ("file_path", "path", "filename", "file")
_EDITS = (
    ("old_string", "new_string"), ("old_str", "new_str"), ("oldText", "newText"), ("old_text", "new_text"),
    ("before", "after"),
)  # fmt: skip
_WRITTEN = ("content", "contents", "file_text")
"""The arguments under which tools that write a file get its text."""
_WROTE = "Written"
_LANGUAGES = {"command": "bash", "cmd": "bash", "script": "bash", "sql": "sql", "prompt": "markdown"}
"""What is written in an argument of this name."""
_LONG = 100
"""Characters from which an argument is a section of its own; one with several lines always is."""
_NUMBERS = re.compile(r"^@@ -\d+,(\d+) \+\d+,(\d+) @@$")
_LARGEST_EDIT = 400_000
"""Characters of an edit beyond which no difference is worked out."""


def tool_sections(step: Step, taken: Collection[Path]) -> Iterator[Section]:
    """What a tool changed and answered, without the values at `taken`, and the call.

    What it should have changed and did not, or not as far as is recorded, is a part of the call.
    """
    arguments, at = _arguments(step.inputs)
    if isinstance(arguments, str):
        arguments = parsed(arguments)
    file = _file_of(arguments)
    changes = [*_changes(arguments, file), *_written(arguments, at, file)]
    tried: list[Section] = []
    if tried_words(step):
        tried = [found._replace(name=tried_words(step, writes=found.name == _WROTE), role="tried") for found in changes]
        changes = []
    yield from changes
    for section in _parts(step.outputs, "outputs", _RESULTS, "Result", "result", taken):
        yield section if changes or tried else section._replace(hint=file)  # a writing tool answers in words
    yield from tried
    yield from _call(step, arguments, at, file)


def _arguments(inputs: Mapping[str, Any]) -> tuple[Any, Path]:
    """(the arguments of a call, their path)."""
    for key in ARGUMENT_KEYS:
        if inputs.get(key):
            return inputs[key], ("inputs", key)
    return {key: value for key, value in inputs.items() if key not in NAME_KEYS}, ("inputs",)


def _file_of(arguments: Any) -> str:
    """The file a call is about, or ""."""
    if not isinstance(arguments, Mapping):
        return ""
    return next((str(arguments[key]) for key in _FILES if isinstance(arguments.get(key), str)), "")


def _call(step: Step, arguments: Any, at: Path, file: str) -> Iterator[Section]:
    """The call: short arguments together, each long one separately, then what else is known about the tool."""
    if isinstance(arguments, Mapping):
        edited = {key for pair in _EDITS if all(isinstance(arguments.get(key), str) for key in pair) for key in pair}
        long = [
            key for key, value in arguments.items() if isinstance(value, str) and (key in edited or _is_long(value))
        ]
        short = {key: value for key, value in arguments.items() if key not in long}
        if short:
            yield Section("Call", short, "call", path=at)
        for key in long:
            hint = _LANGUAGES.get(key, file)
            yield Section(label(key), arguments[key], "call", key not in edited, (*at, key), hint=hint)
    elif arguments not in (None, "", []):
        yield Section("Call", arguments, "call", path=at)
    rest = (
        {key: value for key, value in step.inputs.items() if key != at[-1] and key not in NAME_KEYS}
        if len(at) > 1
        else {}
    )
    if rest:
        yield Section("Also asked", rest, "call", path=("inputs",))
    about = {key: value for key, value in step.tool_info.items() if key not in NAME_KEYS}
    if about:
        yield Section("Tool", about, "settings", path=("tool_info",))


def _written(arguments: Any, at: Path, file: str) -> Iterator[Section]:
    """The text that a tool was told to write to a file."""
    if file and isinstance(arguments, Mapping):
        for key in _WRITTEN:
            text = arguments.get(key)
            if has_text(text):
                yield Section(_WROTE, text, "change", path=(*at, key), hint=file)


def _is_long(text: str) -> bool:
    return len(text) >= _LONG or "\n" in text.strip("\n")


def _changes(arguments: Any, name: str) -> Iterator[Section]:
    """What an editing tool was told to change, as a unified diff."""
    if not isinstance(arguments, Mapping):
        return
    edits = arguments.get("edits")
    pairs = [arguments, *(edits if isinstance(edits, list) else ())]
    effort = Effort(MOST_MEETINGS)  # one for all edits of a step, of which there may be many
    texts = [found for pair in pairs if isinstance(pair, Mapping) and (found := _edit(pair, name, effort))]
    if texts:
        yield Section("Change", "\n".join(texts), "change")


def _edit(pair: Mapping[str, Any], name: str, effort: Effort) -> str:
    for old_key, new_key in _EDITS:
        old, new = pair.get(old_key), pair.get(new_key)
        if isinstance(old, str) and isinstance(new, str) and old != new and len(old) + len(new) <= _LARGEST_EDIT:
            file = clean(name, 200) or "the text"
            lines = [_NUMBERS.sub(_without_place, line) for line in unified(old, new, effort=effort)]
            return "\n".join([f"--- {file}", f"+++ {file}", *lines])
    return ""


def _without_place(hunk: re.Match[str]) -> str:
    """The head of a hunk whose place in the file is not recorded: how many lines it has, and 0 for where they stand."""
    return f"@@ -0,{hunk[1]} +0,{hunk[2]} @@"


def _parts(
    values: Mapping[str, Any], field: str, keys: Sequence[str], name: str, role: Role, taken: Collection[Path]
) -> Iterator[Section]:
    """The members of a payload under known keys, each separately, then the others together."""
    used = {key for key in values if (field, key) in taken}
    found = [key for key in keys if key not in used and key in values and is_worth(values[key])]
    for place, key in enumerate(found):
        used.add(key)
        yield Section(
            name if place == 0 and key not in ("stdout", "stderr") else label(key),
            only_text(values[key]),
            role,
            path=(field, key),
        )
    rest = {key: value for key, value in values.items() if key not in used}
    if rest:
        yield Section("Also recorded" if found else name, rest, role, path=(field,))
