"""Shows a layout that is made: where the camera goes, what is held still, how the cards slide to their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from opentine_gui.app.canvas.folded.opened_view import bring_around_into_view
from opentine_gui.app.document.camera.arrival import arrival_camera
from opentine_gui.app.document.camera.framing import LEAST_WHOLE, camera_of_all, center_card, first_camera
from opentine_gui.app.document.camera.motion import slide_between
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.state.commands import Pins
from opentine_gui.core import RunRecord
from opentine_gui.layout import Layout
from opentine_gui.layout.adjust import sublayout
from opentine_gui.scene.space.camera import Camera, Viewport
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

LARGE_GRAPH_STEPS = 5_000
"""Graphs with more steps are shown before the search for fewer crossings, and again after it."""


def borrow_layout(document: Document, source: Document) -> None:
    """Show a large new document as a part of its source's layout until it has its own."""
    state, layout = document.state, source.picture.base_layout
    if (
        state is None
        or layout is None
        or source.picture.fold is not None
        or document.is_folded
        or layout.direction is not document.direction
    ):
        return
    graph = state.record.graph
    piece = sublayout(layout, graph.ids, graph.positions) if len(graph) > LARGE_GRAPH_STEPS else None
    if piece is not None:
        document.picture.scene_index = source.picture.scene_index  # the index of the piece is made from it
        document.set_layout(piece, state.record, {}, borrowed=True)
        if source.picture.camera is not None:
            document.picture.set_camera(source.picture.camera)


def show_layout(
    session: Session,
    document: Document,
    layout: Layout,
    record: RunRecord,
    pins: Pins,
    index: SceneIndex | None = None,
    *,
    slide: bool = False,
    fold: FoldedRun | None = None,
    hold: str | None = None,
) -> None:
    """Show a finished layout, and hold the card the user looks at still on the screen, or that of the step `hold`.

    `index` is its scene index, if there is one. With `slide` the cards in view slide to their places, unless motion is
    switched off or several runs are shown. `fold` is what it shows of a folded run.
    """
    picture = document.picture
    anchor = _anchor(document, hold)
    before, was = (picture.layout, picture.scene_index), picture.camera
    slide = slide and session.settings.motion and document.members is None and not picture.refit_on_layout
    if (picture.fold is None) != (fold is None) and picture.layout is not None:
        picture.refit_on_layout = True
    document.set_layout(layout, record, pins, index=index, fold=fold)
    if picture.layout is None:
        return
    session.tools.follow(document)
    back, document.folding.returns_to = document.folding.returns_to, None
    if back is not None and not document.folding.is_local:
        picture.refit_on_layout = False
        picture.set_camera(back)
    elif picture.camera is None or picture.refit_on_layout:
        picture.refit_on_layout = False
        arrived = arrival_camera(picture, session.viewport)
        picture.arrival = None
        picture.set_camera(arrived or _first_camera(document, session.viewport))
    elif anchor is not None:
        step_id, x, y = anchor
        place = picture.layout.index.get(step_id)
        if place is not None:
            new_x, new_y = picture.layout.centers[place]
            camera = picture.camera
            picture.set_camera(Camera(camera.x + float(new_x) - x, camera.y + float(new_y) - y, camera.zoom))
    added = picture.reveal_when_laid_out
    if added is not None and added in picture.layout.index:
        picture.reveal_when_laid_out = None
        session.bring_into_view(document, added, centered=False)
        bring_around_into_view(session, document, added)
    if slide:
        _begin_slide(session, document, before, was)
    session.touch()


def keep_first_view(document: Document, before: Viewport, after: Viewport) -> None:
    """Show the first view again on a canvas of another size, as long as nobody has moved it.

    The panels below the canvas appear a moment after the graph, because times and context take a job.
    """
    picture = document.picture
    if before == after or picture.layout is None or picture.camera is None or picture.flight is not None:
        return
    if picture.camera == _first_camera(document, before):
        picture.set_camera(_first_camera(document, after))


def _first_camera(document: Document, viewport: Viewport) -> Camera:
    """The first view: a folded run whole if that is readable; else the selected step, or the beginning of the run."""
    layout = document.picture.layout
    assert layout is not None
    whole = camera_of_all(document.picture, viewport) if document.picture.fold is not None else None
    if whole is not None and whole.zoom >= LEAST_WHOLE:
        return whole
    camera = first_camera(layout, viewport)
    primary = document.selection.primary
    index = document.picture.index_of(primary) if primary is not None else None
    return camera if index is None else center_card(layout, index, camera)


def _begin_slide(
    session: Session, document: Document, before: tuple[Layout | None, SceneIndex | None], was: Camera | None
) -> None:
    """Let the cards slide from the picture before."""
    picture = document.picture
    old, old_index = before
    new, new_index, camera = picture.layout, picture.scene_index, picture.camera
    if old is None or old_index is None or was is None or new is None or new_index is None or camera is None:
        return
    now = session.clock()
    picture.card_slide = slide_between((old, old_index), (new, new_index), was, camera, session.viewport, now)
    picture.advance_slide(now)


def _anchor(document: Document, hold: str | None = None) -> tuple[str, float, float] | None:
    """(step id, x, y) of the card to hold still on the screen; None before there is a picture.

    That is the card of a given step or of the selected one, else the one nearest to the centre.
    """
    layout, camera = document.picture.layout, document.picture.camera
    if layout is None or camera is None or not len(layout.centers):
        return None
    primary = hold if hold is not None else document.selection.primary
    index = layout.index.get(primary) if primary is not None else None
    if index is None:
        away = np.abs(layout.centers[:, 0] - camera.x)
        away += np.abs(layout.centers[:, 1] - camera.y)
        index = int(away.argmin())
    x, y = layout.centers[index]
    return str(layout.nodes[index]), float(x), float(y)
