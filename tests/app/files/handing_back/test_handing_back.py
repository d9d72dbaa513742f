"""Going on in the agent: what is shown is what is written, and the source stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opentine_gui.app.files.going_on import handing_back
from opentine_gui.core import TineError
from opentine_gui.importers import readers
from tests.app.conftest import Bench
from tests.app.files.continued_sessions import RECORDED, models, proposed, put_in


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


def test_a_file_that_cannot_be_written_leaves_nothing_behind(bench: Bench, source: Path) -> None:
    bench.do("continue.propose", step=models(bench)[0])
    handback = proposed(bench).handback
    assert handback is not None
    second = handback.files[0]._replace(path=source)
    object.__setattr__(handback, "files", (*handback.files, second))
    with pytest.raises(TineError):
        handing_back._write_files(handback)
    assert not handback.files[0].path.exists()


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


def test_what_was_just_written_is_not_announced_as_a_relative_over_how_to_go_on_in_it(
    bench: Bench, source: Path
) -> None:
    bench.session.notices.dismiss("relatives:1")
    bench.do("continue.propose", step=models(bench)[0])
    bench.do("proposal.accept")
    assert bench.active.relatives
    assert not any("belongs together" in text for text in bench.notices())
    assert any("claude --resume" in text for text in bench.notices("good"))
