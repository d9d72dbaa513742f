"""What is copied may be pasted into a terminal or a page: only JSON and a value asked for carry it as recorded."""

from __future__ import annotations

import ast
import re
import unicodedata
from pathlib import Path

import msgspec
import pytest

import opentine_gui
from opentine_gui.app.files.exporting import parts_of
from opentine_gui.app.inspect.clipboard_text import LARGE
from opentine_gui.app.state.window_state import ValuePlace
from opentine_gui.core import FormatError, RunRecord
from opentine_gui.core.progress import Pace
from opentine_gui.export import report
from opentine_gui.export.request import ExportRequest
from tests.app.canvas.folded_runs import fold_of, long_run
from tests.app.conftest import Bench
from tests.core.sample_runs import make_record, make_step

HOSTILE = "rm -rf\n\x1b[31m\u202e\u200b\x9b1m![x](http://evil.example/x.png) | a | <img src=x> ``` " + "\u0e49" * 40
STEERS = ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp")


def hostile_run() -> RunRecord:
    step = make_step(HOSTILE, outputs={"answer": HOSTILE})
    named = msgspec.structs.replace(step, id=f"id | {HOSTILE}")
    with pytest.raises(FormatError):  # a kind is one of a list, and never a text
        msgspec.structs.replace(step, v3_kind=f"![k](http://evil.example/k.png){HOSTILE}")
    return make_record([named], run_id=HOSTILE, metadata={"title": HOSTILE})


COPIES = ["edit.copy_id", "edit.copy_markdown", "edit.copy_totals", "edit.copy_value_markdown"]


@pytest.mark.parametrize("action", COPIES)
def test_a_copied_text_holds_nothing_that_steers_what_it_is_pasted_into(bench: Bench, action: str) -> None:
    bench.open("run.tine", hostile_run())
    bench.do("select.all")
    bench.do(action)
    (text,) = bench.copied
    assert [char for char in text if unicodedata.category(char) in STEERS and char != "\n"] == []
    assert "\u0e49" * 5 not in text
    if action == "edit.copy_id":
        assert "\n" not in text
    if "markdown" not in action:
        return
    outside = re.sub(r"(?ms)^(`{3,}).*?^\1$", "", text)
    assert "![" not in re.sub(r"`+[^`]*`+", "", outside)


def test_json_and_a_value_that_is_asked_for_are_copied_as_recorded(bench: Bench) -> None:
    bench.open("run.tine", hostile_run())
    step = bench.record.graph.ids[0]
    bench.do("edit.copy_value", value=ValuePlace(step, ("outputs", "answer")))
    bench.do("edit.copy_json", step=step)
    assert bench.copied[0] == HOSTILE
    assert msgspec.json.decode(bench.copied[1])["id"] == step


LARGE_COPIES = ["edit.copy_markdown", "edit.copy_json", "edit.copy_value", "edit.copy_value_markdown"]


@pytest.mark.parametrize("action", LARGE_COPIES)
def test_a_large_text_is_made_in_a_job_and_gives_way_to_what_is_copied_meanwhile(bench: Bench, action: str) -> None:
    """Five steps of 20 MB held a frame for 4.3 s."""
    bench.open("run.tine", make_record([make_step(HOSTILE + "word " * (LARGE // 4))]))
    bench.do("select.all")
    bench.jobs.hold = True
    bench.session.invoke(action)
    bench.step()
    assert bench.copied == []
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    (text,) = bench.copied
    assert len(text) > LARGE
    assert ("\u202e" in text) == (action in ("edit.copy_json", "edit.copy_value"))
    bench.jobs.hold = True
    bench.session.invoke(action)
    bench.session.invoke("edit.copy_id")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.copied[1:] == [bench.record.graph.ids[0]]


def test_a_copied_path_is_one_line(bench: Bench) -> None:
    bench.open("a\n\x1b[31mb.tine", make_record([make_step("x")]))
    bench.do("runs.copy_path")
    assert bench.copied == [str(bench.folder / "a b.tine")]


def test_an_id_stays_in_its_cell_of_the_report(bench: Bench) -> None:
    record = hostile_run()
    text = report.write(ExportRequest(records=(record,)), Pace()).decode()
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", re.sub(r"\\\\", "", row)) for row in rows]
    assert len({len(row) for row in cells}) == 1


def test_nothing_else_writes_to_the_clipboard() -> None:
    package = Path(opentine_gui.__file__).parent
    texts = {path: path.read_text() for path in package.rglob("*.py")}
    naming = {path: text for path, text in texts.items() if ".clipboard" in text}
    assert package / "app" / "session.py" in naming
    for path, text in naming.items():
        for node in ast.walk(ast.parse(text)):
            called = node.func if isinstance(node, ast.Call) else None
            if isinstance(called, ast.Attribute) and called.attr == "clipboard":
                assert path.relative_to(package) == Path("app/session.py"), f"{path}:{called.lineno}"


def test_of_a_selected_group_all_steps_are_copied_and_exported_as_many_as_are_said_to_be_selected(bench: Bench) -> None:
    document = bench.open("long.tine", long_run())
    fold = fold_of(document)
    group = next(card for card in range(len(fold)) if fold.is_group(card))
    steps = fold.steps(group)
    bench.do("select.step", step=document.picture.step_id(group))
    bench.do("edit.copy_id")
    assert bench.copied[-1].split("\n") == [bench.record.graph.ids[step] for step in sorted(steps)]
    bench.do("edit.copy_json")
    assert len(msgspec.json.decode(bench.copied[-1])) == len(steps) > 1
    parts = parts_of(bench.session, document)
    assert parts["selection"] == document.selected_steps
    assert next(iter(parts)) == "cards", "a group is selected to be looked at, like a step"
    assert len(document.selected_steps) == len(steps)
    bench.do("inspect.read", step=document.selection.primary)
    bench.do("edit.copy_id")
    assert bench.copied[-1] == document.selection.primary, "the step that is read"
