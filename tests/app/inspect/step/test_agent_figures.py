"""The figures of a sub-agent's first step: what its own steps took together, and what of it is not recorded."""

from __future__ import annotations

from opentine_gui.app.inspect.figures import step_figures
from opentine_gui.core import StepKind
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import Recording


def test_a_sub_agent_has_the_sums_of_its_own_steps_and_says_what_is_not_recorded(bench: Bench) -> None:
    run = Recording()
    run.ask("go")
    call = run.call("Task", {"description": "Review the reader"})
    agent = run.add(StepKind.MODEL, {}, v3_kind="subagent", after=[call])
    for number in range(3):
        last = run.say(f"Part {number} is wrong.", usage={"input": 100, "output": 20}, duration=30.0)
    run.say("All is wrong.", after=[call, last], usage={"input": 9_000}, cost=1.0)
    document = bench.open("agents.tine", run.record())
    figures = {figure.label: figure for figure in step_figures(document, bench.record.graph.step(agent))}
    assert figures["Its steps"].value == "4"
    assert figures["Worked"].value == "50 s"
    assert figures["Tokens"].value == "360"
    assert figures["Tokens"].hint == "Of its 4 steps together."
    assert figures["Cost"].value == "not priced"
    assert "Figures" not in figures, "which would say that nothing is recorded"
