"""Presentation mode: a story is a list of steps, and the camera flies from one to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from opentine_gui.app.state.selection import Selection
from opentine_gui.core import Mark
from opentine_gui.core.record import MAIN
from opentine_gui.describe.comparison_words import MARK_WORDS, divergence_heading, why_they_diverge
from opentine_gui.scene.space.camera import Camera, Viewport

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.document.picture.folded_run import FoldedRun
    from opentine_gui.app.session import Session
    from opentine_gui.core import Graph, RunRecord

FLIGHT = 0.55
"""Seconds of a camera flight between two steps: slow enough for an audience to follow."""
CARD_SHARE = 0.26
"""Share of the canvas's width a card takes: most of what the slide beside it leaves."""
LARGEST_ZOOM = 3.2
SLIDE_SHARE = 0.62
"""Share of the canvas's width the slide takes at the right, where the step is read; the graph shows where that is."""


class Story(msgspec.Struct, frozen=True):
    """A story in progress at `position`; `panels`, `camera` and `selection` are what to restore after it."""

    document: Document
    steps: tuple[str, ...]
    position: int
    panels: bool
    camera: Camera | None
    selection: Selection = Selection()
    hides: bool = True
    """Whether what looks like a secret is hidden."""
    record: RunRecord | None = None
    """The run in which the steps have these ids."""

    @property
    def step(self) -> str:
        """The present step."""
        return self.steps[self.position]

    @property
    def told(self) -> frozenset[str]:
        """The steps shown so far, the present one included; the others are dimmed."""
        return frozenset(self.steps[: self.position + 1])

    def stop(self, session: Session) -> None:
        """End the story and restore panels, camera and selection."""
        session.presentation = None
        session.view.panels = self.panels
        present = map(self.document.present_step, self.selection)  # a log may have lost steps meanwhile
        self.document.select(Selection.of(step for step in present if step is not None), visit=False)
        self.document.hide_secrets(False)
        if self.camera is not None:
            self.document.picture.fly(self.camera, session.clock(), session.settings.motion)
        session.touch()


class Remark(NamedTuple):
    """What a caption adds to the step: whose it is, in which colour (a theme role), and what happens here."""

    whose: str
    role: str
    sentence: str = ""


def remark_of(document: Document, step: str) -> Remark | None:
    """What a comparison says about a step; None in any other document."""
    overlay = document.shown_overlay
    if overlay is None or overlay.comparison is None:
        return None
    roots = overlay.comparison.root_divergences
    sides = [overlay.runs[run] for run in overlay.pair if step in overlay.family.records[run].graph]
    whose, role = (sides[0].name, sides[0].role) if len(sides) == 1 else (MARK_WORDS[Mark.SAME].phrase, "quiet")
    number = overlay.divergences.get(step, 0)
    if number:
        heading = divergence_heading(overlay.comparison, number)
        return Remark(whose, role, f"{heading} · {why_they_diverge(overlay.comparison, roots[number - 1])}")
    met = next((root for root in roots if root.parent == step), None)
    if met is None:
        return Remark(whose, role)
    return Remark(whose, role, f"Here they diverge: {why_they_diverge(overlay.comparison, met)}")


def story_of(document: Document) -> tuple[tuple[str, ...], int]:
    """(steps, first position) of a document's story: several selected steps, else the path to a tip.

    The path is that of first parents to the tip of `main`, or through the selected step if that is elsewhere. The story
    of a comparison is its root divergences: of each the shared step, then A's, then B's. A folded run is told card by
    card.
    """
    record = document.record
    if record is None or not len(record.graph):
        return (), 0
    graph = record.graph
    chosen = [graph.index(step) for step in document.selection if step in graph]
    diverging = divergences(document)
    if diverging:
        return diverging, 0
    if len(chosen) > 1:
        return tuple(graph.ids[index] for index in sorted(chosen)), 0
    main = record.refs.get(MAIN, "")
    tip = graph.index(main) if main in graph else len(graph) - 1
    path = first_parents(graph, tip)
    fold = document.picture.fold if document.picture.fold is not None and document.picture.fold.graph is graph else None
    if fold is not None and fold.is_local:  # of a local view the path through the cards that are shown
        path = first_parents(graph, fold.structure.main)
    if chosen and chosen[0] not in set(path):
        path = [*first_parents(graph, chosen[0]), *onward(graph, chosen[0])]
    begin = path.index(chosen[0]) if chosen else 0
    if fold is not None:
        return _card_by_card(fold, path, begin)
    return tuple(graph.ids[index] for index in path), begin


