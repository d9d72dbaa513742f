"""Traces: one conversation through every envelope, what came from what, bills, retries, sub-agents, dirt."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import FormatError, RunRecord, Step, TineError
from opentine_gui.core.model import StepKind
from opentine_gui.importers.readers import parts_of, read_run, read_source, reader_for
from opentine_gui.importers.sources.parts import part_path
from tests.importers.frameworks.spans.enveloped import (
    AGENT,
    ASK,
    CHAT,
    NOW,
    ROWS,
    SAYS,
    SHAPES,
    TOOL,
    Row,
    iso,
    langfuse,
    otlp,
    read_rows,
    save,
)
from tests.importers.model_side import RECORDINGS, expected, tips

OTEL = RECORDINGS / "otel-genai" / "1.45.2-b-tools"
AGENTS = sorted((RECORDINGS / "openai-agents").iterdir())


def test_the_recorded_trace_reads_as_the_calls_that_were_made() -> None:
    truth = expected(OTEL)
    reading = read_source(OTEL / "traces.jsonl")
    record = reading.record
    steps = list(record.graph)
    made = [step for step in steps if step.shown_kind in ("model", "tool")]
    assert [step.outputs["text"] for step in made if step.kind == "model"] == [
        text for kind, text, _ in truth["order_of_ends"] if kind == "chat" and text
    ]
    first = made[0]
    assert first.tool_info == {"attempts": 2, "errors": ["rate_limit"]}
    t1, t2 = (step for step in steps if step.parent_ids == (first.id,))
    assert [step.inputs["arguments"] for step in (t1, t2)] == [{"cmd": "a"}, {"cmd": "b"}]
    assert (t1.outputs["result"], t2.outputs["result"]) == ("t1 ok", "t2 ok")
    ask = next(step for step in steps if step.parent_ids == (t1.id, t2.id))
    start = next(step for step in steps if step.v3_kind == "subagent")
    assert start.parent_ids == (ask.id,)
    failed = next(step for step in steps if step.error)
    assert failed.error == {"type": "failed", "message": "scripted"}
    join = next(step for step in steps if step.inputs.get("name") == "ask_helper")
    assert join.parent_ids == (ask.id, failed.id)
    assert [step.outputs["text"] for step in tips(record)] == ["Second turn, linked to the first."]
    assert reading.report is not None
    assert reading.report.records == truth["spans_total"]
    stated = sum(
        int(attribute["value"]["intValue"])
        for span in _spans_of((OTEL / "traces.jsonl").read_text())
        for attribute in span["attributes"]
        if span["name"].startswith("chat") and attribute["key"] == "gen_ai.usage.input_tokens"
    )
    assert sum(step.usage.get("input", 0) + step.usage.get("cache_read", 0) for step in made) == stated


def _spans_of(lines: str) -> list[dict[str, Any]]:
    found = [json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"] for line in lines.splitlines()]
    return [span for spans in found for span in spans]


def test_base64_ids_and_lines_read_alike() -> None:
    lines, document = (read_run(OTEL / name) for name in ("traces.jsonl", "traces.protobuf-json.json"))
    assert lines.graph.ids == document.graph.ids


@pytest.mark.parametrize("folder", AGENTS, ids=lambda folder: folder.name)
def test_every_response_and_every_call_of_openai_agents_is_a_step_with_its_bill(folder: Path) -> None:
    truth = expected(folder)
    record = read_run(folder / "traces.jsonl")
    answers = [step for step in record.graph if step.shown_kind == "model"]
    stated = [request["usage"] for request in truth["requests"] if request["status"] == 200]
    assert sorted(step.usage["cache_read"] for step in answers) == sorted(usage["cache_read"] for usage in stated)
    assert sum(step.usage["output"] for step in answers) == sum(usage["out"] for usage in stated)
    wanted = [
        [call["name"], call["args"]] for call in truth["tool_calls"] if not call["name"].startswith("transfer_to")
    ]
    made = [step for step in record.graph if step.kind == "tool" and step.inputs["name"] != "handoff"]
    assert sorted(map(json.dumps, wanted)) == sorted(
        json.dumps([step.inputs["name"], step.inputs["arguments"]]) for step in made
    )
    for call in truth["tool_calls"]:
        step = next((one for one in made if one.inputs["arguments"] == call["args"]), None)
        if step is not None and not step.error:
            assert str(call["result"]["text"]).startswith(str(step.outputs["result"]))


def test_an_agent_used_as_a_tool_is_a_sub_agent_and_a_handoff_goes_on() -> None:
    record = read_run(next(folder for folder in AGENTS if folder.name.endswith("f-subagent")) / "traces.jsonl")
    agents = [step for step in record.graph if step.v3_kind == "subagent"]
    assert [step.inputs["prompt"] for step in agents] == ["HELPER-ONE count", "HELPER-TWO look"]
    joins = [step for step in record.graph if step.inputs.get("name") == "ask_helper"]
    assert [step.outputs["result"] for step in joins] == ["REPORT-ONE", "REPORT-TWO"]
    after = next(step for step in record.graph if set(step.parent_ids) == {step.id for step in joins})
    handoff = next(step for step in record.graph if step.inputs.get("name") == "handoff")
    assert handoff.inputs["arguments"] == {"from": "desk", "to": "helper"}
    assert tips(record)[0].parent_ids == (handoff.id,)
    assert after.shown_kind == "model"


def named(record: RunRecord, word: str) -> Step:
    return next(step for step in record.graph if word in json.dumps([step.inputs, step.outputs]))


@pytest.mark.parametrize("shape", SHAPES)
def test_every_envelope_gives_the_same_steps(tmp_path: Path, shape: str) -> None:
    record = read_run(save(tmp_path / "trace.json", SHAPES[shape](ROWS)))
    person, ask, look, answer = record.graph
    assert person.inputs == {"text": "how warm is it?"}
    assert ask.outputs == {"tool_calls": [{"name": "look", "arguments": {"where": "x"}}]}
    assert look.parent_ids == (ask.id,)
    assert look.outputs["result"] in ("20", 20)
    assert answer.parent_ids == (look.id,)
    assert answer.usage == {"input": 12, "output": 3}
    assert answer.duration == pytest.approx(3.0)
    assert record.created_at == pytest.approx(NOW)


def test_spans_of_transport_are_folded_and_counted(tmp_path: Path) -> None:
    reading = read_source(save(tmp_path / "trace.json", SHAPES["otlp"](ROWS)))
    assert reading.report is not None
    assert reading.report.folded == 1
    assert reading.report.remarks == ["1 span of transport and of chains made no step."]


def test_each_step_knows_where_its_span_stands(tmp_path: Path) -> None:
    for shape in ("otlp", "langfuse", "jaeger", "phoenix"):
        reading = read_source(save(tmp_path / f"{shape}.json", SHAPES[shape](ROWS)))
        answer = next(step for step in reading.record.graph if step.outputs.get("text") == "warm")
        (place,) = reading.places[answer.id]
        assert isinstance(json.loads(place.path.read_bytes()[place.offset :][: place.length]), dict)
        assert b"warm" in place.path.read_bytes()[place.offset :][: place.length]


def test_a_wrapper_is_billed_once_and_gives_what_only_it_recorded(tmp_path: Path) -> None:
    inner = CHAT | {"gen_ai.usage.input_tokens": 10}
    outer = inner | {"gen_ai.output.messages": json.dumps(SAYS)}
    record = read_rows(tmp_path, [("a", "", 0, 9, outer), ("b", "a", 1, 8, inner)])
    (answer,) = record.graph
    assert answer.usage["input"] == 10
    assert answer.outputs["text"] == "warm"


def test_tools_that_overlap_fan_out_and_what_comes_later_waits_for_all(tmp_path: Path) -> None:
    rows = [("a", "", 0, 1, CHAT)] + [(name, "", 2, 3 + place, TOOL | {"gen_ai.tool.name": name})
                                      for place, name in enumerate("bcd")] + [("e", "", 7, 8, CHAT)]  # fmt: skip
    steps = list(read_rows(tmp_path, rows).graph)
    assert all(step.parent_ids == (steps[0].id,) for step in steps[1:4])
    assert steps[4].parent_ids == tuple(step.id for step in steps[1:4])


def test_without_a_model_tools_follow_each_other_by_time(tmp_path: Path) -> None:
    rows = [(name, "", place, place + 0.5, TOOL | {"gen_ai.tool.name": name}) for place, name in enumerate("abc")]
    steps = list(read_rows(tmp_path, rows).graph)
    assert [step.parent_ids for step in steps] == [(), (steps[0].id,), (steps[1].id,)]


def test_a_new_message_of_the_person_in_a_later_request_is_a_step(tmp_path: Path) -> None:
    again = [*ASK, *SAYS, {"role": "user", "parts": [{"type": "text", "content": "and tomorrow?"}]}]
    rows = [
        ("a", "", 0, 1, CHAT | {"gen_ai.input.messages": json.dumps(ASK), "gen_ai.output.messages": json.dumps(SAYS)}),
        ("b", "", 2, 3, CHAT | {"gen_ai.input.messages": json.dumps(again)}),
    ]
    record = read_rows(tmp_path, rows)
    assert [step.shown_kind for step in record.graph] == ["human", "model", "human", "model"]
    assert named(record, "and tomorrow?").inputs == {"text": "and tomorrow?"}


def test_traces_that_name_one_conversation_are_one_run_and_others_are_parts(tmp_path: Path) -> None:
    one, two = ({"gen_ai.conversation.id": name} for name in ("x", "y"))
    spans = [
        *otlp([("a", "", 0, 1, CHAT | one)], "1"),
        *otlp([("b", "", 5, 6, CHAT | one)], "2"),
        *otlp([("c", "", 9, 10, CHAT | two)], "3"),
    ]
    path = save(tmp_path / "trace.json", {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    first, second = parts_of(path)
    assert (first.records, second.records) == (2, 1)
    assert len(read_run(path).graph) == 1
    steps = list(read_run(part_path(path, first.id)).graph)
    assert steps[1].parent_ids == (steps[0].id,)


def test_openinference_openllmetry_and_the_ai_sdk_say_the_same(tmp_path: Path) -> None:
    dialects: list[dict[str, Any]] = [
        {"openinference.span.kind": "LLM", "llm.input_messages.0.message.role": "user",
         "llm.input_messages.0.message.contents.0.message_content.type": "text",
         "llm.input_messages.0.message.contents.0.message_content.text": "see",
         "llm.input_messages.0.message.contents.1.message_content.type": "image",
         "llm.input_messages.0.message.contents.1.message_content.image.image.url": "data:image/png;base64,AAAA",
         "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "a cat",
         "llm.token_count.prompt": 9, "llm.model_name": "m"},
        {"gen_ai.request.model": "m", "llm.request.type": "chat", "gen_ai.prompt.0.role": "user",
         "gen_ai.prompt.0.content": json.dumps([{"type": "text", "text": "see"}, {"type": "image_url",
                                                "image_url": {"url": "data:image/png;base64,AAAA"}}]),
         "gen_ai.completion.0.content": "a cat", "gen_ai.usage.prompt_tokens": 9},
        {"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": json.dumps([{"role": "user",
         "content": [{"type": "text", "text": "see"}, {"type": "image", "image": "data:image/png;base64,AAAA"}]}]),
         "ai.response.text": "a cat", "ai.usage.promptTokens": 9, "ai.model.id": "m"},
    ]  # fmt: skip
    for said in dialects:
        person, answer = read_rows(tmp_path, [("a", "", 0, 1, said)]).graph
        assert person.inputs == {"text": "see", "images": ["data:image/png;base64,AAAA"]}
        assert answer.outputs == {"text": "a cat"}
        assert answer.usage == {"input": 9}
        assert answer.model_info == "m"


def test_missing_parents_and_cycles_are_reported(tmp_path: Path) -> None:
    rows = [("a", "e", 0, 1, CHAT), ("b", "c", 2, 3, CHAT), ("c", "b", 2, 3, AGENT)]
    reading = read_source(save(tmp_path / "trace.json", SHAPES["otlp"](rows)))
    assert reading.report is not None
    assert any("1 span names a parent" in remark for remark in reading.report.remarks)
    assert any("cycle" in remark for remark in reading.report.remarks)
    assert len(reading.record.graph) == 2


def test_a_trace_without_models_tools_or_agents_is_shown_as_it_nests(tmp_path: Path) -> None:
    record = read_rows(tmp_path, [("a", "", 0, 9, {}), ("b", "a", 1, 2, {}), ("c", "a", 3, 4, {})])
    outer, first, second = record.graph
    assert first.parent_ids == second.parent_ids == (outer.id,)


def test_a_file_without_spans_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no spans"):
        read_run(save(tmp_path / "trace.json", {"resourceSpans": []}))


def test_the_reader_is_named_after_the_tool_people_know(tmp_path: Path) -> None:
    assert reader_for(save(tmp_path / "a.json", langfuse(ROWS))).title == "Langfuse"
    assert reader_for(AGENTS[0] / "traces.jsonl").title == "OpenAI Agents"
    assert reader_for(OTEL / "traces.jsonl").title == "OpenTelemetry"


def test_thousands_of_nested_and_parallel_spans_stay_cheap_and_flat(tmp_path: Path) -> None:
    deep = [(str(number), str(number - 1) if number else "", number / 1e4, 9, {}) for number in range(3000)]
    deep.append(("x", "2999", 5, 6, CHAT))
    wide = [(f"w{number}", "", number, number + 50, CHAT) for number in range(2000)]
    record = read_rows(tmp_path, [*deep, *wide])
    assert len(record.graph) == 2001


NAMES = st.sampled_from(["a", "b", "c", "d", ""])
WORDS = st.sampled_from(["chat", "execute_tool", "invoke_agent", "user", "{", "[{}]", '[{"role": 1, "parts": 2}]'])
KEYS = st.sampled_from(
    ["gen_ai.operation.name", "gen_ai.input.messages", "gen_ai.output.messages", "input.value", "gen_ai.tool.name",
     "llm.input_messages.0.message.role", "gen_ai.prompt.0.tool_calls.0.name", "error.type", "gen_ai.conversation.id",
     "gen_ai.usage.input_tokens", "output.value"]
)  # fmt: skip
ODD = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
                   lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | WORDS, inner, max_size=3),
                   max_leaves=5)  # fmt: skip
ANY_ROWS = st.lists(
    st.tuples(NAMES, NAMES, st.integers(0, 9), st.integers(0, 9), st.dictionaries(KEYS, ODD, max_size=5)), max_size=8
)


@given(ANY_ROWS, st.sampled_from(["phoenix", "script", "jaeger", "langfuse", "logfire"]))
@settings(max_examples=100)
def test_spans_of_any_shape_make_a_graph_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Row], shape: str
) -> None:
    path = tmp_path_factory.mktemp("odd") / "trace.json"
    path.write_text(json.dumps(SHAPES[shape](rows)))
    with suppress(TineError):
        assert len(read_run(path).graph) > 0


def test_the_moments_of_a_call_of_beeai_are_one_step_and_their_former_ids_are_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observations: list[dict[str, Any]] = []

    def moment(at: int, what: str, kind: str, *, output: Any = None, target: bool = True, **said: Any) -> None:
        name = what.rpartition("-")[0]
        attributes = {"openinference.span.kind": kind, **({"target": name} if target else {}), **said}
        above = observations[0]["id"] if observations else None
        observations.append(
            {
                "id": f"{len(observations) + 1:016x}",
                "parentObservationId": above,
                "type": "GENERATION" if kind == "LLM" else "SPAN",
                "name": what,
                "startTime": iso(at),
                "endTime": iso(90),
                "output": output,
                "metadata": {"attributes": attributes},
            }
        )

    asked = json.dumps([{"role": "user", "content": "Go"}])
    moment(1, "agent.react.start-1", "CHAIN")
    moment(2, "backend.openai.chat.start-1", "LLM", **{"gen_ai.input.messages": asked})
    moment(3, "backend.openai.chat.success-1", "LLM", output="I look it up.", target=False)
    moment(4, "backend.openai.chat.finish-1", "LLM")
    moment(5, "tool.search.wikipedia.start-2", "TOOL", **{"tool.parameters": json.dumps({"query": "Bees"})})
    moment(7, "tool.search.wikipedia.finish-2", "TOOL")
    moment(7, "tool.search.wikipedia.success-2", "TOOL", output="A bee is an insect.")
    moment(8, "tool.weather.start-3", "TOOL", **{"tool.parameters": json.dumps({"city": "Rome"})})
    moment(9, "tool.weather.error-3", "TOOL")
    moment(10, "tool.late.start-4", "TOOL")
    path = save(tmp_path / "a.json", {"trace": {"id": "7", "projectId": "p"}, "observations": observations})
    reading = read_source(path)
    tools = [step for step in reading.record.graph if step.kind is StepKind.TOOL]
    assert [step.inputs["name"] for step in tools[:2]] == ["wikipedia", "weather"]
    assert tools[0].inputs["arguments"] == {"query": "Bees"}
    assert tools[0].outputs == {"result": "A bee is an insect."}
    assert tools[0].duration == 2.0
    assert [bool(step.error) for step in tools] == [False, True, False]
    assert len(reading.places[tools[0].id]) == 3
    answers = [
        step.outputs["text"] for step in reading.record.graph if step.kind is StepKind.MODEL and not step.v3_kind
    ]
    assert answers == ["I look it up."]
    monkeypatch.setattr("opentine_gui.importers.frameworks.spans.vendors.one_a_call", lambda spans: spans)
    before = read_source(path)
    assert len([step for step in before.record.graph if step.kind is StepKind.TOOL]) == len(tools) + 3
    now = set(reading.record.graph.ids)
    assert {reading.former.get(identity, identity) for identity in before.record.graph.ids} == now


def test_a_message_without_text_before_later_instructions_does_not_shift_what_was_said_earlier(tmp_path: Path) -> None:
    said = [
        {"role": "user", "parts": [{"type": "text", "content": "hello"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "look", "arguments": {}}]},
        {"role": "system", "parts": [{"type": "text", "content": "be brief"}]},
        {"role": "user", "parts": [{"type": "text", "content": "and now?"}]},
    ]
    rows: list[Row] = [
        ("a", "", 1, 3, CHAT | {"gen_ai.input.messages": json.dumps(said), "gen_ai.output.messages": json.dumps(SAYS)})
    ]
    record = read_run(save(tmp_path / "a.json", otlp(rows)))
    person = next(step for step in record.graph if step.v3_kind == "human")
    assert (person.inputs["text"], person.inputs["context"]) == ("and now?", "user: hello")
