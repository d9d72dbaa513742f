"""Saving and closing lose nothing without asking, and an original is never overwritten."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from opentine_gui.app.actions.window import cancel_job
from opentine_gui.app.files.recovery.crash_recovery import COPY_AFTER
from opentine_gui.app.files.saving import start_folder, suggested_name
from opentine_gui.app.state.prompts import Confirm, SaveFile
from opentine_gui.app.state.settings import data_folder
from opentine_gui.core import RunRecord, StorageError, verify
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


def test_a_fork_is_offered_a_free_name_beside_its_source(bench: Bench) -> None:
    forked(bench)
    (bench.folder / "run-fork.tine").touch()
    bench.do("file.save", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, SaveFile)
    assert (question.folder, question.name) == (bench.folder, "run-fork-2.tine")
    assert bench.active.dirty


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


def test_a_save_that_fails_says_so_and_leaves_the_document_unsaved(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(bench)
    before = (bench.folder / "run.tine").read_bytes()

    def full(*_args: object, **_kwargs: object) -> Path:
        raise StorageError("the file cannot be written", path=bench.folder / "run.tine", cause="No space left")

    monkeypatch.setattr(storage, "write_and_keep", full)
    bench.do("file.save")
    assert bench.active.dirty
    assert not bench.active.on_disk.saving
    assert "No space left" in bench.notices("error")[0]
    assert (bench.folder / "run.tine").read_bytes() == before
    monkeypatch.undo()
    bench.do("file.save")
    assert not bench.active.dirty


def test_an_edit_during_a_save_is_still_unsaved_after_it(bench: Bench) -> None:
    edited(bench)
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    assert bench.session.enabled("file.save") == "It is being saved already."
    bench.session.invoke("edit.undo")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.active.dirty
    assert len(storage.read(bench.folder / "run.tine").graph) == 4


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


def test_a_save_stopped_in_time_writes_nothing_and_says_so(bench: Bench) -> None:
    edited(bench)
    before = (bench.folder / "run.tine").read_bytes()
    bench.jobs.hold = True
    bench.session.invoke("file.save")
    bench.step()
    bench.session.invoke("job.cancel", key=bench.active.key("save"))
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert (bench.folder / "run.tine").read_bytes() == before
    assert bench.active.dirty
    assert not bench.active.on_disk.saving
    assert "was stopped" in bench.notices("info")[-1]
    assert bench.notices("error") == []
    bench.do("file.save")
    assert not bench.active.dirty


def test_a_copy_stopped_in_time_writes_nothing_and_says_so(bench: Bench) -> None:
    edited(bench)
    bench.prompter.answers = [(bench.folder / "copy.tine",)]
    bench.jobs.hold = True
    bench.session.invoke("file.save_copy")
    bench.step()
    bench.step()
    bench.session.invoke("job.cancel", key=f"copy:{bench.folder / 'copy.tine'}")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not (bench.folder / "copy.tine").exists()
    assert "was stopped" in bench.notices("info")[-1]
    assert bench.notices("error") == []


def test_a_second_copy_or_export_does_not_drop_the_first(bench: Bench) -> None:
    edited(bench)
    names = ("one.tine", "two.tine", "one.json", "two.json")
    bench.jobs.hold = True
    for name in names:
        bench.prompter.answers = [(bench.folder / name,)]
        bench.session.invoke("file.save_copy" if name.endswith(".tine") else "file.export")
        for _step in range(4):
            bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert [name for name in names if not (bench.folder / name).exists()] == []
    assert len(bench.notices("good")) == len(names)


def test_a_save_stopped_too_late_is_a_save(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(bench)
    write = storage.write_and_keep

    def stopped_after(*args: Any, **kwargs: Any) -> tuple[Path, RunRecord]:
        written = write(*args, **kwargs)
        cancel_job(bench.session, bench.active.key("save"))
        return written

    monkeypatch.setattr(storage, "write_and_keep", stopped_after)
    bench.do("file.save")
    assert len(storage.read(bench.folder / "run.tine").graph) == 4
    assert not bench.active.dirty
    assert not bench.active.on_disk.saving


@pytest.mark.parametrize("compress", [None, "zlib"])
def test_the_digest_of_a_save_is_that_of_the_file(bench: Bench, compress: str | None) -> None:
    record = run_of({str(number): "0" if number else "" for number in range(20)})
    path = storage.write(bench.folder / "run.tine", record, compress=compress)  # type: ignore[arg-type]
    bench.open("run.tine")
    bench.do("run.merge", steps=(named(record, "19"), named(record, "3")), accept=True)
    bench.do("file.save")
    assert bench.active.on_disk.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert bench.active.on_disk.fingerprint == storage.fingerprint(path)


def test_names_that_windows_keeps_for_devices_are_not_proposed(bench: Bench) -> None:
    bench.open("con.tine", run_of(TREE))
    assert suggested_name(bench.active, bench.folder) == "con-copy.tine"
    os.rename(bench.folder / "con.tine", bench.folder / "x.tine")
    bench.session.remove_document(bench.active)
    bench.open("x.tine")
    bench.active.path = None
    bench.active.source = None
    record = bench.record
    bench.active.state = msgspec.structs.replace(
        bench.active.state, record=msgspec.structs.replace(record, run_id="NUL")
    )
    assert suggested_name(bench.active, bench.folder) == "run-NUL.tine"


def test_a_proposed_name_keeps_letters_of_every_script(bench: Bench) -> None:
    bench.open("Pru\u0308fung 日本.tine", run_of(TREE))
    assert suggested_name(bench.active, bench.folder) == "Pr\u00fcfung 日本-copy.tine"


def test_a_proposed_name_that_is_cut_does_not_end_in_a_dot(bench: Bench) -> None:
    bench.open(f"{'a' * 59}.md then more.tine", run_of(TREE))
    assert suggested_name(bench.active, bench.folder) == f"{'a' * 59}-copy.tine"


def titled(bench: Bench, title: str, prompt: str = "") -> str:
    """The name that is proposed for a fork that was given a title."""
    record = run_of({"a": "", "b": "a"}, run_id=f"run-{len(bench.session.documents)}")
    if prompt:
        record = record.edited(metadata={**record.metadata, "user_prompt": prompt})
    bench.open(f"{record.run_id}.tine", record)
    bench.do("run.fork", step=named(record, "b"), title=title, accept=True)
    return suggested_name(bench.active, bench.folder)


def test_a_proposed_name_is_cut_between_words(bench: Bench) -> None:
    long = "can you run multiple agents reviewing the changes in the branch and also check"
    assert titled(bench, long) == "can you run multiple agents reviewing the changes in the.tine"
    assert titled(bench, f"a {'b' * 80}") == f"a {'b' * 58}.tine", "of one long word its beginning"


def test_no_secret_is_proposed_as_a_name(bench: Bench) -> None:
    key = "sk-ant-api03-Qm9vQmFyQmF6UXV4MTIzNDU2Nzg5MA"
    assert titled(bench, f"Use {key} for it") == "Use for it.tine"
    assert titled(bench, f"Use {key[:17]}…", f"Use {key} to call the service") == "Use.tine"
    assert titled(bench, "Use the key", f"Use {key} to call the service") == "Use the key.tine"
    assert titled(bench, key) == "run.tine"


def test_a_link_that_leads_nowhere_is_not_proposed_as_a_name(bench: Bench) -> None:
    forked(bench)
    (bench.folder / "run-fork.tine").symlink_to(bench.folder / "elsewhere" / "run.tine")
    assert suggested_name(bench.active, bench.folder) == "run-fork-2.tine"


def test_a_save_needs_no_lock_where_none_can_be_had(bench: Bench) -> None:
    edited(bench)
    data_folder().parent.mkdir(parents=True, exist_ok=True)
    data_folder().write_bytes(b"a file where the folder of the locks would be")
    bench.do("file.save")
    assert not bench.active.dirty
    assert len(storage.read(bench.folder / "run.tine").graph) == 4


def test_a_lock_that_cannot_be_released_makes_no_save_fail(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    edited(bench)
    monkeypatch.setattr("filelock.FileLock.release", lambda *_arguments, **_options: _raise(OSError(5, "broken")))
    bench.do("file.save")
    assert bench.notices("error") == []
    assert not bench.active.dirty


def _raise(error: Exception) -> None:
    raise error


def test_a_safety_copy_that_cannot_be_deleted_does_not_leave_a_saved_run_in_the_middle_of_its_save(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited(bench)
    bench.clock.now += COPY_AFTER
    bench.session.settle()
    (copy,) = (data_folder() / "recovery").rglob("*.tine")
    real = Path.unlink

    def refused(path: Path, missing_ok: bool = False) -> None:
        if path.parent == copy.parent:
            raise OSError(30, "Read-only file system", str(path))
        real(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    bench.do("file.save")
    assert not bench.active.on_disk.saving
    assert bench.notices("error") == []
    bench.do("file.quit")
    assert bench.session.quit


def test_a_session_is_not_saved_into_its_agents_own_folder(bench: Bench) -> None:
    session = next((Path(__file__).parents[2] / "data/recordings/claude-code/2.1.197-b-parallel").rglob("*.jsonl"))
    kept = bench.folder / ".claude" / "projects" / "work"
    kept.mkdir(parents=True)
    (bench.folder / ".tine_runs").mkdir()
    (kept / "session.jsonl").write_bytes(session.read_bytes())
    document = bench.open(".claude/projects/work/session.jsonl")
    assert start_folder(bench.session, document) == bench.session.working_folder
    assert start_folder(bench.session, bench.open(".tine_runs/a.tine", run_of({"a": ""}))).name == ".tine_runs"


def test_a_fork_that_was_given_a_title_is_called_by_it_in_its_tab_and_on_the_disk(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "b"), title="Attempt A: without  the cache ", accept=True)
    name = suggested_name(bench.active, bench.folder)
    assert name == "Attempt A without the cache.tine"
    bench.do("file.save_as", path=bench.folder / name)
    assert bench.active.title == name
    assert bench.record.title == "Attempt A: without  the cache"


def test_a_name_with_a_dot_is_saved_as_a_run(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("file.save_as", path=bench.folder / "claude-2.1")
    assert (bench.folder / "claude-2.1.tine").exists()
    assert bench.active.title == "claude-2.1.tine"
