"""The initial left-to-right order of the strands: a walk over the tree of lanes, without crossings on forests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opentine_gui.layout.batch.strands import Model


def tree_order(model: Model) -> list[int]:
    """Return all strands from left to right.

    A child goes to the side that the order of parallel calls demands, otherwise right and left in turn. On each side
    the deepest fork is nearest, so all strands between a child and its parent start below their fork edge.
    """
    side = list(model.side)
    turn = [0] * len(side)
    for strand in range(1, len(side)):
        if side[strand] == 0 and model.source[strand] < 0:
            parent = max(model.tree_parent[strand], 0)
            side[strand] = -1 if turn[parent] else 1
            turn[parent] ^= 1
    if model.routing_of:
        _lean_routing_strands(model, side)
    return _walk(model, side, range(len(side)))


def _lean_routing_strands(model: Model, side: list[int]) -> None:
    """Put each routing strand on the side of the lane it leaves where most of its targets are."""
    lanes = [strand for strand in range(len(side)) if model.source[strand] < 0]
    place = {strand: position for position, strand in enumerate(_walk(model, side, lanes))}
    lean = [0] * len(side)
    for node, via in zip(model.edge_target, model.edge_via, strict=True):
        if via >= 0 and model.source[via] >= 0:
            lean[via] += 1 if place[model.lane[node]] > place[model.tree_parent[via]] else -1
    for strand in model.routing_of.values():
        side[strand] = 1 if lean[strand] >= 0 else -1


def _walk(model: Model, side: list[int], strands: Sequence[int]) -> list[int]:
    left: dict[int, list[int]] = {}
    right: dict[int, list[int]] = {}
    fork_rank, first_node, tree_parent = model.fork_rank, model.first_node, model.tree_parent
    forks = np.asarray(strands[1:], dtype=np.int64)
    forks = forks[np.lexsort((np.asarray(first_node)[forks], np.asarray(fork_rank)[forks]))]
    for strand in forks.tolist():
        children = right if side[strand] > 0 else left
        parent = tree_parent[strand]
        if parent < 0:
            parent = 0
        if parent in children:
            children[parent].append(strand)
        else:
            children[parent] = [strand]
    order: list[int] = []
    pending = [strands[0]]  # a strand to expand, or ~strand to append to the order; pushed from right to left
    while pending:
        strand = pending.pop()
        if strand < 0:
            order.append(~strand)
            continue
        if strand in right:  # of the same fork, the earlier call is nearer
            backwards = right[strand][::-1]
            backwards.sort(key=fork_rank.__getitem__)  # stable: later calls stay first
            pending.extend(backwards)
        if strand in left:
            pending.append(~strand)
            pending.extend(reversed(left[strand]))
        else:
            order.append(strand)
    return order
