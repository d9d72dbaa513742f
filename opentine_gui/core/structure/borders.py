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
from typing import NamedTuple

from opentine_gui.core.progress import Pace
from opentine_gui.core.structure.call_roles import Role
from opentine_gui.core.structure.facts import BETWEEN, CALL, COMPACTION, HUMAN, ROLES, SAYING, SUBAGENT, Facts
from opentine_gui.core.structure.lanes import Lane, Lanes
from opentine_gui.core.structure.repetition import Unit, units

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
_SHIFTS = range(0, ROLES * 32, 32)
"""Counts of calls by role are one number with 32 bits for each role: added and compared in one go."""
_ONE = [1 << shift for shift in _SHIFTS]
_COUNT = (1 << 32) - 1
_LOOK, _SAVE, _PLAN = int(Role.LOOK), int(Role.SAVE), int(Role.PLAN)  # looked up once, not for every step
_AROUND = 4
"""Rounds before and after a border whose work is compared."""


class Repeat(NamedTuple):
    """A retry or a loop: how often it ran, and over which elements of its lane (`start:end`)."""

    sort: str
    times: int
    period: int
    start: int
    end: int


class Turns(NamedTuple):
    """The rounds at which the turns of a lane begin, and the strengths of the borders before them."""

    rounds: list[int]
    strengths: list[float]


