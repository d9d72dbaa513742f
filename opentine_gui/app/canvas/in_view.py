"""Keeps what is proposed in view: the forked card, or the parents of a merge with the step it would add."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.app.canvas.previews import ghost_cards
from opentine_gui.app.canvas.proposals.current_proposal import Proposal, current_proposal
from opentine_gui.app.canvas.proposals.present_steps import keep_to_present_steps, steps_of
from opentine_gui.app.document.camera.framing import card_bounds, reveal_bounds, reveal_card
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.scene.space.camera import Camera, Viewport

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session
    from opentine_gui.core import RunRecord
    from opentine_gui.layout import Layout


class ProposalFraming:
    """Moves the camera when a proposal comes up, and again when the canvas under it changes its size.

    When the proposal is left without being done, the view is again as it was, unless the user moved it meanwhile.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: Hashable = None
        self._left: LeftView | None = None

    def tick(self) -> None:
        """Bring the proposal's cards into view if that was not done yet. Called in every `Session.step`."""
        session, document = self._session, self._session.active
        keep_to_present_steps(session)
        proposal = current_proposal(session)
        if proposal is None or document is None:
            self._seen = None
            self._return(document)
            return
        picture = document.picture
        layout, camera = picture.layout, picture.camera_goal
        if layout is None or camera is None:
            self._seen = None
            return
        seen = (proposal.subject, document.number, session.viewport)
        if seen == self._seen:
            return
        again, self._seen = self._seen is not None, seen
        if self._left is None or self._left.document is not document or not again:
            begin = _fixed(camera, session.viewport)
            self._left = LeftView(document, document.record, layout, session.viewport, begin, begin)
        elif _fixed(camera, session.viewport) != self._left.now:
            self._left = self._left._replace(begin=None)  # the user moved it
        centers = proposed_centers(document, layout, proposal)
        if not centers:
            return
        goal = reveal_bounds(card_bounds(layout, centers), camera, session.viewport, session.covered)
        if goal != camera:
            picture.fly(goal, session.clock(), session.settings.motion)
            self._left = self._left._replace(now=_fixed(goal, session.viewport))

    def _return(self, document: Document | None) -> None:
        """Move the view back to where it was, once the canvas has its height again, unless anything else changed."""
        left, session = self._left, self._session
        if left is None or (document is left.document and session.viewport.height < left.viewport.height):
            return
        self._left = None
        if document is None or document is not left.document or document.record is not left.record:
            return
        picture, camera = document.picture, document.picture.camera_goal
        layout, begin = picture.layout, left.begin
        if layout is not left.layout or camera is None or begin is None:
            return
        if session.viewport != left.viewport or begin == left.now or _fixed(camera, session.viewport) != left.now:
            return
        goal = Camera(begin.x, begin.top + session.viewport.height / 2 / begin.zoom, begin.zoom)
        selected = picture.index_of(document.selection.primary) if document.selection.primary is not None else None
        if selected is not None and reveal_card(layout, selected, goal, session.viewport, session.covered) != goal:
            return
        picture.fly(goal, session.clock(), session.settings.motion)


class FixedView(NamedTuple):
    """The part of a camera that stays while the canvas's lower edge moves, rounded to what can be seen of it."""

    x: float
    top: float
    zoom: float


class LeftView(NamedTuple):
    """Where the view was when a proposal came up, None if the user moved it since, and where it was moved to."""

    document: Document
    record: RunRecord | None
    layout: Layout
    viewport: Viewport
    begin: FixedView | None
    now: FixedView


def _fixed(camera: Camera, viewport: Viewport) -> FixedView:
    top = camera.y - viewport.height / 2 / camera.zoom
    return FixedView(round(camera.x, 3), round(top, 3), round(camera.zoom, 6))


def proposed_centers(document: Document, layout: Layout, proposal: Proposal) -> list[tuple[float, float]]:
    """The centres of the cards of this document that a proposal is about, the one it would add included."""
    about = ((proposal.document, proposal.step),) if isinstance(proposal, ContinueProposal) else steps_of(proposal)
    steps = [step for owner, step in about if owner is document]
    found = [layout.index[step] for step in steps if step in layout.index]
    ghosts = [(ghost.x, ghost.y) for ghost in ghost_cards(document, layout, proposal)]
    return [*((float(x), float(y)) for x, y in layout.centers[found]), *ghosts]
