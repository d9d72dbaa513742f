"""A run is told step by step."""

from __future__ import annotations

from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named


def _position(bench: Bench) -> int:
    assert bench.session.presentation is not None
    return bench.session.presentation.position


@covers("present.start")
def _starts_presenting(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("present.start")
    assert _position(bench) == 0
    assert not bench.session.view.panels


@covers("present.from_here")
def _starts_at_the_selected_step_or_at_another(bench: Bench) -> None:
    record = opened(bench, select="b")
    bench.do("present.start")
    assert (selected(bench), _position(bench)) == (["a"], 0), "asked for the run, it begins at its beginning"
    bench.do("present.stop")
    bench.do("select.step", step=named(record, "b"))
    bench.do("present.from_here")
    assert (selected(bench), _position(bench)) == (["b"], 1)
    bench.do("present.stop")
    bench.do("present.from_here", step=named(record, "a"))
    assert (selected(bench), _position(bench)) == (["a"], 0)


@covers("present.next")
def _tells_the_next_step(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("present.start")
    bench.do("present.next")
    assert _position(bench) == 1
    assert selected(bench) == ["b"]


@covers("present.previous")
def _tells_the_previous_step(bench: Bench) -> None:
    opened(bench, select="b")
    bench.do("present.from_here")
    bench.do("present.previous")
    assert selected(bench) == ["a"]


@covers("present.first")
def _begins_the_story_again(bench: Bench) -> None:
    opened(bench, select="e")
    bench.do("present.from_here")
    bench.do("present.first")
    assert selected(bench) == ["a"]


@covers("present.last")
def _tells_the_last_step(bench: Bench) -> None:
    opened(bench, select=None)
    bench.do("present.start")
    bench.do("present.last")
    assert selected(bench) == ["f"]


@covers("present.secrets")
def _shows_secrets_and_hides_them_again(bench: Bench) -> None:
    document = opened(bench) and bench.active
    bench.do("present.start")
    assert bench.session.presentation is not None and bench.session.presentation.hides and document.faces.hides_secrets
    bench.do("present.secrets")
    assert not bench.session.presentation.hides and not document.faces.hides_secrets
    bench.do("present.secrets")
    assert bench.session.presentation.hides and document.faces.hides_secrets
    bench.do("present.stop")
    assert not document.faces.hides_secrets, "in the window everything is as it is recorded"


@covers("present.stop")
def _stops_presenting(bench: Bench) -> None:
    opened(bench)
    bench.do("present.start")
    bench.do("present.stop")
    assert bench.session.presentation is None
    assert bench.session.view.panels


test_the_action_does_what_it_says = cases_of(__name__)
