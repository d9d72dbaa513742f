"""A session with what looks like a secret is saved or exported only after a question; a `.tine` file without one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.document.picture.card_faces import WORDS_HIDDEN
from opentine_gui.app.files.secret_question import HIDE, SHOW
from opentine_gui.app.state.prompts import Answer, Confirm
from opentine_gui.importers import readers
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, step
from tests.conftest import run_of

KEY = "sk-ant-" + "Abc123Def456Ghi789Jkl012"


@pytest.fixture
def bench_with_key(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    (bench.folder / "session.jsonl").write_bytes(step("ask") + step(f"use {KEY}", "ask"))
    bench.open("session.jsonl")
    return bench


def questions(bench: Bench) -> list[str]:
    return [asked.title for asked in bench.prompter.asked if isinstance(asked, Confirm)]


def test_the_search_is_a_job_however_short_the_session_is(bench_with_key: Bench) -> None:
    bench = bench_with_key
    bench.jobs.hold = True
    bench.session.invoke("file.save_as", path=bench.folder / "kept.tine")
    bench.step()
    assert [job.title for job in bench.jobs.held if not job.cancelled] == ["Looking for secrets"]
    assert questions(bench) == []
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert questions(bench) == ["Save what looks like a secret?"]


def test_saving_and_exporting_ask_and_can_be_left(bench_with_key: Bench) -> None:
    bench = bench_with_key
    target = bench.folder / "kept.tine"
    bench.do("file.save", (target,), "Cancel")
    assert not target.exists()
    bench.do("file.save", (target,), SHOW)
    assert not target.exists()
    assert len(bench.active.selection) == 1
    picture = bench.folder / "kept.md"
    bench.do("file.export", "Cancel", path=picture, part="all")
    assert not picture.exists()
    bench.do("file.save", (target,), "Save anyway")
    assert target.exists()
    assert questions(bench) == ["Save what looks like a secret?"] * 2 + [
        "Export what looks like a secret?",
        "Save what looks like a secret?",
    ]
    assert all(KEY not in asked.text for asked in bench.prompter.asked if isinstance(asked, Confirm))


def test_a_tine_file_is_saved_without_the_question(bench: Bench) -> None:
    bench.open("run.tine", run_of({KEY: ""}))
    bench.do("file.save_as", path=bench.folder / "other.tine")
    assert questions(bench) == []


def test_an_export_of_any_run_can_hide_them_and_says_how_many(bench: Bench) -> None:
    record = run_of({f"use {KEY}": "", "then": f"use {KEY}"})
    bench.open("run.tine", record)
    for name in ("a.md", "a.json", "a.svg", "a.html"):
        bench.do("file.export", HIDE, path=bench.folder / name, part="all")
        text = (bench.folder / name).read_text(encoding="utf-8").replace("\\", "")
        assert KEY[:20] not in text and "[Anthropic" in text, name
        assert bench.notices("good")[-1].endswith("Secrets hidden in 1 place; check for others yourself.")
    assert questions(bench) == ["Export what looks like a secret?"] * 4
    bench.do("file.export", "Export anyway", path=bench.folder / "b.json", part="all")
    assert KEY in (bench.folder / "b.json").read_text(encoding="utf-8")
    assert KEY in str(bench.active.step(record.graph.ids[0]).inputs), "the run itself is as it was"
    assert not bench.active.dirty


def test_a_run_without_secrets_is_exported_at_once(bench: Bench) -> None:
    bench.open("run.tine", run_of({"plain": ""}))
    bench.do("file.export", path=bench.folder / "a.md", part="all")
    assert questions(bench) == [] and (bench.folder / "a.md").exists()


def test_in_a_run_nothing_is_hidden(bench_with_key: Bench) -> None:
    bench_with_key.do("file.export", "Export anyway", path=bench_with_key.folder / "a.tine", part="all")
    asked = [one for one in bench_with_key.prompter.asked if isinstance(one, Confirm)]
    assert HIDE not in asked[-1].choices
    assert KEY in (bench_with_key.folder / "a.tine").read_text(encoding="utf-8")


def test_the_cards_of_a_folded_run_are_exported_without_them(bench: Bench) -> None:
    bench.open("long.tine", run_of({f"{n} {KEY}": f"{n - 1} {KEY}" if n else "" for n in range(200)}))
    assert bench.active.picture.fold is not None
    bench.do("file.export", HIDE, path=bench.folder / "cards.svg", part="cards")
    text = (bench.folder / "cards.svg").read_text(encoding="utf-8")
    assert "sk-ant" not in text and WORDS_HIDDEN[:12] in text


def test_an_export_that_finds_a_secret_as_the_session_ends_says_that_it_was_not_written(bench: Bench) -> None:
    bench.open("run.tine", run_of({f"use {KEY}": ""}))
    bench.jobs.hold = True
    bench.session.invoke("file.export", path=bench.folder / "a.md", part="all")
    bench.step()
    bench.jobs.hold = False
    bench.jobs.release()
    said = bench.session.close()
    assert [text for text in said if "was not exported" in text]
    assert questions(bench) == [] and not (bench.folder / "a.md").exists()


@pytest.mark.parametrize("action", ["file.save_as", "file.save_copy"])
@pytest.mark.parametrize("leaving", ["file.quit", "file.close"])
def test_closing_and_quitting_wait_while_secrets_are_looked_for_before_a_save(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, action: str, leaving: str
) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    (bench.folder / "session.jsonl").write_bytes(step("ask") + step("other", "ask"))
    bench.open("session.jsonl")
    bench.jobs.hold = True
    bench.prompter.answers.append((bench.folder / "kept.tine",))
    bench.session.invoke(action)
    bench.until(lambda: any(job.title == "Looking for secrets" for job in bench.jobs.held), "the look")
    assert bench.session.enabled("file.save") == "It is being saved already."
    bench.session.invoke(leaving)
    for _ in range(3):
        bench.step()
    assert len(bench.session.documents) == 1
    assert not bench.session.quit
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert bench.session.quit is (leaving == "file.quit")
    assert bench.session.documents == []
    bench.session.close()
    assert (bench.folder / "kept.tine").exists()


def test_a_document_is_being_saved_while_it_is_asked_about_secrets(
    bench_with_key: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_with_key
    answers: list[Callable[[Answer | None], None]] = []
    monkeypatch.setattr(bench.prompter, "ask", lambda _question, answer: answers.append(answer))
    bench.session.invoke("file.save_as", path=bench.folder / "kept.tine")
    bench.until(lambda: bool(answers), "the question")
    assert bench.active.on_disk.saving
    answers.pop()("Save anyway")
    bench.session.settle()
    assert not bench.active.on_disk.saving
    assert (bench.folder / "kept.tine").exists()


def test_the_end_of_the_session_waits_for_a_look_before_a_run_is_exported(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))
    (bench.folder / "session.jsonl").write_bytes(step("ask") + step("other", "ask"))
    bench.open("session.jsonl")
    bench.jobs.hold = True
    bench.session.invoke("file.export", path=bench.folder / "kept.tine", part="all")
    bench.until(lambda: any(job.title == "Looking for secrets" for job in bench.jobs.held), "the look")
    assert [job.must_finish for job in bench.jobs.held if job.title == "Looking for secrets"] == [True]
    bench.jobs.stop(next(job.key for job in bench.jobs.held if job.title == "Looking for secrets"))
    bench.jobs.hold = False
    bench.jobs.release()
    bench.session.settle()
    assert not (bench.folder / "kept.tine").exists(), "stopped from the status bar"
    assert not bench.notices("error")
