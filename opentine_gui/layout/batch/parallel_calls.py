"""Parallel calls: recognised by their shape and kept in call order from left to right, the lane through the middle.

Calls are parallel if their lanes fork together at one step, `fork`, and merge together in another, `join`. Two lanes
of that shape may also be a branch that was merged back later, so with two the lane between fork and join must have no
other forks and merges.
"""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.layout.batch.strands import Model


class ParallelCalls(NamedTuple):
    """Calls that fork at one node and join at another; `heads` are their first nodes, in call order."""

    fork: int
    join: int
    heads: list[int]


def arrange_parallel_calls(model: Model) -> None:
    """Lead each lane through the middle one of its parallel calls, and record which lanes must keep call order."""
    if not model.merges:
        return
    groups = _find_parallel_calls(model)
    next_in_lane = {above: node for node, above in enumerate(model.lane_previous) if above >= 0}
    for calls in groups:
        middle = calls.heads[(len(calls.heads) - 1) // 2]
        if len(calls.heads) > 2 and _is_on_one_lane(model, calls) and next_in_lane[calls.fork] != middle:
            _lead_through(model, calls, middle, next_in_lane)
    groups = [calls for calls in groups if _is_on_one_lane(model, calls)]
    for strand in range(1, len(model.top)):
        above = model.parents[model.first_node[strand]]
        if above:
            model.tree_parent[strand] = model.lane[above[0]]
    _keep_call_order(model, groups, next_in_lane)


def _find_parallel_calls(model: Model) -> list[ParallelCalls]:
    lane, parents, first_node, last_node = model.lane, model.parents, model.first_node, model.last_node
    groups: dict[int, ParallelCalls] = {}
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
            start = _clean_start(model, groups, spine, fork, strict=len(above) == 2)
            if start >= 0:
                groups[join] = ParallelCalls(fork, join, sorted([start, *heads]))
    return list(groups.values())


def _is_on_one_lane(model: Model, calls: ParallelCalls) -> bool:
    """Whether a lane leads from fork to join: after it was led through other calls, the fork may be off
    it."""
    return model.lane[calls.fork] == model.lane[calls.join]


def _clean_start(model: Model, groups: dict[int, ParallelCalls], node: int, fork: int, *, strict: bool) -> int:
    """Return the node below `fork` on the lane up from `node`; -1 if there is none, or a fork or merge on the way."""
    while True:
        calls = groups.get(node)
        if strict and (model.child_count[node] > 1 or (calls is None and len(model.parents[node]) > 1)):
            return -1
        above = model.lane_previous[node]
        if above == fork:
            return node
        if strict and calls is not None:
            node = calls.fork
            above = model.lane_previous[node]
            if above == fork:
                return node
            if node == fork or len(model.parents[node]) > 1:
                return -1
        if above < 0:
            return -1
        node = above


def _lead_through(model: Model, calls: ParallelCalls, middle: int, next_in_lane: dict[int, int]) -> None:
    """Swap the stretch of the lane between fork and join with the lane of the middle call."""
    lane, lane_previous = model.lane, model.lane_previous
    strand, spine = lane[middle], lane[calls.fork]
    old_head, old_tail = next_in_lane[calls.fork], lane_previous[calls.join]
    new_tail = model.last_node[strand]
    for head, tail, to in ((old_head, old_tail, strand), (middle, new_tail, spine)):
        node = tail
        while True:
            lane[node] = to
            if node == head:
                break
            node = lane_previous[node]
    lane_previous[old_head], lane_previous[middle] = -1, calls.fork
    lane_previous[calls.join] = new_tail
    next_in_lane[calls.fork], next_in_lane[new_tail] = middle, calls.join
    next_in_lane.pop(old_tail, None)
    model.first_node[strand], model.last_node[strand] = old_head, old_tail
    model.top[strand], model.bottom[strand] = model.rank[old_head], model.rank[old_tail]


def _keep_call_order(model: Model, groups: list[ParallelCalls], next_in_lane: dict[int, int]) -> None:
    """Record the order of parallel calls, including those that failed and never reached the join."""
    forked_at: dict[int, list[int]] = {}
    for strand in range(1, len(model.top)):
        above = model.parents[model.first_node[strand]]
        if above:
            forked_at.setdefault(above[0], []).append(strand)
    for calls in groups:
        spine = next_in_lane[calls.fork]
        end = model.rank[calls.join]
        lanes = [strand for strand in forked_at[calls.fork] if model.rank[model.last_node[strand]] < end]
        row = sorted([(model.first_node[strand], strand) for strand in lanes] + [(spine, model.lane[calls.fork])])
        for head, strand in row:
            if head != spine:
                model.side[strand] = 1 if head > spine else -1
        model.call_rows.append([strand for _, strand in row])
