"""Keeps every document's picture up to date: layouts and checks of ids, made in jobs and shown when they are there."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from opentine_gui.app.document.card_slide import glide_between
from opentine_gui.app.document.document import Document
from opentine_gui.app.state.commands import DocumentState, Pins, Point
from opentine_gui.app.system.jobs import IsCancelled, ReportProgress
from opentine_gui.core import RunRecord, Verification, verify
from opentine_gui.layout import MERGE_EDGE, Ancestry, Direction, Layout, LayoutRequest, Spacing, lay_out, prepare
from opentine_gui.layout.adjust import sublayout
from opentine_gui.scene.space.camera import Camera, fitted
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


LARGE = 5_000
"""Steps from which the first picture is shown before the search for fewer crossings."""


FIRST_PICTURE, TIDY, VERIFY = 1, 3, 5
"""Priorities of the jobs; lower goes first, and reading (0) before all."""


_TALLEST_FIRST_VIEW = 0.35
"""Below this zoom the first view shows the beginning at a readable size rather than everything."""


LaidOut: TypeAlias = tuple[Layout, SceneIndex | None]
"""A layout and, of many steps, its index."""


def keep_up(session: Session, document: Document) -> None:
    """Called every step: ask for the picture the document should have and, once it is there, for the check of ids."""
    record = document.record
    if record is None:
        return
    if document.layout_is_stale:
        request_layout(session, document)
    if document.verification_wanted is not record and (document.layout_failed or not document.layout_is_stale):
        document.verification_wanted = record
        request_verification(session, document)


def request_layout(session: Session, document: Document, *, tidy: bool = False) -> None:
    """Lay the document out in a job, unless the same layout is under way. `tidy` forgets what stood before."""
    state = document.state
    if state is None:
        return
    record, direction, pins = state.record, document.direction, state.placed(document.direction)
    wanted = _wanted(state, direction, tidy)
    key = f"layout:{document.number}"
    if document.layout_wanted == wanted and (session.jobs.is_running(key) or document.layout_failed):
        return
    document.layout_wanted = wanted
    session.jobs.cancel(f"tidy:{document.number}")
    document.layout_failed = False
    finished = None if tidy else document.finished_layout(record.graph, direction, pins)
    if finished is not None:  # undone or redone: the picture is still there
        show_layout(session, document, finished[0], record, finished[1])
        return
    previous = None if document.layout_is_borrowed else document.base_layout
    if tidy or previous is None or previous.direction is not direction or set(document.base_pins) - set(pins):
        previous = None
    pinned: dict[Hashable, Point] = dict(pins.items())
    large = previous is None and len(record.graph) > LARGE
    main = record.refs.get("main") or None
    if main not in record.graph:
        main = None
    overlay = document.overlay
    stacks: tuple[tuple[str, ...], ...] = ()
    if overlay is not None and overlay.family.graph is record.graph:
        stacks = tuple(dict.fromkeys(overlay.stacks.values()))

    def laid_out(search: bool) -> Any:
        def work(progress: ReportProgress, cancelled: IsCancelled) -> LaidOut:
            request = LayoutRequest(
                Ancestry(record.graph.ids, record.graph.parents, record.graph.positions),
                main=main,
                pinned=pinned,
                direction=direction,
                spacing=Spacing(),
                search=search,
                previous=previous,
                stacks=stacks,
            )
            layout = lay_out(request, progress=progress, cancelled=cancelled)
            if not large:
                return layout, None
            if search:
                prepare(layout)
            return layout, SceneIndex(layout)

        return work

    def is_wanted() -> bool:
        return (
            document in session.documents
            and document.state is not None
            and document.state.record.graph is record.graph
            and document.direction is direction
        )

    def shown(laid: LaidOut) -> None:
        if not is_wanted():
            return  # undone or turned meanwhile: the next step asks for the right one where it is not on show
        layout, index = laid
        show_layout(session, document, layout, record, pins, index, gliding=tidy)
        if not large or tidy:
            return
        if MERGE_EDGE not in layout.edge_kinds:  # then the first picture is the best, and the next edit may come
            session.jobs.submit(
                f"tidy:{document.number}",
                lambda _progress, _cancelled: prepare(layout),
                lambda _none: None,
                priority=TIDY,
            )
        else:
            session.jobs.submit(
                f"tidy:{document.number}",
                laid_out(True),
                lambda tidied: (
                    show_layout(session, document, tidied[0], record, pins, tidied[1], gliding=True)
                    if document.layout_record is record and document.base_layout is layout
                    else None
                ),
                title="Tidying the layout",
                priority=TIDY,
            )

    def failed(error: Exception) -> None:
        document.layout_failed = True
        session.notices.add(
            "error", f"{document.title} could not be laid out: {error}", key=f"layout:{document.number}"
        )

    session.jobs.submit(
        key, laid_out(not large or tidy), shown, failed, title=f"Laying out {document.title}", priority=FIRST_PICTURE
    )


def stop_layout(session: Session, document: Document) -> None:
    """The user stopped the layout: none is made before the run, the direction or the positions are others."""
    session.jobs.cancel(f"layout:{document.number}")
    if document.state is not None:
        document.layout_wanted = _wanted(document.state, document.direction, tidy=False)
        document.layout_failed = True
        session.notices.add(
            "info",
            f"The layout of {document.title} was stopped; Tidy makes it.",
            key=f"layout:{document.number}",
        )


def _wanted(state: DocumentState, direction: Direction, tidy: bool) -> object:
    """What tells one layout to be made from another."""
    return state.record.graph, direction, frozenset(state.placed(direction)), tidy


def borrow_layout(document: Document, source: Document) -> None:
    """Show a new document of many steps as a piece of its source's picture until it has its own."""
    state, layout = document.state, source.base_layout
    if state is None or layout is None or layout.direction is not document.direction:
        return
    graph = state.record.graph
    piece = sublayout(layout, graph.ids, graph.positions) if len(graph) > LARGE else None
    if piece is not None:
        document.scene_index = source.scene_index  # which the piece's is made from
        document.set_layout(piece, state.record, {}, borrowed=True)
        if source.camera is not None:
            document.look(source.camera)