def _card_by_card(fold: FoldedRun, path: list[int], begin: int) -> tuple[tuple[str, ...], int]:
    """The story of a folded run: its cards along a path of steps, each as the step that a click on it selects."""
    cards = [card for card in dict.fromkeys(int(fold.card_of[step]) for step in path) if card >= 0]
    ids, first = fold.graph.ids, int(fold.card_of[path[begin]])
    return tuple(ids[fold.shown_step(card)] for card in cards), cards.index(first) if first in cards else 0


def divergences(document: Document) -> tuple[str, ...]:
    """The root divergences of a comparison as steps: the shared step, A's step and B's step of each."""
    overlay, record = document.shown_overlay, document.record
    if overlay is None or overlay.comparison is None or record is None:
        return ()
    told = (step for root in overlay.comparison.root_divergences for step in (root.parent, root.a, root.b))
    return tuple(step for step in told if step is not None and step in record.graph)


def first_parents(graph: Graph, index: int) -> list[int]:
    """The path of first parents from a root to `index`."""
    path = [index]
    while graph.parents[path[-1]]:
        path.append(graph.parents[path[-1]][0])
    return path[::-1]


def onward(graph: Graph, index: int) -> list[int]:
    """The path of first children from a step to a tip, without the step itself."""
    path: list[int] = []
    while graph.children[index]:
        index = graph.children[index][0]
        path.append(index)
    return path


def start(
    session: Session, document: Document, steps: Sequence[str], position: int, before: Selection | None = None
) -> None:
    """Hide the panels and show the step at `position`; `before` is the selection that comes back, by default the
    present one.
    """
    before = document.selection if before is None else before
    camera = document.picture.camera
    session.presentation = Story(document, tuple(steps), position, session.view.panels, camera, before)
    document.hide_secrets(True)
    session.view.panels = False
    session.proposal = None
    session.context_menu = None
    go(session, position)


def go(session: Session, position: int) -> None:
    """Fly to a step of the story; a position outside it does nothing."""
    told = session.presentation
    if not isinstance(told, Story) or not 0 <= position < len(told.steps):
        return
    session.presentation = replace(told, position=position)
    document, step = told.document, told.document.present_id(told.steps[position])
    there = document.record is not None and step in document.record.graph  # a log may have lost it since
    document.select(Selection((step,)) if there else Selection(), visit=there)
    camera = stage_camera(document, step, session.viewport)
    if camera is not None:
        document.picture.fly(camera, session.clock(), session.settings.motion, FLIGHT)
    session.touch()


def follow_steps(session: Session) -> None:
    """Show the steps as they are called now: a call gets another id with its result. Called in every `Session.step`."""
    told = session.presentation
    if isinstance(told, Story) and told.record is not told.document.record:
        steps = tuple([told.document.present_id(step) for step in told.steps])
        session.presentation = replace(told, steps=steps, record=told.document.record)


def show_secrets(session: Session, shown: bool) -> None:
    """Show what looks like a secret on slides and cards, or hide it again."""
    told = session.presentation
    if isinstance(told, Story):
        session.presentation = replace(told, hides=not shown)
        told.document.hide_secrets(not shown)
        session.touch()


def restage(session: Session, before: Viewport) -> None:
    """Show the present step as large as it is shown on a canvas of another size than `before`.

    Only if the camera still stands where the story put it. The panels and the window's frame go when a story begins,
    after the first step was flown to.
    """
    told = session.presentation
    if not isinstance(told, Story) or session.viewport == before:
        return
    picture, camera = told.document.picture, stage_camera(told.document, told.step, session.viewport)
    if camera is not None and picture.camera_goal == stage_camera(told.document, told.step, before):
        picture.fly(camera, session.clock(), session.settings.motion, FLIGHT)


def stage_camera(document: Document, step: str, viewport: Viewport) -> Camera | None:
    """The camera that shows a step large, in the middle of what the slide leaves free; None if it has no card."""
    index = document.picture.index_of(step)
    if index is None or document.picture.layout is None:
        return None
    x, y = document.picture.layout.centers[index]
    zoom = min(viewport.width * CARD_SHARE / document.picture.layout.spacing.node_width, LARGEST_ZOOM)
    return Camera(float(x) + viewport.width * SLIDE_SHARE / 2 / zoom, float(y), zoom)
