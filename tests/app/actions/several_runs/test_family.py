"""Several runs at once: shown, switched off, lit one by one."""

from __future__ import annotations

import shutil

from opentine_gui.app.document.overlay import LIT, Overlay
from opentine_gui.app.inspect.listed_runs import list_entries
from tests.app.actions.conftest import (
    LEFT,
    RECORDED,
    RIGHT,
    cases_of,
    compared,
    covers,
    opened,
    opened_two,
    overlay_of,
    selected,
)
from tests.app.conftest import Bench
from tests.conftest import run_of


@covers("family.sessions")
def _session_family(bench: Bench) -> None:
    opened(bench)
    assert bench.session.enabled("family.sessions") == "This is not a session of an agent."
    shutil.copytree(RECORDED.parents[1] / "2.1.197-e-fork" / "home", bench.folder / "home")
    paths = sorted((bench.folder / "home").rglob("projects/*/*.jsonl"))
    bench.do("file.open", path=paths[0])
    bench.session.settle()
    bench.do("family.sessions", document=bench.active.number)
    assert len(bench.active.overlay.runs) == len(paths)


def family_of_three(bench: Bench) -> Overlay:
    opened_two(bench)
    bench.open("third.tine", run_of({"a": "", "b": "a", "e": "b", "g": "e"}, run_id="third"))
    bench.do("family.open")
    return overlay_of(bench)


@covers("family.open")
def shows_all_open_runs_with_each_step_once(bench: Bench) -> None:
    assert bench.session.enabled("family.open") is not None
    overlay = family_of_three(bench)
    assert bench.active.title == "Family of 3 runs"
    assert [step.inputs["text"] for step in bench.record.graph] == ["a", "b", "c", "xd", "e", "f", "g"]
    assert overlay.counts.tolist() == [3, 3, 1, 1, 2, 1, 1]
    assert bench.active.picture.layout is not None
    assert bench.active.verification is not None


@covers("family.open_folder")
def shows_every_run_of_the_folder(bench: Bench) -> None:
    assert bench.session.enabled("family.open_folder") is not None
    for name, shape in (("left", LEFT), ("right", RIGHT)):
        bench.write(f"{name}.tine", run_of(shape, run_id=name))
    bench.do("file.open", path=bench.folder)
    bench.do("family.open_folder")
    assert {run.title for run in overlay_of(bench).runs} == {"left", "right"}
    assert len(bench.session.documents) == 1


def test_a_file_that_cannot_be_read_makes_no_family_with_another(bench: Bench) -> None:
    bench.write("one.tine", run_of({"a": ""}))
    (bench.folder / "broken.tine").write_bytes(b"{")
    bench.do("file.open_folder", path=bench.folder)
    assert len(bench.session.runs.rows) == 2
    for action in ("family.open", "family.open_folder"):
        assert bench.session.enabled(action) is not None


@covers("family.choose")
def chooses_runs_of_the_list(bench: Bench) -> None:
    opened_two(bench)
    bench.open("third.tine", run_of({"alone": ""}, run_id="third"))
    numbers = [document.number for document in bench.session.documents]
    for number in (*numbers, numbers[2]):
        bench.do("family.choose", run=number)
    assert bench.session.view.chosen_runs == tuple(numbers[:2])
    bench.do("family.open")
    assert [run.title for run in overlay_of(bench).runs] == ["left", "right"]
    assert bench.session.view.chosen_runs == ()


def test_a_chosen_run_stays_chosen_when_it_is_closed_or_opened(bench: Bench) -> None:
    for name in "abc":
        bench.write(f"{name}.tine", run_of({name: ""}, run_id=name))
    bench.do("file.open_folder", path=bench.folder)
    bench.do("family.choose", run=bench.open("a.tine").number)
    bench.do("file.close")
    bench.do("family.choose", run=bench.folder / "b.tine")
    bench.open("b.tine")
    bench.open("c.tine")
    chosen = bench.session.view.chosen_runs
    assert [entry.run.title for entry in list_entries(bench.session) if entry.run and entry.is_chosen(chosen)] == [
        "a",
        "b",
    ]
    bench.do("family.open", run=bench.session.documents[0].number)
    assert [run.title for run in overlay_of(bench).runs] == ["a", "b"]


