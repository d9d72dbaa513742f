"""Replacing a file: nobody's content is lost, and what cannot be kept is said before anything is replaced."""

from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from opentine_gui.core import FileChanged, LimitError, StorageError, read, write
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.files import atomic_write, storage
from opentine_gui.core.files.atomic_write import write_pieces_atomic
from tests.core.sample_runs import make_record, make_step

OLD, OURS, THEIRS = b"old", b"ours", b"theirs"
OLD_DIGEST = hashlib.sha256(OLD).hexdigest()
EXCHANGES = [True, False]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "run.tine"
    path.write_bytes(OLD)
    return path


@pytest.fixture(params=EXCHANGES, ids=["exchange", "no exchange"])
def exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the file system can exchange two names in one step."""
    if not request.param:
        monkeypatch.setattr(atomic_write, "_system_call", lambda: None)
    elif sys.platform not in ("linux", "darwin"):
        pytest.skip("this system cannot exchange two names")
    return bool(request.param)


def test_a_file_that_appears_while_ours_is_written_is_kept_where_there_are_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(_source: object, _target: object) -> None:
        raise PermissionError(errno.EPERM, "no hard links here")

    monkeypatch.setattr(atomic_write, "_system_call", lambda: None)
    monkeypatch.setattr(os, "link", no_links)
    target = tmp_path / "run.tine"
    write_pieces_atomic(target, [OURS], overwrite=False)
    assert target.read_bytes() == OURS
    target.unlink()
    with pytest.raises(StorageError, match="was not overwritten"):
        write_pieces_atomic(target, [OURS], overwrite=False, check=lambda _made: target.write_bytes(THEIRS) and None)
    assert target.read_bytes() == THEIRS
    assert os.listdir(tmp_path) == ["run.tine"]


def test_known_content_is_replaced(target: Path, exchange: bool) -> None:
    write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert target.read_bytes() == OURS
    assert os.listdir(target.parent) == ["run.tine"]


def test_other_content_is_not_replaced_and_its_digest_is_reported(target: Path, exchange: bool) -> None:
    target.write_bytes(THEIRS)
    with pytest.raises(FileChanged) as caught:
        write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert caught.value.found == hashlib.sha256(THEIRS).hexdigest()
    assert target.read_bytes() == THEIRS
    assert os.listdir(target.parent) == ["run.tine"]


def test_content_of_the_same_size_and_time_is_told_apart(target: Path, exchange: bool) -> None:
    before = target.stat()
    target.write_bytes(b"OLD")
    os.utime(target, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(FileChanged):
        write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert target.read_bytes() == b"OLD"


def test_a_file_that_is_gone_is_written_again(target: Path, exchange: bool) -> None:
    target.unlink()
    write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert target.read_bytes() == OURS


def test_what_is_written_while_ours_is_written_is_not_replaced(target: Path, exchange: bool) -> None:
    def pieces() -> list[bytes]:
        target.write_bytes(THEIRS)
        return [OURS]

    with pytest.raises(FileChanged):
        write_pieces_atomic(target, (piece for piece in pieces()), replaces=OLD_DIGEST)
    assert target.read_bytes() == THEIRS
    assert os.listdir(target.parent) == ["run.tine"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs renameat2")
@pytest.mark.parametrize("again", [False, True])
def test_a_writer_between_the_look_and_the_exchange_gets_its_name_back(
    target: Path, monkeypatch: pytest.MonkeyPatch, again: bool
) -> None:
    """`again`: and a second one writes between the exchange and its undoing; then that content is kept beside it."""
    calls = 0
    real = atomic_write._rename

    def interrupted(one: str | Path, other: str | Path, linux: int, macos: int) -> bool:
        nonlocal calls
        calls += 1
        if calls == 1 or again:
            new = target.with_name("new")
            new.write_bytes(THEIRS if calls == 1 else b"others")
            os.replace(new, target)
        return real(one, other, linux, macos)

    monkeypatch.setattr(atomic_write, "_rename", interrupted)
    with pytest.raises(FileChanged):
        write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert target.read_bytes() == THEIRS
    kept = {path.read_bytes() for path in target.parent.iterdir()}
    assert kept == ({THEIRS, b"others"} if again else {THEIRS})


def test_two_processes_that_replace_what_they_read_lose_nothing(tmp_path: Path) -> None:
    """Each adds lines to the file it read, and reads it anew when it had changed: all lines are there at the end."""
    target = tmp_path / "lines"
    target.write_bytes(b"")
    program = """