def show_layout(
    session: Session,
    document: Document,
    layout: Layout,
    record: RunRecord,
    pins: Pins,
    index: SceneIndex | None = None,
    *,
    gliding: bool = False,
) -> None:
    """Show a finished layout, `index` being its index if there is one; the card the user looks at stays where it is.

    `gliding` lets the cards in view slide to their places, unless motion is switched off or several runs are shown.
    """
    anchor = _anchor(document)
    before, was = (document.layout, document.scene_index), document.camera
    gliding = gliding and session.settings.motion and document.members is None and not document.look_again
    document.set_layout(layout, record, pins, index=index)
    if document.camera is None or document.look_again:
        document.look_again = False
        document.look(first_camera(session, document))
    elif anchor is not None and document.layout is not None:
        step_id, x, y = anchor
        place = document.layout.index.get(step_id)
        if place is not None:
            new_x, new_y = document.layout.centers[place]
            camera = document.camera
            document.look(Camera(camera.x + float(new_x) - x, camera.y + float(new_y) - y, camera.zoom))
    if gliding:
        _glide(session, document, before, was)
    session.touch()


def _glide(
    session: Session, document: Document, before: tuple[Layout | None, SceneIndex | None], was: Camera | None
) -> None:
    """Begin at the picture of before."""
    old, old_index = before
    new, new_index, camera = document.layout, document.scene_index, document.camera
    if old is None or old_index is None or was is None or new is None or new_index is None or camera is None:
        return
    now = session.clock()
    document.glide = glide_between((old, old_index), (new, new_index), was, camera, session.viewport, now)
    document.advance_glide(now)


def first_camera(session: Session, document: Document) -> Camera:
    """The first look at a graph: all of it when that is readable, else its beginning at a readable size."""
    layout = document.layout
    if layout is None:
        return Camera(0.0, 0.0, 1.0)
    whole = fitted(layout.bounds, session.viewport)
    if whole.zoom >= _TALLEST_FIRST_VIEW or not len(layout.centers):
        return whole
    x, y = (float(value) for value in layout.centers[0])
    zoom = 0.8
    inset_x, inset_y = session.viewport.width / 2 / zoom, session.viewport.height / 2 / zoom
    if layout.direction is Direction.TOP_TO_BOTTOM:
        return Camera(x, y + inset_y - 110.0, zoom)
    return Camera(x + inset_x - 180.0, y, zoom)


def _anchor(document: Document) -> tuple[str, float, float] | None:
    """The card that should not move on the screen: the selected one, else the one nearest to the view's centre."""
    layout, camera = document.layout, document.camera
    if layout is None or camera is None or not len(layout.centers):
        return None
    primary = document.selection.primary
    index = layout.index.get(primary) if primary is not None else None
    if index is None:
        away = np.abs(layout.centers[:, 0] - camera.x)
        away += np.abs(layout.centers[:, 1] - camera.y)
        index = int(away.argmin())
    x, y = layout.centers[index]
    return str(layout.nodes[index]), float(x), float(y)


def request_verification(session: Session, document: Document) -> None:
    """Check every step id and the digest of the present run in a job of lowest priority."""
    record = document.record
    if record is None:
        return

    def done(verification: Verification) -> None:
        if document.record is record:
            document.verified(verification)
            session.touch()

    def check(progress: ReportProgress, cancelled: IsCancelled) -> Verification:
        _ = record.graph.children  # a large table that the first walk along the graph would make in a frame
        return verify(record, progress=progress, cancelled=cancelled)

    session.jobs.submit(
        f"verify:{document.number}",
        check,
        done,
        lambda error: None,
        title=f"Checking {document.title}",
        priority=VERIFY,
    )
