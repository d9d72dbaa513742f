"""What a card says about a step: a title from its content, a subtitle, a line of figures; never a bare id.

Programs that write `.tine` files store the same thing under many names (`text`, `content`, `prompt`, `messages`;
`arguments`, `args`): the lists of keys below are those seen in files (docs/FORMAT.md, section 3.2), by preference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from opentine_gui.core.graph.calls.call_roles import ARGUMENT_KEYS, NAME_KEYS
from opentine_gui.core.model import CostState, cost_of
from opentine_gui.describe.content.call_argument import main_argument
from opentine_gui.describe.content.media import media_of_text
from opentine_gui.describe.content.printed.pasted import own_words
from opentine_gui.describe.content.tree_lines import decoded
from opentine_gui.describe.groups.delegated import started_by, task_of_call
from opentine_gui.describe.numbers import (
    NOT_PRICED,
    NOT_RECORDED,
    counted,
    format_bytes,
    format_cost,
    format_count,
    format_duration,
    format_time,
    format_tokens,
)
from opentine_gui.describe.payload_text import (
    first_sentence,
    first_text,
    has_text,
    rest_of,
    scalar,
    scalars,
    settings,
    some,
    telling_first,
    unruled,
    without_empty_lines,
)
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.core import Step

RAN_BY_USER = "Ran by the user"
_QUOTE = '"'
TITLE_LIMIT = 120
LINE_LIMIT = 160

_RESULT_KEYS = ("results", "result", "items", "matches", "documents", "papers", "hits", "data", "rows", "choices")
_ERROR_KEYS = ("error", "message", "detail", "reason", "exception", "stderr")
_LABELS = ("title", "name", "text", "path", "url", "id", "content")
_OPENING_TAGS = re.compile(r"^(?:\s*<[A-Za-z_][\w-]*>)+\s*")
"""Tags at the beginning of system prompts that are written in sections."""
_CLOSING_TAG = re.compile(r"</[A-Za-z_][\w-]*>")
_BETWEEN = " .:!?…·"
_LEAST_TOLD = 6
"""Characters at the end of a title that its second line does not begin with again."""
LONGEST_OPENED = 20_000
"""Characters of the longest result that is read as JSON for its line."""
LARGEST_SIZE = 2**63
"""Bytes; a larger number, which may be more than a float holds, is not the size of anything."""
_RELEASE_DATE = re.compile(r"-20\d{6}$")
PLAIN_TITLES = {
    "think": "A thought without text",
    "tool": "A tool call without a name",
    "model": "A model call without text",
    "done": "An answer without text",
    "error": "An error without a message",
    "human": "A person's turn without text",
    "subagent": "A sub-agent without a task",
    "policy": "A policy decision without text",
    "approval": "An approval without text",
}


def title(step: Step) -> str:
    """Return a step's title: tool call, first sentence or error message; cleaned, at most 120 characters."""
    # Cleaning a text of control characters leaves nothing.
    return clean(_title(step), TITLE_LIMIT) or PLAIN_TITLES.get(step.shown_kind, PLAIN_TITLES["model"])


def _said(text: str) -> str:
    """A text's first sentence, or as much of it as a card may show."""
    return first_sentence(text, LINE_LIMIT)


def agent_task(step: Step) -> str:
    """A sub-agent's task, in a few words if they were recorded; cleaned, at most 80 characters."""
    return clean(_task(step) or title(step), 80)  # the prompt's first words: a nickname says nothing about the work


def _task(step: Step) -> str:
    keys = ("description", "task") if has_text(step.inputs.get("prompt")) else ("description", "task", "name", "agent")
    return next((value for key in keys if has_text(value := step.inputs.get(key))), "")


def delegated_task(step: Step) -> str:
    """What a call delegated to a sub-agent; cleaned, at most 80 characters; "" if it does not say."""
    return clean(task_of_call(step, tool_name(step.inputs, step.tool_info)), 80)


