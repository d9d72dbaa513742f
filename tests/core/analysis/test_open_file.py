"""Edits of the file that is open in an editor: the call names none, its answer does."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core.analysis.files.file_text import text_at
from opentine_gui.core.analysis.files.touched_files import touched_files
from tests.core.analysis.call_runs import Recording

HEADING = "[File: /w/src/a.py (2 lines total)]\r\n1:def f():\r\n2:    return 2"
REPLACED = "Text replaced. Please review the changes.\n" + HEADING


@pytest.mark.parametrize(
    ("tool", "arguments", "answer"),
    [
        ("edit", {"search": "return 1", "replace": "return 2"}, REPLACED),
        ("insert", {"text": "x = 1"}, HEADING),
        ("insert", {"text": "x = 1", "line": 1}, HEADING),
        ("bash", {"command": "edit 2:2\n    return 2\nend_of_edit\n"}, HEADING),
    ],
)
def test_an_edit_that_names_no_file_is_of_the_one_that_its_answer_shows(
    tool: str, arguments: dict[str, Any], answer: str
) -> None:
    run = Recording()
    read = run.call("open", {"path": "src/a.py"}, HEADING.replace("/w/", ""))
    step = run.call(tool, arguments, answer)
    (file,) = touched_files(run.record().graph).files
    assert (file.path, file.reads, file.changes, file.unsure) == ("/w/src/a.py", (read,), (step,), ())


def test_the_commands_of_the_editor_open_and_create_files_too() -> None:
    run = Recording()
    made = run.call("bash", {"command": "create src/a.py\n"}, HEADING)
    read = run.call("bash", {"command": "open src/a.py 200\n"}, HEADING)
    (file,) = touched_files(run.record().graph).files
    assert (file.reads, file.changes, file.unsure) == ((read,), (made,), (made,))


def test_an_edit_without_a_heading_in_its_answer_or_that_failed_is_of_no_file() -> None:
    run = Recording()
    run.call("edit", {"search": "return 1", "replace": "return 2"}, "Your edit was not applied")
    run.call("bash", {"command": "edit 2:2\nrm a.py\nend_of_edit"}, failed=HEADING)
    assert not touched_files(run.record().graph).files


def test_lines_that_were_replaced_by_their_numbers_are_of_the_step_that_wrote_them() -> None:
    run = Recording()
    run.call("Write", {"file_path": "/w/src/a.py", "content": "def f():\n    return 1\n# end\n"}, "ok")
    step = run.call("bash", {"command": "edit 2:2\n    x = 2\n    return x\nend_of_edit\n"}, HEADING)
    end = run.call("insert", {"text": "f()"}, HEADING)
    graph = run.record().graph
    text = text_at(graph, touched_files(graph).files[0], end)
    assert text.text == "def f():\n    x = 2\n    return x\n# end\nf()\n"
    assert text.writers[1:3] == (step, step)
    assert text.writers[4] == end
