"""Open groups have room: no other card lies in a frame, and links still end at their cards."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.app.document.picture.fold import first_state
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core.structure.structure import Structure
from tests.app.document.test_nothing_is_hidden import ROOM, random_state
from tests.core.structure.shapes import graph_of, tables


def lying_in_frames(folded: FoldedRun) -> list[tuple[str, int]]:
    """(title of an open group, a card that is not in it and yet lies in its frame).

    What continues the group's own line stays below its first card, beside a branch that is shown.
    """
    layout = folded.layout
    half = np.array([layout.spacing.node_width, layout.spacing.node_height]) / 2
    found = []
    for frame, group in zip(folded.frames, folded.open_groups, strict=True):
        low, high = np.array(group.bounds[:2]), np.array(group.bounds[2:])
        for card, center in enumerate(layout.centers):
            own_line = abs(center[0] - layout.centers[frame.cards[0], 0]) < 1.0
            if (
                card not in frame.cards
                and not own_line
                and (center + half > low).all()
                and (center - half < high).all()
            ):
                found.append((frame.opening.title, card))
    return found


def ends_off_their_cards(folded: FoldedRun) -> list[int]:
    """The links that begin or end beside the middle of their cards."""
    layout = folded.layout
    found = []
    for edge, (source, target) in enumerate(layout.edges.tolist()):
        line = layout.polyline(edge)
        aside = abs(line[0, 0] - layout.centers[source, 0]), abs(line[-1, 0] - layout.centers[target, 0])
        if max(aside) > layout.spacing.node_width / 2:
            found.append(edge)
    return found


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_other_card_lies_in_the_frame_of_an_open_group(data: st.DataObject) -> None:
    structure = Structure(graph_of(data.draw(tables(largest=40))))
    folded = random_state(data, structure, first_state(structure, ROOM))
    assert lying_in_frames(folded) == []
    assert ends_off_their_cards(folded) == []
