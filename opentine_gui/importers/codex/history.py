"""Codex's records in order as steps: what each response was made from, and where one response ends.

Two logs interleave in a rollout. The steps come from `response_item`, which is what the model was sent and answered;
`event_msg` adds usage, interrupts, rollbacks, times, and the calls that a program made (`exec`).
"""

from __future__ import annotations

from typing import Any

from opentine_gui.core.graph.typed_prompt import typed
from opentine_gui.core.model import StepKind
from opentine_gui.importers.codex import calls as tools
from opentine_gui.importers.codex.calls import Call
from opentine_gui.importers.codex.chain import Chain
from opentine_gui.importers.codex.content import (
    Outcome,
    duration_in,
    failure_in,
    failure_of,
    outcome_of,
    said_in,
    thinking_in,
    usage_of,
)
from opentine_gui.importers.codex.links import Joined, Response, Started, sandbox_of
from opentine_gui.importers.json_lines import Line
from opentine_gui.importers.reading import Place
from opentine_gui.importers.run_draft import StepDraft
from opentine_gui.importers.sources.fields import (
    count,
    object_of,
    objects_in,
    parsed,
    text_in,
    text_of,
    unix_time,
)

_ECHOES = frozenset(
    ("user_message", "agent_message", "agent_reasoning", "agent_reasoning_raw_content", "task_started",
     "context_compacted", "thread_settings_applied", "raw_response_item")
)  # fmt: skip
"""Events that repeat what an item says, or say nothing of what was done."""
_OUTPUT = "_output"
WARNING = "Warning: "
"""Beginning of what Codex itself tells the model between a call and its result."""


