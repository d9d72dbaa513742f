"""A comparison in words and figures for its panel, and its present divergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from opentine_gui.app.document.camera.framing import camera_of_steps
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import (
    Comparison,
    Mark,
    PairKind,
    RootDivergence,
    Step,
)
from opentine_gui.describe.comparison_words import (
    CHECKING,
    DIVERGENCE_WORDS,
    MARK_WORDS,
    NOTHING_IN_COMMON,
    TWINS,
    Accounts,
    FigureRow,
    divergence_heading,
    pair_words,
    rows_of,
    title_in,
    verdict,
    why_they_diverge,
)
from opentine_gui.describe.comparison_words import figure_rows as comparison_rows
from opentine_gui.describe.difference_lines import DiffLine, passed_over
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session
    from opentine_gui.scene.space.camera import Camera, Viewport

_TITLE = 60


class Subject(msgspec.Struct, frozen=True):
    """What the panel shows: a divergence, a pair of steps, one step, or the whole comparison.

    `a` and `b` are the steps of the two sides, `parent` the shared step before them. The sentence is `before`, then the
    parent's title (a link), then `after`.
    """

    heading: str
    before: str
    after: str = ""
    parent: str | None = None
    a: str | None = None
    b: str | None = None
    divergence: int = 0
    whole: bool = True
    cause: str | None = None


class ListRow(NamedTuple):
    """A row of the list of divergences: `steps` are what a click selects; `divergence` counts from 1, 0 is none."""

    text: str
    note: str
    role: str
    steps: tuple[str, ...]
    divergence: int = 0


def subject_of(document: Document) -> Subject | None:
    """The subject of the selected step, else of the present divergence; None if this is no comparison."""
    overlay = document.overlay
    if overlay is None or overlay.comparison is None:
        return None
    comparison, primary = overlay.comparison, document.selection.primary
    if primary is None or primary not in overlay.family.graph:
        return _whole(overlay, comparison)
    chosen = [step for step in document.selection if step in overlay.family.graph]
    if len(chosen) > 2 or (len(chosen) == 2 and _mark_of(comparison, chosen) in (Mark.SAME, Mark.ONLY_A, Mark.ONLY_B)):
        return _several(comparison, chosen)
    number = overlay.divergences.get(primary, 0)
    if number:
        return divergence_subject(overlay, number)
    pair = comparison.pairs.get(primary)
    if pair is not None:
        words = pair_words(pair.kind)
        heading, sentence = words.heading, words.sentence
        if pair.kind is PairKind.CHANGED and pair.same_request:
            heading, sentence = TWINS.capitalize(), "Both runs ask the same here and get something else."
        return Subject(heading, sentence, a=pair.a, b=pair.b, whole=False)
    return _one_step(overlay, comparison, primary)


def _several(comparison: Comparison, chosen: Sequence[str]) -> Subject:
    """Several steps, which are not described one by one: how many, and what they have in common."""
    mark = _mark_of(comparison, chosen)
    said = f"{_counted(mark, len(chosen))} {MARK_WORDS[mark].phrase}" if mark is not None else ""
    heading = said or f"{counted(len(chosen), 'step')} selected"
    return Subject(heading, "Select one of them to see what differs in it. The figures are those of the two runs.")


def _mark_of(comparison: Comparison, chosen: Sequence[str]) -> Mark | None:
    """The mark that all these steps have; None if they differ."""
    marks = {comparison.marks.get(step) for step in chosen}
    return marks.pop() if len(marks) == 1 else None


def _counted(mark: Mark, steps: int) -> str:
    """How many steps have a mark: of those that answer to each other, two are one."""
    return counted(steps // 2 if mark in (Mark.CHANGED, Mark.MOVED) else steps, "step")


def _whole(overlay: Overlay, comparison: Comparison) -> Subject:
    if comparison.root_divergences:
        return divergence_subject(overlay, overlay.divergence + 1)
    if comparison.same:
        return Subject("No difference", verdict(comparison))
    return Subject("The same steps", verdict(comparison))


def divergence_subject(overlay: Overlay, number: int) -> Subject:
    """A root divergence in words; `number` counts from 1. LookupError if this is no comparison."""
    comparison = overlay.comparison
    if comparison is None:
        raise LookupError("two runs are not being compared")
    root = comparison.root_divergences[number - 1]
    heading = divergence_heading(comparison, number)
    if comparison.nothing_in_common:
        return Subject(heading, NOTHING_IN_COMMON, "", None, root.a, root.b, number)
    before = "After" if root.parent is not None else "At the very start"
    after = f"{why_they_diverge(comparison, root)} Everything below follows from it."
    return Subject(heading, before, after, root.parent, root.a, root.b, number)


def _one_step(overlay: Overlay, comparison: Comparison, identity: str) -> Subject:
    graph = overlay.family.graph
    if comparison.marks.get(identity) is Mark.SAME:
        words = MARK_WORDS[Mark.SAME]
        return Subject(words.heading, words.sentence, a=identity, b=identity, whole=False)
    in_a = identity in comparison.a.graph
    words = MARK_WORDS[Mark.ONLY_A if in_a else Mark.ONLY_B]
    above = graph.closure([graph.index(identity)], causal=False)
    number = next((found for place in reversed(above) if (found := overlay.divergences.get(graph.ids[place], 0))), 0)
    cause = overlay.comparison.root_divergences[number - 1] if number and overlay.comparison is not None else None
    sentence = words.sentence
    if number and not comparison.nothing_in_common:
        place = f"place {number:,}" if len(comparison.root_divergences) > 1 else "the place"
        sentence += f" It follows from {place} where they part."
    return Subject(
        words.heading, sentence, a=identity if in_a else None, b=None if in_a else identity, whole=False,
        cause=_first(cause, in_a) if cause is not None else None,
    )  # fmt: skip


def _first(root: RootDivergence, in_a: bool) -> str | None:
    return root.a if in_a else root.b


# --- figures ---------------------------------------------------------------------------------------------------------


def figure_rows(
    overlay: Overlay, subject: Subject, accounts: Accounts | None = None, *, instead: str = CHECKING
) -> list[FigureRow]:
    """The table of figures for the two runs, or for the two steps if the subject is a pair.

    Without `accounts` what came of the runs is not known, and the words `instead` stand in its place.
    """
    comparison = overlay.comparison
    if comparison is None:
        return []
    if subject.whole:
        return comparison_rows(comparison, accounts, instead=instead)
    rows = rows_of(comparison.step_figures(subject.a, subject.b))[:-1]
    if subject.a is None or subject.b is None:  # nothing was recorded where there is no step: that is not the same
        rows = [
            row._replace(a=row.a if subject.a is not None else "–", b=row.b if subject.b is not None else "–", delta="")
            for row in rows
        ]
    return rows


# --- the list --------------------------------------------------------------------------------------------------------


def list_rows(overlay: Overlay) -> list[ListRow]:
    """What a comparison found: each root divergence, then how many steps are whose."""
    comparison = overlay.comparison
    if comparison is None:
        return []
    rows = [_divergence_row(overlay, number) for number in range(1, len(comparison.root_divergences) + 1)]
    marked = {Mark.ONLY_A: tuple(comparison.only_a), Mark.ONLY_B: tuple(comparison.only_b)}
    marked |= {Mark(kind.value): _ids(comparison, kind) for kind in PairKind}
    marked[Mark.SAME] = tuple(comparison.shared)
    for mark, steps in marked.items():
        if steps:
            words, note = MARK_WORDS[mark], "altered" if mark is Mark.CONFLICT else ""
            rows.append(ListRow(f"{_counted(mark, len(steps))} {words.phrase}", note, words.role, steps))
    if overlay.stacks:
        rows.append(ListRow(f"{counted(len(overlay.stacks), 'step')}: {TWINS}", "", "human", tuple(overlay.stacks)))
    return rows


def _ids(comparison: Comparison, kind: PairKind) -> tuple[str, ...]:
    pairs = comparison.moved if kind is PairKind.MOVED else [pair for pair in comparison.changed if pair.kind is kind]
    return tuple(dict.fromkeys(identity for pair in pairs for identity in (pair.a, pair.b)))


def _divergence_row(overlay: Overlay, number: int) -> ListRow:
    comparison = overlay.comparison
    assert comparison is not None
    root = comparison.root_divergences[number - 1]
    if comparison.nothing_in_common:
        causes = tuple(step for step in (root.a, root.b) if step is not None)
        return ListRow(f"{number}: nothing in common", "", "accent", causes, number)
    where = "at the start" if root.parent is None else f"after {step_title(overlay, root.parent)}"
    steps = tuple(step for step in (root.a, root.b) if step is not None)
    return ListRow(f"{number}: {DIVERGENCE_WORDS[root.kind].noun} {where}", "root", "accent", steps, number)


def step_title(overlay: Overlay, identity: str) -> str:
    """A step's title, short enough for a sentence."""
    return clean(title_in(overlay.family.graph, identity), _TITLE)


