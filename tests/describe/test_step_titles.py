"""What cards say about steps that real writers stored, and about steps that were stored to hurt."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core.model import Step, StepKind
from opentine_gui.describe.numbers import NOT_RECORDED
from opentine_gui.describe.payload_text import FRONT, first_sentence, sentences
from opentine_gui.describe.step_titles import agent_task, figures, model_name, subtitle, title
from opentine_gui.scene.text.clean import clean

PATCH = (
    "*** Begin Patch\n*** Update File: app/main.py\n@@\n-old\n+new\n"
    + "+more\n" * 200
    + "*** Delete File: /home/x/old/app/notes.md\n*** End Patch\n"
)
STEPS = {
    name: msgspec.convert(entry["step"], Step)
    for name, entry in json.loads(
        (Path(__file__).parents[1] / "data" / "scene" / "steps.json").read_text(encoding="utf-8")
    ).items()
}


def step(kind: str = "model", **fields: Any) -> Step:
    return Step(**{"id": "0" * 64, "parent_ids": (), "kind": StepKind(kind), "inputs": {}} | fields)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tool with a query", 'search("orbit raft granite")'),
        ("tool with an address", "fetch(example.test/x)"),
        ("tool that failed", 'fetch("bad_url")'),
        ("article tool", 'search("distributed systems consensus algorithms Raft Paxos PBFT")'),
        ("tool that raised", "boom: test"),
        ("loop stopped", "Max steps reached"),
        ("think with calls", "Let me look. branch branch raft"),
        ("model with calls only", 'Calls lookup("你好")'),
        ("answer", "Final: vector tidal prune replay cobalt paxos"),
        ("prompt and reply", "left quorum audit prong"),
        ("nothing at all", "A thought without text"),
        ("sub-agent", "sub"),
        ("person", "t()"),
        ("numbers", "ints(values: 16 items)"),
    ],
)
def test_titles_come_from_the_content(name: str, expected: str) -> None:
    assert title(STEPS[name]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tool with a query", "2 results · harbor lantern, copper digest"),
        ("tool with an address", "status 200"),
        ("tool that failed", "HTTPError: 404 Not Found"),
        ("tool that raised", "ValueError"),
        ("answer", ""),
        ("answer with summary", "fork prune meadow granite fork"),
        ("prompt and reply", "L · test-model-1"),
        ("think with calls", "calls lookup, boom"),
        ("sub-agent", "s · test-model-1"),
    ],
)
def test_the_quiet_line_says_what_came_out(name: str, expected: str) -> None:
    assert subtitle(STEPS[name]) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tool with a query", "1.2 s"),
        ("prompt and reply", "$0.0100"),
        ("answer", "16 ms  $0.0020  340 tok"),
        ("nothing at all", "not recorded"),
        ("tool that failed", "0.3 s"),
    ],
)
def test_figures_show_what_was_recorded_and_nothing_else(name: str, expected: str) -> None:
    assert figures(STEPS[name]) == expected


def test_a_message_with_an_image_gives_its_words_and_not_its_bytes() -> None:
    found = STEPS["messages with an image"]
    assert "AAEC" not in title(found) + subtitle(found)
    assert title(found) == found.inputs["messages"][0]["content"][0]["text"]


def test_no_real_step_is_titled_by_its_id() -> None:
    for name, found in STEPS.items():
        assert title(found), name
        assert found.id[:12] not in title(found) + subtitle(found)


def test_usage_without_a_price_is_not_priced_and_never_nothing() -> None:
    used = step(usage={"input": 1200, "output": 712}, duration=2.5)
    assert figures(used) == "2.5 s  not priced  1.9k tok"
    assert figures(step(usage={"input": 12}, billing={"status": "unmetered"})) == "$0  12 tok"
    assert figures(step(usage={"input": 12}, billing={"status": "partial", "known_subtotal_usd": "0.5"})).startswith(
        "≥ $0.5"
    )
    assert figures(step("think")) == NOT_RECORDED


def test_a_person_s_step_shows_when_it_happened() -> None:
    person = step(
        v3_kind="human", inputs={"text": "Find RLHF papers. And tell me where they disagree."}, timestamp=83051.0
    )
    assert title(person) == "Find RLHF papers"
    assert subtitle(person) == "And tell me where they disagree."
    assert figures(person) == "23:04:11"


@pytest.mark.parametrize("before", ["", "data:image/png;base64,"])
def test_a_picture_is_named_by_type_and_size_and_not_by_its_letters(before: str) -> None:
    encoded = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"x" * 292).decode()
    assert subtitle(step("tool", outputs={"result": before + encoded})) == "image/png · 300 B"


def test_instructions_are_titled_by_their_first_words_not_by_the_tags_around_them() -> None:
    prompt = "<SOUL>\nYou are a helpful assistant.\n</SOUL>"
    assert title(step("model", v3_kind="policy", inputs={"system": prompt})) == "You are a helpful assistant"
    date = "<environment_context>\n  <current_date>2026-11-25</current_date>\n</environment_context>"
    assert title(step("model", v3_kind="policy", inputs={"text": date})) == "2026-11-25"


def test_what_gemini_puts_around_a_context_and_a_result_is_not_their_first_word() -> None:
    context = ["<session_context>\nThis is the Gemini CLI. We begin.\n</session_context>"]
    assert title(step("model", v3_kind="policy", inputs={"context": context})) == "This is the Gemini CLI"
    result = "<untrusted_context>\nOutput: one\nProcess Group PGID: 1934\n</untrusted_context>"
    call = {"name": "run_shell_command", "arguments": {"command": "echo one"}}
    assert subtitle(step("tool", inputs=call, outputs={"result": result})) == "one"


def test_settings_and_tools_that_a_session_begins_with_are_named() -> None:
    settings = Step(id="0" * 64, parent_ids=(), kind=StepKind.MODEL, inputs={"cwd": "/srv/app"}, v3_kind="policy")
    tools = msgspec.structs.replace(settings, inputs={"tools": [{"name": "go"}, {"name": "click"}]})
    assert title(settings) == "Settings: cwd /srv/app"
    assert title(tools) == "2 tools: go, click"
    offered = [{"type": "function", "function": {"name": "get_weather"}}]
    assert title(msgspec.structs.replace(settings, inputs={"tools": offered})) == "1 tool: get_weather"
    assert title(msgspec.structs.replace(settings, inputs={"tools": [{"function": {}}]})) == "1 tool"
    assert title(msgspec.structs.replace(settings, inputs={})) == "A policy decision without text"


def test_markdown_and_abbreviations_do_not_cut_a_title_short() -> None:
    assert title(step("think", inputs={"text": "## Plan\n- **search**, read"})) == "search, read"
    assert title(step("think", inputs={"text": "Use e.g. the mirror. Then stop."})) == "Use e.g. the mirror"
    assert title(step("think", inputs={"text": "open __init__.py first"})) == "open __init__.py first"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": "RLHF 2024", "limit": 5}, 'search("RLHF 2024")'),
        ({"limit": 5, "url": "https://www.arxiv.org/abs/2404"}, "search(arxiv.org/abs/2404)"),
        ({"path": "/home/paper.pdf"}, "search(/home/paper.pdf)"),
        ({"path": "/home/x/paper.pdf"}, "search(…/x/paper.pdf)"),
        ({"file_path": "/home/x/papers of 2024/first draft.pdf"}, "search(…/papers of 2024/first draft.pdf)"),
        ({"path": r"C:\Users\x\papers\first.pdf"}, "search(…/papers/first.pdf)"),
        ({"path": "/home/x/\u202efdp.rep/ap\x1b[31m"}, "search(…/fdp.rep/ap)"),
        ({"path": "/home/x/papers", "pattern": "tide|wave"}, 'search("tide|wave")'),
        ("/usr/bin/env a b/c", 'search("/usr/bin/env a b/c")'),
        ("ls /home/x/papers/old", 'search("ls /home/x/papers/old")'),
        ('{"query": "as json text"}', 'search("as json text")'),
        ("plain words", 'search("plain words")'),
        (["first", "second"], 'search("first")'),
        ({"command": ["bash", "-lc", "ls -la src"], "timeout": 5}, 'search("ls -la src")'),
        ({"command": ["git", "status"]}, 'search("git status")'),
        ({"command": "cd packages/coding-agent && npm test"}, 'search("cd … && npm test")'),
        ({"command": ["bash", "-lc", "cd '/home/my work' ; ls"]}, 'search("cd … ; ls")'),
        ({"command": "cd /home/work\nls"}, 'search("cd … ; ls")'),
        ({"command": "SESSION_URL=$(cat /tmp/x)\ncurl -s $SESSION_URL"}, 'search("… curl -s $SESSION_URL")'),
        ({"command": "A=1 B='2 3' make test"}, 'search("… make test")'),
        ({"command": "A=1"}, 'search("A=1")'),
        ({"command": "rm /home/x/work/app/src/deep/old.py"}, 'search("rm …/deep/old.py")'),
        ({"command": "cd .. && ls"}, 'search("cd .. && ls")'),
        ({"command": "cd packages/coding-agent"}, 'search("cd packages/coding-agent")'),
        ({"command": [{"a": 1}, 2]}, "search(command: 2 items)"),
        ({"input": PATCH}, "search(app/main.py, …/app/notes.md)"),
        (PATCH, "search(app/main.py, …/app/notes.md)"),
        ("*** Begin Patch\n*** End Patch", 'search("*** Begin Patch *** End Patch")'),
        ("applypatch << 'PATCH'\n*** Begin Patch\n*** End Patch\nPATCH", 'search("apply_patch, no file")'),
        ({"cmd": f"apply_patch <<'EOF'\n{PATCH}EOF"}, 'search("apply_patch app/main.py, …/app/notes.md")'),
        (
            {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]},
            'search("apply_patch app/main.py, …/app/notes.md")',
        ),
        ({"command": ["applypatch", PATCH]}, 'search("apply_patch app/main.py, …/app/notes.md")'),
        ({"limit": 5}, "search(limit=5)"),
        ({"filter": {"a": 1}}, "search(filter: 1 key)"),
        ({}, "search()"),
    ],
)
def test_a_tool_call_shows_its_main_argument(arguments: Any, expected: str) -> None:
    assert title(step("tool", inputs={"name": "search", "arguments": arguments})) == expected


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"agent": "Dewey", "prompt": "Count the lines of a.py. Answer with the number."}, "Count the lines of a.py"),
        ({"agent": "reviewer", "description": "Review hooks", "prompt": "You are to review"}, "Review hooks"),
        ({"agent": "Dewey"}, "Dewey"),
        ({"agent": "Dewey", "prompt": " "}, "Dewey"),
    ],
)
def test_a_sub_agent_is_called_after_its_task_and_not_after_its_nickname(inputs: dict[str, str], expected: str) -> None:
    agent = step(inputs=inputs, v3_kind="subagent")
    assert agent_task(agent) == expected
    assert title(agent) == expected, "it has one name wherever it stands"


def test_the_tool_may_be_named_in_tool_info() -> None:
    assert title(step("tool", inputs={"query": "x"}, tool_info={"name": "grep"})) == 'grep("x")'


def test_results_are_counted_and_named() -> None:
    def line(**outputs: Any) -> str:
        return subtitle(step("tool", inputs={"name": "t"}, outputs=outputs))

    assert line(results=[{"title": "paper_a"}, {"title": "paper_b"}]) == "2 results · paper_a, paper_b"
    assert line(matches=["one"]) == "1 match · one"
    assert line(results=[]) == "no results"
    assert line(bytes=1_400_000, content_type="application/pdf") == "1.4 MB · application/pdf"
    assert line(result="Found it. More.") == "Found it"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ('{"type":"output_text","text":{"value":"Use mdBook. It is quick."}}', "Use mdBook"),
        ('[{"title":"mdBook"},{"title":"rustdoc"}]', "2 items · mdBook, rustdoc"),
        ('{"ok": true, "count": 3}', "ok true, count 3"),
        ('{"status": 404, "message": "no such page"}', "404 · no such page"),
        ("[package]", "[package]"),
        ('{"cut": "of', '{"cut": "of'),
    ],
)
def test_a_result_spelled_as_json_says_what_is_in_it(result: str, expected: str) -> None:
    assert subtitle(step("tool", inputs={"name": "look"}, outputs={"result": result})) == expected


def test_a_second_line_does_not_begin_with_what_ends_the_title() -> None:
    said = "I made two changes:\n\n---\n\n- The reader closes its file\n- The writer too\n"
    answer = step(outputs={"text": said})
    assert title(answer) == "I made two changes: The reader closes its file"
    assert subtitle(answer) == "The writer too"


def test_models_are_named_without_their_release_date() -> None:
    assert model_name(step(model_info="claude-sonnet-4-20250514")) == "claude-sonnet-4"
    assert model_name(step(model_info={"model": "gpt-y", "provider": "p"})) == "gpt-y"
    assert model_name(step(model_info=17)) == ""


KEYS = st.sampled_from(
    ["text", "prompt", "messages", "content", "name", "arguments", "args", "tool_calls", "results", "result", "error",
     "message", "type", "status", "bytes", "choices", "model", "", "\x1b[31m", "\u202e"]
)  # fmt: skip
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(codec=None, categories=None), max_size=20),
)
PAYLOADS = st.dictionaries(
    KEYS,
    st.recursive(
        LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3))
    ),
    max_size=5,
)


@given(
    st.sampled_from(StepKind),
    PAYLOADS,
    PAYLOADS,
    PAYLOADS,
    PAYLOADS,
    LEAVES,
    st.sampled_from(["human", "subagent", None]),
)
def test_whatever_is_stored_there_is_a_clean_short_title_and_line(
    kind: StepKind, inputs: Any, outputs: Any, error: Any, tool_info: Any, model_info: Any, v3_kind: str | None
) -> None:
    found = step(
        kind, inputs=inputs, outputs=outputs, error=error, tool_info=tool_info, model_info=model_info, v3_kind=v3_kind
    )
    for text, limit in ((title(found), 120), (subtitle(found), 160)):
        assert text == clean(text)
        assert len(text) <= limit
    assert title(found)
    assert figures(found)


def test_huge_numbers_and_deep_payloads_do_no_harm() -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    huge = step("tool", inputs={"name": "t", "arguments": deep, "n": 10**5000}, outputs={"n": 10**5000})
    assert title(huge).startswith("t(")
    assert subtitle(huge) == "n a very large number"


@pytest.mark.parametrize("size", [10**400, -5], ids=["too large", "negative"])
def test_a_number_that_is_not_a_size_is_not_shown_as_one(size: int) -> None:
    assert subtitle(step("tool", inputs={"name": "save"}, outputs={"bytes": size, "text": "Saved"})) == "Saved"


def test_megabytes_of_text_are_not_read_for_a_title() -> None:
    text = "word " * 2_000_000
    big = step("done", inputs={"text": text})
    assert len(title(big)) <= 120
    assert subtitle(big) == ""


def test_an_error_s_line_does_not_repeat_its_title() -> None:
    twice = step(
        "error", inputs={"text": "404 Not Found"}, error={"type": "HTTPStatusError", "message": "404 Not Found"}
    )
    assert title(twice) == "404 Not Found"
    assert subtitle(twice) == "HTTPStatusError"


def test_a_text_of_control_characters_alone_is_said_to_be_none() -> None:
    assert title(step(StepKind.THINK, outputs={"text": "\x1b"}, v3_kind="human")) == "A person's turn without text"


_PIECES = st.sampled_from(
    ["One. ", "two ", "\n", "\x1b]0;", "\x07", "\x1b[31m", "# ", "- a", "…", "wörd ", "\u202e", "3. ", "x" * 200]
)


@given(st.lists(_PIECES, max_size=40), st.lists(_PIECES, max_size=40))
def test_the_first_sentence_of_a_long_text_is_that_of_the_whole(begin: list[str], end: list[str]) -> None:
    text = "".join(begin) + "word " * (FRONT // 5) + "".join(end) + "."
    whole = sentences(text)[0]
    assert first_sentence(text) == (whole[:-1] if whole.endswith(".") and not whole.endswith("..") else whole)


def test_a_prompt_is_titled_by_what_was_typed_and_not_by_what_the_editor_put_before_it() -> None:
    prompt = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nMend a.py"
    assert title(step("think", v3_kind="human", inputs={"text": prompt})) == "Mend a.py"
    assert title(step("model", inputs={}, outputs={"text": prompt})) != "Mend a.py"


@pytest.mark.parametrize(
    ("printed", "line"),
    [
        ("?   \tcmd/app\t[no test files]\n? \tcmd/b\t[no test files]\nok  \tcmd/cli\t1.970s\n", "ok cmd/cli 1.970s"),
        ("    86→\n    87→\t\t// Fetch the branch\n", "87→ // Fetch the branch"),
        ("?   \tcmd/app\t[no test files]\n", "cmd/app [no test files]"),
        ("12-\n", "12-"),
    ],
)
def test_lines_that_say_nothing_are_no_summary_of_what_a_program_printed(printed: str, line: str) -> None:
    assert subtitle(step("tool", inputs={"name": "Bash"}, outputs={"result": printed})) == line
