"""Parallel calls of one turn: found by their shape, kept in call order from left to right, the lane through the middle.

A turn is a step whose lanes fork off together at `fork` and come together again in one step `join`. With two branches
that is also the shape of a branch merged back later, so there the line between fork and join must be free of other
forks and merges.
"""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.layout.batch.strands import Model


class Turn(NamedTuple):
    """Calls that fork at one node and join at another; `heads` are their first nodes, in call order."""

    fork: int
    join: int
    heads: list[int]


def arrange_turns(model: Model) -> None:
    """Lead the lane of each turn through its middle call, and note which lanes must keep call order."""
    if not model.merges:
        return
    turns = _find_turns(model)
    next_in_lane = {above: node for node, above in enumerate(model.lane_previous) if above >= 0}
    for turn in turns:
        middle = turn.heads[(len(turn.heads) - 1) // 2]
        if len(turn.heads) > 2 and next_in_lane[turn.fork] != middle:
            _lead_through(model, turn, middle, next_in_lane)
    for strand in range(1, len(model.top)):
        above = model.parents[model.first_node[strand]]
        if above:
            model.tree_parent[strand] = model.lane[above[0]]
    _keep_call_order(model, turns, next_in_lane)


def _find_turns(model: Model) -> list[Turn]:
    lane, parents, first_node, last_node = model.lane, model.parents, model.first_node, model.last_node
    turns: dict[int, Turn] = {}
    for join, above in enumerate(parents):
        spine = model.lane_previous[join]
        if len(above) < 2 or spine < 0:
            continue
        forks = set()
        heads = []
        for parent in above:
            if parent == spine:
                continue
            head = first_node[lane[parent]]
            if last_node[lane[parent]] != parent or not parents[head]:
                break
            heads.append(head)
            forks.add(parents[head][0])
        else:
            fork = forks.pop()
            if forks or lane[fork] != lane[join] or fork == spine:
                continue
            start = _clean_start(model, turns, spine, fork, strict=len(above) == 2)
            if start >= 0:
                turns[join] = Turn(fork, join, sorted([start, *heads]))
    return list(turns.values())


def _clean_start(model: Model, turns: dict[int, Turn], node: int, fork: int, *, strict: bool) -> int:
    """Return the node below `fork` on the line up from `node`, or -1 if a fork or merge on the way forbids a turn."""
    while True:
        turn = turns.get(node)
        if strict and (model.child_count[node] > 1 or (turn is None and len(model.parents[node]) > 1)):
            return -1
        above = model.lane_previous[node]
        if above == fork:
            return node
        if strict and turn is not None:
            node = turn.fork
            above = model.lane_previous[node]
            if above == fork:
                return node
            if node == fork or len(model.parents[node]) > 1:
                return -1
        if above < 0:
            return -1
        node = above


def _lead_through(model: Model, turn: Turn, middle: int, next_in_lane: dict[int, int]) -> None:
    """Swap the stretch of the lane between fork and join with the lane of the middle call."""
    lane, lane_previous = model.lane, model.lane_previous
    strand, spine = lane[middle], lane[turn.fork]
    old_head, old_tail = next_in_lane[turn.fork], lane_previous[turn.join]
    new_tail = model.last_node[strand]
    for head, tail, to in ((old_head, old_tail, strand), (middle, new_tail, spine)):
        node = tail
        while True:
            lane[node] = to
            if node == head:
                break
            node = lane_previous[node]
    lane_previous[old_head], lane_previous[middle] = -1, turn.fork
    lane_previous[turn.join] = new_tail
    next_in_lane[turn.fork], next_in_lane[new_tail] = middle, turn.join
    next_in_lane.pop(old_tail, None)
    model.first_node[strand], model.last_node[strand] = old_head, old_tail
    model.top[strand], model.bottom[strand] = model.rank[old_head], model.rank[old_tail]


def _keep_call_order(model: Model, turns: list[Turn], next_in_lane: dict[int, int]) -> None:
    """Let all calls of a turn stand in creation order, those too that failed and ended before the others came back."""
    born_at: dict[int, list[int]] = {}
    for strand in range(1, len(model.top)):
        above = model.parents[model.first_node[strand]]
        if above:
            born_at.setdefault(above[0], []).append(strand)
    for turn in turns:
        spine = next_in_lane[turn.fork]
        end = model.rank[turn.join]
        calls = [strand for strand in born_at[turn.fork] if model.rank[model.last_node[strand]] < end]
        row = sorted([(model.first_node[strand], strand) for strand in calls] + [(spine, model.lane[turn.fork])])
        for head, strand in row:
            if head != spine:
                model.side[strand] = 1 if head > spine else -1
        model.call_rows.append([strand for _, strand in row])
