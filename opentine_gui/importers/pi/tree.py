"""Makes steps of a tree of entries: an entry builds on the path to its root, with results joined to their calls.

Results of parallel calls are chained in the file (the second is a child of the first); here each is a step under the
response, and the next step builds on all of those on its path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from opentine_gui.core.errors import FormatError
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import MAIN
from opentine_gui.importers.pi.answers import Answers
from opentine_gui.importers.pi.content import (
    bill_of,
    call_named,
    failure_of,
    result_of,
    said_in,
    shell_of,
    with_images,
)
from opentine_gui.importers.pi.entries import Entry, Session, earlier_session
from opentine_gui.importers.pi.kept import Paths
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft, StepDraft, capture_of, status_at
from opentine_gui.importers.sources.fields import (
    between,
    count,
    response_seconds,
    text_in,
    text_of,
    unix_time,
)
from opentine_gui.importers.sources.origin import shown_path
from opentine_gui.importers.sources.outcomes import NO_RESULT

_COMMAND = re.compile(r"\s*/[\w:-]+\s*")
"""A command of pi that was typed alone: it does not say what the run is about."""
_MARKS = ("model_change", "thinking_level_change", "label", "session_info", "custom", "context_edit", "usage", "leaf")
"""Entries that make no step: what hangs under one rests on what stands above it."""


TOGETHER = 0.25
"""Seconds below which results of an answer were written together, as pi does once all of its parallel calls ended.

