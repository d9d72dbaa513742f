"""The inspector: tabs, scrolling, the reading view, the next step."""

from __future__ import annotations

from opentine_gui.app.document.origin import Origin
from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named


@covers("inspect.source")
def _source(bench: Bench) -> None:
    record = opened(bench)
    assert "a .tine file" in str(bench.session.enabled("inspect.source"))
    bench.active.origin = Origin("tiny", "Tiny", bench.folder / "a.jsonl", (), {}, None)
    bench.do("inspect.source", step=named(record, "c"))
    assert bench.session.view.reading
    assert bench.session.view.inspector_tab == "Record"
    assert bench.active.selection.primary == named(record, "c")


def _chooses(name: str) -> None:
    @covers(f"inspect.{name.casefold()}")
    def case(bench: Bench) -> None:
        opened(bench, "a")
        bench.do(f"inspect.{name.casefold()}")
        assert bench.session.view.inspector_tab == name
        bench.do("select.none")
        assert bench.session.enabled(f"inspect.{name.casefold()}") is not None


for _tab in ("Result", "Call", "Conversation", "Record"):
    _chooses(_tab)


@covers("inspect.raw")
def shows_what_was_recorded(bench: Bench) -> None:
    bench.do("inspect.raw")
    assert bench.session.view.raw
    bench.do("inspect.raw")
    assert not bench.session.view.raw


@covers("inspect.wrap")
def lets_lines_run_on(bench: Bench) -> None:
    bench.do("inspect.wrap")
    assert not bench.session.view.wrap


def _scrolls(name: str, down: bool) -> None:
    @covers(f"inspect.{name}")
    def case(bench: Bench) -> None:
        opened(bench)
        bench.do(f"inspect.{name}")
        assert bench.session.view.inspector_scroll != 0
        assert (bench.session.view.inspector_scroll > 0) is down


for _name in ("page_down", "page_up", "line_down", "line_up", "to_end", "to_top"):
    _scrolls(_name, _name.endswith(("down", "end")))


@covers("inspect.read")
def opens_and_closes_the_reading_view(bench: Bench) -> None:
    record = opened(bench)
    assert bench.press("Enter")
    bench.session.settle()
    assert bench.session.view.reading
    bench.do("view.dismiss")
    assert not bench.session.view.reading
    assert selected(bench) == ["a"]
    bench.do("inspect.read", step=named(record, "c"), reading=True)
    assert selected(bench) == ["c"]
    bench.do("inspect.diff_parent")
    bench.do("inspect.read")
    assert bench.session.view.reading
    assert bench.session.view.diff_with is None


@covers("inspect.next_step")
def goes_to_the_step_recorded_next(bench: Bench) -> None:
    record = opened(bench, None)
    for step in record.graph.ids[:3]:
        bench.do("inspect.next_step")
        assert bench.active.selection.ids == (step,)
    bench.do("select.step", step=record.graph.ids[-1])
    assert bench.session.enabled("inspect.next_step") == "This is the last step."


@covers("inspect.previous_step")
def goes_to_the_step_recorded_before(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("inspect.previous_step")
    assert bench.active.selection.ids == (record.graph.ids[-1],)
    bench.do("select.step", step=record.graph.ids[0])
    assert bench.session.enabled("inspect.previous_step") == "This is the first step."


test_the_action_does_what_it_says = cases_of(__name__)