def subtitle(step: Step, above: str | None = None) -> str:
    """Return a step's second line, its outcome; cleaned, at most 160 characters; "" when there is nothing.

    `above` is the step's title, if already known.
    """
    line = clean(_subtitle(step), LINE_LIMIT)
    above = title(step) if above is None else above
    begun = above.removesuffix("…")
    if begun and (
        line.startswith(begun) or f"{line[:1].upper()}{line[1:]}".startswith(begun)
    ):  # the title is not always the first sentence, nor all of it
        rest = line[len(begun) :].lstrip(_BETWEEN)
        return f"…{rest}" if rest and begun != above else rest
    told = _told(line, begun) if line[:_LEAST_TOLD] in begun else 0
    return line[told:].lstrip(_BETWEEN) if told else line


def _told(line: str, above: str) -> int:
    """How many characters a line begins with that already end the one above it: a title may go on to a sentence."""
    longest = min(len(line), len(above))
    return next((size for size in range(longest, _LEAST_TOLD - 1, -1) if above.endswith(line[:size])), 0)


def figures(step: Step) -> str:
    """Return the recorded duration, cost and tokens: "2.5 s  $0.0020  1.9k tok".

    "not priced" appears if tokens or a bill were recorded without a price; a step that records no cost says nothing
    about it. A human step shows its time, or "not recorded" without any figure.
    """
    parts = [format_duration(step.duration)] if step.duration > 0 else []
    cost, state = cost_of(step.cost, step.usage, step.billing)
    if state is CostState.KNOWN or (state is CostState.PARTIAL and cost > 0):
        parts.append(("≥ " if state is CostState.PARTIAL else "") + format_cost(cost))
    elif state is CostState.UNPRICED:
        parts.append(NOT_PRICED)
    tokens = step.tokens
    if tokens is not None:
        parts.append(format_tokens(tokens))
    if not parts and step.shown_kind in ("human", "approval", "policy") and step.timestamp:
        parts.append(format_time(step.timestamp))
    return "  ".join(parts) or NOT_RECORDED


def model_name(step: Step) -> str:
    """Return the model's name without its release date, or "" when none was recorded."""
    return model_in(step.model_info)


def model_in(info: Any) -> str:
    """Return the name in a step's `model_info`, as `model_name` does."""
    if isinstance(info, Mapping):
        info = next((info[key] for key in ("model", "name", "id") if isinstance(info.get(key), str)), "")
    return _model(info[:200]) if isinstance(info, str) else ""


@lru_cache(maxsize=64)
def _model(name: str) -> str:
    return clean(_RELEASE_DATE.sub("", name), 60)


def _title(step: Step) -> str:
    kind = step.shown_kind
    if kind == "tool":
        name = tool_name(step.inputs, step.tool_info)
        task = task_of_call(step, name)
        if task:
            # The task first: on a card beside five others the rest may be cut off.
            said = (
                "sub-agent failed" if step.error else "sub-agent starts" if started_by(step) else "sub-agent's answer"
            )
            return f"“{clean(task, 60)}”: {said}"
        if name:
            if by_person(step):
                return f"{RAN_BY_USER}: {_argument(step).removeprefix(_QUOTE).removesuffix(_QUOTE)}"
            return _tool_call(step, name)
    if kind == "error":
        said = _error_title(step)
        if said:
            return said
    if kind == "subagent" and (task := _task(step)):
        return clean(task, 80)
    text = first_text(step.inputs) or first_text(step.outputs)
    if kind == "policy":
        context = step.inputs.get("context")
        several = [{"text": part} for part in some(context)] if isinstance(context, list) else context
        text = text or first_text({"context": several}, ("context",))
    if kind == "human":
        text = own_words(text)
    if text:
        # Prompts that a program assembles are wrapped in tags.
        if kind in ("policy", "think") and (tags := _OPENING_TAGS.match(text[:4000])):
            text = _CLOSING_TAG.sub("", text[tags.end() : 4000]).strip() or text
        return telling_first(text, LINE_LIMIT, spoken_by_a_person=kind == "human")
    calls = _tool_calls(step.outputs)
    if calls:
        return f"Calls {calls}"
    name = tool_name(step.inputs, step.tool_info)
    call = _tool_call(step, name) if name else ""
    small = "" if call else settings(step.inputs)
    plain = call or PLAIN_TITLES.get(kind, "A step without text")
    if kind == "policy":  # an agent's log gives what a session begins with as one: its folder, the tools it may use
        tools = step.inputs.get("tools")
        if small:
            plain = "Settings"
        elif isinstance(tools, Sequence) and not isinstance(tools, str) and tools:
            plain = ": ".join(filter(None, (counted(len(tools), "tool"), _label_list(tools))))
    return f"{plain}: {small}" if small else plain


