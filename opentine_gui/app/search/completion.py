"""How a half-typed query could go on: names of fields, and values that are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from opentine_gui.app.search.query import FIELDS, words_of
from opentine_gui.core import Graph
from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.core.progress import batches
from opentine_gui.describe.step_titles import model_in, tool_name

MOST = 8
MOST_VALUES = 200


class Completion(NamedTuple):
    """A way to go on: what it is called, what it means, and the whole query then."""

    label: str
    words: str
    text: str


class _Named(msgspec.Struct, gc=False):
    """What of a step names a tool or a model."""

    inputs: Any = None
    tool_info: Any = None
    model_info: Any = ""


_decode = msgspec.json.Decoder(_Named).decode


def values_in(graph: Graph, cancelled: Callable[[], bool]) -> dict[str, tuple[str, ...]]:
    """The kinds, tools and models of a run, most frequent first, by field. In a job: every step is looked at."""
    tools: dict[str, int] = {}
    models: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for part in batches(graph.raws):
        if cancelled():
            break
        for position in range(part.start, part.stop):
            kind = graph.v3_kinds.get(position, graph.kinds[position].value)
            kinds[kind] = kinds.get(kind, 0) + 1
            try:
                step = _decode(graph.raws[position])
            except (msgspec.MsgspecError, RecursionError):
                continue
            model = model_in(step.model_info)
            if model:
                models[model] = models.get(model, 0) + 1
            if kind == "tool":
                inputs = step.inputs if isinstance(step.inputs, dict) else {}
                tool = tool_name(inputs, step.tool_info if isinstance(step.tool_info, dict) else {})
                tools[tool] = tools.get(tool, 0) + 1
    return {"kind": _frequent(kinds), "tool": _frequent(tools), "model": _frequent(models)}


def _frequent(counts: Mapping[str, int]) -> tuple[str, ...]:
    found = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
    return tuple(found[:MOST_VALUES])


def completions(text: str, values: Mapping[str, Sequence[str]], level: str = "step") -> list[Completion]:
    """Ways to go on with the last word of a query, the likeliest first; [] after a space or in quotes.

    `values` are known values by field; `level` is what is asked about, "step" or "run".
    """
    start = max(text.rfind(" "), text.rfind("\t")) + 1
    word = text[start:]
    if not word or text.count('"') % 2 or "/" in word:
        return []
    sign = "-" if word.startswith("-") and len(word) > 1 else ""
    bare = word[len(sign) :].lower()
    head = text[:start] + sign
    name, colon, begun = bare.partition(":")
    if not colon:
        fields = [field for field in FIELDS.values() if field.name.startswith(bare) and field.level != _other(level)]
        return [Completion(f"{field.name}:", field.words, f"{head}{field.name}:") for field in fields][:MOST]
    if name not in FIELDS:
        return []
    known = values.get(name) or (SHOWN_KINDS if name == "kind" else ())
    found = [value for value in known if begun in value.lower() and value.lower() != begun]
    found.sort(key=lambda value: not value.lower().startswith(begun))
    return [Completion(value, "", f"{head}{name}:{_as_typed(value)} ") for value in found[:MOST]]


def phrase_of(text: str) -> Completion | None:
    """The query that finds its words side by side; None for a single word, or if it holds more than words."""
    try:
        words = list(words_of(text))
    except ValueError:  # a quotation mark is open
        return None
    if len(words) < 2 or any(word.quoted or word.name or word.negated or "/" in word.value for word in words):
        return None
    phrase = " ".join(word.value for word in words).replace("\\", "\\\\").replace('"', '\\"')
    return Completion("as one phrase", "Find only where these words stand side by side", f'"{phrase}"')


def _other(level: str) -> str:
    """The level whose fields do not apply: that of steps in the list of runs, none in a search."""
    return "step" if level == "run" else ""


def _as_typed(value: str) -> str:
    return value if value and not any(letter.isspace() or letter in "\"'\\" for letter in value) else f'"{value}"'
