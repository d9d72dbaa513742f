"""What a run's panel says at once: reasons of failures with how many they hold for, stops, and sub-agents."""

from __future__ import annotations

import pytest

from opentine_gui.app.inspect.analysis.happenings import (
    MOST_REASONS,
    MOST_REASONS_ALONE,
    facts_of_happenings,
    happenings,
)
from opentine_gui.core.progress import Pace
from tests.core.analysis.call_runs import Recording

REFUSED = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}


def lines_of(text: str) -> list[str]:
    return text.split("\n")


def test_equal_reasons_are_said_once_with_their_number_and_lead_to_the_last_of_them() -> None:
    run = Recording()
    run.ask("go")
    run.call("Edit", {"file_path": "a"}, failed="disk full")
    run.call("Edit", {"file_path": "b"}, failed="No such key: a")
    last = run.call("Edit", {"file_path": "c"}, failed="disk full")
    stopped = run.call("Bash", {"command": "git push"}, error=REFUSED)
    graph = run.record().graph
    facts = facts_of_happenings(happenings(graph, None, None, Pace()), lines_of)
    said = [(fact.kind, fact.label, fact.step) for fact in facts if fact.kind != "gap"]
    assert said[0][1] == "3 failures: why"
    assert said[1] == ("link", "2× disk full", graph.ids[last])
    assert said[2][1] == "1× No such key: a"
    assert said[3][1] == "Stopped or without a result (not failures)"
    assert said[4] == ("link", "1× refused by the user", graph.ids[stopped])


@pytest.mark.parametrize("agents", [False, True])
def test_more_reasons_than_there_is_room_for_are_counted(agents: bool) -> None:
    most = MOST_REASONS if agents else MOST_REASONS_ALONE
    run = Recording()
    run.ask("go")
    if agents:
        run.say("", v3_kind="subagent", after=[run.call("Task", {"description": "Review the reader"})])
    for number in range(most + 2):
        run.call("Edit", {"file_path": "a"}, failed=f"reason number {'abcdefghijklm'[number]}")
    facts = facts_of_happenings(happenings(run.record().graph, None, None, Pace()), lines_of)
    assert sum(fact.kind == "link" and fact.label.startswith("1× ") for fact in facts) == most
    assert "2× for 2 other reasons" in [fact.value for fact in facts if fact.kind == "prose"]


def test_every_sub_agent_is_named_with_what_it_found() -> None:
    run = Recording()
    run.ask("go")
    call = run.call("Task", {"description": "Review the reader"})
    agent = run.say("", v3_kind="subagent", after=[call])
    run.say("The reader loses the last line of a file that does not end with a newline.")
    graph = run.record().graph
    facts = facts_of_happenings(happenings(graph, None, None, Pace()), lines_of)
    heading, link, found = facts[:3]
    assert heading.label == "1 sub-agent: task and what it found"
    assert link.step == graph.ids[agent]
    assert "loses the last line" in found.value


def test_in_a_low_panel_sub_agents_come_first_with_a_line_each() -> None:
    run = Recording()
    run.ask("go")
    run.call("Edit", {"file_path": "a"}, failed="disk full")
    for number in range(2):
        call = run.call("Task", {"description": f"Review {number}"})
        run.say("", v3_kind="subagent", after=[call])
        run.say("Two things are wrong.\nThe reader loses lines.\nThe writer, too.")
    found = happenings(run.record().graph, None, None, Pace())
    facts = facts_of_happenings(found, lambda text: text.split(" "), brief=True)
    assert facts[0].label == "2 sub-agents: task and what it found"
    assert [fact.kind for fact in facts[1:5]] == ["link", "prose", "link", "prose"]
    assert "1 failure: why" in [fact.label for fact in facts[5:]]
    assert facts_of_happenings(found, lines_of)[0].label == "1 failure: why"


def test_a_run_in_which_nothing_of_it_happened_says_nothing_of_it() -> None:
    run = Recording()
    run.ask("go")
    run.say("done")
    assert facts_of_happenings(happenings(run.record().graph, None, None, Pace()), lines_of) == []
    assert facts_of_happenings(None, lines_of) == []
