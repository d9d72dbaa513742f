"""The command that goes on in the agent: what runs is what was shown, and what cannot be run is reported."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path, PureWindowsPath

import pytest

from opentine_gui.app.files.going_on import handing_back
from opentine_gui.app.files.going_on.handing_back import DO_NOT_RUN, RUN
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.app.system.desktop.terminal import terminal_call
from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed, put_in


def test_what_could_not_be_run_is_not_claimed_to_run(
    bench: Bench, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_command: object, _folder: object) -> None:
        raise LookupError("No terminal was found.")

    monkeypatch.setattr(bench.session.terminals, "run", refuse)
    bench.do("continue.propose", step=models(bench)[-1])
    handback = proposed(bench).handback
    assert handback is not None
    put_in(handback, bench.folder)
    bench.do("continue.run")
    assert bench.notices("error") == ["Not run: No terminal was found."]
    (said,) = bench.notices("good")
    assert "Running" not in said
    notice = next(notice for notice in bench.session.notices.list() if notice.level == "good")
    assert "Run" in [label for label, _action, _arguments in notice.actions]


def test_where_the_working_folder_is_gone_it_is_reported_and_what_still_works_is_offered(
    bench: Bench, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.session.terminals, "run", lambda *_words: pytest.fail("it ran"))
    bench.do("continue.propose", step=models(bench)[-1])
    handback = proposed(bench).handback
    assert handback is not None
    assert handback.folder is not None
    assert not handback.folder.exists()
    assert "folder is not on this machine" in handback.remarks[0]
    reason = bench.session.enabled("continue.run")
    assert reason is not None
    assert "copy the command" in reason
    bench.do("continue.copy")
    assert bench.copied[-1].startswith(f"cd {handback.folder} && ")
    bench.do("continue.run")  # as the palette may still ask
    assert bench.session.proposal is not None
    bench.do("proposal.accept")
    assert handback.files[0].path.exists()
    notice = next(notice for notice in bench.session.notices.list() if notice.level == "good")
    assert "Run" not in [label for label, _action, _arguments in notice.actions]


def test_nothing_runs_but_what_was_shown_and_asked_for(
    bench: Bench, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[tuple[str, ...], Path]] = []
    monkeypatch.setattr(bench.session.terminals, "run", lambda command, folder: ran.append((tuple(command), folder)))
    bench.do("continue.propose", step=models(bench)[-1])
    handback = proposed(bench).handback
    assert handback is not None
    put_in(handback, bench.folder)
    bench.do("proposal.accept")
    assert ran == []
    bench.do("continue.start", DO_NOT_RUN)
    bench.do("continue.start", None)
    assert ran == []
    assert [label for label, _, _ in bench.session.notices.list()[-1].actions][:2] == ["Copy", "Run"]  # as before
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.choices[0] == DO_NOT_RUN  # what Enter takes
    assert question.text == f"cd {shlex.quote(str(handback.folder))} && {shlex.join(handback.command)}"
    bench.do("continue.start", RUN)
    assert ran == [(handback.command, handback.folder)]
    bench.do("continue.propose", step=models(bench)[-1])
    handback = proposed(bench).handback
    assert handback is not None
    put_in(handback, bench.folder)
    bench.do("continue.run")
    assert ran[1:] == [(handback.command, handback.folder)]


def test_why_a_command_cannot_be_run_is_the_newest_notice(
    bench: Bench, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_command: object, _folder: object) -> None:
        raise LookupError("No terminal was found.")

    monkeypatch.setattr(bench.session.terminals, "run", refuse)
    bench.do("continue.propose", step=models(bench)[-1])
    handback = proposed(bench).handback
    assert handback is not None
    put_in(handback, bench.folder)
    bench.do("continue.run")
    assert bench.session.notices.list()[-1].text == "Not run: No terminal was found."
    bench.session.notices.dismiss("handed back: not run")
    bench.do("continue.start", RUN)
    assert bench.session.notices.list()[-1].text == "Not run: No terminal was found."
    assert any("Copy" in [label for label, _, _ in notice.actions] for notice in bench.session.notices.list())


def test_every_terminal_is_given_words_and_a_shell_only_quoted_ones() -> None:
    hostile = ("claude", "--resume", "x", "; rm -rf ~ $(a) `b` 'c'")
    for name in ("gnome-terminal", "konsole", "kitty", "xterm"):
        call = terminal_call(
            hostile, Path("/work"), {}, platform="linux",
            find=lambda word, path=None, name=name: f"/bin/{word}" if word in (name, "claude") else None,
        )  # fmt: skip
        assert call is not None
        assert call.words[-4:] == ("/bin/claude", *hostile[1:])
        assert call.folder == "/work"
    found = terminal_call(hostile, Path("/a b"), {}, platform="darwin", find=lambda word, path=None: f"/bin/{word}")
    assert found is not None
    assert found.words[-1] == """cd '/a b' && /bin/claude --resume x '; rm -rf ~ $(a) `b` '"'"'c'"'"''"""
    batch = terminal_call(hostile, Path("/w"), {}, platform="win32", find=lambda word, path=None: f"{word}.CMD")
    assert batch is None
    assert terminal_call(hostile, Path("/w"), {}, platform="linux", find=lambda _word, path=None: None) is None


def test_the_version_of_a_program_is_read_without_running_it(tmp_path: Path) -> None:
    program = tmp_path / "lib" / "agent" / "bin" / "agent.js"
    program.parent.mkdir(parents=True)
    program.touch()
    assert handing_back.version_of(str(program)) == ""
    (program.parents[1] / "package.json").write_text('{"version": "2.1.197"}')
    assert handing_back.version_of(str(program)) == "2.1.197"
    assert handing_back.version_of(None) == ""
    native = tmp_path / "versions" / "2.3.4" / "agent"
    native.parent.mkdir(parents=True)
    native.touch()
    assert handing_back.version_of(str(native)) == "2.3.4"


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("99.0.0", "99.0.0 is installed; going on was proved up to "),
        ("", "is not known"),
        ("0.0.1", ""),
    ],
)
@pytest.mark.parametrize(
    "recording",
    [
        "claude-code/2.1.197-e-rewind",
        "codex/0.169.0-b-parallel",
        "pi/0.73.1-e-tree",
        "gemini-cli/0.61.0-b-parallel",
        "opencode/1.18.33-b-parallel",
    ],
)
def test_a_version_that_is_newer_than_proved_or_not_known_is_reported_before_anything_is_written_and_nothing_is_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, recording: str, version: str, said: str
) -> None:
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED.parents[2] / recording / "home", home, dirs_exist_ok=True)
    program = bench.folder / "lib" / "bin" / "agent"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\ntouch {bench.folder}/was-run\n")
    program.chmod(0o700)
    if version:
        (program.parents[1] / "package.json").write_text(f'{{"version": "{version}"}}')
    monkeypatch.setattr(bench.session.terminals, "find", lambda _word: str(program))
    bench.session.agent_sessions.look(bench.session)
    bench.session.settle()
    bench.do("sessions.open", path=bench.session.agent_sessions.rows[0].path)
    bench.do("continue.propose", step=models(bench)[0])
    handback = proposed(bench).handback
    assert handback is not None
    about = [remark for remark in handback.remarks if "proved" in remark]
    assert bool(about) == bool(said)
    assert all(said in remark for remark in about)
    assert not (bench.folder / "was-run").exists()


def test_a_command_that_is_copied_on_windows_is_one_that_its_shell_reads() -> None:
    command, folder = ("agent", "--resume", "a b"), PureWindowsPath(r"C:\My Runs")
    line = handing_back.command_line(command, folder, ("agent", "import"), platform="win32")  # type: ignore[arg-type]
    assert line == r'cd /d "C:\My Runs" && agent import && agent --resume "a b"'
    assert handing_back.command_line(command, Path("/my runs"), platform="linux") == (
        "cd '/my runs' && agent --resume 'a b'"
    )
