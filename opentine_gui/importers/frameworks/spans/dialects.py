"""What a span is, and what was said in it: the GenAI conventions, OpenInference, OpenLLMetry, the AI SDK, ADK.

Readers that make spans of other records say what one is with `kind.own`, and that their tokens exclude each other with
`usage.exclusive`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from opentine_gui.core.model import JsonObject
from opentine_gui.importers.frameworks.spans.span import Span
from opentine_gui.importers.sources.content import Call, Content, arguments_of, call_of, content_of
from opentine_gui.importers.sources.fields import figure, object_of, objects_in, parsed, storable, text_of, usage_of

CHAT, TOOL, AGENT, PLAIN = "chat", "tool", "agent", ""
MARK, ANCHOR, BRANCH = "mark", "anchor", "branch"
"""Kinds of spans that readers make: a finished step; a point where a branch can begin; such a branch."""
OPERATIONS = {
    "chat": CHAT, "text_completion": CHAT, "generate_content": CHAT, "generate": CHAT, "completion": CHAT,
    "execute_tool": TOOL, "embeddings": TOOL, "retrieval": TOOL, "guardrail": TOOL, "evaluate": TOOL,
    "invoke_agent": AGENT,
}  # fmt: skip
INFERENCE = {"LLM": CHAT, "TOOL": TOOL, "RETRIEVER": TOOL, "EMBEDDING": TOOL, "RERANKER": TOOL, "GUARDRAIL": TOOL,
             "AGENT": AGENT}  # fmt: skip
INPUT = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt", "ai.usage.inputTokens",
         "ai.usage.promptTokens", "llm.usage.prompt_tokens", "ai.usage.tokens", "input_tokens")  # fmt: skip
OUTPUT = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
          "ai.usage.outputTokens", "ai.usage.completionTokens", "llm.usage.completion_tokens",
          "output_tokens")  # fmt: skip
CACHE_READ = ("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens",
              "gen_ai.usage.details.cache_read_tokens", "llm.token_count.prompt_details.cache_read",
              "ai.usage.cachedInputTokens", "cache_read_tokens")  # fmt: skip
CACHE_WRITE = ("gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens",
               "gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.details.cache_write_tokens",
               "llm.token_count.prompt_details.cache_write", "cache_creation_tokens")  # fmt: skip
REASONING = ("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens", "llm.usage.reasoning_tokens",
             "gen_ai.usage.details.reasoning_tokens", "llm.token_count.completion_details.reasoning",
             "ai.usage.reasoningTokens")  # fmt: skip
COST = ("opentine.cost_usd", "operation.cost", "gen_ai.usage.cost", "llm.cost.total", "gen_ai.cost.total_cost")
MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model", "ai.model.id", "model")
PROVIDER = ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "ai.model.provider")
CONVERSATION = ("gen_ai.conversation.id", "session.id", "langfuse.session.id", "gcp.vertex.agent.session_id",
                "traceloop.association.properties.session_id")  # fmt: skip
ARGUMENTS = ("gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args", "ai.toolCall.args",
             "tool.parameters", "traceloop.entity.input", "input.value")  # fmt: skip
RESULT = ("gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response", "ai.toolCall.result",
          "traceloop.entity.output", "output.value")  # fmt: skip
TOOL_NAME = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name", "tool_name")
_TOKENS = frozenset((*INPUT, *OUTPUT, *CACHE_READ, *CACHE_WRITE, *REASONING))
MOST_MESSAGES = 20_000
REQUESTS_KEPT = 4
"""Earlier requests that a new one is compared with: so many agents may take turns in a trace."""
LONGEST_MESSAGE = 2_000
"""Most characters kept of an error's message."""
BY_PROGRAM, ONCE_NO_FAILURE = "said by the program", "once no failure"
"""Members that a reader of ours adds: to a message on the user's side that no person said, and to the attributes of a
call that did not count as failed by an earlier rule.
"""
DEEPEST_NAME = 40
"""Most dots in the name of an attribute that is unfolded."""
_INDEX = re.compile(r"\d{1,6}")


