"""Suspects of a failing run, from the likeliest to the least."""

from __future__ import annotations

from opentine_gui.app.actions.finding.suspects import NO_SUSPECT
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.inspect.analysis.findings import fork_reason
from opentine_gui.core import RunRecord
from tests.app.actions.conftest import cases_of, covers, opened
from tests.app.conftest import Bench
from tests.conftest import named
from tests.core.analysis.call_runs import failing_session


def with_suspects(bench: Bench) -> RunRecord:
    bench.open("failing.tine", failing_session())
    bench.session.settle()
    bench.session.settle()
    return bench.record


@covers("go.next_suspect")
def walks_the_suspects_from_the_likeliest(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("go.next_suspect")
    assert bench.active.selection.primary == record.graph.ids[3]
    bench.do("go.next_suspect")
    assert bench.active.selection.primary != record.graph.ids[3]
    opened(bench, shape={"a": "", "b": "a"})
    bench.session.settle()
    assert bench.session.enabled("go.next_suspect") == NO_SUSPECT


@covers("go.previous_suspect")
def walks_the_suspects_back(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("go.next_suspect")
    bench.do("go.next_suspect")
    bench.do("go.previous_suspect")
    assert bench.active.selection.primary == record.graph.ids[3]


@covers("go.last_pass")
def goes_to_where_the_same_call_passed_last(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("select.step", step=record.graph.ids[3])
    assert bench.session.enabled("go.last_pass") == "This step did not fail."
    bench.do("go.last_pass", step=record.graph.ids[-1])
    assert bench.active.selection.primary == record.graph.ids[2]


@covers("run.fork_where")
def proposes_a_fork_before_what_was_refused_or_at_what_all_selected_rest_on(bench: Bench) -> None:
    record = with_suspects(bench)
    bench.do("run.fork_where")
    proposal = bench.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.step == record.graph.ids[4]
    assert fork_reason(bench.session, bench.active, proposal.step) == "before a refused call"
    record = opened(bench)
    for step in ("c", "f"):
        bench.do("select.add", step=named(record, step))
    bench.session.settle()
    bench.do("run.fork_where")
    assert isinstance(bench.session.proposal, ForkProposal)
    assert bench.session.proposal.step == named(record, "a")


@covers("view.finding_marks")
def marks_suspects_on_cards_or_not(bench: Bench) -> None:
    record = with_suspects(bench)
    card = bench.active.picture.index_of(record.graph.ids[3])
    assert card is not None
    assert any("suspect 1" in flag.text for flag in bench.active.face(card).flags)
    bench.do("view.finding_marks")
    bench.step()
    assert not any("suspect" in flag.text for flag in bench.active.face(card).flags)


test_the_action_does_what_it_says = cases_of(__name__)
