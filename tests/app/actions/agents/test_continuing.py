"""A session is continued, by a command or by its agent."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
import sys
from pathlib import Path

import msgspec

from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.files.going_on.handing_back import DO_NOT_RUN, RUN
from tests.app.actions.conftest import RECORDED, cases_of, covers, opened
from tests.app.conftest import Bench
from tests.conftest import named


def continued(bench: Bench) -> None:
    """Propose to go on from the first answer of a recorded session, in the home folder of the test."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    bench.do("file.open", path=path)
    bench.do("continue.propose", step=next(step.id for step in bench.record.graph if step.shown_kind == "model"))
    bench.session.settle()


def begin_in(bench: Bench, folder: Path) -> None:
    """Have the agent go on in a folder that is on this machine: that of the recording is not."""
    proposal = bench.session.proposal
    assert isinstance(proposal, ContinueProposal) and proposal.handback is not None
    handback = dataclasses.replace(proposal.handback, folder=folder, folder_is_here=True)
    bench.session.proposal = msgspec.structs.replace(proposal, handback=handback)


def test_a_stop_while_it_is_worked_out_says_how_to_begin_again(bench: Bench) -> None:
    continued(bench)
    bench.do("proposal.cancel")
    bench.jobs.hold = True
    model = next(step.id for step in bench.record.graph if step.shown_kind == "model")
    bench.session.invoke("continue.propose", step=model)
    bench.session.step()
    bench.session.step()
    assert bench.session.enabled("continue.run") == "Still being worked out."
    bench.session.invoke("job.cancel", key="continue")
    for _ in range(3):
        bench.session.step()
    stopped = "Working out what has to be written was stopped; it begins again when the prompt changes."
    assert bench.session.enabled("continue.run") == stopped
    bench.jobs.hold = False
    bench.session.invoke("proposal.change", said="Go on")
    bench.session.settle()
    assert bench.session.enabled("continue.copy") is None


@covers("continue.propose")
def _continue(bench: Bench) -> None:
    continued(bench)
    assert isinstance(bench.session.proposal, ContinueProposal)
    assert bench.session.proposal.refusal is None


@covers("continue.copy")
def _copy_command(bench: Bench) -> None:
    assert bench.session.enabled("continue.copy") == "There is nothing to continue."
    continued(bench)
    bench.do("continue.copy")
    assert "claude --resume" in bench.copied[0]


@covers("continue.run")
def _continue_and_run(bench: Bench) -> None:
    ran: list[tuple[str, ...]] = []
    bench.session.terminals.run = lambda command, _folder: ran.append(tuple(command))
    continued(bench)
    begin_in(bench, bench.session.agent_sessions.places.home)
    bench.do("continue.run")
    assert [command[:2] for command in ran] == [("claude", "--resume")]


@covers("continue.start")
def _run_written(bench: Bench) -> None:
    assert bench.session.enabled("continue.start") == "No session was written for an agent."
    ran: list[tuple[str, ...]] = []
    bench.session.terminals.run = lambda command, _folder: ran.append(tuple(command))
    continued(bench)
    begin_in(bench, bench.folder)
    bench.do("proposal.accept")
    assert ran == []
    bench.do("continue.start", DO_NOT_RUN)
    bench.do("continue.start", None)
    assert ran == []
    bench.do("continue.start", RUN)
    assert len(ran) == 1


@covers("continue.undo")
def _remove_written(bench: Bench) -> None:
    continued(bench)
    bench.do("proposal.accept")
    written = bench.active.path
    bench.do("continue.undo")
    assert not written.exists()


def running(bench: Bench) -> None:
    record = opened(bench)
    words = f"{shlex.quote(sys.executable)} -c 'import sys; sys.stdin.read(); import signal; signal.pause()'"
    bench.do("continue.propose", step=named(record, "a"), said=words)
    bench.do("proposal.accept")


@covers("continue.stop")
def _stop_command(bench: Bench) -> None:
    assert bench.session.enabled("continue.stop") == "No command is running."
    running(bench)
    bench.do("continue.stop")
    bench.session.command._program.wait(30)
    bench.step()
    assert bench.session.command.status is not None


@covers("continue.close_output")
def _close_output(bench: Bench) -> None:
    assert bench.session.enabled("continue.close_output") == "No command was run."
    running(bench)
    bench.do("continue.stop")
    bench.session.command._program.wait(30)
    bench.do("continue.close_output")
    assert bench.session.command is None


test_the_action_does_what_it_says = cases_of(__name__)
