"""The list of a folder's runs: which folder, its rows, and which files are read again."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from opentine_gui.app.folder import folder_scan, runs_folder
from opentine_gui.app.folder.run_order import in_order
from opentine_gui.app.system.job import IsCancelled
from opentine_gui.core.files import storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of


@pytest.mark.parametrize(
    ("environment", "made", "expected"),
    [
        ({"OPENTINE_RUNS_DIR": "one", "TINE_RUNS_DIR": "two"}, True, "one"),
        ({"TINE_RUNS_DIR": "two"}, True, "two"),
        ({}, True, ".tine_runs"),
        ({"OPENTINE_RUNS_DIR": ""}, False, None),
    ],
)
def test_the_folder_is_the_first_that_is_named(
    tmp_path: Path, environment: dict[str, str], made: bool, expected: str | None
) -> None:
    if made:
        (tmp_path / ".tine_runs").mkdir()
    assert runs_folder.runs_folder(tmp_path, environment) == (tmp_path / expected if expected else None)


def test_the_opened_files_folder_is_listed_when_none_is_named(bench: Bench) -> None:
    assert bench.session.runs.folder is None
    bench.open("run.tine", run_of({"a": "", "b": "a"}, status="failed"))
    (found,) = bench.session.runs.rows
    assert (found.title, found.run_id, found.steps, found.status) == ("run", "example", 2, "failed")
    assert found.cost == pytest.approx(0.002)
    assert not found.cost_is_minimum
    assert found.model == "example-model"


def test_a_run_without_prices_has_no_cost_rather_than_none_to_pay(bench: Bench) -> None:
    bench.open("run.tine", run_of({"a": ""}, cost=0.0))
    assert bench.session.runs.rows[0].cost is None


def test_a_saved_fork_appears_below_its_source(bench: Bench) -> None:
    record = run_of({"a": "", "b": "a"})
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "a"), accept=True)
    bench.do("file.save_as", path=bench.folder / "fork.tine")
    assert [(found.title, found.depth) for found in bench.session.runs.rows] == [("run", 0), ("fork", 1)]


def test_runs_without_records_stand_below_the_oldest_that_shares_their_last_landmark(bench: Bench) -> None:
    def stored(name: str, shape: dict[str, str], age: float) -> None:
        record = msgspec.structs.replace(run_of(shape, run_id=name), created_at=1_770_000_000.0 - age)
        storage.write(bench.folder / f"{name}.tine", record)

    stored("source", {"a": "", "b": "a", "c": "b"}, age=50.0)
    stored("early", {"a": "", "other": "a"}, age=40.0)
    stored("late", {"a": "", "b": "a", "d": "b"}, age=30.0)
    stored("later", {"a": "", "b": "a", "d": "b", "e": "d"}, age=20.0)
    bench.open(
        "stranger.tine", msgspec.structs.replace(run_of({"z": ""}, run_id="stranger"), created_at=1_770_000_000.0)
    )
    rows = bench.session.runs.rows
    assert [(row.title, row.depth, row.related) for row in rows] == [
        ("stranger", 0, False),
        ("source", 0, False),
        ("early", 1, True),
        ("late", 1, True),
        ("later", 2, True),
    ]


def test_a_file_that_cannot_be_read_is_a_row_that_says_why(bench: Bench) -> None:
    (bench.folder / "bad.tine").write_bytes(b"nonsense")
    bench.do("file.open_folder", path=bench.folder)
    (found,) = bench.session.runs.rows
    assert found.title == "bad"
    assert found.unreadable
    assert "bad.tine" not in found.unreadable


def test_only_changed_files_are_read_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        bench.write(f"{number}.tine", run_of({"a": ""}, run_id=str(number)))
    bench.do("file.open_folder", path=bench.folder)
    read: list[str] = []
    real = runs_folder.summarise

    def counted(path: Path, cancelled: IsCancelled) -> runs_folder.RunSummary:
        read.append(path.name)
        return real(path, cancelled)

    monkeypatch.setattr(folder_scan, "summarise", counted)
    bench.write("1.tine", run_of({"a": "", "b": "a"}, run_id="1"))
    bench.write("new.tine", run_of({"a": ""}, run_id="new"))
    (bench.folder / "2.tine").unlink()
    bench.watch.post([bench.folder / name for name in ("1.tine", "2.tine", "new.tine", "0.tine")])
    bench.session.settle()
    assert sorted(read) == ["1.tine", "new.tine"]
    assert sorted((found.title, found.steps) for found in bench.session.runs.rows) == [("0", 1), ("1", 2), ("new", 1)]


def test_a_large_folder_is_listed_slice_by_slice(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_scan, "SLICE_SECONDS", 0.0)
    for number in range(11):
        bench.write(f"{number:02}.tine", run_of({"a": ""}, run_id=str(number)))
    before = bench.session.runs.revision
    bench.do("file.open_folder", path=bench.folder)
    assert len(bench.session.runs.rows) == 11
    assert bench.session.runs.revision - before >= 3


def test_links_and_other_files_are_not_listed(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret.tine"
    storage.write(elsewhere, run_of({"a": ""}))
    (bench.folder / "link.tine").symlink_to(elsewhere)
    (bench.folder / "note.txt").write_text("hello", encoding="utf-8")
    (bench.folder / "folder.tine").mkdir()
    bench.do("file.open_folder", path=bench.folder)
    assert bench.session.runs.rows == ()


def test_a_folder_that_cannot_be_listed_says_why(bench: Bench) -> None:
    bench.do("file.open_folder", path=bench.folder / "missing")
    assert "missing cannot be listed" in bench.session.runs.problem


def test_the_folder_that_led_to_one_in_it_is_known_there(bench: Bench) -> None:
    inner = bench.folder / "first" / "inner"
    inner.mkdir(parents=True)
    bench.do("file.open_folder", path=bench.folder)
    assert bench.session.runs.around == (bench.folder / "first",)
    bench.do("file.open_folder", path=inner.parent)
    assert bench.session.runs.around == (bench.folder, inner)
    bench.do("file.open_folder", path=inner)
    assert bench.session.runs.around == (inner.parent,)
    bench.do("file.open_folder", path=inner.parent)
    assert bench.session.runs.around == (bench.folder, inner), "and so on the way back"
    bench.do("file.open_folder", path=bench.folder)
    assert bench.session.runs.around == (bench.folder / "first",)


def test_the_runs_stand_in_the_order_that_was_asked_for(bench: Bench) -> None:
    for number, name in enumerate(("beta", "Alpha", "gamma")):
        path = bench.write(f"{name}.tine", run_of({str(step): "" for step in range(number + 1)}, run_id=name))
        os.utime(path, (1_000_000 * (3 - number), 1_000_000 * (3 - number)))
    bench.do("file.open_folder", path=bench.folder)
    runs = bench.session.runs

    def names(order: str) -> list[str]:
        return [row.path.stem for row in in_order(runs.shown(), order, runs.files)]

    assert names("name") == ["Alpha", "beta", "gamma"]
    assert names("steps") == ["gamma", "Alpha", "beta"]
    assert names("changed") == ["beta", "Alpha", "gamma"]
    assert names("family") == [row.path.stem for row in runs.rows]
    assert names("unknown") == names("family")


def test_the_folders_in_the_folder_are_known_by_name(bench: Bench) -> None:
    for name in ("second", "first", ".hidden", "__pycache__"):
        (bench.folder / name).mkdir()
    bench.write("a.tine", run_of({"a": ""}, run_id="a"))
    bench.do("file.open_folder", path=bench.folder)
    assert bench.session.runs.below == (bench.folder / "first", bench.folder / "second")
    bench.watch.post([bench.write("b.tine", run_of({"a": ""}, run_id="b"))])
    bench.session.settle()
    assert len(bench.session.runs.rows) == 2
    assert len(bench.session.runs.below) == 2, "a look at one file forgets no folder"
    bench.do("file.open_folder", path=bench.folder / "missing")
    assert bench.session.runs.below == ()


def test_a_change_that_comes_while_files_are_read_is_looked_at_afterwards(bench: Bench) -> None:
    bench.write("a.tine", run_of({"a": ""}, run_id="a"))
    bench.jobs.hold = True
    bench.session.invoke("file.open_folder", path=bench.folder)
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.write("b.tine", run_of({"a": ""}, run_id="b"))
    bench.watch.post([bench.folder / "b.tine", bench.folder.parent / "elsewhere.tine"])
    bench.session.settle()
    assert {row.run_id for row in bench.session.runs.rows} == {"a", "b"}


def test_an_open_file_is_not_read_a_second_time_for_its_row(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write("other.tine", run_of({"a": ""}, run_id="other"))
    read: list[str] = []
    real = runs_folder.summarise

    def noted(path: Path, cancelled: IsCancelled) -> runs_folder.RunSummary:
        read.append(path.name)
        return real(path, cancelled)

    monkeypatch.setattr(folder_scan, "summarise", noted)
    bench.open("run.tine", run_of({"a": "", "b": "a"}, run_id="open"))
    assert read == ["other.tine"]
    assert {(row.run_id, row.steps) for row in bench.session.runs.rows} == {("open", 2), ("other", 1)}


def test_large_files_are_read_after_all_others_each_in_a_job_of_its_own(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = {str(number): "" for number in range(20)}
    for name in ("a", "c"):
        bench.write(f"{name}.tine", run_of(shape, run_id=name))
    for name in ("b", "d"):
        bench.write(f"{name}.tine", run_of({"a": ""}, run_id=name))
    monkeypatch.setattr(folder_scan, "LARGE_FILE_BYTES", (bench.folder / "b.tine").stat().st_size)
    shown: list[set[str]] = []
    jobs, real = bench.jobs, bench.jobs.submit
    priorities: list[int] = []

    def submit(key: str, *arguments: object, priority: int = 0, **options: object) -> None:
        if key == "runs":
            priorities.append(priority)
            shown.append({row.run_id for row in bench.session.runs.rows})
        real(key, *arguments, priority=priority, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(jobs, "submit", submit)
    bench.do("file.open_folder", path=bench.folder)
    assert priorities == [2, 6, 6]
    assert shown == [set(), {"b", "d"}, {"a", "b", "d"}]
    assert len(bench.session.runs.rows) == 4


def test_after_a_stopped_reading_the_next_change_brings_the_whole_list(bench: Bench) -> None:
    for name in ("a", "b"):
        bench.write(f"{name}.tine", run_of({"a": ""}, run_id=name))
    bench.jobs.hold = True
    bench.session.invoke("file.open_folder", path=bench.folder)
    bench.step()
    bench.session.invoke("job.cancel", key="runs")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.session.runs.rows == ()
    bench.write("c.tine", run_of({"a": ""}, run_id="c"))
    bench.watch.post([bench.folder / "c.tine"])
    bench.session.settle()
    assert {row.run_id for row in bench.session.runs.rows} == {"a", "b", "c"}
