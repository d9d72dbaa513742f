"""Turns what a task wrote into steps.

The writes are the outputs of the task's step; a model's answer among them makes a response, a tool's answer closes its
call.
"""

from __future__ import annotations

from typing import Any

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.importers.frameworks.langgraph.messages import messages_in, model_of, role_of, said_in, usage_in
from opentine_gui.importers.frameworks.langgraph.store import Checkpoint, Store
from opentine_gui.importers.frameworks.langgraph.values import difference
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.content import Call, content_of
from opentine_gui.importers.sources.fields import object_of, storable, text_of

LARGE = 2_000
"""Of written values longer than this, in characters, only the difference to the state before is kept."""
LONGEST_LINE = 500


class Turns:
    """Makes the steps of the tasks of one thread."""

    def __init__(self, store: Store, thread: str, draft: RunDraft) -> None:
        self.store = store
        self.thread = thread
        self.draft = draft
        self.asked: dict[str, tuple[Call, str]] = {}
        """Calls by their ids, each with the key of the response that asked for it."""
        self.named: dict[str, int] = {}

    def key(self, name: str) -> str:
        """A key that no step has yet: the name, with a number from its second use on."""
        self.named[name] = count = self.named.get(name, 0) + 1
        return name if count == 1 else f"{name} {count}"

    def grow(
        self,
        checkpoint: Checkpoint,
        name: str,
        parents: list[str],
        inputs: JsonObject,
        writes: list[tuple[str, Any]],
        seconds: float,
        *,
        whole: bool = False,
    ) -> list[str]:
        """Add the steps of a task and return the keys of its last ones.

        `whole`: what it wrote repeats the steps of its subgraph, so its messages make no steps of their own.
        """
        spoken = [message for _, value in writes for message in messages_in(value)]
        turns = [] if whole else [message for message in spoken if role_of(message) in ("ai", "tool")]
        others = [(channel, value) for channel, value in writes if whole or not messages_in(value)]
        key = f"{checkpoint.namespace} {checkpoint.id} {name}"
        if not turns:
            plain = [(channel, value) for channel, value in writes]
            step = self._step(key, StepKind.TOOL, parents, checkpoint, name, seconds)
            step.inputs = inputs or {"name": name}
            step.outputs = {"result": self._result(checkpoint, plain)} if plain else {}
            return [step.key]
        tips = list(parents)
        batch: list[str] = []
        first = None
        for message in turns:
            if role_of(message) == "ai":
                tips, batch = (batch or tips), []
                step = self._answer(key, message, tips, checkpoint, name, seconds)
                tips = [step.key]
            else:
                step = self._tool(key, message, tips, checkpoint, name, inputs, seconds)
                batch.append(step.key)
            first = first or step
            seconds = 0.0
        if others and first is not None:
            first.outputs["state"] = self._result(checkpoint, others)
        return batch or tips

    def _step(
        self, key: str, kind: StepKind, parents: list[str], checkpoint: Checkpoint, name: str, seconds: float
    ) -> StepDraft:
        return self.draft.add(
            self.key(key),
            kind,
            parents,
            timestamp=checkpoint.time,
            duration=seconds,
            tool_info={"node": name},
        )

    def _answer(
        self, key: str, message: JsonObject, parents: list[str], checkpoint: Checkpoint, name: str, seconds: float
    ) -> StepDraft:
        step = self._step(key, StepKind.MODEL, parents, checkpoint, name, seconds)
        content = said_in(message)
        step.outputs = content.said()
        step.model_info = model_of(message)
        step.usage = usage_in(message)
        step.provider = text_of(object_of(message.get("response_metadata")).get("model_provider"))
        for call in content.calls:
            if call.id:
                self.asked[call.id] = (call, step.key)
        return step

    def _tool(
        self,
        key: str,
        message: JsonObject,
        parents: list[str],
        checkpoint: Checkpoint,
        name: str,
        inputs: JsonObject,
        seconds: float,
    ) -> StepDraft:
        step = self._step(key, StepKind.TOOL, parents, checkpoint, name, seconds)
        call, _ = self.asked.get(text_of(message.get("tool_call_id")), (None, ""))
        sent = object_of(inputs.get("arguments"))
        is_same = not sent or (call is not None and (sent.get("id") == call.id or sent == call.arguments))
        step.inputs = call.recorded() if call and is_same else {**inputs, "name": text_of(message.get("name")) or name}
        content = content_of(message.get("content"))
        step.outputs = content.outcome()
        if message.get("status") == "error":
            step.error = {"type": "failed", "message": content.text[:LONGEST_LINE]}
        return step

    def _result(self, checkpoint: Checkpoint, writes: list[tuple[str, Any]]) -> Any:
        """What was written: a single value by itself, several by channel; of large ones what changed."""
        found: JsonObject = {}
        state: JsonObject | None = None
        for channel, value in writes:
            if isinstance(value, list | dict) and len(str(value)) > LARGE:
                if state is None:
                    state = self.store.state(self.thread, checkpoint)
                value = difference(state.get(channel), value)
            known = found.get(channel)
            found[channel] = storable(value) if channel not in found else [known, storable(value)]
        return next(iter(found.values())) if len(found) == 1 else found
