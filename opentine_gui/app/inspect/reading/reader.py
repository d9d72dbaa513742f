"""A reader: shows values on a page, as what they are, and remembers what was unfolded.

Small values are turned into lines at once; large ones in a job, while the page shows their beginning.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from opentine_gui.app.inspect.reading.page import Page
from opentine_gui.app.inspect.reading.places import Place
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import Jobs
from opentine_gui.describe.content.lines import (
    JoinedLines,
    Lines,
    ListedLines,
    LitLines,
    Pace,
    line_with,
    no_pace,
    pace_of,
    plain,
    prose,
    text_lines,
)
from opentine_gui.describe.content.media import Media, media_of_object, media_of_text
from opentine_gui.describe.content.picture import Pixels, decode
from opentine_gui.describe.content.show_value import Known, Pictures, Wish, face_of, show_value
from opentine_gui.describe.content.tree_lines import Folds, part_at
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.styled import Span, StyledLine

INLINE_WEIGHT = 12_000
"""Values of at most so many characters are shown at once, without a job."""
_EMPTY_LINES = re.compile(r"(?:[ \t]*\r?\n)+")
REMEMBERED = 400
"""Number of values whose folds are remembered; the oldest are dropped first."""
FARTHEST_LOOK = 500
"""Lines above a pressed one that are looked at for the name of its value."""
BEGINNING = 6_000
KEPT_PICTURES = 12


class Section(NamedTuple):
    """A part of what is read: a value below a heading of ours ("" for none).

    `hint` is a file name or a language that says what the text is; `note` is small text right of the heading; `role`
    colours the heading; `opened` is whether it is unfolded at first, None for a part that does not fold. If there is a
    `link`, a press on the note is an act of that name. The first line that has `lit` in it is lit, among others.
    """

    value: Any
    heading: str = ""
    hint: str = ""
    note: str = ""
    role: str = "text"
    opened: bool | None = None
    link: Hashable = None
    lit: str = ""


class SectionLines(NamedTuple):
    """The lines of sections below each other; `starts` are the indices at which the sections begin, `lit` that of the
    line that is lit.
    """

    lines: Lines
    starts: tuple[int, ...]
    lit: int | None = None


def stopped_words(what: str) -> str:
    """What stands in the place of something whose reading the user stopped, in what names the work."""
    return f"{what} was stopped. Leave it and come back to try again."


class Reader:
    """Shows sections on its page. `changed` is called when lines that a job made have arrived."""

    def __init__(self, jobs: Jobs, metrics: FontMetrics, scale: float, changed: Callable[[], None]) -> None:
        self.page = Page(metrics, scale)
        self.raw = False
        self._jobs, self._changed = jobs, changed
        self._job = f"reading:{id(self)}"
        self._name: Hashable = None
        self._sections: tuple[Section, ...] = ()
        self._folds: OrderedDict[Hashable, Folds] = OrderedDict()
        self._starts: tuple[int, ...] = ()
        self._lit: int | None = None
        self._wanted: int | None = None
        self._known: Known = {}
        self._pictures: Pictures = {}
        self._problems: dict[str, str] = {}
        self._pixels: OrderedDict[tuple[str, int], Pixels | None] = OrderedDict()

    @property
    def busy(self) -> bool:
        """Whether a job is making lines."""
        return self._jobs.is_running(self._job)

    def show(self, name: Hashable, sections: Sequence[Section]) -> None:
        """Show these sections; `name` must change with them."""
        if name != self._name:
            self._name, self._sections, self._wanted = name, tuple(sections), None
            self._forget_pictures()
            self._make(keep_place=False)

    def forget(self) -> None:
        """Stop showing values: the page gets its lines from elsewhere."""
        self._jobs.cancel(self._job)
        self._name, self._sections, self._starts, self._lit, self._wanted = None, (), (), None, None
        self._forget_pictures()

    def _forget_pictures(self) -> None:
        """Let go of the pictures of a value; those that could not be shown are tried again with the next one."""
        for key in [key for key in self._pixels if key[0] in self._problems]:
            del self._pixels[key]
        self._known, self._pictures, self._problems = {}, {}, {}

    def set_raw(self, raw: bool) -> None:
        """Show values as recorded, or as what they are."""
        if raw != self.raw:
            self.raw = raw
            self._known = {}
            self._make(keep_place=False)

    def act(self, act: Hashable) -> bool:
        """Do what a press on a span or a fold mark means; False if another view has to."""
        folds = self._kept()
        match act:
            case ("fold", tuple() as path, bool() as opened):
                folds.opened[path] = not opened
            case ("whole", tuple() as path):
                folds.whole.add(path)
            case ("zoom", tuple() as path, float() as zoom):
                folds.zoom[path] = zoom
            case _:
                return False
        self._make(keep_place=True)
        return True

    def value_at(self, path: Sequence[Hashable]) -> Any:
        """The value at a path, as acts name it: the number of the section, then keys and indices."""
        number = path[0]
        assert isinstance(number, int)
        return part_at(self._sections[number].value, path[1:])

    def path_at(self, index: int) -> tuple[Hashable, ...]:
        """The path of the value that a line shows a part of: the number of the section, then keys and indices."""
        if not self._starts:
            return ()
        number = max(bisect_right(self._starts, index) - 1, 0)
        for above in range(index, max(self._starts[number], index - FARTHEST_LOOK) - 1, -1):
            match self.page.lines[above].act:
                case ("fold" | "at", tuple() as path, *_):
                    return self._existing(path)
        return (number,)

    def _existing(self, path: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        """The longest prefix of a path that leads to a value: viewers name their own parts below it."""
        while len(path) > 1:
            try:
                self.value_at(path)
            except (KeyError, ValueError):
                path = path[:-1]
            else:
                break
        return path

    def open_where(self, holds: Callable[[Any], bool]) -> None:
        """Unfold the sections whose values `holds` accepts; those that another step recorded stay as they are."""
        folds, found = self._kept(), False
        for number, section in enumerate(self._sections):
            if not _is_open(section, folds, number) and section.link is None and holds(section.value):
                folds.opened[number,] = found = True
        if found:
            self._make(keep_place=True)

    def is_of_another(self, index: int) -> bool:
        """Whether a line stands in a section that leads to where it was recorded."""
        number = bisect_right(self._starts, index) - 1
        return number >= 0 and self._sections[number].link is not None

    def go_to_section(self, number: int) -> None:
        """Bring the heading of a section to the top, once its lines have been made."""
        self._wanted = number
        if not self.busy:
            self._go()

    def reveal_lit(self) -> None:
        """Bring the line that is lit into view, if there is one and its lines have been made."""
        if self._lit is not None and not self.busy:
            self.page.reveal(Place(self._lit, 0))

    def shows_section(self, number: int, rows: int) -> bool:
        """Whether the heading of a section and so many rows below it are in view, or all there is of it."""
        if self.busy or number >= len(self._starts):
            return True
        after = self._starts[number + 1] if number + 1 < len(self._starts) else len(self.page.lines)
        shown = self.page.rows()[: self.page.rows_in_view]
        begun = sum(row.line > self._starts[number] for row in shown if row.line < after)
        return begun > rows or (bool(shown) and shown[-1].line >= after - 1)

    def _go(self) -> None:
        if self._wanted is not None and self._wanted < len(self._starts):
            start = self._starts[self._wanted]
            self.page.go_to(start + 1 if self._wanted else start)  # without the empty line above the heading
        self._wanted = None

    def pixels(self, name: str, level: int) -> Pixels | None:
        """The pixels of a picture by the name of its figure, halved `level` times.

        None until a job has decoded it, or if it cannot be decoded.
        """
        key = (name, level)
        if key not in self._pixels and name in self._pictures:
            self._pixels[key] = None
            media = self._pictures[name]

            def done(pixels: Pixels) -> None:
                self._pixels[key] = pixels
                while len(self._pixels) > KEPT_PICTURES:
                    self._pixels.popitem(last=False)
                self.page.revision += 1
                self._changed()

            def unseen(why: str) -> None:
                self._problems[name] = why
                self.page.revision += 1
                self._changed()

            self._jobs.submit(
                f"picture:{id(self)}:{key}", lambda _progress, _cancelled: decode(media, level), done,
                lambda error: unseen(str(error)), title="Decoding a picture", priority=1,
                stopped=lambda: unseen("decoding it was stopped"),
            )  # fmt: skip
        return self._pixels.get(key)

    def problem(self, name: str) -> str:
        """Why a picture cannot be shown; "" if it can, or is not decoded yet."""
        return self._problems.get(name, "")

    def media_at(self, path: Sequence[Hashable]) -> Media | None:
        """The picture or other binary content at a path, as acts name it; None if the value there is none."""
        value = self.value_at(path)
        return media_of_object(value) if isinstance(value, dict) else media_of_text(str(value))

    def _kept(self) -> Folds:
        folds = self._folds.get(self._name)
        if folds is None:
            folds = self._folds[self._name] = Folds()
            while len(self._folds) > REMEMBERED:
                self._folds.popitem(last=False)
        return folds

    def _make(self, *, keep_place: bool) -> None:
        sections, pictures, known = self._sections, self._pictures, self._known
        folds, raw = self._kept(), self.raw
        shown = [section.value for number, section in enumerate(sections) if _is_open(section, folds, number)]
        if weight(shown, INLINE_WEIGHT) < INLINE_WEIGHT:
            self._jobs.cancel(self._job)
            self._arrived(section_lines(sections, folds, raw, pictures, known), keep_place=keep_place)
            return
        if not keep_place:
            self.page.set_lines(beginning(sections))
            self._starts, self._lit = (), None

        def work(_progress: ReportProgress, cancelled: IsCancelled) -> SectionLines:
            return section_lines(sections, folds, raw, pictures, known, pace_of(cancelled))

        def stopped() -> None:
            if not keep_place:  # else what is shown stays as it was folded
                self.page.set_lines(beginning(sections, stopped=True), keep_place=True)
            self._changed()

        self._jobs.submit(
            self._job, work, lambda shown: self._arrived(shown, keep_place=True), title="Reading", priority=1,
            stopped=stopped,
        )  # fmt: skip

    def _arrived(self, shown: SectionLines, *, keep_place: bool) -> None:
        self._starts, self._lit = shown.starts, shown.lit
        self.page.set_lines(shown.lines, keep_place=keep_place)
        self._go()
        self._changed()


def _is_open(section: Section, folds: Folds, number: int) -> bool:
    return section.opened is None or folds.opened.get((number,), section.opened)


def section_lines(
    sections: Sequence[Section], folds: Folds, raw: bool, pictures: Pictures, known: Known, pace: Pace = no_pace
) -> SectionLines:
    """The lines of sections below each other."""
    parts: list[Lines] = []
    starts: list[int] = []
    lit: int | None = None
    for number, section in enumerate(sections):
        path = (number,)
        starts.append(sum(map(len, parts)))
        opened = folds.opened.get(path, section.opened) if section.opened is not None else None
        if section.heading:
            parts.append(ListedLines(_heading(section, path, opened, gap=number > 0)))
        if opened is False:
            continue
        value = section.value if raw or section.hint else _from_first_words(section.value)
        shown = show_value(value, folds, Wish(raw, section.hint), path, pace, pictures, known)
        parts.append(shown.lines)
        if section.lit and lit is None and len(shown.lines) > 1:
            found = line_with(section.lit, shown.lines, pace)
            if found is not None:
                lit = sum(map(len, parts[:-1])) + found
                parts[-1] = LitLines(shown.lines, found)
    lines = parts[0] if len(parts) == 1 else JoinedLines(parts)
    return SectionLines(lines, tuple(starts), lit)


def _from_first_words(value: Any) -> Any:
    """A text without the empty lines at its beginning, which models write and which push it out of a low view."""
    if not isinstance(value, str) or not value[:1].isspace():
        return value
    empty = _EMPTY_LINES.match(value)
    return value[empty.end() :] if empty is not None and empty.end() < len(value) else value


def _heading(section: Section, path: tuple[Hashable, ...], opened: bool | None, *, gap: bool) -> list[StyledLine]:
    spans = [Span(section.heading, section.role, "title")]
    if section.note:
        spans.append(Span("  ", "quiet", "text"))
        spans.append(Span(section.note, "quiet" if section.link is None else "tool", "text", act=section.link))
    act = None if opened is None else ("fold", path, opened)
    line = StyledLine(tuple(spans), indent=14.0 if opened is not None else 0.0, fold=opened, act=act)
    return [StyledLine(), line] if gap else [line]


def beginning(sections: Sequence[Section], *, stopped: bool = False) -> Lines:
    """What is shown while a large value is being read: the beginning of a text, else one line that says so.

    Where the user `stopped` that, the line says it, below the beginning of a text.
    """
    words = stopped_words("Reading it") if stopped else "Reading…"
    said = ListedLines([StyledLine((Span(words, "quiet", "text"),))])
    for section in sections:
        if isinstance(section.value, str):
            text = section.value[:BEGINNING]
            lines = text_lines(text, prose if face_of(text, hint=section.hint) == "text" else plain)
            return JoinedLines([lines, said]) if stopped else lines
    return said


def weight(value: Any, most: int) -> int:
    """The approximate number of characters in a value, counted up to `most`."""
    total, waiting = 0, [value]
    while waiting and total < most:
        part = waiting.pop()
        if isinstance(part, str):
            total += len(part)
        elif isinstance(part, Mapping):
            total += 8 * len(part)
            waiting += list(part.values())[:most]
        elif isinstance(part, (list, tuple)):
            total += 8 * len(part)
            waiting += part[:most]
        else:
            total += 4
    return total
