"""The older lists of events (version 0): one array, answers linked by `cause`, responses by the model's own id."""

from __future__ import annotations

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.frameworks.openhands.source import Event
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.content import Call, Content, arguments_of, content_of
from opentine_gui.importers.sources.fields import (
    between,
    figure,
    object_of,
    objects_in,
    storable,
    text_of,
    unix_time,
    usage_of,
)
from opentine_gui.importers.sources.outcomes import NO_RESULT, exit_failure, note_silent_failure

SILENT = frozenset({"change_agent_state", "agent_state_changed", "null", "recall", "start", "pause", "resume", "stop"})
ENDS = frozenset({"finish", "reject"})


class EventList:
    """Makes the steps of one list. The agent's sub-agents run inside it, between a delegation and its observation."""

    def __init__(self, draft: RunDraft, pace: Pace) -> None:
        self.draft = draft
        self.pace = pace
        self.tips: list[str] = []
        self.asked: dict[str, str] = {}
        """The steps of calls by the id of their event."""
        self.said: dict[str, Content] = {}
        self.delegations: list[tuple[str, list[str]]] = []
        self.billed = 0.0

    def grow(self, events: list[Event]) -> None:
        """Add all steps."""
        for position, event in enumerate(events):
            if position % 500 == 0:
                self.pace.at(position / len(events))
            self._add(str(position), event)
        for key, content in self.said.items():
            self.draft.steps[key].outputs = content.said()

    def _add(self, key: str, event: Event) -> None:
        value = event.value
        action, observation = text_of(value.get("action")), text_of(value.get("observation"))
        arguments = object_of(value.get("args"))
        if action in SILENT or observation in SILENT:
            self.draft.report.skip(action or observation)
        elif action == "system":
            policy = {"system": text_of(arguments.get("content")) or text_of(value.get("message"))}
            if arguments.get("tools"):
                policy["tools"] = storable(arguments["tools"])
            self._append(self._new(key, event, StepKind.MODEL, policy, v3_kind="policy"))
        elif action == "message" and value.get("source") == "user":
            inputs: JsonObject = {"text": text_of(arguments.get("content")) or text_of(value.get("message"))}
            images = arguments.get("image_urls")
            if isinstance(images, list) and images:
                inputs["images"] = storable(images)
            self._append(self._new(key, event, StepKind.MODEL, inputs, v3_kind="human"))
        elif action.startswith("condensation"):
            step = self._new(key, event, StepKind.THINK, {"trigger": action})
            step.outputs = {"summary": text_of(arguments.get("summary"))}
            self._append(step)
        elif action:
            self._action(key, event, action, arguments)
        elif observation:
            self._observation(key, event, observation)
        else:
            self.draft.report.skip("events without an action or an observation")

    def _new(
        self, key: str, event: Event, kind: StepKind, inputs: JsonObject | None = None, v3_kind: str | None = None
    ) -> StepDraft:
        return self.draft.add(
            key,
            kind,
            self.tips,
            inputs=inputs or {},
            timestamp=unix_time(event.value.get("timestamp")),
            places=[event.place] if event.place else [],
            v3_kind=v3_kind,
        )

    def _append(self, step: StepDraft) -> None:
        self.tips = [step.key]

    def _action(self, key: str, event: Event, action: str, arguments: JsonObject) -> None:
        value = event.value
        metadata = object_of(value.get("tool_call_metadata"))
        model = object_of(metadata.get("model_response"))
        response = f"response {text_of(model.get('id')) or key}"
        if response not in self.said:
            self._respond(response, event, model)
        elif event.place:
            self.draft.report.folded += 1
            self.draft.steps[response].places.append(event.place)
        thought = text_of(arguments.get("thought")) or (
            text_of(arguments.get("content")) if action == "message" else ""
        )
        if thought and thought not in self.said[response].texts:
            self.said[response].texts.append(thought)
        if action == "message":
            return
        asked = _asked(model, text_of(metadata.get("tool_call_id")))
        hidden = ("thought", "confirmation_state", "security_risk", "hidden", "is_confirmed", "blocking")
        given = asked.get("arguments", {name: item for name, item in arguments.items() if name not in hidden})
        call = Call(text_of(metadata.get("function_name")) or action, arguments_of(given))
        self.said[response].calls.append(call)
        step = self._new(key, event, StepKind.DONE if action in ENDS else StepKind.TOOL, call.recorded())
        step.parents = [response]
        if action in ENDS:
            final = text_of(arguments.get("final_thought")) or text_of(value.get("message"))
            step.outputs = {"text": final} if final else {"outputs": storable(arguments.get("outputs"))}
        else:
            step.error = dict(NO_RESULT)
        self.asked[str(value.get("id"))] = key
        calls = [tip for tip in self.tips if self.draft.steps[tip].parents == [response]]
        self.tips = [*calls, key]
        if action == "delegate":
            self._delegate(key, event, arguments)

    def _respond(self, response: str, event: Event, model: JsonObject) -> None:
        usage = object_of(model.get("usage"))
        step = self.draft.add(
            response,
            StepKind.MODEL,
            self.tips,
            model_info=text_of(model.get("model")),
            timestamp=unix_time(event.value.get("timestamp")),
            places=[event.place] if event.place else [],
        )
        step.usage = usage_of(
            input=usage.get("prompt_tokens"),
            output=usage.get("completion_tokens"),
            cache_read=object_of(usage.get("prompt_tokens_details")).get("cached_tokens"),
            reasoning=object_of(usage.get("completion_tokens_details")).get("reasoning_tokens"),
            input_has_cache=True,
            output_has_reasoning=True,
        )
        total = figure(object_of(event.value.get("llm_metrics")).get("accumulated_cost"))
        if total is not None:
            step.cost = max(0.0, float(total) - self.billed)
            self.billed = max(self.billed, float(total))
        self.said[response] = Content()
        self._append(step)

    def _delegate(self, key: str, event: Event, arguments: JsonObject) -> None:
        """Begin a sub-agent: its first step is a child of the response, and the call waits for its last step."""
        task = object_of(arguments.get("inputs"))
        start = self._new(f"{key} agent", event, StepKind.MODEL, v3_kind="subagent")
        start.parents = list(self.draft.steps[key].parents)
        start.inputs = {
            "prompt": text_of(task.get("task")) or str(storable(task)),
            "agent": text_of(arguments.get("agent")),
        }
        self.delegations.append((key, self.tips))
        self._append(start)

    def _observation(self, key: str, event: Event, observation: str) -> None:
        value = event.value
        extras = object_of(value.get("extras"))
        content = content_of(value.get("content"))
        outputs = content.outcome()
        outputs["result"] = outputs["result"] or text_of(value.get("message"))
        exit_code = object_of(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
        error: JsonObject = {}
        if observation == "error":
            error = {"type": text_of(extras.get("error_id")) or "error", "message": content.text}
        elif observation == "user_rejected":
            error = {"type": "rejected", "message": content.text or "The person refused the call."}
        elif isinstance(exit_code, int) and exit_code not in (0, -1):
            outputs["exit_code"] = exit_code
            error = exit_failure(exit_code)
        if observation == "delegate" and self.delegations:
            call, tips = self.delegations.pop()
            step = self.draft.steps[call]
            step.parents += self.tips
            self.tips = tips
        else:
            call = self.asked.get(str(value.get("cause")), "")
        if not call:
            step = self._new(key, event, StepKind.ERROR if error else StepKind.TOOL, {"name": observation})
            step.outputs, step.error = outputs, error
            self._append(step)
            return
        step = self.draft.steps[call]
        step.error = error
        if step.kind is StepKind.TOOL:
            step.outputs = outputs
        note_silent_failure(self.draft, step)
        step.duration = between(step.timestamp, unix_time(value.get("timestamp")))
        if event.place:
            step.places.append(event.place)


def _asked(model: JsonObject, identity: str) -> JsonObject:
    """The call with an id as the model wrote it."""
    for choice in objects_in(model.get("choices")):
        for call in objects_in(object_of(choice.get("message")).get("tool_calls")):
            if call.get("id") == identity:
                return object_of(call.get("function"))
    return {}
