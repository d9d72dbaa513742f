"""Gemini's messages: which are prompts, which are results, what a call came to, tokens as exclusive buckets."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from opentine_gui.importers.sources.fields import as_json, count, object_of, objects_in, text_of

CONTEXT = ("<session_context>", "This is the Gemini CLI.", "<environment_context>")
SNAPSHOT = "<state_snapshot>"
"""Beginning of the summary that the program puts in place of a history."""
THANKS = "Got it. Thanks for the additional context!"
"""The model's reply to it, which the program writes itself."""
ATTACHED = "\n--- Content from referenced files ---"
"""Beginning of the part before the files that a prompt names with @."""
HOOK = "<hook_context>"
"""Beginning of a part that a hook added after what a person typed."""
GO_ON = "System: Please continue."
"""What the program says in a person's place when the model broke off."""
_EXIT = re.compile(r"^Exit Code: (-?\d{1,9})\s*$", re.MULTILINE)
_RESULTS = ("output", "content", "result")
_TAIL = 400
_MESSAGE_LIMIT = 2000


class Outcome(NamedTuple):
    """What a call came to: its text and its error. `former` is what an earlier rule took for them, where it differs."""

    text: str
    error: dict[str, Any]
    former: tuple[str, dict[str, Any]] | None = None


class Call(NamedTuple):
    """A call as a message states it. `outcome` is None when there is none (yet); `agent` is a sub-agent's id.

    `error` is how it failed, also without an outcome.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    outcome: Outcome | None
    images: list[dict[str, str]]
    error: dict[str, Any]
    exit_code: int | None
    agent: str
    time: Any


def parts_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a message, whichever of its forms it has."""
    content = message.get("content", message.get("parts"))
    if isinstance(content, str):
        return [{"text": content}] if content else []
    return objects_in(content)


def texts_in(parts: list[dict[str, Any]]) -> str:
    """The text of the parts that are not thoughts."""
    return "".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True)


def typed_in(message: dict[str, Any], sent: str) -> str:
    """What a person typed where the program sent something else, as for a command; "" where it sent these words."""
    shown = message.get("displayContent")
    typed = texts_in([{"text": shown}] if isinstance(shown, str) else objects_in(shown)).strip()
    return typed if typed and typed not in sent else ""


def is_answer(message: dict[str, Any]) -> bool:
    """Whether the model wrote it."""
    return message.get("type") == "gemini" or message.get("role") == "model"


def is_user(message: dict[str, Any]) -> bool:
    """Whether it is on the user's side: a prompt, results, or what the program put there."""
    return message.get("type") == "user" or message.get("role") == "user"


def has_results(parts: list[dict[str, Any]]) -> bool:
    """Whether a message on the user's side carries results of calls, which is not a person's turn."""
    return any("functionResponse" in part for part in parts)


def images_in(parts: list[dict[str, Any]]) -> list[dict[str, str]]:
    """The pictures and other files in parts, as base64 with their types."""
    found = [object_of(part.get("inlineData")) for part in parts]
    for part in parts:
        found += [
            object_of(inner.get("inlineData"))
            for inner in objects_in(object_of(part.get("functionResponse")).get("parts"))
        ]
    return [
        {"media_type": text_of(data.get("mimeType")), "data": text_of(data.get("data"))}
        for data in found
        if data.get("data")
    ]


def thinking_in(message: dict[str, Any], parts: list[dict[str, Any]]) -> str:
    """The thoughts of an answer: subject and description of each, or parts marked as thoughts."""
    thoughts = [
        "\n".join(text for name in ("subject", "description") if (text := text_of(thought.get(name))))
        for thought in objects_in(message.get("thoughts"))
    ]
    thoughts += [text_of(part.get("text")) for part in parts if part.get("thought") is True]
    return "\n\n".join(text for text in thoughts if text)


def calls_in(message: dict[str, Any], parts: list[dict[str, Any]]) -> list[Call]:
    """The calls of an answer, in order: with their results in `toolCalls`, bare as parts of the content."""
    stated = objects_in(message.get("toolCalls"))
    if stated:
        return [_stated(call) for call in stated]
    bare = [object_of(part.get("functionCall")) for part in parts if isinstance(part.get("functionCall"), dict)]
    return [
        Call(
            text_of(call.get("id")),
            text_of(call.get("name")),
            object_of(call.get("args")),
            None,
            [],
            {},
            None,
            "",
            None,
        )
        for call in bare
    ]


