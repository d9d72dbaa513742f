"""A file that holds several runs: which one is opened is asked, and a run of it is a document like any other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.state.prompts import Choose
from opentine_gui.importers import readers
from opentine_gui.importers.reader import Reader
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.sources.parts import Part, choose, divide
from tests.app.conftest import Bench
from tests.conftest import run_of

CALLED = {"one": Part("one", "First", 5.0), "two": Part("two", "Second", 9.0)}


def _parts(path: Path) -> list[Part]:
    return [CALLED[name] for name in path.read_text().split()[1:]]


def _read(path: str | Path, **_how: Any) -> Reading:
    source, wanted = divide(path)
    part = choose(_parts(source), wanted, source)
    return Reading(run_of({"a": "", part.id: "a"}, run_id=part.id), sources=(source,))


@pytest.fixture
def database(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Path:
    several = Reader(
        "several", (".several",), lambda head: float(head.startswith(b"several")), _read, _parts, "Several"
    )
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, several))
    path = bench.folder / "kept.several"
    path.write_text("several one two")
    return path


def test_which_run_is_opened_is_asked_newest_first(bench: Bench, database: Path) -> None:
    bench.prompter.answers.append(None)
    bench.do("file.open", path=database)
    (question,) = bench.prompter.asked
    assert isinstance(question, Choose)
    assert [option.split(" · ")[0] for option in question.items] == ["Second", "First"]
    bench.do("file.open", question.items[1], path=database)
    assert bench.record.run_id == "one"
    bench.do("file.open", path=Path(f"{database}#two"))
    assert bench.record.run_id == "two"
    assert [document.path.name for document in bench.session.documents if document.path] == [
        "kept.several#one",
        "kept.several#two",
    ]


def test_a_file_with_one_run_is_opened_at_once_and_followed(bench: Bench, database: Path) -> None:
    database.write_text("several one")
    bench.do("file.open", path=database)
    assert bench.prompter.asked == []
    assert bench.record.run_id == "one"
    database.write_text("several two")
    bench.watch.post([database])
    bench.session.settle()
    assert bench.record.run_id == "two"


def test_runs_asked_in_the_same_words_are_named_by_what_differs_and_how_each_ended(
    bench: Bench, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = "Your objective is to find a flag, which is a string. Task: "
    for name, case, outcome in (("one", "crackme.py", "incorrect"), ("two", "cat and mouse", "")):
        monkeypatch.setitem(CALLED, name, Part(name, asked + case, outcome=outcome))
    bench.prompter.answers.append(None)
    bench.do("file.open", path=database)
    (question,) = bench.prompter.asked
    assert isinstance(question, Choose)
    assert question.items == ("…crackme.py · incorrect · one", "…cat and mouse · two")


def test_no_run_is_left_out_because_it_is_called_like_another(
    bench: Bench, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        monkeypatch.setitem(CALLED, name, Part(f"{name}-of-the-same-end", "Same"))
    bench.prompter.answers.append(None)
    bench.do("file.open", path=database)
    (question,) = bench.prompter.asked
    assert isinstance(question, Choose)
    assert question.items == ("Same · one-of-the-same-end", "Same · two-of-the-same-end")


def open_at_once(bench: Bench, *names: str) -> list[str]:
    """The tabs, in their order, after these files were asked for at once and the looks into them ended backwards."""
    bench.jobs.hold = True
    for name in names:
        if not (bench.folder / name).exists():
            (bench.folder / name).write_text("several one")
        bench.session.invoke("file.open", path=bench.folder / name)
    bench.session.step()
    bench.jobs.hold = False
    bench.jobs.held.reverse()
    bench.jobs.release()
    bench.session.settle()
    return [document.path.name for document in bench.session.documents if document.path is not None]


def test_tabs_stand_in_the_order_that_was_asked_for_whichever_file_is_read_first(bench: Bench, database: Path) -> None:
    bench.write("third.tine", run_of({"a": ""}))
    names = ["first.several", "second.several", "third.tine", "fourth.several"]
    assert open_at_once(bench, *names) == names
    assert bench.active.path == bench.folder / "fourth.several"
    bench.do("compare.open", a=bench.session.documents[0].number, b=bench.session.documents[1].number)
    members = bench.active.members
    assert members is not None and [member.path for member in members.members] == [
        bench.folder / "first.several",
        bench.folder / "second.several",
    ]


def test_a_file_that_is_not_opened_holds_no_other_up(bench: Bench, database: Path) -> None:
    bench.prompter.answers.append(None)
    assert open_at_once(bench, "kept.several", "next.several") == ["next.several"]
    bench.jobs.hold = True
    for name in ("stopped.several", "last.several"):
        (bench.folder / name).write_text("several one")
        bench.session.invoke("file.open", path=bench.folder / name)
    bench.session.step()
    bench.jobs.stop(f"parts:{bench.folder / 'stopped.several'}")
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert [document.path.name for document in bench.session.documents if document.path] == [
        "next.several",
        "last.several",
    ]
