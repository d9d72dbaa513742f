"""Whatever is open: what matters is on a card of its own, or the card that holds it says so."""

from __future__ import annotations

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.document.picture.fold import Room, first_state, fold
from opentine_gui.app.document.picture.fold_state import FoldState, Opening
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.state.annotations import Annotation
from opentine_gui.core.structure.cards import enclosed
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.card_marks import BOOKMARK
from opentine_gui.layout import Direction
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.space.camera import Viewport
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of, tables

ROOM = Room(Direction.TOP_TO_BOTTOM, Viewport(700, 500))


def said(face: CardFace) -> str:
    return " ".join(flag.text for flag in face.flags)


def opened(folded: FoldedRun, number: int, *, branches: bool) -> FoldState:
    """The state with one more card open: into its branches, or into parts."""
    structure, card = folded.structure, folded.card(number)
    openings, ids = Openings(structure), structure.graph.ids
    added = openings.branches(card) if branches else openings.by_count(card)
    borders = frozenset(ids[step] for step in enclosed(structure.lanes, added))
    return folded.state.opened(Opening(ids[card.name], "group", card.size, borders))


def random_state(draw: st.DataObject, structure: Structure, state: FoldState) -> FoldedRun:
    """A state a user may come to: groups are opened and closed, branches are shown."""
    folded = fold(structure, state, ROOM)
    for _ in range(draw.draw(st.integers(0, 5))):
        if folded.state.openings and draw.draw(st.booleans()):
            chosen = draw.draw(st.sampled_from(folded.state.openings))
            state = folded.state.closed(folded.openings_inside(chosen))
        else:
            state = opened(folded, draw.draw(st.integers(0, len(folded) - 1)), branches=draw.draw(st.booleans()))
        folded = fold(structure, state, ROOM)
    return folded


@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
@given(tables(largest=70), st.data())
def test_failures_branches_merges_names_and_notes_are_never_hidden(
    table: list[tuple[int, ...]], data: st.DataObject
) -> None:
    steps = st.integers(0, len(table) - 1)
    failed = data.draw(st.sets(steps, max_size=6))
    graph = graph_of(table, "hmREmTsR" * len(table), sorted(failed))
    noted, marked, named = (data.draw(st.sets(steps, max_size=3)) for _ in range(3))
    record = make_record(list(graph), refs={f"ref{step}": graph.ids[step] for step in named})
    notes = {graph.ids[step]: Annotation(note="look", bookmarked=step in marked) for step in noted | marked}
    structure = Structure(record.graph, data.draw(steps))
    folded = random_state(data, structure, first_state(structure, ROOM))
    faces = CardFaces(record, None, None, notes, folded)
    for step in range(len(table)):
        number = int(folded.card_of[step])
        card, face = folded.card(number), faces.face(number)
        assert step in folded.all_steps(number)
        absorbed = step not in folded.steps(number)
        flags = {flag.text.split()[0]: flag for flag in face.flags}
        if absorbed:
            branch = next(flag for flag in face.flags if flag.text.startswith("⑂"))
            assert branch.text.split()[1] == str(len(card.absorbed))
            assert branch.role == "bad" or step not in failed, "a failure on a branch that is folded away"
        elif step in failed:
            assert face.failed or (face.group is not None and face.group.failures >= 1)
            if folded.is_group(number):
                count = sum(other in failed for other in folded.steps(number))
                assert flags["✕"].text == f"✕ {count}"
                assert re.search(rf"\b{count}( edits? failed| failures?)", face.line)
                assert face.group is not None and any(bar.role == "bad" for bar in face.group.strip)
        if step in named:
            assert f"ref{step}" in said(face)
        if step in marked:
            assert BOOKMARK in said(face)
        elif step in noted:
            assert "note" in said(face).lower() or "look" in said(face)
    assert sum(len(folded.all_steps(number)) for number in range(len(folded))) == len(table)
