"""How records are connected: responses of many lines, calls with their results, and what each line builds on.

In the log, results of parallel calls are children of their calls, calls are children of each other, and the next
response is a child of whichever result came last: by `parentUuid` alone all other results would be dead ends. So a
child of a call or a result depends on every call of that response. Bookkeeping records are skipped.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from opentine_gui.importers.claude_code.content import plain_text
from opentine_gui.importers.claude_code.kinds import Kind, kind_of
from opentine_gui.importers.claude_code.log import Log
from opentine_gui.importers.claude_code.records import Block, Record
from opentine_gui.importers.growing.growing_file import NotAppendedError

TALK = (Kind.PROMPT, Kind.SHELL, Kind.ANSWER, Kind.RESULTS, Kind.INTERRUPTION, Kind.API_ERROR, Kind.SUMMARY)
MOST_NESTED = 100
"""Most compactions followed when one keeps what another one made."""
MOST_KEPT = 100
"""Most steps at the end of what a compaction kept that the next step is linked to."""
MOST_CALLS = 1_000
"""Most calls of an answer, the newest, that the next step is linked to."""
MOST_NOTICES = 500
"""Most notices, the newest, that a step has: each line that hangs from a chain of them repeats them."""
MOST_BETWEEN = 100
"""Most lines of bookkeeping skipped between a boundary and its summary."""


WRITTEN_ONCE = (Kind.PROMPT, Kind.INTERRUPTION, Kind.API_ERROR)
"""Kinds of which a line with the same text and time as another is a copy."""


_NO_LINES: set[str] = set()
_NO_PARTS: set[tuple[str, str | bytes]] = set()


@dataclass(slots=True)
class Call:
    """A call of a tool, with its result where one was recorded."""

    key: str
    block: Block
    record: Record
    response: Response
    result: tuple[Record, Block] | None = None


@dataclass(slots=True)
class Response:
    """An answer of the API: all lines with one message id, and the calls in it, in order."""

    key: str
    sub_agent: str
    records: list[Record] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    is_settled: bool = False
    """Whether it is complete: a further line of it requires reading the whole session again."""
    _uuids: set[str] = field(default_factory=set)
    _said: set[tuple[str, str | bytes]] = field(default_factory=set)
    """What identifies the parts of the first `_compared` lines."""
    _compared: int = 0

    def takes(self, record: Record) -> bool:
        """Add a line; False if it only repeats lines of this response and is no child of one. NotAppendedError."""
        if self.is_settled:
            raise NotAppendedError
        if self.records and record.parent_uuid not in self._uuids:
            for line in self.records[self._compared :]:
                self._said.update(_said(line))
            self._compared = len(self.records)
            if self._said.issuperset(_said(record)):
                return False
        self._uuids.add(record.uuid or "")
        self.records.append(record)
        return True

    def settle(self) -> None:
        """Mark it as complete and drop what only further lines would be compared with."""
        self.is_settled = True
        self._uuids, self._said = _NO_LINES, _NO_PARTS

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the steps that whatever follows depends on: its calls (`MOST_CALLS`), else the response itself."""
        return tuple([call.key for call in self.calls[-MOST_CALLS:]]) or (self.key,)


def _said(record: Record) -> Iterator[tuple[str, str | bytes]]:
    """What identifies each part of a line: the id of a call, else its text."""
    for block in record.blocks:
        yield block.type, block.id or bytes(block.text or block.thinking)


@dataclass(slots=True)
class Base:
    """What a line depends on: keys of steps, the notices in between, and how often a request was retried.

    `left_out` is how many notices there are beyond the newest `MOST_NOTICES`.
    """

    keys: tuple[str, ...] = ()
    notices: list[Record] = field(default_factory=list)
    left_out: int = 0
    retries: int = 0
    is_missing: bool = False


_Notices = tuple[Record, "_Notices"] | None


