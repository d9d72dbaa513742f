"""What shows several runs follows them: where they are saved, what they become, and what it does meanwhile."""

from __future__ import annotations

from tests.app.actions.conftest import opened, opened_two
from tests.app.comparison.conftest import overlay_of
from tests.app.conftest import Bench
from tests.conftest import run_of


def test_a_run_that_is_saved_meanwhile_is_followed_in_its_file(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("run.fork", accept=True)
    fork = bench.active
    bench.do("compare.open")
    comparison = bench.active
    bench.session.activate(fork)
    bench.do("file.save_as", path=bench.folder / "saved.tine")
    assert comparison.title == "Compare run and saved"
    bench.do("file.close")
    again = bench.open("saved.tine")
    bench.do("run.add_step", step=bench.record.graph.ids[-1], accept=True)
    bench.do("compare.open", a=bench.session.documents[0].number, b=again.number)
    assert bench.active is comparison, "it shows these two already"
    assert overlay_of(bench).family.records[1] is again.record


def test_a_run_that_is_saved_under_another_name_is_called_by_it(bench: Bench) -> None:
    opened_two(bench)
    left = bench.session.documents[0]
    bench.do("compare.open")
    comparison = bench.active
    bench.session.activate(left)
    bench.do("file.save_as", path=bench.folder / "first.tine")
    assert comparison.title == "Compare first and right"
    bench.session.activate(comparison)
    assert overlay_of(bench).runs[0].path == bench.folder / "first.tine"
    bench.do("file.close", document=left.number)
    bench.watch.post([bench.write("first.tine", run_of({"z": ""}, run_id="left"))])
    bench.session.settle()
    assert overlay_of(bench).runs[0].steps == 1
