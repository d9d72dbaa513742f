"""What a report says of one step: all of its texts, and how much of it is cut or passed over."""

from __future__ import annotations

import gc
import json
import tracemalloc
from typing import Any

import pytest

from opentine_gui.core import StepKind
from opentine_gui.core.comparison.text_difference import MOST_CHARACTERS
from opentine_gui.describe.payload_text import MOST_VALUES, told
from opentine_gui.export.step_text import LONGEST, LONGEST_ASKED, MOST_NAMED, step_lines
from tests.core.analysis.call_runs import Recording
from tests.growth import excess

PICTURE = {"type": "image", "source": {"media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAA" * 20}}


def lines_of(
    outputs: dict[str, Any], inputs: dict[str, Any] | None = None, kind: StepKind = StepKind.MODEL
) -> list[str]:
    """What a report says of a step, without empty lines."""
    run = Recording()
    run.add(kind, inputs or {}, outputs=outputs)
    return [line for line in "\n".join(step_lines(run.record().graph, 0)).split("\n") if line]


def call_lines(outputs: Any, **arguments: Any) -> list[str]:
    return lines_of(outputs, {"name": "Bash", "arguments": {"command": "make", **arguments}}, StepKind.TOOL)


def test_every_part_of_an_answer_is_told_and_what_was_thought_before_it() -> None:
    parts = [{"type": "text", "text": "First."}, {"type": "text", "text": "Second."}]
    assert lines_of({"text": parts, "thinking": "Let me see.\nYes."}) == [
        "Thinking:", "> Let me see.\\", "> Yes.", "Answered:", "> First.\\", "> Second.",
    ]  # fmt: skip


def test_every_part_of_a_result_is_told_a_picture_by_its_size_and_what_stands_beside_it() -> None:
    parts = [{"type": "text", "text": "made"}, PICTURE, {"type": "text", "text": "twice"}]
    said = call_lines({"result": parts, "exit_code": 0, "host": "here", "trace": ["a"] * 9}, timeout=5, note="n" * 50)
    assert said == [
        "```bash", "make", "```",
        "*Also recorded: note, timeout: 5; the JSON export has all of it.*",
        "Result:",
        "```", "made", "source: [image/png · 360 B]", "type: image", "twice", "```",
        "*Also recorded: exit\\_code: 0, host: here, trace; the JSON export has all of it.*",
    ]  # fmt: skip


def test_a_payload_without_words_is_told_as_json() -> None:
    assert lines_of({}, {"trigger": "branch"}) == ["> trigger: branch"]
    assert lines_of({}, {"tools": [{"name": "a"}]})[:3] == ["```json", "{", '  "tools": [']


def test_what_is_passed_over_is_counted() -> None:
    cited = [{"text": "So it is.", "citations": [{"url": "a"}], "role": "said"}]
    assert lines_of({"text": cited}) == ["> So it is.", "*1 more value: the JSON export has them all.*"]
    many = lines_of({"text": ["w"] * (MOST_VALUES + 9)})
    assert "*9 more values: the JSON export has them all.*" in many
    named = lines_of({"text": "So", **{f"k{number:02}": ["v"] for number in range(MOST_NAMED + 3)}})
    assert named[-1].endswith(f"k{MOST_NAMED - 1} and 3 more; the JSON export has all of it.*")


def test_of_what_a_model_was_sent_the_last_is_told_and_the_rest_is_counted() -> None:
    sent = [{"role": "user", "content": f"turn {number}"} for number in range(5)]
    sent.append({"role": "user", "content": "w" * (LONGEST_ASKED + 7)})
    said = lines_of({"text": "Yes"}, {"messages": sent, "temperature": 0.5})
    assert said[0] == "Asked:"
    assert said[2:5] == [
        "*7 more characters: the JSON export has them all.*",
        "*5 more values: the JSON export has them all.*",
        "*Also recorded: temperature: 0.5; the JSON export has all of it.*",
    ]
    assert not any("turn" in line for line in said)


def test_of_a_payload_only_so_much_is_read_however_deep_and_wide_it_is() -> None:
    deep: Any = "end"
    for _ in range(2_000):
        deep = [deep]
    assert told(deep) == ("", 1)
    wide = told({str(number): {"a": {}} for number in range(2 * MOST_VALUES)})
    assert wide.text == "" and wide.left > MOST_VALUES


