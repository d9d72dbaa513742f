"""What was worked out about a run, kept as long as its graph lives; worked out in a job when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast
from weakref import ReferenceType, WeakKeyDictionary, ref

from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.app.system.jobs import BACKGROUND
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.comparison.equal_ends import common_beginning
from opentine_gui.core.progress import Pace

Result = TypeVar("Result")
FAILED = object()


class Latest(NamedTuple):
    """What was found in an earlier state of a run; its first `kept` steps are the first ones of the present run."""

    result: Any
    kept: int


class _Found(NamedTuple):
    result: object
    ids: Sequence[str]  # the steps it was found in; not their graph, which may be large


_results: WeakKeyDictionary[Graph, dict[str, object]] = WeakKeyDictionary()
_latest: WeakKeyDictionary[Document, dict[str, _Found]] = WeakKeyDictionary()
_under_way: WeakKeyDictionary[Document, dict[str, ReferenceType[Graph]]] = WeakKeyDictionary()


def analysis(
    session: Session, document: Document, name: str, work: Callable[[RunRecord, Pace, Latest | None], Result]
) -> Result | None:
    """The result of `work(record, pace, latest)` on the present run, or None while a job makes it; cheap to ask.

    A result must not refer to the graph: it is kept as long as that lives.

    `latest` is what the same work found in an earlier state of the document, or None: the cost of work that begins with
    it follows what was added. `name` tells analyses apart; of one asked again meanwhile only the newest is finished.
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
    under_way[name] = ref(graph)
    asked_of, before, ids = under_way[name], _latest.setdefault(document, {}).get(name), graph.ids

    def done(result: Result) -> None:
        under_way.pop(name, None)
        found = asked_of()
        if found is not None:
            _results.setdefault(found, {})[name] = result
        _latest.setdefault(document, {})[name] = _Found(result, ids)
        session.touch()

    def read(progress: Callable[[float], None], cancelled: Callable[[], bool]) -> Result:
        latest = Latest(before.result, common_beginning(before.ids, ids)) if before is not None else None
        return work(record, Pace(progress, cancelled), latest)

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


def latest_analysis(document: Document, name: str) -> object | None:
    """What was last found under that name, perhaps in an earlier state of the run; None before there is anything."""
    found = _latest.get(document, {}).get(name)
    return found.result if found is not None else None