class Message:
    """A message of a request. Its content is decoded on first use, because requests repeat earlier messages."""

    __slots__ = ("_content", "_read", "by_program", "role")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, role: str, read: Callable[[], Content], *, by_program: bool = False) -> None:
        """`by_program`: it stands on the user's side, and no person said it."""
        self.role, self.by_program = role, by_program
        self._read = read
        self._content: Content | None = None

    @property
    def content(self) -> Content:
        """The decoded content of the message."""
        if self._content is None:
            self._content = self._read()
        return self._content

    def __eq__(self, other: object) -> bool:
        """Whether the same was said by the same."""
        return self is other or (
            isinstance(other, Message) and self.role == other.role and self.content == other.content
        )


class Requests:
    """The messages of requests; a beginning shared with an earlier request is not decoded again."""

    def __init__(self) -> None:
        self._last: deque[tuple[str, list[Message]]] = deque(maxlen=REQUESTS_KEPT)
        """Lists of messages without their closing brackets, and what they hold; the newest first."""

    def messages_of(self, value: Any) -> list[Message]:
        """As `messages_of`."""
        if not isinstance(value, str) or not value.startswith("[{") or not value.endswith("}]"):
            return messages_of(value)
        begun, known = next((one for one in self._last if value.startswith(one[0])), ("", []))
        rest = value[len(begun) :]
        items = [] if begun and rest == "]" else parsed(f"[{rest[1:]}" if begun and rest[0] == "," else value)
        if not isinstance(items, list):
            return messages_of(value)
        found = [*(known if rest[0] in ",]" else ()), *map(_message, objects_in(items))]
        self._last.appendleft((value[:-1], found))
        return found[:MOST_MESSAGES]


def kind_of(span: Span) -> str:
    """chat, tool or agent; "" for spans of transport and of chains, which hold others."""
    said = span.attributes
    if isinstance(said.get("kind.own"), str):
        return str(said["kind.own"])
    operation = text_of(said.get("gen_ai.operation.name"))
    if operation in OPERATIONS:
        return OPERATIONS[operation]
    kind = text_of(said.get("openinference.span.kind")).upper()
    if kind in INFERENCE:
        return INFERENCE[kind]
    if said.get("traceloop.span.kind") in ("tool", "agent"):
        return text_of(said["traceloop.span.kind"])
    task = text_of(said.get("ai.operationId"))
    if task:
        return TOOL if task == "ai.toolCall" or ".doEmbed" in task else CHAT if ".do" in task else PLAIN
    if span.name.startswith("claude_code."):
        return {"llm_request": CHAT, "tool": TOOL, "interaction": AGENT}.get(span.name.split(".")[1], PLAIN)
    if text_of(said.get("llm.request.type")) in ("chat", "completion") or "gcp.vertex.agent.llm_request" in said:
        return TOOL if "gen_ai.tool.name" in said else CHAT
    if any(name in said for name in ("gen_ai.tool.name", "gen_ai.tool.call.id")):
        return TOOL
    if first(said, MODEL[:2]) and first(said, INPUT) is not None:
        return CHAT
    return PLAIN


def is_plain_call(span: Span) -> bool:
    """Whether a span without a kind has what a call has: an input and an output, as an export of Langfuse shows it."""
    return span.attributes.get("langfuse.plain") is True


def first(attributes: JsonObject, names: tuple[str, ...]) -> Any:
    """The first of several attributes that was recorded, None when none was."""
    for name in names:
        if (found := attributes.get(name)) is not None and found != "":
            return found
    return None


def tokens_of(span: Span) -> dict[str, int | float]:
    """Tokens; the conventions count cache reads within the input and reasoning within the output."""
    said = span.attributes
    if _TOKENS.isdisjoint(said):
        return {}
    exclusive = span.name.startswith("claude_code.") or said.get("usage.exclusive") is True
    return usage_of(
        input=first(said, INPUT),
        output=first(said, OUTPUT),
        cache_read=first(said, CACHE_READ),
        cache_write=first(said, CACHE_WRITE),
        reasoning=first(said, REASONING),
        input_has_cache=not exclusive,
        output_has_reasoning=True,
    )


def cost_of(span: Span) -> float:
    """Dollars as stated, 0.0 when not recorded."""
    return float(figure(first(span.attributes, COST)) or 0.0)


