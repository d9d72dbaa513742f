"""Keeps layouts up to date: requests them in jobs, and has them shown when they are finished; verifies after them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

from opentine_gui.app.canvas.folded.folding import FIRST_PICTURE, overflows_canvas, request_fold, request_key
from opentine_gui.app.canvas.folded.opened_view import bring_into_view
from opentine_gui.app.canvas.shown_layouts import LARGE_GRAPH_STEPS, show_layout
from opentine_gui.app.canvas.verifying import request_verification
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.picture.fold_state import Opening
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.files.following import is_growing
from opentine_gui.app.state.commands import DocumentState, Point
from opentine_gui.app.state.selection import Selection
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import RunRecord
from opentine_gui.core.record import MAIN
from opentine_gui.layout import MERGE_EDGE, Ancestry, Direction, Layout, LayoutRequest, Spacing, lay_out, prepare
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


TIDY = 3
"""Priority of the jobs that improve a picture which is shown already."""


IndexedLayout: TypeAlias = tuple[Layout, SceneIndex | None]
"""A layout, and of a large graph its scene index."""


def refresh_layout(session: Session, document: Document) -> None:
    """Request the layout the document should have, then its verification. Called in every `Session.step`."""
    record = document.record
    if record is None:
        return
    if document.layout_is_stale:
        request_layout(session, document)
    if session.clock() < document.live.verify_after:
        return
    if document.requested_verification is not record and (document.layout_failed or not document.layout_is_stale):
        document.requested_verification = record
        request_verification(session, document)


def request_layout(session: Session, document: Document, *, tidy: bool = False) -> None:
    """Lay the document out in a job, unless the same layout is running. `tidy` ignores the previous layout."""
    state = document.state
    if state is None:
        return
    if document.folding.every_step is None:
        if document is session.active:
            session.make_room()  # the time strip of a run comes up with it: the first view fits what is left
        document.folding.overflows = overflows_canvas(session, document)
        remembered = state.record.run_id in session.settings.every_step
        # A run that is short when it is opened, and grows, is not folded while somebody looks at it.
        document.folding.every_step = remembered or not document.folds
    if document.is_folded:
        _request_folded(session, document, tidy)
        return
    record, direction, pins = state.record, document.direction, state.placed(document.direction)
    wanted = _layout_key(state, direction, tidy)
    key = document.key("layout")
    if document.requested_layout == wanted and (session.jobs.is_running(key) or document.layout_failed):
        return
    document.requested_layout = wanted
    session.jobs.cancel(document.key("tidy"))
    document.layout_failed = False
    picture = document.picture
    finished = None if tidy else document.layout_cache.find(record.graph, direction, pins)
    if finished is not None:  # after undo or redo the layout is still there
        show_layout(session, document, finished[0], record, finished[1])
        return
    previous = None if picture.is_borrowed or picture.fold is not None else picture.base_layout
    if tidy or previous is None or previous.direction is not direction or set(picture.base_pins) - set(pins):
        previous = None
    present = picture.record
    if present is not None and present.main_tip != record.main_tip and present.graph.ids == record.graph.ids:
        previous = None  # another branch was made the main one: the straight line is another
    pinned: dict[Hashable, Point] = dict(pins.items())
    large = previous is None and len(record.graph) > LARGE_GRAPH_STEPS
    main = record.refs.get(MAIN) or None
    if main not in record.graph:
        main = None
    overlay = document.overlay
    stacks: tuple[tuple[str, ...], ...] = ()
    if overlay is not None and overlay.family.graph is record.graph:
        stacks = tuple(dict.fromkeys(overlay.stacks.values()))

    def laid_out(search: bool) -> Any:
        def work(progress: ReportProgress, cancelled: IsCancelled) -> IndexedLayout:
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

    def is_current() -> bool:
        return (
            document in session.documents
            and document.state is not None
            and document.state.record.graph is record.graph
            and document.direction is direction
            and not document.is_folded
        )

    def shown(laid: IndexedLayout) -> None:
        if not is_current():
            return  # undone or turned meanwhile: the next `refresh_layout` requests the right one
        layout, index = laid
        show_layout(session, document, layout, record, pins, index, slide=tidy)
        if not large or tidy:
            return
        if MERGE_EDGE not in layout.edge_kinds:  # then no search finds a better one: only prepare for the next edit
            session.jobs.submit(
                document.key("tidy"),
                lambda _progress, _cancelled: prepare(layout),
                lambda _none: None,
                priority=TIDY,
                stopped=leaves_nothing,
                document=document.number,
            )
        else:
            session.jobs.submit(
                document.key("tidy"),
                laid_out(True),
                lambda tidied: (
                    show_layout(session, document, tidied[0], record, pins, tidied[1], slide=True)
                    if picture.record is record and picture.base_layout is layout
                    else None
                ),
                title="Tidying the layout",
                priority=TIDY,
                stopped=leaves_nothing,
                document=document.number,
            )

    def failed(error: Exception) -> None:
        document.layout_failed = True
        session.notices.add("error", f"{document.title} could not be laid out: {error}", key=document.key("layout"))

    session.jobs.submit(
        key,
        laid_out(not large or tidy),
        shown,
        failed,
        title=f"Laying out {document.title}",
        priority=FIRST_PICTURE,
        stopped=lambda: layout_stopped(session, document),
        document=document.number,
    )


def _request_folded(session: Session, document: Document, tidy: bool) -> None:
    """Lay a folded run out in a job; Tidy makes the first view again, for the canvas as it is now."""
    if tidy:
        document.folding.state, document.picture.refit_on_layout = None, True
    stood = document.picture.fold
    if stood is not None and stood.is_local != document.folding.is_local:
        stood = None  # a picture of its own, not one in which something was opened

    def show(made: FoldedRun, record: RunRecord) -> None:
        changed = _changed_group(stood, made)
        walks = bool(made.state.openings) and made.state.openings[-1].walked
        # A walk takes back what it opened before: the picture stays, and the step it goes to is brought into view.
        anchor = changed.name if changed is not None else None
        same_run = stood is not None and stood.graph is made.graph
        hold = str(made.layout.nodes[0]) if walks and same_run else anchor
        # A growing run changes again soon: cards that slide to each new place would never come to rest.
        slide, picture = same_run or (stood is not None and not is_growing(session, document)), document.picture
        before = picture.camera_goal
        show_layout(session, document, made.layout, record, {}, fold=made, slide=slide, hold=hold)
        if stood is None or changed is None or walks:
            return
        _select_card(document, changed.name)
        if changed in made.state.openings:
            bring_into_view(session, document, made, changed)
            document.folding.views[changed] = (before, picture.camera_goal)
        elif (back := document.folding.view_before(changed, before)) is not None:
            picture.fly(back, session.clock(), session.settings.motion)

    request_fold(session, document, show, stopped=lambda: layout_stopped(session, document))


def _select_card(document: Document, first: str) -> None:
    """Select the card that begins with a step as a click on it would: if it is a group, by the step it ends with.

    Otherwise a fork at a group that was just opened would leave out all but its first step.
    """
    card = document.picture.index_of(first)
    if card is not None and document.selection.ids == (first,):
        document.select(Selection((document.picture.step_id(card),)))


def _changed_group(before: FoldedRun | None, after: FoldedRun) -> Opening | None:
    """The group that was opened or closed from one picture of a run to the next: of several closed ones the outermost.

    A group and one inside it may begin with the same step.
    """
    if before is None:
        return None
    stood, stands = before.state.openings, after.state.openings
    opened = [opening for opening in stands if opening not in stood]
    closed = [opening for opening in stood if opening not in stands]
    return opened[-1] if opened else next(iter(closed), None)


def is_laid_out_again(session: Session, document: Document) -> bool:
    """Whether a new picture is being made for a document that shows one already."""
    return document.picture.layout is not None and session.jobs.is_running(document.key("layout"))


def layout_stopped(session: Session, document: Document) -> None:
    """Note that the user stopped the layout: none is made until the run, the direction or the positions change."""
    if document.state is not None:
        document.requested_layout = _layout_key(document.state, document.direction, tidy=False)
        if document.is_folded:
            document.requested_layout = request_key(document)
        document.layout_failed = True
        session.notices.add(
            "info",
            f"The layout of {document.title} was stopped. Use Tidy to lay it out.",
            key=document.key("layout"),
        )


def _layout_key(state: DocumentState, direction: Direction, tidy: bool) -> object:
    """What a layout depends on: equal keys mean the same layout."""
    return state.record.graph, direction, frozenset(state.placed(direction)), tidy
