"""The search of a session: what was asked, where, and what was found so far. Results arrive while one types.

The work is done in one job; a new question cancels it. What it finds comes through a queue and is taken over in
`collect`, once a frame; nothing here waits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from opentine_gui.app.search.query import Query, parse_query
from opentine_gui.app.search.scan_run import Described, described
from opentine_gui.app.search.search_job import Batch, RunHits, SearchJob, fill_index
from opentine_gui.app.search.step_search import StepSearch
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.core import Fingerprint, RunRecord

if TYPE_CHECKING:
    from opentine_gui.app.state.annotations import Annotations
    from opentine_gui.app.system.jobs import Jobs

Scope = Literal["run", "open", "folder"]
SCOPES: tuple[Scope, ...] = ("run", "open", "folder")
JOB, INDEX_JOB = "search", "search index"
INDEX_PRIORITY = 7
LIGHT_EVERY = 0.1
"""Seconds between two updates of what is lit: each repaints the canvas."""
MOST_DESCRIBED = 500
"""Descriptions of rows that are kept."""


class OpenRun(Protocol):
    """What the search needs to know of an open document."""

    number: int

    @property
    def title(self) -> str:
        """Its name."""

    @property
    def path(self) -> Path | None:
        """Its file."""

    @property
    def record(self) -> RunRecord | None:
        """The run as it is now."""

    @property
    def annotations(self) -> Annotations:
        """The notes on its steps."""


class ListedRun(Protocol):
    """What the search needs to know of a run in the folder."""

    @property
    def path(self) -> Path:
        """Its file."""

    @property
    def unreadable(self) -> str:
        """Why it cannot be read, or ""."""


class Host(Protocol):
    """What the search uses of the session."""

    @property
    def jobs(self) -> Jobs:
        """The job queue."""

    @property
    def documents(self) -> Sequence[OpenRun]:
        """The open documents."""

    @property
    def active(self) -> OpenRun | None:
        """The document in front."""

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds, for how often something is shown."""

    def listed(self) -> Sequence[ListedRun]:
        """The runs of the folder."""

    def listed_files(self) -> Mapping[Path, Fingerprint]:
        """The files of the folder, as they were when they were last looked at."""

    def touch(self) -> None:
        """Note that something visible changed."""


