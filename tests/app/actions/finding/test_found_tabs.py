"""The tab that is turned to is one that shows what was found, for every kind of step and every part of it."""

from __future__ import annotations

from typing import Any

import pytest

from opentine_gui.core import RunRecord, StepKind
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import Recording

WORD = "thimble"
EDIT = {"file_path": "/w/a", "old_string": "x = 1", "new_string": f"x = {WORD}"}


def agent(run: Recording, **inputs: Any) -> int:
    said = {"agent": "Explore", "description": "Look around", "prompt": "Look at it", **inputs}
    return run.add(StepKind.MODEL, said, v3_kind="subagent", outputs={"text": "done"})


def model(run: Recording, inputs: dict[str, Any] | None = None, **fields: Any) -> int:
    fields.setdefault("outputs", {"text": "well"})
    return run.add(StepKind.MODEL, inputs or {}, **fields)


CASES = {
    "a sub-agent's prompt": (lambda run: agent(run, prompt=f"Find the {WORD}"), "Call", "Result"),
    "its description": (lambda run: agent(run, description=f"A {WORD}"), "Result", "Call"),
    "a call's argument": (lambda run: run.call("Bash", {"command": f"ls {WORD}"}, "none"), "Result", "Call"),
    "a call's long argument": (lambda run: run.call("Bash", {"command": f"ls {WORD}\n" * 9}, "none"), "Result", "Call"),
    "a call's result": (lambda run: run.call("Bash", {"command": "ls"}, f"a {WORD}"), "Call", "Result"),
    "what a call wrote": (lambda run: run.call("Write", {"file_path": "/w/a", "content": WORD}, "ok"), "Call", "Call"),
    "what it wrote, in its result": (
        lambda run: run.call("Write", {"file_path": "/w/a", "content": WORD}, "ok"), "Result", "Result",
    ),
    "what a call changed": (lambda run: run.call("Edit", EDIT, "ok"), "Result", "Result"),
    "what a call changed, seen from the call": (lambda run: run.call("Edit", EDIT, "ok"), "Call", "Result"),
    "what a model said": (lambda run: model(run, outputs={"text": f"a {WORD}"}), "Call", "Result"),
    "what a model thought": (
        lambda run: model(run, outputs={"text": "well", "thinking": f"a {WORD}"}), "Call", "Result",
    ),
    "what a model was asked": (lambda run: model(run, {"prompt": f"a {WORD}"}), "Call", "Result"),
    "what else it was sent": (lambda run: model(run, {"system": f"a {WORD}"}), "Result", "Call"),
    "a model's settings": (lambda run: model(run, model_info={"name": "m", "stop": WORD}), "Result", "Call"),
    "what a person said": (lambda run: run.ask(f"Take the {WORD}"), "Call", "Result"),
    "an error, which is above the tabs": (lambda run: run.call("Bash", {"command": "ls"}, failed=WORD), "Call", "Call"),
    "a tool's name, which is above them": (lambda run: run.call(WORD, {"command": "ls"}, "none"), "Result", "Result"),
    "what no other tab shows": (lambda run: model(run, provider=WORD), "Result", "Record"),
    "what is in both": (lambda run: run.call("Bash", {"command": WORD}, WORD), "Call", "Call"),
    "what was asked, from the conversation": (
        lambda run: run.call("Bash", {"command": WORD}, "none"), "Conversation", "Call",
    ),
    "the record, which shows all": (lambda run: run.call("Bash", {"command": WORD}, "none"), "Record", "Record"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_hit_is_shown_in_a_tab_that_has_it(bench: Bench, case: str) -> None:
    add, chosen, shown = CASES[case]
    run = Recording()
    run.say("before it")
    step = run.steps[add(run)].id
    _search(bench, run.record())
    bench.session.view.inspector_tab = chosen
    assert bench.session.search.steps == 1
    bench.do("search.show", run=0, place=0)
    assert bench.active.selection.primary == step
    assert bench.session.view.tab_of(step) == shown
    assert bench.session.view.tab_of("another") == chosen, "for that step alone"


def test_a_hit_in_a_note_leaves_the_tab_since_the_note_is_above_it(bench: Bench) -> None:
    run = Recording()
    run.say("before it")
    record = run.record()
    bench.open("run.tine", record)
    bench.do("step.note", step=record.graph.ids[0], text=WORD)
    bench.do("search.open", text=WORD)
    bench.session.view.inspector_tab = "Result"
    bench.do("search.next")
    assert bench.active.selection.primary == record.graph.ids[0]
    assert bench.session.view.tab_of(record.graph.ids[0]) == "Result"


def _search(bench: Bench, record: RunRecord) -> None:
    bench.open("run.tine", record)
    bench.do("search.open", text=WORD)