def results_in(parts: list[dict[str, Any]]) -> list[tuple[str, str, Outcome, list[dict[str, str]]]]:
    """(call id, tool, outcome, images) of each result in a message on the user's side."""
    found = []
    for part in parts:
        response = part.get("functionResponse")
        if isinstance(response, dict):
            outcome = _answer(response)
            found.append((text_of(response.get("id")), text_of(response.get("name")), outcome, images_in([part])))
    return found


def exit_code_in(text: str) -> int | None:
    """The exit code that the shell tool writes at the end of its output, None when it writes none."""
    matches = _EXIT.findall(text[-_TAIL:])
    return int(matches[-1]) if matches else None


def usage_of(record: Any) -> dict[str, int | float]:
    """Tokens in disjoint buckets; the record's input includes cached tokens, its output excludes thoughts."""
    stated = object_of(record)
    counts = {name: count(stated.get(name)) for name in ("input", "output", "cached", "thoughts", "tool")}
    if counts["input"] is None and counts["output"] is None:
        return {}
    cached = counts["cached"] or 0
    usage: dict[str, int | float] = {
        "input": max(0, (counts["input"] or 0) - cached) + (counts["tool"] or 0),
        "output": counts["output"] or 0,
    }
    if counts["cached"] is not None:
        usage["cache_read"] = cached
    if counts["thoughts"] is not None:
        usage["reasoning"] = counts["thoughts"]
    return usage


def _stated(call: dict[str, Any]) -> Call:
    results = objects_in(call.get("result"))
    response = next(
        (part["functionResponse"] for part in results if isinstance(part.get("functionResponse"), dict)), None
    )
    outcome: Outcome | None = None
    if response is not None:
        outcome = _answer(response)
    elif isinstance(call.get("result"), str):
        outcome = Outcome(call["result"], {})
    text, error = ("", {}) if outcome is None else outcome[:2]
    error = _ended(call, text, error)
    code = exit_code_in(text)
    if outcome is not None:
        former = outcome.former and (outcome.former[0], _ended(call, *outcome.former))
        outcome = Outcome(text, error, former)
    return Call(
        text_of(call.get("id")),
        text_of(call.get("name")),
        object_of(call.get("args")),
        outcome,
        images_in(results),
        error,
        code,
        text_of(call.get("agentId")),
        call.get("timestamp"),
    )


def _ended(call: dict[str, Any], text: str, error: dict[str, Any]) -> dict[str, Any]:
    """The error of a call with this result: its own, or by its status or exit code."""
    status = text_of(call.get("status"))
    if status == "error" and not error:
        return {"type": "failed", "message": (text or text_of(call.get("resultDisplay")))[:_MESSAGE_LIMIT]}
    if status == "cancelled":
        return {"type": "rejected", "message": (text or "cancelled")[:_MESSAGE_LIMIT]}
    return error or exit_failure(exit_code_in(text))


def exit_failure(code: int | None) -> dict[str, Any]:
    """The error of a call by its exit code; {} for 0 and for none."""
    return {"type": "exit_code", "message": f"exit code {code}", "exit_code": code} if code else {}


def _answer(response: dict[str, Any]) -> Outcome:
    """The outcome in a result: its text, else its structure as JSON."""
    said = object_of(response.get("response"))
    for name in _RESULTS:
        if isinstance(said.get(name), str):
            return Outcome(said[name], {})
    failed = said.get("error")
    if isinstance(failed, str):
        return Outcome(failed, {"type": "failed", "message": failed[:_MESSAGE_LIMIT]})
    if not said:
        return Outcome("", {})
    former = repr(said)[:_MESSAGE_LIMIT], dict[str, Any]()
    names = (*_RESULTS, "error") if failed else _RESULTS
    text = as_json(next(iter(said.values())) if len(said) == 1 and next(iter(said)) in names else said)
    message = text_of(object_of(failed).get("message")) or text
    return Outcome(text, {"type": "failed", "message": message[:_MESSAGE_LIMIT]} if failed else {}, former)
