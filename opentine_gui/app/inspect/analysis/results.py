"""What was worked out about a run, kept as long as its graph lives; worked out in a job when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast
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
RESTS, LONGEST_REST = 10.0, 10.0
"""For so many times as long as a patient look at a run that grows took there is no other, at most so many seconds."""


class Latest(NamedTuple):
    """What was found in an earlier state of a run; its first `kept` steps are the first ones of the present run."""

    result: Any
    kept: int


class _Found(NamedTuple):
    result: object
    ids: Sequence[str]  # the steps it was found in; not their graph, which may be large
    look_after: float  # when a run that grows is looked through again, by the session's clock


_results: WeakKeyDictionary[Graph, dict[str, object]] = WeakKeyDictionary()
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
    """The result of `work(record, pace, latest)` on the present run, or None while a job makes it; cheap to ask.

    A result must not refer to the graph: it is kept as long as that lives.

    `latest` is what the same work found in an earlier state of the document, or None: the cost of work that begins with
    it follows what was added. `name` tells analyses apart; of one asked again meanwhile only the newest is finished.
    A `patient` one looks at the whole of a run that grows now and then, the longer it takes the more seldom.
    """
    record = document.record
    if record is None:
        return None
    graph = record.graph
    known = _results.get(graph)
    if known is not None and name in known:
        found = known[name]
        return None if found is FAILED else cast("Result", found)
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

    def failed(error: Exception) -> None:
        """Say once what went wrong, and do not try the same run again."""
        under_way.pop(name, None)
        found = asked_of()
        if found is not None:
            _results.setdefault(found, {})[name] = FAILED
        session.notices.add("warning", f"A part of this run could not be looked through: {error}", key="analysis")
        session.touch()

    session.jobs.submit(key, read, done, failed, priority=BACKGROUND)
    return None


def latest_ids(document: Document, name: str) -> Sequence[str]:
    """The ids of the steps in which that was found which `latest_analysis` gives; none before there is anything."""
    found = _latest.get(document, {}).get(name)
    return found.ids if found is not None else ()


def latest_analysis(document: Document, name: str) -> object | None:
    """What was last found under that name, perhaps in an earlier state of the run; None before there is anything."""
    found = _latest.get(document, {}).get(name)
    return found.result if found is not None else None
