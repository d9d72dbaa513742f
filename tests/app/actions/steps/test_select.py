"""Steps are selected, and the selection walks along the graph."""

from __future__ import annotations

from tests.app.actions.conftest import TREE, cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named


@covers("select.step")
def selects_by_id_or_prefix(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("select.step", step=named(record, "b")[:10])
    assert selected(bench) == ["b"]
    assert bench.active.history is not None
    assert len(bench.active.history) == 0


@covers("select.add")
def adds_and_takes_out(bench: Bench) -> None:
    record = opened(bench)
    bench.do("select.add", step=named(record, "c"))
    assert selected(bench) == ["a", "c"]
    bench.do("select.add", step=named(record, "a"))
    assert selected(bench) == ["c"]


@covers("select.box")
def selects_what_a_rectangle_touches(bench: Bench) -> None:
    record = opened(bench, "f")
    layout = bench.active.picture.layout
    assert layout is not None
    x, y = layout.position(named(record, "a"))
    bench.do("select.box", rect=(x + 5, y + 5, x - 5, y - 5))
    assert selected(bench) == ["a"]
    bench.do("select.box", rect=layout.bounds, add=True)
    assert len(bench.active.selection) == 6


@covers("select.all")
def selects_every_step_and_keeps_the_primary_one(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.all")
    assert sorted(selected(bench)) == sorted(TREE)
    assert selected(bench)[-1] == "b"


@covers("select.none")
def selects_nothing(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.none")
    assert selected(bench) == []


@covers("select.parent")
def goes_to_the_parent(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.parent")
    assert selected(bench) == ["a"]
    assert bench.session.enabled("select.parent") == "This step is a root: it has no parent."


@covers("select.child")
def goes_to_the_child(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.child")
    assert selected(bench) == ["xd"]
    assert bench.session.enabled("select.child") == "This step is a tip: nothing follows it."


@covers("select.previous_sibling")
def goes_round_among_siblings_backwards(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.previous_sibling")
    assert selected(bench) == ["e"]


@covers("select.next_sibling")
def goes_round_among_siblings(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.next_sibling")
    assert selected(bench) == ["e"]
    bench.do("select.parent")
    assert bench.session.enabled("select.next_sibling") == "This step has no siblings."


@covers("select.walk")
def walks_along_the_graph(bench: Bench) -> None:
    opened(bench, None)
    bench.do("select.walk", direction="down")
    assert selected(bench) == ["a"]
    bench.do("select.walk", direction="down")
    assert selected(bench) == ["b"]


@covers("select.up")
def walks_up(bench: Bench) -> None:
    opened(bench, "b")
    bench.do("select.up")
    assert selected(bench) == ["a"]


@covers("select.down")
def walks_down(bench: Bench) -> None:
    opened(bench, "a")
    bench.do("select.down")
    assert selected(bench) == ["b"]


@covers("select.left")
def walks_left(bench: Bench) -> None:
    _walks_across(bench, "select.left", -1)


@covers("select.right")
def walks_right(bench: Bench) -> None:
    _walks_across(bench, "select.right", 1)


def _walks_across(bench: Bench, action_id: str, sign: int) -> None:
    record = opened(bench, None)
    layout = bench.active.picture.layout
    assert layout is not None
    c, e = (layout.position(named(record, name))[0] for name in "ce")
    start, end = ("c", "e") if (e - c) * sign > 0 else ("e", "c")
    bench.do("select.step", step=named(record, start))
    bench.do(action_id)
    assert selected(bench) == [end]


@covers("select.ancestors")
def adds_what_the_step_rests_on(bench: Bench) -> None:
    opened(bench, "c")
    bench.do("select.ancestors")
    assert selected(bench) == ["a", "b", "c"]


@covers("select.descendants")
def adds_what_rests_on_the_step(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("select.descendants", step=named(record, "e"))
    assert selected(bench) == ["f", "e"]


test_the_action_does_what_it_says = cases_of(__name__)
