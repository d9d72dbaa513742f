"""The search of a session: what was asked, where, and what was found so far. Results arrive while the user types.

The work is done in one job; a new question cancels it. What it finds comes through a queue and is taken over in
`collect`, once a frame; nothing here waits.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from opentine_gui.app.search.advice import why_nothing
from opentine_gui.app.search.host import Host, ListedRun, OpenRun, Scope, are_open
from opentine_gui.app.search.lit_text import LitText
from opentine_gui.app.search.query import Query, filters_and_pattern, query_so_far
from opentine_gui.app.search.scan_run import Described, described
from opentine_gui.app.search.search_job import Batch, Files, RunHits, SearchJob, fill_index
from opentine_gui.app.search.step_hits import StepHits
from opentine_gui.app.search.step_search import StepSearch
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.app.system.jobs import leaves_nothing

SCOPES: tuple[Scope, ...] = ("run", "open", "folder")
JOB, INDEX_JOB = "search", "search index"
INDEX_PRIORITY = 7
LIGHT_EVERY = 0.1
"""Seconds between two updates of what is lit: each repaints the canvas."""
MOST_DESCRIBED = 500
"""Descriptions of rows that are kept."""


class _Same:
    """A value that is equal to itself alone."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


class _Searched(NamedTuple):
    """A question that was answered to the end, the files it was asked of, and the runs that were searched."""

    question: Hashable
    files: Files | None
    runs: dict[Hashable, RunHits]


