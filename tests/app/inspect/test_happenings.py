"""What a run's panel says at once: reasons of failures with how many they hold for, stops, and sub-agents."""

from __future__ import annotations

import pytest

from opentine_gui.app.inspect.analysis.happenings import (
    MOST_AGENTS,
    MOST_REASONS,
    NOT_LOW,
    STEPS_ELSEWHERE,
    facts_of_happenings,
    happenings,
)
from opentine_gui.core import Cancelled, StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.step_titles import title
from tests.core.analysis.call_runs import Recording

REFUSED = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}


def lines_of(text: str) -> list[str]:
    return text.split("\n")


def test_equal_reasons_are_listed_once_with_their_number_and_lead_to_the_last_of_them() -> None:
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


def test_more_reasons_than_anybody_reads_are_counted() -> None:
    run = Recording()
    run.ask("go")
    for number in range(MOST_REASONS + 2):
        run.call("Edit", {"file_path": "a"}, failed=f"reason number {chr(ord('a') + number)}")
    facts = facts_of_happenings(happenings(run.record().graph, None, None, Pace()), lines_of)
    assert sum(fact.kind == "link" and fact.label.startswith("1× ") for fact in facts) == MOST_REASONS
    assert "2× for 2 other reasons" in [fact.value for fact in facts if fact.kind == "prose"]


def test_a_reason_has_two_lines_where_the_panel_is_not_low_and_both_lead_to_its_step() -> None:
    run = Recording()
    run.ask("go")
    failing = run.call("Edit", {"file_path": "a"}, failed="the disk is full and nothing more can be written")
    graph = run.record().graph
    found = happenings(graph, None, None, Pace())

    def told(rows: int) -> list[tuple[str, str | None]]:
        facts = facts_of_happenings(found, lambda text: text.split(" is "), rows=rows)
        return [(fact.label, fact.step) for fact in facts if fact.kind == "link"]

    step = graph.ids[failing]
    assert told(NOT_LOW) == [("1× the disk", step), ("     full and nothing more can be written", step)]
    assert [fact.label for fact in facts_of_happenings(found, str.split, rows=NOT_LOW) if fact.kind == "link"] == [
        "1× the disk is full and nothing more can be written"
    ], "the count does not stand alone"
    assert told(NOT_LOW - 1) == [("1× the disk is full and nothing more can be written", step)]


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


def test_sub_agents_that_answered_without_a_step_in_the_log_are_named_and_it_is_said_that_theirs_are_missing() -> None:
    run = Recording()
    run.ask("go")
    call = run.call("Task", {"description": "Review the reader"}, "The reader loses the last line of a file.")
    run.call("Task", {"description": "Review the writer"}, failed="cancelled")
    run.call("Read", {"file_path": "a"}, "text")
    graph = run.record().graph
    facts = facts_of_happenings(happenings(graph, None, None, Pace()), lines_of)
    heading = next(place for place, fact in enumerate(facts) if fact.label == "1 sub-agent: task and what it found")
    missing, link, found = facts[heading + 1 : heading + 4]
    assert missing.value == STEPS_ELSEWHERE
    assert (link.label, link.step) == ("Review the reader", graph.ids[call])
    assert "loses the last line" in found.value
    named = [fact.label for fact in facts if fact.kind == "link" and fact.label.startswith("Review")]
    assert named == ["Review the reader"], "neither the call that failed nor what is no call of a sub-agent"


def test_of_a_sub_agent_that_was_started_and_fetched_the_report_counts_and_not_that_it_was_started() -> None:
    run = Recording()
    run.ask("go")
    for name in ("aa1", "bb2"):
        said = f"Async agent launched successfully.\nagentId: {name} (for you)\nContinue with other tasks now."
        call = run.call("Task", {"description": f"Review {name}"}, said)
    report = "[Tool: Bash] {}\n\n--- RESULT ---\nNow I have enough.\n\nThe reader loses the last line.\n</output>"
    run.call("TaskOutput", {"task_id": "bb2", "block": False}, "<status>running</status>")
    fetched = run.call("TaskOutput", {"task_id": "bb2", "block": True}, report)
    record = run.record()
    found = happenings(record.graph, None, None, Pace())
    assert [(agent.task, agent.found) for agent in found.answered] == [
        ("Review aa1", ""), ("Review bb2", "The reader loses the last line"),
    ]  # fmt: skip
    assert title(record.graph.step(call)) == "“Review bb2”: sub-agent starts"
    assert found.answered[1].step == record.graph.ids[fetched], "where what it found can be read"


