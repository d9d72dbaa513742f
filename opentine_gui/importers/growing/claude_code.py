"""A session that is being written: each line is read once, and only new steps are made.

Everything before the last prompt or answer is settled; the few lines after it are read provisionally each time. Lines
that change settled ones (a sub-agent's, a late result, a record in the past) cause the whole session to be read again.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Reversible, Sequence
from itertools import islice
from pathlib import Path
from sys import intern
from typing import TypeVar

import msgspec

from opentine_gui.core.errors import FormatError
from opentine_gui.core.progress import Pace
from opentine_gui.importers.claude_code import session
from opentine_gui.importers.claude_code.kinds import Kind, kind_of
from opentine_gui.importers.claude_code.log import files_within, read_log, records_in, set_times
from opentine_gui.importers.claude_code.records import DECODER, NOTHING, Record, details_of, progress_of
from opentine_gui.importers.claude_code.steps import Steps
from opentine_gui.importers.claude_code.subagents import STARTERS, Subagents
from opentine_gui.importers.claude_code.threads import Threads
from opentine_gui.importers.growing.growing_draft import GrowingDraft
from opentine_gui.importers.growing.growing_file import GrowingFile, NotAppendedError
from opentine_gui.importers.growing.growing_source import GrowingSource
from opentine_gui.importers.json_lines import BROKEN
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.state import state_of

Entry = TypeVar("Entry")
LOOKED_AT = 400
"""Most lines at the end of a file that are searched for the beginning of a prompt or an answer."""
TRIES = 3
_TEXTS = ("text", "thinking", "input", "content", "source")
_REPEATED = ("type", "subtype", "session_id", "version", "cwd", "git_branch", "prompt_id")
_REPEATED_OF_MESSAGE = ("model", "stop_reason")
_REPEATED_OF_BLOCK = ("type", "name")


class GrowingSession(GrowingSource):
    """A session with the sub-agents in files beside it; while one of those grows, everything is read each time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._steps: Steps | None = None
        self._within = ""
        self._last_time: float | None = None
        self._knows_former_ids = False
        """Whether the first reading was made, which has the former ids."""

    def begin(self, file: GrowingFile, content: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`; settles up to the last prompt or answer, or an earlier one if that fails."""
        for place in islice(_beginnings(content), TRIES):
            tried = file.copy()
            try:
                self._settle_first(content[:place], pace.part(0.0, 0.9))
                tried.settle(content[:place])
                reading = self.read_on(tried, content[place:], pace.part(0.9, 1.0))
            except NotAppendedError:
                continue
            file.settle(content[: tried.settled])
            return reading
        raise NotAppendedError

    def whole(self, pace: Pace) -> Reading:
        """See `GrowingSource`."""
        return session.read(self.path, progress=pace.at)

    def _settle_first(self, content: bytes, pace: Pace) -> None:
        self.draft, self._within = GrowingDraft(texts_are_whole=True), self._state_within()
        log = read_log(self.path, self.draft.report, pace.part(0.0, session.READ), content)
        if log.is_subagent or log.facts.taken:
            raise FormatError("it is read as a whole", path=self.path)
        threads = Threads(log)
        self._steps = Steps(threads, Subagents(threads), self.draft)
        self._steps.add(threads.records, threads.responses.values(), pace.part(session.READ, 1.0))
        self.lines += self.draft.report.records
        main = [record for record in log.records if record.place is not None and record.place.path == self.path]
        self._settled(threads.records, main)

    def read_on(self, file: GrowingFile, rest: bytes, pace: Pace) -> Reading:
        """See `GrowingSource`; everything before the last prompt or answer is settled."""
        steps = self._steps
        if steps is None or self._state_within() != self._within:
            raise NotAppendedError
        place = next(_beginnings(rest), 0)
        if place:
            added = self._extend(steps, rest[:place], file.settled, pace.part(0.0, 0.3))
            self._settled(added, added)
            file.settle(rest[:place])
            rest = rest[place:]
        with self.draft.trial():
            further = self._copy(steps)
            self._extend(further, rest, file.settled, pace.part(0.3, 0.6))
            further.conclude()
            again = further.threads.differs and not self._knows_former_ids
            reading = session.reading_of(further, file.digest(rest), pace.part(0.6, 0.7 if again else 1.0))
            if again:
                reading = session.with_former_ids(reading, self.path, pace.part(0.7, 1.0))
            self._knows_former_ids = True
            return reading

    def _copy(self, steps: Steps) -> Steps:
        """A copy of the steps with tables of its own, so that provisional additions leave no trace."""
        log = copy.copy(steps.threads.log)
        log.records, log.by_uuid, log.report = log.records.copy(), log.by_uuid.copy(), self.draft.report
        log.facts = copy.deepcopy(log.facts)
        threads = steps.threads.copy()
        threads.log = log
        subagents = copy.copy(steps.subagents)
        subagents.threads = threads
        further = steps.copy(threads)
        further.subagents = subagents
        return further

    def _extend(self, steps: Steps, content: bytes, offset: int, pace: Pace) -> list[Record]:
        """Add the lines at `offset`. NotAppendedError if one of them changes what is settled; Cancelled."""
        threads = steps.threads
        log, before = threads.log, threads.log.report.records
        found = []
        for record in records_in(log, self.path, content, None, offset):
            if record.is_sidechain or record.uuid in threads.absent or isinstance(details_of(record).agent_id, str):
                raise NotAppendedError
            if record.type == "progress" and progress_of(record) is not None:
                raise NotAppendedError
            found.append(record)
        self.lines += log.report.records - before
        set_times(found, self._last_time)
        newest = threads.records[-1].time or 0.0 if threads.records else 0.0
        if log.facts.taken or any((record.time or 0.0) < newest for record in found):
            raise NotAppendedError
        answers = len(threads.responses)
        called, waited = len(threads.calls), _waited_for(threads)
        found = threads.add(found)
        _check(threads, found, waited, called)
        steps.add(found, _last_of(threads.responses.values(), len(threads.responses) - answers), pace)
        return found

    def _settled(self, records: Sequence[Record], main: Sequence[Record]) -> None:
        """Make the steps of what is settled, and drop its content."""
        steps = self._steps
        assert steps is not None
        steps.settle()
        began = self.draft.created_at
        if began is None:
            began = min((record.time for record in records if record.time is not None), default=0.0)
        self.draft.prepare(began)
        self._last_time = main[-1].time if main else self._last_time
        for record in records:
            _let_go(record, steps.threads.kinds[record.uuid or ""])

    def _state_within(self) -> str:
        files = files_within(self.path)
        return state_of([*files, *(file.with_suffix(".meta.json") for file in files)])


def _waited_for(threads: Threads) -> set[str]:
    """Ids of calls whose results were read but which were not found."""
    return {block.tool_use_id or "" for blocks in threads.orphans.values() for block in blocks}


def _check(threads: Threads, found: Sequence[Record], waited: set[str], called: int) -> None:
    """NotAppendedError where new lines say something about settled ones."""
    new = {record.uuid for record in found}
    for record in found:
        kind, above = threads.kinds[record.uuid or ""], record.parent_uuid or ""
        if kind is Kind.SUMMARY and (boundary := threads.boundary_of(record)) is not None:
            above = boundary.uuid or ""
        if kind is Kind.SHELL_OUTPUT and above not in new:
            raise NotAppendedError
        belongs = above in threads.expansions if kind is Kind.EXPANSION else above in threads.summaries
        if kind in (Kind.EXPANSION, Kind.SUMMARY) and belongs and above not in new:
            raise NotAppendedError
    for identity, call in _last_of(threads.calls.items(), len(threads.calls) - called):
        if identity in waited or (call.block.name in (*STARTERS, "Workflow") and threads.log.sub_agents):
            raise NotAppendedError


def _last_of(entries: Reversible[Entry], count: int) -> list[Entry]:
    """The last `count` entries of a table, in order, without walking through those before them."""
    return list(islice(reversed(entries), count))[::-1]


def _let_go(record: Record, kind: Kind) -> None:
    """Drop what is only needed to make steps; the rest is copied, so that the file's bytes can be freed."""
    record.content = None
    if isinstance(record.tool_use_result, str | list):
        record.tool_use_result = None
    record.data = NOTHING
    if record.message is not None:
        record.message.usage = NOTHING
    _share(record, _REPEATED)
    if record.message is not None:
        _share(record.message, _REPEATED_OF_MESSAGE)
    made = kind in (Kind.ANSWER, Kind.RESULTS)
    said = record.message.content if record.message is not None else None
    if record.attachment is not None and isinstance(record.attachment.prompt, list):
        said = record.attachment.prompt
    for block in said if isinstance(said, list) else ():
        _share(block, _REPEATED_OF_BLOCK)
        for name in _TEXTS:
            held = getattr(block, name)
            if len(held):
                setattr(block, name, NOTHING if made else msgspec.Raw(bytes(held)))


def _share(holder: msgspec.Struct, names: Sequence[str]) -> None:
    """Share one string among the records that repeat it: the version, the folder, the name of a tool."""
    for name in names:
        held = getattr(holder, name)
        if type(held) is str:
            setattr(holder, name, intern(held))


def _beginnings(content: bytes) -> Iterator[int]:
    """Offsets at which prompts and answers begin in these lines, the last one first, without 0."""
    answer, begun = "", 0
    end = content.rfind(b"\n") + 1
    for _ in range(LOOKED_AT):
        if end <= 0:
            return
        start = content.rfind(b"\n", 0, end - 1) + 1
        try:
            record = DECODER.decode(memoryview(content)[start:end])
        except BROKEN:
            record = Record()
        if record.uuid and record.message is not None and not record.is_sidechain:
            name = (record.message.id or record.uuid) if record.type == "assistant" else ""
            prompts = record.type == "user" and not record.is_meta
            prompts = prompts and not any(block.type == "tool_result" for block in record.blocks)
            prompts = prompts and kind_of(record) is not Kind.SHELL_OUTPUT
            if answer and (prompts or (name and name != answer)):
                yield begun
                answer = ""
            if name:
                answer, begun = name, start
            if prompts and start:
                yield start
        end = start