def steps_of(overlay: Overlay, subject: Subject) -> tuple[Step | None, Step | None]:
    """The two steps of a subject, each as its own run records it. TineError if one cannot be read."""
    comparison = overlay.comparison
    if comparison is None:
        return None, None
    return (
        comparison.a.graph.step(subject.a) if subject.a is not None else None,
        comparison.b.graph.step(subject.b) if subject.b is not None else None,
    )


def telling(overlay: Overlay, subject: Subject) -> tuple[Subject, list[DiffLine]]:
    """The subject with the two steps whose difference says most, and notes on what stands before them.

    At a root divergence these are the first in which something else was asked or done (`Comparison.telling`).
    """
    comparison = overlay.comparison
    if comparison is None or not subject.divergence:
        return subject, []
    root = comparison.root_divergences[subject.divergence - 1]
    a, b = comparison.telling(root)
    notes = passed_over(comparison, root) if a is not None and b is not None else []
    return replace(subject, a=a, b=b), notes


# --- navigation ------------------------------------------------------------------------------------------------------


def next_divergence(document: Document, way: int) -> int:
    """The divergence (from 0) one `way` (1 or -1) from the selected one; without one selected the present one."""
    overlay = document.overlay
    if overlay is None or overlay.comparison is None:
        return 0
    primary, count = document.selection.primary, len(overlay.comparison.root_divergences)
    if primary is None or primary not in overlay.divergences:
        return overlay.divergence
    here = overlay.divergence
    if primary not in overlay.comparison.root_divergences[here].causes:
        here = overlay.divergences[primary] - 1
    return (here + way) % count


