"""The first left-to-right order of the strands: a walk over the lane tree that is free of crossings on forests."""

from __future__ import annotations

from collections.abc import Sequence

from opentine_gui.layout.batch.strands import Model


def tree_order(model: Model) -> list[int]:
    """Return all strands from left to right.

    A child goes to the side its parallel calls ask for, else right and left in turn; on each side the deepest fork lies
    nearest, so all that stands between a strand and its parent starts below their fork edge.
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
    """Send each routing strand to the side most of its targets are on, seen from the lane it leaves."""
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
    fork_rank, first_node = model.fork_rank, model.first_node
    for strand in sorted(strands[1:], key=lambda strand: (fork_rank[strand], first_node[strand])):
        children = right if side[strand] > 0 else left
        children.setdefault(max(model.tree_parent[strand], 0), []).append(strand)
    order: list[int] = []
    pending = [strands[0]]  # a strand still to open, or ~strand to write down; pushed backwards, popped left to right
    while pending:
        strand = pending.pop()
        if strand < 0:
            order.append(~strand)
            continue
        if strand in right:  # of one fork the earlier call is nearer
            backwards = right[strand][::-1]
            backwards.sort(key=fork_rank.__getitem__)  # stable: the later call stays ahead
            pending.extend(backwards)
        pending.append(~strand)
        if strand in left:
            pending.extend(reversed(left[strand]))
    return order
