"""Titles of groups in which nobody speaks."""

from __future__ import annotations

from msgspec import structs

from opentine_gui.core import StepKind
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_title import _work
from tests.core.sample_runs import make_record, make_step


def test_a_group_that_only_writes_the_plan_names_the_task_in_progress() -> None:
    items = [
        {"content": "Read the parser", "status": "completed"},
        {"content": "Mend the parser. Then test it.", "status": "in_progress"},
    ]
    inputs = {"tool": "TodoWrite", "arguments": {"todos": items}}
    step = structs.replace(make_step("", kind=StepKind.TOOL), inputs=inputs)
    structure = Structure(make_record([step]).graph, 0)
    assert _work(structure, [0]) == "Plan: Mend the parser"
