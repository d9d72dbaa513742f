"""Events of the SDK as steps: one response for the events that share its id, calls with their results, true branches.

Rules: logs of the SDK 1.27 to 1.58. Events form a tree by `parent_id`; the calls of a response are chained, and so are
their observations, so the next step has all of them as parents, in the order of the calls.
"""

from __future__ import annotations

from typing import Any

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.openhands.source import Conversation, Event
from opentine_gui.importers.frameworks.openhands.usage import Metrics
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.content import Call, Content, arguments_of, content_of
from opentine_gui.importers.sources.fields import between, object_of, storable, text_of, unix_time
from opentine_gui.importers.sources.outcomes import NO_RESULT, exit_failure, note_silent_failure

ROOT = "__root__"
OUTSIDE_THE_TREE = frozenset(
    {
        "ConversationStateUpdateEvent",
        "LLMCompletionLogEvent",
        "StreamingDeltaEvent",
        "TokenEvent",
        "HookExecutionEvent",
        "PauseEvent",
        "CondensationRequest",
    }
)
ANSWERS = frozenset({"ObservationEvent", "UserRejectObservation", "AgentErrorEvent"})
EVENTS_BETWEEN = 500


class Tree:
    """Makes the steps of one conversation."""

    def __init__(self, conversation: Conversation, draft: RunDraft, pace: Pace) -> None:
        self.draft = draft
        self.pace = pace
        self.metrics = Metrics(conversation.state)
        self.model = text_of(object_of(object_of(conversation.state.get("agent")).get("llm")).get("model"))
        self.events: dict[str, Event] = {}
        self.parents: dict[str, str | None] = {}
        self.step_of: dict[str, str] = {}
        """The step that an event became, or became a part of, by the event's id."""
        self.response_of: dict[str, str] = {}
        """The response that asked for a call, by the id of the action."""
        self.said: dict[str, Content] = {}
        self.calls: dict[tuple[str, str], str] = {}
        self._arrange(conversation.events)
        self.place = {identity: place for place, identity in enumerate(self.events)}

    def _arrange(self, events: list[Event]) -> None:
        """Find each event's parent: the explicit one, else the event before; events outside the tree are skipped."""
        last: str | None = None
        outside: dict[str, str | None] = {}
        for event in events:
            value = event.value
            identity = text_of(value.get("id"))
            kind = text_of(value.get("kind"))
            if not identity or identity in self.events or identity in outside:
                self.draft.report.skip("events without an id of their own")
                continue
            given = value.get("parent_id")
            parent = None if given == ROOT else given if isinstance(given, str) and given else last
            while parent in outside and parent != identity:
                parent = outside[parent]
            parent = parent if parent != identity else last
            if kind in OUTSIDE_THE_TREE:
                self.draft.report.skip(kind)
                outside[identity] = parent
                continue
            self.events[identity] = event
            self.parents[identity] = parent
            last = identity
        self._break_cycles()

    def _break_cycles(self) -> None:
        """Put parents before children; an event that is its own ancestor becomes a root, with a remark."""
        ordered: dict[str, Event] = {}
        for first in self.events:
            line: dict[str, None] = {}
            at: str | None = first
            while at is not None and at in self.events and at not in ordered:
                if at in line:
                    self.draft.report.remark("Events that name each other as parents: the cycle was broken.")
                    self.parents[next(reversed(line))] = None
                    break
                line[at] = None
                at = self.parents[at]
            ordered |= {identity: self.events[identity] for identity in reversed(line)}
        self.events = ordered

    def has_copies(self) -> bool:
        """Whether some responses were billed in another conversation, so this one is a fork."""
        return any(
            not self.metrics.knows(text_of(event.value.get("llm_response_id"))) for event in self.events.values()
        )

    def ask(self, states: list[JsonObject]) -> None:
        """Learn from other conversations which models gave the responses that this one copied.

        A copy does not say it, and the model is a part of a step's id, which must be the same in both.
        """
        for state in states:
            self.metrics.learn_models(state)

    def grow(self) -> None:
        """Add all steps."""
        for position, (identity, event) in enumerate(self.events.items()):
            if position % EVENTS_BETWEEN == 0:
                self.pace.at(position / len(self.events))
            self._add(identity, event)
        for key, content in self.said.items():
            self.draft.steps[key].outputs = content.said()

    def tip(self, identity: str) -> str | None:
        """The key of the step that an event belongs to."""
        return self.step_of.get(identity)

    def _add(self, identity: str, event: Event) -> None:
        value = event.value
        kind = text_of(value.get("kind"))
        if kind == "SystemPromptEvent":
            step = self._new(identity, event, StepKind.MODEL, _policy(value), v3_kind="policy")
        elif kind == "MessageEvent":
            step = self._message(identity, event)
        elif kind in ("ActionEvent", "ACPToolCallEvent"):
            step = self._action(identity, event)
        elif kind in ANSWERS:
            step = self._answer(identity, event)
        elif kind == "Condensation":
            forgotten = value.get("forgotten_event_ids")
            inputs: JsonObject = {"trigger": "condensation"}
            if isinstance(forgotten, list):
                inputs["forgotten"] = len(forgotten)
            step = self._new(identity, event, StepKind.THINK, inputs, {"summary": text_of(value.get("summary"))})
            self._bill(step, text_of(value.get("llm_response_id")))
        elif kind in ("ConversationErrorEvent", "InterruptEvent"):
            step = self._new(identity, event, StepKind.ERROR)
            named = text_of(value.get("code")) or ("interrupted" if kind == "InterruptEvent" else kind)
            said = text_of(value.get("detail")) or text_of(value.get("reason"))
            step.error = {"type": named, "message": said or "The person interrupted the agent."}
        else:
            self.draft.report.skip(kind or "events without a kind")
            self.events_passed(identity)
            return
        self.step_of[identity] = step.key

    def events_passed(self, identity: str) -> None:
        """Map an event without a step to its parent's step, so that its children continue from there."""
        parent = self.parents[identity]
        if parent in self.step_of:
            self.step_of[identity] = self.step_of[parent]

    def _new(
        self,
        identity: str,
        event: Event,
        kind: StepKind,
        inputs: JsonObject | None = None,
        outputs: JsonObject | None = None,
        v3_kind: str | None = None,
    ) -> StepDraft:
        return self.draft.add(
            identity,
            kind,
            self._joined(self.parents[identity]),
            inputs=inputs or {},
            outputs=outputs or {},
            timestamp=unix_time(event.value.get("timestamp")),
            places=[event.place] if event.place else [],
            v3_kind=v3_kind,
        )

    def _joined(self, parent: str | None) -> list[str]:
        """The steps that end at an event: all calls of its response on the way up, in call order, or its own step."""
        seen: list[str] = []
        response = None
        at = parent
        while at is not None and at in self.events:
            action = self._action_at(at)
            if action is None or (response is not None and self.response_of.get(action) != response):
                break
            response = self.response_of.get(action)
            seen.append(action)
            at = self.parents[at]
        if not seen:
            while parent is not None and parent not in self.step_of and parent in self.events:
                parent = self.parents[parent]
            return [self.step_of[parent]] if parent in self.step_of else []
        ordered = sorted(set(seen), key=self.place.__getitem__)
        return [self.step_of[action] for action in ordered if action in self.step_of and action in self.response_of]

    def _action_at(self, identity: str) -> str | None:
        """The action that an event is or answers."""
        if identity in self.response_of:
            return identity
        value = self.events[identity].value
        if text_of(value.get("kind")) not in ANSWERS:
            return None
        step = self.step_of.get(identity)
        return step if step in self.response_of else None

    def _message(self, identity: str, event: Event) -> StepDraft:
        value = event.value
        message = object_of(value.get("llm_message"))
        content = content_of(message.get("content"))
        if value.get("source") == "user" or message.get("role") == "user":
            inputs: JsonObject = {"text": content.text}
            if content.images:
                inputs["images"] = content.images
            context = content_of(value.get("extended_content")).text
            if context:
                inputs["context"] = context
            return self._new(identity, event, StepKind.MODEL, inputs, v3_kind="human")
        key = self._response(identity, event)
        self._say(key, content, message)
        return self.draft.steps[key]

    def _response(self, identity: str, event: Event) -> str:
        """The key of the response that an event belongs to; made by its first event."""
        response = text_of(event.value.get("llm_response_id"))
        key = f"response {response or identity}"
        if key in self.said and self.events[identity].place:
            self.draft.report.folded += 1
            self.draft.steps[key].places.append(self.events[identity].place)  # type: ignore[arg-type]
        if key not in self.said:
            self.said[key] = Content()
            step = self.draft.add(
                key,
                StepKind.MODEL,
                self._joined(self.parents[identity]),
                model_info=self.model,
                timestamp=unix_time(event.value.get("timestamp")),
                places=[event.place] if event.place else [],
            )
            self._bill(step, response)
        return key

    def _say(self, key: str, content: Content, record: JsonObject) -> None:
        said = self.said[key]
        said.texts += content.texts
        said.images += content.images
        said.other += content.other
        thoughts = text_of(record.get("reasoning_content")) or content_of(record.get("thinking_blocks")).thinking
        if thoughts:
            said.thoughts.append(thoughts)

    def _bill(self, step: StepDraft, response: str) -> None:
        step.usage = self.metrics.usage(response)
        step.duration = self.metrics.latency(response)
        cost = self.metrics.cost(response)
        if cost is not None:
            step.cost = cost
        step.model_info = self.metrics.model(response) or self.model

    def _action(self, identity: str, event: Event) -> StepDraft:
        value = event.value
        key = self._response(identity, event)
        self._say(key, content_of(value.get("thought")), value)
        action = object_of(value.get("action"))
        asked = object_of(value.get("tool_call"))
        given = object_of(asked.get("function")).get("arguments", asked.get("arguments"))
        kind = text_of(action.get("kind"))
        if given is None:
            given = {name: item for name, item in action.items() if name != "kind"} or value.get("raw_input")
        name = text_of(value.get("tool_name")) or text_of(asked.get("name")) or text_of(value.get("title"))
        call = Call(name, arguments_of(given), text_of(value.get("tool_call_id")))
        self.said[key].calls.append(call)
        step = self.draft.add(
            identity,
            StepKind.DONE if kind == "FinishAction" else StepKind.TOOL,
            [key],
            inputs=call.recorded(),
            timestamp=unix_time(value.get("timestamp")),
            places=[event.place] if event.place else [],
        )
        self.response_of[identity] = key
        self.calls[call.id, self._branch(identity)] = identity
        if kind == "FinishAction":
            step.outputs = {"text": text_of(action.get("message"))}
        elif text_of(value.get("kind")) == "ACPToolCallEvent":
            step.outputs = {"result": storable(value.get("raw_output"))}
        else:
            step.error = dict(NO_RESULT)
        return step

    def _branch(self, identity: str) -> str:
        return self.response_of[identity]

    def _answer(self, identity: str, event: Event) -> StepDraft:
        """Close the call that an event answers; an answer to nothing is a step of its own."""
        value = event.value
        action = text_of(value.get("action_id"))
        if action not in self.response_of:
            action = self._asked(identity, text_of(value.get("tool_call_id")))
        outputs, error = _outcome(value)
        if not action:
            return self._without_call(identity, event, outputs, error)
        step = self.draft.steps[action]
        step.error = error
        if step.kind is not StepKind.DONE:
            step.outputs = outputs
        note_silent_failure(self.draft, step)
        step.duration = between(step.timestamp, unix_time(value.get("timestamp")))
        if event.place:
            step.places.append(event.place)
        return step

    def _without_call(self, identity: str, event: Event, outputs: JsonObject, error: JsonObject) -> StepDraft:
        """Add an answer whose call is not recorded; an observation is still a tool's step, and says what was run."""
        value = event.value
        named: JsonObject = {"name": text_of(value["tool_name"])} if value.get("tool_name") else {}
        kind = StepKind.ERROR if error else StepKind.TOOL
        observed = text_of(value.get("kind")) == "ObservationEvent"
        command = text_of(object_of(value.get("observation")).get("command"))
        inputs = named | ({"arguments": {"command": command}} if command else {})
        step = self._new(identity, event, StepKind.TOOL if observed else kind, inputs, outputs)
        step.error = error
        note_silent_failure(self.draft, step)
        if step.kind is not kind or command:
            self.draft.once(step.key, {"kind": kind, "inputs": named})
        return step

    def _asked(self, identity: str, call: str) -> str:
        """The action with a call's id that is nearest above an event."""
        at = self.parents[identity]
        while call and at is not None and at in self.events:
            if at in self.response_of and text_of(self.events[at].value.get("tool_call_id")) == call:
                return at
            at = self.parents[at]
        return ""


