"""The list of messages that a chat's records patch, and its steps; what a rewind removes stays as a branch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from opentine_gui.core.model import StepKind
from opentine_gui.importers.gemini import messages as said
from opentine_gui.importers.gemini.messages import Call, Outcome
from opentine_gui.importers.reading import Place
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.fields import response_seconds, text_of, unix_time
from opentine_gui.importers.sources.outcomes import NO_RESULT


@dataclass(slots=True, eq=False)
class Message:
    """A message and its steps; `front` has the keys that the next message depends on, none if it makes no step."""

    id: str
    text: str
    answer: bool
    order: int
    front: list[str] = field(default_factory=list)
    step: StepDraft | None = None
    calls: dict[str, StepDraft] = field(default_factory=dict)

    @property
    def is_summary(self) -> bool:
        """Whether it is a summary that replaced other messages."""
        return self.step is not None and self.step.kind is StepKind.THINK

    @property
    def is_policy(self) -> bool:
        """Whether it is the program's context, which no summary replaces."""
        return self.step is not None and self.step.v3_kind == "policy"


@dataclass(slots=True)
class Agent:
    """A sub-agent: its id, the response that called it, the step of the call, and its name."""

    id: str
    response: str
    step: str
    name: str


class Conversation:
    """Reads records (`take`) or messages (`put`) one by one. With `start` it is a sub-agent's, which begins there."""

    def __init__(self, draft: RunDraft, prefix: str, start: Agent | None = None) -> None:
        self.draft = draft
        self.report = draft.report
        self.prefix = prefix
        self.start = start
        self.known: dict[str, Message] = {}
        self.list: list[Message] = []
        self.agents: list[Agent] = []
        self.made = 0
        self.has_begun = False
        self.header: dict[str, Any] = {}
        self.title = self.first_prompt = self.model = ""
        self.last_time: float | None = None

    @property
    def front(self) -> list[str]:
        """Keys of the steps that the next message depends on."""
        for message in reversed(self.list):
            if message.front:
                return message.front
        return [self.start.response] if self.start else []

    def take(self, record: dict[str, Any], place: Place) -> None:
        """Take a record of the file: a header, a patch, a rewind or a message."""
        patch = record.get("$set")
        if isinstance(patch, dict):
            self.title = text_of(patch.get("summary")) or self.title
            if isinstance(patch.get("messages"), list):
                self._rebuild([item for item in patch["messages"] if isinstance(item, dict)], place)
            else:
                self.report.folded += 1
        elif "$rewindTo" in record:
            self._rewind(text_of(record.get("$rewindTo")))
        elif "sessionId" in record and "type" not in record:
            self.header = self.header or record
            self.title = text_of(record.get("summary")) or self.title
            self.report.folded += 1
        else:
            self.put(record, place)

    def _rewind(self, identity: str) -> None:
        """Remove everything from this message on from the list; an unknown id empties it, as in the program."""
        target = self.known.get(identity)
        at = next((number for number, message in enumerate(self.list) if message is target), 0)
        del self.list[at:]
        self.report.folded += 1

    def _rebuild(self, items: list[dict[str, Any]], place: Place) -> None:
        """Replace the list: known messages keep their steps; new ones become a summary of those they replace."""
        if not self.list and not self.known:
            for item in items:
                self.put(item, place)
            return
        keep: dict[int, Message] = {}
        alike: list[tuple[dict[str, Any], Message]] = []
        thanks: list[str] = []
        new: list[dict[str, Any]] = []
        here = self._names_here()
        for item in items:
            identity = text_of(item.get("id"))
            names = _names_of(item)
            known = self.known.get(identity) if identity else None
            found = known or next((here[name] for name in names if name in here), None)
            if found is not None and found.is_summary and known is None:
                alike.append((item, found))
            elif found is not None:
                keep.setdefault(id(found), found)
                if identity:
                    self.known.setdefault(identity, found)
            elif said.texts_in(said.parts_of(item)) == said.THANKS:
                thanks.append(identity)
            elif not said.has_results(said.parts_of(item)):
                new.append(item)
        if alike and self._goes_on(alike[-1][1], keep):
            new = [item for item, _ in alike] + new
        else:
            keep |= {id(found): found for _, found in alike}
        kept = sorted(keep.values(), key=lambda message: message.order)
        if new:
            self._summarise(new, kept, place)
        else:
            replaced = max((message.order for message in kept if message.is_summary), default=0)
            self.list = [message for message in kept if message.order >= replaced or message.is_policy]
            self.report.folded += 1
        summary = next((message for message in reversed(self.list) if message.is_summary), None)
        if summary is not None:
            self.known.update(dict.fromkeys(filter(None, thanks), summary))

    def _names_here(self) -> dict[Any, Message]:
        """The messages of the list by call id and by text, which stay the same when a message gets another id."""
        found: dict[Any, Message] = {}
        for message in self.list:
            found |= dict.fromkeys(message.calls, message)
            if message.text:
                found[message.text, message.answer] = message
        return found

    def _goes_on(self, summary: Message, keep: dict[int, Message]) -> bool:
        """Whether messages after `summary` are dropped: then an equal summary in the new list covers them, too."""
        after = self.list[self.list.index(summary) + 1 :] if summary in self.list else []
        return any(id(message) not in keep for message in after)

    def _summarise(self, new: list[dict[str, Any]], kept: list[Message], place: Place) -> None:
        """Add a step for new messages that replace others as their summary; the next message depends on it."""
        texts = [said.texts_in(said.parts_of(item)) for item in new]
        text = "\n\n".join(text for text in texts if text and text != said.THANKS)
        sent = [message for message in kept if message.step is not None and not message.is_policy]
        outputs: dict[str, Any] = {"summary": text}
        if sent:
            outputs["kept_steps"] = sum(len(message.calls) + 1 for message in sent)
        front = self.front
        self.list = [message for message in kept if message.is_policy]
        key = self._key()
        step = self.draft.add(
            key, StepKind.THINK, front, inputs={"trigger": "compaction"}, outputs=outputs, timestamp=self.last_time,
            places=[place], causes=[message.step.key for message in sent[:1] if message.step is not None],
        )  # fmt: skip
        last = sent[-1].front if sent else []
        message = Message(key, text, False, self.made, [*last, key], step)
        for item in new:
            self.known[text_of(item.get("id")) or key] = message
        self.list.append(message)

    def put(self, item: dict[str, Any], place: Place) -> None:
        """Take a message: a new one, or a later state of one in the list."""
        identity = text_of(item.get("id"))
        found = self.known.get(identity) if identity else None
        if found is not None:
            self._again(found, item, place)
            return
        parts = said.parts_of(item)
        message = Message(identity, said.texts_in(parts), said.is_answer(item), self.made + 1)
        time = unix_time(item.get("timestamp"))
        kind = text_of(item.get("type"))
        if message.text == said.THANKS and self.list and self.list[-1].is_summary:
            self.known[identity] = self.list[-1]
            self.report.folded += 1
            return
        if message.answer:
            self._answer(message, item, parts, time, place)
        elif said.is_user(item) and said.has_results(parts):
            self._results(parts, time, place)
        elif said.is_user(item) and message.text.startswith(said.SNAPSHOT):
            outputs = {"summary": message.text}
            self._step(message, StepKind.THINK, time, place, inputs={"trigger": "compaction"}, outputs=outputs)
        elif said.is_user(item):
            self._prompt(message, item, parts, time, place)
        elif kind == "error":
            error = {"type": "error", "message": message.text}
            self._step(message, StepKind.ERROR, time, place, error=error)
        else:
            self.report.skip(kind or "record without a type")
            return
        if identity:
            self.known[identity] = message
        self.list.append(message)
        self.last_time = time if time is not None else self.last_time

    def _prompt(
        self, message: Message, item: dict[str, Any], parts: list[dict[str, Any]], time: float | None, place: Place
    ) -> None:
        images = said.images_in(parts)
        if message.text.startswith(said.CONTEXT) and not self.front:
            self._step(message, StepKind.MODEL, time, place, inputs={"context": [message.text]}, v3_kind="policy")
            return
        hooks = [part for part in parts[1:] if text_of(part.get("text")).startswith(said.HOOK)]
        once = said.texts_in(parts)
        parts = [part for part in parts if part not in hooks]
        attached = next(
            (n for n, part in enumerate(parts) if text_of(part.get("text")).startswith(said.ATTACHED)), None
        )
        prompt = sent = said.texts_in(parts[:attached])
        begins = self.start is not None and not self.has_begun
        words = "prompt" if begins else "text"
        inputs: dict[str, Any] = {words: prompt}
        if begins and self.start is not None and self.start.name:
            inputs["agent"] = self.start.name
        self.has_begun = True
        typed_words = said.typed_in(item, sent) if self.start is None else ""
        if typed_words:  # a command such as /init: the program sends a text of its own in its place
            prompt, inputs = typed_words, {"text": typed_words, "expansion": sent}
        self.first_prompt = self.first_prompt or prompt
        if attached is not None:
            inputs["attached"] = said.texts_in(parts[attached:])
        if images:
            inputs["images"] = images
        # What a sub-agent is told after its start comes from the program: nobody typed it.
        typed = self.start is None and prompt != said.GO_ON
        kind = "human" if typed else "subagent" if begins else "policy"
        step = self._step(message, StepKind.MODEL, time, place, inputs=inputs, v3_kind=kind)
        if hooks:
            step.inputs = inputs | {"context": [text_of(part.get("text")) for part in hooks]}
        if kind == "policy" and self.start is not None:  # by the older rule it was another start
            as_start = {"prompt": prompt} | {name: value for name, value in step.inputs.items() if name != "text"}
            self.draft.once(step.key, {"inputs": as_start}, rule=2)
            inputs = {name: value for name, value in as_start.items() if name != "context"}
            words = "prompt"
        if typed_words:
            as_sent = {name: value for name, value in step.inputs.items() if name != "expansion"} | {"text": sent}
            self.draft.once(step.key, {"inputs": as_sent}, rule=3)
            inputs = {name: value for name, value in as_sent.items() if name != "context"}
        if hooks:
            self.draft.once(step.key, {"inputs": inputs | {words: once}})

    def _answer(
        self, message: Message, item: dict[str, Any], parts: list[dict[str, Any]], time: float | None, place: Place
    ) -> None:
        self.model = text_of(item.get("model")) or self.model
        step = self._step(
            message, StepKind.MODEL, time, place, model_info=text_of(item.get("model")), provider="google"
        )
        step.duration = response_seconds(self.last_time, time)
        self._fill(message, item, parts, place)

    def _again(self, message: Message, item: dict[str, Any], place: Place) -> None:
        """Take a later line of a message: an answer gets its calls and their results."""
        self.report.folded += 1
        if message.step is None or not message.answer or not said.is_answer(item):
            return
        message.step.note(place)
        self._fill(message, item, said.parts_of(item), place)
        if (not self.list or self.list[-1] is not message) and message not in self.list:
            self.list.append(message)

    def _fill(self, message: Message, item: dict[str, Any], parts: list[dict[str, Any]], place: Place) -> None:
        step = message.step
        if step is None:
            return
        calls = said.calls_in(item, parts)
        outputs: dict[str, Any] = {}
        if text := said.texts_in(parts):
            outputs["text"] = text
        if thinking := said.thinking_in(item, parts):
            outputs["thinking"] = thinking
        if calls:
            outputs["tool_calls"] = [{"name": call.name, "arguments": call.arguments} for call in calls]
        step.outputs = outputs
        step.kind = StepKind.DONE if text and not calls else StepKind.MODEL
        step.usage = said.usage_of(item.get("tokens")) or step.usage
        for number, call in enumerate(calls):
            self._call(message, step, number, call, place)
        message.front = [made.key for made in message.calls.values()] or [step.key]

    def _call(self, message: Message, step: StepDraft, number: int, call: Call, place: Place) -> None:
        name = call.id or str(number)
        made = message.calls.get(name)
        inputs = {"name": call.name, "arguments": call.arguments}
        if made is None:
            made = self.draft.add(
                f"{step.key}/{len(message.calls)}", StepKind.TOOL, [step.key], inputs=inputs, places=[place]
            )
            made.timestamp = step.timestamp
            made.error = dict(NO_RESULT)
            message.calls[name] = made
        if call.outcome is None:
            if call.error:
                made.error = call.error
            return
        self._close(made, call.outcome, call.images, call.exit_code, unix_time(call.time))
        if place not in made.places:
            made.note(place)
        if call.agent and all(agent.id != call.agent for agent in self.agents):
            named = text_of(call.arguments.get("agent_name")) or call.name
            self.agents.append(Agent(call.agent, step.key, made.key, named))

    def _close(
        self, made: StepDraft, outcome: Outcome, images: list[dict[str, str]], code: int | None, time: float | None
    ) -> None:
        pictures = {"images": images} if images else {}
        made.outputs = {"result": outcome.text} | pictures
        made.error = dict(outcome.error)
        if outcome.former is not None:  # by the older rule structures were spelled as Python, and cut
            text, error = outcome.former
            self.draft.once(made.key, {"outputs": {"result": text} | pictures, "error": error}, rule=4)
        if code is not None:
            made.tool_info = {"exit_code": code}
        if time is not None:
            begun = made.timestamp
            if begun is not None and not made.duration:
                made.duration = max(0.0, time - begun)
            made.timestamp = time
            self.last_time = time

    def _results(self, parts: list[dict[str, Any]], time: float | None, place: Place) -> None:
        """Take results on the user's side: except in plain histories the calls have them already."""
        for identity, name, outcome, images in said.results_in(parts):
            made = self._open_call(identity, name)
            if made is None:
                self.report.folded += 1
            else:
                code = said.exit_code_in(outcome.text)
                if not outcome.error:
                    outcome = outcome._replace(error=said.exit_failure(code))
                self._close(made, outcome, images, code, time)
                made.note(place)

    def _open_call(self, identity: str, name: str) -> StepDraft | None:
        """The newest call without a result that has this id or, if ids were not written, this tool name."""
        for message in reversed(self.list):
            for key, made in message.calls.items():
                waits = made.error == NO_RESULT
                if waits and (key == identity if identity else made.inputs.get("name") == name):
                    return made
            if message.answer:
                return None
        return None

    def _step(self, message: Message, kind: StepKind, time: float | None, place: Place, **fields: Any) -> StepDraft:
        step = self.draft.add(self._key(), kind, self.front, timestamp=time, places=[place], **fields)
        message.step = step
        message.front = [step.key]
        return step

    def _key(self) -> str:
        self.made += 1
        return f"{self.prefix}:{self.made}"


def _names_of(item: dict[str, Any]) -> list[Any]:
    """The keys under which `_names_here` may have a message: the ids of its calls, and its text."""
    parts = said.parts_of(item)
    calls = [call.id for call in said.calls_in(item, parts) if call.id]
    return [*calls, (said.texts_in(parts), said.is_answer(item))]
