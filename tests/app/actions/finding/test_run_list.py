"""The list of runs by keyboard."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.actions.finding.run_list import NOTHING_LISTED
from opentine_gui.app.folder.run_rows import RunSummary, runs_called
from opentine_gui.app.inspect.keys import lists_by_key
from opentine_gui.core.files import storage
from tests.app.actions.conftest import cases_of, covers
from tests.app.conftest import Bench
from tests.conftest import run_of


def listed(bench: Bench) -> list[Path]:
    """List a folder of three runs, none of them open; returns their files in the order of the list."""
    folder = bench.folder / "listed"
    folder.mkdir()
    for name in ("one", "two", "three"):
        storage.write(folder / f"{name}.tine", run_of({name: ""}, run_id=name))
    bench.do("file.open_folder", path=folder)
    bench.session.runs.scan(bench.session)
    bench.session.settle()
    return [row.path for row in bench.session.runs.rows]


def press(bench: Bench, *chords: str) -> None:
    for chord in chords:
        bench.press(chord)
        bench.session.settle()


@covers("runs.mark_next")
def goes_down_while_no_run_is_open(bench: Bench) -> None:
    assert bench.session.enabled("runs.mark_next") == NOTHING_LISTED
    files = listed(bench)
    press(bench, "Down")
    assert bench.session.view.list_mark == files[0]
    press(bench, "Down", "Down", "Down")
    assert bench.session.view.list_mark == files[2]


@covers("runs.mark_previous")
def goes_up_and_stays_at_the_first(bench: Bench) -> None:
    files = listed(bench)
    press(bench, "Up")
    assert bench.session.view.list_mark == files[-1]
    press(bench, "Up", "Up", "Up")
    assert bench.session.view.list_mark == files[0]


@covers("runs.open_marked")
def opens_what_is_marked(bench: Bench) -> None:
    files = listed(bench)
    bench.press("Enter")
    bench.session.settle()
    assert bench.session.documents == []
    press(bench, "Down", "Down", "Enter")
    assert bench.active.path == files[1]
    assert not lists_by_key(bench.session)
    press(bench, "Down")  # of the canvas again
    assert bench.session.view.list_mark is None


@covers("runs.open_first")
def opens_what_is_listed_first(bench: Bench) -> None:
    assert bench.session.enabled("runs.open_first") == NOTHING_LISTED
    files = listed(bench)
    bench.do("runs.filter", text=files[2].stem)
    bench.do("runs.open_first")
    assert bench.active.path == files[2]
    bench.do("runs.filter", text="is in no run")
    assert bench.session.enabled("runs.open_first") == "No run matches the filter."


@covers("runs.focus")
def gives_the_list_the_keyboard_while_a_run_is_open(bench: Bench) -> None:
    files = listed(bench)
    bench.do("file.open", path=files[1])
    number = bench.active.number
    bench.session.view.panels = False
    press(bench, "F6")
    assert bench.session.view.panels
    assert bench.session.view.list_mark == number
    press(bench, "Down")
    assert bench.session.view.list_mark == files[2]
    press(bench, "Esc")
    assert not bench.session.view.list_keys
    assert bench.active.path == files[1]
    press(bench, "F6", "Up", "Enter")
    assert bench.active.path == files[0]
    press(bench, "F6", "F6")
    assert not bench.session.view.list_keys
    for _ in range(2):  # a second time it is not taken back
        bench.do("runs.focus", first=True)
        assert bench.session.view.list_keys
        assert bench.session.view.list_mark == bench.active.number, "the first one, which is open"


def test_runs_are_found_by_every_word_of_title_or_file_name() -> None:
    rows = [RunSummary(Path(f"/{name}.tine"), title=title) for name, title in (("a", "Fix the cat"), ("b", "Cat"))]
    assert [row.path.stem for row in runs_called(rows, ["cat"])] == ["b", "a"]
    assert [row.path.stem for row in runs_called(rows, ["cat", "a.ti"])] == ["a"]
    assert runs_called(rows, []) == []


test_case = cases_of(__name__)