def error_of(span: Span) -> JsonObject:
    """Why a span failed; {} when it did not."""
    kind = text_of(span.attributes.get("error.type"))
    raised = next((body for name, body in span.events if name == "exception"), {})
    if not (span.failed or kind):
        return {}
    message = span.message or text_of(raised.get("exception.message")) or text_of(span.attributes.get("error.message"))
    named = kind or text_of(raised.get("exception.type")) or "failed"
    return {"type": named[:200], "message": (message or named)[:LONGEST_MESSAGE]}


def request_of(span: Span, requests: Requests | None = None) -> list[Message]:
    """The messages of a request; [] when not recorded. `requests` are those of its trace that were looked into."""
    said = span.attributes
    for name in ("gen_ai.input.messages", "ai.prompt.messages", "gcp.vertex.agent.llm_request", "ai.prompt"):
        if said.get(name):
            return (requests or Requests()).messages_of(said[name])
    found = numbered(said, "gen_ai.prompt") or numbered(said, "llm.input_messages")
    if found:
        return messages_of(found)
    events = [
        {"role": name.split(".")[1], **body} for name, body in span.events if name.startswith("gen_ai.") and
        name.endswith(".message")
    ]  # fmt: skip
    for _, body in span.events:
        if body.get("gen_ai.input.messages"):
            return messages_of(body["gen_ai.input.messages"])
    return messages_of(events or said.get("all_messages_events") or said.get("input.value"))


def answer_of(span: Span) -> Content:
    """What a model answered; an empty content when not recorded."""
    said = span.attributes
    for name in ("gen_ai.output.messages", "gcp.vertex.agent.llm_response"):
        if said.get(name):
            return _spoken(said[name])
    if said.get("ai.response.text") or said.get("ai.response.toolCalls") or said.get("ai.response.object"):
        content = content_of(text_of(said.get("ai.response.text")) or text_of(said.get("ai.response.object")))
        content.thoughts += content_of(said.get("ai.response.reasoning")).texts
        content.calls += [call_of(call) for call in objects_in(parsed(said.get("ai.response.toolCalls")))]
        return content
    found = numbered(said, "gen_ai.completion") or numbered(said, "llm.output_messages")
    if found:
        return _spoken(found)
    for name, body in span.events:
        if body.get("gen_ai.output.messages"):
            return _spoken(body["gen_ai.output.messages"])
        if name == "gen_ai.choice":
            return _spoken(parsed(body.get("message", body)))
    return _spoken(said.get("output.value"))


def system_of(span: Span, request: list[Message]) -> str:
    """The instructions of a request."""
    given = content_of(parsed(span.attributes.get("gen_ai.system_instructions"))).text
    config = object_of(object_of(parsed(span.attributes.get("gcp.vertex.agent.llm_request"))).get("config"))
    inside = content_of(config.get("system_instruction")).text
    said = [message.content.text for message in request if message.role in ("system", "developer")]
    return given or inside or "\n".join(said)


def tools_of(span: Span) -> Any:
    """The tools that were offered, as recorded; None when they were not."""
    said = span.attributes
    given = parsed(said.get("gen_ai.tool.definitions"))
    found = given or numbered(said, "llm.request.functions") or numbered(said, "llm.tools")
    return storable(found) if found else None


def tool_of(span: Span) -> Call:
    """The call that a span of a tool carried out."""
    said = span.attributes
    name = text_of(first(said, TOOL_NAME)) or span.name.removeprefix("execute_tool ").removeprefix("running tool: ")
    identity = text_of(first(said, ("gen_ai.tool.call.id", "tool_call.id", "ai.toolCall.id")))
    return Call(name, arguments_of(first(said, ARGUMENTS)), identity)


def result_of(span: Span) -> JsonObject:
    """What a tool gave back: `{result, images?}`; {} when not recorded."""
    found = first(span.attributes, RESULT)
    if found is None:
        return {}
    value = parsed(found)
    if isinstance(value, dict) and set(value) - {"content", "isError", "is_error", "type", "text", "structuredContent"}:
        return {"result": storable(value)}
    content = content_of(value)
    plain = content.images or (content.texts and not content.other)
    return content.outcome() if plain else {"result": storable(value)}


