"""The requests that newer versions keep in their log, against what their model was sent.

Recorded with 2.1.330; texts of more than 200 characters are cut in the recording and in what was sent.
"""

from __future__ import annotations

import json

import pytest

from opentine_gui.core.model import StepKind
from opentine_gui.importers.claude_code import read
from opentine_gui.importers.claude_code.requests import request_of
from tests.importers.ground_truth import RECORDINGS

FOLDER = RECORDINGS / "claude-code-requests"


def test_each_answer_leads_to_the_request_that_was_sent_for_it():
    reading = read(FOLDER / "2.1.330.jsonl")
    sent = json.loads((FOLDER / "2.1.330.sent.json").read_text(encoding="utf-8"))
    graph = reading.record.graph
    answers = [step for step in graph if step.kind in (StepKind.MODEL, StepKind.DONE) and step.v3_kind is None]
    found = [request_of(reading, step.id) for step in answers]
    assert [request.messages for request in found if request] == sent
    assert all(request and request.digest and request.params["model"] == "claude-sonnet-4-5" for request in found)
    assert {tool["name"] for tool in found[0].tools} == {"Bash", "Edit", "Read"}
    assert request_of(reading, graph.ids[0]) is None


def test_the_cost_of_a_session_is_stated_once_however_often_it_was_resumed():
    reading = read(FOLDER / "2.1.330.jsonl")
    capture = reading.record.metadata["capture"]
    assert capture["stated_cost_usd"] == pytest.approx(0.0003)
    assert sum(step.cost or 0.0 for step in reading.record.graph) == 0.0
    assert reading.record.totals.known_cost == pytest.approx(0.0003)
