"""Saving and closing lose nothing without asking, and an original is never overwritten."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.files.saving import start_folder, suggested_name
from opentine_gui.app.state.prompts import Confirm, SaveFile
from opentine_gui.core import RunRecord, verify
from opentine_gui.core.files import storage
from opentine_gui.core.files.digest import digest_of
from opentine_gui.importers import readers
from opentine_gui.importers.reader import Reader
from opentine_gui.importers.reading import Reading
from tests.app.conftest import Bench
from tests.app.files.saved_runs import TREE, edited, forked
from tests.conftest import named, run_of


def signed(record: RunRecord) -> RunRecord:
    block = {"alg": "ed25519", "scheme": "tine-sig/2", "value": "00" * 64, "public_key": "11" * 32}
    integrity = {"algorithm": "sha256", "digest": digest_of(record), "signature": block}
    metadata = {**record.metadata, "integrity": integrity}
    return msgspec.structs.replace(record, metadata=metadata, untouched=True)


def test_a_run_of_another_programs_format_is_saved_beside_its_file(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign = Reader(
        "lines", (".lines",), lambda head: float(head == b"lines"), lambda _path, **_options: Reading(run_of(TREE))
    )
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, foreign))
    path = bench.folder / "a.lines"
    path.write_bytes(b"lines")
    bench.open("a.lines")
    bench.do("run.merge", steps=(named(bench.record, "b"), named(bench.record, "c")), accept=True)
    bench.do("file.save", (bench.folder / "a.tine",))
    assert path.read_bytes() == b"lines"
    assert len(storage.read(bench.folder / "a.tine").graph) == 4
    assert bench.active.path == bench.folder / "a.tine"


def test_a_saved_fork_loads_and_verifies_and_the_source_is_untouched(bench: Bench) -> None:
    before = forked(bench)
    bench.do("file.save", (bench.folder / "second.tine",))
    assert not bench.active.dirty
    assert bench.active.title == "second.tine"
    assert verify(bench.folder / "second.tine").ok
    assert (bench.folder / "run.tine").read_bytes() == before


def test_a_fork_cannot_be_saved_over_its_source_whatever_is_answered(bench: Bench) -> None:
    before = forked(bench)
    source = bench.session.documents[0]
    bench.do("file.close", document=source.number)
    bench.do("file.save", (bench.folder / "run.tine",), "Replace")
    assert (bench.folder / "run.tine").read_bytes() == before
    assert "an original is never overwritten" in bench.notices("error")[0]
    link = bench.folder / "link.tine"
    link.symlink_to(bench.folder / "run.tine")
    bench.do("file.save_as", path=link, overwrite=True)
    assert (bench.folder / "run.tine").read_bytes() == before
    assert bench.active.path is None


def test_a_file_open_in_another_tab_is_not_replaced(bench: Bench) -> None:
    forked(bench)
    bench.open("two.tine", run_of({"a": ""}, run_id="two"))
    bench.do("document.activate", document=bench.session.documents[1].number)
    bench.do("file.save_as", (bench.folder / "two.tine",), "Replace")
    assert "open in another tab" in bench.notices("error")[0]
    assert storage.read(bench.folder / "two.tine").run_id == "two"


@pytest.mark.parametrize(("answer", "replaced"), [("Replace", True), ("Cancel", False), (None, False)])
def test_an_existing_file_is_replaced_only_when_the_user_says_so(
    bench: Bench, answer: str | None, replaced: bool
) -> None:
    edited(bench)
    bench.write("other.tine", run_of({"z": ""}, run_id="other"))
    bench.do("file.save_as", (bench.folder / "other.tine",), answer)
    where, replace, *again = bench.prompter.asked
    assert isinstance(where, SaveFile) and isinstance(replace, Confirm)
    assert again == ([] if replaced else [SaveFile("Save as", bench.folder, "other.tine")])
    assert (storage.read(bench.folder / "other.tine").run_id == "example") is replaced


def test_saving_a_changed_signed_file_asks_because_the_signature_is_lost(bench: Bench) -> None:
    record = signed(run_of(TREE))
    path = bench.write("run.tine", record)
    before = path.read_bytes()
    assert b"tine-sig/2" in before
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.do("file.save", "Cancel")
    assert path.read_bytes() == before
    assert bench.active.dirty
    bench.do("file.save", "Save without the signature")
    assert b"tine-sig/2" not in path.read_bytes()
    assert not bench.active.dirty
    assert verify(path).digest.verdict.value == "ok"


def test_a_copy_of_a_changed_signed_run_asks_too_and_the_file_keeps_its_signature(bench: Bench) -> None:
    path = bench.write("run.tine", signed(run_of(TREE)))
    before = path.read_bytes()
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(bench.record, "b"), named(bench.record, "c")), accept=True)
    copy = bench.folder / "copy.tine"
    bench.do("file.save_copy", (copy,), "Cancel")
    assert not copy.exists()
    bench.do("file.save_copy", (copy,), "Save without the signature")
    assert b"tine-sig/2" not in copy.read_bytes()
    assert path.read_bytes() == before and bench.active.dirty


def test_a_compressed_file_stays_compressed_and_a_copy_may_be_plain(bench: Bench) -> None:
    record = run_of({str(number): "0" if number else "" for number in range(20)})
    path = storage.write(bench.folder / "run.tine", record, compress="zlib")
    assert path.read_bytes().startswith(b"TINEZ1\0")
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "19"), named(record, "3")), accept=True)
    bench.do("file.save")
    assert path.read_bytes().startswith(b"TINEZ1\0")
    assert len(storage.read(path).graph) == 21
    bench.do("file.save_copy", (bench.folder / "same.tine",))
    bench.do("file.save_copy", (bench.folder / "plain.tine",), form="plain")
    assert (bench.folder / "same.tine").read_bytes() == path.read_bytes()
    assert (bench.folder / "plain.tine").read_bytes().startswith(b"{")


def test_a_merge_of_two_documents_is_a_new_unsaved_one_and_the_sources_stay(bench: Bench) -> None:
    record = run_of(TREE)
    one = bench.open("one.tine", record)
    two = bench.open("two.tine", run_of({**TREE, "d": "c"}, run_id="two"))
    before = [(bench.folder / name).read_bytes() for name in ("one.tine", "two.tine")]
    bench.do("select.step", step=named(bench.record, "d"))
    bench.do("document.activate", document=one.number)
    bench.do("select.step", step=named(record, "b"))
    bench.do("run.merge")
    assert bench.session.proposal is not None
    assert bench.session.proposal.sentence == ("Makes a new run with 5 steps · one.tine and two.tine stay as they are")
    bench.do("proposal.accept")
    merged = bench.active
    assert merged not in (one, two)
    assert merged.dirty
    assert bench.record.lineage.merge is not None
    assert suggested_name(merged, bench.folder) == "one-merged.tine"
    bench.do("file.save_as", (bench.folder / "two.tine",), "Replace")
    assert [(bench.folder / name).read_bytes() for name in ("one.tine", "two.tine")] == before
    bench.do("file.save_as", path=bench.folder / "merged.tine")
    assert verify(bench.folder / "merged.tine").ok


def test_enter_never_takes_the_choice_that_loses_something(bench: Bench) -> None:
    record = signed(run_of(TREE))
    bench.write("run.tine", record)
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "b"), named(record, "c")), accept=True)
    bench.write("other.tine", run_of({"z": ""}, run_id="other"))
    bench.do("file.save_as", (bench.folder / "other.tine",), None)
    bench.do("file.reload", None)
    bench.write("run.tine", run_of({"theirs": ""}))
    bench.do("file.save", "Save without the signature", None)
    questions = [question for question in bench.prompter.asked if isinstance(question, Confirm)]
    assert [question.title.split()[0] for question in questions] == ["Replace", "Reload", "Save", "Overwrite"]
    for question in questions:
        assert question.danger
        assert question.choices[0] not in question.danger


@pytest.mark.parametrize("compress", [None, "zlib"])
def test_the_digest_of_a_save_is_that_of_the_file(bench: Bench, compress: str | None) -> None:
    record = run_of({str(number): "0" if number else "" for number in range(20)})
    path = storage.write(bench.folder / "run.tine", record, compress=compress)  # type: ignore[arg-type]
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "19"), named(record, "3")), accept=True)
    bench.do("file.save")
    assert bench.active.on_disk.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert bench.active.on_disk.fingerprint == storage.fingerprint(path)


def test_a_session_is_not_saved_into_its_agents_own_folder(bench: Bench) -> None:
    session = next((Path(__file__).parents[3] / "data/recordings/claude-code/2.1.197-b-parallel").rglob("*.jsonl"))
    kept = bench.folder / ".claude" / "projects" / "work"
    kept.mkdir(parents=True)
    (bench.folder / ".tine_runs").mkdir()
    (kept / "session.jsonl").write_bytes(session.read_bytes())
    document = bench.open(".claude/projects/work/session.jsonl")
    assert start_folder(bench.session, document) == bench.session.working_folder
    assert start_folder(bench.session, bench.open(".tine_runs/a.tine", run_of({"a": ""}))).name == ".tine_runs"