class LiveSearch:
    """The question, the scope and the results. `revision` changes with whatever is shown, `lit_revision` with `lit`."""

    def __init__(self, session: Host) -> None:
        self.session = session
        self.text = ""
        self.scope: Scope = "run"
        self.on = False
        """True while the results are shown: then they follow the open runs, and steps are lit."""
        self.problem = ""
        """What is wrong with the question, or with the search for it, in a sentence."""
        self.running = False
        self.wanted = 0
        """1 or -1 while somebody waits to be taken to the next or previous match."""
        self.runs: list[RunHits] = []
        self.search: StepSearch | None = None
        self.revision = self.lit_revision = 0
        self._asked = 0
        self._key: Hashable = None
        self._question: Hashable = None
        self._arrived: deque[Batch] = deque()
        self._lit_at = -1.0
        self._unlit = False
        self._index: TextIndex | None = None
        self._indexed: Hashable = None
        self._described: dict[tuple[int, int], Described] = {}

    # --- the question ----------------------------------------------------------------------------------------------

    def ask(self, text: str, scope: Scope | None = None) -> None:
        """Ask something else; what was found before is dropped."""
        self.text, self.scope, self.wanted = text, scope or self.scope, 0
        self._follow()

    def stop(self) -> None:
        """Cancel the search; what was found so far stays."""
        self.session.jobs.cancel(JOB)
        self._asked += 1
        self.running = False
        self._changed()

    def collect(self) -> None:
        """Take over what was found since the last frame, and ask again if the runs are others."""
        if self.on:
            self._follow()
            self._fill_index()
        arrived = bool(self._arrived)
        while self._arrived:
            batch = self._arrived.popleft()
            if batch.asked != self._asked:
                continue
            if batch.run < 0:
                self.problem, self.running = batch.problem or self.problem, False
                for run in self.runs:
                    run.done = True
            else:
                self.runs[batch.run].add(batch.found, batch.shown)
                self._unlit = True
        if arrived:
            self._changed()
        now = self.session.clock()
        if self._unlit and (not self.running or now - self._lit_at > LIGHT_EVERY):
            self._light(now)

    def _index_of(self, folder: Path) -> TextIndex:
        if self._index is None or self._index.folder != folder:
            if self._index is not None:
                self._index.close()
            self._index = TextIndex(folder)
        return self._index

    def _fill_index(self) -> None:
        """Put runs of the folder that are new or changed into its index, a few at a time, behind everything else."""
        rows = self.session.listed()
        if id(rows) == self._indexed or not rows or self.session.jobs.is_running(INDEX_JOB):
            return
        self._indexed = id(rows)
        index, files = self._index_of(rows[0].path.parent), self.session.listed_files()

        def done(more: bool) -> None:
            if more:
                self._indexed = None

        self.session.jobs.submit(
            INDEX_JOB, lambda _progress, cancelled: fill_index(index, files, cancelled), done, priority=INDEX_PRIORITY
        )

    def close(self) -> None:
        """Close the index."""
        if self._index is not None:
            self._index.close()

    def _light(self, now: float) -> None:
        self._unlit, self._lit_at = False, now
        self.lit_revision += 1
        self.session.touch()

    def _changed(self) -> None:
        self.revision += 1
        self.session.touch()

    def _follow(self) -> None:
        """Search again if the question or the runs it is about changed."""
        session = self.session
        front = session.active.number if session.active is not None and self.scope == "run" else 0
        opened = tuple([(one.number, id(one.record), id(one.annotations)) for one in session.documents])
        listed = id(session.listed()) if self.scope == "folder" else 0
        key = (self.text, self.scope, front, opened, listed)
        if key == self._key:
            return
        if self.running and self.scope == "folder" and self._question == (self.text, self.scope):
            return  # a folder that changes all the time would never be searched to its end
        targets = self._targets()
        self._key, self._question = key, (self.text, self.scope)
        self.session.jobs.cancel(JOB)
        self._asked += 1
        self._arrived.clear()
        self._described.clear()
        self.runs, self.problem, self.running, self.search = [], "", False, None
        self._light(self.session.clock())
        self._changed()
        try:
            query = parse_query(self.text)
        except ValueError as error:
            self.problem = f"{str(error)[:1].upper()}{str(error)[1:]}."
            return
        if query:
            self._begin(query, targets)

    def _targets(self) -> list[RunHits]:
        """The runs to be searched, in the order of the tabs or of the list: opening one changes no other's place."""
        active = self.session.active
        opened = self.session.documents if self.scope != "run" else [active] if active is not None else []
        known = self._known_runs()
        read = [(one, one.record, one.annotations) for one in opened]
        documents = [
            known.get((one.number, id(record), id(notes))) or RunHits(one.title, one.number, one.path, record, notes)
            for one, record, notes in read
            if record is not None
        ]
        if self.scope != "folder":
            return documents
        by_path = {one.path: one for one in documents}
        listed = [row.path for row in self.session.listed() if not row.unreadable]
        files = [by_path.get(path) or known.get((0, path)) or RunHits(path.name, path=path) for path in listed]
        placed = set(map(id, files))
        return [*(one for one in documents if id(one) not in placed), *files]

    def _known_runs(self) -> dict[tuple[object, ...], RunHits]:
        """The runs of the same question that were searched to the end, by what makes them the same."""
        if self._question != (self.text, self.scope) or self.running:
            return {}
        return {
            (run.document, run.path) if run.record is None else (run.document, id(run.record), id(run.notes)): run
            for run in self.runs
        }

    def _begin(self, query: Query, targets: list[RunHits]) -> None:
        self.runs, self.running = targets, True
        self.search = search = StepSearch(query)
        work = SearchJob(StepSearch(query), self._asked, targets, self._arrived.append)
        files = self.session.listed_files() if self.scope == "folder" else {}
        if files:
            work.use_index(self._index_of(next(iter(files)).parent), files)

        def done(_nothing: None) -> None:
            self.collect()

        def failed(error: Exception) -> None:
            if self.search is search:
                self.problem, self.running = f"The search ended early: {error}", False
                self._changed()

        self.session.jobs.submit(JOB, work.run, done, failed, priority=1)

    # --- the results -----------------------------------------------------------------------------------------------

    @property
    def times(self) -> int:
        """How often what was asked for was found."""
        return sum(run.times for run in self.runs)

    @property
    def steps(self) -> int:
        """How many steps were found."""
        return sum(run.steps for run in self.runs)

    def hits_of(self, document: OpenRun | None) -> RunHits | None:
        """What was found in an open document as it is now; None while nothing is searched for."""
        if document is None or not self.on or self.search is None:
            return None
        return next(
            (run for run in self.runs if run.document == document.number and run.record is document.record), None
        )

    def describe(self, run: int, place: int) -> Described:
        """A result as it is shown; made when it is first on screen."""
        hits = self.runs[run]
        if hits.record is None:
            return hits.shown[place]
        found = self._described.get((run, place))
        if found is None:
            if len(self._described) >= MOST_DESCRIBED:
                self._described.clear()
            assert self.search is not None
            found = self._described[run, place] = described(hits.record, self.search, hits.found[place], at_once=True)
        return found

    def next(self, here: tuple[int, int] | None, way: int) -> tuple[int, int] | None:
        """The (run, position) of the next found step after (before) one, around the end; None if there is none."""
        having = [run for run, hits in enumerate(self.runs) if hits.positions]
        if not having:
            return None
        if here is not None and here[0] in having:
            positions = self.runs[here[0]].positions
            place = bisect_right(positions, here[1]) if way > 0 else bisect_left(positions, here[1]) - 1
            if 0 <= place < len(positions):
                return here[0], positions[place]
        run = here[0] if here is not None else (-1 if way > 0 else len(self.runs))
        ahead = [other for other in having if (other - run) * way > 0]
        target = (min(ahead) if way > 0 else max(ahead)) if ahead else having[0 if way > 0 else -1]
        return target, self.runs[target].positions[0 if way > 0 else -1]
