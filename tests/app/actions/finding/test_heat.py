"""Colours by a figure, and the steps of one name."""

from __future__ import annotations

from opentine_gui.app.inspect.analysis.file_rows import touched_of
from opentine_gui.app.inspect.analysis.heat_rows import heat_of, missing_words
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from tests.app.actions.conftest import cases_of, covers, opened_two, with_times
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import failing_session


@covers("view.heat")
def colours_steps_by_a_figure_and_by_kind_again(bench: Bench) -> None:
    with_times(bench)
    bench.do("view.heat")
    assert bench.session.view.heat == "age", "its steps have times, and no cost, duration or tokens"
    bench.do("view.heat", figure="tool")
    heat_of(bench.session, bench.active)
    bench.session.settle()
    heat_of(bench.session, bench.active)
    bench.session.settle()
    found = heat_of(bench.session, bench.active)
    assert found is not None and found.names == ("Edit", "Bash", "Read", "Write")
    bench.do("view.heat")
    assert bench.session.view.heat == ""
    assert heat_of(bench.session, bench.active) is None
    bench.do("view.heat", figure="tool")
    bench.do("select.all")
    bench.do("view.dismiss")
    assert bench.session.view.heat == "tool" and not bench.active.selection
    bench.do("view.dismiss")
    assert bench.session.view.heat == ""


def test_a_figure_that_no_step_has_is_reported_and_several_runs_have_colours_too(bench: Bench) -> None:
    bench.open("failing.tine", failing_session())
    bench.do("view.heat", figure="cost")
    for _ in range(3):
        heat_of(bench.session, bench.active)
        bench.session.settle()
    found = heat_of(bench.session, bench.active)
    assert found is not None and missing_words(found) == "No step has a recorded cost."
    bench.do("file.close")
    opened_two(bench)
    bench.do("compare.open")
    assert bench.active.members is not None
    for _ in range(3):
        heat_of(bench.session, bench.active)
        bench.session.settle()
    found = heat_of(bench.session, bench.active)
    assert found is not None and len(found.levels) == len(bench.record.graph)


def test_the_key_passes_over_figures_that_no_step_has_and_says_so(bench: Bench) -> None:
    bench.open("failing.tine", failing_session())
    seen = []
    for _ in range(6):
        bench.do("view.heat")
        seen.append(bench.session.view.heat)
    assert "cost" not in seen and seen.count("") == 1
    while bench.session.view.heat:
        bench.do("view.heat")
    assert "colour-by" not in [notice.key for notice in bench.session.notices.list()]
    bench.do("view.heat")
    (said,) = [notice.text for notice in bench.session.notices.list() if notice.key == "colour-by"]
    assert said.startswith(f"Coloured by {bench.session.view.heat}. No step has a recorded cost.")


@covers("heat.name")
def lights_up_the_calls_of_one_tool(bench: Bench) -> None:
    record = with_times(bench)
    bench.do("view.heat", figure="tool")
    bench.do("files.pick", path=touched_of(bench.session, bench.active).files[0].path)  # type: ignore[union-attr]
    bench.do("heat.name", name="Edit")  # what was asked last is lit
    for _ in range(3):
        lit_steps(bench.session, bench.active, record.graph)
        bench.session.settle()
    lit = lit_steps(bench.session, bench.active, record.graph)
    assert lit is not None and [place for place, on in enumerate(lit.steps) if on] == [3, 7]
    bench.do("heat.name", name="Edit")
    assert lit_steps(bench.session, bench.active, record.graph) is None


test_the_action_does_what_it_says = cases_of(__name__)
