"""Positions of cards are kept beside the runs, whatever comes between."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.core import StorageError
from tests.app.conftest import Bench
from tests.app.files.saved_runs import TREE
from tests.conftest import named, run_of


def test_moved_cards_alone_need_no_saving(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("canvas.move_steps", pins={named(record, "a"): (500.0, 500.0)})
    bench.do("file.close")
    assert bench.prompter.asked == []


def test_work_goes_on_in_the_next_session(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("canvas.move_steps", pins={named(record, "b"): (777.0, 333.0)})
    first.session.close()
    again = second_bench()
    document = again.open("run.tine")
    assert document.picture.layout is not None
    assert document.picture.layout.position(named(record, "b")) == (777.0, 333.0)
    again.do("edit.reset_layout")
    again.session.close()
    third = second_bench().open("run.tine")
    assert third.picture.layout is not None
    assert third.picture.layout.position(named(record, "b")) != (777.0, 333.0)


def test_positions_that_could_not_be_written_yet_are_written_on_closing(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.jobs.hold = True
    for name, x in (("a", 1.0), ("b", 2.0), ("a", 3.0)):
        first.session.invoke("canvas.move_steps", pins={named(record, name): (x, x)})
        first.session.step()
    first.session.close()
    store = second_bench().session.side_stores.positions
    assert store.positions("top-to-bottom", record.graph.ids) == {
        named(record, "a"): (3.0, 3.0),
        named(record, "b"): (2.0, 2.0),
    }


def test_a_side_store_that_cannot_be_written_is_reported_and_the_move_stands(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)

    def full(*_args: object) -> None:
        raise StorageError("the file cannot be written", cause="No space left")

    monkeypatch.setattr(bench.session.side_stores.positions, "remember", full)
    bench.do("canvas.move_steps", pins={named(record, "a"): (5.0, 5.0)})
    assert "No space left" in bench.notices("warning")[0]
    assert bench.active.picture.layout is not None
    assert bench.active.picture.layout.position(named(record, "a")) == (5.0, 5.0)


def moved(bench: Bench, *places: tuple[str, float]) -> None:
    for name, x in places:
        bench.session.invoke("canvas.move_steps", pins={named(bench.record, name): (x, x)})
        bench.step()


def test_a_cancelled_write_of_positions_is_made_up_by_the_next(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.jobs.hold = True
    moved(bench, ("a", 1.0), ("b", 1.0))
    bench.session.invoke("job.cancel", key="positions")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    moved(bench, ("a", 2.0))
    bench.session.settle()
    stored = bench.session.side_stores.positions.positions("top-to-bottom", record.graph.ids)
    assert stored == {named(record, "a"): (2.0, 2.0), named(record, "b"): (1.0, 1.0)}


def test_positions_whose_write_failed_are_written_with_the_next(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)

    def full(*_args: object) -> None:
        raise StorageError("the file cannot be written", cause="No space left")

    monkeypatch.setattr(bench.session.side_stores.positions, "remember", full)
    bench.do("canvas.move_steps", pins={named(record, "a"): (5.0, 5.0)})
    monkeypatch.undo()
    bench.do("canvas.move_steps", pins={named(record, "b"): (6.0, 6.0)})
    stored = bench.session.side_stores.positions.positions("top-to-bottom", record.graph.ids)
    assert stored == {named(record, "a"): (5.0, 5.0), named(record, "b"): (6.0, 6.0)}
