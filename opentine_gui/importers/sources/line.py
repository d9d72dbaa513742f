"""The steps of a linear log: answers, their parallel calls, and what comes after all of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.importers.reading import Place
from opentine_gui.importers.run_draft import RunDraft, StepDraft
from opentine_gui.importers.sources.content import Call, Content
from opentine_gui.importers.sources.fields import between
from opentine_gui.importers.sources.outcomes import NO_RESULT, note_silent_failure


class Line:
    """Adds steps at its end. Several lines of one draft differ by `name`."""

    def __init__(self, draft: RunDraft, name: str = "", base: Iterable[str] = ()) -> None:
        self.draft = draft
        self.name = name
        self.tips: list[str] = list(base)
        """Keys of the steps that the next one depends on."""
        self.answer_key = ""
        self.calls: dict[str, StepDraft] = {}
        """Steps of calls by the calls' ids."""
        self.waiting: OrderedDict[str, StepDraft] = OrderedDict()
        """Calls of the last answer that have no result yet, by key, in their order.

        Not a dict: taking its first entry again and again takes quadratic time.
        """
        self._beside: list[str] = []
        """The tips as `call` left them: none but calls of the last answer."""
        self._count = 0

    def add(
        self,
        kind: StepKind,
        inputs: JsonObject | None = None,
        outputs: JsonObject | None = None,
        *,
        time: float | None = None,
        place: Place | None = None,
        v3_kind: str | None = None,
    ) -> StepDraft:
        """Add a step after everything on the line."""
        step = self.draft.add(
            self._key(), kind, self.tips, inputs=inputs or {}, outputs=outputs or {}, timestamp=time, v3_kind=v3_kind,
            places=[place] if place else [],
        )  # fmt: skip
        self.tips = [step.key]
        return step

    def policy(self, inputs: JsonObject, *, time: float | None = None, place: Place | None = None) -> StepDraft:
        """Add instructions."""
        return self.add(StepKind.MODEL, inputs, time=time, place=place, v3_kind="policy")

    def person(self, content: Content, *, time: float | None = None, place: Place | None = None) -> StepDraft:
        """Add what a person said."""
        inputs: JsonObject = {"text": content.text} | ({"images": content.images} if content.images else {})
        return self.add(StepKind.MODEL, inputs, time=time, place=place, v3_kind="human")

    def answer(
        self, content: Content, *, model: str = "", time: float | None = None, place: Place | None = None
    ) -> StepDraft:
        """Add a model's answer with the steps of its calls, which wait for their results."""
        step = self.add(StepKind.MODEL, outputs=content.said(), time=time, place=place)
        step.model_info = model
        self.answer_key = step.key
        self.waiting = OrderedDict()
        for call in content.calls:
            self.call(call, time=time, place=place)
        return step

    def call(self, call: Call, *, time: float | None = None, place: Place | None = None) -> StepDraft:
        """Add the step of a call under the last answer, or under the last step if there was no answer."""
        step = self.draft.add(
            self._key(), StepKind.TOOL, [self.answer_key] if self.answer_key else self.tips, inputs=call.recorded(),
            timestamp=time, error=dict(NO_RESULT), places=[place] if place else [],
        )  # fmt: skip
        if not self.answer_key:
            self.tips = [step.key]
        else:
            if self.tips is not self._beside:
                self.tips = self._beside = [
                    key for key in self.tips if self.draft.steps[key].parents == [self.answer_key]
                ]
            self._beside.append(step.key)
        if call.id:
            self.calls[call.id] = step
        self.waiting[step.key] = step
        return step

    def result(
        self, identity: str, outputs: JsonObject, *, error: JsonObject | None = None, time: float | None = None,
        place: Place | None = None,
    ) -> StepDraft | None:  # fmt: skip
        """Close the call with an id, else the first that waits; None when none does."""
        step = self.calls.get(identity) or next(iter(self.waiting.values()), None)
        if step is None:
            return None
        self.waiting.pop(step.key, None)
        step.outputs, step.error = outputs, error or {}
        note_silent_failure(self.draft, step)
        step.duration = between(step.timestamp, time)
        if place is not None and place not in step.places[-1:]:  # many can have one id
            step.places.append(place)
        return step

    def last_waiting(self) -> StepDraft | None:
        """The last call of the last answer that has no result yet."""
        return next(reversed(self.waiting.values()), None)

    def _key(self) -> str:
        self._count += 1
        return f"{self.name} {self._count}"


def times_of(draft: RunDraft) -> list[float]:
    """The times that steps have."""
    return [step.timestamp for step in draft.steps.values() if step.timestamp is not None]


def began(draft: RunDraft) -> float:
    """The time of the first step in Unix seconds; 0.0 if none is recorded."""
    return min(times_of(draft), default=0.0)


def first_prompt(draft: RunDraft) -> str:
    """The first words of a person, for a title."""
    said: Any = next((step.inputs.get("text") for step in draft.steps.values() if step.v3_kind == "human"), "")
    return str(said or "")[:200]
