"""Results of analysing a run: computed in a job on first use, and kept as long as the run's graph lives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar
from weakref import ReferenceType, WeakKeyDictionary, ref

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import BETWEEN_LOOKS, is_growing
from opentine_gui.app.session import Session
from opentine_gui.app.system.jobs import BACKGROUND
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.core.progress import Pace

Result = TypeVar("Result")
FAILED = object()
GIVEN_UP = "Looking through this run failed or was stopped."
RESTS, LONGEST_REST = 10.0, 10.0
"""A slow analysis of a growing run is repeated only after so many times its own duration, or so many seconds."""


class Latest(NamedTuple):
    """The result for an earlier state of a run, which shares the first `kept` steps with the current one."""

    result: Any
    kept: int


class _Found(NamedTuple):
    result: object
    ids: Sequence[str]  # the steps it was computed from; not their graph, which may be large
    look_after: float  # when a growing run is analysed again, by the session's clock


_results: WeakKeyDictionary[Graph, dict[str, Any]] = WeakKeyDictionary()
_latest: WeakKeyDictionary[Document, dict[str, _Found]] = WeakKeyDictionary()
_under_way: WeakKeyDictionary[Document, dict[str, ReferenceType[Graph]]] = WeakKeyDictionary()


def analysis(
    session: Session,
    document: Document,
    name: str,
    work: Callable[[RunRecord, Pace, Latest | None], Result],
    *,
    patient: bool = False,
) -> Result | None:
    """The result of `work(record, pace, latest)` for the current run; None while a job computes it, or if it failed.

    Cheap to call. A result must not refer to the graph, because it is kept as long as the graph lives.

    `latest` is the result for an earlier state of the document, or None: work that starts from it costs only what was
    added. `name` tells analyses apart; if one is requested again meanwhile, only the newest is finished. A `patient`
    one analyses a growing run only now and then, less often the longer it takes.
    """
    record = document.record
    if record is None:
        return None
    graph = record.graph
    known = _results.get(graph)
    if known is not None and name in known:
        found: Result | None = known[name]
        return None if found is FAILED else found
    key = f"{name}:{document.number}"
    under_way = _under_way.setdefault(document, {})
    asked = under_way.get(name)
    if asked is not None and asked() is graph and session.jobs.is_running(key):
        return None
    before, ids = _latest.setdefault(document, {}).get(name), graph.ids
    if patient and before is not None and session.clock() < before.look_after and is_growing(session, document):
        return None
    under_way[name] = ref(graph)
    asked_of = under_way[name]

    def done(found: tuple[Result, float]) -> None:
        result, seconds = found
        under_way.pop(name, None)
        asked = asked_of()
        if asked is not None:
            _results.setdefault(asked, {})[name] = result
        rest = min(max(BETWEEN_LOOKS, RESTS * seconds), LONGEST_REST)
        _latest.setdefault(document, {})[name] = _Found(result, ids, session.clock() + rest)
        session.touch()

    def read(progress: Callable[[float], None], cancelled: Callable[[], bool]) -> tuple[Result, float]:
        began = time.thread_time()
        latest = Latest(before.result, common_beginning(before.ids, ids)) if before is not None else None
        return work(record, Pace(progress, cancelled), latest), time.thread_time() - began

    def not_again() -> None:
        """Do not try the same run again."""
        under_way.pop(name, None)
        found = asked_of()
        if found is not None:
            _results.setdefault(found, {})[name] = FAILED
        session.touch()

    def failed(error: Exception) -> None:
        """Report once what went wrong."""
        not_again()
        session.notices.add("warning", f"A part of this run could not be looked through: {error}", key="analysis")

    session.jobs.submit(key, read, done, failed, priority=BACKGROUND, stopped=not_again, document=document.number)
    return None


def is_known(document: Document, name: str) -> bool:
    """Whether the result is that of the run as it is now, not of a state before it."""
    record = document.record
    return record is not None and _results.get(record.graph, {}).get(name, FAILED) is not FAILED


def was_given_up(document: Document, name: str) -> bool:
    """Whether there will be no result for the run as it is now: looking for it failed or was stopped."""
    record = document.record
    return record is not None and _results.get(record.graph, {}).get(name) is FAILED


def stands_so_far(document: Document, *names: str) -> bool:
    """Whether what was found in the last state of a run is said until the present one is looked through.

    So it is of a run that grew; not of one that was edited since, nor once one of these analyses was stopped or failed:
    nothing newer would come.
    """
    if document.record is None or document.live.grew_at is None or document.edited:
        return False
    return not any(was_given_up(document, name) for name in names)


def latest_ids(document: Document, name: str) -> Sequence[str]:
    """The ids of the steps that the result of `latest_analysis` covers; none before there is a result."""
    found = _latest.get(document, {}).get(name)
    return found.ids if found is not None else ()


def latest_analysis(document: Document, name: str) -> object | None:
    """The last result under that name, perhaps for an earlier state of the run; None before there is one."""
    found = _latest.get(document, {}).get(name)
    return found.result if found is not None else None
