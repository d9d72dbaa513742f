"""Makes the steps of a session: one for each prompt, response, call with its result, compaction and failure."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from functools import partial

from opentine_gui.core.model import JsonObject, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.claude_code.conclusions import Conclusions
from opentine_gui.importers.claude_code.content import (
    answer_of,
    command_line,
    plain_text,
    prompt_of,
    reason_of,
    result_of,
    shell_of,
)
from opentine_gui.importers.claude_code.kinds import SYNTHETIC, Kind
from opentine_gui.importers.claude_code.log import Queued
from opentine_gui.importers.claude_code.records import Block, Record, details_of
from opentine_gui.importers.claude_code.subagents import Subagents
from opentine_gui.importers.claude_code.threads import Base, Call, Response, Threads
from opentine_gui.importers.claude_code.usage import usage_of
from opentine_gui.importers.json_lines import value_of
from opentine_gui.importers.reading import Place
from opentine_gui.importers.run_draft import RunDraft, StepDraft

REFUSED = ("The user doesn't want to", "User rejected")
ENDED = "end_turn"
ENDS_TURN = (Kind.PROMPT, Kind.COMMAND, Kind.SHELL, Kind.TURN_END, Kind.NOTICE, Kind.SUMMARY)
"""Lines before which a turn has ended."""
AT_ONCE = 64
"""Records whose steps are added between two looks at whether to go on."""


class Steps:
    """Adds the steps of a session to a draft."""

    def __init__(self, threads: Threads, subagents: Subagents, draft: RunDraft) -> None:
        self.threads = threads
        self.subagents = subagents
        self.draft = draft
        self.missing = 0
        self.conclusions = Conclusions(draft)
        self._unsaid = self._queued_without_a_line()

    def make(self, pace: Pace) -> None:
        """Add every step. Cancelled if the pace says so."""
        self.add(self.threads.records, self.threads.responses.values(), pace)
        self.conclude()

    def add(self, records: Sequence[Record], responses: Iterable[Response], pace: Pace) -> None:
        """Add the steps of records, and say of their responses what is known once these are added. Cancelled."""
        for number, record in enumerate(records):
            if number % AT_ONCE == 0:
                pace.at(number / len(records))
            self._add(record)
        self.conclusions.draw(list(responses))

    def conclude(self) -> None:
        """Report what is only true if no more records follow."""
        self.conclusions.mark_unanswered()
        if said := self.conclusions.doubt():
            self.draft.report.at_least = said

    def settle(self) -> None:
        """Settle what was added so far: later lines cannot add to its answers and calls."""
        self.conclusions.mark_unanswered()
        for response in reversed(self.threads.responses.values()):
            if response.is_settled:
                break
            response.settle()

    def copy(self, threads: Threads) -> Steps:
        """The same steps, to go on with `threads` by itself; the draft is shared."""
        other = copy.copy(self)
        other.threads = threads
        other.conclusions, other._unsaid = self.conclusions.copy(), self._unsaid.copy()
        return other

    def _add(self, record: Record) -> None:
        uuid = record.uuid or ""
        kind = self.threads.kinds[uuid]
        if uuid in self.threads.copies:
            return
        if kind is Kind.ANSWER:
            response = self.threads.responses.get(uuid)
            if response is not None:
                self._add_response(response)
            return
        if kind is Kind.RESULTS:
            self._add_orphans(record)
            return
        if kind is Kind.PROMPT:
            self._add_prompt(record)
        elif kind is Kind.COMMAND and uuid in self.threads.expansions:
            expansion = self.threads.expansions[uuid]
            text = {"text": command_line(record), "expansion": plain_text(expansion.blocks)}
            self._human(record, text, [record, expansion])
        elif kind is Kind.SHELL:
            self._add_shell(record, self.threads.printed.get(uuid))
        elif kind is Kind.INTERRUPTION:
            self._error(record, "interrupted")
        elif kind is Kind.API_ERROR:
            self._error(record, "api_error")
        elif kind is Kind.BOUNDARY:
            self._add_summary(record, self.threads.summaries.get(uuid))
        elif kind is Kind.SUMMARY and self.threads.boundary_of(record) is None:
            self._add_summary(None, record)
        elif kind in (Kind.PASSED_OVER, Kind.COMMAND, Kind.TURN_END, Kind.RETRY) and uuid not in self.threads.log.told:
            self.draft.report.skip(record.kind_name)
        if kind in ENDS_TURN and not record.sub_agent:
            self.conclusions.end_turn(self.threads.keys_at(record.parent_uuid))

    def _queued_without_a_line(self) -> list[Queued]:
        """Prompts that went to the model while it worked and stand nowhere but in the queue's lines."""
        taken = self.threads.log.facts.taken
        if not taken:
            return []
        kinds = self.threads.kinds
        said = {plain_text(record.blocks) for record in self.threads.records if kinds[record.uuid or ""] is Kind.PROMPT}
        return [queued for queued in taken if queued.text not in said]

    def _after_queued(self, parents: list[str], response: Response) -> list[str]:
        """What a response rests on; one right after an answer that called nothing answers a prompt that was queued."""
        first = response.records[0]
        if not self._unsaid or response.sub_agent or len(parents) != 1 or not parents[0].startswith("answer "):
            return parents
        if first.time is None or self._unsaid[0].time > first.time:
            return parents
        queued = self._unsaid.pop(0)
        key = f"queued {first.uuid}"
        self.draft.add(
            key,
            StepKind.MODEL,
            parents,
            inputs={"text": queued.text},
            timestamp=queued.time,
            v3_kind="human",
            places=[queued.place],
        )
        self.conclusions.note(key, parents, queued.time)
        self.conclusions.end_turn(parents)
        return [key]

    def _base(self, record: Record) -> Base:
        base = self.threads.base(record.parent_uuid)
        self._count_missing(base)
        return base

    def _count_missing(self, base: Base) -> None:
        self.missing += base.is_missing

    def _parents(self, base: Base, sub_agent: str) -> list[str]:
        """The steps something rests on, with those that notices bring back; a sub-agent's begin with its start."""
        joined = [key for notice in base.notices for key in self.subagents.joins_of_notice(notice)]
        keys = base.keys or ((f"agent {sub_agent}",) if sub_agent in self.threads.roots else ())
        return list(dict.fromkeys([*keys, *joined]))

    def _add_prompt(self, record: Record) -> None:
        if record.sub_agent and self.threads.roots.get(record.sub_agent) == record.uuid:
            self._add_agent(record)
        else:
            self._human(record, prompt_of(record), [record])

    def _human(self, record: Record, inputs: JsonObject, records: Iterable[Record]) -> None:
        base = self._base(record)
        self._add_step(
            f"prompt {record.uuid}",
            StepKind.MODEL,
            self._parents(base, record.sub_agent),
            records,
            base=base,
            inputs=inputs,
            # what goes to a sub-agent comes from another agent
            v3_kind="subagent" if record.sub_agent or record.is_sidechain else "human",
        )

    def _add_shell(self, record: Record, printed: Record | None) -> None:
        """A command that the user ran."""
        base = self._base(record)
        inputs, outputs = shell_of(record, printed)
        self._add_step(
            f"shell {record.uuid}",
            StepKind.TOOL,
            self._parents(base, record.sub_agent),
            [record, *([] if printed is None else [printed])],
            base=base,
            inputs=inputs,
            outputs=outputs,
            duration=max(0.0, _between(record, printed)) if printed is not None else 0.0,
        )

    def _add_agent(self, record: Record) -> None:
        """The start of a sub-agent."""
        sub_agent = self.threads.log.sub_agents[record.sub_agent]
        call = self.subagents.owner.get(record.sub_agent)
        arguments = value_of(call.block.input) if call is not None else None
        said = arguments if isinstance(arguments, dict) else {}
        inputs: JsonObject = {"prompt": plain_text(record.blocks)}
        for name, text in (
            ("agent", sub_agent.kind or said.get("subagent_type")),
            ("description", sub_agent.description or said.get("description")),
        ):
            if isinstance(text, str) and text:
                inputs[name] = text
        self._add_step(
            f"agent {record.sub_agent}",
            StepKind.MODEL,
            [call.response.key] if call is not None else [],
            [record],
            inputs=inputs,
            v3_kind="subagent",
        )

    def _add_response(self, response: Response) -> None:
        base = self.threads.base_of_response(response)
        self._count_missing(base)
        first, last = response.records[0], response.records[-1]
        message = first.message
        model = message.model if message is not None and message.model else ""
        is_cut = model == SYNTHETIC
        step = self._add_step(
            response.key,
            StepKind.MODEL,
            self._after_queued(self._parents(base, response.sub_agent), response),
            response.records,
            base=base,
            model_info="" if is_cut else model,
            usage={} if is_cut else usage_of(response.records),
            error={"type": "interrupted", "message": "the answer was cut off"} if is_cut else {},
            fill=partial(_fill_answer, response.records),
        )
        for record in response.records:
            request = self.threads.log.facts.requests.get(record.request_ref or "")
            if request is not None and request not in step.places:
                step.note(request)
        self.conclusions.end(response.key, last.time or 0.0)
        if not response.sub_agent and any(
            record.message is not None and record.message.stop_reason == ENDED for record in response.records
        ):
            self.conclusions.end_turn([response.key])
        for call in response.calls:
            self._add_call(call)

    def _add_call(self, call: Call) -> None:
        records = [call.record]
        error: JsonObject = {}
        duration = 0.0
        if call.result is not None:
            record, block = call.result
            records.append(record)
            details = details_of(record)
            stated = details.seconds
            duration = max(0.0, _between(call.record, record) if stated is None else stated)
            self.conclusions.end(call.key, record.time or 0.0)
            if block.is_error:
                error = _failure(block, record, details.interrupted is True)
        else:
            self.conclusions.await_result(call)
        self._add_step(
            call.key,
            StepKind.TOOL,
            [call.response.key, *self.subagents.joins(call)],
            records,
            error=error,
            duration=duration,
            fill=partial(_fill_call, call),
        )

    def _add_orphans(self, record: Record) -> None:
        """Results whose calls are not here: they stand in another file."""
        orphans = self.threads.orphans.get(record.uuid or "")
        if not orphans:
            return
        base = self._base(record)
        for number, block in enumerate(orphans):
            self._add_step(
                f"result {record.uuid} {number}",
                StepKind.TOOL,
                self._parents(base, record.sub_agent),
                [record],
                inputs={"name": ""},
                outputs=result_of(block),
                error=_failure(block, record, False) if block.is_error else {},
            )

    def _error(self, record: Record, kind: str) -> None:
        base = self._base(record)
        self._add_step(
            f"error {record.uuid}",
            StepKind.ERROR,
            self._parents(base, record.sub_agent),
            [record],
            base=base,
            error={"type": kind, "message": reason_of(plain_text(record.blocks))},
        )

    def _add_summary(self, boundary: Record | None, summary: Record | None) -> None:
        """A compaction. Its causes name the first step that was kept, then the tip that was summed up, if another."""
        record = boundary or summary
        assert record is not None
        inputs: JsonObject = {"trigger": "not recorded"}
        outputs: JsonObject = {}
        causes: tuple[str, ...] = ()
        facts = boundary.compact_metadata if boundary is not None else None
        follow = boundary is not None and self.threads.is_followed_by_kept(boundary)
        if boundary is not None and facts is not None:
            inputs["trigger"] = facts.trigger or "not recorded"
            if facts.pre_tokens is not None:
                inputs["before_tokens"] = facts.pre_tokens
            if facts.post_tokens is not None:
                outputs["after_tokens"] = facts.post_tokens
            if facts.kept is not None and not follow:
                causes = self.threads.keys_at(facts.kept[0])[:1]
                if facts.anchor == boundary.uuid:
                    causes += self._tip_before(boundary)
        if summary is not None:
            outputs["summary"] = plain_text(summary.blocks)
        above = self.threads.above(record)
        base = self.threads.base(above)
        base.is_missing |= above is None and record.logical_parent_uuid is not None
        self._count_missing(base)
        self._add_step(
            f"summary {record.uuid}",
            StepKind.THINK,
            self._parents(base, record.sub_agent),
            [found for found in (boundary, summary) if found is not None],
            base=base,
            inputs=inputs,
            outputs=outputs,
            causes=list(causes),
        )

    def _tip_before(self, boundary: Record) -> tuple[str, ...]:
        """Where the conversation stood when it was compacted."""
        for number in range(boundary.number - 1, -1, -1):
            record = self.threads.log.records[number]
            if record.type in ("user", "assistant") and record.sub_agent == boundary.sub_agent:
                return self.threads.keys_at(record.uuid)[-1:]
        return ()

    def _add_step(
        self,
        key: str,
        kind: StepKind,
        parents: list[str],
        records: Iterable[Record],
        *,
        base: Base | None = None,
        inputs: JsonObject | None = None,
        **fields: object,
    ) -> StepDraft:
        records = list(records)
        given = dict(inputs or {})
        used = records
        if base is not None and base.notices:
            given["notices"] = [plain_text(notice.blocks) for notice in base.notices]
            used = [*records, *base.notices]
            if base.left_out:
                given["notices_left_out"] = base.left_out
        if base is not None and base.retries:
            fields["tool_info"] = {"attempts": base.retries + 1}
        places: list[Place] = [record.place for record in used if record.place is not None]
        self.conclusions.note(key, parents, records[-1].time or 0.0)
        return self.draft.add(key, kind, parents, inputs=given, timestamp=records[0].time, places=places, **fields)


def _fill_answer(records: list[Record], step: StepDraft) -> None:
    step.outputs = answer_of(records)


def _fill_call(call: Call, step: StepDraft) -> None:
    step.inputs = {"name": call.block.name or "", "arguments": value_of(call.block.input)}
    if call.result is not None:
        step.outputs = result_of(call.result[1])


def _failure(block: Block, record: Record, interrupted: bool) -> JsonObject:
    """Why a call failed: refused by the user, interrupted, or the tool's own error."""
    result = result_of(block)["result"]
    text = result if isinstance(result, str) else ""
    details = record.tool_use_result
    refused = text.startswith(REFUSED) or (isinstance(details, str) and details.startswith(REFUSED))
    kind = "rejected" if refused else "interrupted" if interrupted else "failed"
    return {"type": kind, "message": reason_of(text)}


def _between(first: Record, last: Record) -> float:
    return (last.time or 0.0) - (first.time or 0.0) if first.time is not None and last.time is not None else 0.0
