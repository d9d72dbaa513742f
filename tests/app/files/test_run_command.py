"""Commands of the user's own: a file's words stay words, nothing runs unasked, output is read, Stop ends all of it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.files.going_on.run_command import CommandProposal, template_for, words_of
from opentine_gui.app.system.desktop.command_run import CommandRun
from opentine_gui.core import EditError
from tests.app.conftest import Bench
from tests.conftest import named, run_of

TREE = {"a": "", "b": "a"}
PRINTS = "import sys; print('said', *sys.argv[1:]); sys.stdout.flush()"


def values(**given: str) -> dict[str, str]:
    return {"file": "/runs/a.tine", "step": "event:sha256:ab", "run": "example", **given}


@given(st.text(max_size=60).filter(lambda text: "\0" not in text and not text.startswith("-")))
def test_the_name_of_a_file_is_one_word_of_the_command(text: str) -> None:
    assert words_of("agent --from {file} x", values(file=text)) == ("agent", "--from", text, "x")
    assert words_of("agent '--at={file}' x", values(file=text)) == ("agent", f"--at={text}", "x")


@given(st.text(max_size=60).filter(lambda text: "\0" not in text and not text.startswith("-")))
def test_what_a_file_says_is_one_word_that_no_shell_reads_as_code(text: str) -> None:
    try:
        words = words_of("ssh host agent --from {run}", values(run=text))
    except EditError:
        return
    assert words == ("ssh", "host", "agent", "--from", text)
    assert shlex.split(" ".join(words), comments=True) == list(words) or not text
    assert not set(text) & set(";|&$`\\<>(){}[]*?!~#'\"^ \t\r\n")


@pytest.mark.parametrize(
    "template",
    [
        "env A=1 B=2 bash -c 'echo {run}'",
        "sudo -u me bash -c 'echo {run}'",
        "docker exec -i box sh -c 'echo {run}'",
        "ssh host tine resume {run}",
        "nice -n 5 python3 -c 'print(\"{run}\")'",
        "php -r 'echo {run};'",
        "watch 'tine show {run}'",
        "tmux new-window 'tine resume {run}'",
        "node --eval={run}",
    ],
)
def test_no_word_of_a_file_can_be_run_as_code(template: str) -> None:
    with pytest.raises(EditError, match="as code"):
        words_of(template, values(run="x; touch pwned"))


def test_values_never_name_the_program_or_an_option() -> None:
    assert words_of("agent {other} --at={step}", values(step="4f2a")) == ("agent", "{other}", "--at=4f2a")
    for template, said in (("{run} x", "the program itself"), ("", "no command"), ("agent '", "cannot be read")):
        with pytest.raises(EditError, match=said):
            words_of(template, values())
    for script in ("sh -c 'echo {run}'", "env bash -c {run}", "python3 -c 'print(\"{step}\")'", "cmd.exe /c {run}"):
        with pytest.raises(EditError, match="run as code"):
            words_of(script, values())
    assert words_of("sh -c 'echo $0' {run}", values())[-1] == "example"
    with pytest.raises(EditError, match="option"):
        words_of("agent {run}", values(run="--yes"))
    with pytest.raises(EditError, match="cannot be a part"):
        words_of("agent {run}", values(run="a\0b"))


def test_a_command_is_kept_for_a_model_and_else_preset_where_opentine_is_found() -> None:
    record = run_of(TREE)
    assert template_for({"any": "x {file}"}, record, lambda _name: None) == "x {file}"
    assert template_for({}, record, lambda name: f"/bin/{name}") == "tine resume {run}"
    assert template_for({}, record, lambda _name: None) == ""


def test_a_command_is_shown_run_followed_and_kept(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    step = named(record, "b")
    bench.do("continue.propose", step=step, said="")
    proposal = bench.session.proposal
    assert isinstance(proposal, CommandProposal)
    assert proposal.refusal == "There is no command yet."
    bench.do("proposal.change", said=f"{shlex.quote(sys.executable)} -c {shlex.quote(PRINTS)} {{file}} {{step}}")
    assert bench.session.command is None
    bench.do("continue.copy")
    assert step in bench.copied[0]
    bench.do("proposal.accept")
    command = bench.session.command
    assert command is not None
    command._program.wait(30)
    bench.step()
    assert command.status == 0
    assert command.output() == f"said {bench.folder / 'run.tine'} {step}\n"
    assert bench.active.live.follows
    assert bench.session.settings.commands
    log = command.log
    bench.do("continue.close_output")
    assert not log.exists()


def test_the_notice_that_a_command_cannot_be_started_goes_with_one_that_can(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)

    def said() -> list[str]:
        return [notice.text for notice in bench.session.notices.list() if "cannot be started" in notice.text]

    for program, count in (("no-such-program-here", 1), (sys.executable, 0)):
        bench.do("continue.propose", step=named(record, "b"), said="")
        bench.do("proposal.change", said=f"{shlex.quote(program)} --version")
        bench.do("proposal.accept")
        assert len(said()) == count
    command = bench.session.command
    assert command is not None
    command._program.wait(30)
    bench.do("continue.close_output")


def test_a_run_with_edits_is_saved_before_a_command_gets_it(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("run.fork", step=named(record, "a"), accept=True)
    bench.do("continue.propose", step=named(record, "a"), said="agent {file}")
    assert bench.session.proposal is not None
    assert "Save the run first" in str(bench.session.proposal.refusal)


def test_stop_ends_a_command_that_does_not_listen_too(tmp_path: Path) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"
    run = CommandRun([sys.executable, "-c", deaf], tmp_path, tmp_path / "out.log", {"PATH": ""})
    while "deaf" not in run.output():
        run.poll(0.0)
    run.stop(10.0)
    run.poll(11.0)
    assert run.stopping
    assert not run.stopped
    run.poll(20.0)
    run._program.wait(30)
    run.poll(21.0)
    assert run.status not in (0, None)
    assert run.stopped


def test_on_windows_a_backslash_is_a_part_of_a_path() -> None:
    line = r'"C:\Program Files\agent.exe" --in=D:\new {file} it\'s'
    words = words_of(line, values(file=r"C:\My Runs\a.tine"), "win32")
    assert words == (r"C:\Program Files\agent.exe", r"--in=D:\new", r"C:\My Runs\a.tine", r"it\'s")
    with pytest.raises(EditError, match="cannot be read"):
        words_of('agent "open', values(), "win32")
    with pytest.raises(EditError, match="as code"):
        words_of(r'C:\Windows\cmd.exe /c "echo {run}"', values(), "win32")
