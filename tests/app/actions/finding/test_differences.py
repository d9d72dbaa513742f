"""Two steps are compared."""

from __future__ import annotations

from opentine_gui.app.actions.finding.differences import FIRST_REQUEST, NO_REQUEST, SAME_REQUEST
from tests.app.actions.conftest import cases_of, covers, opened, opened_two, overlay_of
from tests.app.conftest import Bench
from tests.conftest import named
from tests.core.analysis.call_runs import Recording


@covers("inspect.diff_parent")
def compares_a_step_with_its_parent(bench: Bench) -> None:
    record = opened(bench, "c")
    bench.do("inspect.diff_parent")
    assert bench.session.view.reading
    assert bench.session.view.diff_with == named(record, "b")
    assert bench.session.enabled("inspect.diff_parent", step=named(record, "a")) is not None


@covers("inspect.diff_twin")
def compares_a_step_with_the_one_beside_it(bench: Bench) -> None:
    record = opened(bench, "f")
    bench.do("inspect.diff_twin")
    assert bench.session.view.diff_with == named(record, "xd")
    assert bench.session.enabled("inspect.diff_twin", step=named(record, "a")) is not None


def test_where_two_runs_are_compared_the_twin_is_the_step_of_the_other_run(bench: Bench) -> None:
    opened_two(bench)
    bench.do("compare.open")
    comparison = overlay_of(bench).comparison
    assert comparison is not None
    pair = next(pair for pair in comparison.pairs.values() if pair.a != pair.b)
    for step, other in ((pair.a, pair.b), (pair.b, pair.a)):
        bench.do("inspect.diff_twin", step=step)
        assert bench.session.view.diff_with == other
        assert bench.active.selection.primary == step


@covers("inspect.diff_selected")
def compares_two_selected_steps(bench: Bench) -> None:
    record = opened(bench, "c")
    assert bench.session.enabled("inspect.diff_selected") == "Select two steps first."
    bench.do("select.add", step=named(record, "f"))
    bench.do("inspect.diff_selected")
    assert bench.session.view.diff_with == named(record, "c")
    assert bench.active.selection.primary == named(record, "f")


@covers("inspect.diff_requests")
def compares_what_was_sent_for_two_answers(bench: Bench) -> None:
    run = Recording()
    asked = run.ask("Look")
    first = run.say("I look")
    call = run.call("Read", {"file_path": "/w/a.py"}, "one")
    second = run.say("And again")
    third = run.say("Enough")
    record = run.record()
    bench.open("requests.tine", record)
    ids, view = record.graph.ids, bench.session.view
    assert bench.session.enabled("inspect.diff_requests", step=ids[asked]) == NO_REQUEST
    assert bench.session.enabled("inspect.diff_requests", step=ids[call]) == FIRST_REQUEST
    bench.do("inspect.diff_requests", step=ids[second])
    assert (view.reading, view.diff_requests, view.diff_with) == (True, True, ids[first])
    bench.do("inspect.diff_requests")  # once more: back to the steps
    assert not view.diff_requests and view.diff_with == ids[first]
    bench.do("select.step", step=ids[call])
    bench.do("select.add", step=ids[third])
    bench.do("inspect.diff_requests")
    assert (view.diff_with, bench.active.selection.primary) == (ids[first], ids[third])
    bench.do("select.step", step=ids[first])
    bench.do("select.add", step=ids[call])
    assert bench.session.enabled("inspect.diff_requests", step=ids[call]) == SAME_REQUEST
    bench.do("inspect.diff_selected")
    assert not view.diff_requests


@covers("inspect.unified")
def shows_differences_in_one_column(bench: Bench) -> None:
    bench.do("inspect.unified")
    assert bench.session.view.diff_unified


test_the_action_does_what_it_says = cases_of(__name__)