Results that are further apart were each written when their call ended, and the next one began.
"""


class Results(NamedTuple):
    """A row of results in the file, up to one of them: of which answer, the call and the entry, the row before it.

    `in_turn`: its calls ran one after another (`TOGETHER`).
    """

    answer: str
    call: str
    entry: str
    before: Results | None
    in_turn: bool = False


class Tree:
    """Entries as drafts; `fronts` has what a child of an entry rests on.

    After a result these are all results of its row, and calls that nobody answers. They are put together only where
    something other than a further result follows: a row of n results would have n such lists.
    """

    def __init__(self, session: Session, draft: RunDraft) -> None:
        self.session = session
        self.draft = draft
        self.report = draft.report
        self.answers = Answers(session)
        self.paths = Paths()
        self.fronts: dict[str, list[str]] = {}
        self.rows: dict[str, Results] = {}
        """The row that ends with a result, or at it with a mark."""
        self.open_calls: dict[tuple[str, int], str] = {}
        """The steps of calls that no entry answers."""
        self.owners: dict[str, str | None] = {}
        """The answers that results belong to."""
        self.line_before = -1, ""
        self.left: dict[str, str] = {}
        """The entry of the line before a summary of a branch."""
        self.refs: dict[str, str] = {}
        self.title = self.first_prompt = self.model = ""
        self.last: str | None = None
        self.answered: set[tuple[str, str]] = set()
        """The calls that have a result anywhere in the file: one without it ends the batch wherever it goes on."""

    def take(self, entries: Sequence[Entry]) -> None:
        """Make steps of the next entries, in file order; the session has them already."""
        for entry in entries:
            if entry.role == "toolResult":
                owner = self.owners[entry.id] = self.answers.above(entry)
                if owner is not None:
                    self.answered.add((owner, text_of(entry.message.get("toolCallId"))))
            elif entry.type == "branch_summary" and self.line_before[0] == entry.order - 1:
                self.left[entry.id] = self.line_before[1]
            self.line_before = entry.order, entry.id
        for entry in entries:
            self._make_above(entry.id)
            if entry.type not in _MARKS:
                self.last = entry.id
        if self.last is not None:
            self.front(self.last)  # while the calls are here

    def front(self, identity: str | None) -> list[str]:
        """What a child of an entry that was made rests on."""
        front = self.fronts.get(identity or "")
        if front is None and identity in self.rows:
            front = self.fronts[identity] = self._ends(self.rows[identity])
        return front or []

    def _ends(self, row: Results) -> list[str]:
        """The results of a row and the calls without one, in the order of the calls."""
        answer = row.answer
        results: dict[str, str] = {}
        at: Results | None = row
        while at is not None:
            results.setdefault(at.call, at.entry)
            at = at.before
        keys = [
            results.get(text_of(call.get("id"))) or self.open_calls.get((answer, number), "")
            for number, call in enumerate(self.answers.asked(answer).calls)
        ]
        return [key for key in keys if key]

    def _make_above(self, identity: str) -> None:
        """Make an entry, before it those above it that come later in the file."""
        entry = self.session.entries[identity]
        above = entry.parent
        if (above is None or above in self.fronts or above in self.rows) and not self._is_made(identity):
            self._make(entry)  # as most are
            return
        waiting: dict[str, None] = {}
        current: str | None = identity
        while current is not None and not self._is_made(current) and current in self.session.entries:
            if current in waiting:
                self.report.remark("Entries that name each other as parents: the cycle was broken.")
                break
            waiting[current] = None
            current = self.session.entries[current].parent
        for name in reversed(waiting):
            self._make(self.session.entries[name])

    def _is_made(self, identity: str) -> bool:
        return identity in self.fronts or identity in self.rows

    def _make(self, entry: Entry) -> None:
        if entry.parent is not None and entry.parent not in self.session.entries:
            self.report.remark("An entry hangs under one that is not in this file: what follows begins without it.")
        kind = entry.type
        role = entry.role
        row = self.rows.get(entry.parent or "")
        if kind == "message" and role == "toolResult":
            self._result(entry, row)
            return
        if kind in _MARKS and row is not None:
            self.rows[entry.id] = row
            self._mark(entry)
            return
        above = self.front(entry.parent)
        self.fronts[entry.id] = above
        if kind == "message" and role == "user":
            self._human(entry, above)
        elif kind == "message" and role == "assistant":
            self._response(entry, above)
        elif kind == "message" and role == "bashExecution":
            self._shell(entry, above)
        elif kind in ("message", "custom_message"):
            content = entry.message.get("content") if kind == "message" else entry.value.get("content")
            self._step(entry, StepKind.MODEL, above, inputs={"text": text_in(content)}, v3_kind="policy")
        elif kind in ("compaction", "branch_summary"):
            self._summary(entry, above)
        elif kind in _MARKS:
            self._mark(entry)
        else:
            self.report.skip(kind or "entry without a type")

    def _step(self, entry: Entry, kind: StepKind, above: list[str], **fields: Any) -> StepDraft:
        time = entry.time or unix_time(entry.message.get("timestamp"))
        step = self.draft.add(entry.id, kind, above, timestamp=time, places=[entry.place], **fields)
        if entry.id not in self.rows:
            self.fronts[entry.id] = [entry.id]
        return step

    def _human(self, entry: Entry, above: list[str]) -> None:
        inputs = with_images("text", entry.message.get("content"))
        if not self.first_prompt or _COMMAND.fullmatch(self.first_prompt):
            self.first_prompt = inputs["text"] or self.first_prompt
        self._step(entry, StepKind.MODEL, above, inputs=inputs, v3_kind="human")

    def _response(self, entry: Entry, above: list[str]) -> None:
        message = entry.message
        calls = self.answers.asked(entry.id).calls
        error = failure_of(message)
        kind = StepKind.DONE if text_of(message.get("stopReason")) == "stop" and not calls else StepKind.MODEL
        if error and not calls:
            kind = StepKind.ERROR
        self.model = text_of(message.get("model")) or self.model
        usage, cost, billing = bill_of(message.get("usage"))
        step = self._step(
            entry, kind, above, outputs=said_in(message, calls), error=error, model_info=text_of(message.get("model")),
            provider=text_of(message.get("provider")), usage=usage, cost=cost, billing=billing,
        )  # fmt: skip
        begun = unix_time(message.get("timestamp"))
        step.duration = response_seconds(begun, step.timestamp)
        if calls:
            ends = [self._unanswered(entry, number, call) for number, call in enumerate(calls)]
            self.fronts[entry.id] = [key for key in ends if key] or [entry.id]

    def _unanswered(self, entry: Entry, number: int, call: dict[str, Any]) -> str:
        """The step of a call that no entry answers, on whatever branch; "" for one that is answered."""
        if (entry.id, text_of(call.get("id"))) in self.answered:
            return ""
        key = f"{entry.id}/{number}"
        while key in self.session.entries:
            key += "+"
        self.open_calls[entry.id, number] = key
        self.draft.add(
            key,
            StepKind.TOOL,
            [entry.id],
            inputs=call_named(call),
            error=dict(NO_RESULT),
            timestamp=entry.time,
            places=[entry.place],
        )
        return key

    def _result(self, entry: Entry, row: Results | None) -> None:
        owner = self.owners.get(entry.id)
        if owner is None:
            self.fronts[entry.id] = self.front(entry.parent)
            self.report.skip("result without its call")
            return
        message = entry.message
        identity = text_of(message.get("toolCallId"))
        asked = self.answers.asked(owner)
        call = asked.calls[asked.places[identity]]
        outputs, error = result_of(message)
        found = self.rows[entry.id] = Results(owner, identity, entry.id, row if entry.parent != owner else None)
        step = self._step(entry, StepKind.TOOL, [owner], inputs=call_named(call), outputs=outputs, error=error)
        self.rows[entry.id] = self._timed(step, found)

    def _timed(self, step: StepDraft, row: Results) -> Results:
        """Set the duration of the newest step of a row: since the answer or, in turn, since the result before."""
        step.duration = between(self.session.entries[row.answer].time, step.timestamp)
        before = row.before
        if before is None or before.answer != row.answer:
            return row
        since = between(self.draft.steps[before.entry].timestamp, step.timestamp)
        if not before.in_turn and since < TOGETHER:
            return row
        step.duration = since
        at = before
        while (above := at.before) is not None and above.answer == row.answer:
            own = self.draft.steps[at.entry]
            taken = between(self.draft.steps[above.entry].timestamp, own.timestamp)
            if own.duration == taken:  # so are all above it
                break
            own.duration = taken
            at = above
        return row._replace(in_turn=True)

    def _shell(self, entry: Entry, above: list[str]) -> None:
        """A command that the person ran: `!command`, which the model sees, or `!!command`, which it does not."""
        code = count(entry.message.get("exitCode"))
        self._step(
            entry, StepKind.TOOL, above, tool_info={} if code is None else {"exit_code": code},
            **shell_of(entry.message, code),
        )  # fmt: skip

    def _summary(self, entry: Entry, above: list[str]) -> None:
        value = entry.value
        before = count(value.get("tokensBefore"))
        trigger = "compaction" if entry.type == "compaction" else "branch summary"
        inputs: dict[str, Any] = {"trigger": trigger} | ({} if before is None else {"before_tokens": before})
        outputs: dict[str, Any] = {"summary": text_of(value.get("summary"))}
        kept, first = 0, ""
        if entry.type == "compaction":
            first = text_of(value.get("firstKeptEntryId"))
            kept, first = self.paths.kept(entry.parent, first, self.session.entries, self.draft.steps)
        if kept:
            outputs["kept_steps"] = kept
        step = self._step(entry, StepKind.THINK, above, inputs=inputs, outputs=outputs)
        if kept:  # those from the first on are still sent, and what follows rests on the last of them too
            step.causes = self.front(first)[:1]
            self.fronts[entry.id] = [*(key for key in above if not self._is_summary(key)), entry.id]
        elif entry.type == "branch_summary":
            left = text_of(value.get("fromId"))
            if not left or left == entry.parent:  # up to 0.73 it names its own parent: it means the entry before
                left = self.left.get(entry.id, "")
            step.causes = [key for key in self.front(left) if key not in above]

    def _is_summary(self, key: str) -> bool:
        """Whether a step is a compaction: the next one takes its place."""
        entry = self.session.entries.get(key)
        return entry is not None and entry.type == "compaction"

    def _mark(self, entry: Entry) -> None:
        value = entry.value
        if entry.type == "session_info":
            self.title = text_of(value.get("name")) or self.title
        elif entry.type == "label":
            name = text_of(value.get("label"))
            target = self.front(text_of(value.get("targetId")))
            if name and target and name != MAIN:
                self.refs[name] = target[-1]
        elif entry.type == "usage" and (above := self.front(entry.parent)):
            usage, cost, _billing = bill_of(value.get("usage"))
            step = self.draft.steps[above[-1]]
            step.usage = {name: step.usage.get(name, 0) + usage.get(name, 0) for name in {**step.usage, **usage}}
            step.cost += cost
            if step.billing:
                step.billing = {**step.billing, "known_subtotal_usd": step.cost}
            step.note(entry.place)
            self.report.folded += 1
            return
        self.report.skip(entry.type)

    def _ended(self, end: StepDraft) -> StepDraft:
        """The last step that is the agent's: what a person runs after an answer leaves its turn ended."""
        while end.inputs.get("by") == "person" and end.parents:
            end = self.draft.steps[end.parents[0]]
        return end

    def finish(self, source: tuple[str, int], pace: Pace) -> Reading:
        """The reading of a file with this sha256 and number of bytes; the session stands at its last entry."""
        if not self.draft.steps:
            raise FormatError("it holds no step of a pi session", path=self.session.path)
        header = self.session.header
        metadata: dict[str, Any] = {}
        for name, value in (
            ("title", self.title), ("user_prompt", self.first_prompt), ("model_info", self.model),
            ("cwd", text_of(header.get("cwd"))),
        ):  # fmt: skip
            if value:
                metadata[name] = value
        front = self.front(self.last) or list(self.draft.steps)[-1:]
        end = self.draft.steps[front[-1]]
        for key in front:
            if self.draft.steps[key].error == NO_RESULT:
                self.draft.steps[key].error = {}  # it may still be at work
        times = [step.timestamp for step in self.draft.steps.values() if step.timestamp is not None]
        version = count(header.get("version"))
        if earlier_session(self.session):
            self.report.remark("It was forked from another session; steps that both have are the same.")
        return self.draft.finish(
            run_id=text_of(header.get("id")) or self.session.path.stem,
            created_at=unix_time(header.get("timestamp")) or min(times, default=0.0),
            capture=capture_of("pi", "", shown_path(self.session.path), "pi", source)
            | {"session_version": version or 1},
            metadata=metadata,
            status=status_at(self._ended(end)),
            main=front[-1],
            refs=self.refs,
            sources=[self.session.path],
            pace=pace,
        )
