"""An area of the time strip is marked, and the strip is zoomed."""

from __future__ import annotations

from opentine_gui.app.actions.finding.time_area import NO_AREA
from opentine_gui.app.inspect.analysis.lit_steps import lit_steps
from tests.app.actions.conftest import cases_of, covers, with_times
from tests.app.conftest import Bench


@covers("time.area")
def marks_an_area_of_time_and_lights_its_steps(bench: Bench) -> None:
    record = with_times(bench)
    times = record.graph.timestamps
    bench.do("time.area", begin=times[3], end=times[1])
    strip = bench.active.strip
    assert strip.area == (times[1], times[3])
    lit = lit_steps(bench.session, bench.active, record.graph)
    assert lit is not None and [place for place, on in enumerate(lit.steps) if on] == [1, 2, 3]
    bench.do("view.dismiss")
    assert strip.area is None
    assert lit_steps(bench.session, bench.active, record.graph) is None


@covers("time.select")
def selects_the_steps_of_the_area(bench: Bench) -> None:
    record = with_times(bench)
    assert bench.session.enabled("time.select") == NO_AREA
    bench.do("time.area", begin=record.graph.timestamps[2], end=record.graph.timestamps[4])
    bench.do("time.select")
    assert list(bench.active.selection) == list(record.graph.ids[2:5])


@covers("time.clear")
def clears_the_area(bench: Bench) -> None:
    record = with_times(bench)
    bench.do("time.area", begin=record.graph.timestamps[2], end=record.graph.timestamps[4])
    bench.do("time.clear")
    assert bench.active.strip.area is None


@covers("time.zoom")
def zooms_the_strip_about_a_place(bench: Bench) -> None:
    with_times(bench)
    bench.do("time.zoom", factor=2.0, about=0.25)
    assert bench.active.strip.view == (0.125, 0.625)
    bench.do("time.zoom", shift=0.5)
    assert bench.active.strip.view == (0.375, 0.875)
    bench.do("time.zoom", shift=9.0)
    assert bench.active.strip.view == (0.5, 1.0)


@covers("time.whole")
def shows_the_whole_time_again(bench: Bench) -> None:
    with_times(bench)
    assert bench.session.enabled("time.whole") == "The whole time is in view."
    bench.do("time.zoom", factor=4.0)
    bench.do("time.whole")
    assert bench.active.strip.view == (0.0, 1.0)


test_the_action_does_what_it_says = cases_of(__name__)
