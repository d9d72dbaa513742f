"""The figures of a sub-agent's first step: what its own steps took together, and what of it is not recorded."""

from __future__ import annotations

import gc
from weakref import ref

from opentine_gui.app.inspect.figures import WHY_NOT_PRICED, step_figures
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


def test_what_of_a_step_is_not_recorded_is_named_and_why_a_cost_is_not_priced_is_said(bench: Bench) -> None:
    run = Recording()
    run.ask("go")
    call = run.call("Read", {"file_path": "a"})
    said = run.say("Done", usage={"input": 100})
    document = bench.open("bare.tine", run.record())
    graph = bench.record.graph
    values = [figure.value for figure in step_figures(document, graph.step(call))]
    assert "duration not recorded" in values
    figures = {figure.label: figure for figure in step_figures(document, graph.step(said))}
    assert figures["Cost"].value == "not priced"
    assert figures["Cost"].tooltip == WHY_NOT_PRICED


def test_the_sums_of_a_sub_agent_do_not_keep_a_run_that_was_closed(bench: Bench) -> None:
    run = Recording()
    run.ask("go")
    call = run.call("Task", {"description": "Review the reader"})
    agent = run.add(StepKind.MODEL, {}, v3_kind="subagent", after=[call])
    run.say("All is wrong.", usage={"input": 100}, duration=30.0)
    document = bench.open("agents.tine", run.record())
    step_figures(document, bench.record.graph.step(agent))
    graph = ref(bench.record.graph)
    del document
    bench.do("file.close")
    gc.collect()
    assert graph() is None


def test_the_time_of_an_edit_that_waited_is_said_to_be_a_wait(bench: Bench) -> None:
    run = Recording()
    run.ask("go")
    edit = {"file_path": "/w/a.py", "old_string": "a", "new_string": "b"}
    quick = run.call("Edit", edit, "ok", duration=0.5)
    long = run.call("Edit", edit, "ok", duration=940.0)
    document = bench.open("waits.tine", run.record())
    graph = bench.record.graph
    figures = [{one.label: one for one in step_figures(document, graph.step(step))} for step in (quick, long)]
    assert [one["Duration"].value for one in figures] == ["0.5 s", "waited 15 min 40 s"]
    assert figures[1]["Duration"].tooltip.startswith("940.0 s\nProbably waiting for somebody to allow it")
