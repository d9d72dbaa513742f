"""What an export shows: the steps in order, the links between them, whose each is, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from opentine_gui.core import Comparison, Family, Graph, Mark, RunRecord, RunStatus, TineError, family_of
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import Totals, totals_of
from opentine_gui.describe.comparison_words import twins_flag
from opentine_gui.describe.step_titles import figures, subtitle, title
from opentine_gui.export.request import ExportError, ExportRequest
from opentine_gui.scene.cards import CardFace, Flag, flags_in_stack
from opentine_gui.scene.picture.links import MOST_STRANDS
from opentine_gui.scene.text.clean import clean, clean_id
from opentine_gui.scene.theme import RUNS

SHARED = "shared"
_SIDES = ("side_a", "side_b")
_NAME, _FLAG = 60, 40
_MOST_ABOVE = 8
_MOST_TIPS = 4
_BETWEEN = 64
"""Steps between two looks at the pace."""
SIGNS = {
    Mark.SAME: "",
    Mark.ONLY_A: "A",
    Mark.ONLY_B: "B",
    Mark.CHANGED: "≠",
    Mark.MOVED: "≈",
    Mark.VARIANT: "$",
    Mark.CONFLICT: "!",
}
"""A sign for what a comparison says of a step, beside its colour."""
MARK_WORDS = {
    Mark.SAME: "in both runs",
    Mark.ONLY_A: "only in A",
    Mark.ONLY_B: "only in B",
    Mark.CHANGED: "changed",
    Mark.MOVED: "same work, moved",
    Mark.VARIANT: "same step, other cost",
    Mark.CONFLICT: "one id, different content",
}


@dataclass(frozen=True)
class Link:
    """A link between two shown steps by their numbers; `through` steps lie between them and are not shown."""

    source: int
    target: int
    through: bool = False


@dataclass(frozen=True)
class ShownRun:
    """A run: what it is called, its colour (a theme role), how it ended, its letter in a comparison."""

    name: str
    role: str
    status: str
    letter: str = ""


class Shown:
    """The steps of a request, numbered in traversal order, parents before children."""

    def __init__(self, request: ExportRequest, pace: Pace | None = None) -> None:
        """Unite the runs if there are several and choose the steps. ExportError when none is left."""
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
        self.runs = tuple(self._run(number, record) for number, record in enumerate(self.records))

    def __len__(self) -> int:
        return len(self.positions)

    def numbers(self, start: float = 0.0, stop: float = 1.0) -> Iterator[int]:
        """The number of every shown step; between them it is said how far the work is: from `start` to `stop` of it."""
        for number in range(len(self)):
            if number % _BETWEEN == 0:
                self.pace.at(start + (stop - start) * number / len(self))
            yield number

    def _run(self, number: int, record: RunRecord) -> ShownRun:
        names = self.request.names
        name = clean(names[number] if number < len(names) else record.title, _NAME) or "run"
        if self.comparison is not None and number < len(_SIDES):
            return ShownRun(name, _SIDES[number], record.status.value, "AB"[number])
        role = RUNS[number % len(RUNS)] if len(self.records) > 1 else "text"
        return ShownRun(name, role, record.status.value)

    # -- the whole --------------------------------------------------------------------------------------------------

    @property
    def whole(self) -> bool:
        """Whether no step is left out."""
        return len(self.positions) == len(self.graph)

    @cached_property
    def title(self) -> str:
        """What the export is called."""
        if self.request.title:
            return clean(self.request.title, 200)
        if self.comparison is not None:
            return " and ".join(run.name for run in self.runs)
        if len(self.runs) > 1:
            return f"A family of {len(self.runs):,} runs"
        return clean(self.records[0].title, 200) or self.runs[0].name

    @cached_property
    def totals(self) -> Totals:
        """Sums over the shown steps, each counted once; since the fork where a run's metrics were reset."""
        return self.records[0].shown_totals if self.since_fork else totals_of(self.graph, self.positions)

    @property
    def since_fork(self) -> bool:
        """Whether the sums leave out what a fork inherited: a whole run is shown, and its metrics were reset."""
        return self.whole and len(self.records) == 1 and self.records[0].metrics_reset

    @cached_property
    def links(self) -> list[Link]:
        """Links in child order. Where steps between are not shown, a link leads from the nearest shown step above."""
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
        """The full id of a shown step."""
        return self.graph.ids[self.positions[number]]

    def mark(self, number: int) -> Mark | None:
        """What a comparison says of a shown step; None without one."""
        return self.comparison.marks.get(self.identity(number)) if self.comparison is not None else None

    def holders(self, number: int) -> tuple[int, ...]:
        """Which of the runs have a shown step."""
        return self.family.runs_of(self.positions[number]) if self.family is not None else (0,)

    def role(self, number: int) -> str | None:
        """The colour (a theme role) of a step by whose it is; None when there is one run only."""
        if self.family is None:
            return None
        holders = self.holders(number)
        return self.runs[holders[0]].role if len(holders) == 1 else SHARED

    def strands(self, link: Link) -> tuple[str, ...]:
        """The colours of the few runs of a family that share a link, side by side; () where one line is drawn."""
        if self.family is None or self.comparison is not None:
            return ()
        source, target = self.positions[link.source], self.positions[link.target]
        shared = self.family.holders[source] & self.family.holders[target]
        if not 1 < shared.bit_count() <= MOST_STRANDS:
            return ()
        return tuple(run.role for number, run in enumerate(self.runs) if shared >> number & 1)

    def sign(self, number: int) -> str:
        """The sign of a step in a comparison: whose it is, and how it differs; "" for shared steps and single runs."""
        mark = self.mark(number)
        if mark is None:
            return ""
        letter = self.runs[self.holders(number)[0]].letter if len(self.holders(number)) == 1 else ""
        sign = SIGNS[mark]
        return sign if sign in ("A", "B") else letter + sign

    @cached_property
    def divergences(self) -> Mapping[str, int]:
        """The root divergence each cause belongs to, counted from 1, by step id."""
        found: dict[str, int] = {}
        for number, root in enumerate(self.comparison.root_divergences if self.comparison is not None else (), start=1):
            for identity in root.causes:
                found.setdefault(identity, number)
        return found

    @cached_property
    def flags(self) -> Mapping[str, tuple[Flag, ...]]:
        """What is pinned to steps by id: refs of a single run, the tips of several, how a run ended."""
        found: dict[str, list[Flag]] = {}
        if len(self.records) == 1:
            record = self.records[0]
            for name, identity in sorted(record.refs.items(), key=lambda item: (item[0] != "main", item[0])):
                found.setdefault(identity, []).append(Flag(clean(name, _FLAG), "main" if name == "main" else "ref"))
        for run, record in zip(self.runs, self.records, strict=True):
            tip = record.main_tip
            if tip is None:
                continue
            flags = found.setdefault(tip, [])
            if len(self.records) > 1 and len(flags) < _MOST_TIPS:
                flags.append(Flag(clean(f"{run.letter} {run.name}", _FLAG), run.role))
            if record.status is not RunStatus.COMPLETED and len(flags) < 2 * _MOST_TIPS:
                flags.append(Flag(run.status, run.status))
        return {identity: tuple(flags) for identity, flags in found.items()}

    @cached_property
    def stacks(self) -> Mapping[str, tuple[str, ...]]:
        """The shown drift twins that share a place, back to front, by the id of each of them."""
        groups = self.comparison.drift_twins if self.comparison is not None else ()
        stacks = [group.stack(self.graph) for group in groups]
        shown = [tuple(twin for twin in stack if self.graph.index(twin) in self.number) for stack in stacks]
        return {identity: stack for stack in shown if len(stack) > 1 for identity in stack}

    def face(self, number: int) -> CardFace:
        """The card of a shown step; one that cannot be read says so."""
        face = self._faces.get(number)
        if face is None:
            face = self._faces[number] = self._face(number)
        return face

    def _face(self, number: int) -> CardFace:
        identity = self.identity(number)
        mark = self.mark(number)
        stack = self.stacks.get(identity, ())
        flags = self._own_flags(identity)
        if stack:
            flags = flags_in_stack([self._own_flags(twin) for twin in stack], stack.index(identity))
        seal = self.request.seals.get(identity)
        count = len(self.holders(number))
        role = SHARED if mark is Mark.MOVED else self.role(number)
        try:
            step = self.graph.step(self.positions[number])
        except TineError as error:
            words = f"{clean_id(identity)} cannot be read"
            return CardFace(words, clean(error.message, 160), "", "error", seal, flags, count, role)
        return CardFace(title(step), subtitle(step), figures(step), step.shown_kind, seal, flags, count, role)

    def _own_flags(self, identity: str) -> tuple[Flag, ...]:
        """The flags of a step as if it stood alone."""
        mark = self.comparison.marks.get(identity) if self.comparison is not None else None
        flags: list[Flag] = []
        divergence = self.divergences.get(identity, 0)
        if divergence:
            flags.append(Flag(f"root divergence {divergence}", "accent", above=True))
        if identity in self.stacks:
            flags.append(Flag(twins_flag(len(self.stacks[identity])), "human"))
        elif not divergence and mark in (Mark.CHANGED, Mark.MOVED, Mark.VARIANT, Mark.CONFLICT):
            flags.append(Flag(MARK_WORDS[mark], "bad" if mark is Mark.CONFLICT else "quiet"))
        return (*flags, *self.flags.get(identity, ()))
