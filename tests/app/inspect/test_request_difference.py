"""What the model saw at two steps, compared: whole where the log has it, estimated elsewhere, and said which."""

from __future__ import annotations

from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.step.request_difference import RequestDifference, Source, request_difference
from opentine_gui.core import RunRecord, StepKind
from opentine_gui.core.analysis.requests import in_context, request_at, request_before
from opentine_gui.importers.claude_code import read
from tests.core.analysis.call_runs import Recording
from tests.importers.ground_truth import RECORDINGS

KEPT = RECORDINGS / "claude-code-requests" / "2.1.330.jsonl"


def differing(found: RequestDifference, kind: str) -> str:
    return "\n".join(line.text for section in found.sections for line in section.lines if line.kind == kind)


def estimated(record: RunRecord, old: int, new: int) -> RequestDifference:
    ids = record.graph.ids
    return request_difference(Source(record, None), ids[old], Source(record, None), ids[new])


def test_two_requests_that_the_log_keeps_are_compared_whole() -> None:
    reading = read(KEPT)
    origin = Origin("claude-code", "Claude Code", KEPT, reading.sources, reading.places, reading.report)
    graph = reading.record.graph
    answers = [step.id for step in graph if step.kind in (StepKind.MODEL, StepKind.DONE) and step.v3_kind is None]
    source = Source(reading.record, origin)
    found = request_difference(source, answers[0], source, answers[1])
    assert found.sources == ("whole, as the log keeps it",) * 2
    assert "kept" in found.sections[0].name and "0 dropped" in found.sections[0].name
    assert "[assistant]" in differing(found, "added")
    names = {section.name: section.lines for section in found.sections}
    assert names["System prompt"] == ()  # there on both sides, and the same
    assert "Tools" in names


def test_where_nothing_is_kept_it_is_put_together_from_the_steps_and_said_so() -> None:
    run = Recording()
    run.ask("Make it two")
    first = run.say("I look", usage={"input": 900, "cache_read": 100})
    run.call("Read", {"file_path": "/w/a.py"}, "one")
    second = run.say("Done")
    found = estimated(run.record(), first, second)
    assert found.sources[0].startswith("estimated from the 1 step it rests on")
    assert "1.0k tok" in found.sources[0]
    assert found.sources[1].startswith("estimated from the 3 steps it rests on")
    assert "system prompt and tools unknown" in found.sources[1]
    assert found.sections[0].name == "Messages: 1 kept, 0 dropped, 2 added"
    assert "one" in differing(found, "added").split("\n")
    assert len(found.sections) == 1  # nothing is made up about tools and system prompt


def test_what_a_compaction_dropped_is_dropped_and_its_summary_added() -> None:
    run = Recording()
    run.ask("A long story")
    first = run.say("Chapter one")
    run.add(StepKind.THINK, {"trigger": "auto"}, outputs={"summary": "In short"})
    second = run.say("Chapter two")
    found = estimated(run.record(), first, second)
    assert "since the compaction" in found.sources[1]
    assert "A long story" in differing(found, "removed")
    assert "In short" in differing(found, "added")
    assert "Chapter one" not in differing(found, "added")


def test_what_a_compaction_kept_was_sent_after_its_summary() -> None:
    run = Recording()
    run.ask("Write")
    run.say("A long story")
    kept = [run.ask("Now the end"), run.say("The end")]
    summary = run.add(StepKind.THINK, {"trigger": "compaction"}, outputs={"summary": "In short", "kept_steps": 2})
    after = run.say("Chapter two")
    graph = run.record().graph
    found, compaction = in_context(graph, after)
    assert compaction == summary
    assert found == [summary, *kept]


def test_a_sub_agent_has_requests_of_its_own_and_its_caller_sees_its_answer() -> None:
    run = Recording()
    run.ask("Look around")
    called = run.say("I send somebody")
    began = run.add(StepKind.MODEL, {"text": "Explore"}, v3_kind="subagent")
    inner = run.say("Within the sub-agent")
    answer = run.say("It is in a.py")
    after = run.say("So it is", after=[called, answer])
    graph = run.record().graph
    assert request_before(graph, inner) is None
    assert request_before(graph, answer) == inner
    assert request_before(graph, after) == called
    assert in_context(graph, inner)[0] == [began]
    assert in_context(graph, after)[0] == [0, called, answer]


def test_a_call_stands_for_the_answer_that_made_it() -> None:
    run = Recording()
    asked = run.ask("Look")
    said = run.say("I look")
    call = run.call("Read", {"file_path": "/w/a.py"}, "one")
    graph = run.record().graph
    assert request_at(graph, call) == said
    assert request_at(graph, said) == said
    assert request_at(graph, asked) is None


def test_messages_that_a_step_records_are_what_was_sent() -> None:
    run = Recording()
    hello = {"role": "user", "content": "hello"}
    first = run.add(StepKind.MODEL, {"messages": [hello], "temperature": 0}, outputs={"text": "hi"})
    again = [hello, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "bye"}]
    second = run.add(StepKind.MODEL, {"messages": again, "temperature": 1}, outputs={"text": "so long"})
    found = estimated(run.record(), first, second)
    assert found.sources == ("whole, as the step records it",) * 2
    assert found.sections[0].name == "Messages: 1 kept, 0 dropped, 2 added"
    assert "temperature" in differing(found, "removed") and "temperature" in differing(found, "added")
    third = run.say("unrecorded")
    mixed = estimated(run.record(), second, third)
    assert "estimated" in mixed.sources[1]
    assert "not recorded on the right" in differing(mixed, "note")
