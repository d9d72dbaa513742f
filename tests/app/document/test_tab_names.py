"""Tabs show the part in which their names differ."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.document.tab_names import TabName, tab_names


def test_a_beginning_that_tabs_share_is_left_out() -> None:
    found = tab_names(
        [("eval-gpqa-long-01.tine", None, ""), ("eval-gpqa-long-02.tine", None, ""), ("other.tine", None, "")]
    )
    assert found == [
        TabName("eval-gpqa-long-01", "…01"),
        TabName("eval-gpqa-long-02", "…02"),
        TabName("other", "other"),
    ]


def test_two_files_of_one_name_get_their_folders() -> None:
    found = tab_names([("run.tine", Path("/a/monday/run.tine"), ""), ("run.tine", Path("/a/tuesday/run.tine"), "")])
    assert [name.whole for name in found] == ["monday/run", "tuesday/run"]


def test_two_tabs_of_one_file_are_counted() -> None:
    file = Path("/a/monday/run.tine")
    found = tab_names([("run.tine", file, ""), ("run.tine", file, ""), ("run.tine", Path("/a/tuesday/run.tine"), "")])
    assert [name.whole for name in found] == ["monday/run", "monday/run 2", "tuesday/run"]
    found = tab_names([("run.tine", file, ""), ("run.tine", file, "")])
    assert [name.whole for name in found] == ["run", "run 2"]


def test_sessions_that_begin_alike_get_their_agents_and_those_of_one_agent_numbers() -> None:
    folder = Path("/home/me/.pi/agent/sessions/--home-me-project--")
    found = tab_names([
        ("Mend the reader", folder / "a.jsonl", "pi"),
        ("Mend the reader", Path("/home/me/.claude/projects/-home-me-project/b.jsonl"), "Claude Code"),
        ("Mend the reader", folder / "c.jsonl", "pi"),
        ("Something else", folder / "d.jsonl", "pi"),
    ])  # fmt: skip
    assert found == [
        TabName("Mend the reader · pi", "…pi"),
        TabName("Mend the reader · Claude Code", "…Claude Code"),
        TabName("Mend the reader · pi 2", "…pi 2"),
        TabName("Something else", "Something else"),
    ]


def test_endings_of_formats_are_left_out_unless_they_alone_tell_two_files_apart() -> None:
    titles = ["traceforge__crewai.jsonl", "traceforge__goose.jsonl", "mini.traj.json", "a.json", "a.jsonl", "note.md"]
    found = tab_names([(title, Path("/logs") / title, "") for title in titles])
    assert [name.whole for name in found] == [
        "traceforge__crewai", "traceforge__goose", "mini", "a.json", "a.jsonl", "note.md",
    ]  # fmt: skip
    assert [name.differing for name in found][:2] == ["…crewai", "…goose"]


def test_runs_of_one_task_are_told_apart_by_their_files() -> None:
    files = ["marshmallow-1867.traj", "pydicom-1458.traj", "demo.traj"]
    found = tab_names([("We're currently solving", Path("/logs") / file, "SWE-agent") for file in files])
    assert [name.differing for name in found] == ["…marshmallow-1867", "…pydicom-1458", "…demo"]
    assert found[0].whole == "We're currently solving · marshmallow-1867"


def test_names_of_one_word_that_begin_alike_keep_the_letters_in_which_they_differ() -> None:
    found = tab_names([("experimentnumbera.tine", None, ""), ("experimentnumberb.tine", None, "")])
    assert [name.differing for name in found] == ["…a", "…b"]


def test_two_pairs_that_differ_in_the_same_word_keep_their_whole_names() -> None:
    titles = ["monday-a", "monday-b", "friday-a", "friday-b"]
    assert [name.differing for name in tab_names([(title, None, "") for title in titles])] == titles


def test_what_marks_a_fork_is_never_left_out_as_a_beginning_that_names_share() -> None:
    titles = ["read the package", "Fork of read the package", "Fork 2 of read the package"]
    assert tab_names([(title, None, "") for title in titles]) == [
        TabName(titles[0], titles[0]),
        TabName(titles[1], titles[1], "Fork of "),
        TabName(titles[2], titles[2], "Fork 2 of "),
    ]
    alike = [*titles, "read the notes", "Fork of read the notes", "Fork of Fork of read the notes"]
    assert [name.differing for name in tab_names([(title, None, "") for title in alike])] == [
        "…package",
        "Fork of …package",
        "Fork 2 of …package",
        "…notes",
        "Fork of …notes",
        "Fork of Fork of …notes",
    ]


def test_a_fork_in_a_file_and_its_source_keep_their_beginnings() -> None:
    asked = "can you run multiple agents reviewing the changes in the branch and also check the hooks"
    saved = "Fork of can you run multiple agents reviewing the changes in"
    named = tab_names([(asked, None, ""), (saved, None, "")])
    assert named == [TabName(asked, asked), TabName(saved, saved, "Fork of ")]


def test_merges_keep_what_they_are_called_as_forks_do() -> None:
    titles = [
        "read the package",
        "Merge of read the package and Fork of it",
        "Merge of Fork of it and read the package",
    ]
    named = [name.differing for name in tab_names([(title, None, "") for title in titles])]
    assert [name.startswith("Merge of") for name in named] == [False, True, True]


def test_a_title_that_was_cut_is_not_marked_as_cut_twice() -> None:
    asked = "can you run multiple agents and also…"
    named = tab_names([(asked, None, ""), (f"{asked} · Let's do these first", None, "")])
    assert [name.differing for name in named] == [asked, "…Let's do these first"]


@given(st.lists(st.text("ab-_. ", max_size=20), max_size=8))
def test_different_names_stay_different_and_none_is_emptied(titles: list[str]) -> None:
    found = tab_names([(title, None, "") for title in titles])
    assert len(found) == len(titles)
    for name in found:
        assert name.differing == name.whole or len(name.differing) > 1
        same = [other for other in found if other.differing == name.differing]
        assert {other.whole for other in same} == {name.whole} or not name.differing.startswith("…")
