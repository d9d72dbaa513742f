"""The sections of a step: what stands first for each kind, where it came from, and that nothing is left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from opentine_gui.app.inspect.reading.reader import section_lines
from opentine_gui.app.inspect.step.section import Section, in_tab, tabs_of
from opentine_gui.app.inspect.step.step_page import failure_sections, page_of
from opentine_gui.app.inspect.step.step_sections import step_sections
from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind
from opentine_gui.describe.content.tree_lines import Folds
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import shown_headline
from opentine_gui.importers.readers import read_run

ROOT = Path(__file__).parents[4]
DEMO = ROOT / "assets" / "demo" / "research-01.tine"


def run(*steps: Step) -> RunRecord:
    return RunRecord(run_id="r", status=RunStatus.COMPLETED, created_at=0.0, graph=Graph.of(list(steps)))


def step(identity: str = "s", kind: StepKind = StepKind.TOOL, parents: tuple[str, ...] = (), **fields: Any) -> Step:
    return Step(id=identity, parent_ids=parents, kind=kind, **{"inputs": {}, **fields})


def shown(one: Step, *others: Step) -> list[tuple[str, str, Any]]:
    return [(found.name, found.role, found.value) for found in step_sections(run(*others, one), one)]


def test_a_tool_step_shows_its_result_then_its_call() -> None:
    one = step(
        inputs={"name": "bash", "arguments": {"command": "pytest -q\necho done", "timeout": 60}},
        outputs={"result": "214 passed", "status": 0},
        tool_info={"name": "bash"},
    )
    assert shown(one) == [
        ("Result", "result", "214 passed"),
        ("Also recorded", "result", {"status": 0}),
        ("Call", "call", {"timeout": 60}),
        ("command", "call", "pytest -q\necho done"),
    ]


def test_what_was_written_to_both_streams_stands_under_their_names() -> None:
    one = step(outputs={"stdout": "out", "stderr": "warn", "exit_code": 0})
    assert [name for name, _, _ in shown(one)] == ["stdout", "stderr", "Also recorded"]


def test_an_error_that_stands_in_the_result_is_shown_there_whole_and_once() -> None:
    one = step(
        inputs={"name": "bash", "arguments": {"command": "make"}},
        outputs={"result": "Exit code 2\nno rule"},
        error={"type": "ToolError", "message": "Exit code 2\nno rule"},
    )
    sections = step_sections(run(one), one)
    assert [(found.name, found.role) for found in sections] == [("Result", "result"), ("Call", "call")]
    assert sections[0].value == "Exit code 2\nno rule"
    assert tabs_of(sections) == ("Result", "Call", "Conversation", "Record")
    traced = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: odd'
    one = step(outputs={"result": f"ran\n{traced}\ndone"}, error={"message": "ran", "traceback": traced})
    assert [found.name for found in step_sections(run(one), one)] == ["Result"]


def test_an_error_of_which_a_log_kept_the_beginning_is_shown_once_and_by_its_end() -> None:
    printed = "Exit code 1\n" + "\n".join(f"=== RUN   Test{number}" for number in range(30)) + "\nerror: no such remote"
    one = step(
        inputs={"name": "bash", "arguments": {"command": "go test"}},
        outputs={"result": printed},
        error={"type": "failed", "message": printed[:299] + "…"},
    )
    assert [found.name for found in step_sections(run(one), one)] == ["Result", "Call"]
    failure = failure_of(one)
    assert failure is not None and "no such remote" in shown_headline(one, failure)


@pytest.mark.parametrize(
    ("outputs", "error", "errors"),
    [
        ({}, {"message": "no rule\nstopped"}, ["no rule\nstopped"]),
        ({"result": "make: no rule"}, {"message": "no rule\nstopped"}, ["no rule\nstopped"]),
        ({"result": {"stdout": "no rule", "files": ["no rule"]}}, {"message": "no rule"}, ["no rule"]),
        ({"result": "no rule"}, {"message": "no rule", "traceback": "Traceback x"}, ["Traceback x"]),
        ({"result": "no rule"}, {"message": "no rule", "hint": "make it"}, [{"hint": "make it"}]),
        ({"result": "no rule", "error": "no rule\nat all"}, {}, ["no rule\nat all"]),
    ],
)
def test_what_of_an_error_the_result_does_not_have_in_it_is_shown_with_the_error(
    outputs: dict[str, Any], error: dict[str, Any], errors: list[Any]
) -> None:
    one = step(outputs=outputs, error=error)
    sections = step_sections(run(one), one)
    assert [found.value for found in sections if found.role == "error"] == errors
    assert [found.value for found in sections if found.role == "result"] == [
        value for key, value in outputs.items() if key != "error"
    ]


def test_the_line_for_which_a_step_failed_is_lit_in_its_result_alone() -> None:
    one = step(inputs={"arguments": {"command": "echo bad\nmake"}}, outputs={"result": "a\nbad\n", "log": "b"})
    page = page_of(
        step_sections(run(), one), "Result", whole=True, conversation=None, source=None, stored=None, why="bad"
    )
    assert [section.lit for section in page.sections] == ["bad", "bad", ""]
    shown = section_lines(page.sections, Folds(), False, {}, {})
    assert shown.lit is not None
    assert shown.lines[shown.lit].text == "bad"
    lit = [number for number in range(len(shown.lines)) if shown.lines[number].ground == "wrong"]
    assert lit == [shown.lit]


def test_what_a_tool_wrote_stands_before_its_answer_which_is_no_code() -> None:
    arguments = {"file_path": "reader.rs", "content": "fn main() {}"}
    sections = step_sections(run(), step(inputs={"arguments": arguments}, outputs={"result": "ok"}))
    assert [(found.name, found.value, found.hint) for found in in_tab(sections, "Result")] == [
        ("Written", "fn main() {}", "reader.rs"),
        ("Result", "ok", ""),
    ]
    assert [(found.name, found.opened) for found in in_tab(sections, "Call")] == [("Call", True)]
    read = step_sections(run(), step(inputs={"arguments": {"file_path": "a.rs"}}, outputs={"content": "fn main() {}"}))
    assert [(found.name, found.hint) for found in in_tab(read, "Result")] == [("Result", "a.rs")]


def test_an_edit_is_shown_as_the_change_it_makes() -> None:
    arguments = {"file_path": "reader.py", "old_string": "a\nb", "new_string": "a\nc"}
    sections = step_sections(run(), step(inputs={"arguments": arguments}, outputs={"result": "done"}))
    assert sections[0].role == "change"
    assert sections[0].value.splitlines() == ["--- reader.py", "+++ reader.py", "@@ -0,2 +0,2 @@", " a", "-b", "+c"]
    assert sections[1].role == "result"
    assert {found.name: found.opened for found in sections[2:]} == {
        "Call": True,
        "old_string": False,
        "new_string": False,
    }


def test_a_change_that_a_call_failed_to_make_belongs_to_the_call_and_is_not_shown_as_made() -> None:
    edit = {"file_path": "reader.py", "old_string": "a", "new_string": "b"}
    written = {"file_path": "reader.py", "content": "a"}

    def tried(arguments: dict[str, str], kind: str) -> list[tuple[str, str, str]]:
        error = {"type": kind, "message": "Could not find the exact text"}
        one = step(inputs={"arguments": arguments}, outputs={"result": "Nothing was done"}, error=error)
        sections = step_sections(run(one), one)
        assert [found.name for found in in_tab(sections, "Result")] == ["Result"]
        assert {found.role for found in in_tab(sections, "Call")} == {"tried", "call"}
        first = in_tab(sections, "Call")[0]
        return [(first.name, first.role, first.value.splitlines()[-1])]

    assert tried(edit, "failed") == [("Tried to change, not applied", "tried", "+b")]
    assert tried(edit, "rejected") == [("Tried to change, not applied", "tried", "+b")]
    assert tried(edit, "interrupted") == [("Tried to change, outcome not recorded", "tried", "+b")]
    assert tried(written, "failed") == [("Tried to write, not written", "tried", "a")]
    assert tried(written, "no_result") == [("Tried to write, outcome not recorded", "tried", "a")]


def test_a_change_of_a_call_that_has_not_run_is_not_shown_as_made() -> None:
    one = step(inputs={"arguments": {"file_path": "reader.py", "old_string": "a", "new_string": "b"}})
    sections = step_sections(run(one), one)
    assert in_tab(sections, "Result") == ()
    assert [(found.name, found.role) for found in sections[:1]] == [("To change, outcome not recorded", "tried")]


def test_arguments_stored_as_the_text_the_model_wrote_are_read() -> None:
    assert shown(step(inputs={"name": "f", "arguments": '{"path": "x"}'})) == [("Call", "call", {"path": "x"})]


def test_a_model_step_reads_as_a_conversation() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Why?"}]},
    ]
    call = {"function": {"name": "search", "arguments": '{"q": "why"}'}}
    one = step(
        kind=StepKind.MODEL,
        inputs={"messages": messages, "temperature": 0.2},
        outputs={"text": "Because.", "thinking": "Hm.", "tool_calls": [call], "logprob": -1.5},
        usage={"input": 3},
    )
    assert shown(one) == [
        ("system", "turn", "Be brief."),
        ("user", "turn", "Why?"),
        ("Thinking", "thinking", "Hm."),
        ("Answer", "answer", "Because."),
        ("Calls search", "answer", {"q": "why"}),
        ("Also recorded", "result", {"logprob": -1.5}),
        ("Also sent", "call", {"temperature": 0.2}),
        ("Usage", "settings", {"input": 3}),
    ]


def test_a_model_step_whose_prompt_was_not_recorded_shows_what_its_parents_said() -> None:
    asked = step("h", StepKind.MODEL, inputs={"text": "Find it"}, v3_kind="human")
    tool = step("t", parents=("h",), inputs={"name": "ls", "arguments": {"path": "."}}, outputs={"result": "a b"})
    one = step("m", StepKind.MODEL, ("h", "t"), outputs={"text": "Found"})
    sections = step_sections(run(asked, tool, one), one)
    said = [(found.name, found.value, found.opened, found.step, found.path) for found in sections]
    assert said == [
        ("Find it", "Find it", True, "h", ("inputs", "text")),
        ('ls(".")', "a b", False, "t", ("outputs", "result")),
        ("Answer", "Found", True, "", ("outputs", "text")),
    ]


@pytest.mark.parametrize(
    ("kind", "v3_kind", "name"),
    [(StepKind.THINK, None, "Text"), (StepKind.MODEL, "human", "Words"), (StepKind.DONE, None, "Text")],
)
def test_a_thought_words_and_an_answer_stand_alone(kind: StepKind, v3_kind: str | None, name: str) -> None:
    one = step(kind=kind, v3_kind=v3_kind, inputs={"text": "said"})
    assert shown(one) == [(name, "turn", "said")]


def test_a_long_prompt_has_a_bounded_number_of_sections_and_keeps_the_last_turns() -> None:
    messages = [{"role": "user", "content": str(number)} for number in range(5_000)]
    sections = step_sections(run(), step(kind=StepKind.MODEL, inputs={"messages": messages}))
    assert len(sections) < 100
    assert (sections[0].opened, len(sections[0].value)) == (False, 5_000 - len(sections) + 1)
    assert sections[-1].value == "4999"


def test_the_demo_opens_each_kind_with_what_matters() -> None:
    record = read_run(DEMO)
    first = {}
    for one in record.graph:
        sections = step_sections(record, one)
        first.setdefault((one.shown_kind, bool(one.error)), sections[0].name)
    assert first == {
        ("human", False): "Words",
        ("think", False): "Text",
        ("tool", False): "Result",
        ("tool", True): "About the error",
        ("error", True): "Error",
        ("model", False): "Prompt",
        ("subagent", False): "Task",
    }


def leaves(value: Any) -> Iterator[str]:
    """Every text in a JSON value, but for what only names or numbers a part."""
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        value = [member for key, member in value.items() if key not in ("id", "role", "type", "name")]
    for member in value if isinstance(value, list) else ():
        yield from leaves(member)


@pytest.mark.parametrize(
    "name", ["agent_native", "agent_max_steps", "nested", "error_failed", "branched", "budget_breached"]
)
def test_every_recorded_text_is_in_a_section_and_stands_where_its_path_says(name: str) -> None:
    record = read_run(ROOT / "tests" / "data" / "corpus" / "0.12.1" / f"{name}.tine")
    for one in record.graph:
        sections = step_sections(record, one)
        failure = failure_of(one)
        said = [text for found in sections for text in leaves(found.value)]
        said += [failure.headline, failure.kind] if failure is not None else []
        for field in ("inputs", "outputs", "error"):
            for text in leaves(getattr(one, field)):
                assert any(text in other for other in said), (one.id, field, text)
        for found in sections:
            if (
                found.path
                and found.role in ("turn", "answer", "call")
                and isinstance(found.value, str)
                and not found.step
            ):
                value: Any = msgspec.to_builtins(one)
                for part in found.path:
                    value = value[part]
                assert found.value in leaves(value)


def test_an_error_that_its_headline_says_whole_is_not_said_again() -> None:
    said = Section("Error", "the cache was warm.\nLet me read\n", role="error")
    more = Section("Error", "the cache was warm.\nLet me read\nthe log", role="error")
    headline = "the cache was warm. Let me read"
    assert [section.value for section in failure_sections((said, more), headline)] == [more.value]