def test_what_the_steps_of_a_sub_agent_took_is_summed_up_beside_what_it_found() -> None:
    run = Recording()
    run.ask("go")
    call = run.call("Task", {"description": "Review the reader"})
    run.add(StepKind.MODEL, {}, v3_kind="subagent", after=[call])
    for number in range(3):
        last = run.say(f"Part {number} is wrong.", usage={"input": 100, "output": 20}, duration=30.0, cost=0.01)
    run.say("All is wrong.", after=[call, last], usage={"input": 9_000}, cost=1.0)
    graph = run.record().graph
    found = happenings(graph, None, None, Pace())
    assert found.agents[0].took == "4 own steps · worked 50 s · 360 tok · $0.0300"
    part = happenings(graph, None, None, Pace(), at_least=True).agents[0]
    assert part.took == "4 own steps · worked 50 s · ≥ 360 tok · ≥ $0.0300", "the log recorded a part of each count"
    facts = facts_of_happenings(found, lines_of)
    assert next(fact.value for fact in facts if fact.kind == "prose") == found.agents[0].took
    assert found.agents[0].took in facts[1].value, "where there is no room for a line of it"


def test_of_many_sub_agents_few_are_kept_all_are_counted_and_looking_for_them_can_be_stopped() -> None:
    run = Recording()
    run.ask("go")
    for number in range(MOST_AGENTS + 30):
        run.call("Task", {"description": f"Review {number}"}, "The reader loses a line.")
    graph = run.record().graph
    found = happenings(graph, None, Structure(graph), Pace())
    assert (len(found.answered), found.answered_count) == (MOST_AGENTS, MOST_AGENTS + 30)
    asked = iter([False] * 5 + [True] * 1000)
    with pytest.raises(Cancelled):
        happenings(graph, None, Structure(graph), Pace(None, lambda: next(asked)))


def test_a_long_run_is_looked_through_for_them_whether_or_not_it_is_shown_folded() -> None:
    run = Recording()
    run.ask("go")
    for number in range(200):
        run.call("Read", {"file_path": f"{number}"}, "a Task and an Agent, in prose")
    call = run.call("Task", {"description": "Review the reader"}, "The reader loses a line.")
    graph = run.record().graph
    for structure in (None, Structure(graph)):
        found = happenings(graph, None, structure, Pace())
        assert (found.answered_count, found.answered[0].step) == (1, graph.ids[call])


def test_sub_agents_come_first_and_say_as_much_of_each_as_leaves_all_in_view() -> None:
    run = Recording()
    run.ask("go")
    run.call("Edit", {"file_path": "a"}, failed="disk full")
    for number in range(2):
        call = run.call("Task", {"description": f"Review {number}"})
        run.say("", v3_kind="subagent", after=[call])
        run.say("Two things are wrong.\nThe reader loses lines.\nThe writer, too.")
    found = happenings(run.record().graph, None, None, Pace())
    facts = facts_of_happenings(found, lambda text: text.split(" "), rows=0)
    assert facts[0].label == "2 sub-agents: task and what it found"
    assert [fact.kind for fact in facts[1:5]] == ["link", "prose", "link", "prose"]
    assert "1 failure: why" in [fact.label for fact in facts[5:]]
    roomy = facts_of_happenings(found, lambda text: text.split(" "), rows=12)
    assert roomy[0] == facts[0], "what sub-agents found is never pushed below the edge by reasons"
    assert len(roomy) > len(facts), "where all are in view they say more"


def test_a_run_in_which_nothing_of_it_happened_says_nothing_of_it() -> None:
    run = Recording()
    run.ask("go")
    run.say("done")
    assert facts_of_happenings(happenings(run.record().graph, None, None, Pace()), lines_of) == []
    assert facts_of_happenings(None, lines_of) == []
