"""What a card says: its face, and flags for refs, tips, root divergences, drift twins and differing content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from opentine_gui.core import Comparison, Family, Graph, Mark, RunRecord, RunStatus, StepKind, StepVerdict, TineError
from opentine_gui.core.edit.fork import FORK_POINT
from opentine_gui.core.graph.totals import totals_of
from opentine_gui.core.record import MAIN
from opentine_gui.describe.comparison_words import MARK_WORDS, titles_apart, twins_flag
from opentine_gui.describe.content.changes.change_words import change_words
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.failures.run_status import NO_END, NOT_ENDED, TURN_ENDED, WHY_NO_END, status_words
from opentine_gui.describe.numbers import NOT_PRICED
from opentine_gui.describe.step_titles import figures, subtitle, title
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag, flags_in_stack
from opentine_gui.scene.text.clean import clean, clean_id
from opentine_gui.scene.theme import status_role

MOST_TIPS = 6
"""Most runs whose tips are named at one step; the rest are counted."""
_FLAG_LENGTH = 40
_NOTE_LENGTH = 22
BOOKMARK, FORK_POINT_FLAG = "★", "fork point"
LAST_STEP = "The last step of the main line (ref main)."
WHY_TURN_ENDED = "The log says that the agent's turn ended, not whether what was asked is done."
SEALS = {
    StepVerdict.OK: "ok",
    StepVerdict.MISMATCH: "mismatch",
    StepVerdict.REDACTED: "mismatch",
    StepVerdict.NOT_CHECKABLE: "not_checkable",
}
"""`CardFace.seal` by the verdict on a step."""


class NamedRun(NamedTuple):
    """A run as its flag shows it: its letter (if any) and name, its colour (a theme role), its status."""

    name: str
    role: str
    status: str


def card_face(
    graph: Graph,
    index: int,
    seal: str | None = None,
    flags: tuple[Flag, ...] = (),
    count: int = 1,
    border: str | None = None,
) -> CardFace:
    """The face of a step's card; the card of a step that cannot be read says so."""
    failed, stopped = bool(graph.failed[index]), index in graph.stopped
    why = failure_reason(graph, index) if failed or stopped else ""
    try:
        step = graph.step(index)
    except TineError as error:
        words = f"{clean_id(graph.ids[index])} cannot be read"
        return CardFace(words, clean(error.message, 160), "", "error", seal, flags, count, border, failed)
    said = title(step)
    changed = change_words(graph, index) if step.kind is StepKind.TOOL and not why else ""
    line = why or changed or subtitle(step, said)
    kind = "stopped" if stopped and step.shown_kind == "error" else step.shown_kind
    return CardFace(
        said, line, figures(step), kind, seal, flags, count, border, failed, stopped, line_first=bool(changed)
    )


def without_prices(face: CardFace, graph: Graph) -> CardFace:
    """The face of a step without "not priced" where no step of the run has a price: that is said once, of the run."""
    if NOT_PRICED not in face.figures or totals_of(graph).cost_known:
        return face
    return replace(face, figures="  ".join(part for part in face.figures.split("  ") if part != NOT_PRICED))


def annotation_flags(note: str, bookmarked: bool) -> tuple[Flag, ...]:
    """The flags of a user's note and bookmark at a step."""
    flags = [Flag(BOOKMARK, "human")] if bookmarked else []
    if note:
        flags.append(Flag(clean(note, _NOTE_LENGTH), "text"))
    return tuple(flags)


def ref_flags(record: RunRecord, *, written: bool = False) -> dict[str, tuple[Flag, ...]]:
    """The flags of a single run by step id: the refs, `main` first, and at the main tip how the run ended.

    `written`: its file is being written now.
    """
    found: dict[str, list[Flag]] = {}
    for name, identity in sorted(record.refs.items(), key=lambda item: (item[0] != MAIN, item[0])):
        if name == MAIN and record.is_imported:  # in an imported log nobody chose this name
            continue
        if identity in record.graph:
            words = clean(FORK_POINT_FLAG if name == FORK_POINT else name, _FLAG_LENGTH)
            found.setdefault(identity, []).append(Flag(words, "text" if name == MAIN else "tool"))
    tip = record.main_tip
    if tip is not None:
        found.setdefault(tip, []).extend(_ending_of(record, written))
    return {identity: tuple(flags) for identity, flags in found.items()}


def tip_flags(
    records: Iterable[RunRecord], runs: Sequence[NamedRun], hidden: Container[int] = (), lit: int | None = None
) -> dict[str, tuple[Flag, ...]]:
    """The flags of several runs by the ids of their main tips: each run's name, and how it ended unless it completed.

    Runs are numbered in their order: those in `hidden` are left out, `lit` is in the accent colour.
    """
    at: dict[str, list[int]] = {}
    for number, record in enumerate(records):
        tip = record.main_tip
        if tip is not None and number not in hidden:
            at.setdefault(tip, []).append(number)
    return {tip: tuple(_tips(numbers, runs, lit)) for tip, numbers in at.items()}


