"""Which call started a sub-agent, and where its work comes back: at the call's result, or at a later notice."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from opentine_gui.importers.claude_code.content import plain_text, tag
from opentine_gui.importers.claude_code.kinds import Kind
from opentine_gui.importers.claude_code.log import SubAgent
from opentine_gui.importers.claude_code.records import Record, details_of
from opentine_gui.importers.claude_code.threads import Call, Threads
from opentine_gui.importers.json_lines import value_of

STARTERS = ("Task", "Agent")
WAITERS = ("TaskOutput", "AgentOutputTool", "AgentOutput")
WORKING = (Kind.PROMPT, Kind.ANSWER, Kind.RESULTS, Kind.INTERRUPTION, Kind.API_ERROR)


class Subagents:
    """The sub-agents of a session, with the call of each where it is known."""

    def __init__(self, threads: Threads) -> None:
        self.threads = threads
        self.owner: dict[str, Call] = {}
        self._by_call: dict[str, list[str]] = {}
        self._times: dict[str, tuple[list[float], list[Record]]] = {}
        sub_agents = threads.log.sub_agents
        self._agent_of_result = dict(self._said_by_results())
        for agent, sub_agent in sub_agents.items():
            call = self._find(agent, sub_agent)
            if call is not None:
                self._own(agent, call)
        self._match_by_prompt([sub_agent for agent, sub_agent in sub_agents.items() if agent not in self.owner])
        for sub_agent in sub_agents.values():
            self._line_up(sub_agent)

    def _own(self, agent: str, call: Call) -> None:
        self.owner[agent] = call
        self._by_call.setdefault(call.key, []).append(agent)

    def _said_by_results(self) -> Iterator[tuple[str, Call]]:
        """The agents that results name, each with the first call that names it: later calls only fetch its output."""
        seen: set[str] = set()
        for call in self.threads.calls.values():
            if call.result is None or call.block.name in WAITERS:
                continue
            agent = details_of(call.result[0]).agent_id
            if isinstance(agent, str) and agent and agent not in seen:
                seen.add(agent)
                yield agent, call

    def _find(self, agent: str, sub_agent: SubAgent) -> Call | None:
        calls = self.threads.calls
        if sub_agent.call in calls:
            return calls[sub_agent.call]
        if agent in self._agent_of_result:
            return self._agent_of_result[agent]
        if sub_agent.workflow:
            started = [call for call in calls.values() if call.block.name == "Workflow"]
            named = [
                call for call in started if call.result and sub_agent.workflow.encode() in bytes(call.result[1].content)
            ]
            return next(iter(named or (started if len(started) == 1 else ())), None)
        return None

    def _match_by_prompt(self, sub_agents: list[SubAgent]) -> None:
        """Match sub-agents to calls with the same prompt, in order: the first versions do not record the link."""
        if not sub_agents:
            return
        waiting: dict[str, list[Call]] = {}
        for call in self.threads.calls.values():
            if call.block.name in STARTERS and call.key not in self._by_call:
                arguments = value_of(call.block.input)
                prompt = arguments.get("prompt") if isinstance(arguments, dict) else None
                if isinstance(prompt, str):
                    waiting.setdefault(prompt.strip(), []).append(call)
        for sub_agent in sub_agents:
            root = self.threads.log.by_uuid.get(self.threads.roots.get(sub_agent.agent, ""))
            known = waiting.get(plain_text(root.blocks).strip()) if root is not None else None
            if known:
                self._own(sub_agent.agent, known.pop(0))

    def _line_up(self, sub_agent: SubAgent) -> None:
        kinds = self.threads.kinds
        found = [record for record in sub_agent.records if kinds[record.uuid or ""] in WORKING]
        found.sort(key=lambda record: (record.time or 0.0, record.number))
        self._times[sub_agent.agent] = ([record.time or 0.0 for record in found], found)

    def _last(self, agent: str, time: float | None) -> tuple[str, ...]:
        """The last steps of a sub-agent at a time in Unix seconds (None: at its end)."""
        times, records = self._times.get(agent, ([], []))
        place = len(times) if time is None else bisect_right(times, time) or len(times)
        if not place:
            return (f"agent {agent}",)
        return self.threads.keys_at(records[place - 1].uuid)

    def joins(self, call: Call) -> Iterator[str]:
        """The last steps of the sub-agents whose work comes back with the result of a call."""
        if call.result is None:
            return
        record = call.result[0]
        if call.block.name in WAITERS:
            arguments = value_of(call.block.input)
            named = [arguments.get(name) for name in ("task_id", "agentId")] if isinstance(arguments, dict) else []
            agents = [agent for agent in named if isinstance(agent, str) and agent in self._times]
        elif call.key not in self._by_call or details_of(record).is_async or _is_started(call):
            return
        else:
            agents = self._by_call[call.key]
        for agent in agents:
            yield from self._last(agent, record.time)

    def joins_of_notice(self, notice: Record) -> Iterator[str]:
        """The last steps of the sub-agent that a notice is about; of none for other tasks in the background."""
        text = plain_text(notice.blocks)
        call = self.threads.calls.get(tag(text, "tool-use-id"))
        task = tag(text, "task-id")
        agents = [task] if task in self._times else self._by_call.get(call.key, []) if call is not None else []
        for agent in agents:
            yield from self._last(agent, notice.time)


def _is_started(call: Call) -> bool:
    """Whether the result only says that the work continues in the background."""
    details = details_of(call.result[0]) if call.result is not None else None
    return details is not None and details.status in ("async_launched", "launched", "running")
