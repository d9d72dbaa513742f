"""A fork that took a while, and what the user went on with meanwhile."""

from __future__ import annotations

import pytest

from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.app.document.document import Document
from opentine_gui.app.system import jobs
from tests.app.conftest import TREE, Bench
from tests.conftest import run_of


@pytest.fixture(autouse=True)
def in_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fork is made in a job."""
    monkeypatch.setattr(jobs, "INLINE_STEPS", 0)


def begun(bench: Bench) -> tuple[Document, Document]:
    """A run of which a fork is being made, and another one."""
    source = bench.open("a.tine", run_of(TREE))
    other = bench.open("b.tine", run_of({"w": ""}, run_id="b"))
    bench.do("document.activate", document=source.number)
    bench.jobs.hold = True
    bench.session.invoke("run.fork", step=bench.record.graph.ids[1], accept=True)
    bench.until(lambda: any(job.title.startswith("Forking") for job in bench.jobs.held), "the job")
    return source, other


def let_it_be_made(bench: Bench) -> None:
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()


def typing(bench: Bench, step: str) -> None:
    bench.session.invoke("run.add_step", step=step)
    bench.session.invoke("proposal.change", inputs='{"prompt": "typing here"}')
    bench.step()


def test_a_fork_opens_behind_the_tab_that_the_user_went_to_and_leads_there(bench: Bench) -> None:
    source, other = begun(bench)
    bench.session.invoke("document.activate", document=other.number)
    bench.step()
    typing(bench, bench.record.graph.ids[0])
    let_it_be_made(bench)
    assert bench.active is other
    assert isinstance(bench.session.proposal, StepProposal)
    assert bench.session.proposal.touched
    fork = bench.session.documents[1]
    assert bench.session.documents == [source, fork, other]
    (notice,) = [notice for notice in bench.session.notices.list() if notice.level == "good"]
    assert notice.text == f"{fork.title} is ready."
    ((label, action, arguments),) = notice.actions
    assert label == "Show"
    bench.do(action, **arguments)
    assert bench.active is fork
    assert bench.active.picture.layout is not None
    bench.do("edit.undo")
    assert bench.active is source


def test_a_fork_opens_behind_its_source_where_another_form_is_being_typed_into(bench: Bench) -> None:
    source, other = begun(bench)
    typing(bench, bench.record.graph.ids[0])
    let_it_be_made(bench)
    assert bench.active is source
    assert isinstance(bench.session.proposal, StepProposal)
    assert bench.session.documents[2] is other


def test_a_fork_whose_source_was_closed_opens_behind_the_tab_in_front(bench: Bench) -> None:
    source, other = begun(bench)
    bench.session.invoke("file.close", document=source.number)
    bench.until(lambda: source not in bench.session.documents, "the tab closed")
    let_it_be_made(bench)
    assert bench.active is other
    assert len(bench.session.documents) == 2


def test_a_fork_that_was_waited_for_comes_to_the_front(bench: Bench) -> None:
    source, _ = begun(bench)
    let_it_be_made(bench)
    assert bench.active not in (source, None)
    assert bench.active.made_in == source.number
    assert not bench.notices("good")
