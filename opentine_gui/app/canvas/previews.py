"""Previews on the canvas of what a gesture or a proposal will do: pulled links, ghost cards, dimmed cards."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from opentine_gui.app.canvas.proposals.current_proposal import Proposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.app.document.document import Document
from opentine_gui.app.features import Presentation
from opentine_gui.app.state.pointer_state import PulledLine
from opentine_gui.layout import Direction, Layout
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.picture.links import DraftLink
from opentine_gui.scene.picture.preview_layer import GhostCard


class CanvasPreview(msgspec.Struct, frozen=True, eq=False):
    """What is shown during a proposal or a gesture: `ghosts` are cards to be added; `dimmed` None means no card is."""

    ghosts: tuple[GhostCard, ...] = ()
    dimmed: frozenset[int] | None = None


def canvas_preview(
    document: Document,
    refused: Mapping[int, str],
    proposal: Proposal | None = None,
    presentation: Presentation | None = None,
) -> CanvasPreview:
    """The preview over a document's picture; `refused` are the cards a pulled line cannot be dropped on."""
    layout = document.picture.layout
    if layout is None:
        return CanvasPreview()
    dimmed = frozenset(refused) if refused else _dropped(document, layout, proposal)
    if dimmed is None and document.shown_overlay is not None:
        dimmed = document.shown_overlay.dimmed
        if dimmed is not None and document.picture.fold is not None:  # a card holds steps of one side alone
            firsts = document.picture.fold.first_steps.tolist()
            dimmed = frozenset(card for card, step in enumerate(firsts) if step in dimmed)
    if presentation is not None and presentation.document is document:
        told = {layout.index.get(step) for step in presentation.told}
        dimmed = frozenset(index for index in range(len(layout.nodes)) if index not in told)
    return CanvasPreview(ghost_cards(document, layout, proposal), dimmed)


def refusals(line: PulledLine | None) -> Mapping[int, str]:
    """Why the pulled line cannot be dropped on the card under it, except its own card; empty if it can."""
    if line is None or line.target is None or line.target == line.source or not line.refusal:
        return {}
    return {line.target: line.refusal}


def pulled_links(line: PulledLine | None) -> tuple[DraftLink, ...]:
    """The pulled line as a link: to the card it can be dropped on, else to the pointer."""
    if line is None:
        return ()
    if line.target is not None and not line.refusal:
        return (DraftLink(line.source, line.target, None, "accent"),)
    return (DraftLink(line.source, None, line.point, "bad" if line.refusal else "accent"),)


def _dropped(document: Document, layout: Layout, proposal: Proposal | None) -> frozenset[int] | None:
    """The cards a proposed fork would drop; None for anything else."""
    if not isinstance(proposal, ForkProposal) or proposal.document is not document:
        return None
    return proposal.dropped_indices(layout)


def ghost_cards(document: Document, layout: Layout, proposal: Proposal | None) -> tuple[GhostCard, ...]:
    """The step a proposal would add, below its parents (right of them in a left-to-right layout)."""
    if not isinstance(proposal, MergeProposal | StepProposal):
        return ()
    found = (layout.index.get(step) for owner, step in proposal.parents if owner is document)
    parents = tuple(index for index in found if index is not None)
    if not parents:
        return ()
    merge = isinstance(proposal, MergeProposal)
    centers = layout.centers[list(parents)]
    spacing = layout.spacing
    if layout.direction is Direction.TOP_TO_BOTTOM:
        x = float(centers[:, 0].mean())
        y = float(centers[:, 1].max()) + spacing.node_height + spacing.row_gap
    else:
        x = float(centers[:, 0].max()) + spacing.node_width + spacing.row_gap
        y = float(centers[:, 1].mean())
    in_column = layout.centers[abs(layout.centers[:, 0] - x) < spacing.node_width, 1]
    in_row = layout.centers[abs(layout.centers[:, 1] - y) < spacing.node_height, 0]
    below = (x, free_place(in_column, y, spacing.node_height, spacing.row_gap))
    right = (free_place(in_row, x, spacing.node_width, spacing.row_gap), y)
    onward, aside = (below, right) if layout.direction is Direction.TOP_TO_BOTTOM else (right, below)
    if not merge:  # it goes beside the children there are
        x, y = aside
    else:
        # Behind all that comes below its parents, or beside that: the nearest, so that all three can be read at once.
        if layout.direction is Direction.TOP_TO_BOTTOM:
            before = (-free_place(-in_row, -x, spacing.node_width, spacing.row_gap), y)
        else:
            before = (x, -free_place(-in_column, -y, spacing.node_height, spacing.row_gap))
        x, y = min((onward, aside, before), key=lambda place: abs(place[0] - x) + abs(place[1] - y))
    title = "Merge: new step" if merge else "New step"
    said = f"{len(proposal.parents)} parents · draft, not saved" if merge else "draft, not saved"
    face = CardFace(title, said, "", proposal.kind)
    return (GhostCard(face, x, y, parents),)


def free_place(taken: NDArray[np.float64], start: float, size: float, gap: float) -> float:
    """The first centre from `start` on where a card overlaps none of those centred at `taken`, in world units."""
    ahead = np.sort(taken[taken > start - size])
    if not len(ahead) or ahead[0] - start >= size:
        return start
    # After the first card that has room for another one before the next; after the last one there always is.
    wide = np.flatnonzero(np.diff(ahead) >= 2 * size + gap)
    return float(ahead[wide[0] if len(wide) else -1]) + size + gap