class History(Chain):
    """Reads the records of a rollout one by one (`take`)."""

    def take(self, line: Line) -> None:
        """Read one record of the rollout."""
        record = line.value
        kind = text_of(record.get("type"))
        payload = object_of(record.get("payload"))
        time = unix_time(record.get("timestamp"))
        place = line.place
        if kind == "response_item":
            self._item(payload, object_of(record.get("metadata")), time, place)
        elif kind == "event_msg":
            self._event(payload, time, place)
        elif kind == "token_usage_record":
            self.records_usage = True
            self.bill(usage_of(payload.get("usage")), place)
        elif kind == "compacted":
            self._compacted(payload, time, place)
        elif kind == "turn_context":
            self.model = text_of(payload.get("model")) or self.model
            if not self.rooted:
                self.policy.setdefault("sandbox", sandbox_of(payload))
        elif kind == "session_meta":
            self._meta(payload, place)
        elif kind == "inter_agent_communication":
            self.notices.append((text_in(payload.get("content")) or text_of(payload.get("message")), place))
        else:
            self.report.skip(kind or "record without a type")
        self.last_time = time if time is not None else self.last_time

    def _meta(self, payload: dict[str, Any], place: Place) -> None:
        """Of several headers the last is the oldest thread's: a copied fork has its parent's after its own."""
        self.provider = text_of(payload.get("model_provider")) or self.provider
        self.report.folded += 1
        if self.rooted:
            return
        system = text_of(object_of(payload.get("base_instructions")).get("text")) or text_of(
            payload.get("instructions")
        )
        self.policy |= {"system": system, "cwd": text_of(payload.get("cwd"))}
        self.policy_places.append(place)

    def _item(self, payload: dict[str, Any], about: dict[str, Any], time: float | None, place: Place) -> None:
        kind = text_of(payload.get("type"))
        role = text_of(payload.get("role"))
        if kind == "message" and role == "assistant":
            self._response(about, time, place).text.append(text_in(payload.get("content")))
        elif kind == "message" and role == "user":
            self._user(payload, time, place)
        elif kind == "message":
            for part in objects_in(payload.get("content")) or [{"text": payload.get("content")}]:
                self.context(text_of(part.get("text")), time, place)
        elif kind == "reasoning":
            response = self._response(about, time, place)
            if thinking := thinking_in(payload):
                response.thinking.append(thinking)
        elif kind.endswith("_call"):
            self._call(payload, self._response(about, time, place), time, place)
        elif kind.endswith(_OUTPUT):
            self._output(payload, time, place)
        elif kind == "agent_message":
            self.notices.append((text_in(payload.get("content")), place))
        elif kind == "additional_tools" and not self.rooted:
            self.policy["tools"] = [
                name for tool in objects_in(payload.get("tools")) if (name := text_of(tool.get("name")))
            ]
            self.policy_places.append(place)
        else:
            self.report.skip(kind or "item without a type")

    def _event(self, payload: dict[str, Any], time: float | None, place: Place) -> None:
        kind = text_of(payload.get("type"))
        if kind == "token_count":
            self._token_count(object_of(payload.get("info")), place)
        elif kind == "item_completed":
            self._completed(object_of(payload.get("item")), time, place)
        elif kind in ("task_complete", "turn_complete"):
            self._turn_ended(payload, time, place)
        elif kind in ("turn_aborted", "error"):
            self.stop(kind, payload, time, place)
        elif kind == "thread_rolled_back":
            self.roll_back(count(payload.get("num_turns")) or 0)
        elif kind == "thread_name_updated":
            self.title = text_of(payload.get("thread_name")) or text_of(payload.get("name")) or self.title
        elif kind.endswith("_end") and text_of(payload.get("call_id")) in self.calls:
            self._ended(payload, place)
        else:
            if kind == "task_started":
                self.running = True
            if kind not in _ECHOES:
                self.report.skip(f"event {kind}")
            else:
                self.report.folded += 1

    def _user(self, payload: dict[str, Any], time: float | None, place: Place) -> None:
        said = said_in(payload)
        if said.aborted:
            self.stop("turn_aborted", {"text": said.aborted}, time, place)
        for text in said.notices:
            self.notices.append((text, place))
        for text in said.context:
            self.context(text, time, place)
        if said.prompt.startswith(WARNING) and self.open is not None and not self.open.answered and self.open.calls:
            if said.prompt not in self.known_context:
                self.known_context.add(said.prompt)
                self.open.told.append((said.prompt, time, place))  # the usage of the response is still to come
            else:
                self.report.folded += 1
            return
        if not said.prompt and not said.images:
            return
        self.root()
        self.settle()
        self.bill_what_waits()
        self.turns.append(list(self.front))
        self.first_prompt = self.first_prompt or typed(said.prompt)
        if self.start is not None:
            inputs: dict[str, Any] = {"prompt": said.prompt}
            if len(self.turns) == 1 and self.start.name:
                inputs["agent"] = self.start.name
            kind = "subagent"
        else:
            inputs, kind = {"text": said.prompt}, "human"
        if said.images:
            inputs["images"] = said.images
        self.add(self.key(place), StepKind.MODEL, [place], inputs=inputs, v3_kind=kind, timestamp=time)

    def _response(self, about: dict[str, Any], time: float | None, place: Place) -> Response:
        """The response that an item belongs to: the open one, or a new one."""
        sampled = count(about.get("sampled_through_sequence"))
        current = self.open
        if current is not None:
            other = sampled is not None and current.sampled is not None and sampled != current.sampled
            if not (other or current.answered or current.billed):
                current.draft.note(place)
                current.draft.timestamp = time if time is not None else current.draft.timestamp
                self.report.folded += 1
                return current
            if current.billed_last:
                self.bill_what_waits()
        self.root()
        self.settle()
        started = self.front_time
        key = self.key(place)
        draft = self.add(key, StepKind.MODEL, [place], model_info=self.model, provider=self.provider, timestamp=time)
        self.open, self.newest = Response(draft, sampled, started), draft
        self.bill_what_waits(draft)
        return self.open

    def _call(self, payload: dict[str, Any], response: Response, time: float | None, place: Place) -> None:
        name, arguments = tools.call_in(payload)
        identity = text_of(payload.get("call_id")) or text_of(payload.get("id"))
        key = f"{response.draft.key}/{len(response.calls)}"
        inputs = {"name": name, "arguments": arguments}
        step = self.draft.add(key, StepKind.TOOL, [response.draft.key], inputs=inputs, timestamp=time, places=[place])
        call = Call(step, name, arguments, time)
        response.calls.append(call)
        self.calls[identity] = call
        kind = text_of(payload.get("type"))
        if kind in tools.ANSWERED_BY_THE_SERVER:
            call.answered = True
            picture = text_of(payload.get("result"))
            step.outputs = {"images": [f"data:image/png;base64,{picture}"]} if picture else {}

    def _output(self, payload: dict[str, Any], time: float | None, place: Place) -> None:
        call = self.calls.get(text_of(payload.get("call_id")))
        if call is None:
            self.report.skip("result without its call")
            return
        if call.answered:
            self.report.folded += 1
            return
        outcome = outcome_of(payload.get("output"))
        if "tools" in payload:
            outcome = outcome._replace(
                text=", ".join(text_of(tool.get("name")) for tool in objects_in(payload["tools"]))
            )
        call.answered = True
        if call.made:
            last = call.made[-1]
            last.outputs = {**last.outputs, "returned": outcome.text}
            if call.former:
                outputs = {**call.former["outputs"], "returned": outcome.text}
                self.draft.once(last.key, {**call.former, "outputs": outputs}, rule=4)
            for step in call.made:
                step.note(place)
            self.draft.remove(call.draft.key)
        else:
            self._answer(call.draft, outcome, call.time, time, call.ended)
            call.draft.note(place)
        self.front_time = time
        self._linked(call, outcome.text, time)

    def _answer(self, step: StepDraft, outcome: Outcome, called: float | None, time: float | None, ended: str) -> None:
        """Put a result into the step of its call.

        Rules that were added later change step ids: an item's word that a call failed (1), a refused patch (2), an exit
        code of 0 before what the text says (3).
        """
        tools.answer(step, outcome, called, time, ended)
        if outcome.exit_code == 0 and (guessed := failure_in(outcome.text)):
            self.draft.once(step.key, {"error": guessed}, rule=3)
        elif step.error and not failure_of(outcome):
            self.draft.once(step.key, {"error": {}}, rule=1 if tools.failure_by(ended, outcome) else 2)

    def _linked(self, call: Call, text: str, time: float | None) -> None:
        """Note the sub-agents that a call started, or whose work it received."""
        key = call.steps[-1].key
        found = object_of(parsed(text))
        if call.name == "spawn_agent":
            thread = text_of(found.get("agent_id"))
            message = text_of(object_of(call.arguments).get("message"))
            self._started(thread, call, message, text_of(found.get("nickname")))
        elif call.name in ("wait_agent", "wait", "close_agent"):
            for thread in object_of(found.get("status")):
                self.links.joined.append(Joined(key, thread.lower(), time))

    def _started(self, thread: str, call: Call, message: str, name: str) -> None:
        if thread:
            response = call.draft.parents[0]
            self.links.started.setdefault(thread.lower(), Started(thread.lower(), response, message, name))

    def _completed(self, item: dict[str, Any], time: float | None, place: Place) -> None:
        """Take a completed item: it adds the duration to the call with its id, or is a call that a program made."""
        call = self.calls.get(text_of(item.get("id")))
        if call is not None:
            duration = duration_in(item.get("duration"))
            if duration is not None and not call.answered:
                call.draft.duration = duration
            call.ended = text_of(item.get("status"))
            call.draft.note(place)
            self.report.folded += 1
        elif tools.is_call_item(item):
            call = next((call for call in self._programs() if not call.answered), None)
            if call is None:
                self.report.skip(f"item {text_of(item.get('type'))} without its call")
                return
            inputs, outcome = tools.of_item(item)
            parent = call.draft.parents[0]
            key = f"{call.draft.key}/{len(call.made)}"
            step = self.draft.add(
                key, StepKind.TOOL, [parent], inputs=inputs, timestamp=time, places=[*call.draft.places, place]
            )
            self._answer(step, outcome, None, time, text_of(item.get("status")))
            call.made.append(step)
            call.former = {}
            if outcome.former is not None:
                before = outcome._replace(text=outcome.former, images=[])
                outputs, error = tools.ended_with(before, text_of(item.get("status")))
                call.former = {"outputs": outputs, "error": error}
                self.draft.once(step.key, call.former, rule=4)
        elif text_of(item.get("type")) in ("UserMessage", "AgentMessage", "Reasoning", "ContextCompaction"):
            self.report.folded += 1
        else:
            self.report.skip(f"item {text_of(item.get('type'))}")
            return
        if call is not None and text_of(item.get("type")) == "CollabAgentToolCall":
            for receiver in objects_in(item.get("receiver_agents")):
                if text_of(item.get("tool")) == "spawn_agent":
                    name = text_of(receiver.get("agent_nickname"))
                    self._started(text_of(receiver.get("thread_id")), call, text_of(item.get("prompt")), name)

    def _programs(self) -> list[Call]:
        return [call for call in (self.open.calls if self.open else []) if call.name == tools.PROGRAM]

    def _ended(self, payload: dict[str, Any], place: Place) -> None:
        """Take `exec_command_end` and the like (up to about 0.130): the duration, and the thread that was started."""
        call = self.calls[text_of(payload.get("call_id"))]
        duration = duration_in(payload.get("duration"))
        if duration is not None and not call.answered:
            call.draft.duration = duration
        call.draft.note(place)
        self.report.folded += 1
        thread = text_of(payload.get("new_thread_id"))
        if thread:
            name = text_of(payload.get("new_agent_nickname"))
            self._started(thread, call, text_of(payload.get("prompt")), name)

    def _token_count(self, info: dict[str, Any], place: Place) -> None:
        """Bill a response unless the total is unchanged, or the file has token_usage_records, which are better."""
        total = info.get("total_token_usage")
        if not isinstance(total, dict) or total == self.total or self.records_usage:
            self.report.folded += 1
            return
        self.total = total
        self.bill(usage_of(info.get("last_token_usage")), place)

    def _compacted(self, payload: dict[str, Any], time: float | None, place: Place) -> None:
        """Replace the history by a summary; the response that wrote the summary, if any, becomes its step."""
        self.root()
        message = text_of(payload.get("message"))
        kept = [said_in(item) for item in objects_in(payload.get("replacement_history")) if item.get("role") == "user"]
        prompts = [said.prompt for said in kept if said.prompt and said.prompt != message]
        outputs: dict[str, Any] = {"summary": message}
        if prompts:
            outputs["kept"] = prompts
        response = self.open
        text = "\n".join(response.text) if response is not None and not response.calls else ""
        if response is not None and text and message.endswith(text):
            step = response.draft
            self.open = None
            step.outputs, step.kind = outputs, StepKind.THINK
            step.note(place)
            step.timestamp = time
            self.front = [step.key]
        else:
            self.settle()
            step = self.add(self.key(place), StepKind.THINK, [place], outputs=outputs, timestamp=time)
        step.inputs = {"trigger": "compaction"}
        self.bill_what_waits(step)
        for item in objects_in(payload.get("replacement_history")):
            for part in objects_in(item.get("content")):
                self.known_context.add(text_of(part.get("text")))

    def _turn_ended(self, payload: dict[str, Any], time: float | None, place: Place) -> None:
        self.settle()
        self.running = False
        error = object_of(payload.get("error"))
        if error:
            self.stop("error", error, time, place)
            return
        self.report.folded += 1
        self.tips.append((time, list(self.front)))