class Borders:
    """The rank of the border before every step, and the repetitions in each lane.

    `level[step]` and `strength[step]` rank the border before a step in its lane. `rounds[lane]` are the places in the
    lane at which rounds begin, `repeats[lane]` its retries and loops. `by_level` caches a lane's places by level
    (`Openings.places_by_level`).
    """

    __slots__ = ("by_level", "depths", "level", "repeats", "rounds", "strength", "turns")

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
        self.level = bytearray(count)
        self.strength = array("d", [0.0]) * count
        self.rounds: dict[int, list[int]] = {}
        self.by_level: dict[int, dict[int, list[int]]] = {}
        self.repeats: dict[int, list[Repeat]] = {}
        self.turns = Turns([], [])
        """The turns of the first lane, which a longer run goes on from."""
        self.depths: bytearray = bytearray() if known is None else known.depths[: lanes.kept_lanes]
        if known is not None:
            self._take(known, facts, lanes)
            if len(lanes.lanes[0].elements) > 1:
                _LaneRanks(facts, lanes, lanes.lanes[0], sides, self, whole=True, known=known).rank()
        done = 0
        for lane in islice(lanes.lanes, len(self.depths), None):
            around = lanes.owner_lane(lane)
            self.depths.append(min((self.depths[around.number] if around is not None else 0) + lane.piece, 255))
            if pace is not None and lane.number % BETWEEN == 0:
                pace.at(done / max(count, 1))
            done += len(lane.elements)
            if len(lane.elements) > 1:
                _LaneRanks(facts, lanes, lane, sides, self, whole=self.depths[-1] <= DEEPEST).rank()

    def _take(self, known: Borders, facts: Facts, lanes: Lanes) -> None:
        """Copy what has not changed in any lane but the first."""
        kept, same = lanes.kept_lanes, facts.same
        self.level[:same], self.strength[:same] = known.level[:same], known.strength[:same]
        for step in islice(lanes.order, lanes.kept_steps, None):
            self.level[step], self.strength[step] = 0, 0.0
        self.rounds = {lane: starts for lane, starts in known.rounds.items() if 0 < lane < kept}
        self.repeats = {lane: found for lane, found in known.repeats.items() if 0 < lane < kept}


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
            repeats = [repeat for repeat in known.repeats.get(0, ()) if repeat.start < self.begins]
            if repeats:
                self.into.repeats[0] = repeats
        for step in self.lane.elements[self.begins : self.lanes.cut]:
            self.into.level[step], self.into.strength[step] = 0, 0.0

    def rank(self) -> None:
        facts, elements, first = self.facts, self.lane.elements, self.first
        self._find_rounds()
        starts = self.starts
        self.into.rounds[self.lane.number] = starts
        self._read_rounds()
        count = len(starts)
        strengths = [0.0] * count
        self._measure(strengths)
        for number, strength_then in zip(*self.known_turns, strict=True):
            strengths[number] = strength_then
        levels = [BETWEEN_ROUNDS] * count
        later = [number for number in range(first, count) if number == 0 or self.human[number]]
        for turn, start in enumerate(later):
            end = later[turn + 1] if turn + 1 < len(later) else count
            self._rank_turn(levels, strengths, start, end)
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
        last = elements[self.begins - 1] if self.begins else -1
        before = sorts[last] if self.begins else -1
        length = 0
        for place, step in enumerate(islice(elements, self.begins, None), self.begins):
            sort = sorts[step]
            if (
                before < 0
                or sort in (HUMAN, COMPACTION)
                or before in (HUMAN, COMPACTION)
                or (sort == SAYING and (before == CALL or last in pieces))
                or length >= MOST_ELEMENTS
                or (sides is not None and sides[step] != sides[last])
            ):
                self.starts.append(place)
                length = 0
            length += 1
            before, last = sort, step

    def _read_rounds(self) -> None:
        """Summarise what each round does."""
        facts, lanes, elements = self.facts, self.lanes, self.lane.elements
        order, place_of, pieces, pieces_end = lanes.order, lanes.place, lanes.pieces, lanes.pieces_end
        sorts, roles, failed_steps, abouts = facts.sorts, facts.roles, facts.failed, facts.abouts
        calls, speaks = facts.calls, facts.speaks
        names: dict[str, int] = {}
        count = len(self.starts)
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
        self.shares: list[int] = []
        self.ends = [*self.starts[1:], len(elements)]
        read = max(self.first - _AROUND - 1, 0)  # a border's strength depends on the rounds before it, too
        self.shares += [0] * read
        for number in range(read, count):
            start, end = self.starts[number], self.ends[number]
            share = looked = 0
            said: list[str] = []
            call = 0
            first = elements[start]
            self.human[number] = sorts[first] == HUMAN
            self.compaction[number] = sorts[first] == COMPACTION
            own = elements[start:end]
            for step in order[place_of[first] : pieces_end[own[-1]]] if self.whole else own:
                sort = sorts[step]
                if sort == CALL:
                    role = roles[step]
                    share += _ONE[role]
                    about = abouts[step]
                    if about != " ":  # a call without a name never counts as a repetition
                        said.append(about)
                    call = (call * 31 + calls[step]) & 0xFFFFFFFF
                    if role == _LOOK:
                        looked += 1
                    elif role == _SAVE:
                        self.saves[number] = 1
                    elif role == _PLAN:
                        self.plans[number] = 1
                elif sort == SUBAGENT:
                    self.fans[number] = 1
                elif sort == SAYING and speaks[step] and not said:
                    self.speaks[number] = 1
                if failed_steps[step]:
                    self.failed[number] = 1
            for step in own:
                if step in pieces and sum(len(lanes.lane_of(part).elements) > 1 for part in pieces[step]) > 1:
                    self.fans[number] = 1
            if said:
                self.keys[number] = names.setdefault("\n".join(said), len(names))
                self.calls[number] = call
                self.looks[number] = share == looked * _ONE[_LOOK]
            self.shares.append(share)

    def _measure(self, strengths: list[float]) -> None:
        """Compute the strength of the border before each round."""
        elements = self.lane.elements
        times, durations = self.facts.graph.timestamps, self.facts.graph.durations
        forks = {branch.place for branch in self.lane.plain}
        for number in range(max(self.first, 1), len(self.starts)):
            before = number - 1
            strength = 0.0
            if self.compaction[number] or self.compaction[before]:
                strength += 3.0
            if self.saves[before] and not self.saves[number]:
                strength += 2.5
            if self.speaks[number]:
                strength += 2.0
            if self.plans[number]:
                strength += 1.5
            if self.fans[number] or self.fans[before]:
                strength += 1.2
            if self.failed[number] != self.failed[before]:
                strength += 1.0
            last, first = elements[self.starts[number] - 1], elements[self.starts[number]]
            if self.starts[number] - 1 in forks:
                strength += 1.0
            if times[last] > 0 and times[first] > 0:
                gap = times[first] - times[last] - durations[last]
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
        known: dict[tuple[int, int], float] = {}  # runs alternate between the same few things, so most pairs recur
        for number in range(first, count):  # the round before moves from the right-hand window to the left
            moved = shares[number - 1]
            left += moved - (shares[number - 1 - _AROUND] if number > _AROUND else 0)
            right += (shares[number - 1 + _AROUND] if number - 1 + _AROUND < count else 0) - moved
            if left and right:
                apart = known.get((left, right))
                if apart is None:
                    apart = known[left, right] = _apart(left, right)
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
            self.into.repeats.setdefault(self.lane.number, []).append(repeat)
        _group([unit.start for unit in items], levels, strengths, BETWEEN_ROUNDS + 1)


def _apart(one: int, other: int) -> float:
    """The L1 distance of the shares of the roles in two counts of calls, neither of them 0."""
    ours, theirs = ([count >> shift & _COUNT for shift in _SHIFTS] for count in (one, other))
    all_ours, all_theirs = sum(ours), sum(theirs)
    apart = 0.0
    for here, there in zip(ours, theirs, strict=True):
        apart += abs(here / all_ours - there / all_theirs)
    return apart


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
