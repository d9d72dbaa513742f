"""Completes steps with what later ones show: turns that ended, times of answers, and calls without results.

What a step rests on and when its last line was written are noted here as it is added.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

from opentine_gui.core.model import StepKind
from opentine_gui.importers.claude_code.content import written_characters
from opentine_gui.importers.claude_code.threads import Call, Response
from opentine_gui.importers.claude_code.usage import doubt
from opentine_gui.importers.run_draft import RunDraft
from opentine_gui.importers.sources.fields import LONGEST_RESPONSE, response_seconds
from opentine_gui.importers.sources.outcomes import NO_RESULT


class Conclusions:
    """What was noted of the steps of a draft so far."""

    def __init__(self, draft: RunDraft) -> None:
        self._draft = draft
        self._ends: dict[str, float] = {}
        self._turn_ends: set[str] = set()
        self._pending: list[Call] = []
        self._inner: set[str] = set()
        """Steps that others rest on."""
        self._measured = (0, 0, 0)
        """(characters, tokens, responses with tokens) so far."""

    def copy(self) -> Conclusions:
        """The same, to go on by itself; the draft is shared."""
        other = copy.copy(self)
        other._ends, other._turn_ends = self._ends.copy(), self._turn_ends.copy()
        other._pending, other._inner = self._pending.copy(), self._inner.copy()
        return other

    def note(self, key: str, parents: Iterable[str], end: float) -> None:
        """Note a step that was added: what it rests on, and when it ended unless that is known."""
        self._ends.setdefault(key, end)
        self._inner.update(parents)

    def end(self, key: str, time: float) -> None:
        """Note when a step ended."""
        self._ends[key] = time

    def end_turn(self, keys: Iterable[str]) -> None:
        """Note steps with which a turn ended."""
        self._turn_ends.update(keys)

    def await_result(self, call: Call) -> None:
        """Note a call that has no result yet."""
        self._pending.append(call)

    def draw(self, responses: Sequence[Response]) -> None:
        """Complete the steps that were added last, and these responses among them."""
        self._mark_turns()
        self._time_responses(responses)
        self._measure(responses)

    def mark_unanswered(self) -> None:
        """A call without a result that something rests on was never answered; at a tip it may still be at work."""
        if not self._pending:
            return
        for call in self._pending:
            if call.key in self._inner:
                self._draft.steps[call.key].error = dict(NO_RESULT)
        self._pending = [call for call in self._pending if call.key not in self._inner]

    def doubt(self) -> str:
        """Why the token sums are lower bounds; "" when nothing speaks against them."""
        return doubt(*self._measured)

    def _mark_turns(self) -> None:
        """An answer without calls that ended a turn is `done`, at a tip or not, so that it stays so when more comes."""
        for key in self._turn_ends:
            step = self._draft.steps.get(key)
            if step is not None and key.startswith("answer ") and not step.error and step.kind is not StepKind.DONE:
                step.kind = StepKind.DONE
        self._turn_ends.difference_update([key for key in self._turn_ends if key in self._draft.steps])

    def _time_responses(self, responses: Iterable[Response]) -> None:
        """A response takes from the last line of what it rests on to its own last line: between lines of the log."""
        for response in responses:
            step = self._draft.steps[response.key]
            end = self._ends[response.key]
            begins = [self._ends[parent] for parent in step.parents if parent in self._ends]
            if begins and step.timestamp is not None and 0 <= step.timestamp - max(begins) < LONGEST_RESPONSE:
                step.timestamp = max(begins)
            step.duration = response_seconds(step.timestamp, end)

    def _measure(self, responses: Iterable[Response]) -> None:
        """Count what was written, and the tokens that are stated for it."""
        characters, tokens, count = self._measured
        for response in responses:
            usage = self._draft.steps[response.key].usage
            if "output" in usage:
                count += 1
                tokens += int(usage["output"])
                characters += sum(written_characters(record.blocks) for record in response.records)
        self._measured = characters, tokens, count
