"""The search, in one run and in those of a folder."""

from __future__ import annotations

from opentine_gui.app.actions.finding.search import not_searched
from opentine_gui.app.search.step_hits import Here
from opentine_gui.core.files import storage
from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named, run_of
from tests.core.analysis.call_runs import Recording

FRUIT = {"Äpfel": "", "pears": "Äpfel", "more äpfel": "pears"}


@covers("search.open")
def opens_the_search_with_a_text(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="ÄPFEL")
    search = bench.session.search
    assert bench.session.view.search and search.on
    assert (search.scope, search.times, search.steps) == ("run", 2, 2)
    assert bytes(search.runs[0].lit) == b"\1\0\1"


@covers("search.below")
def searches_a_folder_in_the_listed_one_which_a_search_does_not_go_into(bench: Bench) -> None:
    for name in ("one", "two"):
        (bench.folder / name).mkdir()
        storage.write(bench.folder / name / f"{name}.tine", run_of({"a": "", f"pears of {name}": "a"}, run_id=name))
    opened(bench, None, FRUIT)
    bench.do("file.open_folder", path=bench.folder)
    assert bench.session.runs.below == (bench.folder / "one", bench.folder / "two")
    bench.do("search.folder")
    assert not_searched(bench.session) == "", "nothing is asked yet"
    bench.do("search.ask", text="pears of")
    assert bench.session.search.times == 0
    assert not_searched(bench.session) == "2 folders below not searched…"
    bench.do("search.below", "two")
    assert bench.session.runs.folder == bench.folder / "two"
    assert [run.name for run in bench.session.search.runs if run.times] == ["two.tine"]
    assert not_searched(bench.session) == ""
    assert bench.session.enabled("search.below") == "There is no folder in the one that is listed."


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


@covers("search.next_step")
def goes_to_the_next_step_whatever_else_is_found_in_this_one(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.next")
    shown(bench, named(record, "Äpfel"), 3)
    bench.do("search.next_step")
    assert selected(bench) == ["more äpfel"]
    bench.do("search.next_step")
    assert selected(bench) == ["Äpfel"]


@covers("search.previous_step")
def goes_to_the_step_found_before_whatever_else_is_found_in_this_one(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.previous")
    shown(bench, named(record, "more äpfel"), 3)
    assert bench.session.search.hits.number == 2
    bench.do("search.previous_step")
    assert selected(bench) == ["Äpfel"]


def shown(bench: Bench, step: str, count: int | None, tab: str = "Result") -> None:
    """Say what a view says that shows a step with so many hits."""
    bench.session.search.hits.report(Here(bench.active.number, step, (tab,)), count, bench.clock())


def test_the_hits_of_the_step_in_front_are_gone_through_before_the_next_step(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    first, last = named(record, "Äpfel"), named(record, "more äpfel")
    hits = bench.session.search.hits
    bench.do("search.open", text="äpfel")
    shown(bench, last, 0)
    bench.do("search.next")
    for number in range(3):
        shown(bench, first, 3)
        assert (selected(bench), hits.at(bench.active.number, first)) == (["Äpfel"], (number + 1, 3))
        bench.do("search.next")
    assert selected(bench) == ["more äpfel"]
    shown(bench, last, 1)
    bench.do("search.previous")
    shown(bench, first, 3)
    assert hits.at(bench.active.number, first) == (3, 3), "going back begins at the end"
    bench.do("search.previous")
    assert (selected(bench), hits.at(bench.active.number, first)) == (["Äpfel"], (2, 3))


def test_going_on_in_a_step_leaves_selection_camera_and_cards_alone(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.next")
    shown(bench, named(record, "Äpfel"), 9)
    picture = bench.active.picture
    before = (bench.active.selection_revision, picture.cards_revision, picture.camera, picture.camera_goal)
    for _ in range(8):
        bench.do("search.next")
    assert (bench.active.selection_revision, picture.cards_revision, picture.camera, picture.camera_goal) == before


def test_presses_while_the_hits_are_counted_are_done_once_they_are(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    first = named(record, "Äpfel")
    bench.do("search.open", text="äpfel")
    shown(bench, "", 0)
    for _ in range(3):
        bench.session.invoke("search.next")
    bench.step()
    assert selected(bench) == ["Äpfel"]
    shown(bench, first, None)
    bench.step()
    assert selected(bench) == ["Äpfel"], "it waits for the view, which is looking"
    shown(bench, first, 5)
    bench.step()
    assert bench.session.search.hits.at(bench.active.number, first) == (3, 5)


def test_of_a_step_that_was_not_found_the_same_words_are_no_hits(bench: Bench) -> None:
    run = Recording()
    run.call("Bash", {"command": "ls plum"}, "a plum, a plum")
    run.say("plum")
    bench.open("run.tine", run.record())
    answer = run.steps[1].id
    bench.do("select.step", step=answer)
    bench.do("search.open", text="tool:Bash plum")
    search = bench.session.search
    assert (search.steps, search.times) == (1, 3), "the name of its tool is none"
    shown(bench, answer, 1)
    bench.session.invoke("search.next")
    bench.step()
    assert bench.active.selection.primary == run.steps[0].id
    assert search.lit_text is not None
    assert [text for text in ("bash", "plum") if search.lit_text.stands_in(text)] == ["plum"]


def test_a_step_that_no_view_shows_is_not_waited_for_long(bench: Bench) -> None:
    opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    shown(bench, "", 0)
    bench.session.invoke("search.next")
    bench.session.invoke("search.next")
    bench.step()
    assert selected(bench) == ["Äpfel"]
    bench.clock.now += 1
    bench.step()
    assert selected(bench) == ["more äpfel"]


def test_without_panels_steps_are_gone_to_since_no_hit_can_be_seen(bench: Bench) -> None:
    record = opened(bench, None, FRUIT)
    bench.do("search.open", text="äpfel")
    bench.do("search.next")
    shown(bench, named(record, "Äpfel"), 3)
    bench.session.view.panels = False
    bench.do("search.next")
    assert selected(bench) == ["more äpfel"]


def test_the_other_tab_of_a_step_has_its_turn_before_the_next_step(bench: Bench) -> None:
    run = Recording()
    run.call("Bash", {"command": "ls plum"}, "a plum, a plum")
    run.say("plum")
    bench.open("run.tine", run.record())
    call, answer = run.steps[0].id, run.steps[1].id
    view, hits = bench.session.view, bench.session.search.hits
    bench.do("search.open", text="plum")
    shown(bench, "", 0)
    bench.session.invoke("search.next")
    bench.step()
    shown(bench, call, 2)
    bench.do("search.next")
    assert (view.tab_of(call), hits.at(bench.active.number, call)) == ("Result", (2, 2))
    bench.session.invoke("search.next")
    bench.step()
    assert (bench.active.selection.primary, view.tab_of(call)) == (call, "Call")
    shown(bench, call, 2, "Result")  # before the view has followed
    shown(bench, call, 1, "Call")
    assert hits.at(bench.active.number, call) == (1, 1)
    bench.session.invoke("search.next")
    bench.step()
    assert bench.active.selection.primary == answer
    shown(bench, answer, 1)
    bench.session.invoke("search.previous")
    bench.step()
    assert (bench.active.selection.primary, view.tab_of(call)) == (call, "Call"), "back to its last one"


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
