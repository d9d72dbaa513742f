"""Keeps what is proposed in view: the forked card, or the parents of a merge with the step it would add."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from opentine_gui.app.canvas.details_proposal import DetailsProposal
from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.previews import ghost_cards
from opentine_gui.app.canvas.proposals import Proposal, current_proposal
from opentine_gui.app.document.camera.framing import card_bounds, reveal_bounds
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.files.going_on.run_command import CommandProposal

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session
    from opentine_gui.layout import Layout


class ProposalFraming:
    """Moves the camera when a proposal comes up, and again when the canvas under it changes its size; never else."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._seen: Hashable = None

    def tick(self) -> None:
        """Bring the proposal's cards into view if that was not done yet. Called in every step."""
        session, proposal, document = self._session, current_proposal(self._session), self._session.active
        if proposal is None or document is None:
            self._seen = None
            return
        picture = document.picture
        layout, camera = picture.layout, picture.camera_goal
        if layout is None or camera is None:
            self._seen = None
            return
        seen = (proposal.subject, document.number, session.viewport)
        if seen == self._seen:
            return
        self._seen = seen
        centers = proposed_centers(document, layout, proposal)
        if not centers:
            return
        goal = reveal_bounds(card_bounds(layout, centers), camera, session.viewport, session.covered)
        if goal != camera:
            picture.fly(goal, session.clock(), session.settings.motion)


def proposed_centers(document: Document, layout: Layout, proposal: Proposal) -> list[tuple[float, float]]:
    """The centres of the cards of this document that a proposal is about, the one it would add included."""
    if isinstance(proposal, ForkProposal | ContinueProposal | CommandProposal):
        steps = [proposal.step] if proposal.document is document else []
    elif isinstance(proposal, DetailsProposal):
        return []
    else:
        steps = [step for owner, step in proposal.parents if owner is document]
    found = [layout.index[step] for step in steps if step in layout.index]
    ghosts = [(ghost.x, ghost.y) for ghost in ghost_cards(document, layout, proposal)]
    return [*((float(x), float(y)) for x, y in layout.centers[found]), *ghosts]
