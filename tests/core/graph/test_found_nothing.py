"""A search that found nothing ends with exit code 1: however the run is read, it is counted apart, and no failure."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import Graph, Step, StepKind, read, write
from opentine_gui.core.analysis.suspicion.failures import has_failed
from opentine_gui.core.graph.outcomes.failures import failures_in
from opentine_gui.core.graph.outcomes.stopped import FOUND_NOTHING
from opentine_gui.core.structure.structure import Structure
from tests.core.sample_runs import make_record

SILENT = "(no output)\n\nCommand exited with code 1"


def call(command: str, printed: str = SILENT, message: str = SILENT) -> Step:
    """A call of a shell that its agent records as failed."""
    inputs: dict[str, Any] = {"name": "bash", "arguments": {"command": command}}
    return Step(
        id="0" * 12, parent_ids=(), kind=StepKind.TOOL, inputs=inputs, model_info="m", timestamp=1.0,
        outputs={"result": printed}, error={"type": "failed", "message": message},
    )  # fmt: skip


def graph_of(step: Step) -> Graph:
    return make_record([step]).graph


@pytest.mark.parametrize(
    "command", ["grep -n parser src/a.ts", "cd src && rg 'a && b'", "cat a.txt | grep b", "git grep needle"]
)
def test_a_search_that_found_nothing_is_counted_apart(command: str, tmp_path: Any) -> None:
    made = graph_of(call(command))
    again = read(write(tmp_path / "run.tine", make_record([call(command)]))).graph
    for graph in (made, again):
        assert graph.stopped == {0: FOUND_NOTHING}
        assert not graph.failed[0] and failures_in(graph) == () and not has_failed(graph, 0)
        structure = Structure(graph, 0)
        assert structure.failures_in(0, 1) == 0
    assert again.ids == make_record([call(command)]).graph.ids


@pytest.mark.parametrize(
    "step",
    [
        call("grep b missing.txt", *["grep: missing.txt: No such file or directory\n\nCommand exited with code 2"] * 2),
        call("npm test"),
        call("npm run build && grep -q done log.txt"),
        call("grep a b.txt", "b.txt: binary", "Command exited with code 1"),
        call("grep a b | wc -l"),
        call("! grep a b.txt"),
    ],
)
def test_any_other_failure_stays_one(step: Step) -> None:
    graph = graph_of(step)
    assert graph.failed[0] and not graph.stopped
