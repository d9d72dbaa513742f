"""The face of a group's card: its title, one line on what happened in it, a bar for every step that acts, flags."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import islice, takewhile

from opentine_gui.core import StepKind, TineError
from opentine_gui.core.graph.calls.call_roles import Role, role_of_tool
from opentine_gui.core.structure.cards import Card
from opentine_gui.core.structure.facts import CALL, COMPACTION, HUMAN, SAYING, SUBAGENT
from opentine_gui.core.structure.structure import Structure
from opentine_gui.core.structure.work_times import worked
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.failures.stopped_words import STOPPED, stopped_words
from opentine_gui.describe.groups.group_title import group_title, is_mostly
from opentine_gui.describe.groups.outcome_words import found_by
from opentine_gui.describe.numbers import (
    NOT_RECORDED,
    counted,
    format_cost,
    format_count,
    format_duration,
    rounded_time,
)
from opentine_gui.describe.step_titles import agent_task, title
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.card.group_strip import (
    EDITS,
    ENDED,
    LOOKS,
    MOST_BARS,
    RUNS,
    SAVES,
    Bar,
    Group,
    Member,
    shared_bar,
)
from opentine_gui.scene.picture.legend import BRANCH_SIGN

BARS = {
    Role.LOOK: Bar(LOOKS, 0.38),
    Role.RUN: Bar(RUNS, 0.66),
    Role.TEST: Bar(RUNS, 0.66),
    Role.SAVE: Bar(SAVES, 0.8),
    Role.EDIT: Bar(EDITS, 1.0),
    Role.PLAN: Bar(LOOKS, 0.38),
    Role.DELEGATE: Bar("subagent", 1.0),
    Role.ASK: Bar(RUNS, 0.66),
}
"""The bars of calls: the more a call changes the higher, reading low and grey, editing high."""
_STOPPED_BAR, _BAD_BAR, _HUMAN_BAR, _AGENT_BAR = (Bar(role, 1.0) for role in ("stopped", "bad", "human", "subagent"))
_LOOK, _EDIT, _DELEGATE = int(Role.LOOK), int(Role.EDIT), int(Role.DELEGATE)  # looked up once, not for every step
_AWAITS = re.compile(r"output|wait|result|status|stop|close", re.IGNORECASE)
"""Names of tools that wait for a sub-agent or query it: such a call would look like another delegation."""
_FILE_NAME = re.compile(r"(?:(?<=[/\\])|^)(?=\S*\.)[\w.-]{1,20}$")
MOST_STARTED = 2_000
"""Most steps started by a step, the last ones, whose end times are compared."""
UNREADABLE = "a sub-agent that cannot be read"
MOST_TOLD = 8
"""Most sub-agents of a group whose tasks and findings are named."""
MOST_REASONS = 24
"""Most failures of a group whose reasons are looked up, from the last back."""
MOST_SAID = 3
"""Most reasons that a card gives."""
STOPPED_SIGN = "⊖"
"""The glyph before the number of stopped steps, as ✕ before that of failures."""


def group_face(
    structure: Structure,
    card: Card,
    steps: Sequence[int],
    flags: tuple[Flag, ...] = (),
    border: str | None = None,
    count: int = 1,
) -> CardFace:
    """The face of a group. `steps` are those of the card in order, without absorbed branches; `flags` come last."""
    title, kind = group_title(structure, card, steps)
    inside = _lane_kind(structure, card)
    stopped = structure.graph.stopped
    failed = structure.facts.failed
    sorts = structure.facts.sorts
    heading = sorts[steps[0]] == HUMAN
    unfinished = sum(step in stopped for step in steps) if stopped else 0
    # A search that found nothing is stopped, and never was a failure.
    failures = (
        sum(failed[step] for step in steps if step not in stopped) if stopped else sum(map(failed.__getitem__, steps))
    )
    kind = "stopped" if kind == "error" and unfinished and not failures else kind
    answered = heading and any(sorts[step] not in (HUMAN, COMPACTION) for step in steps)
    agents = [step for step in steps if sorts[step] == SUBAGENT] if kind == "subagent" else []
    # What one of several agents found is not what they found together.
    found = found_by(structure, agents[0]) if agents and (len(agents) == 1 or card.sort == "lane") else ""
    members = _members(structure, agents) if len(agents) > 1 and card.sort != "lane" else ()
    named = counted(len(members), "sub-agent") if members else ""
    answer = answer_words(structure, steps) if answered else ""
    drawn = strip(structure, steps)
    group = Group(len(steps), drawn, heading, inside, failures, answered, found, members, named, answer)
    return CardFace(
        title, quiet_line(structure, steps), "", kind, None, (*own_flags(structure, card, steps), *flags), count,
        border, failures > 0, unfinished > 0, group,
    )  # fmt: skip


def answer_words(structure: Structure, steps: Sequence[int]) -> str:
    """The first words of what the agent said last in a group; "" where it said nothing."""
    facts = structure.facts
    said = (step for step in reversed(steps) if facts.sorts[step] == SAYING and facts.speaks[step])
    kinds = structure.graph.kinds
    last = next((step for step in said if kinds[step] is not StepKind.ERROR), -1)  # "Request was aborted" is no answer
    try:
        return title(structure.graph.step(last)).rstrip(":：") if last >= 0 else ""
    except TineError:
        return ""


def _members(structure: Structure, agents: Sequence[int]) -> tuple[Member, ...]:
    """The sub-agents of a card, up to as many as may be named."""
    lanes, failed, stopped = structure.lanes, structure.facts.failed, structure.graph.stopped
    found: list[Member] = []
    for agent in agents:
        lane = lanes.lane_of(agent)
        inside = lanes.order[lane.start : lane.end] if lane.piece and lane.entry == agent else (agent,)
        try:
            task = agent_task(structure.graph.step(agent)) if len(found) < MOST_TOLD else ""
        except TineError:
            task = UNREADABLE
        found.append(Member(task, any(failed[step] and step not in stopped for step in inside)))
    return tuple(found)


def of_one_step(structure: Structure, card: Card, step: int, face: CardFace) -> CardFace:
    """The face of a single step in a folded run: a person's words are a heading there, too.

    "Not recorded" is said once for the whole run, not on every card.
    """
    heading, inside = structure.facts.sorts[step] == HUMAN, _lane_kind(structure, card)
    flags = (*own_flags(structure, card, ()), *face.flags) if card.absorbed else face.flags
    figures = "" if face.figures == NOT_RECORDED else face.figures
    if not heading and not inside and flags == face.flags and figures == face.figures:
        return face
    if not heading and not inside:
        return replace(face, flags=flags, figures=figures)
    return replace(face, flags=flags, figures=figures, group=Group(1, (), heading, inside))


def quiet_line(structure: Structure, steps: Sequence[int]) -> str:
    """What happened in a group: "4 turns · read 14 · edited 3 files · tested 2 · 2 failures · worked 6 min · $0.42".

    A file that is the only one edited is named.
    """
    facts, graph = structure.facts, structure.graph
    # A group may hold nearly all steps of a run: columns of them are counted, and only edits are looked at.
    stopped = Counter([graph.stopped[step] for step in steps if step in graph.stopped] if graph.stopped else ())
    acted = [step for step in steps if step not in graph.stopped] if stopped else steps  # what was stopped did nothing
    roles, failed = bytes(map(facts.roles.__getitem__, acted)), bytes(map(facts.failed.__getitem__, acted))
    turns, failures = bytes(map(facts.sorts.__getitem__, steps)).count(HUMAN), sum(failed)
    edits = [(step, failed[at]) for at, (step, role) in enumerate(zip(acted, roles, strict=True)) if role == _EDIT]
    edited = {facts.abouts[step].partition(" ")[2] or str(step) for step, has_failed in edits if not has_failed}
    # What failed edited nothing; a shell's `cp` is not called an edit.
    vain = [facts.abouts[step].partition(" ")[0] for step, has_failed in edits if has_failed]
    failed_edits = sum(role_of_tool(tool) is Role.EDIT for tool in vain)
    counts = {role: roles.count(role) for role in Role}
    counts[Role.EDIT] -= len(vain)
    cost = sum(map(graph.costs.__getitem__, steps))
    parts = [counted(turns, "turn")] if turns > 1 else []
    if counts[Role.LOOK]:
        parts.append(f"read {format_count(counts[Role.LOOK])}")
    if counts[Role.EDIT]:
        files = f"{len(edited)} files" if len(edited) > 1 else _file_name(*edited) or format_count(counts[Role.EDIT])
        parts.append(f"edited {files}")
    words = ((Role.TEST, "tested"), (Role.RUN, "ran"), (Role.SAVE, "saved"))
    parts += [f"{word} {format_count(counts[role])}" for role, word in words if counts[role]]
    if failures:
        all_edits = failures == failed_edits
        parts.append(f"{counted(failures, 'edit')} failed" if all_edits else counted(failures, "failure"))
    parts += [f"{format_count(stopped[how])} {word}" for how, word in STOPPED.items() if stopped[how]]
    duration = worked(graph, structure.work, steps)
    if duration >= 60:
        parts.append(f"worked {rounded_time(duration)}")
    if cost >= 0.005:
        parts.append(format_cost(cost))
    return " · ".join(parts)


def _file_name(about: str) -> str:
    """The name of the file that an edit is about; "" if it is none, or too long for a card."""
    name = _FILE_NAME.search(about)
    return name[0] if name else ""


def _bars(structure: Structure) -> Mapping[Role, Bar]:
    """The bars of calls; where sub-agents are recorded, those that start or await one are none themselves."""
    return {**BARS, Role.DELEGATE: BARS[Role.RUN]} if SUBAGENT in structure.facts.sorts else BARS


def strip(structure: Structure, steps: Sequence[int]) -> tuple[Bar, ...]:
    """A bar for every step that acts, in order; beyond `MOST_BARS` neighbours share one, with failures at its top."""
    facts, stopped, bar_of_call = structure.facts, structure.graph.stopped, _bars(structure)
    sorts, roles, failed = facts.sorts, facts.roles, facts.failed
    of_role = [bar_of_call[role] for role in Role]
    bars = []
    for step in steps:
        sort = sorts[step]
        if step in stopped:
            bars.append(_STOPPED_BAR)
        elif failed[step]:
            bars.append(_BAD_BAR)
        elif sort == CALL:
            role = roles[step]
            awaits = role == _DELEGATE and _AWAITS.search(facts.abouts[step].partition(" ")[0])
            bars.append(of_role[_LOOK] if awaits else of_role[role])
        elif sort == HUMAN:
            bars.append(_HUMAN_BAR)
        elif sort == SUBAGENT:
            bars.append(_AGENT_BAR)
    if len(bars) <= MOST_BARS:
        return tuple(bars)
    found = []
    for place in range(MOST_BARS):
        some = bars[place * len(bars) // MOST_BARS : (place + 1) * len(bars) // MOST_BARS]
        roles_there = {bar.role for bar in some}
        rarest = min(roles_there.difference(ENDED) or roles_there, key=_RARE.index)
        found.append(some[0] if len(some) == 1 else shared_bar(some, rarest))
    return tuple(found)


def bar_roles(structure: Structure) -> frozenset[str]:
    """The theme roles of the bars in the strips of a run.

    Called in a frame, so it only searches columns of bytes: a tenth of a millisecond for 100,000 steps.
    """
    facts, stopped = structure.facts, structure.graph.stopped
    found = {bar.role for role, bar in _bars(structure).items() if role in facts.roles}
    found |= {role for sort, role in ((HUMAN, "human"), (SUBAGENT, "subagent")) if sort in facts.sorts}
    if facts.failed.count(1) > sum(map(facts.failed.__getitem__, stopped)):  # `failed` marks most stopped steps, too
        found.add("bad")
    return frozenset(found | {"stopped"}) if stopped else frozenset(found)


_RARE = ("bad", "stopped", "human", SAVES, "subagent", EDITS, RUNS, LOOKS)


def own_flags(structure: Structure, card: Card, steps: Sequence[int]) -> tuple[Flag, ...]:
    """What a card counts besides its steps: failures, sub-agents inside it, branches it absorbed."""
    facts, lanes, ids = structure.facts, structure.lanes, structure.graph.ids
    stopped = structure.graph.stopped
    flags = []
    failing = [step for step in steps if facts.failed[step] and step not in stopped]
    if failing:
        said = [failure_reason(structure.graph, step) for step in reversed(failing[-MOST_REASONS:])]
        reasons = Counter(reason for reason in said if reason)
        hint = "\n".join([f"{counted(len(failing), 'failure')} in here: go to the first", *reasons])
        why, most = _why(reasons, len(failing)), next((reason for reason, _ in reasons.most_common(1)), "")
        press = ("select.step", ids[failing[0]])
        flags.append(Flag(f"✕ {format_count(len(failing))}", "bad", press=press, hint=hint, more=why, less=most))
    flags += _stopped_flags(structure, [step for step in steps if step in stopped] if stopped else [])
    agents = [step for step in steps if facts.sorts[step] == SUBAGENT]
    alone = steps and (card.sort != "span" or facts.sorts[steps[0]] == SUBAGENT or is_mostly(structure, card, agents))
    if len(agents) > (1 if alone else 0):  # the card of a lone sub-agent says it anyway
        told = [_told(structure, step) for step in agents[:MOST_TOLD]]
        hint = "\n".join([f"{counted(len(agents), 'sub-agent')} in here", *told])
        more = told[0] if len(agents) == 1 else ""
        flags.append(Flag(f"◈ {len(agents)}", "subagent", hint=hint, more=more, spare=bool(alone)))
    if card.absorbed:
        size = failed = 0
        for entry in card.absorbed:
            start, end = lanes.region(entry)
            size += end - start
            failed += structure.failures_in(start, end)
        words = f"{BRANCH_SIGN} {format_count(len(card.absorbed))}"
        if size > len(card.absorbed):
            words += f" · {format_count(size)}"
        count = len(card.absorbed)
        branches = "1 branch" if count == 1 else f"{count:,} branches"
        ends = f", {counted(failed, 'failure')}" if failed else ""
        hint = f"{branches} with {counted(size, 'step')}{ends}: show them"
        flags.append(Flag(words, "bad" if failed else "quiet", press=("fold.branches", ids[card.name]), hint=hint))
    return tuple(flags)


def _stopped_flags(structure: Structure, steps: Sequence[int]) -> list[Flag]:
    """What was refused, interrupted or never answered in a group; none of it is a failure of the agent."""
    if not steps:
        return []
    graph = structure.graph
    counts = Counter(graph.stopped[step] for step in steps)
    words = stopped_words(counts)
    reasons = Counter(failure_reason(graph, step) for step in steps[:MOST_REASONS])
    why = [reason for reason in reasons if reason and reason not in counts]  # do not repeat the bare word
    hint = "\n".join([f"{words} in here, counted apart from failures: go to the first", *why])
    press = ("select.step", graph.ids[steps[0]])
    more = ", ".join(word for how, word in STOPPED.items() if how in counts)  # a second number reads as another count
    most = max((how for how in STOPPED if how in counts), key=counts.__getitem__)
    less = f"{STOPPED[most]}, …" if len(counts) > 1 else ""
    number = f"{STOPPED_SIGN} {format_count(len(steps))}"
    return [Flag(number, "stopped", press=press, hint=hint, more=more, less=less)]


def _why(reasons: Counter[str], failures: int) -> str:
    """The reasons by frequency, the latest first among equals, each with its count if it is more than one."""
    ordered = reasons.most_common()
    if not ordered:
        return ""
    if failures > MOST_REASONS:
        return f"some: {ordered[0][0]}"
    if len(ordered) == 1 and ordered[0][1] == failures:
        return ordered[0][0]
    shown = ordered[:MOST_SAID]
    said = "; ".join(f"{count}× {reason}" if count > 1 else reason for reason, count in shown)
    if len(ordered) == 1 or sum(count for _, count in shown) == failures:
        return said
    return f"{said}; …"  # otherwise it would read as the reason for all of them


def pause_flag(structure: Structure, card: Card, taken_over: Container[int] = ()) -> Flag | None:
    """The pause after a card, if there is one: the card's own time counts only work.

    There is none between the steps that a fork has `taken_over` and its own, which may begin at any later time.
    """
    lane, graph = structure.lanes.lanes[card.lane], structure.graph
    if card.sort != "span" or card.stop >= len(lane.elements):
        return None
    before, after = lane.elements[card.stop - 1], lane.elements[card.stop]
    if graph.timestamps[before] <= 0 or graph.timestamps[after] <= 0:
        return None
    if before in taken_over and after not in taken_over:
        return None
    lanes = structure.lanes
    if card.parts[0][1] < lanes.pieces_end[before]:  # what it started is shown beside it and ran meanwhile
        return None
    started = lanes.order[lanes.place[before] : lanes.pieces_end[before]]
    work = structure.work
    ended = max(map(work.ends.__getitem__, started[-MOST_STARTED:]))
    first = bisect_left(work.pauses, (ended,))
    between = takewhile(lambda pause: pause.end <= work.starts[after], islice(work.pauses, first, None))
    waited = sum(pause.seconds for pause in between)
    if not waited:
        return None
    hint = f"Nothing was done for {format_duration(waited)} after this."
    return Flag(f"pause {rounded_time(waited)}", hint=hint, spare=True)


def _told(structure: Structure, agent: int) -> str:
    """A sub-agent's task and what it found."""
    try:
        task = agent_task(structure.graph.step(agent))
    except TineError:
        return UNREADABLE
    found = found_by(structure, agent)
    return f"{task}: {found}" if found else task


def _lane_kind(structure: Structure, card: Card) -> bool:
    """Whether the card lies in the lane of a sub-agent."""
    lanes, sorts = structure.lanes, structure.facts.sorts
    lane = lanes.lanes[card.lane]
    while lane.number:
        if sorts[lane.entry] == SUBAGENT:
            return True
        above = lanes.owner_lane(lane)
        if above is None:
            return False
        lane = above
    return False
