"""What was typed into a proposal survives a crash, and is there when the same is proposed again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.canvas.proposals.change_proposal import ChangeProposal
from opentine_gui.app.canvas.proposals.details_proposal import DetailsProposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.files.recovery import kept_texts
from opentine_gui.app.files.recovery.kept_texts import WRITE_AFTER
from opentine_gui.app.files.recovery.typed_texts import LARGEST
from opentine_gui.app.state.payload_form import entry_at, form_of_json, with_text
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.app.files.recovery.crashes import TREE, copies, crashed, fork_and_wait, leave_behind, offer
from tests.conftest import named, run_of


def texts() -> list[Path]:
    return sorted((data_folder() / "recovery").rglob("*.typed"))


def wait(bench: Bench) -> None:
    """Let the time pass after which what was typed is written."""
    bench.step()
    bench.clock.now += WRITE_AFTER
    bench.session.settle()


def recovered(bench: Bench) -> Bench:
    _, actions = offer(bench)
    bench.do("file.recover", key=actions["Open"]["key"])
    return bench


def test_what_was_typed_into_forms_of_an_unsaved_fork_is_there_again(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    fork_and_wait(first)
    first.do("run.edit_details")
    first.do("proposal.change", title="Another title")
    first.do("proposal.cancel")
    assert first.notices("info") == ["What was typed is kept until this tab closes."]
    step = first.record.graph.ids[1]
    first.do("run.fork_edit", step=step, inputs='{"text": "typed and left open"}')
    wait(first)
    crashed(first)

    second = recovered(second_bench())
    assert "there again" in second.notices("info")[0]
    second.do("run.edit_details")
    details = second.session.proposal
    assert isinstance(details, DetailsProposal)
    assert (details.title, details.changes) == ("Another title", 1)
    second.do("run.fork_edit", step=step)
    form = second.session.proposal
    assert isinstance(form, ForkProposal)
    assert form.inputs.value == {"text": "typed and left open"}
    assert form.touched


def test_what_was_typed_about_a_saved_run_is_offered_and_opens_its_file(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.fork_edit", step=named(record, "b"), inputs='{"text": "typed"}', title="Mine")
    wait(first)
    assert copies() == []
    crashed(first)

    second = second_bench()
    assert offer(second)[0] == "Recovered unsaved work: run.tine"
    recovered(second)
    assert second.active.path == first.active.path
    assert not second.active.dirty
    second.do("run.fork_edit", step=named(record, "b"))
    form = second.session.proposal
    assert isinstance(form, ForkProposal)
    assert (form.inputs.value, form.title) == ({"text": "typed"}, "Mine")
    second.do("proposal.accept")
    second.session.settle()
    wait(second)
    assert texts() == []  # those of the crashed session as well


def test_a_form_that_is_no_json_at_the_moment_is_kept_as_it_is(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.fork_edit", step=named(record, "b"), inputs='{"text": "typed", "count": 1}')
    form = first.session.proposal
    assert isinstance(form, ForkProposal)
    first.do("proposal.change", inputs=with_text(form.inputs, (1,), "12 or"))
    wait(first)
    crashed(first)
    second = recovered(second_bench())
    second.do("run.fork_edit", step=named(record, "b"))
    again = second.session.proposal
    assert isinstance(again, ForkProposal)
    assert again.refusal is not None
    assert again.inputs.text == '{"text": "typed",\n"count": 12 or}'
    repaired = form_of_json(again.inputs, again.inputs.text.replace(" or", ""))
    assert repaired.value == {"text": "typed", "count": 12}
    assert entry_at(repaired, (0,)).text == "typed"


@pytest.mark.parametrize("swapped", [False, True])
def test_a_merge_of_two_runs_and_a_changed_step_find_their_documents_again(
    second_bench: Callable[[], Bench], swapped: bool
) -> None:
    first = second_bench()
    one, other = run_of(TREE), run_of({"a": "", "b": "a", "d": "b"})
    first.open("one.tine", one)
    first.open("other.tine", other)
    document = first.active
    numbers = [d.number for d in first.session.documents]
    parents = [(numbers[0], named(one, "c")), (numbers[1], named(other, "d"))]
    first.do("run.merge", parents=parents, title="Both")
    wait(first)
    crashed(first)
    second = recovered(second_bench())
    assert [d.title for d in second.session.documents] == ["one.tine", document.title]
    numbers = [d.number for d in second.session.documents]
    second.do(
        "run.merge", parents=[(numbers[0], named(one, "c")), (numbers[1], named(other, "d"))][:: -1 if swapped else 1]
    )
    merge = second.session.proposal
    assert isinstance(merge, MergeProposal)
    assert merge.title == "Both"
    assert not isinstance(merge, ChangeProposal)


def test_keys_of_one_moment_are_written_once_and_what_is_emptied_goes(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    written: list[Path] = []
    real = storage.write_bytes_atomic

    def counted(path: Path, data: bytes, **options: object) -> Path:
        if Path(path).suffix == ".typed":
            written.append(Path(path))
        return real(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(storage, "write_bytes_atomic", counted)
    bench.do("run.fork_edit", step=named(record, "b"))
    for letters in ("t", "ty", "typ"):
        bench.do("proposal.change", title=letters)
        bench.session.settle()
    assert written == []
    wait(bench)
    assert len(written) == 1
    assert b'"typ"' in written[0].read_bytes()
    bench.session.settle()
    assert len(written) == 1
    bench.do("proposal.change", title="")
    wait(bench)
    assert texts() == []


@pytest.mark.parametrize("end", ["close", "quit"])
def test_what_was_typed_goes_with_its_tab_and_with_a_window_that_was_closed(
    second_bench: Callable[[], Bench], end: str
) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.fork_edit", step=named(record, "b"), title="typed")
    wait(first)
    assert len(texts()) == 1
    if end == "close":
        first.do("file.close", "Close and forget it")
        first.step()
    else:
        first.do("file.quit", "Quit")
        assert first.session.close() == []
    assert texts() == []


def test_a_session_that_is_ended_from_outside_keeps_the_last_keys(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("run.fork_edit", step=named(record, "b"), title="the last keys")
    first.session.close()
    second = recovered(second_bench())
    second.do("run.fork_edit", step=named(record, "b"))
    form = second.session.proposal
    assert isinstance(form, ForkProposal)
    assert form.title == "the last keys"


HOSTILE = (
    b"not json",
    b"[" * 100_000,
    b'{"title": "x", "path": 5}',
    b'{"title": "x", "drafts": [{"about": [{}], "fields": {}}]}',
    json.dumps({"title": "x", "drafts": [{"about": ["details", 77], "fields": {"title": "x"}}]}).encode(),
)


@pytest.mark.parametrize("content", HOSTILE)
def test_a_damaged_file_of_typed_texts_does_not_keep_the_copy_from_being_recovered(
    second_bench: Callable[[], Bench], content: bytes
) -> None:
    folder = leave_behind("old", "Precious")
    (folder / "1.typed").write_bytes(content)
    bench = recovered(second_bench())
    assert bench.active.title == "Precious"
    assert bench.session.drafts == {}
    assert bench.notices("error") == []


def test_unknown_fields_and_those_of_another_kind_are_left_out(second_bench: Callable[[], Bench]) -> None:
    folder = leave_behind("old", "Precious")
    step = named(run_of(TREE), "a")
    fields = {"title": True, "reset_metrics": "yes", "document": "x", "tags": "kept", "kind": "no kind"}
    draft = {"about": ["fork", 1, step, True], "fields": fields, "unknown": {}}
    (folder / "1.typed").write_bytes(msgspec.json.encode({"title": "t", "drafts": [draft], "more": [1]}))
    bench = recovered(second_bench())
    bench.do("run.fork_edit", step=step)
    form = bench.session.proposal
    assert isinstance(form, ForkProposal)
    assert (form.title, form.tags, form.reset_metrics) == ("", "kept", False)
    assert form.document is bench.active


def test_what_a_link_leads_to_and_what_is_too_large_is_not_read(
    second_bench: Callable[[], Bench], tmp_path: Path
) -> None:
    folder = leave_behind("old", "Precious")
    draft = {"about": ["details", 1], "fields": {"title": "elsewhere"}}
    (tmp_path / "elsewhere").write_bytes(msgspec.json.encode({"title": "t", "drafts": [draft]}))
    (folder / "1.typed").symlink_to(tmp_path / "elsewhere")
    draft = {"about": ["details", 1], "fields": {"title": "x" * LARGEST}}
    (folder / "2.typed").write_bytes(msgspec.json.encode({"title": "t", "drafts": [draft]}))
    bench = recovered(second_bench())
    assert bench.session.drafts == {}
    assert (tmp_path / "elsewhere").exists()


def test_what_cannot_be_written_is_said_once_and_work_goes_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    monkeypatch.setattr(kept_texts, "LARGEST", 10)
    bench.do("run.fork_edit", step=named(record, "b"), title="typed")
    wait(bench)
    wait(bench)
    assert texts() == []
    assert len([text for text in bench.notices("warning") if "could not be copied" in text]) == 1
