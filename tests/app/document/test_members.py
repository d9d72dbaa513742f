"""The names of runs that are shown together are distinct, and say what tells them apart."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.document.members import Member, disambiguate


def names(*members: tuple[str, str | None]) -> list[str]:
    made = [Member(title, None, Path(path) if path is not None else None, None) for title, path in members]
    return [member.title for member in disambiguate(made)]


def test_runs_of_one_name_in_two_folders_are_told_apart_by_these() -> None:
    assert names(("run", "/a/monday/run.tine"), ("run", "/a/tuesday/run.tine"), ("other", "/a/other.tine")) == [
        "monday/run",
        "tuesday/run",
        "other",
    ]


def test_runs_of_one_name_in_one_folder_are_counted() -> None:
    chats = "/home/me/.claude/projects/-home-me-project"
    assert names(("Mend it", f"{chats}/a.jsonl"), ("Mend it", f"{chats}/b.jsonl"), ("Mend it", None)) == [
        "Mend it",
        "Mend it (2)",
        "Mend it (3)",
    ]
