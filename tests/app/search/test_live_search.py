"""The session's search: results while one types, a new question drops the old one, open runs are followed."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from opentine_gui.app.search import search_job
from opentine_gui.app.search.completion import completions, phrase_of, values_in
from opentine_gui.app.search.query import parse_query
from opentine_gui.app.search.step_search import StepSearch
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.app.system.job import Job
from opentine_gui.core import write
from tests.app.conftest import Bench
from tests.conftest import named, run_of

FRUIT = {"apples": "", "pears": "apples", "more apples": "pears", "apples again": "more apples"}


@pytest.fixture
def searching(bench: Bench) -> Bench:
    bench.open("fruit.tine", run_of(FRUIT))
    bench.do("search.open")
    return bench


def test_each_letter_asks_again_and_only_the_last_answer_counts(searching: Bench) -> None:
    session = searching.session
    searching.jobs.hold = True
    for text in ("p", "pe", "apples"):
        session.invoke("search.ask", text=text)
        session.step()
    searching.jobs.hold = False
    searching.jobs.release()
    session.settle()
    assert (session.search.text, session.search.steps, session.search.times) == ("apples", 3, 3)


def test_a_search_that_is_stopped_says_that_it_ended_early_and_the_next_question_is_answered(searching: Bench) -> None:
    search = searching.session.search
    searching.jobs.hold = True
    searching.session.invoke("search.ask", text="apples")
    searching.session.step()
    assert search.running
    searching.session.invoke("job.cancel", key="search")
    searching.session.step()
    assert not search.running and search.problem == "The search ended early: it was stopped"
    searching.jobs.hold = False
    searching.do("search.ask", text="pears")
    assert (search.problem, search.steps) == ("", 1)


def test_an_edit_is_searched_again_and_undo_too(searching: Bench) -> None:
    session = searching.session
    searching.do("search.ask", text="apples")
    searching.do("run.fork", step=named(searching.record, "pears"))
    searching.do("proposal.accept")
    searching.do("search.ask", scope="open")
    assert sorted(run.steps for run in session.search.runs) == [1, 3]


def test_a_file_that_cannot_be_read_lets_the_search_come_to_rest(searching: Bench) -> None:
    (searching.folder / "broken.tine").write_bytes(b"{")
    broken = searching.open("broken.tine")
    assert broken.record is None
    searching.do("search.ask", text="apples", scope="open")
    revision, at_rest = searching.session.search.revision, broken.annotations
    for _ in range(5):
        searching.session.step()
    assert searching.session.search.revision == revision
    assert broken.annotations is at_rest, "what is written beside no steps is not new each time"
    assert searching.session.jobs.idle


def test_a_new_list_of_runs_is_searched_even_where_the_old_one_lay_in_memory(
    searching: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = searching.session
    shown = [list(session.listed())]
    monkeypatch.setattr(session, "listed", lambda: shown[0])
    searching.do("search.ask", text="apples", scope="folder")
    searched, address = session.search.runs, id(shown[0])
    rows, tried = [*shown[0]], []
    shown.clear()
    while len(tried) < 100 and (not tried or id(tried[-1]) != address):
        tried.append([*rows])
    shown.append(tried[-1])
    session.settle()
    assert session.search.runs is not searched


def test_next_walks_through_the_runs_in_order_and_back(searching: Bench) -> None:
    session = searching.session
    searching.open("more.tine", run_of({"x": "", "apples of another run": "x"}, run_id="more"))
    searching.do("search.ask", text="apples", scope="open")
    search = session.search
    assert [run.steps for run in search.runs] == [3, 1]
    walked = [(0, 0)]
    for _ in range(4):
        target = search.next(walked[-1], 1)
        assert target is not None
        walked.append(target)
    assert walked == [(0, 0), (0, 2), (0, 3), (1, 1), (0, 0)]
    assert search.next((0, 0), -1) == (1, 1)
    assert search.next(None, -1) == (1, 1)


@pytest.mark.parametrize("scope", ["open", "folder"])
def test_a_comparison_is_none_of_the_runs_that_are_searched(searching: Bench, scope: str) -> None:
    searching.open("other.tine", run_of({**FRUIT, "plums": "apples"}))
    run = searching.active
    searching.do("file.open_folder", path=searching.folder)
    searching.do("compare.open", a=searching.session.documents[0].number, b=run.number)
    comparison = searching.active
    assert comparison.members is not None
    searching.do("search.ask", text="pears", scope=scope)
    search = searching.session.search
    assert sorted(hits.name for hits in search.runs if hits.steps) == ["fruit.tine", "other.tine"]
    searching.do("search.show", run=[hits.document for hits in search.runs].index(run.number), place=0)
    assert searching.active is run
    searching.do("document.activate", document=comparison.number)
    searching.do("search.ask", text="pears", scope="run")
    assert [hits.document for hits in search.runs] == [comparison.number], "in the one in front it is asked for alone"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("failed:yes", "“failed:” is no field: there are kind, tool, error, model"),
        ("status:failed", "The status of this run is “completed”; error: finds failed steps."),
        ("failures:>0 status:failed", "failures: and status: asks about whole runs, and this one does not fit."),
        ("nowhere", ""),
        ("https://nowhere", ""),
        ("'failed:yes'", ""),
        ("apples", ""),
    ],
)
def test_where_nothing_is_found_it_is_said_what_there_is_not(searching: Bench, text: str, said: str) -> None:
    searching.do("search.ask", text=text)
    advice = searching.session.search.advice
    assert advice == said or (said and advice.startswith(said))
    searching.do("search.ask", text="apples")
    assert searching.session.search.advice == ""


def test_a_search_for_failing_runs_alone_finds_the_steps_that_failed(searching: Bench) -> None:
    searching.open("failing.tine", run_of({"a": "", "xb": "a", "c": "xb"}, run_id="failing"))
    searching.do("search.ask", text="failures:>0", scope="run")
    (hits,) = searching.session.search.runs
    assert hits.positions == [1]
    searching.do("search.ask", text="failures:>0 kind:think")
    (hits,) = searching.session.search.runs
    assert hits.positions == [0, 2], "of a failing run what is asked for"
    searching.do("search.ask", text="failures:<5")
    (hits,) = searching.session.search.runs
    assert hits.positions == [0, 1, 2]


def test_a_question_without_an_answer_is_told_once(searching: Bench) -> None:
    searching.do("search.ask", text="plums")
    searching.do("search.next")
    assert searching.notices("info") == ["Nothing was found."]


def test_what_is_lit_changes_at_most_ten_times_a_second(searching: Bench) -> None:
    search = searching.session.search
    searching.do("search.ask", text="apples")
    before = search.lit_revision
    for _ in range(5):
        searching.session.step()
    assert search.lit_revision == before


def test_a_result_is_described_with_title_and_snippet(searching: Bench) -> None:
    search = searching.session.search
    searching.do("search.ask", text="APPLES")
    shown = search.describe(0, 1)
    assert (shown.step, shown.title) == (named(searching.record, "more apples"), "more apples")
    assert shown.snippet is not None
    assert shown.snippet.text[shown.snippet.start : shown.snippet.end] == "apples"


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("", []),
        ("ki", ["kind:"]),
        ("word to", ["tool:", "tokens:"]),
        ("t", ["text:", "tool:", "tokens:", "title:", "tag:"]),
        ("tool:", ["bash", "edit file"]),
        ("tool:e", ["edit file"]),
        ("-kind:m", ["model", "human"]),
        ("nothing:", []),
        ('text:"ki', []),
        ("/ki", []),
    ],
)
def test_a_query_is_completed_with_fields_and_with_values_that_are_there(typed: str, labels: list[str]) -> None:
    found = completions(typed, {"tool": ("bash", "edit file")})
    assert sorted(one.label for one in found) == sorted(labels)


def test_a_completed_value_reads_as_one_word() -> None:
    assert [one.text for one in completions("a tool:e", {"tool": ("edit file",)})] == ['a tool:"edit file" ']
    assert [one.text for one in completions("-kin", {})] == ["-kind:"]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("backup  already exists", '"backup already exists"'),
        ("say \\n", '"say \\\\n"'),
        ("one", ""),
        ('"two words"', ""),
        ('two "wor', ""),
        ("tool:bash ls", ""),
        ("tide -wave", ""),
        ("/a b/", ""),
    ],
)
def test_words_can_be_asked_for_side_by_side(text: str, phrase: str) -> None:
    found = phrase_of(text)
    assert (found.text if found is not None else "") == phrase
    if found is not None:
        assert [one.text for one in parse_query(found.text).conditions] == [" ".join(text.split())]


def test_values_are_those_of_the_run(searching: Bench) -> None:
    found = values_in(searching.record.graph, lambda: False)
    assert found["kind"] == ("think",)
    never: Callable[[], bool] = lambda: True  # noqa: E731
    assert values_in(searching.record.graph, never) == {"kind": (), "tool": (), "model": ()}


def test_of_patterns_in_files_as_many_results_are_shown_as_of_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_job, "MOST_SHOWN", 7)
    names = {f"apple {number}": f"apple {number - 1}" if number else "" for number in range(5)}
    paths = [write(tmp_path / f"{number}.tine", run_of(names)) for number in range(3)]
    files = search_job.Files({path: place for place, path in enumerate(paths)}, {})
    for text in ("apple", "/appl./"):
        sent: list[search_job.Batch] = []
        job = search_job.SearchJob(StepSearch(parse_query(text)), 1, {}, files, sent.append)
        job.run(lambda *_: None, lambda: False)
        found, shown = ([len(getattr(batch, part)) for batch in sent[:-1]] for part in ("found", "shown"))
        assert (sum(found), sum(shown)) == (15, 7), text


def test_the_index_of_another_folder_is_closed_in_a_job_and_not_in_a_frame(
    searching: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    working: list[str] = []
    closed: list[tuple[Path, bool]] = []
    execute = Job.execute

    def executed(job: Job) -> None:
        working.append(job.key)
        execute(job)
        working.pop()

    monkeypatch.setattr(Job, "execute", executed)
    monkeypatch.setattr(TextIndex, "close", lambda index: closed.append((index.folder, bool(working))))
    searching.do("search.ask", text="apples", scope="folder")
    other = tmp_path / "other"
    other.mkdir()
    write(other / "a.tine", run_of(FRUIT))
    searching.do("file.open_folder", path=other)
    searching.do("search.ask", text="pears", scope="folder")
    assert closed == [(searching.folder, True)], "a frame would wait where its file is written just now"


def test_a_run_that_is_closed_stays_in_memory_for_no_search_that_was_left(searching: Bench) -> None:
    search = searching.session.search
    searching.open("other.tine", run_of({"apples": ""}, run_id="other"))
    searching.do("search.ask", text="apples", scope="open")
    searching.do("search.close")
    closed = weakref.ref(searching.record.graph)
    searching.do("file.close")
    gc.collect()
    assert closed() is None
    assert [(run.name, run.steps) for run in search.runs] == [("fruit.tine", 3)]
    kept = search.runs[0]
    searching.do("search.next")
    assert (search.runs, search.steps) == ([kept], 3), "what was found in the other one is shown again"
