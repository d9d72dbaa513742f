"""A call of a session gets its result, and with it another id, while something else is asked or typed about it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.state.prompts import Answer, Question
from opentine_gui.importers import readers
from tests.app.conftest import Bench
from tests.app.files.tiny_sessions import TINY, append, chain, live, named

RESULT = b'{"tiny": "c", "result": "done"}\n'


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, TINY))


@pytest.fixture
def held(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> list[Callable[[Answer | None], None]]:
    """The answers that questions wait for."""
    waiting: list[Callable[[Answer | None], None]] = []

    def ask(_question: Question, answer: Callable[[Answer | None], None]) -> None:
        waiting.append(answer)

    monkeypatch.setattr(bench.prompter, "ask", ask)
    return waiting


@pytest.mark.parametrize(("action", "answer"), [("step.note", "slow"), ("step.colour", "Green")])
def test_what_is_asked_about_a_step_is_answered_of_the_step_as_it_is_called_then(
    bench: Bench, held: list[Callable[[Answer | None], None]], action: str, answer: str
) -> None:
    path = live(bench, chain("abc"))
    was = named(bench, "c")
    bench.do(action, step=was)
    append(bench, path, RESULT)
    held.pop()(answer)
    bench.session.settle()
    now = named(bench, "c")
    assert now != was
    assert was not in bench.active.annotations
    assert answer.lower() in (bench.active.annotations[now].note, bench.active.annotations[now].colour)


def test_a_branch_is_named_at_the_step_as_it_is_called_then(
    bench: Bench, held: list[Callable[[Answer | None], None]]
) -> None:
    path = live(bench, chain("abc"))
    bench.do("run.name_branch", step=named(bench, "c"))
    append(bench, path, RESULT)
    held.pop()("best")
    bench.session.settle()
    assert bench.record.refs["best"] == named(bench, "c")


def test_a_note_whose_step_is_gone_is_said_to_be_unkept_and_can_be_copied(
    bench: Bench, held: list[Callable[[Answer | None], None]]
) -> None:
    path = live(bench, chain("abc"))
    bench.do("step.note", step=named(bench, "c"))
    path.write_bytes(chain("ab"))
    append(bench, path, b"")
    held.pop()("a long note")
    bench.session.settle()
    assert not bench.active.annotations
    notice = bench.session.notices.get("note")
    assert notice is not None
    assert notice.text == "The note was not kept: its step is no longer in the run."
    ((_, action, arguments),) = notice.actions
    bench.do(action, **arguments)
    assert bench.copied == ["a long note"]
