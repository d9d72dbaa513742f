"""The title, tags and status of the open run: changed, taken away, undone, saved; untouched files stay as they are."""

from __future__ import annotations

import msgspec
import pytest

from opentine_gui.app.files.saving import SAVE_ANYWAY
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.core import FormatError, RunRecord
from opentine_gui.core.edit.details import with_details
from opentine_gui.core.files import storage
from opentine_gui.core.files.digest import digest_of
from tests.app.conftest import Bench
from tests.conftest import run_of

TREE = {"a": "", "b": "a"}


def titled(**metadata: object) -> RunRecord:
    record = run_of(TREE)
    return record.edited(metadata={**record.metadata, **metadata})


def test_accepting_what_was_not_changed_edits_nothing(bench: Bench) -> None:
    bench.open("run.tine", titled(title="One", tags=["b", "a"]))
    record, content = bench.record, (bench.folder / "run.tine").read_bytes()
    bench.do("run.edit_details", accept=True)
    assert bench.record is record
    assert not bench.active.dirty
    assert bench.session.proposal is None
    assert bench.active.history is not None
    assert bench.active.history.undo_label is None
    assert (bench.folder / "run.tine").read_bytes() == content


def test_changing_back_gives_the_same_bytes(bench: Bench) -> None:
    bench.open("run.tine", titled(title="One", tags=["a"]))
    content = (bench.folder / "run.tine").read_bytes()
    bench.do("run.edit_details", title="Two", accept=True)
    bench.do("file.save")
    assert (bench.folder / "run.tine").read_bytes() != content
    bench.do("run.edit_details", title="One", accept=True)
    bench.do("file.save")
    assert (bench.folder / "run.tine").read_bytes() == content


def test_an_emptied_title_and_no_tags_leave_the_file(bench: Bench) -> None:
    bench.open("run.tine", titled(title="One", tags=["a"]))
    bench.do("run.edit_details", title="  ", tags=" , ", accept=True)
    bench.do("file.save")
    saved = storage.read(bench.folder / "run.tine")
    assert saved.metadata.keys().isdisjoint(("title", "tags"))


def test_a_tag_with_a_comma_survives_another_title(bench: Bench) -> None:
    bench.open("run.tine", titled(tags=["one, two"]))
    bench.do("run.edit_details", title="New", accept=True)
    assert bench.record.tags == ("one, two",)


def test_what_was_typed_is_there_again_after_it_was_left(bench: Bench) -> None:
    bench.open("run.tine", titled(title="One"))
    bench.do("run.edit_details")
    bench.do("proposal.change", title="Half typ")
    bench.do("proposal.cancel")
    bench.do("run.edit_details", accept=True)
    assert bench.record.title == "Half typ"
    bench.do("edit.undo")
    bench.do("run.edit_details", accept=True)
    assert bench.record.title == "One", "what was done is no draft any more"


def test_a_status_that_no_run_has_is_refused(bench: Bench) -> None:
    bench.open("run.tine", titled())
    record = bench.record
    bench.do("run.edit_details", status="splendid", accept=True)
    assert "status" in bench.notices("error")[0]
    assert bench.record is record
    with pytest.raises(FormatError):
        with_details(record, status="splendid")


def test_saving_an_edited_title_asks_before_it_drops_the_signature(bench: Bench) -> None:
    record = run_of(TREE)
    block = {"alg": "ed25519", "scheme": "tine-sig/2", "value": "00" * 64, "public_key": "11" * 32}
    integrity = {"algorithm": "sha256", "digest": digest_of(record), "signature": block}
    signed = msgspec.structs.replace(record, metadata={**record.metadata, "integrity": integrity}, untouched=True)
    path = bench.write("run.tine", signed)
    bench.open("run.tine")
    bench.do("run.edit_details", title="New", accept=True)
    bench.do("file.save", SAVE_ANYWAY)
    assert [question.title for question in bench.prompter.asked if isinstance(question, Confirm)] == [
        "Save without the signature?"
    ]
    assert storage.read(path).title == "New"


def test_several_runs_shown_together_have_no_title_to_edit(bench: Bench) -> None:
    bench.write("one.tine", run_of(TREE))
    bench.open("two.tine", run_of({**TREE, "c": "a"}, run_id="two"))
    bench.do("compare.open", a=bench.folder / "one.tine", b=bench.folder / "two.tine")
    assert bench.active.members is not None
    assert "none is changed" in (bench.session.enabled("run.edit_details") or "")
