"""What was asked last: the flag on the card and the head of the run mean the same step."""

from __future__ import annotations

import pytest

from opentine_gui.app.document.picture.card_faces import ASKED_LAST, CardFaces
from opentine_gui.app.document.picture.fold import Room, first_state, fold
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.inspect.analysis.landmarks import landmarks
from opentine_gui.app.inspect.facts import asked_last
from opentine_gui.core import RunRecord
from opentine_gui.core.edit.fork import fork_and_edit
from opentine_gui.core.edit.merge import merge
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.structure import Structure
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Viewport
from tests.core.analysis.call_runs import Recording

ROOM = Room(Direction.TOP_TO_BOTTOM, Viewport(700, 500))


def branched() -> RunRecord:
    """A run that was asked twice on its first branch, and once more, later, on another one."""
    run = Recording()
    run.ask("Build it")
    first = run.say("It stands")
    run.ask("Mend the door")
    run.say("Mended")
    run.ask("Paint it instead", after=[first])
    run.say("Painted")
    return run.record()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("folded", [False, True])
def test_in_a_merge_the_flag_is_where_the_head_says_that_somebody_asked_last(folded: bool, turned: bool) -> None:
    source = branched()
    ids = source.graph.ids
    parents = [ids[5], ids[3]] if turned else [ids[3], ids[5]]
    record = merge([source], parents, inputs={"prompt": "both"}, now=9e9, nonce="n", new_run=True)
    record = record.edited(refs={"main": record.main_tip or ""}, metadata={"title": "A house"})
    graph = record.graph
    assert len(graph.parents[-1]) == 2
    fold_of: FoldedRun | None = None
    if folded:
        structure = Structure(graph, main=len(graph) - 1)
        fold_of = fold(structure, first_state(structure, ROOM), ROOM)
        fold_of.make_faces(None, Pace())
    faces = CardFaces(record, None, fold=fold_of)
    cards = range(len(fold_of) if fold_of is not None else len(graph))
    flagged = [
        step
        for card in cards
        if ASKED_LAST in faces.face(card).flags
        for step in (fold_of.steps(card) if fold_of is not None else [card])
    ]
    asked = asked_last(record)
    assert asked is not None
    assert asked.text == record.asked_last == "Paint it instead"
    assert asked.step in [graph.ids[step] for step in flagged]
    assert asked.step == landmarks(record)[0].step


@pytest.mark.parametrize("turned", [False, True])
def test_of_runs_that_are_merged_the_later_prompt_was_asked_last_whichever_comes_first(turned: bool) -> None:
    run = Recording()
    run.ask("Build it", timestamp=10.0)
    run.say("It stands", timestamp=20.0)
    run.ask("Paint it", timestamp=30.0)
    run.say("Painted", timestamp=40.0)
    source = run.record()
    edited = fork_and_edit(source, source.graph.ids[2], inputs={"text": "Paint it red"}, now=500.0, nonce="n")
    runs, tips = [source, edited], [source.graph.ids[3], edited.graph.ids[-1]]
    if turned:
        runs, tips = runs[::-1], tips[::-1]
    record = merge(runs, list(enumerate(tips)), inputs={"prompt": "both"}, now=9e9, nonce="n")
    assert record.asked_last == "Paint it red"
    assert next(record.graph.turns(len(record.graph) - 1)) == record.graph.index(edited.graph.ids[-1])
