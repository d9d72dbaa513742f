"""Open groups have room: no other card lies in a frame, and links still end at their cards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.app.document.picture.fold import first_state, fold
from opentine_gui.app.document.picture.folded_run import FoldedRun, Frame
from opentine_gui.core.structure.structure import Structure
from opentine_gui.scene.card.card_flags import PILL_HEIGHT
from opentine_gui.scene.picture.frames import tab_box
from tests.app.document.test_nothing_is_hidden import ROOM, opened, random_state
from tests.core.structure.shapes import graph_of, tables


def lying_in_frames(folded: FoldedRun) -> list[tuple[str, int]]:
    """(title of an open group, a card that is not in it and yet lies in its frame).

    What continues the group's own line stays below its first card, beside a branch that is shown; and groups that
    are interleaved have no places where none lies in the other's frame, unless the order of cards changed.
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
                and not interleaved(folded, frame, card)
                and (center + half > low).all()
                and (center - half < high).all()
            ):
                found.append((frame.opening.title, card))
    return found


def interleaved(folded: FoldedRun, frame: Frame, card: int) -> bool:
    """Whether a card is of another open group that shares rows and line with this one, or a row between its cards."""
    centers = folded.layout.centers
    line, rows = centers[frame.cards[0], 0], {centers[own, 1] for own in frame.cards}
    beside = [centers[own, 0] for own in frame.cards if centers[own, 1] == centers[card, 1]]
    for other in folded.frames:
        if card in other.cards:
            one_line = abs(centers[other.cards[0], 0] - line) < 1.0
            if (
                one_line
                and min(rows) <= max(centers[own, 1] for own in other.cards)
                and max(rows) >= centers[other.cards[0], 1]
            ):
                return True
            if beside and min(beside) < centers[card, 0] < max(beside):
                return True
    return False


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


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_no_other_card_lies_in_the_frame_of_an_open_group(data: st.DataObject) -> None:
    structure = Structure(graph_of(data.draw(tables(largest=40))))
    folded = random_state(data, structure, first_state(structure, ROOM))
    assert lying_in_frames(folded) == []
    assert ends_off_their_cards(folded) == []


BOTH_AT_ONE_PLACE = [(), (0,), (1,), (0,), (3,), (4,), (), (5, 6), (7,), (8,), (9,), (10,), (11,), (12,), (), (14,), (),
                     (15,), (17,), (18,), (19,), (), (21,), (22,), (7,)]  # fmt: skip
ONE_WIDENS_ANOTHER = [(), (0,), (1,), (0,), (3,), (4,), (0,), (4,), (0,), (4,), (9,), (3, 5), (11,), (5, 12), (3,)]


@pytest.mark.parametrize(
    ("table", "presses"),
    [(BOTH_AT_ONE_PLACE, [(0, False)]), (ONE_WIDENS_ANOTHER, [(0, True), (6, False), (6, True), (2, True)])],
    ids=["a link's ends part", "what moves away from a frame widens another"],
)
def test_what_random_runs_have_shown(table: list[tuple[int, ...]], presses: list[tuple[int, bool]]) -> None:
    structure = Structure(graph_of(table))
    folded = fold(structure, first_state(structure, ROOM), ROOM)
    for card, branches in presses:
        folded = fold(structure, opened(folded, card, branches=branches), ROOM)
    assert lying_in_frames(folded) == []
    assert ends_off_their_cards(folded) == []


def test_tabs_cover_neither_a_card_nor_the_flags_of_the_one_above_nor_each_other() -> None:
    structure = Structure(graph_of([(), *((step,) for step in range(1_200))]))
    folded = fold(structure, first_state(structure, ROOM), ROOM)
    for _ in range(2):  # the third card, and then what comes first in it
        folded = fold(structure, opened(folded, 3, branches=False), ROOM)
    assert [frame.cards[0] for frame in folded.frames] == [3, 3]
    half = folded.layout.spacing.node_height / 2
    above, below = (float(folded.layout.centers[card, 1]) for card in (2, 3))
    for zoom in (0.5, 0.64, 1.0, 1.6):
        outer, inner = (tab_box(group, zoom) for group in folded.open_groups)
        assert outer[3] <= inner[1] + 2.5 / zoom, "two pixels are the round corners"
        assert inner[3] <= below - half
        assert outer[1] >= above + half + PILL_HEIGHT
