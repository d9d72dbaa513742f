"""Recorded sessions that a test goes on from."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.export.sessions import Handback
from tests.app.conftest import Bench

RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code" / "2.1.197-a-plain" / "home"


def proposed(bench: Bench) -> ContinueProposal:
    proposal = bench.session.proposal
    assert isinstance(proposal, ContinueProposal)
    return proposal


def put_in(handback: Handback, folder: Path) -> None:
    """Have it run in a folder of this machine: the recorded one is not here."""
    object.__setattr__(handback, "folder", folder)
    object.__setattr__(handback, "folder_is_here", True)


def models(bench: Bench) -> list[str]:
    return [step.id for step in bench.record.graph if step.shown_kind == "model"]
