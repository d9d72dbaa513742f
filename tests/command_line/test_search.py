"""`search` on the command line: a line for each step, the exit status, JSON, and text that cannot steer a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opentine_gui import cli
from opentine_gui.app.search.search_job import fill_index
from opentine_gui.app.search.text_index import TextIndex
from opentine_gui.command_line import files
from opentine_gui.core import write
from opentine_gui.core.files.storage import plain_fingerprint
from tests.conftest import named, run_of

ESCAPE = "\x1b[31mred\x1b]0;title\x07\u202egnp.exe"
SHAPE = {"plan the trip": "", "pack the bag": "plan the trip", f"the {ESCAPE} end": "pack the bag"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "one.tine", run_of(SHAPE))
    write(tmp_path / "two.tine", run_of({"nothing here": ""}, run_id="two"))
    return tmp_path


def test_each_found_step_is_a_line_with_its_file_and_id(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", "PACK bag", str(folder)]) == 0
    step = named(run_of(SHAPE), "pack the bag")
    assert capsys.readouterr().out == f"{folder}/one.tine#{step[:12]}  pack the bag  pack the bag\n"


def test_nothing_found_is_1_and_a_bad_query_or_file_is_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", "elephants", str(folder)]) == 1
    assert cli.main(["search", "cost:much", str(folder)]) == 2
    assert cli.main(["search", "  ", str(folder)]) == 2
    assert cli.main(["search", "--regex", "(", str(folder)]) == 2
    (folder / "three.tine").write_text("no run")
    assert cli.main(["search", "the", str(folder)]) == 2
    said = capsys.readouterr()
    assert "amount of money" in said.err and "three.tine" in said.err
    assert said.out.count("one.tine#") == 3


def test_recorded_text_cannot_steer_the_terminal(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", "end", str(folder / "one.tine")]) == 0
    said = capsys.readouterr().out
    assert said.count("\n") == 1 and said.removesuffix("\n").isprintable()


def test_json_has_every_match_with_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["search", "--regex", r"\bt(he|rip)\b", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    first = next(one for one in found["results"] if one["step"] is not None)
    assert (first["type"], first["where"], first["times"]) == ("match", "inputs.text", 2)
    assert first["text"][first["start"] : first["end"]] == "the"
    assert {one["file"] for one in found["results"] if one["step"]} == {str(folder / "one.tine")}


QUERIES = (
    ["pack bag"],
    ["the"],
    ["text"],
    ["kind:think the"],
    ["--regex", "t(he|rip)"],
    ["elephants"],
    ["no"],
    ["-bag"],
)


def test_with_an_index_it_finds_what_it_finds_without(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "broken.tine").write_text("{")

    def answers() -> list[tuple[int, str, str]]:
        return [(cli.main(["search", *asked, str(folder)]), *capsys.readouterr()) for asked in QUERIES]

    without = answers()
    fill(folder)
    assert answers() == without
    assert {code for code, *_ in without} == {2}, "a file that cannot be read is said to be one either way"


def test_an_index_says_which_files_need_not_be_read_as_long_as_they_are_the_same(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    real = files.readers.read_run
    monkeypatch.setattr(files.read_run, "__defaults__", (lambda path: (read.append(path.name), real(path))[1],))
    fill(folder)
    assert cli.main(["search", "pack", str(folder)]) == 0
    assert read == ["one.tine"]
    write(folder / "two.tine", run_of({"pack it again": ""}, run_id="two"))
    assert cli.main(["search", "pack", str(folder)]) == 0
    assert read == ["one.tine", "one.tine", "two.tine"]
    assert "two.tine#" in capsys.readouterr().out
    assert cli.main(["search", "elephants", str(folder)]) == 1, "no run may be left, but it is no folder without runs"


def fill(folder: Path) -> None:
    """Make the folder's index, as the window does."""
    index = TextIndex(folder)
    prints = {path: print_ for path in sorted(folder.iterdir()) if (print_ := plain_fingerprint(path)) is not None}
    while fill_index(index, prints, lambda: False):
        pass
    index.close()
