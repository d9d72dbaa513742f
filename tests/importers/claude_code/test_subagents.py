"""Sub-agents: which call started one, and where its work comes back."""

from __future__ import annotations

from itertools import count

from opentine_gui.importers.claude_code import read
from tests.importers.claude_code.written_log import Log, texts


def test_an_agent_in_the_background_comes_back_at_its_notice(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    call = log.calls(ask, "m1", "t1", "Agent", arguments={"prompt": "Look", "subagent_type": "Explore"})
    started = log.result(
        call, "t1", "launched", toolUseResult={"isAsync": True, "agentId": "a1", "status": "async_launched"}
    )
    meanwhile = log.says(started, "m2", "Working on.")
    for number, (kind, text) in enumerate([("user", "Look"), ("assistant", "Found it.")]):
        message: dict = {"role": kind, "content": text}
        if kind == "assistant":
            message = {"id": "x1", "role": kind, "model": "claude-x", "content": [{"type": "text", "text": text}]}
        data = {
            "type": "agent_progress",
            "agentId": "a1",
            "message": {"type": kind, "uuid": f"p{number}", "message": message},
        }
        meanwhile = log.add("progress", meanwhile, data=data, parentToolUseID="t1")
    notice = "<task-notification><task-id>a1</task-id><tool-use-id>t1</tool-use-id>done</task-notification>"
    news = log.user(meanwhile, notice, origin={"kind": "task-notification"})
    log.says(news, "m3", "All done.")
    reading = log.read(tmp_path)
    assert texts(reading) == [
        "Go < ",
        "calls < Go",
        "Agent < calls",
        "Working on. < Agent",
        "Look < calls",
        "Found it. < Look",
        "All done. < Working on., Found it.",
    ]
    last = reading.record.graph.step(reading.record.refs["main"])
    assert last.inputs == {"notices": [notice]}
    assert "2 sub-agents" not in str(reading.report.remarks)
    assert reading.report.skipped == {}, "the lines with its words are in its steps"


def test_sub_agents_of_the_first_versions_stand_among_the_lines_and_are_known_by_their_prompts(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    first = log.calls(ask, "m1", "t1", "Task", arguments={"prompt": "Same"})
    second = log.calls(first, "m1", "t2", "Task", arguments={"prompt": "Same"})
    for number in (1, 2):
        root = log.user(None, "Same", isSidechain=True)
        log.says(root, f"s{number}", f"Report {number}.", isSidechain=True)
    one = log.result(second, "t1", "Report 1.")
    two = log.result(one, "t2", "Report 2.")
    log.says(two, "m2", "Both.")
    reading = log.read(tmp_path)
    lines = texts(reading)
    assert lines[-1] == "Both. < Task, Task"
    assert [line for line in lines if line.startswith("Task")] == ["Task < calls, Report 1.", "Task < calls, Report 2."]
    assert reading.report.remarks == []


def test_files_of_sub_agents_nested_ones_too_hang_between_call_and_result(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    call = log.calls(ask, "m1", "t1", "Agent", arguments={"prompt": "Outer"})
    result = log.result(call, "t1", toolUseResult={"agentId": "aa"})
    log.says(result, "m2", "Done.")
    inner, outer = Log(), Log()
    inner.numbers, outer.numbers = count(20), count(40)
    root = outer.user(None, "Outer", uuid="o1", isSidechain=True, agentId="aa")
    nested = outer.calls(root, "o", "t9", "Agent", arguments={"prompt": "Inner"}, isSidechain=True)
    back = outer.result(nested, "t9", isSidechain=True)
    outer.says(back, "o2", "Outer report.", isSidechain=True)
    below = inner.user(None, "Inner", uuid="i1", isSidechain=True, agentId="bb")
    inner.says(below, "i", "Inner report.", isSidechain=True)
    folder = tmp_path / "s1" / "subagents"
    for agent, lines in (("aa", outer), ("bb", inner)):
        lines.session = f"agent-{agent}"
        lines.read(folder)
    (folder / "agent-bb.meta.json").write_text('{"toolUseId": "t9", "agentType": "Explore", "description": "deep"}')
    reading = log.read(tmp_path)
    assert "Agent < calls, Outer report." in texts(reading)
    assert "Agent < calls, Inner report." in texts(reading)
    assert "Inner < calls" in texts(reading)
    assert len(reading.sources) == 3
    alone = read(folder / "agent-bb.jsonl")
    assert texts(alone) == ["Inner < ", "Inner report. < Inner"]


def test_the_agents_of_a_workflow_come_back_at_its_call(tmp_path):
    log = Log()
    ask = log.user(None, "Go")
    call = log.calls(ask, "m1", "t1", "Workflow", arguments={"script": "two"})
    back = log.result(call, "t1", "Task ID: run7, finished")
    log.says(back, "m2", "Done.")
    for number in (1, 2):
        lines = Log(f"agent-w{number}")
        lines.numbers = count(1)
        root = lines.user(None, f"Part {number}", uuid=f"r{number}", isSidechain=True)
        lines.says(root, f"w{number}", f"Report {number}.", isSidechain=True, uuid=f"e{number}")
        for line in lines.lines:
            line["timestamp"] = "2026-01-01T00:00:02.500Z"
        lines.read(tmp_path / "s1" / "subagents" / "workflows" / "run7")
    assert "Workflow < calls, Report 1., Report 2." in texts(log.read(tmp_path))
