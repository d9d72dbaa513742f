"""What a link between two steps offers."""

from __future__ import annotations

from tests.app.actions.conftest import cases_of, covers, opened, selected
from tests.app.conftest import Bench
from tests.conftest import named


@covers("link.parent")
def goes_to_where_a_link_comes_from(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("link.parent", parent=named(record, "a"), child=named(record, "b"))
    assert selected(bench) == ["a"]
    assert bench.session.enabled("link.parent", parent="gone", child="gone") is not None


@covers("link.child")
def goes_to_where_a_link_leads(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("link.child", parent=named(record, "a"), child=named(record, "b"))
    assert selected(bench) == ["b"]


@covers("link.diff")
def compares_both_ends_of_a_link(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("link.diff", parent=named(record, "a"), child=named(record, "b"))
    assert selected(bench) == ["b"]
    assert (bench.session.view.reading, bench.session.view.diff_with) == (True, named(record, "a"))


@covers("link.fork")
def proposes_a_fork_that_ends_with_the_parent(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("link.fork", parent=named(record, "a"), child=named(record, "b"))
    bench.do("proposal.accept")
    assert bench.record.graph.ids == (named(record, "a"),)


@covers("link.copy_ids")
def copies_the_ids_of_both_ends(bench: Bench) -> None:
    record = opened(bench, None)
    bench.do("link.copy_ids", parent=named(record, "a"), child=named(record, "b"))
    assert bench.copied == [f"{named(record, 'a')}\n{named(record, 'b')}"]


test_the_action_does_what_it_says = cases_of(__name__)
