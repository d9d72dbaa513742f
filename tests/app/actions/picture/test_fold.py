"""Groups that are folded and unfolded."""

from __future__ import annotations

from opentine_gui.core import RunRecord
from tests.app.actions.conftest import cases_of, covers
from tests.app.conftest import Bench
from tests.conftest import named, run_of


def long_run(bench: Bench, steps: int = 200) -> RunRecord:
    """Open a run in a straight line that is long enough to be folded."""
    record = run_of({str(number): str(number - 1) if number else "" for number in range(steps)})
    bench.open("long.tine", record)
    return bench.record


@covers("fold.open")
def opens_a_group_in_its_place(bench: Bench) -> None:
    long_run(bench)
    document = bench.active
    assert document.picture.fold is not None
    cards = len(document.picture.fold)
    group = next(card for card in range(cards) if document.picture.fold.is_group(card))
    held = set(document.picture.step_ids(group))
    bench.do("fold.open", step=document.picture.step_id(group))
    assert document.picture.fold is not None
    assert len(document.picture.fold) > cards
    opened = document.picture.fold.frames[0]
    assert {step for card in opened.cards for step in document.picture.step_ids(card)} == held
    assert document.selection.primary in held


@covers("fold.close")
def closes_what_was_opened(bench: Bench) -> None:
    long_run(bench)
    document = bench.active
    assert document.picture.fold is not None
    before = document.picture.fold.state
    group = next(card for card in range(len(document.picture.fold)) if document.picture.fold.is_group(card))
    bench.do("fold.open", step=document.picture.step_id(group))
    bench.do("fold.close")
    assert document.picture.fold is not None
    assert document.picture.fold.state == before


@covers("fold.branches")
def gives_absorbed_branches_cards(bench: Bench) -> None:
    shape = {str(number): str(number - 1) if number else "" for number in range(120)}
    record = run_of({**shape, "aside": "50", "119b": "119"})
    bench.open("long.tine", record)
    document = bench.active
    fold = document.picture.fold
    assert fold is not None
    holder = next(card for card in range(len(fold)) if fold.card(card).absorbed)
    bench.do("fold.branches", step=document.picture.step_id(holder))
    assert document.picture.fold is not None
    card = document.picture.index_of(named(bench.record, "aside"))
    assert card is not None
    assert document.picture.step_ids(card) == [named(bench.record, "aside")]


@covers("fold.local")
def shows_what_a_step_rests_on_and_what_rests_on_it(bench: Bench) -> None:
    shape = {str(number): str(number - 1) if number else "" for number in range(8)}
    record = run_of({**shape, "aside": "5"})
    bench.open("forked.tine", record)
    document = bench.active
    assert document.picture.layout is not None
    bench.do("fold.local", step=named(bench.record, "aside"))
    assert len(document.picture.layout.nodes) == 7
    assert document.picture.index_of(named(bench.record, "6")) is None
    bench.do("fold.local")
    assert len(document.picture.layout.nodes) == 9


@covers("fold.hide_branch")
def shows_all_but_what_rests_on_a_step(bench: Bench) -> None:
    shape = {str(number): str(number - 1) if number else "" for number in range(8)}
    bench.open("forked.tine", run_of({**shape, "aside": "5"}))
    document = bench.active
    bench.do("fold.hide_branch", step=named(bench.record, "aside"))
    assert document.picture.layout is not None and len(document.picture.layout.nodes) == 8
    assert document.picture.index_of(named(bench.record, "aside")) is None
    bench.do("fold.local")
    assert document.picture.layout is not None and len(document.picture.layout.nodes) == 9


@covers("fold.every_step")
def shows_every_step_and_remembers_it_for_the_run(bench: Bench) -> None:
    record = long_run(bench)
    assert bench.active.picture.fold is not None
    bench.do("fold.every_step")
    assert bench.active.picture.fold is None
    assert bench.active.picture.layout is not None
    assert len(bench.active.picture.layout.nodes) == len(record.graph)
    bench.do("file.close")
    bench.do("file.open", path=bench.folder / "long.tine")
    assert bench.active.picture.fold is None
    bench.do("fold.every_step")
    assert bench.active.picture.fold is not None


def test_a_fork_shows_every_step_where_its_source_does(bench: Bench) -> None:
    record = long_run(bench)
    kept = record.graph.ids[-10]
    bench.do("run.fork", step=kept, accept=True)
    assert bench.active.picture.fold is not None, "its source is folded"
    bench.do("edit.undo")
    bench.do("fold.every_step")
    bench.do("run.fork", step=kept, accept=True)
    assert bench.active.picture.fold is None
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    bench.do("file.close")
    bench.do("file.open", path=bench.folder / "fork.tine")
    assert bench.active.picture.fold is None, "as is remembered for a run"


test_the_action_does_what_it_says = cases_of(__name__)
