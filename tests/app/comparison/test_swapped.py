"""A and B are swapped while something else is under way."""

from __future__ import annotations

import pytest

from tests.app.comparison.conftest import overlay_of
from tests.app.conftest import Bench


def _finish(bench: Bench, *order: str) -> None:
    """Finish the held jobs whose keys begin so, in this order, and then whatever else there is."""
    held, bench.jobs.held, bench.jobs.hold = bench.jobs.held, [], False
    for job in held:
        job.execute()
    for job in sorted(held, key=lambda job: order.index(kind) if (kind := job.key.split(":")[0]) in order else 9):
        bench.jobs._finish(job)
    bench.session.settle()


def _assert_true_of_its_runs(bench: Bench, title: str) -> None:
    """What is called A is what the comparison has as A, in the tab and at the runs."""
    overlay = overlay_of(bench)
    assert overlay.comparison is not None
    first, second = (overlay.family.records[run] for run in overlay.pair)
    assert (overlay.comparison.a, overlay.comparison.b) == (first, second)
    assert [overlay.runs[run].letter for run in overlay.pair] == ["A", "B"]
    assert bench.active.title == title


@pytest.mark.parametrize("order", [("open", "swap"), ("swap", "open")], ids="-then-".join)
@pytest.mark.parametrize("swapped_first", [True, False], ids=["swapped before the edit", "swapped after it"])
def test_a_swap_while_the_union_is_made_again_is_not_lost_and_names_no_run_wrongly(
    compared: Bench, order: tuple[str, str], swapped_first: bool
) -> None:
    comparison, bench = compared.active, compared
    left = bench.session.documents[0]
    before = overlay_of(bench).family
    bench.jobs.hold = True
    steps = ["swap", "edit"] if swapped_first else ["edit", "swap"]
    for step in steps:
        bench.session.activate(comparison if step == "swap" else left)
        if step == "swap":
            bench.session.invoke("compare.swap")
        else:
            bench.session.invoke("run.edit_details", title="t", accept=True)
        bench.step()
    bench.session.activate(comparison)
    _finish(bench, *order)
    assert overlay_of(bench).family is not before, "the union was made again"
    _assert_true_of_its_runs(bench, "Compare right and left")
    bench.do("compare.swap")
    _assert_true_of_its_runs(bench, "Compare left and right")


def test_two_swaps_in_a_row_are_none(compared: Bench) -> None:
    bench = compared
    bench.jobs.hold = True
    for _ in range(2):
        bench.session.invoke("compare.swap")
        bench.step()
    _finish(bench)
    _assert_true_of_its_runs(bench, "Compare left and right")


def test_a_swap_that_is_stopped_is_not_begun_again(compared: Bench) -> None:
    bench = compared
    bench.jobs.hold = True
    bench.session.invoke("compare.swap")
    bench.step()
    bench.jobs.stop(bench.active.key("swap"))
    _finish(bench)
    _assert_true_of_its_runs(bench, "Compare left and right")
    bench.do("compare.swap")
    _assert_true_of_its_runs(bench, "Compare right and left")
