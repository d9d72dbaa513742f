"""The search, in one run and in those of a folder."""

from __future__ import annotations

from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named, run_of

FRUIT = {"Äpfel": "", "pears": "Äpfel", "more äpfel": "pears"}


@covers("search.open")
def opens_the_search_with_a_text(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    search = bench.session.search
    assert bench.session.view.search and search.on
    assert (search.scope, search.times, search.steps) == ("run", 2, 2)
    assert bytes(search.runs[0].lit) == b"\1\0\1"


@covers("search.folder")
def searches_the_runs_of_the_folder(bench: Bench) -> None:
    bench.write("other.tine", run_of({"a": "", "pears too": "a"}, run_id="other"))
    opened(bench, None, FRUIT)
    bench.session.runs.show_folder(bench.session, bench.folder)
    bench.session.settle()
    bench.do("search.folder")
    bench.do("search.ask", text="pears")
    search = bench.session.search
    assert {run.name: run.steps for run in search.runs} == {"run.tine": 1, "other.tine": 1}
    place = next(number for number, run in enumerate(search.runs) if run.name == "other.tine")
    bench.do("search.show", run=place, place=0)
    assert bench.active.title == "other.tine"
    assert selected(bench) == ["pears too"]


def test_without_a_folder_all_open_runs_are_searched(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.session.runs.folder = None
    bench.do("search.folder")
    assert bench.session.search.scope == "open"


@covers("search.ask")
def asks_something_else_and_says_what_is_wrong(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open")
    bench.do("search.ask", text="cost:much")
    assert "amount of money" in bench.session.search.problem
    bench.do("search.ask", text="kind:think", scope="open")
    assert (bench.session.search.scope, bench.session.search.problem) == ("open", "")


@covers("search.next")
def goes_from_match_to_match_and_round(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    for found in ("Äpfel", "more äpfel", "Äpfel"):
        bench.do("search.next")
        assert selected(bench) == [found]
    bench.do("search.ask", text=named(record, "pears")[:8])
    bench.do("search.next")
    assert selected(bench) == ["pears"]


@covers("search.previous")
def goes_back_from_match_to_match(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    for found in ("more äpfel", "Äpfel"):
        bench.do("search.previous")
        assert selected(bench) == [found]


@covers("search.show")
def shows_a_result_by_its_number(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.show", run=0, place=1)
    assert selected(bench) == ["more äpfel"]
    bench.do("search.show", run=3, place=7)
    assert selected(bench) == ["more äpfel"]


@covers("search.stop")
def a_search_can_be_stopped(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.jobs.hold = True
    bench.session.invoke("search.open", text="äpfel")
    bench.step()
    assert bench.session.search.running
    bench.session.invoke("search.stop")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert (bench.session.search.running, bench.session.search.times) == (False, 0)


@covers("search.regex")
def the_text_is_filters_and_a_regular_expression_until_it_is_switched_off(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="^more .p")
    assert bench.session.search.steps == 0
    bench.do("search.regex")
    assert bench.session.search.steps == 1
    bench.do("search.ask", text="more (")
    assert "regular expression cannot be read" in bench.session.search.problem
    bench.do("search.ask", text="title:more ^more .p")
    assert (bench.session.search.problem, bench.session.search.steps) == ("", 1)
    bench.do("search.ask", text="-title:more ^more .p")
    assert (bench.session.search.problem, bench.session.search.steps) == ("", 0)
    bench.do("search.regex")
    assert bench.session.search.problem == ""


@covers("search.close")
def closing_the_search_lights_nothing_and_f3_still_goes_on(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.close")
    assert bench.session.search.hits_of(bench.active) is None
    assert not bench.session.view.search
    bench.do("search.next")
    assert selected(bench) == ["Äpfel"]


test_the_action_does_what_it_says = cases_of(__name__)
