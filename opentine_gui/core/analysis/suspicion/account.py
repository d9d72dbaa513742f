"""What came of a run, in figures: its failures, what was checked when it ended, how many files it edited."""

from __future__ import annotations

from collections.abc import MutableMapping

import msgspec

from opentine_gui.core.analysis.files.touched_files import Touched, touched_files
from opentine_gui.core.analysis.run_clock import UNKNOWN, Clock, clock, has_clock
from opentine_gui.core.analysis.suspicion.call_facts import CallFacts, call_facts
from opentine_gui.core.analysis.suspicion.open_checks import OpenEnd, open_end
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.failures import failures_in
from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import RunRecord

_FLAGGING = frozenset({"claude-code", "pi", "gemini-cli"})
"""Formats of logs that say of every command that failed that it did; the others do where they have an exit code."""


class Account(msgspec.Struct, frozen=True):
    """How many steps failed, what was checked when the run ended, how many files were edited, and how long it took."""

    failures: int = 0
    end: OpenEnd = OpenEnd()
    files: int = 0
    clock: Clock = UNKNOWN


def account_of(record: RunRecord, pace: Pace | None = None) -> Account:
    """The account of a run. Takes time proportional to its tool steps."""
    graph = record.graph
    touched = touched_files(graph, pace)
    end = OpenEnd()
    main = graph.index(record.main_tip) if record.main_tip is not None else None
    waits = record.waits_to_run  # what was checked came before the fork
    if main is not None and not waits and not graph.children_of(main):
        end = end_at(graph, main, {}, touched, folder_of(record), flags=flags_failures(record))
    took = clock(graph) if has_clock(record) else UNKNOWN
    return Account(len(failures_in(graph)), end, sum(bool(file.changes) for file in touched.files), took)


def folder_of(record: RunRecord) -> str:
    """Where the run worked; "" if that is not recorded."""
    folder = record.metadata.get("cwd")
    return folder if isinstance(folder, str) else ""


def flags_failures(record: RunRecord) -> bool:
    """Whether of every call that failed the run says so: in logs of some programs a command has no outcome at all."""
    capture = record.metadata.get("capture")
    source = capture.get("source_format") if isinstance(capture, dict) else None
    return not isinstance(source, str) or source in _FLAGGING


def end_at(
    graph: Graph,
    tip: int,
    facts: MutableMapping[str, CallFacts],
    touched: Touched,
    folder: str = "",
    *,
    flags: bool = True,
) -> OpenEnd:
    """What had not passed on the way to a tip; `facts` are those known of calls, by step id, and receive more.

    `touched` are the files of the run, `folder` is where it worked, "" if that is not recorded, and `flags` is what
    `flags_failures` says.
    """
    path = graph.closure([tip])
    calls = call_facts(graph, (step for step in path if graph.kinds[step] is StepKind.TOOL), facts, flags=flags)
    return open_end(graph, path, calls, touched, folder)
