"""A fork of a recorded session goes on in its agent, with the prompt that was edited in it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from opentine_gui.core import Step
from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed
from tests.importers.claude_code.written_log import Log


def test_a_fork_of_a_session_goes_on_in_the_agent_too(bench: Bench, source: Path) -> None:
    step = models(bench)[0]
    bench.do("run.fork", step=step, accept=True)
    assert bench.active.path is None
    assert bench.session.enabled("continue.propose", step=step) is None
    bench.do("continue.propose", step=step)
    assert proposed(bench).refusal is None


@pytest.mark.parametrize(("asked", "title"), [("Second question", "First done"), ("First question", "First question")])
def test_a_prompt_that_was_edited_in_a_fork_is_said_next_in_the_agent(bench: Bench, asked: str, title: str) -> None:
    bench.do("file.open", path=pi_session(bench))
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
    above = {step.inputs.get("text") for step in prompts(bench)} - {"Ask otherwise"}
    written = b"".join(file.content for file in proposal.handback.files).decode()
    assert all(text in written for text in above if text)
    assert "Third question" not in written
    assert "Ask otherwise" not in written, "it is said in the agent"


def pi_session(bench: Bench) -> Path:
    """The path of a recorded session with several prompts."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED.parents[2] / "pi" / "0.73.1-d-resumed" / "home", home, dirs_exist_ok=True)
    (path,) = (home / ".pi" / "agent" / "sessions").rglob("*.jsonl")
    return path


def prompts(bench: Bench) -> list[Step]:
    return [step for step in bench.record.graph if step.v3_kind == "human"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("First question", "none is above it to continue from"),
        ("Second question", "continue from the one above it"),
    ],
)
def test_a_prompt_in_a_fork_with_more_than_text_has_to_be_typed_in_the_agent(
    asked: str, said: str, bench: Bench
) -> None:
    bench.do("file.open", path=pi_session(bench))
    prompt = next(step for step in prompts(bench) if step.inputs.get("text") == asked)
    bench.do("run.fork_edit", step=prompt.id, inputs='{"text": "Look", "images": ["x"]}', accept=True)
    edited = next(step.id for step in bench.record.graph if step.inputs.get("text") == "Look")
    assert said in str(bench.session.enabled("continue.propose", step=edited))


def test_a_command_that_is_said_otherwise_in_a_fork_is_said_in_the_agent(bench: Bench, tmp_path: Path) -> None:
    log = Log()
    named = "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>"
    command = log.user(None, f"{named}x</command-args>", promptId="p", cwd=str(tmp_path))
    meta = log.user(command, "Review the change x.", promptId="p", isMeta=True)
    log.says(meta, "m1", "Reviewed.")
    bench.do("file.open", path=log.write(tmp_path))
    prompt = bench.record.graph.step(0)
    assert prompt.inputs == {"text": "/review x", "expansion": "Review the change x."}
    for expansion, refusal in (("Review the change x.", False), ("Review it all.", True)):
        bench.session.activate(bench.session.documents[0])
        inputs = {"text": f"/review y {refusal}", "expansion": expansion}
        bench.do("run.fork_edit", step=prompt.id, inputs=json.dumps(inputs), accept=True)
        edited = bench.record.graph.ids[0]
        assert bool(bench.session.enabled("continue.propose", step=edited)) == refusal, "what it stands for is not said"