import hashlib, sys
from pathlib import Path
from opentine_gui.core import FileChanged
from opentine_gui.core.files.atomic_write import write_pieces_atomic
target, name = Path(sys.argv[1]), sys.argv[2]
for number in range(40):
    while True:
        before = target.read_bytes()
        try:
            write_pieces_atomic(target, [before, f"{name}{number}\\n".encode()],
                                replaces=hashlib.sha256(before).hexdigest())
            break
        except FileChanged:
            pass
"""
    writers = [subprocess.Popen([sys.executable, "-c", program, str(target), name]) for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir()).decode().split()
    assert set(kept) == {f"{name}{number}" for name in "ab" for number in range(40)}


def test_a_folder_that_is_gone_is_not_made_again(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="its folder does not exist"):
        write(tmp_path / "gone" / "run.tine", make_record([make_step("x")]))
    assert os.listdir(tmp_path) == []


def test_a_link_that_leads_nowhere_is_not_written_through(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (inside / "run-fork.tine").symlink_to(outside / "run.tine")
    with pytest.raises(StorageError, match="a link to a file that does not exist"):
        write(inside / "run-fork.tine", make_record([make_step("x")]))
    assert os.listdir(outside) == []


def test_temporary_files_of_dead_writers_are_removed_and_those_of_live_ones_stay(target: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    host = atomic_write._host()
    left = [
        target.with_name(f".run.tine.{host}-{dead.pid}.abc.tmp"),
        target.with_name(f".run.tine.{host}-{os.getpid()}.abc.tmp"),
        target.with_name(f".run.tine.00000000-{dead.pid}.abc.tmp"),  # of another machine
        target.with_name(f".other.tine.{host}-{dead.pid}.abc.tmp"),
    ]
    for path in left:
        path.write_bytes(b"half")
    write_pieces_atomic(target, [OURS])
    assert [path.exists() for path in left] == [False, True, True, True]


@pytest.mark.parametrize("name", ["長" * 80 + ".tine", "é" * 120 + ".tine", "x" * 250 + ".tine"])
def test_names_as_long_as_a_name_may_be_can_be_written(tmp_path: Path, name: str) -> None:
    assert write_pieces_atomic(tmp_path / name, [OURS]).read_bytes() == OURS


def test_a_name_that_is_not_utf_8_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"run-\xff.tine")
    assert write_pieces_atomic(path, [OURS]).read_bytes() == OURS


def test_what_the_disk_did_not_keep_replaces_nothing(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "digest", lambda _path: "another")
    with pytest.raises(StorageError, match="did not keep"):
        write(target, make_record([make_step("x")]))
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["run.tine"]


def test_extended_attributes_stay(target: Path) -> None:
    try:
        os.setxattr(target, "user.note", b"mine")
    except OSError:
        pytest.skip("this file system keeps no extended attributes")
    write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert os.getxattr(target, "user.note") == b"mine"


def test_what_no_reader_would_accept_is_not_written(target: Path) -> None:
    many = make_record([make_step("x")], metadata={"list": [[] for _ in range(210_000)]})
    long = make_record([make_step("x")], metadata={"number": 10**4200})
    for record in (many, long):
        with pytest.raises(LimitError):
            write(target, record)
    assert target.read_bytes() == OLD


@pytest.mark.parametrize("value", [10**4200, "deep"])
def test_a_step_that_no_reader_would_accept_is_not_made(value: object) -> None:
    if value == "deep":
        for _ in range(510):
            value = [value]
    with pytest.raises(LimitError):
        new_step("think", {"value": value}, (), timestamp=0.0)


def test_what_may_just_be_made_can_be_read(tmp_path: Path) -> None:
    value: object = 10**4095
    for _ in range(507):
        value = [value]
    record = make_record([new_step("think", {"value": value}, (), timestamp=0.0)])
    assert read(write(tmp_path / "run.tine", record)).graph.ids == record.graph.ids


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs renameat2")
def test_what_came_out_and_cannot_be_read_gets_its_name_back(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the save would be called failed, and the old content would be gone."""
    real = atomic_write._digest

    def broken(path: Path) -> str | None:
        if path != target:
            raise OSError(5, "Input/output error")
        return real(path)

    monkeypatch.setattr(atomic_write, "_digest", broken)
    with pytest.raises(StorageError, match="Input/output"):
        write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert target.read_bytes() == OLD
    assert os.listdir(target.parent) == ["run.tine"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs renameat2")
def test_what_cannot_get_its_name_back_is_kept_beside(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = atomic_write._rename, 0

    def once(one: str | Path, other: str | Path, linux: int, macos: int) -> bool:
        nonlocal calls
        calls += 1
        if calls > 1:
            raise OSError(5, "Input/output error")
        target.write_bytes(THEIRS)
        return real(one, other, linux, macos)

    monkeypatch.setattr(atomic_write, "_rename", once)
    write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
    assert {path.read_bytes() for path in target.parent.iterdir()} == {OURS, THEIRS}
    assert target.read_bytes() == OURS


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs leases")
def test_what_a_program_writes_later_into_the_file_it_has_open_is_not_lost(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atomic_write, "LONGEST_WAIT_FOR_WRITERS", 0.0)
    with target.open("ab") as theirs:
        with pytest.raises(StorageError, match="another program has it open"):
            write_pieces_atomic(target, [OURS], replaces=OLD_DIGEST)
        theirs.write(THEIRS)
    assert target.read_bytes() == OLD + THEIRS
    with target.open("rb"):  # one who only reads is in nobody's way
        write_pieces_atomic(target, [OURS], replaces=hashlib.sha256(OLD + THEIRS).hexdigest())
    assert target.read_bytes() == OURS
    assert os.listdir(target.parent) == ["run.tine"]


@pytest.mark.skipif(os.name == "nt", reason="there is no umask")
@pytest.mark.parametrize(("umask", "wanted"), [(0o022, 0o644), (0o002, 0o664), (0o077, 0o600), (0o027, 0o640)])
def test_a_file_to_be_shared_has_the_mode_that_the_umask_gives_and_one_that_is_replaced_keeps_its_own(
    tmp_path: Path, umask: int, wanted: int
) -> None:
    before = os.umask(umask)
    try:
        shared, private, old = tmp_path / "a.svg", tmp_path / "b.tine", tmp_path / "c.svg"
        old.write_bytes(OLD)
        old.chmod(0o400)
        seen: list[int] = []
        write_pieces_atomic(shared, [OURS], mode=None)
        write_pieces_atomic(private, [OURS], check=lambda made: seen.append(made.stat().st_mode & 0o777))
        write_pieces_atomic(old, [OURS], mode=None, check=lambda made: seen.append(made.stat().st_mode & 0o777))
    finally:
        assert os.umask(before) == umask, "it was not changed meanwhile"
    assert [path.stat().st_mode & 0o777 for path in (shared, private, old)] == [wanted, 0o600, 0o400]
    assert seen == [0o600, 0o400], "nor can another user read the temporary file of a private one"


def test_a_name_for_a_temporary_file_that_is_taken_is_not_used(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = target.with_name(f".run.tine.{atomic_write._owner()}.{b'taken!'.hex()}.tmp")
    taken.write_bytes(THEIRS)
    names = iter([b"taken!", b"unused"])
    monkeypatch.setattr(os, "urandom", lambda _count: next(names))
    write_pieces_atomic(target, [OURS])
    assert (target.read_bytes(), taken.read_bytes()) == (OURS, THEIRS)
