"""Export of what is on show, through the one door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opentine_gui.core import storage
from tests.app.conftest import Bench
from tests.conftest import named, run_of

LEFT = {"a": "", "b": "a", "c": "b", "xd": "c"}
RIGHT = {"a": "", "b": "a", "e": "b", "f": "e"}


@pytest.fixture
def left(bench: Bench) -> Bench:
    bench.open("left.tine", run_of(LEFT, run_id="left", status="failed"))
    return bench


def test_the_ending_of_the_name_says_the_form(left: Bench) -> None:
    for ending, start in ((".svg", b"<svg"), (".html", b"<!"), (".png", b"\x89PNG"), (".mmd", b"flowchart")):
        path = left.folder / f"out{ending}"
        left.do("file.export", path=path)
        assert start in path.read_bytes()[:600], ending
    assert left.notices("error") == []
    assert left.notices("good")[-1].endswith("out.mmd")


def test_several_selected_steps_are_exported_alone(left: Bench) -> None:
    record = left.record
    left.do("select.step", step=named(record, "a"))
    left.do("select.add", step=named(record, "b"))
    left.do("file.export", path=left.folder / "part.tine")
    assert storage.read(left.folder / "part.tine").graph.ids == (named(record, "a"), named(record, "b"))


def test_the_user_is_asked_where_and_before_a_file_is_replaced(left: Bench) -> None:
    target = left.folder / "picture.svg"
    target.write_bytes(b"mine")
    left.do("file.export", (target,), "Keep it")
    assert target.read_bytes() == b"mine"
    left.do("file.export", (target,), "Replace")
    assert b"<svg" in target.read_bytes()


def test_the_open_file_is_never_exported_over(left: Bench) -> None:
    path = left.folder / "left.tine"
    before = path.read_bytes()
    left.do("file.export", path=path)
    assert path.read_bytes() == before
    assert "never overwritten" in left.notices("error")[0]


def test_a_form_that_does_not_exist_is_named(left: Bench) -> None:
    left.do("file.export", path=left.folder / "run.docx")
    assert "docx" in left.notices("error")[0]
    assert not (left.folder / "run.docx").exists()


def test_a_comparison_is_exported_whole_and_as_its_card(left: Bench) -> None:
    left.open("right.tine", run_of(RIGHT, run_id="right"))
    assert left.session.enabled("file.export_card") == "Compare two runs first."
    left.do("compare.open")
    left.do("file.export", path=left.folder / "both.json")
    assert json.loads((left.folder / "both.json").read_bytes())
    card = left.folder / "card.md"
    left.do("file.export_card", path=card)
    assert left.notices("error") == []
    assert "right" in card.read_text()
    drawn = left.folder / "card.svg"
    left.do("file.export_card", path=Path(drawn))
    assert b"<svg" in drawn.read_bytes()[:600]
