"""Runs of tool calls in a row, or with branches, for the tests of what follows from a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentine_gui.core import RunRecord, RunStatus, Step, StepKind
from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.suspicion.call_facts import call_facts
from opentine_gui.core.analysis.suspicion.open_checks import OpenEnd, open_end
from opentine_gui.core.edit.new_step import new_step
from tests.core.sample_runs import make_record

START = 1_770_000_000.0


class Recording:
    """Builds a run step by step; each step follows the last one unless it is given parents (positions)."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.last: list[int] = []

    def add(self, kind: StepKind, inputs: dict[str, Any], *, after: Sequence[int] | None = None, **fields: Any) -> int:
        """Add a step; returns its position."""
        parents = self.last if after is None else after
        fields.setdefault("timestamp", START + 10 * len(self.steps))
        step = new_step(kind, inputs, [self.steps[parent].id for parent in parents], **fields)
        self.steps.append(step)
        self.last = [len(self.steps) - 1]
        return self.last[0]

    def call(self, name: str, arguments: Any, result: Any = "", *, failed: str = "", **fields: Any) -> int:
        """Add a tool call."""
        error = {"type": "tool_error", "message": failed} if failed else fields.pop("error", {})
        outputs = {"result": result} if result != "" else {}
        return self.add(StepKind.TOOL, {"name": name, "arguments": arguments}, outputs=outputs, error=error, **fields)

    def ask(self, text: str, **fields: Any) -> int:
        """Add a person's turn."""
        return self.add(StepKind.MODEL, {"text": text}, v3_kind="human", **fields)

    def say(self, text: str, **fields: Any) -> int:
        """Add a response of the model."""
        return self.add(StepKind.MODEL, {}, outputs={"text": text}, model_info="a-model", **fields)

    def record(self, **fields: Any) -> RunRecord:
        """The run."""
        return make_record(self.steps, **fields)


def session_of_edits() -> RunRecord:
    """Two turns in which a file is read, edited twice and checked, and another one written."""
    run = Recording()
    run.ask("Make it two")
    run.say("I look at it first")
    run.call("Read", {"file_path": "/w/src/a.py"}, "1\tdef f():\n2\t    return 1\n3\t# end\n")
    run.call("Edit", {"file_path": "/w/src/a.py", "old_string": "return 1", "new_string": "return 2"}, "ok")
    run.call("Bash", {"command": "pytest -q"}, failed="src/a.py:2: AssertionError")
    run.ask("Make it three")
    run.say("Now for three")
    run.call("Edit", {"file_path": "/w/src/a.py", "old_string": "return 2", "new_string": "return 3"}, "ok")
    run.call("Write", {"file_path": "/w/notes.md", "content": "three\n"}, "ok")
    return run.record()


def failing_session() -> RunRecord:
    """A run that fails: an edit (step 3) of the file that the last failure names, and a refused call after step 4."""
    run = Recording()
    run.ask("Make it two")
    run.say("I look at it first")
    run.call("Bash", {"command": "pytest -q"}, "2 passed")
    run.call("Edit", {"file_path": "/w/src/a.py", "old_string": "return 1", "new_string": "return two"}, "ok")
    run.say("I push it")
    refused = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
    run.call("Bash", {"command": "git push"}, error=refused)
    run.say("Then I test it")
    run.call("Bash", {"command": "pytest -q"}, failed='File "/w/src/a.py", line 2, in f\nNameError: two')
    return run.record(run_id="failing", status=RunStatus.FAILED, metadata={"title": "A failing run"})


def ended(run: Recording) -> OpenEnd:
    """How what was checked in a run ended."""
    graph = run.record().graph
    path = range(len(graph))
    facts = call_facts(graph, (step for step in path if graph.kinds[step] is StepKind.TOOL))
    return open_end(graph, path, facts, touched_files(graph))


def shell(run: Recording, command: str, *, failed: str = "") -> int:
    """Add a command; returns its step."""
    return run.call("Bash", {"command": command}, failed=failed) if failed else run.call("Bash", {"command": command})