class _Way(NamedTuple):
    """What lies above a record: the first one that makes a step, or is absent, and what stands before that.

    The notices are a chain, the lowest first, which ways that lead through the same ones share.
    """

    end: str | None = None
    notices: _Notices = None
    noticed: int = 0
    retries: int = 0

    def notices_in_order(self) -> list[Record]:
        """The newest notices, the highest first."""
        found: list[Record] = []
        chain = self.notices
        while chain is not None and len(found) < MOST_NOTICES:
            record, chain = chain
            found.append(record)
        found.reverse()
        return found


_NO_WAY = _Way()


class Threads:
    """The records of a log, each with its kind and what it depends on; `older`: see `kind_of`."""

    def __init__(self, log: Log, *, older: bool = False) -> None:
        self.log = log
        self.older = older
        self.differs = False
        """Whether a line was of another kind by the older rule."""
        self.records: list[Record] = []
        """In the order of time."""
        self.kinds: dict[str, Kind] = {}
        self.responses: dict[str, Response] = {}
        self.calls: dict[str, Call] = {}
        self.orphans: dict[str, list[Block]] = {}
        self.expansions: dict[str, Record] = {}
        self.printed: dict[str, Record] = {}
        """What the commands that the user ran printed."""
        self.summaries: dict[str, Record] = {}
        self.roots: dict[str, str] = {}
        self.copies: dict[str, str] = {}
        self.began: float | None = None
        """The earliest time."""
        self.models: Counter[str] = Counter()
        """Responses of each model."""
        self.answered: set[str | None] = set()
        """Parents of lines of the conversation with the user."""
        self.cycles = 0
        self.absent: set[str] = set()
        """Parents that were not found, by uuid."""
        self._groups: dict[tuple[str, str], Response] = {}
        self._first_said: dict[tuple[object, ...], str] = {}
        self._of_record: dict[str, Response] = {}
        self._ways: dict[str, _Way] = {}
        self._tails: dict[str, tuple[str, ...]] = {}
        self._asked: set[str] = set()
        self.add(log.records)

    def add(self, records: Iterable[Record]) -> list[Record]:
        """Add records of the log, all later than those already here; returns them sorted by time."""
        found = sorted(records, key=lambda record: (record.time or 0.0, record.number))
        self.records += found
        times = [record.time for record in found if record.time is not None]
        self.began = min([*times, *([] if self.began is None else [self.began])], default=None)
        self._sort(found)
        self._pair(found)
        return found

    def copy(self) -> Threads:
        """A copy of the tables that can be extended independently; responses and calls are shared."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, dict | list | set):
                setattr(other, name, value.copy())
        return other

    def _sort(self, records: Iterable[Record]) -> None:
        groups, known = self._groups, self._first_said
        for record in records:
            uuid = record.uuid or ""
            kind = self.kinds[uuid] = kind_of(record, older=self.older)
            if kind in (Kind.PROMPT, Kind.SHELL) and not self.older:
                self.differs |= kind_of(record, older=True) is not kind
            if kind in TALK and not record.sub_agent and not record.team_name:
                self.answered.add(record.parent_uuid)
            if kind is Kind.ANSWER and record.message is not None:
                group = (record.sub_agent, record.message.id or uuid)
                response = groups.get(group)
                if response is None:
                    response = groups[group] = self.responses[uuid] = Response(f"answer {uuid}", record.sub_agent)
                    if record.message.model:
                        self.models[record.message.model] += 1
                else:
                    self.log.report.folded += 1
                self._of_record[uuid] = response
                if response.takes(record):
                    for block in record.blocks:
                        self._add_call(block, record, response)
            elif kind in WRITTEN_ONCE and record.time is not None:
                # 2.0 writes the lines of its non-streaming fallback again when a session is resumed
                first = known.setdefault((kind, record.sub_agent, record.time, plain_text(record.blocks)), uuid)
                if first != uuid:
                    self.copies[uuid] = first
                    self.log.report.folded += 1
            if kind is Kind.PROMPT and record.sub_agent and record.sub_agent not in self.roots:
                self.roots[record.sub_agent] = uuid

    def _add_call(self, block: Block, record: Record, response: Response) -> None:
        if block.type != "tool_use":
            return
        identity = block.id or f"{record.uuid}:{len(response.calls)}"
        if identity in self.calls:
            return
        call = self.calls[identity] = Call(f"call {identity}", block, record, response)
        response.calls.append(call)

    def _pair(self, records: Iterable[Record]) -> None:
        """Pair calls with results, slash commands with their expansions, boundaries with summaries."""
        for record in records:
            uuid = record.uuid or ""
            kind = self.kinds[uuid]
            above = record.parent_uuid or ""
            if kind is Kind.RESULTS:
                for block in record.blocks:
                    if block.type != "tool_result":
                        continue
                    call = self.calls.get(block.tool_use_id or "")
                    if call is None:
                        self.orphans.setdefault(uuid, []).append(block)
                    elif call.result is None:
                        if call.response.is_settled:
                            raise NotAppendedError
                        call.result = (record, block)
                        self.log.report.folded += 1
                    else:
                        self.log.report.folded += 1
            elif kind is Kind.EXPANSION:
                command = self.log.by_uuid.get(above)
                if self.kinds.get(above) is Kind.COMMAND and command and command.prompt_id == record.prompt_id:
                    self.expansions.setdefault(above, record)
                else:
                    self.kinds[uuid] = Kind.NOTICE
            elif kind is Kind.SHELL_OUTPUT:
                if self.kinds.get(above) is Kind.SHELL:
                    self.log.report.folded += self.printed.setdefault(above, record) is record
                else:
                    self.kinds[uuid] = Kind.PASSED_OVER
            elif kind is Kind.SUMMARY and (boundary := self.boundary_of(record)) is not None:
                self.summaries.setdefault(boundary.uuid or "", record)

    def is_talk(self, record: Record) -> bool:
        """Whether a line belongs to the conversation with the user."""
        return not record.sub_agent and self.kinds[record.uuid or ""] in TALK and not record.team_name

    def response_of(self, record: Record) -> Response:
        """The response that a line of an answer belongs to."""
        return self._of_record[record.uuid or ""]

    def keys_of(self, record: Record) -> tuple[str, ...] | None:
        """Keys of the steps that children of a record depend on; None for a record that makes no step."""
        uuid = record.uuid or ""
        uuid = self.copies.get(uuid, uuid)
        kind = self.kinds[uuid]
        if kind is Kind.ANSWER:
            return self._of_record[uuid].keys
        if kind is Kind.RESULTS:
            return self._after_results(record)
        if kind is Kind.COMMAND:
            return (f"prompt {uuid}",) if uuid in self.expansions else None
        if kind is Kind.EXPANSION:
            return (f"prompt {record.parent_uuid}",)
        if kind is Kind.PROMPT:
            return (f"agent {record.sub_agent}",) if self.roots.get(record.sub_agent) == uuid else (f"prompt {uuid}",)
        if kind is Kind.SHELL:
            return (f"shell {uuid}",)
        if kind in (Kind.INTERRUPTION, Kind.API_ERROR):
            return (f"error {uuid}",)
        if kind is Kind.BOUNDARY:
            return (*self._kept(record), f"summary {uuid}")
        if kind is Kind.SUMMARY:
            boundary = self.boundary_of(record)
            return self.keys_of(boundary) if boundary is not None else (f"summary {uuid}",)
        return None

    def above(self, record: Record) -> str | None:
        """The uuid of a record's parent; for a boundary the record it compacted, unless that one follows it."""
        if record.parent_uuid is None and self.is_followed_by_kept(record):
            kept = record.compact_metadata.kept if record.compact_metadata is not None else None
            if kept is not None and record.logical_parent_uuid == kept[1]:
                return None
        return record.parent_uuid or record.logical_parent_uuid

    def boundary_of(self, summary: Record) -> Record | None:
        """The boundary above a summary, past any bookkeeping between them; None if there is none."""
        return self._past_bookkeeping(summary.parent_uuid, Kind.BOUNDARY)

    def _past_bookkeeping(self, uuid: str | None, *wanted: Kind) -> Record | None:
        """The first record from `uuid` upwards that is not bookkeeping, if it is of a wanted kind; else None."""
        for _ in range(MOST_BETWEEN):
            kind = self.kinds.get(uuid or "")
            if kind in wanted:
                return self.log.by_uuid.get(uuid or "")
            if kind is not Kind.PASSED_OVER:
                break
            uuid = self.log.by_uuid[uuid or ""].parent_uuid
        return None

    def is_followed_by_kept(self, boundary: Record) -> bool:
        """Whether the records that a compaction kept are children of its summary, as in forks of a compacted session.

        Such a fork has them once, after the summary, and nothing from before it.
        """
        kept = boundary.compact_metadata.kept if boundary.compact_metadata is not None else None
        first = self.log.by_uuid.get(kept[0]) if kept is not None else None
        if first is None:
            return False
        above = self._past_bookkeeping(first.parent_uuid, Kind.SUMMARY, Kind.BOUNDARY)
        if above is not None and self.kinds[above.uuid or ""] is Kind.SUMMARY:
            above = self.boundary_of(above)
        return above is boundary

    def _after_results(self, record: Record) -> tuple[str, ...] | None:
        uuid = record.uuid or ""
        for block in record.blocks:
            call = self.calls.get(block.tool_use_id or "") if block.type == "tool_result" else None
            if call is not None:
                return call.response.keys
        return tuple(f"result {uuid} {number}" for number in range(len(self.orphans.get(uuid, ())))) or None

    def _kept(self, boundary: Record) -> tuple[str, ...]:
        """The steps at the end of what a compaction kept word for word and sends after its summary.

        "Summarize from here" keeps what comes before it: there the summary simply follows.
        """
        facts = boundary.compact_metadata
        kept = facts.kept if facts is not None else None
        uuid = boundary.uuid or ""
        if (
            facts is None
            or kept is None
            or facts.anchor == uuid
            or kept[1] not in self.log.by_uuid
            or self.is_followed_by_kept(boundary)
            or uuid in self._asked
            or len(self._asked) > MOST_NESTED
        ):
            return ()
        if uuid not in self._tails:
            self._asked.add(uuid)  # guards against a boundary whose kept records are its own descendants
            self._tails[uuid] = self.keys_at(kept[1])[-MOST_KEPT:]
            self._asked.discard(uuid)
        return self._tails[uuid]

    def base(self, uuid: str | None) -> Base:
        """What a child of the record `uuid` depends on."""
        way = self._way(uuid)
        keys = self._keys_at(way.end)
        notices = way.notices_in_order()
        return Base(keys or (), notices, way.noticed - len(notices), way.retries, keys is None)

    def keys_at(self, uuid: str | None) -> tuple[str, ...]:
        """The keys of `base`, without collecting the notices in between, of which there can be many."""
        return self._keys_at(self._way(uuid).end) or ()

    def _keys_at(self, end: str | None) -> tuple[str, ...] | None:
        """The keys of the steps of a record at which a way ends; None if there is no such record."""
        record = self.log.by_uuid.get(end) if end is not None else None
        if record is not None:
            return self.keys_of(record) or ()
        if end is None:
            return ()
        self.absent.add(end)
        return None

    def _way(self, uuid: str | None) -> _Way:
        """The way up from a record; every record is walked past once, however many hang from it."""
        way, passed = _NO_WAY, dict[str, Record]()
        while uuid is not None:
            known = self._ways.get(uuid)
            if known is not None:
                way = known
                break
            record = self.log.by_uuid.get(uuid)
            if record is None or self.keys_of(record) is not None:
                way = _Way(uuid)
                break
            if uuid in passed:
                self.cycles += 1
                break
            passed[uuid] = record
            uuid = record.parent_uuid or record.logical_parent_uuid
        for name, record in reversed(passed.items()):
            kind = self.kinds[name]
            if kind is Kind.NOTICE:
                way = way._replace(notices=(record, way.notices), noticed=way.noticed + 1)
            elif kind is Kind.RETRY:
                way = way._replace(retries=way.retries + 1)
            self._ways[name] = way
        return way

    def base_of_response(self, response: Response) -> Base:
        """What a response depends on: its first parent outside the response, whatever the order of its lines."""
        own = {response.key, *response.keys}
        for record in response.records:
            if not own.intersection(self.keys_at(record.parent_uuid)):
                return self.base(record.parent_uuid)
        return Base()
