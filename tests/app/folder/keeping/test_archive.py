"""The archive gives back what it was given, byte for byte, keeps each line once, and survives being killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.app.folder.keeping import blocks
from opentine_gui.app.folder.keeping.archive import MARK, MOST_SMALL, Archive
from opentine_gui.app.folder.keeping.take import is_due, take
from opentine_gui.app.folder.keeping.units import Unit, look, units
from opentine_gui.core.errors import TineError
from opentine_gui.core.progress import Pace
from opentine_gui.importers.agents.headline import Headline
from opentine_gui.importers.agents.listing import Session
from opentine_gui.importers.agents.table import Places

LATER = 4e9


def unit_of(root: Path, *paths: Path) -> Unit:
    seen = [found for path in paths if (found := look(path)) is not None]
    return Unit(root, Session("claude", paths[0], seen[0].size, seen[0].modified / 1e9), tuple(seen))


def keep(folder: Path, found: list[Unit], pace: Pace | None = None) -> Archive:
    archive = Archive(folder)
    archive.prepare()
    archive.load_lines()
    pages = archive.pages()
    due = [unit for unit in found if is_due(unit, pages.get(unit.key), LATER)]
    take(archive, due, pages, lambda _unit: Headline("A title", "/work"), pace or Pace())
    return Archive(folder)


def restored(archive: Archive, unit: Unit, target: Path) -> dict[str, bytes]:
    archive.restore(archive.pages()[unit.key], target)
    return {path.relative_to(target).as_posix(): path.read_bytes() for path in target.rglob("*") if path.is_file()}


def stored_lines(archive: Archive) -> list[bytes]:
    found = []
    for path in sorted((archive.folder / "packs").glob("*.pack")):
        data = path.read_bytes()

        def read(offset: int, length: int, data: bytes = data) -> bytes:
            return data[offset : offset + length]

        for block in blocks.blocks_in(read, len(data)):
            text, start = blocks.lines_of(read, block), 0
            for length in blocks.lengths_of(read, block):
                found.append(text[start : start + length])
                start += length
    return found


WORDS = st.sampled_from([b"", b"a", b"b", b"\r", b"\r\n", b"\x00\xff", b"{}", b"a longer line", b"\x0b\x1c"])
PIECES = st.lists(st.tuples(WORDS, st.booleans()), max_size=8)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 2), PIECES), min_size=1, max_size=6))
def test_what_is_restored_is_the_source_after_every_growth_and_each_line_is_there_once(
    steps: list[tuple[int, list[tuple[bytes, bool]]]],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        root, folder = Path(place) / "agent", Path(place) / "archive"
        root.mkdir()
        paths = [root / f"{number}.jsonl" for number in range(3)]
        clock = 1_000_000_000
        for number, pieces in steps:
            with paths[number].open("ab") as file:
                file.write(b"".join(word + b"\n" * ends for word, ends in pieces))
            clock += 1_000_000_000
            os.utime(paths[number], ns=(clock, clock))
            found = [unit_of(root, path) for path in paths if path.exists()]
            archive = keep(folder, found)
            for unit in found:
                path = unit.session.path
                target = Path(place) / "restored" / str(clock) / path.stem
                assert restored(archive, unit, target) == {path.name: path.read_bytes()}
            lines = stored_lines(archive)
            assert len(lines) == len(set(lines))
            assert all("-" not in key for key in archive.pages())


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_files_come_back_under_their_names_whatever_bytes_these_are(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    for name in (b"run-\xff.jsonl", b"bytes:%41.jsonl"):
        path = root / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"line\n")
        unit = unit_of(root, path)
        archive = keep(tmp_path / "kept", [unit])
        assert restored(archive, unit, tmp_path / name.hex()) == {os.fsdecode(name): b"line\n"}


def test_a_session_that_grew_adds_its_new_lines_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    one, copy = root / "one.jsonl", root / "copy.jsonl"
    one.write_bytes(b"".join(b'{"line": %d}\n' % number for number in range(1000)))
    copy.write_bytes(one.read_bytes()[:9000])
    archive = keep(tmp_path / "archive", [unit_of(root, one), unit_of(root, copy)])
    assert len(stored_lines(archive)) == 1001  # the copy is cut in a line, which is one of its own
    with one.open("ab") as file:
        file.write(b'{"line": 3}\nnew\n')
    archive = keep(tmp_path / "archive", [unit_of(root, one), unit_of(root, copy)])
    assert stored_lines(archive)[1001:] == [b"new\n"]
    assert restored(archive, unit_of(root, one), tmp_path / "out")["one.jsonl"] == one.read_bytes()


def test_a_log_that_was_written_anew_leaves_its_former_state_kept(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    path = root / "one.jsonl"
    path.write_bytes(b"first\nsecond\n")
    unit = unit_of(root, path)
    keep(tmp_path / "archive", [unit])
    for text in (b"first\n", b"other\n", b""):
        path.write_bytes(text)
        archive = keep(tmp_path / "archive", [unit_of(root, path)])
    pages = archive.pages()
    states = {b"".join(archive.content(page.files[0])) for page in pages.values()}
    assert states == {b"first\nsecond\n", b"first\n", b"other\n", b""}
    assert len(pages) == 4


def test_sources_are_only_read(tmp_path: Path, home: Path) -> None:
    root = home / ".claude" / "projects" / "-work"
    (root / "one" / "subagents").mkdir(parents=True)
    (root / "one.jsonl").write_bytes(b'{"sessionId": "one"}\n')
    (root / "one" / "subagents" / "agent-a.jsonl").write_bytes(b"{}\n")
    (root / "agent-b.jsonl").write_bytes(b'{"sessionId":"one"}\n')
    (root / "agent-c.jsonl").write_bytes(b'{"sessionId":"two"}\n')
    before = {path: (path.read_bytes(), path.stat()[:9]) for path in sorted(home.rglob("*")) if path.is_file()}
    (unit,) = units(Places({}, home))
    assert sorted(seen.path.name for seen in unit.files) == ["agent-a.jsonl", "agent-b.jsonl", "one.jsonl"]
    archive = keep(tmp_path / "archive", [unit])
    assert {path: (path.read_bytes(), path.stat()[:9]) for path in sorted(home.rglob("*")) if path.is_file()} == before
    assert set(restored(archive, unit, tmp_path / "out")) == {
        "-work/one.jsonl",
        "-work/agent-b.jsonl",
        "-work/one/subagents/agent-a.jsonl",
    }


def test_opencode_has_credentials_in_its_database_and_is_not_kept(home: Path) -> None:
    folder = home / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.db").write_bytes(b"secret")
    assert list(units(Places({}, home))) == []


def test_many_small_packs_become_one_and_nothing_is_lost(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    found = []
    for number in range(MOST_SMALL + 3):
        path = root / f"{number}.jsonl"
        path.write_bytes(b"line %d\nshared\n" % number)
        found.append(unit_of(root, path))
        archive = keep(tmp_path / "archive", [found[-1]])
    assert len(list((tmp_path / "archive" / "packs").iterdir())) < MOST_SMALL
    for unit in found:
        assert restored(archive, unit, tmp_path / "out" / unit.key) == {
            unit.session.path.name: unit.session.path.read_bytes()
        }


def test_a_page_that_names_a_place_outside_of_the_folder_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    (root / "one.jsonl").write_bytes(b"x\n")
    archive = keep(tmp_path / "archive", [unit_of(root, root / "one.jsonl")])
    (path,) = (tmp_path / "archive" / "sessions").glob("*.json")
    for bad in ("../../gone.jsonl", str(tmp_path / "gone.jsonl")):
        path.write_text(path.read_text().replace('"path":"one.jsonl"', f'"path":"{bad}"'))
        with pytest.raises(TineError, match="outside"):
            restored(archive, unit_of(root, root / "one.jsonl"), tmp_path / "deep" / "out")
        path.write_text(path.read_text().replace(bad, "one.jsonl"))
    assert not (tmp_path / "gone.jsonl").exists()


@settings(max_examples=40)
@given(st.data())
def test_damage_is_reported_and_never_given_out_as_a_session(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "agent"
        root.mkdir()
        path = root / "one.jsonl"
        path.write_bytes(b"".join(b"line %d\n" % number for number in range(50)))
        unit = unit_of(root, path)
        archive = keep(Path(place) / "archive", [unit])
        (pack,) = (Path(place) / "archive" / "packs").iterdir()
        content = bytearray(pack.read_bytes())
        where = data.draw(st.integers(0, len(content) - 1))
        content[where] ^= data.draw(st.integers(1, 255))
        pack.write_bytes(content)
        page = archive.pages()[unit.key]
        try:
            found = b"".join(Archive(archive.folder).content(page.files[0]))
        except TineError:
            return
        assert found == path.read_bytes()  # a digest of a line was hit, which the content does not need


KILLED = """
import sys
from pathlib import Path
from tests.app.folder.keeping.test_archive import keep, unit_of
root, folder = map(Path, sys.argv[1:])
print("begun", flush=True)
keep(folder, [unit_of(root, path) for path in sorted(root.glob("*.jsonl"))])
print("done", flush=True)
"""


@pytest.mark.parametrize("packs", [1, 2, 4])
def test_a_process_that_is_killed_leaves_an_archive_that_goes_on(tmp_path: Path, packs: int) -> None:
    root, folder = tmp_path / "agent", tmp_path / "archive"
    root.mkdir()
    for number in range(6):
        lines = (os.urandom(3000).hex().encode() + b"\n" for _ in range(1000))
        (root / f"{number}.jsonl").write_bytes(b"".join(lines))
    process = subprocess.Popen([sys.executable, "-c", KILLED, root, folder], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    while process.poll() is None and len(list((folder / "packs").glob("*.pack"))) < packs:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.002)  # to look all the time would take a processor from the other
    process.send_signal(signal.SIGKILL)
    assert "done" not in process.communicate()[0]
    found = [unit_of(root, path) for path in sorted(root.glob("*.jsonl"))]
    for page in Archive(folder).pages().values():  # what is there is whole
        source = next(unit.session.path for unit in found if unit.key == page.key)
        assert b"".join(Archive(folder).content(page.files[0])) == source.read_bytes()
    archive = keep(folder, found)
    for unit in found:
        page = archive.pages()[unit.key]
        assert b"".join(archive.content(page.files[0])) == unit.session.path.read_bytes()
    lines = stored_lines(archive)
    assert len(lines) == len(set(lines)) == 6000


def test_stopped_it_keeps_what_is_whole_and_goes_on_later(tmp_path: Path) -> None:
    root = tmp_path / "agent"
    root.mkdir()
    for number in range(4):
        (root / f"{number}.jsonl").write_bytes(os.urandom(500_000).hex().encode() + b"\n")
    found = [unit_of(root, path) for path in sorted(root.glob("*.jsonl"))]
    looks = iter([False, False, True])
    archive = keep(tmp_path / "archive", found, Pace(None, lambda: next(looks, True)))
    assert len(archive.pages()) == 2
    assert len(keep(tmp_path / "archive", found).pages()) == 4


def test_only_an_archive_is_removed_and_what_else_lies_there_stays(tmp_path: Path) -> None:
    root, folder = tmp_path / "agent", tmp_path / "archive"
    root.mkdir()
    (root / "one.jsonl").write_bytes(b"x\n")
    archive = keep(folder, [unit_of(root, root / "one.jsonl")])
    (folder / "mine.txt").write_text("mine")
    archive.remove()
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    assert not (folder / MARK).exists()
    with pytest.raises(TineError, match="no archive"):
        Archive(root).remove()
    assert (root / "one.jsonl").read_bytes() == b"x\n"


def test_a_session_is_restored_while_another_process_joins_the_packs(tmp_path: Path) -> None:
    root, folder = tmp_path / "agent", tmp_path / "archive"
    root.mkdir()
    found: list[Unit] = []
    for number in range(MOST_SMALL + 1):
        path = root / f"{number}.jsonl"
        path.write_bytes(b'{"line": %d}\n' % number)
        found.append(unit_of(root, path))
    for unit in found[:-1]:
        keep(folder, [unit])
    here = Archive(folder)
    assert restored(here, found[0], tmp_path / "first") == {"0.jsonl": b'{"line": 0}\n'}  # it knows the packs now
    keep(folder, found[-1:])
    assert len(list((folder / "packs").glob("*.pack"))) < MOST_SMALL
    assert restored(here, found[7], tmp_path / "second") == {"7.jsonl": b'{"line": 7}\n'}