def _policy(value: JsonObject) -> JsonObject:
    prompt = content_of(value.get("system_prompt")).text
    inputs: JsonObject = {"system": prompt}
    context = content_of(value.get("dynamic_context")).text
    if context:
        inputs["context"] = context
    if value.get("tools"):
        inputs["tools"] = storable(value["tools"])
    return inputs


def _outcome(value: JsonObject) -> tuple[JsonObject, JsonObject]:
    """(outputs, error) of an event that answers a call."""
    kind = text_of(value.get("kind"))
    if kind == "UserRejectObservation":
        reason = text_of(value.get("rejection_reason")) or "The person refused the call."
        return {"result": reason}, {"type": "rejected", "message": reason}
    if kind == "AgentErrorEvent":
        message = text_of(value.get("error"))
        return {"result": message}, {"type": "failed", "message": message}
    observation = object_of(value.get("observation"))
    content = content_of(observation.get("content", observation.get("output")))
    outputs = content.outcome()
    details: dict[str, Any] = {}
    for name in ("exit_code", "timeout", "prev_exist", "old_content", "new_content"):
        if observation.get(name) not in (None, False):
            details[name] = storable(observation[name])
    outputs |= details
    if observation.get("is_error") is True:
        return outputs, {"type": "failed", "message": content.text[:2000]}
    return outputs, exit_failure(observation.get("exit_code"))
