"""Compactions: what a summary follows, and what was kept beside it."""

from __future__ import annotations

import pytest

from tests.importers.claude_code.written_log import Log, texts


def test_what_was_kept_by_a_compaction_stays_below_it(tmp_path):
    log = Log()
    first = log.user(None, "One")
    one = log.says(first, "m1", "Answer one.")
    second = log.user(one, "Two")
    two = log.says(second, "m2", "Answer two.")
    facts = {"trigger": "auto", "preTokens": 900, "postTokens": 100}
    kept = {"preservedMessages": {"anchorUuid": "u6", "uuids": [second, two]}}
    edge = log.add("system", None, subtype="compact_boundary", logicalParentUuid=two, compactMetadata=facts | kept)
    summary = log.user(edge, "It was about one.", isCompactSummary=True)
    log.user(summary, "Three")
    reading = log.read(tmp_path)
    assert texts(reading)[-2:] == ["It was about one. < Answer two.", "Three < Answer two., It was about one."]
    graph = reading.record.graph
    [(place, causes)] = graph.causal.items()
    step = graph.step(place)
    assert (step.inputs, step.outputs["after_tokens"]) == ({"trigger": "auto", "before_tokens": 900}, 100)
    assert graph.step(causes[0]).inputs["text"] == "Two"


def test_a_summary_from_a_prompt_on_follows_what_stood_before_that_prompt(tmp_path):
    log = Log()
    first = log.user(None, "One")
    one = log.says(first, "m1", "Answer one.")
    second = log.user(one, "Two")
    log.says(second, "m2", "Answer two.")
    kept = {"preservedMessages": {"anchorUuid": "u5", "uuids": [first, one]}}
    edge = log.add(
        "system", None, subtype="compact_boundary", logicalParentUuid=one, compactMetadata={"trigger": "manual"} | kept
    )
    log.user(log.user(edge, "It was about two.", isCompactSummary=True), "Three")
    reading = log.read(tmp_path)
    assert texts(reading)[-2:] == ["It was about two. < Answer one.", "Three < It was about two."]
    graph = reading.record.graph
    [causes] = graph.causal.values()
    said = [graph.step(cause) for cause in causes]
    assert [step.inputs.get("text") or step.outputs["text"] for step in said] == ["One", "Answer two."]


@pytest.mark.parametrize("between", [0, 2])
def test_a_fork_of_a_compacted_session_has_what_was_kept_after_the_summary(tmp_path, between):
    log = Log()
    kept = {"trigger": "manual", "preservedMessages": {"anchorUuid": "sum", "uuids": ["two"]}}
    above = log.add("system", None, subtype="compact_boundary", logicalParentUuid="two", compactMetadata=kept)
    for _ in range(between):  # bookkeeping
        above = log.add("attachment", above, attachment={"type": "date"})
    summary = log.user(above, "It was about one.", isCompactSummary=True, uuid="sum")
    two = log.says(summary, "m2", "Answer two.", uuid="two", timestamp="2025-01-01T00:00:00.000Z")
    log.says(log.user(two, "Three"), "m3", "Answer three.")
    reading = log.read(tmp_path)
    assert texts(reading) == [
        "It was about one. < ",
        "Answer two. < It was about one.",
        "Three < Answer two.",
        "Answer three. < Three",
    ]
    assert not reading.record.graph.causal
    assert any("what stands before is missing" in remark for remark in reading.report.remarks)


def test_a_summary_below_bookkeeping_is_that_of_its_boundary(tmp_path):
    log = Log()
    one = log.says(log.user(None, "One"), "m1", "Answer one.")
    second = log.user(one, "Two")
    two = log.says(second, "m2", "Answer two.")
    kept = {"trigger": "auto", "preservedMessages": {"anchorUuid": "sum", "uuids": [second, two]}}
    edge = log.add("system", None, subtype="compact_boundary", logicalParentUuid=two, compactMetadata=kept)
    note = log.add("attachment", edge, attachment={"type": "date"})
    summary = log.user(note, "It was about one.", isCompactSummary=True, uuid="sum")
    log.user(summary, "Three")
    said = texts(log.read(tmp_path))
    assert said[-2:] == ["It was about one. < Answer two.", "Three < Answer two., It was about one."]