def show_divergence(session: Session, document: Document, number: int) -> None:
    """Select the steps of a root divergence (from 0) and fly to where they and their parent are in view."""
    overlay = document.overlay
    if overlay is None or overlay.comparison is None:
        return
    root = overlay.comparison.root_divergences[number]
    document.show_overlay(replace(overlay, divergence=number))
    found = [step for step in (root.b, root.a) if step is not None]
    causes = [step for step in found if step in root.causes] or found
    document.select(Selection((*[step for step in found if step not in causes], *causes)))
    camera = divergence_camera(document, number, session.viewport)
    if camera is not None:
        document.picture.fly(camera, session.clock(), session.settings.motion)
    session.touch()


def divergence_camera(document: Document, number: int, viewport: Viewport) -> Camera | None:
    """The camera that shows a root divergence (from 0): both steps, their parent, and the next step of each."""
    overlay = document.overlay
    if overlay is None or overlay.comparison is None:
        return None
    root, graph = overlay.comparison.root_divergences[number], overlay.family.graph
    steps = [step for step in (root.a, root.b) if step is not None]
    around = [*root.parents[:1], *steps]
    around += [graph.ids[child] for step in steps for child in graph.children[graph.index(step)][:1]]
    return camera_of_steps(document.picture, around, viewport)


def parting_camera(document: Document, viewport: Viewport) -> Camera | None:
    """The camera that shows where the main lines of a family part; None if they do not.

    It shows their last common step and two more of each.
    """
    if document.overlay is None:
        return None
    family = document.overlay.family
    lines = [line for line in map(family.path, range(len(family.records))) if line]
    if not lines:
        return None
    shortest = min(map(len, lines))
    apart = (place for place, steps in enumerate(zip(*lines, strict=False)) if len({*steps}) > 1)
    common = next(apart, shortest)
    if not common or all(len(line) == common for line in lines):
        return None
    around = dict.fromkeys(step for line in lines for step in line[common - 1 : common + 2])
    return camera_of_steps(document.picture, [family.graph.ids[step] for step in around], viewport)


def flipped(overlay: Overlay) -> int:
    """The run to show after a flip: A first, then the other one each time."""
    first, second = overlay.pair
    return second if overlay.facing == first else first


__all__ = [
    "FigureRow",
    "ListRow",
    "Subject",
    "divergence_subject",
    "figure_rows",
    "flipped",
    "list_rows",
    "next_divergence",
    "parting_camera",
    "show_divergence",
    "step_title",
    "steps_of",
    "subject_of",
]
