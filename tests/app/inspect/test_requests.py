"""The request of a step in the Record tab: whole, with what is new in it; a sentence where the log keeps none."""

from __future__ import annotations

from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.step.request_sections import request_sections
from opentine_gui.core import StepKind
from opentine_gui.importers.claude_code import read
from tests.importers.ground_truth import RECORDINGS

KEPT = RECORDINGS / "claude-code-requests" / "2.1.330.jsonl"


def test_a_request_is_shown_whole_with_its_difference_from_the_one_before() -> None:
    reading = read(KEPT)
    origin = Origin("claude-code", "Claude Code", KEPT, reading.sources, reading.places, reading.report)
    graph = reading.record.graph
    answers = [step.id for step in graph if step.kind in (StepKind.MODEL, StepKind.DONE) and step.v3_kind is None]
    first = request_sections(origin, reading.record, answers[0])
    later = request_sections(origin, reading.record, answers[1])
    assert [section.heading for section in first[:3]] == ["Request as it was sent", "System prompt", "Tools"]
    assert later[0].heading == "Since the request before"
    assert "kept" in later[0].note and "added" in later[0].note
    assert "+[assistant]" in later[0].value
    assert request_sections(origin, reading.record, graph.ids[0]) == ()


def test_where_no_request_is_kept_it_says_so_and_what_the_usage_tells() -> None:
    path = next((RECORDINGS / "claude-code").rglob("*.jsonl"))
    reading = read(path)
    origin = Origin("claude-code", "Claude Code", path, reading.sources, reading.places, reading.report)
    graph = reading.record.graph
    answer = next(step for step in graph if step.kind is StepKind.MODEL and step.v3_kind is None and step.usage)
    (section,) = request_sections(origin, reading.record, answer.id)
    assert "does not keep" in section.value and "as the usage says" in section.value
