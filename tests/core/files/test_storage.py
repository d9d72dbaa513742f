"""Files: written whole or not at all, with the mode they had, and only where they were meant to be."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from opentine_gui.core import (
    Cancelled,
    LimitError,
    RunRecord,
    StorageError,
    TineError,
    fingerprint,
    read,
    write,
    write_bytes_atomic,
)
from opentine_gui.core.files import storage
from opentine_gui.core.files.storage import digest, read_bytes, read_head
from tests.core.sample_runs import DATA, make_record, make_step


@pytest.fixture
def record() -> RunRecord:
    return make_record([make_step("x" * 600)])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(record: RunRecord, tmp_path: Path) -> None:
    path = write(tmp_path / "a" / "b" / "run.tine", record, make_folders=True)
    assert mode(path) == 0o600
    path.chmod(0o644)
    write(path, record.edited(run_id="other"))
    assert mode(path) == 0o644
    assert read(path).run_id == "other"
    assert os.listdir(path.parent) == ["run.tine"]


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_crash_leaves_the_old_file_and_nothing_else(
    record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = write(tmp_path / "run.tine", record)
    before = path.read_bytes()

    def crash(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, failing, crash)
    with pytest.raises(StorageError, match="No space left") as caught:
        write(path, record.edited(run_id="other"))
    assert str(path) in str(caught.value)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.tine"]


def test_a_link_is_followed_and_stays_a_link(record: RunRecord, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = write(tmp_path / "real" / "run.tine", record)
    link = tmp_path / "link.tine"
    link.symlink_to(target)
    written = write(link, record.edited(run_id="other"))
    assert link.is_symlink()
    assert written == target
    assert read(target).run_id == "other"


def test_an_existing_file_is_not_overwritten_unasked(record: RunRecord, tmp_path: Path) -> None:
    path = write(tmp_path / "run.tine", record, overwrite=False)
    before = path.read_bytes()
    with pytest.raises(StorageError, match="exists"):
        write(path, record.edited(run_id="other"), overwrite=False)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.tine"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(
    record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.tine"
    real = os.fsync

    def somebody_else(descriptor: int) -> None:
        path.write_text("theirs")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", somebody_else)
    with pytest.raises(StorageError, match="exists"):
        write(path, record, overwrite=False)
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["run.tine"]


@pytest.mark.parametrize("compress", ["zlib", "zstd"])
def test_a_compressed_file_reads_back_and_is_smaller(record: RunRecord, tmp_path: Path, compress: str) -> None:
    plain = write(tmp_path / "plain.tine", record)
    wrapped = write(tmp_path / "wrapped.tine", record, compress=compress)  # type: ignore[arg-type]
    assert wrapped.stat().st_size < plain.stat().st_size
    assert read(wrapped).container == compress
    assert read(wrapped).graph.ids == record.graph.ids


def test_a_small_document_stays_plain(tmp_path: Path) -> None:
    path = write(tmp_path / "run.tine", make_record([], metadata={}), compress="zlib")
    assert read(path).container == "plain"


def test_what_is_not_a_readable_file_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="directory"):
        read(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(StorageError, match="repository"):
        read(tmp_path)
    with pytest.raises(StorageError, match="No such file"):
        read(tmp_path / "missing.tine")
    with pytest.raises(StorageError, match="file name"):
        read("a\0b")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StorageError, match="regular"):
        read(tmp_path / "pipe")
    huge = tmp_path / "huge.tine"
    with huge.open("wb") as file:
        file.truncate(300 * 1024 * 1024)
    with pytest.raises(LimitError, match="268,435,456"):
        read(huge)


ENDLESS = [
    "/dev/zero",
    "/dev/random",
    "/dev/stdin",
    "/proc/kmsg",
    "/proc/self/mem",
    "/proc/kcore",
    "/proc/self/pagemap",
]


def test_what_fails_inside_a_file_is_not_said_of_its_name(
    record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: object, **_more: object) -> RunRecord:
        raise ValueError("no such number")

    path = write(tmp_path / "run.tine", record)
    monkeypatch.setattr(storage.reader, "decode_file", fails)
    with pytest.raises(StorageError, match="the file cannot be read: no such number"):
        read(path)
    with pytest.raises(StorageError, match="not a possible file name"):
        read("a\0b")


@pytest.mark.parametrize("source", ENDLESS)
def test_a_link_to_what_has_no_end_is_refused_at_once(source: str, tmp_path: Path) -> None:
    link = tmp_path / "run.tine"
    link.symlink_to(source)
    for look in (read, read_bytes, digest, lambda path: read_head(path, 10)):
        try:
            found = look(link)
        except TineError:
            continue
        assert found in (b"", hashlib.sha256().hexdigest())


def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "run.tine")
    (tmp_path / "file").write_text("a regular file")
    before = os.stat(tmp_path / "file")
    monkeypatch.setattr(storage.os, "stat", lambda _path: before)
    with pytest.raises(StorageError, match="regular"):
        read_bytes(tmp_path / "run.tine")


def test_a_file_that_grows_while_it_is_read_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"ab" * 1000)
    monkeypatch.setattr(storage, "_AT_ONCE", 100)

    class Growing(storage.FileIO):
        def read(self, size: int = -1, /) -> bytes:
            with path.open("ab") as file:
                file.write(b"more" * 100)
            return super().read(size)

    monkeypatch.setattr(storage, "FileIO", Growing)
    assert read_bytes(path) == b"ab" * 1000
    assert digest(path)


def test_writing_over_a_directory_is_refused(record: RunRecord, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="not a regular file"):
        write(tmp_path, record)
    assert os.listdir(tmp_path) == []


def test_reading_never_writes(tmp_path: Path) -> None:
    source = DATA / "corpus" / "0.1.1" / "linear.tine"
    before = (source.read_bytes(), fingerprint(source))
    read(source)
    assert (source.read_bytes(), fingerprint(source)) == before


def test_a_fingerprint_changes_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    assert fingerprint(path) is None
    write_bytes_atomic(path, b"one")
    first = fingerprint(path)
    assert first is not None
    assert first.size == 3
    write_bytes_atomic(path, b"two")
    assert fingerprint(path) != first


def test_a_digest_is_that_of_the_whole_file_and_tells_how_far_it_is(tmp_path: Path) -> None:
    content = bytes(range(256)) * 14_000
    path = tmp_path / "run.tine"
    path.write_bytes(content)
    fractions: list[float] = []
    assert digest(path, progress=fractions.append) == hashlib.sha256(content).hexdigest()
    assert fractions == sorted(fractions)
    assert len(fractions) > 3
    assert fractions[-1] == 1.0
    with pytest.raises(Cancelled):
        digest(path, cancelled=lambda: True)


def test_the_temporary_file_stands_beside_its_target(
    record: RunRecord, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, str]] = []
    real = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (seen.append((str(old), str(new))), real(old, new)))
    path = write(tmp_path / "run.tine", record)
    assert [Path(old).parent for old, _ in seen] == [path.parent]
    assert storage.read(path).run_id == "run"