def test_a_run_that_was_opened_since_is_dropped_by_another_press(bench: Bench) -> None:
    bench.write("a.tine", run_of({"a": ""}))
    bench.do("family.choose", run=bench.folder / "a.tine")
    bench.do("family.choose", run=bench.open("a.tine").number)
    assert bench.session.view.chosen_runs == ()


def test_a_fork_in_no_file_is_chosen_no_longer_once_it_is_closed(bench: Bench) -> None:
    opened_two(bench)
    left, right = bench.session.documents
    bench.do("run.fork", step=bench.record.graph.ids[0], accept=True)
    for run in (left.number, right.number, bench.active.number):
        bench.do("family.choose", run=run)
    bench.do("file.close", "Don't save")
    assert bench.session.view.chosen_runs == (left.number, right.number)


@covers("family.toggle_run")
def switches_a_run_off_and_on(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.toggle_run", run=0)
    assert {bench.active.step(place).inputs["text"] for place in overlay_of(bench).dimmed or ()} == {"c", "xd"}
    assert overlay_of(bench).counts.tolist() == [2, 2, 0, 0, 2, 1, 1]
    bench.do("family.toggle_run", run=0)
    assert overlay_of(bench).dimmed is None
    assert bench.session.enabled("family.toggle_run", run=3) is not None


@covers("family.solo_run")
def shows_one_run_alone_and_then_all_again(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.solo_run", run=1)
    assert overlay_of(bench).shown == (1,)
    bench.do("family.solo_run", run=1)
    assert overlay_of(bench).shown == (0, 1, 2)


@covers("family.light_run")
def lights_a_run_from_its_root_to_its_tip(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.light_run", run=2)
    lit = [
        bench.active.step(place).inputs["text"]
        for place, code in enumerate(overlay_of(bench).step_roles)
        if code == LIT
    ]
    assert lit == ["a", "b", "e", "g"]
    bench.do("family.light_run", run=2)
    assert overlay_of(bench).lit is None


@covers("family.select_steps")
def selects_a_group_of_steps(bench: Bench) -> None:
    family_of_three(bench)
    ids = bench.record.graph.ids
    bench.do("family.select_steps", steps=[ids[5], ids[6], "not there"])
    assert sorted(selected(bench)) == ["f", "g"]


@covers("family.next_run")
def lights_one_run_after_the_other(bench: Bench) -> None:
    overlay = family_of_three(bench)
    lit = []
    for _ in range(5):
        bench.do("family.next_run")
        lit.append(overlay_of(bench).lit)
    order = [run for run, _ in overlay.family.tree]
    assert lit == [*order, None, order[0]]


@covers("family.show_all")
def switches_everything_on_again(bench: Bench) -> None:
    family_of_three(bench)
    bench.do("family.light_run", run=0)
    bench.do("family.toggle_run", run=1)
    bench.do("family.show_all")
    assert (overlay_of(bench).lit, overlay_of(bench).hidden) == (None, frozenset())


@covers("family.add_run")
def shows_one_run_more_or_compares_with_another(bench: Bench) -> None:
    compared(bench)
    third = bench.write("third.tine", run_of({"a": "", "b": "a", "e": "b", "g": "e"}, run_id="third"))
    bench.do("family.add_run", other=third)
    assert bench.active.title == "Compare left and third"
    bench.do("family.open", runs=[bench.folder / "left.tine", bench.folder / "right.tine"])
    bench.do("family.add_run", other=third)
    assert bench.active.title == "Family of 3 runs"


test_the_action_does_what_it_says = cases_of(__name__)
