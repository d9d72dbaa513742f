"""Ways through a run: back, forward, failures, forks, root and tip."""

from __future__ import annotations

from opentine_gui.scene.space.camera import Camera
from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named, run_of


@covers("go.back")
def goes_back_to_where_the_user_was(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("select.child")
    bench.do("go.back")
    assert selected(bench) == ["a"]
    assert bench.session.enabled("go.back") is not None


@covers("go.forward")
def goes_forward_again(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("select.child")
    bench.do("go.back")
    bench.do("go.forward")
    assert selected(bench) == ["b"]
    assert bench.session.enabled("go.forward") is not None


@covers("go.next_failure")
def goes_to_the_failing_step(bench: Bench) -> None:
    opened(bench, "f")
    bench.do("go.next_failure")
    assert selected(bench) == ["xd"]
    bench.open("fine.tine", run_of({"a": ""}, run_id="fine"))
    assert bench.session.enabled("go.next_failure") == "No step of this run failed."


@covers("go.previous_failure")
def goes_back_to_the_failing_step(bench: Bench) -> None:
    opened(bench, "f", {"a": "", "xb": "a", "c": "xb", "xd": "c", "f": "xd"})
    for expected in ("xd", "xb", "xd"):
        bench.do("go.previous_failure")
        assert selected(bench) == [expected]


@covers("go.step")
def goes_to_the_step_a_link_leads_to(bench: Bench) -> None:
    record = opened(bench, "a")
    bench.active.picture.set_camera(Camera(0.0, 0.0, 0.05))
    bench.do("go.step", step=named(record, "f"))
    assert selected(bench) == ["f"]
    assert bench.active.picture.camera is not None and bench.active.picture.camera.zoom >= 0.5


@covers("go.next_fork")
def goes_to_where_the_run_parts(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("go.next_fork")
    assert selected(bench) == ["b"]


@covers("go.previous_fork")
def goes_back_to_where_the_run_parts(bench: Bench) -> None:
    opened(bench, "f")
    bench.do("go.previous_fork")
    assert selected(bench) == ["b"]


@covers("go.root")
def goes_to_the_beginning_of_the_branch(bench: Bench) -> None:
    opened(bench, "f")
    bench.do("go.root")
    assert selected(bench) == ["a"]


@covers("go.tip")
def goes_to_the_end_of_the_branch_or_of_the_main_line(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("go.tip")
    assert selected(bench) == ["xd"]
    bench.do("select.none")
    bench.do("go.tip")
    assert selected(bench) == ["f"]


test_the_action_does_what_it_says = cases_of(__name__)
