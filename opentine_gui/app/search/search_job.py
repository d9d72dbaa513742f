"""The job of a search, which goes through the runs and sends what it finds; and the one that fills the index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.app.search.scan_run import LARGE_STEP, Described, Found, described, scan_run, snippet_at
from opentine_gui.app.search.step_search import PatternTooSlow, StepSearch
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.app.state.annotations import NO_NOTES, Annotations
from opentine_gui.core import Cancelled, Fingerprint, RunRecord, TineError
from opentine_gui.importers.readers import read_run

if TYPE_CHECKING:
    from opentine_gui.app.system.job import IsCancelled, ReportProgress

FILL_SECONDS = 0.25
"""Seconds for which files are read before they are put into the index and others get their turn."""
MOST_SHOWN = 1_000
"""Steps of files that are not open which can be shown; others are only counted."""
TOO_SLOW = "This regular expression takes too long: the search was given up."
SOME_TOO_SLOW = "This regular expression took too long for some texts, which were left out."


class RunHits:
    """What was found in one run; grows while the search goes on. `record` is that of an open document, with its notes.

    `lit` has a 1 for every step that was found, by position.
    """

    __slots__ = (
        "_ordered",
        "document",
        "found",
        "lit",
        "name",
        "notes",
        "path",
        "record",
        "shown",
        "steps",
        "times",
    )

    def __init__(
        self,
        name: str,
        document: int = 0,
        path: Path | None = None,
        record: RunRecord | None = None,
        notes: Annotations = NO_NOTES,
    ) -> None:
        self.name, self.document, self.path, self.record, self.notes = name, document, path, record, notes
        self.found: list[Found] = []
        self.shown: list[Described] = []
        self.steps = self.times = 0
        self.lit = bytearray(len(record.graph)) if record is not None else bytearray()
        self._ordered: list[int] = []

    def add(self, found: Sequence[Found], shown: Sequence[Described] = ()) -> None:
        """Take over what was found; `shown` describes it for a run that is not open."""
        self.found += found
        self.shown += shown
        for one in found:
            self.times += one.times
            if one.position >= 0:
                self.steps += 1
                if self.lit:
                    self.lit[one.position] = 1

    @property
    def positions(self) -> list[int]:
        """The steps that were found, in order."""
        if len(self._ordered) != self.steps:
            self._ordered = sorted(one.position for one in self.found if one.position >= 0)
        return self._ordered


class Batch(NamedTuple):
    """What the job sends: results of a target by its place, or at the end with `place` None what is to be said."""

    asked: int
    place: int | None
    found: list[Found]
    shown: list[Described]
    problem: str = ""


class Files(NamedTuple):
    """The files of a folder that are to be searched, by their place in the list, and what is known of them."""

    places: Mapping[Path, int]
    prints: Mapping[Path, Fingerprint]
    left_out: frozenset[Path] = frozenset()
    """Those that are open, or were searched before."""
    opened: frozenset[Path] = frozenset()
    text_index: TextIndex | None = None


class SearchJob:
    """The job: searches one run after the other, in the order of their places, and sends what it finds.

    `opened` are open runs by their place; only those files are read that may contain a match.
    """

    def __init__(
        self,
        search: StepSearch,
        asked: int,
        opened: Mapping[int, RunHits],
        files: Files | None,
        send: Callable[[Batch], None],
    ) -> None:
        self._search, self._asked, self._left = search, asked, MOST_SHOWN
        self._opened = [(place, one.record, one.notes) for place, one in opened.items()]
        self._files, self._to = files, send

    def _send(self, place: int, found: list[Found], shown: list[Described]) -> None:
        self._to(Batch(self._asked, place, found, shown))

    def run(self, progress: ReportProgress, cancelled: IsCancelled) -> None:
        """Search all runs."""
        problem = ""
        try:
            targets = self._targets()
            for done, (place, path, record, notes) in enumerate(targets, 1):
                if record is not None:
                    for found in scan_run(record, self._search, notes):
                        if cancelled():
                            return
                        if found:
                            self._send(place, self._with_snippets(record, found), [])
                elif path is not None and self._search.is_short:
                    self._name(place, path)
                elif path is not None:
                    self._file(place, path, cancelled)
                progress(done / len(targets))
                if cancelled():
                    return
        except PatternTooSlow:
            problem = TOO_SLOW
        except Cancelled:
            return
        problem = problem or (SOME_TOO_SLOW if self._search.too_slow else "")
        self._to(Batch(self._asked, None, [], [], problem))

    def _targets(self) -> list[tuple[int, Path | None, RunRecord | None, Annotations]]:
        """What is to be searched, in order: (place, file or None, record of an open run or None, its notes)."""
        targets: list[tuple[int, Path | None, RunRecord | None, Annotations]]
        targets = [(place, None, record, notes) for place, record, notes in self._opened]
        if self._files is not None:
            places, prints, left_out, _, index = self._files
            may = index.may_hold(prints, self._search.texts) if index is not None else None
            for path in places if may is None else may:
                place = places.get(path)
                if place is not None and path not in left_out:
                    targets.append((place, path, None, NO_NOTES))
        targets.sort(key=itemgetter(0))
        return targets

    def _with_snippets(self, record: RunRecord, found: list[Found]) -> list[Found]:
        """The same with the snippets that take too long to be cut when they are shown: of patterns and large steps."""
        raws, slow = record.graph.raws, self._search.has_patterns
        ready: list[Found] = []
        for one in found:
            if self._left > 0 and one.position >= 0 and (slow or len(raws[one.position]) > LARGE_STEP):
                one = one._replace(snippet=snippet_at(record, self._search, one))
                self._left -= 1
            ready.append(one)
        return ready

    def _name(self, place: int, path: Path) -> None:
        """Search only the name of a file: a text that short is nearly everywhere, and no index has it."""
        times = self._search.count_in({"name": path.stem})
        if times:
            found = Found(-1, times, self._search.snippet({"name": path.stem}))
            self._send(place, [found], [Described("", path.stem, "", found.snippet)])

    def _file(self, place: int, path: Path, cancelled: IsCancelled) -> None:
        try:
            record = read_run(path, cancelled=cancelled)
        except Cancelled:
            raise
        except (TineError, OSError):
            return  # the list of runs says what is wrong with it
        for found in scan_run(record, self._search):
            if cancelled():
                return
            if found:
                left = self._left
                ready = self._with_snippets(record, found[:left])
                shown = [described(record, self._search, one) for one in ready]
                self._left = left - len(shown)  # each of them once, whether its snippet was cut or not
                self._send(place, found, shown)


def fill_index(index: TextIndex, files: Mapping[Path, Fingerprint], cancelled: IsCancelled) -> bool:
    """Put some files that are missing in an index into it; True if there are more (in a job)."""
    missing = index.missing(files)
    end = perf_counter() + FILL_SECONDS
    read: list[tuple[Path, Fingerprint, RunRecord | None]] = []
    for path in missing:
        try:
            read.append((path, files[path], read_run(path, cancelled=cancelled)))
        except Cancelled:
            return False
        except (TineError, OSError):
            read.append((path, files[path], None))
        if perf_counter() >= end or cancelled():
            break
    if read:
        index.add(read)
    return index.usable and bool(index.missing(files))
