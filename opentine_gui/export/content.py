"""The content of an export: the steps in order, their links, which runs have each step, and its card."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from opentine_gui.core import Comparison, Family, Graph, Mark, RunRecord, family_of
from opentine_gui.core.analysis.run_clock import UNKNOWN
from opentine_gui.core.analysis.suspicion.account import Account, account_of
from opentine_gui.core.graph.totals import Totals, totals_of
from opentine_gui.core.progress import Pace
from opentine_gui.describe.card_marks import CardMarks, NamedRun, card_face, ref_flags, tip_flags, without_prices
from opentine_gui.describe.comparison_words import MARK_WORDS, Accounts, FigureRow, figure_rows, totals_parts
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.finding_words import open_end_in_full
from opentine_gui.describe.numbers import counted
from opentine_gui.export.request import ExportError, ExportRequest
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.picture.links import MOST_STRANDS
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.told_apart import told_apart
from opentine_gui.scene.theme import RUNS

SHARED = "shared"
_SIDES = ("side_a", "side_b")
_NAME = 60
_MOST_ABOVE = 8
_BETWEEN = 64
"""Steps between two progress reports."""


@dataclass(frozen=True)
class Link:
    """A link between two exported steps, by number; `through`: steps between them are left out."""

    source: int
    target: int
    through: bool = False


@dataclass(frozen=True)
class ExportedRun:
    """A run: its name, its colour (a theme role), its status, its letter in a comparison."""

    name: str
    role: str
    status: str
    letter: str = ""


class Content:
    """The steps of a request, numbered in traversal order, parents before children."""

    def __init__(self, request: ExportRequest, pace: Pace | None = None) -> None:
        """Unite the runs if there are several and select the steps. ExportError if there are none."""
        self.request = request
        self.pace = pace or Pace()
        self.comparison: Comparison | None = request.comparison
        self.records: tuple[RunRecord, ...] = request.records
        self.family: Family | None = request.family
        if self.family is None and len(self.records) > 1:
            self.family = family_of(self.records)
        self.graph: Graph = self.family.graph if self.family is not None else self.records[0].graph
        if request.steps is None:
            self.positions = list(range(len(self.graph)))
        else:
            self.positions = sorted({self.graph.index(identity) for identity in request.steps})
        if not self.positions:
            raise ExportError("there is no step to export")
        self.number = {position: number for number, position in enumerate(self.positions)}
        self._faces: dict[int, CardFace] = {}
        names = [*request.names, *[record.title for record in self.records[len(request.names) :]]]
        two = self.comparison is not None
        self._names = told_apart(names, _NAME) if two else tuple(clean(name, _NAME) for name in names)
        self.runs = tuple(self._run(number, record) for number, record in enumerate(self.records))

    def __len__(self) -> int:
        return len(self.positions)

    def numbers(self, start: float = 0.0, stop: float = 1.0) -> Iterator[int]:
        """Iterate over the step numbers, reporting progress from `start` to `stop`."""
        for number in range(len(self)):
            if number % _BETWEEN == 0:
                self.pace.at(start + (stop - start) * number / len(self))
            yield number

    def _run(self, number: int, record: RunRecord) -> ExportedRun:
        name = self._names[number] or "run"
        if self.comparison is not None and number < len(_SIDES):
            return ExportedRun(name, _SIDES[number], status_words(record).word, "AB"[number])
        role = RUNS[number % len(RUNS)] if len(self.records) > 1 else "text"
        return ExportedRun(name, role, status_words(record).word)

    # -- the whole --------------------------------------------------------------------------------------------------

    @property
    def whole(self) -> bool:
        """True if no step is left out."""
        return len(self.positions) == len(self.graph)

    @cached_property
    def title(self) -> str:
        """The title of the export."""
        if self.request.title:
            return clean(self.request.title, 200)
        if self.comparison is not None:
            return " and ".join(run.name for run in self.runs)
        if len(self.runs) > 1:
            return f"A family of {len(self.runs):,} runs"
        return clean(self.records[0].title, 200) or self.runs[0].name

    @cached_property
    def totals(self) -> Totals:
        """Totals of the exported steps, each counted once; since the fork where a run's metrics were reset."""
        if self.whole and len(self.records) == 1:
            return self.records[0].shown_totals
        return totals_of(self.graph, self.positions)

    @property
    def since_fork(self) -> bool:
        """Whether the totals leave out what a fork inherited: a whole run is shown, and its metrics were reset."""
        return self.whole and len(self.records) == 1 and self.records[0].metrics_reset

    @cached_property
    def accounts(self) -> tuple[Account, ...]:
        """What came of each run."""
        return tuple(account_of(record) for record in self.records)

    @property
    def accounts_of_pair(self) -> Accounts:
        """What came of A and of B."""
        return self.accounts[0], self.accounts[1]

    @cached_property
    def figure_rows(self) -> list[FigureRow]:
        """The figures of two runs side by side; none of any other content."""
        return figure_rows(self.comparison, self.accounts_of_pair) if self.comparison is not None else []

    @cached_property
    def head(self) -> list[str]:
        """What the window's head says of a run: its figures, how it ended, the last check and the failures."""
        record, alone = self.records[0], self.whole and len(self.records) == 1
        parts = totals_parts(
            self.totals,
            since_fork=self.since_fork,
            clock=self.accounts[0].clock if alone else UNKNOWN,
            at_least=any(one.at_least for one in self.records),
        )
        if not self.whole:
            parts[0] = f"{counted(len(self), 'step')} of {len(self.graph):,}"
        if len(self.records) == 1:
            checked = open_end_in_full(record.graph, self.accounts[0].end)
            parts += [self.runs[0].status, *([checked] if checked else [])]
        failures = sum(bool(self.graph.failed[position]) for position in self.positions)
        return [*parts, counted(failures, "failure")] if failures else parts

    @cached_property
    def links(self) -> list[Link]:
        """Links in child order. Where steps are left out, a link starts at the nearest exported ancestor."""
        if self.whole:
            return [
                Link(parent, child)
                for child, parents in enumerate(self.graph.parents)
                for parent in dict.fromkeys(parents)
            ]
        number = self.number
        above: dict[int, tuple[int, ...]] = {}
        found = []
        for position, parents in enumerate(self.graph.parents):
            inside = position in number
            reached: dict[int, bool] = {}
            for parent in parents:
                if parent in number:
                    reached[parent] = False
                else:
                    for nearest in above.get(parent, ()):
                        reached.setdefault(nearest, True)
            if inside:
                found += [Link(number[parent], number[position], through) for parent, through in reached.items()]
            elif reached:
                above[position] = tuple(reached)[:_MOST_ABOVE]
        return found

    # -- one step ---------------------------------------------------------------------------------------------------

    def identity(self, number: int) -> str:
        """The full id of a step."""
        return self.graph.ids[self.positions[number]]

    def mark(self, number: int) -> Mark | None:
        """A step's mark in the comparison; None without one."""
        return self.comparison.marks.get(self.identity(number)) if self.comparison is not None else None

    def holders(self, number: int) -> tuple[int, ...]:
        """The numbers of the runs that have a step."""
        return self.family.runs_of(self.positions[number]) if self.family is not None else (0,)

    def role(self, number: int) -> str | None:
        """The colour (a theme role) of the run that has a step, or of shared work; None for a single run."""
        if self.family is None:
            return None
        holders = self.holders(number)
        return self.runs[holders[0]].role if len(holders) == 1 else SHARED

    def strands(self, link: Link) -> tuple[str, ...]:
        """The colours of the few runs that share a link, drawn side by side; () for a single line."""
        if self.family is None or self.comparison is not None:
            return ()
        source, target = self.positions[link.source], self.positions[link.target]
        shared = self.family.holders[source] & self.family.holders[target]
        if not 1 < shared.bit_count() <= MOST_STRANDS:
            return ()
        return tuple(run.role for number, run in enumerate(self.runs) if shared >> number & 1)

    def sign(self, number: int) -> str:
        """A step's sign in a comparison: which run has it and how it differs; "" for shared steps and single runs."""
        mark = self.mark(number)
        if mark is None:
            return ""
        letter = self.runs[self.holders(number)[0]].letter if len(self.holders(number)) == 1 else ""
        sign = MARK_WORDS[mark].sign
        return sign if sign in ("A", "B") else letter + sign

    @property
    def divergences(self) -> Mapping[str, int]:
        """The root divergence each cause belongs to, counted from 1, by step id."""
        return self._marks.divergences if self._marks is not None else {}

    @property
    def stacks(self) -> Mapping[str, tuple[str, ...]]:
        """The exported drift twins that share a place, back to front, by the id of each of them."""
        return self._marks.stacks if self._marks is not None else {}

    @cached_property
    def _marks(self) -> CardMarks | None:
        """What the cards of several runs say about how they differ; None for a single run."""
        if self.family is None:
            return None
        inside = {self.graph.ids[position] for position in self.positions}
        return CardMarks(self.family, self.comparison, [run.name for run in self.runs], inside)

    @cached_property
    def _pinned(self) -> Mapping[str, tuple[Flag, ...]]:
        """The flags by step id: the refs of a single run, the tips of several, how a run ended."""
        if self.family is None:
            return ref_flags(self.records[0])
        runs = [NamedRun(f"{run.letter} {run.name}".strip(), run.role, run.status) for run in self.runs]
        return tip_flags(self.records, runs)

    def face(self, number: int) -> CardFace:
        """The face of a step's card, made once."""
        face = self._faces.get(number)
        if face is None:
            face = self._faces[number] = without_prices(self._face(number), self.graph)
        return face

    def _face(self, number: int) -> CardFace:
        position, identity = self.positions[number], self.identity(number)
        seal = self.request.seals.get(identity)
        if self._marks is None:
            return card_face(self.graph, position, seal, self._pinned.get(identity, ()))
        role = SHARED if self.mark(number) is Mark.MOVED else self.role(number)
        flags = self._marks.flags(identity, lambda twin: self._pinned.get(twin, ()))
        if identity in self._marks.conflicts:
            seal = "mismatch"
        face = card_face(self.graph, position, seal, flags, len(self.holders(number)), role)
        return self._marks.told_apart(identity, face)
