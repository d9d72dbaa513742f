"""A fork of a recorded session goes on in its agent, with the prompt that was edited in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opentine_gui.core import Step
from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed


def test_a_fork_of_a_session_goes_on_in_the_agent_too(bench: Bench, source: Path) -> None:
    step = models(bench)[0]
    bench.do("run.fork", step=step, accept=True)
    assert bench.active.path is None
    assert bench.session.enabled("continue.propose", step=step) is None
    bench.do("continue.propose", step=step)
    assert proposed(bench).refusal is None


@pytest.mark.parametrize(("asked", "title"), [("Second question", "First done"), ("First question", "First question")])
def test_a_prompt_that_was_edited_in_a_fork_is_said_next_in_the_agent(bench: Bench, asked: str, title: str) -> None:
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED.parents[2] / "pi" / "0.73.1-d-resumed" / "home", home, dirs_exist_ok=True)
    (path,) = (home / ".pi" / "agent" / "sessions").rglob("*.jsonl")
    bench.do("file.open", path=path)
    prompt = next(step for step in bench.record.graph if step.inputs.get("text") == asked)
    bench.do("run.fork_edit", step=prompt.id, inputs='{"text": "Ask otherwise"}', accept=True)
    edited = next(step.id for step in bench.record.graph if step.inputs.get("text") == "Ask otherwise")
    assert bench.session.enabled("continue.propose", step=edited) is None
    bench.do("continue.propose", step=edited)
    proposal = proposed(bench)
    assert proposal.refusal is None
    assert (proposal.prompt, proposal.step_title, proposal.replaces) == ("Ask otherwise", title, asked == title)
    assert proposal.handback is not None
    assert proposal.handback.command[-1] == "Ask otherwise"
    above = {step.inputs.get("text") for step in prompt_and_above(bench)} - {"Ask otherwise"}
    written = b"".join(file.content for file in proposal.handback.files).decode()
    assert all(text in written for text in above if text)
    assert "Third question" not in written
    assert "Ask otherwise" not in written, "it is said in the agent"


def prompt_and_above(bench: Bench) -> list[Step]:
    return [step for step in bench.record.graph if step.v3_kind == "human"]


def test_a_prompt_in_a_fork_with_more_than_text_has_to_be_typed_in_the_agent(bench: Bench, source: Path) -> None:
    prompt = next(step for step in bench.record.graph if step.v3_kind == "human")
    bench.do("run.fork_edit", step=prompt.id, inputs='{"text": "Look", "images": ["x"]}', accept=True)
    edited = next(step.id for step in bench.record.graph if step.inputs.get("text") == "Look")
    assert "continue from the one above it" in str(bench.session.enabled("continue.propose", step=edited))
