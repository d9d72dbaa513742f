"""The picture of a folded run for a file: its cards where they stand, at their natural size, nothing selected."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import PALETTE, Overlay
from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.document.picture.step_colours import colours_by_run
from opentine_gui.core.analysis.hidden_secrets import hide_in_step
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.picture.view import SceneView
from opentine_gui.scene.space.scene_index import SceneIndex
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import Theme

MakeView = Callable[[Theme, FontMetrics], SceneView]


def export_view(document: Document, *, hidden: bool = False) -> MakeView | None:
    """What makes the picture of a document's cards, from another thread too; None where every step has a card.

    `hidden`: what looks like a secret is not on them.
    """
    fold, record = document.picture.fold, document.record
    if fold is None or record is None or fold.graph is not record.graph:
        return None
    overlay = document.shown_overlay
    notes, flags = document.annotations, document.finding_marks.flags
    graph = record.graph

    def has_secrets(steps: Sequence[int]) -> bool:
        return any(hide_in_step(graph, step).kinds for step in steps)  # looked through in the job that draws

    faces = CardFaces(
        record, document.verification, overlay, notes, fold, flags, hidden=has_secrets if hidden else None
    )
    return view_of_cards(fold, faces, overlay, hidden=hidden)


def view_of_cards(
    fold: FoldedRun, faces: CardFaces, overlay: Overlay | None = None, *, hidden: bool = False
) -> MakeView:
    """What makes the picture of a folded run with these faces; `overlay` where it stands for several runs."""
    layout = fold.layout

    def view(theme: Theme, metrics: FontMetrics) -> SceneView:
        marks = colours_by_run(overlay) if overlay is not None else None
        return SceneView(
            faces=faces.face,
            layout=layout,
            index=SceneIndex(layout),
            zoom=1.0,
            rect=layout.bounds,
            theme=theme,
            metrics=metrics,
            palette=marks.roles if marks is not None else (),
            link_palette=PALETTE,
            link_roles=overlay.link_roles(layout, fold.first_steps) if overlay is not None else None,
            level=Level.CARD,
            frames=fold.groups_shown(hidden),
            late=fold.late_links,
        )

    return view