def _subtitle(step: Step) -> str:
    kind = step.shown_kind
    said = _error_line(step)
    if said:
        return said
    if kind == "tool":
        return _result_line(step.outputs)
    outcome = first_text(step.outputs)
    if kind in ("human", "approval", "policy"):
        return _rest(step) or (_said(outcome) if outcome else scalars(step.outputs))
    if kind == "done":
        text = first_text(step.inputs) or outcome
        return _said(outcome) if outcome and outcome != text else rest_of(text, LINE_LIMIT)
    if kind == "subagent" and _task(step):  # its task is shown under its name
        return _said(first_text(step.inputs))
    calls = _tool_calls(step.outputs)
    if not calls and outcome and not first_text(step.inputs):  # its first words are the title
        what = rest_of(outcome, LINE_LIMIT)
    else:
        what = f"calls {calls}" if calls else _said(outcome) if outcome else _rest(step)
    if kind == "think" and what:
        return what
    # The model last: it is the same on most cards, and a narrow card cuts the end.
    parts = [what or scalars(step.outputs), model_name(step)]
    return " · ".join(part for part in parts if part)


def _rest(step: Step) -> str:
    return rest_of(first_text(step.inputs), LINE_LIMIT)


# -- tools ----------------------------------------------------------------------------------------------------------


def tool_name(inputs: Mapping[str, Any], tool_info: Mapping[str, Any]) -> str:
    """Return the name of the tool a step called, cleaned, or "" when none was recorded."""
    for source in (inputs, tool_info):
        for key in NAME_KEYS:
            found = source.get(key)
            if found is None:  # the most common case, and the quickest
                continue
            if isinstance(found, Mapping):
                found = found.get("name")
            if has_text(found):
                return clean(found, 60)
    return ""


def by_person(step: Step) -> bool:
    """Whether a call is a command that the person ran, past the agent, as `!command` of pi."""
    return step.shown_kind == "tool" and step.inputs.get("by") == "person"


def _tool_call(step: Step, name: str) -> str:
    return f"{name}({_argument(step)})"


def _argument(step: Step) -> str:
    arguments: Any = next((step.inputs[key] for key in ARGUMENT_KEYS if step.inputs.get(key)), None)
    if arguments is None:
        arguments = {key: value for key, value in step.inputs.items() if key not in NAME_KEYS and value}
    return main_argument(arguments)


def _tool_calls(outputs: Mapping[str, Any]) -> str:
    """The calls a model asked for: "search ×2, fetch"; a single call with its argument: "Read(…/app/main.py)"."""
    calls = outputs.get("tool_calls")
    if not isinstance(calls, Sequence) or isinstance(calls, str):
        return ""
    if len(calls) == 1 and isinstance(calls[0], Mapping):
        function = calls[0].get("function")
        call = function if isinstance(function, Mapping) else calls[0]
        called = tool_name(call, {})
        given: Any = next((call[key] for key in ARGUMENT_KEYS if call.get(key)), None)
        return f"{called}({main_argument(given)})" if called and given is not None else called
    names: dict[str, int] = {}
    for call in some(calls):
        if isinstance(call, Mapping):
            function = call.get("function")
            name = call.get("name") or (function.get("name") if isinstance(function, Mapping) else None)
            if isinstance(name, str):
                names[clean(name, 40)] = names.get(clean(name, 40), 0) + 1
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in names.items())


