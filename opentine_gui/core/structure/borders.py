"""Ranks every border at which a lane could be split: a level and a strength, from what the recording says.

Levels: 0 inside a round, 1 inside an iteration, 2 between iterations or attempts, 3 between rounds, loops and retries,
4, 5, … between groups of those, 10 between turns, 11, 12, … between groups of turns. Groups are formed from the left,
at most 8 items each, so later steps never change an earlier group. No term looks further than four rounds away.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import islice
from math import log2
from operator import sub
from typing import NamedTuple

from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.facts import (
    CALL,
    COMPACTION,
    HUMAN,
    SAYING,
    SUBAGENT,
    Facts,
    RolesOfRound,
    roles_in,
    shares_of,
)
from opentine_gui.core.structure.lanes import Lane, Lanes
from opentine_gui.core.structure.repetition import Repeat, Unit, units

MOST_ELEMENTS = 8
"""Most elements of a round."""
MOST_ITEMS = 8
LEAST_ITEMS = 4
INSIDE_ROUND, INSIDE_ITERATION, BETWEEN_ITERATIONS, BETWEEN_ROUNDS, BETWEEN_TURNS = 0, 1, 2, 3, 10
STRONG = 2.0
"""The least strength at which a border counts as one that the recording itself makes."""
GAP = 120.0
"""A border is stronger if at least this many seconds lie between its two rounds.

