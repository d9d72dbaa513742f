"""What a history keeps between records: the response being read, and the links between threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from opentine_gui.importers.codex.calls import Call
from opentine_gui.importers.reading import Place
from opentine_gui.importers.run_draft import StepDraft
from opentine_gui.importers.sources.fields import object_of, parsed, text_of


class Joined(NamedTuple):
    """A step that received what a sub-agent had done until `time`; `thread` is the sub-agent's."""

    step: str
    thread: str
    time: float | None


class Started(NamedTuple):
    """A sub-agent that was started: by which response, with what message and under what name."""

    thread: str
    response: str
    message: str
    name: str


@dataclass(slots=True)
class Links:
    """What ties the histories of one run together; all of them write here."""

    started: dict[str, Started] = field(default_factory=dict)
    joined: list[Joined] = field(default_factory=list)


@dataclass(slots=True)
class Response:
    """A response being read; once `billed`, the next item belongs to another response.

    `billed_last`: its usage came after its items, so that more usage before the next response is not that one's.
    `told` is what Codex itself told the model between a call and its result: text, time and place.
    """

    draft: StepDraft
    sampled: int | None
    started: float | None
    calls: list[Call] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    told: list[tuple[str, float | None, Place]] = field(default_factory=list)
    billed: bool = False
    billed_last: bool = False

    @property
    def answered(self) -> bool:
        """Whether it made calls and all of them have their results."""
        return bool(self.calls) and all(call.answered for call in self.calls)


def threads_in(notice: str) -> list[str]:
    """Ids of the sub-agents that a notice is about, from the JSON in it."""
    start, end = notice.find("{"), notice.rfind("}")
    found = object_of(parsed(notice[start : end + 1])) if 0 <= start < end else {}
    names = (text_of(found.get("agent_path")), text_of(found.get("agent_id")), text_of(found.get("thread_id")))
    return [name.rsplit("/", 1)[-1].lower() for name in names if name]


def sandbox_of(payload: dict[str, Any]) -> str:
    """What a turn's context says of the sandbox, "" when it says nothing."""
    policy = object_of(payload.get("sandbox_policy"))
    return text_of(policy.get("type")) or text_of(policy.get("mode"))
