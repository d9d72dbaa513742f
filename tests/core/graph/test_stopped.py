"""What a person refused or interrupted, or has no result, is no failure, however the steps come into a graph."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import Graph, StepKind
from opentine_gui.core.analysis.suspicion.failures import Sort, failed, has_failed
from opentine_gui.core.files.reader import decode
from opentine_gui.core.files.writer import encode
from opentine_gui.core.graph.outcomes.stopped import stopped_by
from tests.core.analysis.call_runs import Recording

ERRORS: dict[str, tuple[dict[str, Any], str]] = {
    "refused": ({"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}, "refused"),
    "by its message": ({"type": "failed", "message": "User denied execution."}, "refused"),
    "not granted": (
        {"type": "failed", "message": "Claude requested permissions to write to /a, but you haven't granted it yet."},
        "refused",
    ),
    "interrupted": ({"type": "interrupted", "message": "aborted by user"}, "interrupted"),
    "a program's words": ({"type": "failed", "message": "bash: /etc/shadow: Permission denied"}, ""),
    "a patch not taken": ({"type": "rejected", "message": "patch rejected: empty patch"}, ""),
    "never answered": ({"type": "no_result", "message": "no result recorded"}, "unanswered"),
    "a tool's own words": ({"type": "failed", "message": "No result"}, ""),
    "of another shape": ({"type": ["rejected"], "message": {"text": "interrupted"}}, ""),
}


@pytest.mark.parametrize(("error", "how"), ERRORS.values(), ids=ERRORS)
def test_an_error_says_whether_a_person_stopped_the_step(error: dict[str, Any], how: str) -> None:
    assert stopped_by(error) == how
    run = Recording()
    run.ask("go")
    call = run.call("Bash", {"command": "git push"}, error=error)
    run.say("then")
    record = run.record()
    read = decode(encode(record))
    for graph in (record.graph, read.graph, Graph.of(run.steps[:1]).with_steps(run.steps)):
        assert graph.stopped.get(call, "") == how
        assert bool(graph.failed[call]) is not bool(how), "it failed, or somebody stopped it"
        assert has_failed(graph, call)
        sort = failed(graph, call).sort
        assert not how or sort.value == how
        assert how or sort not in (Sort.REFUSED, Sort.INTERRUPTED)


def test_parts_of_a_graph_keep_what_was_stopped() -> None:
    run = Recording()
    run.ask("go")
    run.call("Bash", {"command": "ls"}, error=ERRORS["refused"][0])
    run.call("Bash", {"command": "ls"}, error=ERRORS["a program's words"][0])
    stopped = run.add(StepKind.ERROR, {}, error=ERRORS["interrupted"][0])
    graph = run.record().graph
    assert graph.stopped == {1: "refused", stopped: "interrupted"}
    longer = graph.with_steps(Recording().steps)
    assert longer.stopped == graph.stopped


@given(st.dictionaries(st.sampled_from(["type", "code", "message", "reason"]), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists, max_leaves=3
)))  # fmt: skip
def test_no_error_is_too_strange_to_be_looked_at(error: dict[str, Any]) -> None:
    assert stopped_by(error) in ("", "refused", "interrupted", "unanswered")
