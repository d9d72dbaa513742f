"""A session whose file is replaced by another one, or deleted, while it is open: what is shown stays."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from bench.session_lines import session_lines
from opentine_gui.app.files.closing import DISCARD
from opentine_gui.app.state.prompts import Confirm
from opentine_gui.core import StorageError
from opentine_gui.importers import readers
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, chain

LONG = "What shall be done with all the things that nobody has looked at since last spring, and why"


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))


def changed(bench: Bench, path: Path) -> None:
    bench.clock.now += 10.0
    bench.watch.post([path])
    bench.session.settle()


def followed(bench: Bench) -> Path:
    """A session of Claude Code that has grown once, so that what reads it on is kept."""
    path = bench.folder / "session.jsonl"
    lines = list(islice(session_lines(60_000), 12))
    path.write_bytes(b"".join(lines[:8]))
    bench.open("session.jsonl")
    path.write_bytes(b"".join(lines))
    changed(bench, path)
    assert bench.active.live.reader is not None
    assert bench.notices("warning") == []
    return path


@pytest.mark.parametrize("grown", [True, False])
def test_the_log_of_another_agent_is_not_called_unreadable_and_is_there_after_reload(bench: Bench, grown: bool) -> None:
    path = followed(bench)
    if not grown:  # nothing has read it on yet
        bench.active.live.reader = None
    shown = bench.record
    path.write_bytes(chain("abc"))
    changed(bench, path)
    (text,) = bench.notices("warning")
    assert text.endswith("was replaced by another session: reload to see it.")
    assert bench.session.notices.list()[-1].detail == str(path)
    assert bench.record is shown
    bench.do("file.reload", document=bench.active.number, discard=True)
    assert [step.inputs["text"] for step in bench.record.graph] == ["a", "b", "c"]
    assert bench.notices("warning") == []
    assert not bench.active.dirty


def test_a_file_that_is_no_session_any_more_is_still_called_unreadable(bench: Bench) -> None:
    path = followed(bench)
    path.write_bytes(b"\x00\x01 nothing of the kind")
    changed(bench, path)
    (text,) = bench.notices("warning")
    assert "cannot be read now" in text
    assert str(path) not in text  # it is in the detail: the reason has the room
    assert str(path) in bench.session.notices.list()[-1].detail


@pytest.mark.parametrize("while_it_is_read", [False, True])
def test_a_deleted_log_is_said_to_be_deleted_and_closing_offers_a_copy(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, while_it_is_read: bool
) -> None:
    path = followed(bench)
    if while_it_is_read:

        def gone(*_arguments: object, **_options: object) -> None:
            path.unlink()
            raise StorageError("no such file", path=path)

        with path.open("ab") as file:
            file.write(b"\n")
        monkeypatch.setattr("opentine_gui.app.files.opening.read_run", gone)
    else:
        path.unlink()
    changed(bench, path)
    (text,) = bench.notices("warning")
    assert text.endswith("was deleted or moved; what you see is still here. Save it to keep it.")
    document = bench.active
    assert not document.edited
    bench.do("file.close", None)
    question = bench.prompter.asked[-1]
    assert isinstance(question, Confirm)
    assert question.title == "Its file is gone; keep a copy?"
    assert str(path) in question.text
    assert document in bench.session.documents
    bench.do("file.close", DISCARD)
    assert document not in bench.session.documents


def test_a_long_title_is_cut_before_the_reason(bench: Bench) -> None:
    path = bench.folder / f"{LONG}.jsonl"
    path.write_bytes(chain("a"))
    bench.open(path.name)
    assert bench.active.title.startswith(LONG[:60])
    path.unlink()
    changed(bench, path)
    (text,) = bench.notices("warning")
    title, _, reason = text.partition(" was deleted")
    assert len(title) <= 40
    assert reason == " or moved; what you see is still here. Save it to keep it."
