"""Going on in the agent: what is shown is what is written, the source stays, and what was written can be taken back."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path, PureWindowsPath

import pytest

from opentine_gui.app.files.going_on import handing_back
from opentine_gui.app.files.going_on.handing_back import DO_NOT_RUN, RUN
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.app.system.desktop.terminal import terminal_call
from opentine_gui.core import Step, TineError
from opentine_gui.importers import readers
from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed, put_in


@pytest.fixture
def source(bench: Bench) -> Iterator[Path]:
    """A recorded session in the home folder of the test, open in front; it is as it was in the end."""
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED, home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    before = path.read_bytes()
    bench.do("file.open", path=path)
    yield path
    assert path.read_bytes() == before


def test_what_is_shown_is_what_is_written_and_it_is_opened_and_followed(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    proposal = proposed(bench)
    assert proposal.handback is not None
    (file,) = proposal.handback.files
    assert not file.path.exists()
    assert proposal.handback.command == ("claude", "--resume", proposal.handback.session)
    bench.do("proposal.accept")
    assert file.path.read_bytes() == file.content
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert bench.session.proposal is None
    assert bench.active.path == file.path
    assert bench.active.live.follows
    kept, whole = readers.read_run(file.path).graph.ids, readers.read_run(source).graph.ids
    assert len(kept) < len(whole)
    assert kept[0] == whole[0]
    assert readers.read_run(file.path).title == f"Fork: {readers.read_run(source).title}"


def test_no_agent_is_at_work_in_a_session_that_was_only_written(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    path = bench.active.path
    assert path is not None
    changed = path.stat().st_mtime
    assert handing_back.was_only_written(bench.session, path, changed)
    assert not handing_back.was_only_written(bench.session, path, changed + 1.0), "something was added"
    assert not handing_back.was_only_written(bench.session, source, changed)


def test_typing_a_prompt_changes_the_command_alone_and_reads_no_source_again(
    bench: Bench, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    first = proposed(bench).handback
    assert first is not None
    monkeypatch.setattr(handing_back, "prepare", lambda *_given, **_named: pytest.fail("it was worked out again"))
    for said in ("Go", "Go on", "Go on with it"):
        bench.do("proposal.change", said=said)
        proposal = proposed(bench)
        assert proposal.refusal is None
        assert proposal.handback is not None
        assert proposal.handback.command == (*first.words, said)
        assert (proposal.handback.session, proposal.handback.files) == (first.session, first.files)


def test_an_edited_prompt_takes_the_place_of_the_one_that_was_said(bench: Bench, source: Path) -> None:
    prompt = next(step for step in bench.record.graph if step.v3_kind == "human")
    bench.do("continue.propose", step=prompt.id)
    assert proposed(bench).replaces
    assert proposed(bench).prompt == prompt.inputs["text"]
    bench.do("proposal.change", said="Say $(it) otherwise; please")
    handback = proposed(bench).handback
    assert handback is not None
    assert handback.command[-1] == "Say $(it) otherwise; please"
    bench.do("continue.copy")
    assert "'Say $(it) otherwise; please'" in bench.copied[0]
    assert "Copied the command." in bench.notices("info")
    assert bench.session.proposal is not None


def test_undo_removes_what_was_written_unless_the_agent_has_gone_on(bench: Bench, source: Path) -> None:
    for grows in (False, True):
        bench.do("continue.propose", step=models(bench)[0])
        bench.do("proposal.accept")
        written = bench.active.path
        assert written is not None
        if grows:
            with written.open("ab") as file:
                file.write(b'{"type": "mode"}\n')
        bench.do("continue.undo")
        assert written.exists() is grows
    said = bench.notices("error")[0]
    assert "has gone on in it" in said
    assert said.index("cleanupPeriodDays") < said.index(str(written)), "how to remove it is said before a long path"


def test_ctrl_z_in_the_tab_of_a_written_session_removes_it_again(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    written = bench.active.path
    assert written is not None
    bench.do("document.activate", document=bench.session.documents[0].number)
    assert bench.session.enabled("edit.undo") is not None, "only where it is shown"
    bench.do("document.activate", document=bench.session.documents[1].number)
    bench.do("edit.undo")
    assert not written.exists()
    assert bench.active.path == source


def test_ctrl_z_takes_back_what_was_edited_in_a_written_session_before_it_removes_that(
    bench: Bench, source: Path
) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    written = bench.active.path
    assert written is not None
    bench.do("run.edit_details", title="Another", accept=True)
    bench.do("edit.undo")
    assert written.exists()
    bench.do("edit.undo")
    assert not written.exists()


def test_undo_reads_what_was_written_in_a_job(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    written = bench.active.path
    assert written is not None
    bench.jobs.hold = True
    bench.session.invoke("continue.undo")
    bench.step()
    assert written.exists()
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not written.exists()
    assert bench.session.document_at(written) is None


def test_a_prompt_is_still_there_when_the_session_could_not_be_written(bench: Bench, source: Path) -> None:
    step = models(bench)[0]
    bench.do("continue.propose", step=step)
    bench.do("proposal.change", said="An hour's worth of thought")
    handback = proposed(bench).handback
    assert handback is not None
    handback.files[0].path.write_bytes(b"somebody was faster")
    bench.do("proposal.accept")
    assert len(bench.notices("error")) == 1
    bench.do("continue.propose", step=step)
    assert proposed(bench).prompt == "An hour's worth of thought"


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


def test_a_file_that_cannot_be_written_leaves_nothing_behind(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    handback = proposed(bench).handback
    assert handback is not None
    second = handback.files[0]._replace(path=source)
    object.__setattr__(handback, "files", (*handback.files, second))
    with pytest.raises(TineError):
        handing_back._write_files(handback)
    assert not handback.files[0].path.exists()


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
    "recording",
    ["claude-code/2.1.197-e-rewind", "codex/0.169.0-b-parallel", "pi/0.73.1-e-tree", "gemini-cli/0.61.0-b-parallel"],
)
def test_every_agent_gets_a_session_that_opens_with_what_led_to_the_step(bench: Bench, recording: str) -> None:
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED.parents[2] / recording / "home", home, dirs_exist_ok=True)
    newest = bench.session.agent_sessions
    newest.look(bench.session)
    bench.session.settle()
    path = newest.rows[0].path
    before = path.read_bytes()
    bench.do("sessions.open", path=path)
    source = bench.active
    step = next(step.id for step in bench.record.graph if step.shown_kind in ("model", "done"))
    bench.do("continue.propose", step=step)
    proposal = proposed(bench)
    assert proposal.refusal is None
    bench.do("proposal.accept")
    assert bench.active is not source
    assert bench.active.error is None
    assert bench.active.origin is not None
    assert source.record is not None
    assert bench.record.graph.ids[0] in source.record.graph
    assert path.read_bytes() == before


def test_where_the_agent_forks_by_itself_its_new_session_is_awaited_and_followed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = bench.session.agent_sessions.places.home
    shutil.copytree(RECORDED.parents[1] / "2.1.197-e-rewind" / "home", home, dirs_exist_ok=True)
    (path,) = (home / ".claude" / "projects").rglob("*.jsonl")
    bench.do("file.open", path=path)
    ran: list[tuple[str, ...]] = []
    monkeypatch.setattr(bench.session.terminals, "run", lambda command, _folder: ran.append(tuple(command)))
    bench.do("continue.propose", step=[step.id for step in bench.record.graph if step.shown_kind == "done"][-1])
    handback = proposed(bench).handback
    assert handback is not None
    assert not handback.files
    assert "--fork-session" in handback.command
    put_in(handback, bench.folder)
    bench.do("proposal.accept")
    assert ran == [handback.command]
    assert bench.active.path == path
    begun = path.with_name(f"{handback.session}.jsonl")
    begun.write_bytes(path.read_bytes())
    bench.clock.now += 2.0
    bench.session.settle()
    bench.session.settle()
    assert bench.active.path == begun
    assert bench.active.live.follows


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


def test_what_was_just_written_is_not_announced_as_a_relative_over_how_to_go_on_in_it(
    bench: Bench, source: Path
) -> None:
    bench.session.notices.dismiss("relatives:1")
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    assert bench.active.relatives
    assert not any("belongs together" in text for text in bench.notices())
    assert any("claude --resume" in text for text in bench.notices("good"))


def test_a_command_that_is_copied_on_windows_is_one_that_its_shell_reads() -> None:
    command, folder = ("agent", "--resume", "a b"), PureWindowsPath(r"C:\My Runs")
    line = handing_back.command_line(command, folder, ("agent", "import"), platform="win32")  # type: ignore[arg-type]
    assert line == r'cd /d "C:\My Runs" && agent import && agent --resume "a b"'
    assert handing_back.command_line(command, Path("/my runs"), platform="linux") == (
        "cd '/my runs' && agent --resume 'a b'"
    )
