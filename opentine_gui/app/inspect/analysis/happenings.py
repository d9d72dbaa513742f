"""The summary in a run's panel: why steps failed, what was stopped, what the sub-agents found.

Each reason is shown once with its count, so that many failures take few lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec

from opentine_gui.app.inspect.facts import Fact, Lines
from opentine_gui.core import Graph, StepKind, TineError
from opentine_gui.core.graph.calls.call_roles import Role, call_in
from opentine_gui.core.graph.outcomes.failures import failures_in
from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.facts import BETWEEN, SUBAGENT
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.failures.stopped_words import NO_FAILURES, STOPPED
from opentine_gui.describe.groups.agent_sums import sums_in
from opentine_gui.describe.groups.delegated import FETCHED, fetched_by, started_by
from opentine_gui.describe.groups.outcome_words import found_by, found_in
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import first_text
from opentine_gui.describe.step_titles import agent_task, delegated_task, title
from opentine_gui.scene.text.clean import clean

MOST_ASKED = 400
"""Failures whose reason is looked up, from the last one backwards."""
MOST_REASONS = 20
TWO_LINES = 2
"""Lines for a reason in a panel that is not low."""
INDENT = "     "
"""Before the second line, as wide as the count before the first."""
NOT_LOW = 12
"""Rows of such a panel."""
MOST_AGENTS = 12
AGENT_LINES = 3
"""Lines for what one sub-agent found, where there is room for as many of each."""
ROOMY = 30
"""Rows of a panel that is not low."""
NO_REASON = "no reason recorded"
STEPS_ELSEWHERE = "Their own steps are not in this file."
_SLICE = 20
_DELEGATING = (b'"Task', b'"Agent', b'"task"', *(f'"{name}"'.encode() for name in FETCHED))
"""What is in every record that may leave work to a sub-agent, or fetch its report: a look at bytes spares decoding."""


class Reason(msgspec.Struct, frozen=True):
    """Why steps failed: the number of steps, and the last of them with its title."""

    words: str
    count: int
    step: str
    title: str


class SubAgent(msgspec.Struct, frozen=True):
    """A sub-agent: its first step, its task, and what it reported ("" if no report is recorded).

    If none of its own steps are in the log, `step` is the call that it answered, or that which fetched its report.
    `took` is what is recorded of its steps together.
    """

    step: str
    task: str
    found: str
    took: str = ""


class Happenings(msgspec.Struct, frozen=True):
    """Reasons, the most frequent first; the last `asked` of the `failures` were examined."""

    failures: int = 0
    asked: int = 0
    reasons: tuple[Reason, ...] = ()
    stopped: tuple[Reason, ...] = ()
    agents: tuple[SubAgent, ...] = ()
    agent_count: int = 0
    answered: tuple[SubAgent, ...] = ()
    """Sub-agents that answered calls in a log that has no steps of any sub-agent."""
    answered_count: int = 0

    @property
    def steps(self) -> Iterator[str]:
        """The ids of the steps named."""
        reasons, agents = (*self.reasons, *self.stopped), (*self.agents, *self.answered)
        return chain((reason.step for reason in reasons), (agent.step for agent in agents))


def happenings(
    graph: Graph, main: int | None, structure: Structure | None, pace: Pace, *, at_least: bool = False
) -> Happenings:
    """What happened in a run with the main tip `main`; `structure`, if known, may be that of an earlier state.

    `at_least`: the log recorded only a part of each count of tokens.
    """
    failing = failures_in(graph)
    asked = failing[-MOST_ASKED:]
    agents = sorted([place for place, kind in graph.v3_kinds.items() if kind == "subagent"])
    found: list[SubAgent] = []
    answered: list[SubAgent] = []
    answered_count = 0
    if agents:
        if structure is None or structure.graph is not graph:
            structure = Structure(graph, main, known=structure, progress=pace.at)
        sorts = structure.facts.sorts
        for place in [place for place in agents if sorts[place] == SUBAGENT][:MOST_AGENTS]:
            pace.at(0.5)
            found.append(_sub_agent(structure, place, at_least))
    else:
        answered, answered_count = _answered(graph, pace)
    stopped = sorted(graph.stopped)[-MOST_ASKED:]
    return Happenings(
        len(failing),
        len(asked),
        _reasons(graph, asked, pace),
        _reasons(graph, stopped, pace),
        tuple(found),
        len(agents),
        tuple(answered),
        answered_count,
    )


def _sub_agent(structure: Structure, place: int, at_least: bool) -> SubAgent:
    graph = structure.graph
    try:
        task = agent_task(graph.step(place))
    except TineError:
        task = "a sub-agent that cannot be read"
    sums = sums_in(structure, place, at_least=at_least)
    return SubAgent(graph.ids[place], task, found_by(structure, place), sums.words if sums is not None else "")


def _answered(graph: Graph, pace: Pace) -> tuple[list[SubAgent], int]:
    """(the first of the sub-agents that answered calls of a log without their steps, how many there are)."""
    found: list[SubAgent] = []
    started: dict[str, int] = {}  # the id of a sub-agent whose report is fetched later -> its place in `found`
    count = 0
    for place, kind in enumerate(graph.kinds):
        if place % BETWEEN == 0:
            pace.at(place / len(graph))
        if kind is not StepKind.TOOL or graph.failed[place] or place in graph.stopped or place in graph.v3_kinds:
            continue
        raw = bytes(graph.raws[place])
        if not any(word in raw for word in _DELEGATING) or call_in(graph.raws[place]).role is not Role.DELEGATE:
            continue
        pace.at(place / len(graph))
        try:
            step = graph.step(place)
        except TineError:
            continue
        task = delegated_task(step)
        if not task:
            identity, report = fetched_by(step)
            if identity in started:
                agent = started[identity]
                said = found_in(report)
                found[agent] = msgspec.structs.replace(
                    found[agent], found=said, step=step.id if said else found[agent].step
                )
            continue
        count += 1
        if len(found) < MOST_AGENTS:  # a run may hold any number; nothing is kept for the others
            identity = started_by(step)
            if identity:
                started[identity] = len(found)
            found.append(SubAgent(step.id, task, "" if identity else found_in(first_text(step.outputs))))
    return found, count


def _reasons(graph: Graph, steps: Sequence[int], pace: Pace) -> tuple[Reason, ...]:
    """The reasons for failed steps, the most frequent first, the latest first among equals."""
    by_words: dict[str, list[int]] = {}
    for number, step in enumerate(reversed(steps)):
        if number % _SLICE == 0:
            pace.at(number / len(steps))
        words = failure_reason(graph, step) or STOPPED.get(graph.stopped.get(step, ""), NO_REASON)
        by_words.setdefault(words, []).append(step)
    # What no reason is recorded of comes last.
    ordered = sorted(by_words.items(), key=lambda item: (item[0] == NO_REASON, -len(item[1])))
    return tuple(Reason(words, len(those), graph.ids[those[0]], _title(graph, those[0])) for words, those in ordered)


def _title(graph: Graph, step: int) -> str:
    try:
        return title(graph.step(step))
    except TineError:
        return ""


def facts_of_happenings(found: Happenings | None, lines: Lines, *, rows: int = ROOMY) -> list[Fact]:
    """Sub-agents, failures and stops as rows of the run panel, each a link to the step it is about.

    The sub-agents come first, because cards also say why steps failed; each in so many lines that all are within the
    first `rows`, if one line each is.
    """
    if found is None:
        return []
    facts: list[Fact] = []
    agents = _of_agents(found, lines, rows)
    roomy = rows >= NOT_LOW
    if found.failures:
        some = f", reasons of the last {found.asked:,}" if found.asked < found.failures else ""
        facts.append(Fact("heading", f"{counted(found.failures, 'failure')}: why{some}"))
        facts += _rows(found.reasons, lines, roomy=roomy)
    if found.stopped:
        facts.append(Fact("heading", f"{NO_FAILURES} (not failures)"))
        facts += _rows(found.stopped, lines, roomy=roomy)
    return _with_gaps([*agents, *facts])


def _of_agents(found: Happenings, lines: Lines, rows: int) -> list[Fact]:
    agents, count = (found.agents, found.agent_count) if found.agents else (found.answered, found.answered_count)
    if not agents:
        return []
    facts = [Fact("heading", f"{counted(count, 'sub-agent')}: task and what it found")]
    if not found.agents:
        facts += [Fact("prose", "", line, "quiet") for line in lines(STEPS_ELSEWHERE)]
    room = min(max((rows - len(facts)) // len(agents) - 1, 1), AGENT_LINES)
    for agent in agents:
        hint = "\n".join(words for words in (agent.found, agent.took) if words)
        facts.append(Fact("link", agent.task, hint, step=agent.step))
        if agent.took and (room > 1 or not agent.found):
            facts.append(Fact("prose", "", agent.took, "quiet"))
        if agent.found:
            # A single row is cut off where the panel ends, even in the middle of a long word.
            said = [clean(agent.found, 200)] if room == 1 else lines(clean(agent.found, 200))
            more = [*said[: room - 1], f"{said[room - 1]} …"] if len(said) > room else said
            facts += [Fact("prose", "", line, "quiet") for line in more]
    if count > len(agents):
        facts.append(Fact("prose", "", f"and {count - len(agents):,} more", "quiet"))
    return facts


def _rows(reasons: Sequence[Reason], lines: Lines, *, roomy: bool) -> list[Fact]:
    """A row for each reason, or as many as it takes to say two lines of it where that is `roomy`."""
    rows: list[Fact] = []
    for reason in reasons[:MOST_REASONS]:
        said = f"{reason.count:,}× {reason.words}"
        told = lines(said) if roomy else [said]
        if len(told) > 1 and told[0] == f"{reason.count:,}×":  # a long word: better cut than apart from its count
            told = [said]
        if len(told) > TWO_LINES:
            told = [*told[: TWO_LINES - 1], f"{told[TWO_LINES - 1]} …"]
        hint = f"the last: {reason.title}"
        rows += [Fact("link", f"{INDENT if at else ''}{line}", hint, step=reason.step) for at, line in enumerate(told)]
    left = reasons[MOST_REASONS:]
    if left:
        words = f"{sum(reason.count for reason in left):,}× for {counted(len(left), 'other reason')}"
        rows.append(Fact("prose", "", words, "quiet"))
    return rows


def _with_gaps(facts: Sequence[Fact]) -> list[Fact]:
    """A gap after each section."""
    spaced: list[Fact] = []
    for fact in facts:
        if fact.kind == "heading" and spaced:
            spaced.append(Fact("gap", ""))
        spaced.append(fact)
    return [*spaced, Fact("gap", "")] if spaced else []