def _tips(numbers: list[int], runs: Sequence[NamedRun], lit: int | None) -> list[Flag]:
    flags = []
    for number in numbers[:MOST_TIPS]:
        run = runs[number]
        flags.append(Flag(clean(run.name, _FLAG_LENGTH), "accent" if number == lit else run.role))
        flags += _ending(run.status)
    if len(numbers) > MOST_TIPS:
        flags.append(Flag(f"+{len(numbers) - MOST_TIPS} runs", "quiet"))
    return flags


def _ending_of(record: RunRecord, written: bool) -> list[Flag]:
    word, role = status_words(record, written=written)
    if not record.is_imported:
        return _ending(word)
    if word == NO_END:
        return [Flag(word, "text", hint=f"{LAST_STEP} {WHY_NO_END}", short="no end")]
    if word == TURN_ENDED:
        return [Flag(word, role, hint=f"{LAST_STEP} {WHY_TURN_ENDED}", short="end")]
    return [Flag(word if word in NOT_ENDED else f"end: {word}", role, hint=LAST_STEP)]


def _ending(status: str) -> list[Flag]:
    return [] if status in (RunStatus.COMPLETED.value, TURN_ENDED) else [Flag(status, status_role(status))]


class CardMarks:
    """What the cards of several runs say about how the runs differ.

    `titles` names the runs of the family. With `inside` (ids) the stacks hold only those steps.
    """

    def __init__(
        self,
        family: Family,
        comparison: Comparison | None,
        titles: Sequence[str],
        inside: Collection[str] | None = None,
    ) -> None:
        self._family, self._comparison = family, comparison
        self._titles, self._inside = titles, inside

    @cached_property
    def divergences(self) -> Mapping[str, int]:
        """The root divergence each cause belongs to, counted from 1, by step id."""
        found: dict[str, int] = {}
        roots = self._comparison.root_divergences if self._comparison is not None else ()
        for number, root in enumerate(roots, start=1):
            for identity in root.causes:
                found.setdefault(identity, number)
        return found

    @cached_property
    def stacks(self) -> Mapping[str, tuple[str, ...]]:
        """The drift twins that share a place, back to front, by the id of each of them."""
        groups = self._comparison.drift_twins if self._comparison is not None else ()
        stacks = [group.stack(self._family.graph) for group in groups]
        if self._inside is not None:
            stacks = [tuple(twin for twin in stack if twin in self._inside) for stack in stacks]
        return {identity: stack for stack in stacks if len(stack) > 1 for identity in stack}

    @cached_property
    def conflicts(self) -> Mapping[str, str]:
        """The flag text of steps whose content differs under one id, by step id."""
        words = MARK_WORDS[Mark.CONFLICT].flag
        return {conflict.id: f"{words} in {self._names(conflict.others)}" for conflict in self._family.conflicts}

    def _names(self, runs: tuple[int, ...]) -> str:
        return ", ".join(self._titles[run] for run in runs[:3]) + (" …" if len(runs) > 3 else "")

    def mark(self, identity: str) -> Mark | None:
        """What the comparison says about a step; None if there is no comparison."""
        return self._comparison.marks.get(identity) if self._comparison is not None else None

    def told_apart(self, identity: str, face: CardFace) -> CardFace:
        """The face of a step with the words in which it differs from the one that answers to it as its title.

        Only where both would look alike. How the title begins goes below, where no failure or change stands.
        """
        words = titles_apart(self._comparison, identity) if self._comparison is not None else ""
        if not words:
            return face
        told = face.failed or face.stopped or face.line_first
        return replace(face, title=words, line=face.line if told else face.title)

    def flags(
        self, identity: str, pinned: Callable[[str], tuple[Flag, ...]], *, apart: bool = False
    ) -> tuple[Flag, ...]:
        """A step's flags, `pinned(id)` last; in a stack the first and last card carry the flags of all.

        Where the cards of stacks stand `apart`, each has its own, those that are pinned to it first.
        """
        stack = self.stacks.get(identity)
        if apart:
            return (*pinned(identity), *self._own(identity))
        if stack is None:
            return (*self._own(identity), *pinned(identity))
        return flags_in_stack([(*self._own(twin), *pinned(twin)) for twin in stack], stack.index(identity))

    def _parting(self, divergence: int) -> str:
        """What stands above the first steps that differ at a root divergence, counted from 1."""
        if self._comparison is None or self._comparison.nothing_in_common:
            return "nothing in common"
        several = len(self._comparison.root_divergences) > 1
        return f"they part here: {divergence:,}" if several else "they part here"

    def _own(self, identity: str) -> list[Flag]:
        divergence, mark = self.divergences.get(identity, 0), self.mark(identity)
        flags = [Flag(self._parting(divergence), "accent", above=True)] if divergence else []
        if identity in self.conflicts:
            flags.append(Flag(self.conflicts[identity], "bad"))
        elif identity in self._family.variants and not divergence:
            flags.append(Flag(MARK_WORDS[Mark.VARIANT].flag, "quiet"))
        if identity in self.stacks:
            flags.append(Flag(twins_flag(len(self.stacks[identity])), "human"))
        elif mark in (Mark.CHANGED, Mark.MOVED) and not divergence:
            flags.append(Flag(MARK_WORDS[mark].flag, "quiet"))
        return flags
