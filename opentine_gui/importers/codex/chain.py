"""The steps of a rollout so far, and what the next one depends on; how a response, a turn and a branch end."""

from __future__ import annotations

import copy
from typing import Any, Self

from opentine_gui.core.model import StepKind
from opentine_gui.importers.codex.calls import Call
from opentine_gui.importers.codex.links import Joined, Links, Response, Started, threads_in
from opentine_gui.importers.reading import Place
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.fields import count, response_seconds, text_of
from opentine_gui.importers.sources.outcomes import NO_RESULT


class Chain:
    """The state of a history: `front` has the keys of the steps that the next one depends on.

    A copy (`branch`) continues independently from the same point, as abandoned ends and forks do.
    """

    def __init__(self, draft: RunDraft, links: Links, start: Started | None = None) -> None:
        self.draft = draft
        self.report = draft.report
        self.links = links
        self.start = start
        self.prefix = ""
        self.front: list[str] = [start.response] if start else []
        self.tips: list[tuple[float | None, list[str]]] = []
        self.turns: list[list[str]] = []
        self.calls: dict[str, Call] = {}
        self.known_context: set[str] = set()
        self.policy: dict[str, Any] = {}
        self.policy_places: list[Place] = []
        self.rooted = start is not None
        self.open: Response | None = None
        self.notices: list[tuple[str, Place]] = []
        self.aborted: StepDraft | None = None
        self.newest: StepDraft | None = None
        """The response that was begun last."""
        self.waiting_usage: list[tuple[dict[str, int | float], Place]] = []
        self.total: Any = None
        self.records_usage = False
        self.model = self.provider = self.title = self.first_prompt = ""
        self.last_time: float | None = None
        self.front_time: float | None = None
        self.running = False

    def branch(self) -> Self:
        """A copy of this history that continues independently; the open response is settled first."""
        self.settle()
        other = copy.copy(self)
        for name in ("front", "tips", "turns", "notices", "policy_places"):
            setattr(other, name, list(getattr(self, name)))
        other.calls = dict(self.calls)
        other.known_context = set(self.known_context)
        other.policy = dict(self.policy)
        other.waiting_usage = []  # billed once, where it was recorded
        return other

    def as_it_stands(self, links: Links) -> Self:
        """A copy that can be finished while this history continues; the draft must undo its changes (`trial`)."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list | set):
                setattr(other, name, value.copy())
        other.links, other.report = links, self.draft.report
        return other

    def root(self) -> None:
        """Add the step of instructions and environment, unless it is there already or would be empty."""
        if self.rooted:
            return
        self.rooted = True
        inputs = {name: value for name, value in self.policy.items() if value}
        if not inputs:
            return
        key = self.key("policy")
        self.add(key, StepKind.MODEL, self.policy_places, inputs=inputs, v3_kind="policy", timestamp=self.last_time)

    def context(self, text: str, time: float | None, place: Place) -> None:
        """Take instructions and environment: into the root step, later as a step of their own if they changed."""
        if not text or text in self.known_context:
            self.report.folded += 1
            return
        self.known_context.add(text)
        if self.start is not None and not self.turns:
            self.report.folded += 1
        elif not self.rooted:
            self.policy.setdefault("context", []).append(text)
            if place not in self.policy_places[-1:]:  # texts of one record come one after the other
                self.policy_places.append(place)
        else:
            self.settle()
            self._told(text, time, place)

    def _told(self, text: str, time: float | None, place: Place) -> None:
        self.add(self.key(place), StepKind.MODEL, [place], inputs={"text": text}, v3_kind="policy", timestamp=time)

    def bill(self, usage: dict[str, int | float], place: Place) -> None:
        """Give usage to the open response; if it has some already, or none is open, keep it (`bill_what_waits`)."""
        response = self.open
        if response is not None and not response.draft.usage:
            response.draft.usage = usage
            response.draft.note(place)
            response.billed = response.billed_last = True
            self.report.folded += 1
        else:
            if response is not None:
                response.billed = True
            if usage:
                self.waiting_usage.append((usage, place))

    def bill_what_waits(self, step: StepDraft | None = None) -> None:
        """Give `step` the usage that no response took: that of a summary, or of an answer that was cut off.

        Without a step, or one that has usage already, it is added to that of the newest response: it was paid for.
        """
        waiting, self.waiting_usage = self.waiting_usage, []
        payer = self.newest if step is None or step.usage else step
        for usage, place in waiting:
            if payer is None:
                self.report.skip("usage without its response")
                continue
            payer.usage = {name: payer.usage.get(name, 0) + usage.get(name, 0) for name in {**payer.usage, **usage}}
            payer.note(place)
            self.report.folded += 1

    def stop(self, kind: str, payload: dict[str, Any], time: float | None, place: Place) -> None:
        """Add an error or an interrupt. Codex writes an interrupt twice, for the model and as an event: one step."""
        self.running = False
        if self.aborted is not None and kind == "turn_aborted" and self.front == [self.aborted.key]:
            step = self.aborted
            step.note(place)
            self.report.folded += 1
        elif kind == "error" and self.aborted is not None and self.front == [self.aborted.key]:
            self.aborted.note(place)
            self.report.folded += 1
            return
        else:
            self.root()
            self.settle()
            what = "interrupted" if kind == "turn_aborted" else "error"
            step = self.add(self.key(place), StepKind.ERROR, [place], error={"type": what}, timestamp=time)
            self.aborted = step
        text = text_of(payload.get("message")) or text_of(payload.get("reason"))
        if text:
            step.error = {**step.error, "message": text}
        if text_of(payload.get("text")):
            step.outputs = {"text": text_of(payload.get("text"))}
        milliseconds = count(payload.get("duration_ms"))
        if milliseconds is not None:
            step.duration = milliseconds / 1000
        self.bill_what_waits(step)
        self.tips.append((time, list(self.front)))

    def roll_back(self, turns: int) -> None:
        """End the newest `turns` as a branch: what comes next continues from before them."""
        self.settle()
        if turns <= 0 or not self.turns:
            self.report.skip("event thread_rolled_back")
            return
        at = max(0, len(self.turns) - turns)
        self.front = list(self.turns[at])
        del self.turns[at:]
        self.report.folded += 1

    def settle(self) -> None:
        """Complete the open response: its texts are joined; the next step depends on its calls, else on itself."""
        response = self.open
        if response is None:
            return
        self.open = None
        step = response.draft
        text = "\n".join(part for part in response.text if part)
        outputs: dict[str, Any] = {}
        if text:
            outputs["text"] = text
        if response.thinking:
            outputs["thinking"] = "\n\n".join(response.thinking)
        if response.calls:
            outputs["tool_calls"] = [{"name": call.name, "arguments": call.arguments} for call in response.calls]
        elif text:
            step.kind = StepKind.DONE
        step.outputs = outputs
        step.duration = response_seconds(response.started, step.timestamp)
        self.front = [made.key for call in response.calls for made in call.steps] or [step.key]
        since = self.front_time
        for text, time, place in response.told:
            self._told(text, time, place)
        self.front_time = max((then for then in (since, self.front_time) if then is not None), default=None)
        self.tips.append((step.timestamp, list(self.front)))

    def finish(self) -> None:
        """End the history: calls without results get an error, and notices left over become a step."""
        if self.policy and not self.rooted:
            self.root()
        response = self.open
        self.settle()
        if response is not None and response.draft.kind is StepKind.DONE and self.running and not response.billed:
            response.draft.kind = StepKind.MODEL  # more of it may still be written
        for call in self.calls.values():
            if not call.answered and not call.made:
                call.draft.error = dict(NO_RESULT)
        self.bill_what_waits()
        if self.notices:
            self.add(self.key("notice"), StepKind.THINK, [], timestamp=self.last_time)

    def forget(self) -> None:
        """Drop the references to steps, which the run has taken over."""
        self.calls.clear()
        self.open = self.aborted = self.newest = None

    def key(self, where: Place | str) -> str:
        """A free key for a step; several parts of one record can make steps."""
        key = f"{self.prefix}:{where.offset if isinstance(where, Place) else where}"
        while key in self.draft.steps:
            key += "+"
        return key

    def add(self, key: str, kind: StepKind, places: list[Place], **fields: Any) -> StepDraft:
        """Add a step after the front; it becomes the front, and takes the waiting notices."""
        step = self.draft.add(key, kind, self.front, places=list(places), **fields)
        if self.notices:
            step.inputs = {**step.inputs, "notices": [text for text, _place in self.notices]}
            for text, place in self.notices:
                step.note(place)
                for thread in threads_in(text):
                    self.links.joined.append(Joined(key, thread, step.timestamp))
            self.notices = []
        self.front = [key]
        self.front_time = step.timestamp
        return step