def messages_of(value: Any) -> list[Message]:
    """The messages in a request of any shape: a list, an object that has one, a plain prompt."""
    value = parsed(value)
    if isinstance(value, str):
        return [Message("user", partial(content_of, value))] if value.strip() else []
    if isinstance(value, dict):
        for name in ("messages", "contents", "input", "prompt", "question", "new_message"):
            if value.get(name):
                return messages_of(value[name])
        return [_message(value)] if "content" in value or "parts" in value else []
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        return messages_of(value[0])
    return [_message(item) for item in objects_in(value)[:MOST_MESSAGES]]


def _message(value: JsonObject) -> Message:
    inner = object_of(value.get("message")) or value
    inner = object_of(inner.get("kwargs")) or inner
    said = text_of(inner.get("role")) or {"human": "user", "ai": "assistant"}.get(text_of(inner.get("type")), "")
    if inner.get("type") in ("function_call", "function_call_output"):
        return Message("assistant" if inner["type"] == "function_call" else "tool", partial(content_of, inner))
    role = {"model": "assistant", "ai": "assistant", "human": "user"}.get(said, said) or "user"
    message = Message(role, partial(_body, inner), by_program=inner.get(BY_PROGRAM) is True)
    if said == "user" and message.content.results and not message.content.texts:
        message.role = "tool"
    return message


def _body(value: JsonObject) -> Content:
    """What a message holds, with its calls."""
    body = value.get("contents") or value.get("parts") or value.get("content")
    content = content_of(parsed(body) if isinstance(body, str) and body.startswith("[{") else body)
    calls = objects_in(value.get("tool_calls"))
    content.calls += [call_of(object_of(call.get("tool_call")) or call) for call in calls]
    return content


def _spoken(value: Any) -> Content:
    """The content of an answer of any shape."""
    value = parsed(value)
    if isinstance(value, dict):
        for name in ("choices", "output", "generations", "messages", "candidates", "response"):
            if value.get(name) and not isinstance(value[name], str):
                return _spoken(value[name])
        if isinstance(value.get("message"), dict):
            return _message(value).content
        return _message(value).content if {"content", "parts", "tool_calls"} & set(value) else content_of(value)
    if isinstance(value, list):
        found = Content()
        for item in value[:200]:
            one = _spoken(item) if isinstance(item, list) else None
            if isinstance(item, dict):
                one = _message(item).content if _has_message(item) else content_of(item)
            if one is not None:
                found.texts += one.texts
                found.thoughts += one.thoughts
                found.images += one.images
                found.calls += one.calls
        return found
    return content_of(value)


def _has_message(value: JsonObject) -> bool:
    return bool({"message", "content", "parts", "tool_calls", "contents"} & set(value)) and value.get("type") not in (
        "text",
        "output_text",
        "reasoning",
        "thinking",
    )


def numbered(attributes: JsonObject, prefix: str) -> list[Any]:
    """Objects that were flattened to `prefix.0.name`, in the order of their numbers; `message.` after it is dropped."""
    rows: dict[int, JsonObject] = {}
    for name, value in attributes.items():
        if not name.startswith(prefix + ".") or name.count(".") > DEEPEST_NAME:
            continue
        index, _, rest = name[len(prefix) + 1 :].partition(".")
        if _INDEX.fullmatch(index) and rest:
            rows.setdefault(int(index), {})[rest.removeprefix("message.").removeprefix("message_content.")] = value
    return [_unfolded(rows[index]) for index in sorted(rows)]


def _unfolded(row: JsonObject) -> JsonObject:
    """A row's own numbered members (`tool_calls.0.name`, `contents.0.text`) as lists, others as objects."""
    plain: JsonObject = {}
    members: dict[str, JsonObject] = {}
    for whole, value in row.items():
        name, dot, _ = whole.partition(".")
        if dot:
            members.setdefault(name, {})[whole] = value
        else:
            plain[name] = value
    for name, own in members.items():
        inner = {whole[len(name) + 1 :]: value for whole, value in own.items()}
        plain[name] = numbered(own, name) or _unfolded(inner)
    return plain
