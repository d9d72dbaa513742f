"""The colours of cards on the canvas and in the overviews, heat colours, and which cards are highlighted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.document.picture.step_colours import (
    StepColours,
    colours_by_heat,
    colours_by_kind,
    colours_by_run,
    colours_of_cards,
)
from opentine_gui.app.inspect.analysis.heat_rows import codes_of, heat_of, roles_of
from opentine_gui.app.inspect.analysis.lit_steps import LitSteps, lit_steps
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.core.analysis.heat import Heat
from opentine_gui.scene.card.card_face import CardFace


class CardColours:
    """Colours of one document's cards, each read once and kept until what it is read from changes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._marks: tuple[RunRecord, Overlay | None, StepColours] | None = None
        self._marks_of_cards: tuple[object, StepColours] | None = None
        self._heat: tuple[Heat, FoldedRun | None, StepColours] | None = None

    def forget(self) -> None:
        """Drop what is cached about a document: it may be closed and large."""
        self._marks = self._marks_of_cards = self._heat = None

    @property
    def hot(self) -> StepColours | None:
        """The heat colours as of the last call of `marks`; None while cards have none."""
        return self._heat[2] if self._heat is not None else None

    def marks(self, document: Document) -> StepColours | None:
        """Colour codes and failures of the shown graph, read once per run; None before there is a run."""
        record = document.picture.record or document.record
        if record is None:
            return None
        hot = heat_of(self.session, document)
        fold = (
            document.picture.fold
            if document.picture.fold is not None and document.picture.fold.graph is record.graph
            else None
        )
        if hot is not None and len(hot.levels) == len(record.graph):
            if self._heat is None or self._heat[0] is not hot or self._heat[1] is not fold:
                colours = colours_by_heat(codes_of(hot), roles_of(hot), fold, named=bool(hot.names))
                self._heat = (hot, fold, colours)
            return self._heat[2]
        self._heat = None
        overlay = document.shown_overlay
        if self._marks is None or self._marks[0] is not record or self._marks[1] is not overlay:
            marks = colours_by_kind(record.graph) if overlay is None else colours_by_run(overlay)
            self._marks = (record, overlay, marks)
            self._marks_of_cards = None
        if fold is None:
            return self._marks[2]
        if self._marks_of_cards is None or self._marks_of_cards[0] is not fold:
            self._marks_of_cards = (fold, colours_of_cards(self._marks[2], fold, by_run=overlay is not None))
        return self._marks_of_cards[1]

    def faces(self, document: Document) -> Callable[[int], CardFace]:
        """The faces of the cards, in heat colours while steps are coloured."""
        return document.face if self._heat is None else partial(self._hot_face, document)

    def _hot_face(self, document: Document, index: int) -> CardFace:
        """The face of a card in its heat colour, of one without the figure in none, not even that of its kind."""
        face, heat = document.face(index), self._heat
        if heat is None or index >= len(heat[2].kinds):
            return face
        return replace(face, heat=heat[2].roles[heat[2].kinds[index]])

    def lit(self, document: Document) -> NDArray[np.uint8] | None:
        """Which cards of the shown picture are highlighted, as a column of 0 and 1; None if none is."""
        found = self._lit_steps(document)
        if found is None:
            return None
        lit = np.frombuffer(found.steps, dtype=np.uint8)
        return lit if document.picture.fold is None else document.picture.fold.lit(lit)

    def lit_revision(self, document: Document) -> tuple[int, ...] | None:
        """Changes whenever the highlight does; None without one."""
        found = self._lit_steps(document)
        return found.revision if found is not None else None

    def _lit_steps(self, document: Document) -> LitSteps | None:
        if self.session.presentation is not None:  # an audience asked for nothing
            return None
        shown = document.picture.record or document.record
        return lit_steps(self.session, document, shown.graph) if shown is not None else None
