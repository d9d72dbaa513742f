"""What was written for an agent is taken back by undo, unless the agent has gone on in it."""

from __future__ import annotations

from pathlib import Path

from tests.app.conftest import Bench
from tests.app.files.continued_sessions import models


def test_undo_removes_what_was_written_unless_the_agent_has_gone_on(bench: Bench, source: Path) -> None:
    for grows in (False, True):
        bench.do("continue.propose", step=models(bench)[0])
        bench.do("proposal.accept")
        written = bench.active.path
        assert written is not None
        if grows:
            with written.open("ab") as file:
                file.write(b'{"type": "mode"}\n')
        bench.do("continue.undo")
        assert written.exists() is grows
    said = bench.notices("error")[0]
    assert "has gone on in it" in said
    assert said.index("cleanupPeriodDays") < said.index(str(written)), "how to remove it is said before a long path"


def test_ctrl_z_in_the_tab_of_a_written_session_removes_it_again(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    written = bench.active.path
    assert written is not None
    bench.do("document.activate", document=bench.session.documents[0].number)
    assert bench.session.enabled("edit.undo") is not None, "only where it is shown"
    bench.do("document.activate", document=bench.session.documents[1].number)
    bench.do("edit.undo")
    assert not written.exists()
    assert bench.active.path == source


def test_ctrl_z_takes_back_what_was_edited_in_a_written_session_before_it_removes_that(
    bench: Bench, source: Path
) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    written = bench.active.path
    assert written is not None
    bench.do("run.edit_details", title="Another", accept=True)
    bench.do("edit.undo")
    assert written.exists()
    bench.do("edit.undo")
    assert not written.exists()


def test_undo_reads_what_was_written_in_a_job(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    written = bench.active.path
    assert written is not None
    bench.jobs.hold = True
    bench.session.invoke("continue.undo")
    bench.step()
    assert written.exists()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not written.exists()
    assert bench.session.document_at(written) is None


def test_a_tab_in_which_something_was_typed_stays_when_what_was_written_is_removed(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    document, written = bench.active, bench.active.path
    assert written is not None
    bench.do("run.fork_edit", step=models(bench)[0], inputs='{"text": "typed"}')
    bench.do("proposal.cancel")
    bench.do("continue.undo")
    assert not written.exists()
    assert document in bench.session.documents and bench.session.drafts
