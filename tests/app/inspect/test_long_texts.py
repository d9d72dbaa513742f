"""Whether a text says something is found out without a copy of it: this is asked in frames, of texts of any size."""

from __future__ import annotations

import tracemalloc

import pytest

from opentine_gui.app.inspect.step.section import is_worth, only_text
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.core import Run
from opentine_gui.describe.content.call_argument import main_argument
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.describe.payload_text import has_text

LONG = 20_000_000
MOST_BYTES = 4_000_000


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u2003"])
def test_a_blank_text_says_nothing(text: str) -> None:
    assert not has_text(text)
    assert not is_worth(text)


@pytest.mark.parametrize("text", ["a", " a", "\n" * 5_000 + "a", " " * LONG])
def test_any_other_says_something_and_so_does_one_too_long_to_look_through(text: str) -> None:
    assert has_text(text)


def test_no_copy_is_made_of_a_long_error() -> None:
    run = Run("r")
    run.add_step("tool", {"name": "x"}, error={"message": "bad word \n" * (LONG // 10), "type": "E"})
    step = run.record.graph.step(0)
    tracemalloc.start()
    try:
        failure = failure_of(step)
        assert failure is not None and shown_headline(step, failure) == "E: bad word"
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES


def test_no_copy_is_made_of_a_long_result_that_ends_with_a_space() -> None:
    run = Run("r")
    run.add_step("tool", {"name": "read"}, {"result": "x" * LONG + " "})
    record = run.record
    step = record.graph.step(0)
    tracemalloc.start()
    try:
        sections = step_sections(record, step)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sections
    assert most < MOST_BYTES


def test_no_copy_is_made_of_a_long_prompt_for_the_name_of_its_run() -> None:
    run = Run("r", user_prompt="  please mend it \n" + "and that " * (LONG // 9))
    record = run.record
    tracemalloc.start()
    try:
        assert record.title == "please mend it"
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES


def test_a_long_list_is_looked_at_no_further_than_what_is_no_part_of_a_text() -> None:
    class Counting(dict[str, object]):
        asked = 0

        def get(self, key: str, default: object = None) -> object:
            Counting.asked += 1
            return super().get(key, default)

    rows = [Counting(text=number) for number in range(1_000)]
    assert only_text(rows) is rows
    assert Counting.asked == 1
    assert only_text([{"type": "text", "text": "one"}, {"text": "two"}]) == "one\n\ntwo"


def test_parts_that_come_to_a_long_text_are_not_put_together() -> None:
    parts = [{"type": "text", "text": "x" * (LONG // 10)} for _ in range(10)]
    assert only_text(parts) is parts
    assert only_text(parts[:2]) == "\n\n".join(part["text"] for part in parts[:2])


def test_no_copy_is_made_of_a_long_command_for_its_title() -> None:
    command = "ls " * (LONG // 3)
    tracemalloc.start()
    try:
        assert main_argument({"command": command}).startswith('"ls ls')
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST_BYTES