class LiveSearch:
    """The question, the scope and the results. `revision` changes with what is shown, `lit_revision` with what is lit.

    `runs` are the open runs that are searched and the files in which something was found, in the order of the tabs or
    of the list: what they cost grows with what was found, not with the folder.
    """

    def __init__(self, session: Host) -> None:
        self.session = session
        self.text = ""
        self.scope: Scope = "run"
        self.on = False
        """True while the results are shown: then they follow the open runs, and steps are lit."""
        self.problem = ""
        """What is wrong with the question, or with the search for it, in a sentence."""
        self.advice = ""
        """Where nothing was found, why that may be."""
        self.running = False
        self.wanted = 0
        """How many matches to go on by once they are found; back if negative."""
        self.by_step = False
        """Whether that is by steps, and not by each hit in them."""
        self.turning = ""
        """The step whose tab with the match is to be shown once its run is open."""
        self.passing = 0
        """The document that F3 opened and in which nothing was done since: the next one takes its place."""
        self.hits = StepHits()
        self.regex = False
        """Whether the question is a regular expression, with filters before it."""
        self.runs: list[RunHits] = []
        self.times = self.steps = 0
        """How often what was asked for was found, and how many steps."""
        self.search: StepSearch | None = None
        self._lit_text: LitText | None = None
        self.revision = self.lit_revision = 0
        self._asked = 0
        self._key: Hashable = None
        self._question: Hashable = None
        self._arrived: deque[Batch] = deque()
        self._lit_at = -1.0
        self._unlit = False
        self._order: list[int] = []
        """The place of each of `runs`."""
        self._open_hits: list[RunHits] = []
        self._files: Files | None = None
        self._listed: tuple[Sequence[ListedRun], dict[Path, int]] = ((), {})
        self._searched = _Searched(None, None, {})
        self._index: TextIndex | None = None
        self._indexed: Hashable = None
        self._described: dict[tuple[int, int], Described] = {}

    # --- the question ----------------------------------------------------------------------------------------------

    def ask(self, text: str, scope: Scope | None = None, regex: bool | None = None) -> None:
        """Ask something else; what was found before is dropped. `regex`: it is a regular expression."""
        self.text, self.scope, self.wanted, self.turning = text, scope or self.scope, 0, ""
        self.regex = self.regex if regex is None else regex
        self._follow()

    def stay(self, action_id: str) -> None:
        """Keep the tab that F3 opened: something else was done than to go on from hit to hit."""
        if not action_id.startswith("search."):
            self.passing = 0

    def stop(self) -> None:
        """Cancel the search; what was found so far stays."""
        self.session.jobs.cancel(JOB)
        self._asked += 1
        self.running = False
        self._changed()

    def leave(self) -> None:
        """Show results no longer. A search that still runs is cancelled, and begins anew once they are shown again."""
        self.on, self.wanted = False, 0
        if self.running:
            self.stop()
            self._key = None
        self.lit_revision += 1

    def forget(self, document: int) -> None:
        """Keep nothing of a document that is closed; while results are shown they follow what is open anyway.

        What was found elsewhere stays, so that nothing is searched twice once they are shown again.
        """
        if self.on:
            return
        self._key = None
        self._described.clear()
        kept = [(place, run) for place, run in zip(self._order, self.runs, strict=True) if run.document != document]
        self._order, self.runs = [place for place, _ in kept], [run for _, run in kept]
        self._open_hits = [run for run in self._open_hits if run.document != document]
        searched = {key: run for key, run in self._searched.runs.items() if run.document != document}
        self._searched = self._searched._replace(runs=searched)

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
            if batch.place is None:
                self.problem, self.running = batch.problem or self.problem, False
                self._searched = _Searched(self._question, self._files, {_known_by(run): run for run in self.runs})
                if self.search is not None and not (self.times or self.problem):
                    text = "" if self.regex else self.text
                    self.advice = why_nothing(text, self.search.query, self.scope, self._opened())
            else:
                run = self._run_at(batch.place)
                run.add(batch.found, batch.shown)
                self.times += sum([one.times for one in batch.found])
                self.steps += sum([one.position >= 0 for one in batch.found])
                self._unlit = True
        if arrived:
            self._changed()
        now = self.session.clock()
        if self._unlit and (not self.running or now - self._lit_at > LIGHT_EVERY):
            self._light(now)

    def _index_of(self, folder: Path) -> TextIndex:
        if self._index is None or self._index.folder != folder:
            if self._index is not None:  # its file may be written just now: nothing here waits for that
                self._leave(self._index)
            self._index = TextIndex(folder)
        return self._index

    def _leave(self, index: TextIndex) -> None:
        self.session.jobs.submit(
            f"leave index:{id(index)}",  # of one folder there may be two, where somebody goes to and fro
            lambda _progress, _cancelled: index.close(),
            lambda _none: None,
            priority=INDEX_PRIORITY,
            must_finish=True,
        )

    def _fill_index(self) -> None:
        """Put runs of the folder that are new or changed into its index, a few at a time, behind everything else."""
        rows = self.session.listed()
        if _Same(rows) == self._indexed or not rows or self.session.jobs.is_running(INDEX_JOB):
            return
        self._indexed = _Same(rows)
        index, files = self._index_of(rows[0].path.parent), self.session.listed_files()

        def done(more: bool) -> None:
            if more:
                self._indexed = None

        self.session.jobs.submit(
            INDEX_JOB,
            lambda _progress, cancelled: fill_index(index, files, cancelled),
            done,
            priority=INDEX_PRIORITY,
            stopped=leaves_nothing,
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

    def _run_at(self, place: int) -> RunHits:
        """The run of a place; a file gets its own when something is found in it."""
        number = bisect_left(self._order, place)
        if number == len(self._order) or self._order[number] != place:
            path = self._listed[0][place].path
            self._put(place, RunHits(path.name, path=path))
        return self.runs[number]

    def _put(self, place: int, run: RunHits) -> None:
        number = bisect_left(self._order, place)
        self._order.insert(number, place)
        self.runs.insert(number, run)

    def _follow(self) -> None:
        """Search again if the question or the runs it is about changed."""
        session = self.session
        front = session.active.number if session.active is not None and self.scope == "run" else 0
        # The values themselves are kept: the id of one that is gone may be that of its successor.
        opened = tuple([(one.number, _Same(one.record), _Same(one.annotations)) for one in self._opened()])
        listed = _Same(session.listed()) if self.scope == "folder" else None
        question = (self.text, self.regex, self.scope)
        key = (question, front, opened, listed)
        if key == self._key:
            return
        if self.running and self.scope == "folder" and self._question == question:
            return  # a folder that changes all the time would never be searched to its end
        self._key, self._question = key, question
        if self._searched.question != question:
            self._searched = _Searched(None, None, {})
        self.session.jobs.cancel(JOB)
        self._asked += 1
        self._arrived.clear()
        self._described.clear()
        self.runs, self._order, self._open_hits, self._files = [], [], [], None
        self.times = self.steps = 0
        self.problem, self.running, self.search, self._lit_text = "", False, None, None
        self.advice = ""
        self._light(self.session.clock())
        self._changed()
        try:
            query = filters_and_pattern(self.text) if self.regex and self.text.strip() else query_so_far(self.text)
        except ValueError as error:
            self.problem = f"{str(error)[:1].upper()}{str(error)[1:]}."
            return
        if query:
            self._begin(query)

    def _opened(self) -> Sequence[OpenRun]:
        """The open documents that are searched. Where runs are, a comparison is none: each hit would be there twice.

        In the folder there are runs alone; of those that are open, one is searched whose runs are not.
        """
        active, documents = self.session.active, self.session.documents
        if self.scope == "run":
            return [active] if active is not None else []
        if self.scope == "folder":
            return [one for one in documents if one.members is None]
        return [one for one in documents if one.members is None or not are_open(one.members, documents)]

    def _targets(self) -> dict[int, RunHits]:
        """The open runs to be searched by place; what was found in one before is shown again. Sets `_files`, too."""
        searched = self._searched
        known = searched.runs if searched.question == self._question else {}
        read = [(one, one.record, one.annotations) for one in self._opened()]
        documents = [
            RunHits(one.title, one.number, one.path, record, notes) for one, record, notes in read if record is not None
        ]
        places = self._places() if self.scope == "folder" else {}
        to_search: dict[int, RunHits] = {}
        open_paths: set[Path] = set()
        for number, run in enumerate(documents):
            place = places.get(run.path, -1) if run.path is not None and run.path not in open_paths else -1
            if place < 0:
                place = number - len(documents)  # before the list
            elif run.path is not None:
                open_paths.add(run.path)
            before = known.get(_known_by(run))
            if before is None:
                to_search[place] = run
            self._show(place, before or run)
        self._open_hits = list(self.runs)
        if self.scope == "folder":
            self._files = self._files_to_search(places, open_paths)
        return to_search

    def _files_to_search(self, places: Mapping[Path, int], open_paths: set[Path]) -> Files:
        """The files of the folder without those that were searched before: what was found in these is shown again."""
        prints, searched, left_out = self.session.listed_files(), self._searched, set(open_paths)
        if searched.question == self._question and searched.files is not None:
            before = searched.files
            for path, place in places.items():
                same = path in before.places and prints.get(path) == before.prints.get(path)
                if not same or path in open_paths or path in before.opened:
                    continue
                left_out.add(path)
                run = searched.runs.get((0, path))
                if run is not None:
                    self._show(place, run)
        index = self._index_of(next(iter(prints)).parent) if prints else None
        return Files(places, prints, frozenset(left_out), frozenset(open_paths), index)

    def _show(self, place: int, run: RunHits) -> None:
        self._put(place, run)
        self.times += run.times
        self.steps += run.steps

    def _places(self) -> Mapping[Path, int]:
        """The place in the list of each file that can be read; the same as long as the list is."""
        rows = self.session.listed()
        if self._listed[0] is not rows:
            self._listed = (rows, {row.path: place for place, row in enumerate(rows) if not row.unreadable})
        return self._listed[1]

    def _begin(self, query: Query) -> None:
        opened = self._targets()
        self.running = True
        self.search = search = StepSearch(query)
        self._lit_text = LitText(query)
        work = SearchJob(StepSearch(query), self._asked, opened, self._files, self._arrived.append)

        def done(_nothing: None) -> None:
            self.collect()

        def early(why: str) -> None:
            if self.search is search:
                self.problem, self.running = f"The search ended early: {why}", False
                self._changed()

        self.session.jobs.submit(
            JOB, work.run, done, lambda error: early(str(error)), priority=1, stopped=lambda: early("it was stopped")
        )

    # --- the results -----------------------------------------------------------------------------------------------

    @property
    def lit_text(self) -> LitText | None:
        """What is lit in the texts of steps; None while no results are shown, or no text is asked for."""
        return self._lit_text if self.on and self._lit_text else None

    def hits_of(self, document: OpenRun | None) -> RunHits | None:
        """What was found in an open document as it is now; None while nothing is searched for."""
        if document is None or not self.on or self.search is None:
            return None
        return next(
            (run for run in self._open_hits if run.document == document.number and run.record is document.record), None
        )

    def describe(self, run: int, place: int) -> Described:
        """A result as it is shown; made when it is first on screen."""
        hits = self.runs[run]
        if hits.record is None:
            return hits.shown[place]
        found = self._described.get((self._order[run], place))
        if found is None:
            if len(self._described) >= MOST_DESCRIBED:
                self._described.clear()
            assert self.search is not None
            found = self._described[self._order[run], place] = described(
                hits.record, self.search, hits.found[place], at_once=True
            )
        return found

    def number_of(self, here: tuple[int, int]) -> int | None:
        """Which of the found steps one is at, from 1, as `next` goes through them; None at another step."""
        run, position = here
        positions = self.runs[run].positions
        place = bisect_left(positions, position)
        if place == len(positions) or positions[place] != position:
            return None
        return sum([hits.steps for hits in self.runs[:run]]) + place + 1

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


def _known_by(run: RunHits) -> Hashable:
    """What tells a run that was searched from others: the path of a file, or what was looked at in an open run."""
    return (0, run.path) if run.record is None else (run.document, _Same(run.record), _Same(run.notes))
