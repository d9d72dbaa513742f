"""The face of a group is kept when the run changes elsewhere, and only then."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from opentine_gui.app.document.picture import folded_run
from opentine_gui.app.document.picture.fold import Room, first_state, fold, grown_state
from opentine_gui.app.document.picture.fold_state import FoldState
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.core import RunRecord
from opentine_gui.core.edit.merge import merge
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_face import group_face
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Viewport
from tests.core.sample_runs import make_record
from tests.core.structure.shapes import graph_of, tables

ROOM = Room(Direction.TOP_TO_BOTTOM, Viewport(700, 500))


def shown(structure: Structure, state: FoldState) -> FoldedRun:
    folded = fold(structure, state, ROOM)
    folded.make_faces(None, Pace())
    return folded


def followed(before: FoldedRun, structure: Structure, state: FoldState) -> FoldedRun:
    folded = fold(structure, state, ROOM, grows=True)
    folded.follow_faces(before, Pace())
    return folded


def merged(record: RunRecord, one: int, other: int) -> RunRecord:
    ids = record.graph.ids
    return merge([record], [ids[one], ids[other]], inputs={"text": "join"}, now=9e9, nonce="n", allow_ancestor=True)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(tables(largest=60), st.data())
def test_faces_that_are_kept_are_those_that_would_be_made(table: list[tuple[int, ...]], data: st.DataObject) -> None:
    """A run gets a merge, or is what it was some steps ago, with other steps after them."""
    steps = st.integers(0, len(table) - 1)
    kinds = data.draw(st.text("hsmcERTC", min_size=len(table), max_size=len(table)))
    failed = data.draw(st.lists(steps, max_size=6))
    record = make_record(list(graph_of(table, kinds, failed)))
    if data.draw(st.booleans()) and len(table) > 1:
        one, other = data.draw(st.lists(steps, min_size=2, max_size=2, unique=True))
        changed = merged(record, one, other)
    else:
        kept = data.draw(st.integers(len(table) // 2, len(table)))
        rest = [
            tuple(dict.fromkeys(data.draw(st.lists(steps, max_size=2)))) for _ in range(data.draw(st.integers(1, 9)))
        ]
        longer = [*table[:kept], *(tuple(above for above in row if above < kept) for row in rest)]
        changed = make_record(
            list(graph_of(longer, kinds[:kept] + "R" * len(rest), [one for one in failed if one < kept]))
        )
    main = st.one_of(st.none(), st.integers(0, min(len(table), len(changed.graph)) - 1))
    tip = data.draw(main)
    structure = Structure(record.graph, tip)
    borders = frozenset(record.graph.ids[step] for step in data.draw(st.sets(steps, max_size=8)))
    before = shown(structure, FoldState(borders))
    grown = Structure(changed.graph, tip if data.draw(st.booleans()) else data.draw(main), known=structure)
    after = followed(before, grown, FoldState(borders).kept(changed.graph.positions))
    for card, face in after.faces.items():
        number = after.cards.cards.index(card)
        assert face == group_face(grown, card, after.steps(number))


def test_a_merge_beside_the_main_line_makes_few_faces_anew() -> None:
    """Its main line has branches everywhere, which groups absorb; all places after the merge are other ones."""
    table: list[tuple[int, ...]] = [()]
    line = 0
    while len(table) < 600:
        beside = len(table) % 3 == 0
        table.append((line,))
        line = line if beside else len(table) - 1
    record = make_record(list(graph_of(table)))
    structure = Structure(record.graph, line)
    before = shown(structure, first_state(structure, ROOM))
    changed = merged(record, 300, 303)
    with patch.object(folded_run, "group_face", wraps=folded_run.group_face) as made:
        grown = Structure(changed.graph, line, known=structure)
        after = followed(before, grown, grown_state(grown, before.state))
    groups = sum(after.is_group(number) for number in range(len(after)))
    assert any(card.absorbed for card in after.cards.cards)
    assert groups > 10
    assert made.call_count <= 2
