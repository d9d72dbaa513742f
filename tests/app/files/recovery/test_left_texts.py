"""What was typed into the question for a note or the name of a branch is kept when it is left, as forms are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from opentine_gui.app.files.closing import FORGET, SHOW
from opentine_gui.app.files.recovery.kept_texts import WRITE_AFTER
from opentine_gui.app.state.annotations import LONGEST_NOTE
from opentine_gui.app.state.prompts import AskText, Confirm
from tests.app.conftest import TREE, Bench
from tests.app.files.recovery.crashes import crashed, offer
from tests.conftest import named, run_of


def leave(bench: Bench, action: str, text: str) -> None:
    """Ask, type and press Esc."""
    bench.do(action)
    asked = question(bench)
    assert asked.left is not None
    asked.left(text)
    bench.session.settle()


def question(bench: Bench) -> AskText:
    """What was asked last."""
    asked = bench.prompter.asked[-1]
    assert isinstance(asked, AskText)
    return asked


def begins_with(bench: Bench, action: str) -> str:
    bench.do(action)
    return question(bench).value


@pytest.mark.parametrize("action", ["step.note", "run.name_branch"])
def test_what_was_left_is_there_when_the_same_is_asked_again(bench: Bench, action: str) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("select.step", step=named(record, "b"))
    leave(bench, action, "half a name")
    bench.do("select.step", step=named(record, "c"))
    assert begins_with(bench, action) == ""
    bench.do("select.step", step=named(record, "b"))
    assert begins_with(bench, action) == "half a name"
    bench.do(action, "a name")
    assert not bench.session.drafts
    assert begins_with(bench, action) == "a name"
    leave(bench, action, "a name")
    assert not bench.session.drafts, "nothing was typed"


def test_closing_the_tab_and_quitting_ask_before_a_note_is_forgotten(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("select.step", step=named(record, "b"))
    leave(bench, "step.note", "why?")
    bench.do("file.quit", None)
    assert not bench.session.quit
    bench.do("file.close", SHOW)
    about = bench.prompter.asked[-2]
    assert isinstance(about, Confirm)
    assert "A note of step 2 in “run.tine”" in about.text
    assert question(bench).value == "why?"
    bench.do("file.close", FORGET)
    assert bench.session.documents == []
    assert not bench.session.drafts


def test_two_texts_that_were_left_are_asked_about_in_one_sentence(bench: Bench) -> None:
    record = run_of(TREE)
    bench.open("run.tine", record)
    bench.do("select.step", step=named(record, "b"))
    leave(bench, "run.name_branch", "try")
    leave(bench, "step.note", "why?")
    bench.do("file.quit", None)
    about = bench.prompter.asked[-1]
    assert isinstance(about, Confirm)
    one, other = "The name of the branch at step 2 in “run.tine”", "a note of step 2 in “run.tine”"
    said = "they were typed into forms and are in no file, for they have not been done yet."
    assert about.text in (f"{one} and {other}: {said}", f"A{other[1:]} and t{one[1:]}: {said}")


def test_a_note_that_is_too_long_is_kept_as_it_was_typed(bench: Bench) -> None:
    bench.open("run.tine", run_of(TREE))
    bench.do("select.step", step=bench.record.graph.ids[0])
    bench.do("step.note", "x" * (LONGEST_NOTE + 1))
    assert len(bench.notices("error")) == 1
    assert begins_with(bench, "step.note") == "x" * (LONGEST_NOTE + 1)


def test_a_note_that_was_left_survives_a_crash(second_bench: Callable[[], Bench]) -> None:
    first = second_bench()
    record = run_of(TREE)
    first.open("run.tine", record)
    first.do("select.step", step=named(record, "b"))
    leave(first, "step.note", "why?")
    first.step()
    first.clock.now += WRITE_AFTER
    first.session.settle()
    crashed(first)
    second = second_bench()
    _, actions = offer(second)
    second.do("file.recover", key=actions["Open"]["key"])
    second.do("select.step", step=named(record, "b"))
    assert begins_with(second, "step.note") == "why?"
    second.do("step.note", "because")
    assert not second.session.drafts