def test_what_a_person_refused_is_not_said_to_have_failed() -> None:
    run = Recording()
    run.ask("go")
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected."
    for words in (refused, "NameError: x"):
        run.call("Bash", {"command": "make"}, failed=words)
    graph = run.record(metadata={"capture": {"method": "transcript-import"}}).graph
    assert [step_lines(graph, place)[0].split(" ")[0] for place in (1, 2)] == ["**Refused:**", "**Failed:**"]


def test_calls_that_are_steps_of_their_own_are_not_told_twice() -> None:
    outputs = {"text": "I run it", "tool_calls": [{"name": "Bash", "arguments": {"command": "make"}}]}
    run = Recording()
    run.add(StepKind.MODEL, {}, outputs=outputs)
    alone = step_lines(run.record().graph, 0)
    run.call("Bash", {"command": "make"}, "made")
    assert "*Also recorded: tool\\_calls; the JSON export has all of it.*" in alone
    assert not any("tool" in line for line in step_lines(run.record().graph, 0))


def test_what_is_recorded_beside_an_answer_that_says_what_was_asked_is_named() -> None:
    said = lines_of({"text": "same", "other": {"a": 1}, "n": 2}, {"prompt": "same"})
    assert said == ["Asked:", "> same", "*Also recorded: n: 2, other; the JSON export has all of it.*"]


def test_json_is_written_as_far_as_it_is_shown_however_long_it_would_be() -> None:
    deep: Any = [1] * 2_000
    for _ in range(300):
        deep = [deep]
    gc.collect()
    tracemalloc.start()
    try:
        said = lines_of({"q": [{"a": deep}]}, {"name": "x", "arguments": {"a": deep}}, StepKind.TOOL)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 1_000_000, "all of it has 1.2 million characters of indentation for each of the two"
    cut = "*The rest is not shown: the JSON export has all of it.*"
    assert said[0] == "```json" and said.count(cut) == 2 and len(said) < 300
    asked = lines_of({}, {"tools": [{"name": "w" * (LONGEST + 1)}]})
    assert asked[0] == "```json" and asked[-2:] == ["```", cut]
    assert len("\n".join(asked[1:-2])) == LONGEST
    whole = lines_of({}, {"tools": [{"name": "w" * 5_000}]})
    assert cut not in whole and whole[-1] == "```"


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        ({"stop_reason": "tool_use"}, "stop\\_reason: tool\\_use"),
        ({"signature": "abc"}, "signature: abc"),
        ({"signature": "c" * 400, "usage": {"output": 3}}, "signature, usage"),
        ({"content": "", "confidence": 0.5}, "confidence: 0.5"),
    ],
)
def test_what_stands_beside_thoughts_is_no_answer(beside: dict[str, Any], named: str) -> None:
    line = f"*Also recorded: {named}; the JSON export has all of it.*"
    assert lines_of({"thinking": "Hm.", **beside}) == ["Thinking:", "> Hm.", line]
    assert lines_of({"thinking": "Hm.", "text": "So.", "n": 1})[2:4] == ["Answered:", "> So."]


def test_labels_alone_are_no_answer_and_other_values_are_told() -> None:
    line = "*Also recorded: role: assistant, stop\\_reason: end; the JSON export has all of it.*"
    assert lines_of({"role": "assistant", "stop_reason": "end"}, {"prompt": "Go"}) == ["Asked:", "> Go", line]
    named = "*Also recorded: model: m1; the JSON export has all of it.*"
    assert lines_of({"text": "So"}, {"model": "m1"})[0] == named
    assert lines_of({}, {"model": "m1"}, StepKind.THINK) == ["> model: m1"], "what a step says itself is told"
    assert lines_of({"verdict": "good"}, {"prompt": "Go"})[2:] == ["Answered:", "> verdict: good"]
    calls = lines_of({"thinking": "Hm.", "tool_calls": [{"name": "a"}]})
    assert calls[2:5] == ["Also recorded:", "```json", "{"] and '"name": "a"' in "".join(calls)


def test_a_message_that_has_only_a_role_and_calls_is_not_the_last_that_says_something() -> None:
    called = {"role": "assistant", "content": "", "tool_calls": [{"f": 1}]}
    asked = lines_of({"text": "ok"}, {"messages": [{"role": "user", "content": "q1"}, called]})
    assert asked[:3] == ["Asked:", "> q1", "*1 more value: the JSON export has them all.*"]
    unusual = lines_of({"text": "ok"}, {"messages": [{"role": "user", "body": "q2"}, called, {"role": "tool"}]})
    assert unusual[:2] == ["Asked:", "> body: q2"]


