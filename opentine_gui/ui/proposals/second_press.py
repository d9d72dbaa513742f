"""A command is run by a key only when the key is pressed twice: one that was meant for text does not run it."""

from __future__ import annotations

from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.proposals.current_proposal import Proposal
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.files.going_on.run_command import CommandProposal

KEYS = (dpg.mvKey_Return, dpg.mvKey_NumPadEnter)


class SecondPress:
    """Asks for a second press of Enter; any other key, and any change of what would be run, takes the first back."""

    def __init__(self) -> None:
        self._about: Hashable = None
        self._let_go = False

    def allows(self, proposal: Proposal) -> bool:
        """Whether a press of Enter may do what is proposed; a command needs a second one, after the key went up."""
        about = _run_by(proposal)
        if about is None or (about == self._about and self._let_go):
            return True
        if about != self._about:
            self._about, self._let_go = about, False
        return False

    @property
    def asked(self) -> bool:
        """Whether a press was not enough, and no other key came since."""
        return self._about is not None

    def asks(self, proposal: Proposal) -> bool:
        """Whether a second press is waited for."""
        return self._about is not None and _run_by(proposal) == self._about

    def take_back(self) -> None:
        """Begin anew: another key was pressed."""
        self._about = None

    def sync(self) -> None:
        """See the key go up: one that is held down is repeated, which is no second press. Called once a frame."""
        if self._about is not None and not any(dpg.is_key_down(key) for key in KEYS):
            self._let_go = True


def _run_by(proposal: Proposal) -> Hashable:
    """What a proposal would run when it is accepted; None if it runs nothing."""
    if isinstance(proposal, CommandProposal):
        return proposal.subject, proposal.said.text
    if isinstance(proposal, ContinueProposal) and proposal.handback is not None and not proposal.handback.files:
        return proposal.subject, proposal.said.text
    return None