def _result_line(outputs: Mapping[str, Any]) -> str:
    for key in _RESULT_KEYS:
        found = outputs.get(key)
        if found is not None and isinstance(found, Sequence) and not isinstance(found, str):
            noun = "results" if key in ("result", "results", "data", "choices") else key
            return _listed(found, noun)
    status = outputs.get("status", outputs.get("status_code"))
    media = outputs.get("mime_type", outputs.get("content_type", outputs.get("media_type")))
    size = outputs.get("bytes", outputs.get("size"))
    facts = []
    if isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= LARGEST_SIZE:
        facts.append(format_bytes(size))
    if isinstance(media, str):
        facts.append(clean(media, 40))
    if facts:
        return " · ".join(facts)
    text = first_text(outputs)
    if not text and isinstance(outputs.get("stdout"), str):
        text = outputs["stdout"]
    if text:
        # Many services give their result as JSON in a text.
        opened = decoded(text) if text[0] in "{[" and len(text) <= LONGEST_OPENED else None
        if isinstance(opened, Mapping):
            return _result_line(opened)
        if isinstance(opened, Sequence):
            return _listed(opened, "items")
        media = media_of_text(text)
        first = media.words if media is not None else first_sentence(unruled(without_empty_lines(text)), LINE_LIMIT)
        return f"{status} · {first}" if isinstance(status, (int, str)) and not isinstance(status, bool) else first
    return scalars(outputs)


def _listed(found: Sequence[Any], noun: str) -> str:
    if len(found) == 1 and noun.endswith("s"):
        noun = noun.removesuffix("es") if noun.endswith("ches") else noun.removesuffix("s")
    count = f"{format_count(len(found))} {noun}" if found else f"no {noun}"
    labels = _label_list(found)
    return f"{count} · {labels}" if labels else count


def _label_list(found: Sequence[Any]) -> str:
    return ", ".join(label for label in map(_label, found[:4]) if label)


def _label(item: Any) -> str:
    if isinstance(item, str):
        return clean(item, 48)
    if isinstance(item, Mapping):
        named = item["function"] if isinstance(item.get("function"), Mapping) else item  # as chat requests offer tools
        return next((clean(named[key], 48) for key in _LABELS if isinstance(named.get(key), str)), "")
    return "" if isinstance(item, Sequence) else scalar(item)


# -- errors ---------------------------------------------------------------------------------------------------------


def _error_title(step: Step) -> str:
    sources = (
        step.inputs.get("text"),
        step.outputs.get("message"),
        step.error.get("message"),
        step.inputs.get("error"),
    )
    said = next((text for text in sources if has_text(text)), "")
    return _said(said or first_text(step.inputs) or first_text(step.outputs))


def _error_line(step: Step) -> str:
    """The recorded error as one line: "HTTPError: 404 Not Found"; "" when none was recorded."""
    if step.error:
        message = next((step.error[key] for key in _ERROR_KEYS if isinstance(step.error.get(key), str)), "")
        kind = step.error.get("type")
        named = clean(kind, 60) if isinstance(kind, str) else ""
        said = _said(message) if message else ""
        if named and said and said != _title(step):
            return f"{named}: {said}"
        return named or said or scalars(step.error)
    found = step.outputs.get("error")
    if has_text(found):
        return _said(found)
    if step.shown_kind == "error":
        text = first_text(step.outputs) or first_text({"error": step.inputs.get("error")}, ("error",))
        return _said(text) or scalars(step.outputs)
    return ""