CHANGED = [
    ({"old_string": "x", "new_string": "y"}, "-x\n+y"),
    ({"edits": [{"old_string": "x", "new_string": "y"}]}, "-x\n+y"),
    ({"insert_text": "y", "insert_line": 3}, "+y"),
    ({"diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}, "-x\n+y"),
    ({"patch": "--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-x\n+y\n"}, "-x\n+y"),
]


@pytest.mark.parametrize(("arguments", "block"), CHANGED)
def test_arguments_beside_an_edit_are_named(arguments: dict[str, Any], block: str) -> None:
    run = Recording()
    run.call("Edit", {"path": "a.py", **arguments, "replace_all": True, "note": "n" * 50}, "ok")
    line = "insert\\_line: 3, " if "insert_line" in arguments else ""
    assert step_lines(run.record().graph, 0)[:7] == [
        "In `a.py`:", "", "```diff", block, "```", "",
        f"*Also recorded: {line}note, replace\\_all: true; the JSON export has all of it.*",
    ]  # fmt: skip


def test_lines_around_a_change_of_a_patch_are_written_once() -> None:
    run = Recording()
    rows = ["@@", " c0", "-a", "+A", " c1", "@@", "+new", "+", "@@", "-", "-old"]
    patch = "\n".join(["*** Begin Patch", "*** Update File: a.py", *rows, "*** End Patch"])
    run.call("apply_patch", {"input": patch}, "ok")
    blocks = [line for line in step_lines(run.record().graph, 0) if line[:1] in (" ", "+", "-")]
    assert blocks == [" c0\n-a\n+A\n c1", "+new\n+", "-\n-old"]


def edited(old: str, new: str) -> Recording:
    run = Recording()
    run.call("Edit", {"file_path": "/w/a.py", "old_string": old, "new_string": new}, "ok")
    return run


def test_an_edit_is_told_as_its_difference_with_a_few_equal_lines_around_it() -> None:
    equal = [f"line {number}" for number in range(9)]
    run = edited("\n".join([*equal, "x = 1", *equal]), "\n".join([*equal, "x = 2", "y = 3", *equal]))
    block = " line 6\n line 7\n line 8\n-x = 1\n+x = 2\n+y = 3\n line 0\n line 1\n line 2"
    assert step_lines(run.record().graph, 0)[:5] == ["In `/w/a.py`:", "", "```diff", block, "```"]
    assert "-gone" in step_lines(edited("gone", "").record().graph, 0), "nothing is added in its place"


def test_of_an_edit_that_leaves_nothing_every_line_is_gone() -> None:
    lines = step_lines(edited("a\n\nb\n", "").record().graph, 0)
    assert "-a\n-\n-b" in lines, "no empty line of it stays"


def test_an_edit_that_failed_is_told_as_tried() -> None:
    run = Recording()
    arguments = {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}
    error = {"type": "failed", "message": "Could not find the exact text"}
    run.add(StepKind.TOOL, {"name": "Edit", "arguments": arguments}, error=error)
    said = "\n".join(step_lines(run.record().graph, 0))
    assert "\nTried to change, not applied:\n" in said
    assert said.index("Tried to change, not applied:") < said.index("+x = 2")


def test_an_edit_too_long_to_be_compared_says_how_much_is_not() -> None:
    said = step_lines(edited("x" * (MOST_CHARACTERS + 12), "y").record().graph, 0)
    assert "*12 more characters: the JSON export has them all.*" in said


def repetitive(lines: int) -> tuple[str, str]:
    """Two texts of lines that occur again and again, in another order: what takes a plain difference longest."""
    old = [f"the line {number * 7 % 97} of the file" for number in range(lines)]
    return "\n".join(old), "\n".join(f"the line {number * 11 % 97} of the file" for number in range(lines))


def test_a_long_repetitive_edit_is_told_in_a_time_that_follows_its_length() -> None:
    graphs = [edited(*repetitive(lines)).record().graph for lines in (200, 2_000)]
    small, large = [lambda graph=graph: step_lines(graph, 0) for graph in graphs]
    assert excess(small, large, tuple(json.dumps(repetitive(lines)[0].split("\n")) for lines in (200, 2_000))) == ""