It only ranks borders, so that work is split where it rested; what is called a pause, and counted, is
`work_times.WAITING`. With that limit here, five of seven real sessions have the same first view, and every pause lies
at a border either way.
"""
DEEPEST = 12
"""Lanes nested deeper than this are ranked by their own elements only: else each lane would be read again for every
lane around it, in quadratic time. Agents start agents two or three deep."""
SHORT = 200
"""Lanes with at most so many steps, their branches included, are ranked when they are first asked about, which takes a
millisecond: a long run has thousands of them, and few are ever opened."""
_AROUND = 4
"""Rounds before and after a border whose work is compared."""


class Turns(NamedTuple):
    """The rounds at which the turns of a lane begin, and the strengths of the borders before them."""

    rounds: list[int]
    strengths: list[float]


class Borders:
    """The rank of the border before every step, and the repetitions in each lane.

    `level[step]` and `strength[step]` rank the border before a step in its lane. `rounds[lane]` are the places in the
    lane at which rounds begin, `repeats[lane]` its retries and loops. `by_level` caches a lane's places by level
    (`Openings.places_by_level`). Of a lane that is `SHORT` all this is known after `rank` alone; the main line is
    always ranked.
    """

    __slots__ = (
        "_facts", "_lanes", "_sides", "_unranked", "by_level", "depths", "level", "repeats", "rounds", "strength",
        "turns",
    )  # fmt: skip

    def __init__(
        self,
        facts: Facts,
        lanes: Lanes,
        sides: Sequence[int] | None = None,
        pace: Pace | None = None,
        known: Borders | None = None,
    ) -> None:
        """With several runs, `sides[step]` numbers the set of runs that have a step: rounds end where it changes.

        `known` are the borders of the shorter table that `lanes` extend.
        """
        count = len(facts.graph)
        self._facts, self._lanes, self._sides = facts, lanes, sides
        self.level = bytearray(count)
        self.strength = array("d", [0.0]) * count
        self.rounds: dict[int, list[int]] = {}
        self.by_level: dict[int, dict[int, list[int]]] = {}
        self.repeats: dict[int, list[Repeat]] = {}
        self.turns = Turns([], [])
        """The turns of the first lane, which a longer run goes on from."""
        self.depths: bytearray = bytearray() if known is None else known.depths[: lanes.kept_lanes]
        self._unranked: bytearray = bytearray() if known is None else known._unranked[: lanes.kept_lanes]
        """For each lane whether it waits to be ranked."""
        if known is not None:
            only_branches_changed = lanes.cut == len(lanes.lanes[0].elements)
            self._take(known, facts, lanes, 0 if only_branches_changed else 1)
            if only_branches_changed:
                self.turns = known.turns
            elif len(lanes.lanes[0].elements) > 1:
                _LaneRanks(facts, lanes, lanes.lanes[0], sides, self, whole=True, known=known).rank(Pace())
        done, pace = 0, pace or Pace()
        depths, unranked, lane_of, root = self.depths, self._unranked, lanes.lane, lanes.tree.root
        for lane in islice(lanes.lanes, len(depths), None):
            number, around = lane.number, lane.owner
            above = depths[0 if around == root else lane_of[around]] if number else 0
            depths.append(min(above + lane.piece, 255))
            waits = number > 0 and lane.end - lane.start <= SHORT
            unranked.append(waits)
            if waits:
                continue
            begun, done = done, done + len(lane.elements)
            self._rank(lane, pace.part(begun / max(count, 1), done / max(count, 1)))

    def rank(self, lane: Lane) -> None:
        """Rank the borders of a lane, unless they are."""
        if self._unranked[lane.number]:
            self._rank(lane)
            self._unranked[lane.number] = 0  # last: two threads may rank one lane, and find the same

    def _rank(self, lane: Lane, pace: Pace | None = None) -> None:
        if len(lane.elements) > 1:
            whole = self.depths[lane.number] <= DEEPEST
            _LaneRanks(self._facts, self._lanes, lane, self._sides, self, whole=whole).rank(pace or Pace())

    def _take(self, known: Borders, facts: Facts, lanes: Lanes, first: int) -> None:
        """Copy what has not changed in any lane from the `first` on.

        Whoever shows the shorter table may rank a lane of it meanwhile: what is gone through is a copy, made at once.
        """
        kept, same = lanes.kept_lanes, facts.same
        self.level[:same], self.strength[:same] = known.level[:same], known.strength[:same]
        for step in islice(lanes.order, lanes.kept_steps, None):
            self.level[step], self.strength[step] = 0, 0.0
        self.rounds = {lane: starts for lane, starts in dict(known.rounds).items() if first <= lane < kept}
        self.repeats = {lane: found for lane, found in dict(known.repeats).items() if first <= lane < kept}


class _LaneRanks:
    def __init__(
        self,
        facts: Facts,
        lanes: Lanes,
        lane: Lane,
        sides: Sequence[int] | None,
        into: Borders,
        *,
        whole: bool,
        known: Borders | None = None,
    ) -> None:
        """With `whole`, a round includes the work it started, not only its own elements.

        `known` are the borders of a shorter table in which the lane has the same elements up to `lanes.cut`: whatever
        lies more than a turn before that is unchanged.
        """
        self.whole = whole
        self.facts, self.lanes, self.lane, self.sides, self.into = facts, lanes, lane, sides, into
        self.starts: list[int] = []
        self.repeats: list[Repeat] = []
        self.known_turns = Turns([], [])
        self.first = self.begins = 0
        """The first round that is ranked, which begins a turn, and the place in the lane at which it begins."""
        if known is not None:
            self._go_on(known)

    def _go_on(self, known: Borders) -> None:
        """Copy the turns of the first lane that end some rounds before the first change."""
        rounds, turns = known.rounds.get(0, []), known.turns
        changed = bisect_right(rounds, self.lanes.cut) - 1
        turn = bisect_right(turns.rounds, max(changed - _AROUND, 0)) - 1
        if turn > 0:
            self.first = turns.rounds[turn]
            self.begins = rounds[self.first]
            self.starts = rounds[: self.first]
            self.known_turns = Turns(turns.rounds[:turn], turns.strengths[:turn])
            self.repeats = [repeat for repeat in known.repeats.get(0, ()) if repeat.start < self.begins]
        for step in self.lane.elements[self.begins : self.lanes.cut]:
            self.into.level[step], self.into.strength[step] = 0, 0.0

    def rank(self, pace: Pace) -> None:
        facts, elements, first = self.facts, self.lane.elements, self.first
        pace.at(0.0)
        self._find_rounds()
        starts = self.starts
        self.into.rounds[self.lane.number] = starts
        self._read_rounds()
        count = len(starts)
        strengths = [0.0] * count
        pace.at(0.4)
        self._measure(strengths)
        pace.at(0.7)
        for number, strength_then in zip(*self.known_turns, strict=True):
            strengths[number] = strength_then
        levels = [BETWEEN_ROUNDS] * count
        later = [number for number in range(first, count) if number == 0 or self.human[number]]
        for turn, start in enumerate(later):
            end = later[turn + 1] if turn + 1 < len(later) else count
            self._rank_turn(levels, strengths, start, end)
        if self.repeats:
            self.into.repeats[self.lane.number] = self.repeats
        turns = [*self.known_turns.rounds, *later]
        for start in turns[1:]:
            levels[start] = BETWEEN_TURNS
        _group(turns, levels, strengths, BETWEEN_TURNS + 1)
        if self.lane.number == 0:
            self.into.turns = Turns(turns, [strengths[start] for start in turns])
        level, strength, ties = self.into.level, self.into.strength, facts.ties
        for start in self.known_turns.rounds:
            level[elements[starts[start]]] = min(levels[start], 255)
        for number in range(first, count):
            step = elements[starts[number]]
            level[step] = min(levels[number], 255)
            strength[step] = strengths[number] + ties[step]

    def _find_rounds(self) -> None:
        """Find where rounds begin, starting at the first turn that is not copied."""
        sorts, pieces, sides, elements = self.facts.sorts, self.lanes.pieces, self.sides, self.lane.elements
        starts, alone = self.starts, (HUMAN, COMPACTION)
        last = elements[self.begins - 1] if self.begins else -1
        before = sorts[last] if self.begins else -1
        length = 0
        for place, step in enumerate(islice(elements, self.begins, None), self.begins):
            sort = sorts[step]
            if (
                (sort == SAYING and (before == CALL or last in pieces))
                or before < 0
                or length >= MOST_ELEMENTS
                or sort in alone
                or before in alone
                or (sides is not None and sides[step] != sides[last])
            ):
                starts.append(place)
                length = 0
            length += 1
            before, last = sort, step

    def _read_rounds(self) -> None:
        """Summarise what each round does."""
        lanes, elements, starts, pieces = self.lanes, self.lane.elements, self.starts, self.lanes.pieces
        count = len(starts)
        self.human = bytearray(count)
        self.compaction = bytearray(count)
        self.speaks = bytearray(count)
        self.saves = bytearray(count)
        self.plans = bytearray(count)
        self.fans = bytearray(count)
        self.failed = bytearray(count)
        self.looks = bytearray(count)
        self.keys = [-1] * count
        self.calls = [0] * count
        self.ends = [*starts[1:], len(elements)]
        read = max(self.first - _AROUND - 1, 0)  # a border's strength depends on the rounds before it, too
        self.shares = [0] * read
        begun = lanes.place[elements[starts[read]]] if self.whole else starts[read]
        steps = lanes.order[begun : lanes.pieces_end[elements[-1]]] if self.whole else elements[begun:]
        facts = self.facts
        # Every step passes through here: columns of the steps in order are searched, and only calls are looked at.
        sorts, roles, failed, speaks = (
            bytes(map(column.__getitem__, steps)) for column in (facts.sorts, facts.roles, facts.failed, facts.speaks)
        )
        has_agents, abouts, hashes = SUBAGENT in sorts, facts.abouts, facts.calls
        keys, calls, shares = self.keys, self.calls, self.shares
        names: dict[str, int] = {}
        known: dict[bytes, RolesOfRound] = {}
        ends = [lanes.place[elements[end]] for end in starts[read + 1 :]] if self.whole else starts[read + 1 :]
        end = 0
        for number, stop in enumerate([*ends, begun + len(steps)], read):
            start, end = end, stop - begun
            self.human[number] = sorts[start] == HUMAN
            self.compaction[number] = sorts[start] == COMPACTION
            self.failed[number] = failed.find(1, start, end) >= 0
            self.fans[number] = has_agents and sorts.find(SUBAGENT, start, end) >= 0
            spoken = speaks.find(1, start, end)
            done = roles[start:end]
            made = known.get(done)
            if made is None:
                made = known[done] = roles_in(done)
            shares.append(made.counts)
            self.saves[number], self.plans[number] = made.saves, made.plans
            said: list[str] = []
            call, named = 0, end
            for at in made.calls:
                step = steps[start + at]
                about = abouts[step]
                if about != " ":  # a call without a name never counts as a repetition
                    if not said:
                        named = start + at
                    said.append(about)
                call = (call * 31 + hashes[step]) & 0xFFFFFFFF
            if said:
                keys[number] = names.setdefault("\n".join(said), len(names))
                calls[number] = call
                self.looks[number] = made.only_looks
            self.speaks[number] = 0 <= spoken < named
        lane_of, all_lanes = lanes.lane, lanes.lanes
        for number, (start, end) in enumerate(zip(starts[read:], self.ends[read:], strict=True), read):
            for step in elements[start:end]:
                if step in pieces and sum([len(all_lanes[lane_of[part]].elements) > 1 for part in pieces[step]]) > 1:
                    self.fans[number] = 1

    def _measure(self, strengths: list[float]) -> None:
        """Compute the strength of the border before each round."""
        elements, starts = self.lane.elements, self.starts
        times, durations = self.facts.graph.timestamps, self.facts.graph.durations
        forks = {branch.place for branch in self.lane.plain}
        compaction, saves, speaks, plans = self.compaction, self.saves, self.speaks, self.plans
        fans, failed = self.fans, self.failed
        for number in range(max(self.first, 1), len(starts)):
            before = number - 1
            strength = 0.0
            if compaction[number] or compaction[before]:
                strength += 3.0
            if saves[before] and not saves[number]:
                strength += 2.5
            if speaks[number]:
                strength += 2.0
            if plans[number]:
                strength += 1.5
            if fans[number] or fans[before]:
                strength += 1.2
            if failed[number] != failed[before]:
                strength += 1.0
            start = starts[number]
            last, first = elements[start - 1], elements[start]
            if start - 1 in forks:
                strength += 1.0
            ended, begins = times[last], times[first]
            if ended > 0 and begins > 0:
                gap = begins - ended - durations[last]
                if gap > GAP:
                    strength += min(0.5 + 0.5 * log2(gap / GAP + 1.0), 4.0)
            strengths[number] = strength
        self._add_other_work(strengths)

    def _add_other_work(self, strengths: list[float]) -> None:
        """Add 0 to 3 for how much the roles of the rounds before and after differ (L1 distance of their shares)."""
        shares, count = self.shares, len(self.shares)
        first = max(self.first, 1)
        left = sum(shares[max(first - 1 - _AROUND, 0) : first - 1])
        right = sum(shares[first - 1 : first - 1 + _AROUND])
        # Runs alternate between the same few things, so most pairs recur, and more so what they are made of.
        known: dict[tuple[int, int], float] = {}
        parts: dict[int, list[float]] = {}
        for number in range(first, count):  # the round before moves from the right-hand window to the left
            moved = shares[number - 1]
            left += moved - (shares[number - 1 - _AROUND] if number > _AROUND else 0)
            right += (shares[number - 1 + _AROUND] if number - 1 + _AROUND < count else 0) - moved
            if left and right:
                apart = known.get((left, right))
                if apart is None:
                    for counts in (left, right):
                        if counts not in parts:
                            parts[counts] = shares_of(counts)
                    apart = known[left, right] = sum(map(abs, map(sub, parts[left], parts[right])))
                strengths[number] += 1.5 * apart

    def _rank_turn(self, levels: list[int], strengths: list[float], start: int, end: int) -> None:
        """Rank the borders inside a turn: repetitions, then groups of rounds."""
        items: list[Unit] = []
        first = start
        while first < end and (self.human[first] or self.compaction[first]):
            items.append(Unit(first, first + 1))
            first += 1
        items += units(self.keys, self.calls, self.failed, self.looks, first, end)
        for unit in items:
            if unit.sort == "round":
                continue
            for number in range(unit.start + 1, unit.end):
                inside = (number - unit.start) % unit.period
                levels[number] = INSIDE_ITERATION if inside else BETWEEN_ITERATIONS
            times = (unit.end - unit.start) // unit.period
            repeat = Repeat(unit.sort, times, unit.period, self.starts[unit.start], self.ends[unit.end - 1])
            self.repeats.append(repeat)
        _group([unit.start for unit in items], levels, strengths, BETWEEN_ROUNDS + 1)


def _group(items: list[int], levels: list[int], strengths: list[float], level: int) -> None:
    """Group items from the left, at most 8 each, raise the level of the borders between groups, and repeat.

    `items` are the rounds at which they begin. When a ninth item arrives, the group ends at its strongest border
    between items 4 and 8.
    """
    most = BETWEEN_TURNS - 1 if level < BETWEEN_TURNS else 255
    while len(items) > MOST_ITEMS:
        groups = []
        start = 0
        while len(items) - start > MOST_ITEMS:
            groups.append(items[start])
            cut = max(
                range(start + LEAST_ITEMS, start + MOST_ITEMS + 1), key=lambda place: (strengths[items[place]], -place)
            )
            levels[items[cut]] = min(level, most)
            start = cut
        groups.append(items[start])
        items = groups
        level += 1
