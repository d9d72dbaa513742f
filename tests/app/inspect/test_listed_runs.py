"""The rows of the list of runs, with the open documents among them."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from opentine_gui.app.actions.finding import run_list
from opentine_gui.app.document.tab_names import told_apart_by
from opentine_gui.app.folder.run_rows import RunSummary, status_of
from opentine_gui.app.inspect.listed_runs import (
    FOLDERS,
    OTHERS,
    STATUS_MEANS,
    cost_and_time,
    entries_key,
    figure_words,
    heads_open_runs,
    left_out_words,
    list_entries,
    lists_any,
    run_words,
    steps_and_cost,
    summary_of_document,
)
from opentine_gui.app.search.query import parse_query
from opentine_gui.app.search.scan_run import fits_run
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import run_of
from tests.core.sample_runs import make_record, make_step

DEMO = Path(__file__).parents[3] / "assets" / "demo"
RECORDED = Path(__file__).parents[2] / "data" / "recordings" / "claude-code"


def test_a_fork_is_listed_below_its_source_and_a_filter_leaves_out_what_does_not_match(
    bench: Bench,
) -> None:
    for name in ("first", "second"):
        bench.write(f"{name}.tine", make_record([make_step(name)], run_id=name, metadata={"title": name}))
    (bench.folder / "deeper").mkdir()
    source = bench.open("first.tine")
    session = bench.session
    session.invoke("file.open_folder", path=bench.folder)
    session.settle()
    session.invoke("run.fork", step=bench.record.graph.ids[0])
    bench.do("proposal.accept")
    fork = session.active
    assert fork is not source
    entries = list_entries(session)
    place = next(number for number, entry in enumerate(entries) if entry.document is source)
    assert (entries[place + 1].document, entries[place + 1].depth) == (fork, entries[place].depth + 1)
    assert entries[entries.index(FOLDERS) + 1 :][-1].folder == bench.folder / "deeper"
    assert OTHERS not in entries
    row = entries[place].run
    assert row is not None
    assert run_words(session, row).splitlines()[0] == str(bench.folder / "first.tine")
    session.invoke("runs.filter", text="second")
    session.settle()
    kept = list_entries(session)
    assert [entry.run.title if entry.run else entry.document for entry in kept] == ["second", None, fork]
    assert kept[1] == OTHERS, "a fork that is in no file is hidden by no filter"
    session.invoke("runs.filter", text="fork")
    session.settle()
    kept = list_entries(session)
    assert [entry.document for entry in kept] == [None, fork], "the one it came from does not match"
    assert kept[0] == OTHERS
    session.invoke("runs.filter", text="'cannot be read")
    session.settle()
    assert [entry.document for entry in list_entries(session)] == [None, source, fork]


def test_a_run_of_another_folder_is_listed_where_it_matches_the_filter(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name, status in (("good", "completed"), ("bad", "failed")):
        storage.write(elsewhere / f"{name}.tine", run_of({"a": ""}, run_id=name, status=status))
        bench.do("file.open", path=elsewhere / f"{name}.tine")
    bench.write("listed.tine", run_of({"a": ""}, run_id="listed", status="failed"))
    bench.do("file.open_folder", path=bench.folder)
    bench.do("runs.filter", text="status:failed")
    entries = list_entries(bench.session)
    assert [entry.run.title if entry.run else entry.document and entry.document.title for entry in entries] == [
        "listed", None, "bad.tine",
    ]  # fmt: skip


def test_the_filter_that_is_suggested_finds_the_runs_with_a_red_ring(bench: Bench) -> None:
    failing = run_of({"a": "", "xb": "a"}, run_id="failing")
    bench.write("failing.tine", failing)
    bench.write("fine.tine", run_of({"a": ""}, run_id="fine"))
    bench.do("file.open_folder", path=bench.folder)
    bench.do("runs.filter", text="failures:>0")
    shown = [entry.run.title for entry in list_entries(bench.session) if entry.run]
    assert shown == ["failing"]
    bench.do("runs.filter", text="failures:<1")
    assert [entry.run.title for entry in list_entries(bench.session) if entry.run] == ["fine"]
    bench.do("runs.filter", text="failures:0")
    assert [entry.run.title for entry in list_entries(bench.session) if entry.run] == ["fine"]
    document = bench.open("failing.tine")
    assert document.record is not None
    assert fits_run(parse_query("failures:>0"), document.record)
    assert not fits_run(parse_query("failures:0"), document.record)
    assert not fits_run(parse_query("failures:>1"), document.record)


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("error:", ["failing"]),
        ("-error:", ["failed", "fine"]),
        ("fail", ["failed", "failing"]),
        ("failing", ["failing"]),
        ("failure", ["failing"]),
        ("failed", ["failed"]),
        ("status:failed", ["failed"]),
        ("status:fail", []),
    ],
)
def test_failing_runs_are_found_by_every_word_for_them(bench: Bench, text: str, titles: list[str]) -> None:
    bench.write("failing.tine", run_of({"a": "", "xb": "a"}, run_id="one"))
    bench.write("failed.tine", run_of({"a": ""}, run_id="two", status="failed"))
    bench.write("fine.tine", run_of({"a": ""}, run_id="three"))
    bench.do("file.open_folder", path=bench.folder)
    bench.do("runs.filter", text=text)
    assert sorted(entry.run.title for entry in list_entries(bench.session) if entry.run) == titles
    assert bench.session.runs.filter_problem == ""


def test_a_filter_by_what_is_no_field_names_it_and_those_there_are(bench: Bench) -> None:
    bench.write("a: colon.tine", run_of({"a": ""}, run_id="one"))
    bench.do("file.open_folder", path=bench.folder)
    fields = "failures, error, model, cost, duration, id, title, tag, status, harness, after, before."
    bench.do("runs.filter", text="failed:yes")
    assert bench.session.runs.filter_problem == f"“failed:” is no field: there are {fields}"
    bench.do("runs.filter", text="kind:tool")
    said = bench.session.runs.filter_problem
    assert said.startswith("The list knows nothing of kind") and said.endswith(f"There are {fields}")
    for text in ("a:", "https://nowhere", "'failed:yes'"):  # one stands in a name, one is no field, one a text
        bench.do("runs.filter", text=text)
        assert bench.session.runs.filter_problem == "", text


def test_files_that_are_no_runs_are_counted_at_the_foot_and_named(bench: Bench) -> None:
    bench.write("listed.tine", run_of({"a": ""}))
    (bench.folder / "empty.jsonl").touch()
    (bench.folder / "binary.jsonl").write_bytes(bytes(range(256)))
    (bench.folder / "note.txt").write_text("not worth a look", encoding="utf-8")
    bench.do("file.open_folder", path=bench.folder)
    foot = list_entries(bench.session)[-1]
    assert left_out_words(foot.left_out) == (
        "2 files not shown",
        "binary.jsonl: its format is not known\nempty.jsonl: it is empty",
    )
    (bench.folder / "empty.jsonl").unlink()
    (bench.folder / "binary.jsonl").unlink()
    bench.watch.post([bench.folder / "empty.jsonl", bench.folder / "binary.jsonl"])
    bench.session.settle()
    assert not list_entries(bench.session)[-1].left_out


def test_runs_from_everywhere_are_headed_as_open_runs_and_not_by_a_folder_that_holds_none(
    bench: Bench, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    storage.write(elsewhere / "run.tine", run_of({"a": ""}))
    bench.do("file.open_folder", path=bench.folder)
    bench.do("file.open", path=elsewhere / "run.tine")
    assert heads_open_runs(bench.session, list_entries(bench.session))
    bench.write("listed.tine", run_of({"a": ""}, run_id="listed"))
    bench.do("file.reload")
    entries = list_entries(bench.session)
    assert not heads_open_runs(bench.session, entries)
    assert OTHERS in entries


def test_the_figure_of_an_order_says_what_is_not_known() -> None:
    run = RunSummary(Path("a.tine"), steps=2, cost=0.0, failures=0, duration=75.0, created_at=1_770_000_000.0)
    said = {
        order: figure_words(run, order, 0.0) for order in ("begun", "failures", "cost", "duration", "steps", "changed")
    }
    assert said == {
        "begun": "2 Feb 2026", "failures": "none", "cost": "$0.00", "duration": "1 min 15 s", "steps": "2",
        "changed": "",
    }  # fmt: skip
    unknown = RunSummary(Path("a.tine"), cost_is_minimum=True)
    assert figure_words(unknown, "cost", 0.0) == "not priced"
    assert {figure_words(unknown, order, 0.0) for order in ("begun", "failures", "duration")} == {"not recorded"}


@pytest.mark.parametrize("name", ["research-01.tine", "retry-01.tine"])
def test_the_list_counts_the_failures_that_the_open_run_has(bench: Bench, name: str) -> None:
    shutil.copy(DEMO / name, bench.folder)
    bench.do("file.open_folder", path=bench.folder)
    (listed,) = bench.session.runs.rows
    document = bench.open(name)
    assert listed.failures == len(document.notable_steps.failures)
    assert summary_of_document(document).failures == listed.failures


def test_the_tooltip_names_the_agent_the_failures_and_what_a_plain_dot_says(bench: Bench) -> None:
    shutil.copy(next((RECORDED / "2.1.197-c-errors").rglob("*.jsonl")), bench.folder / "log.jsonl")
    bench.write("own.tine", run_of({"a": ""}))
    bench.do("file.open_folder", path=bench.folder)
    log, own = sorted(bench.session.runs.rows, key=lambda row: row.path.name)
    assert log.failures
    words = run_words(bench.session, log)
    assert f"{log.failures} failure" in words
    assert "\nClaude Code · " in words
    assert STATUS_MEANS[status_of(log)] in words
    assert (own.agent, own.failures) == ("", 0)
    assert "failure" not in run_words(bench.session, own)


def test_forks_of_a_session_are_told_apart_by_what_was_asked_last(bench: Bench) -> None:
    projects = RECORDED / "2.1.197-e-fork" / "home" / ".claude" / "projects"
    for file in projects.rglob("*.jsonl"):
        shutil.copy(file, bench.folder)
    bench.session.invoke("file.open_folder", path=bench.folder)
    bench.session.settle()
    rows = [entry for entry in list_entries(bench.session) if entry.run is not None]
    assert {entry.run.title for entry in rows if entry.run} == {"First question"}
    first, *forks = rows
    assert first.goes_on_with == ""
    assert all(entry.goes_on_with for entry in forks)
    assert len({entry.goes_on_with for entry in forks}) == len(forks) > 1
    for entry in rows:
        assert entry.run is not None
        bench.do("file.open", path=entry.run.path)
    offered = [notice.text for notice in bench.session.notices.list() if "belong" in notice.text]
    assert offered == ["3 other sessions belong together with “First question”."]  # once, not for each that is open
    told = {told_apart_by(document) for document in bench.session.documents}
    assert told >= {entry.goes_on_with for entry in forks}


@pytest.mark.parametrize(("asked", "found"), [("  Then this\nand more", "Then this"), ("x" * 300_000, ""), (None, "")])
def test_what_was_asked_last_is_read_in_no_time(asked: str | None, found: str) -> None:
    first = make_step("first")
    prompt = make_step(asked, first.id, v3_kind="human")
    answer = make_step("answer", prompt.id)
    assert make_record([first, prompt, answer]).asked_last == found


def test_costs_too_large_to_be_added_are_no_infinite_dollars() -> None:
    run: Any = SimpleNamespace(since_fork=None, cost=float("inf"), cost_is_minimum=True, steps=27, duration=0.0)
    assert steps_and_cost(run) == "27 · > $1e+308"
    assert cost_and_time(run) == "> $1e+308 · time not recorded"
    run.duration = 141.0
    assert cost_and_time(run) == "> $1e+308 · 2 min 21 s over all steps", "the headline may give the time by the clock"
    run.cost = 2214.11
    assert steps_and_cost(run) == "27 · ≥ $2,214.11"


def test_no_list_is_made_anew_for_what_changes_in_an_open_run(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "abc":
        bench.write(f"{name}.tine", run_of({name: ""}, run_id=name))
    bench.do("file.open_folder", path=bench.folder)
    bench.open("b.tine")
    session = bench.session
    session.settings.runs_order = "name"
    key, rows = entries_key(session), session.runs.ordered("name")
    bench.do("run.add_step", step=bench.record.graph.ids[0], accept=True)
    assert entries_key(session) == key
    assert session.runs.ordered("name") is rows
    monkeypatch.setattr(run_list, "list_entries", lambda _session: pytest.fail("a list is made"))
    for action in ("runs.focus", "runs.open_marked"):
        session.enabled(action)
    assert lists_any(session)


def test_the_list_is_made_anew_for_another_run_order_file_or_filter(bench: Bench) -> None:
    session = bench.session
    assert not lists_any(session)
    bench.write("a.tine", run_of({"a": ""}))
    bench.do("file.open_folder", path=bench.folder)
    seen = [entries_key(session)]

    def is_another() -> bool:
        seen.append(entries_key(session))
        return seen[-1] not in seen[:-1]

    bench.open("a.tine")
    assert is_another()
    bench.do("run.fork", step=bench.record.graph.ids[0], accept=True)
    assert is_another()
    bench.do("file.save_as", path=bench.folder / "b.tine")
    assert is_another()
    session.settings.runs_order = "name"
    assert is_another()
    for text, any_row in (("failures:>0", False), ("failures:0", True)):
        bench.do("runs.filter", text=text)
        assert is_another()
        assert lists_any(session) is any(entry.opens for entry in list_entries(session)) is any_row
    bench.do("run.add_step", step=bench.record.graph.ids[0], accept=True)
    assert is_another(), "the filter may find the open run or not, as it is now"
