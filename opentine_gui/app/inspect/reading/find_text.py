"""Finds every occurrence of a text on a page, line by line, in slices."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable
from typing import NamedTuple

from opentine_gui.app.inspect.reading.page import Page
from opentine_gui.app.inspect.reading.places import Needle, Place
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import Jobs
from opentine_gui.describe.content.lines import Lines, Pace, no_pace, pace_of

MOST_MATCHES = 10_000
"""Places that are counted at most."""
SLICE = 200


class Match(NamedTuple):
    """An occurrence of the text: characters `begin` to `end` of a line."""

    line: int
    begin: int
    end: int


def pattern_for(text: str) -> re.Pattern[str] | None:
    """A case-insensitive pattern for a text; None for an empty text."""
    return re.compile(re.escape(text), re.IGNORECASE) if text else None


def find_text(
    lines: Lines, pattern: Needle, pace: Pace = no_pace, *, begin: int = 0, most: int = MOST_MATCHES
) -> list[Match]:
    """The first `most` matches of the pattern, from the line `begin` on."""
    found: list[Match] = []
    for index in range(begin, len(lines)):
        if index % SLICE == 0:
            pace()
        for match in pattern.finditer(lines[index].text):
            if match.end() > match.start():
                found.append(Match(index, match.start(), match.end()))
        if len(found) >= most:
            return found[:most]
    return found


Top = tuple[int, int]
"""The line and the row in it at the top of a page."""


class Finder:
    """Searches a page for a text in a job, highlights the matches, and steps through them.

    `matches` are in the order of the page; None during a search, or if nothing is searched for. `changed` is called
    when they have been found. `find` clears what `light` highlights: it is stepped through from elsewhere, with `mark`.
    """

    def __init__(self, jobs: Jobs, page: Page, changed: Callable[[], None]) -> None:
        self.matches: list[Match] | None = None
        self.number: int | None = None
        """Which match is selected, from 0."""
        self.text = ""
        self._jobs, self._page, self._changed = jobs, page, changed
        self._edition = 0
        self.lit: list[Match] | None = None
        """All that `light` lit, in the order of the page; None while it is looked for, or if nothing is lit."""
        self._lit: tuple[Hashable, int] = (None, 0)
        """What `light` lit last, and the edition of the lines it was looked for in."""
        self._wanted = False
        self._stood: tuple[Top, Top, Lines] | None = None
        """Where the page stood before a first match was shown, where it was brought, and its lines."""
        self.stopped = False
        """Whether the user stopped the search for `text`; going on to the next match begins it again."""

    def find(self, text: str) -> None:
        """Search for a text, ignoring case; "" ends the search. Matches on screen are highlighted at once."""
        if text != self.text:
            self.text = text
            self.lit, self._lit = None, (self._lit[0], -1)
            self._search()

    def follow(self) -> None:
        """Search again if the lines have changed, as by unfolding; the page stays where it is."""
        if self.text and self._edition != self._page.edition:
            self._search(goes=False)

    def light(self, name: Hashable, needle: Needle | None, *, goes: bool = True) -> None:
        """Highlight what another view searches for, and with `goes` show the first match once for each `name`."""
        page = self._page
        if (name, page.edition) == self._lit or (needle is None and page.needle is None):
            return
        self._wanted = needle is not None and goes and (self._wanted or name != self._lit[0])
        page.light(needle)
        self.lit = None
        self._lit = (name, page.edition)
        self._edition = page.edition
        if needle is None:
            self._put_back()
            return
        if self._wanted:
            self._show_first(needle)
        else:
            self._look_at_all(needle)

    def _show_first(self, needle: Needle) -> None:
        """Bring the first match from the top of the page into view before the others are looked for."""
        page, lit = self._page, self._lit
        lines, stood = page.lines, self._top_before
        begin = stood[0]

        def done(found: list[Match]) -> None:
            if self._lit != lit or page.edition != lit[1]:
                return
            if found and self._wanted:
                self._put_back()
                before = page.top, page.top_row
                page.reveal(Place(found[0].line, found[0].begin))
                self._stood = before, (page.top, page.top_row), page.lines
                self._wanted = False
                self._changed()
            elif self._stood is not None:
                self._put_back()
                self._changed()
            self._look_at_all(needle)

        self._submit(lambda pace: find_text(lines, needle, pace, begin=begin, most=1), done, self._light_none)

    @property
    def _top_before(self) -> Top:
        """Where the page stood before the first match of an earlier text was shown, if nobody scrolled it since."""
        page, here = self._page, (self._page.top, self._page.top_row)
        if self._stood is None or self._stood[1] != here or self._stood[2] is not page.lines:
            return here
        return self._stood[0]

    def _put_back(self) -> None:
        """Put the page back where it stood: what it was brought to matches no longer."""
        before = self._top_before
        if before != (self._page.top, self._page.top_row):
            self._page.go_to(*before)
        self._stood = None

    def _look_at_all(self, needle: Needle) -> None:
        lit, lines = self._lit, self._page.lines

        def done(found: list[Match]) -> None:
            if self._lit == lit and self._page.edition == lit[1]:
                self.lit = found
                self._changed()

        self._submit(lambda pace: find_text(lines, needle, pace), done, self._light_none)

    def _light_none(self) -> None:
        """Count nothing as lit: the user stopped the search, and those who step through it go on to other places."""
        self.lit, self._wanted = [], False
        self._changed()

    def mark(self, match: Match | None, *, goes: bool) -> None:
        """Light a match brighter than the others, and with `goes` bring it into view; None for none."""
        if match is None:
            self._page.mark(None)
            return
        begin = Place(match.line, match.begin)
        self._page.mark((begin, Place(match.line, match.end)))
        if goes:
            self._page.reveal(begin)

    def _search(self, *, goes: bool = True) -> None:
        """Find all matches; with `goes`, go to the first one from the top of the page."""
        page = self._page
        self.matches = self.number = None
        self.stopped = False
        pattern = pattern_for(self.text)
        page.light(pattern)
        self._edition = page.edition
        if pattern is None:
            self._jobs.cancel(self._job)
            return
        lines = page.lines

        def done(found: list[Match]) -> None:
            self.matches = found
            if goes:
                self.next(0)
            elif found and page.selection is not None:
                places = [Place(match.line, match.begin) for match in found]
                self.number = min(bisect_left(places, page.selection[0]), len(found) - 1)
            self._changed()

        def stopped() -> None:
            self.stopped = True
            self._changed()

        self._submit(lambda pace: find_text(lines, pattern, pace), done, stopped, "Finding")

    @property
    def _job(self) -> str:
        return f"find:{id(self)}"

    def _submit(
        self,
        look: Callable[[Pace], list[Match]],
        done: Callable[[list[Match]], None],
        stopped: Callable[[], None],
        title: str = "",
    ) -> None:
        def work(_progress: ReportProgress, cancelled: IsCancelled) -> list[Match]:
            return look(pace_of(cancelled))

        self._jobs.submit(self._job, work, done, title=title, priority=1, stopped=stopped)

    def next(self, step: int = 1) -> int | None:
        """Select the next match (-1: the one before, 0: the first from the top of the page); its number from 0.

        None while there are none. Lines that have changed since, for example by folding, are searched again.
        """
        page = self._page
        if self.text and (self.stopped or self._edition != page.edition):
            self._search()
        if not self.matches:
            return None
        here = page.selection[0] if page.selection is not None and step else Place(page.top, 0)
        places = [Place(match.line, match.begin) for match in self.matches]
        number = bisect_right(places, here) if step > 0 else bisect_left(places, here) + min(step, 0)
        self.number = number % len(places)
        match = self.matches[self.number]
        page.select(Place(match.line, match.begin), Place(match.line, match.end))
        page.reveal(Place(match.line, match.begin))
        return self.number
