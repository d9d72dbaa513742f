"""Folders as the file chooser lists them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opentine_gui.app.folder.browse import (
    FolderEntry,
    breadcrumbs,
    filter_entries,
    is_path,
    list_folder,
    split_typed,
    typed_path,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("zeta.tine", "Alpha.tine", "notes.txt", ".hidden"):
        (tmp_path / name).write_text("x")
    for name in ("sub", ".tine_runs", ".git"):
        (tmp_path / name).mkdir()
    return tmp_path


def names(folder: Path, *, hidden: bool = False) -> list[str]:
    return [entry.name for entry in list_folder(folder, hidden=hidden).entries]


def test_runs_come_first_then_folders_then_the_rest(folder: Path) -> None:
    assert names(folder) == ["Alpha.tine", "zeta.tine", ".tine_runs", "sub", "notes.txt"]


def test_hidden_names_are_shown_when_asked_for(folder: Path) -> None:
    assert {".git", ".hidden"} <= set(names(folder, hidden=True))


def test_size_and_time_are_those_on_disk(folder: Path) -> None:
    os.utime(folder / "notes.txt", (1_770_000_000, 1_770_000_000))
    entry = next(entry for entry in list_folder(folder).entries if entry.name == "notes.txt")
    assert (entry.size, entry.changed, entry.is_folder, entry.is_run) == (1, 1_770_000_000.0, False, False)


def test_a_folder_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    listing = list_folder(tmp_path / "missing")
    assert listing.entries == ()
    assert "missing cannot be listed: No such file or directory" in listing.problem


def test_a_dangling_link_does_not_spoil_the_list(folder: Path) -> None:
    (folder / "gone.tine").symlink_to(folder / "nowhere")
    assert "gone.tine" in names(folder)


def test_names_that_begin_with_the_typed_text_come_first() -> None:
    entries = [FolderEntry("research.tine", False), FolderEntry("search.tine", False), FolderEntry("sea", True)]
    assert [entry.name for entry in filter_entries(entries, "SEA")] == ["search.tine", "sea", "research.tine"]
    assert [entry.name for entry in filter_entries(entries, "", folders_only=True)] == ["sea"]
    assert filter_entries(entries, "x") == []


def test_filtering_compares_no_entry_with_another(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[object] = []
    monkeypatch.setattr(FolderEntry, "__eq__", lambda self, other: compared.append(other) or self is other)
    entries = [FolderEntry(f"{'ab'[number % 2]}a{number}", False) for number in range(50)]
    assert len(filter_entries(entries, "a")) == 50
    assert compared == []


def test_a_typed_path_is_relative_to_the_folder_on_show(folder: Path, home: Path) -> None:
    assert typed_path("sub/../zeta.tine", folder) == folder / "zeta.tine"
    assert typed_path(str(folder / "a b.tine"), Path("/")) == folder / "a b.tine"
    assert typed_path("~/run.tine", folder) == home / "run.tine"
    assert typed_path("   ", folder) is None
    assert typed_path("a\0b", folder) is None


def test_completion_works_on_the_last_part_of_a_typed_path(folder: Path) -> None:
    assert split_typed(f"{folder}/ze", Path("/")) == (folder, "ze")
    assert split_typed("sub/x", folder) == (folder / "sub", "x")
    assert split_typed("/et", folder) == (Path("/"), "et")
    assert split_typed("ze", folder) == (folder, "ze")
    assert is_path("sub/x")
    assert is_path("~")
    assert not is_path("zeta")


def test_the_way_up_begins_at_the_root() -> None:
    assert breadcrumbs(Path("/a/b")) == [("/", Path("/")), ("a", Path("/a")), ("b", Path("/a/b"))]
