"""The overlay of several runs shown as one graph: which runs each step and link belongs to, and how the runs differ.

Colours are names of theme roles; positions are those of the union graph, which are the cards of the picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from opentine_gui.core import Comparison, Family, Mark
from opentine_gui.describe.card_marks import CardMarks, NamedRun, tip_flags
from opentine_gui.layout import Layout
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.picture.links import MOST_STRANDS
from opentine_gui.scene.theme import RUNS

OFF, SHARED, LIT, SIDE_A, SIDE_B = range(5)
PALETTE = ("hairline", "shared", "accent", "side_a", "side_b", *RUNS)
"""Theme roles by the codes of `step_roles` and `link_roles`; `OFF`: steps switched off or not faced."""


class ShownRun(msgspec.Struct, frozen=True):
    """A run of the family: its name without .tine, its colour (a theme role), its status.

    Of its `steps`, `own` are in no other run. `depth` is its depth in the family tree. `document` is the number of its
    open document, `path` its file; None if it has none. `on_disk`: it is what the file holds, whatever is open.
    """

    title: str
    role: str
    status: str
    steps: int
    own: int
    depth: int = 0
    document: int | None = None
    path: Path | None = None
    on_disk: bool = False
    letter: str = ""

    @property
    def name(self) -> str:
        """The letter, if it has one, and the title."""
        return f"{self.letter} {self.title}".strip()


class StepMark(msgspec.Struct, frozen=True):
    """How a card is marked: its border (a theme role or None), how many of the runs shown have its step, its flags."""

    border: str | None
    count: int
    flags: tuple[Flag, ...]


class OtherRun(msgspec.Struct, frozen=True):
    """A related run that is not shown. `shared` of its steps are in one of those shown; -1: not counted."""

    title: str
    steps: int
    shared: int
    document: int | None = None
    path: Path | None = None


class Overlay(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Several runs over one graph. Frozen: switching a run off makes a new overlay, and nothing is laid out again.

    `hidden` runs are switched off, `lit` is shown in the accent colour, `facing` is the side of a comparison that is
    shown while the other one is dimmed. `pair` are the runs called A and B. `divergence` is the root divergence shown
    in the panel, from 0.
    """

    family: Family
    runs: tuple[ShownRun, ...]
    comparison: Comparison | None = None
    pair: tuple[int, int] = (0, 1)
    hidden: frozenset[int] = frozenset()
    lit: int | None = None
    facing: int | None = None
    divergence: int = 0
    others: tuple[OtherRun, ...] = ()
    unread: tuple[str, ...] = ()

    # --- owners ---------------------------------------------------------------------------------------------------

    @property
    def shown(self) -> tuple[int, ...]:
        """The runs switched on and, if a side is faced, on that side, in the order of the family."""
        every = range(len(self.runs))
        return tuple(run for run in every if run not in self.hidden and self.facing in (None, run))

    @cached_property
    def counts(self) -> NDArray[np.int32]:
        """(n,) how many of the runs switched on have each step."""
        return self._holding(run for run in range(len(self.runs)) if run not in self.hidden)[0]

    @cached_property
    def step_roles(self) -> NDArray[np.uint8]:
        """(n,) codes of PALETTE: each step's colour in overviews, of its border and of the links into it."""
        shown, owners = self._holding(self.shown)
        counts = shown if self.facing is None else self.counts
        colours = np.array([PALETTE.index(run.role) for run in self.runs], dtype=np.uint8)
        codes = np.where(counts == 1, colours[owners], np.uint8(SHARED))
        codes[shown == 0] = OFF
        if self.lit is not None and self.lit in self.shown:
            codes[self._positions(self.lit)] = LIT
        return codes

    def link_roles(self, layout: Layout, steps: NDArray[np.int64] | None = None) -> NDArray[np.uint8]:
        """(m,) codes of PALETTE for the links of a layout of the union: a link belongs to its lower step's runs.

        `steps` are the steps of the layout's cards, where these are not the steps in their order.
        """
        if steps is not None:
            return self.step_roles[steps[layout.edges[:, 1]]]
        codes: NDArray[np.uint8] = self.step_roles[layout.edges[:, 1]]
        if self.lit is not None:  # a run need not hold both ends of a link where an id does not cover its parents
            held = np.zeros(len(self.step_roles), dtype=bool)
            held[self._positions(self.lit)] = True
            codes = np.where((codes == LIT) & ~held[layout.edges[:, 0]], np.uint8(SHARED), codes)
        return codes

    def strands(self, layout: Layout, link: int) -> tuple[str, ...]:
        """The colours of the few runs that share a link, to be drawn side by side; () where one line is drawn.

        In a comparison shared links are grey on purpose: only differences have a colour.
        """
        source, target = layout.edges[link].tolist()
        mask = self.family.holders[target] & self.family.holders[source]
        if self.comparison is not None or self.step_roles[target] != SHARED or mask.bit_count() > 4 * MOST_STRANDS:
            return ()
        runs = [run for run in self.shown if mask >> run & 1]
        return tuple(self.runs[run].role for run in runs) if 1 < len(runs) <= MOST_STRANDS else ()

    @cached_property
    def dimmed(self) -> frozenset[int] | None:
        """The cards of steps switched off or not faced; None if all are bright."""
        if not self.hidden and self.facing is None:
            return None
        return frozenset(np.flatnonzero(self.step_roles == OFF).tolist())

    def _holding(self, runs: Iterable[int]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Two (n,) arrays: how many of these runs have each step, and one of them."""
        counts = np.zeros(len(self.family.graph), dtype=np.int32)
        owners = np.zeros(len(self.family.graph), dtype=np.int64)
        for run in runs:
            positions = self._positions(run)
            counts[positions] += 1
            owners[positions] = run
        return counts, owners

    def _positions(self, run: int) -> NDArray[np.int64]:
        return np.frombuffer(self.family.steps[run], dtype=np.int64)

    # --- what sets a step apart ------------------------------------------------------------------------------------

    @cached_property
    def marks(self) -> CardMarks:
        """What the cards say about how the runs differ, by step id."""
        return CardMarks(self.family, self.comparison, [run.title for run in self.runs])

    @property
    def divergences(self) -> Mapping[str, int]:
        """The root divergence each cause belongs to, counted from 1, by step id."""
        return self.marks.divergences

    @property
    def stacks(self) -> Mapping[str, tuple[str, ...]]:
        """The drift twins that share a place, back to front, by the id of each of them."""
        return self.marks.stacks

    @property
    def conflicts(self) -> Mapping[str, str]:
        """Step id -> a sentence, for steps whose content differs under one id."""
        return self.marks.conflicts

    @cached_property
    def tip_flags(self) -> Mapping[str, tuple[Flag, ...]]:
        """The flags at each run's tip, by step id."""
        runs = [NamedRun(run.name, run.role, run.status) for run in self.runs]
        return tip_flags(self.family.records, runs, self.hidden, self.lit)

    def mark(self, position: int, *, apart: bool = False) -> StepMark:
        """How the card of the step at a position of the union is marked; `apart`: cards of stacks stand apart."""
        identity = self.family.graph.ids[position]
        code = int(self.step_roles[position])
        border: str | None = PALETTE[code] if code != OFF else None
        if code in (SIDE_A, SIDE_B) and self.marks.mark(identity) is Mark.MOVED:
            border = "shared"  # the same work: only its ancestors differ
        return StepMark(border, int(self.counts[position]), self.marks.flags(identity, self._tip_flags, apart=apart))

    def _tip_flags(self, identity: str) -> tuple[Flag, ...]:
        return self.tip_flags.get(identity, ())

    # --- changed overlays ------------------------------------------------------------------------------------------

    def with_pair(self, comparison: Comparison, pair: tuple[int, int]) -> Overlay:
        """The same runs with another comparison, in which `pair` are A and B."""
        return replace(self, comparison=comparison, pair=pair, runs=lettered(self.runs, pair), divergence=0)

    def with_others(self, others: tuple[OtherRun, ...]) -> Overlay:
        """The same picture with another list of related runs."""
        return replace(self, others=others)

    def toggled(self, run: int) -> Overlay:
        """With one run switched off, or on again. The last one that is on stays on."""
        hidden = self.hidden ^ {run}
        return self if len(hidden) == len(self.runs) else replace(self, hidden=hidden, facing=None)

    def solo(self, run: int) -> Overlay:
        """With only this run switched on; with all of them if it is the only one already."""
        alone = frozenset(range(len(self.runs))) - {run}
        return replace(self, hidden=frozenset() if self.hidden == alone else alone, facing=None)

    def lighting(self, run: int | None) -> Overlay:
        """With this run in the accent colour, and switched on; None: no run."""
        return replace(self, lit=run, hidden=self.hidden - {run} if run is not None else self.hidden)

    def all_on(self) -> Overlay:
        """With all runs switched on, none lit, both sides shown."""
        return replace(self, hidden=frozenset(), lit=None, facing=None)

    def holder(self, identity: str) -> int | None:
        """The run a step is taken from; None if no run has it.

        The lit one, else the one faced, else the first that is switched on, else the first of all that have it.
        """
        if identity not in self.family.graph:
            return None
        holders = self.family.runs_of(self.family.graph.index(identity))
        preferred = [run for run in (self.lit, self.facing) if run is not None and run in holders]
        shown = [run for run in holders if run not in self.hidden]
        return [*preferred, *shown, *holders][0]


def lettered(runs: tuple[ShownRun, ...], pair: tuple[int, int]) -> tuple[ShownRun, ...]:
    """The runs of a comparison with their letters and the colours of the two sides."""
    sides = {pair[0]: ("A", "side_a"), pair[1]: ("B", "side_b")}
    return tuple(
        replace(run, letter=sides[number][0], role=sides[number][1]) if number in sides else run
        for number, run in enumerate(runs)
    )


def run_role(number: int) -> str:
    """The colour of a run of a family; after the last colour they repeat."""
    return RUNS[number % len(RUNS)]
