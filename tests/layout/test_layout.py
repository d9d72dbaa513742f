"""What a layout promises whatever the graph: shapes, errors, pins, directions, cancelling."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random

import networkx as nx
import numpy as np
import pytest

from bench.layout_families import FAMILIES, random_graph
from bench.layout_metrics import overlaps as card_overlaps
from bench.layout_metrics import picture_of
from opentine_gui.layout import (
    Ancestry,
    Direction,
    LayoutCancelled,
    LayoutRequest,
    Spacing,
    extend,
    lay_out,
    write_positions,
)
from opentine_gui.layout.batch.sifting import Axis, cost_at
from tests.layout.sketch import graph


def test_an_empty_graph_gives_an_empty_layout() -> None:
    layout = lay_out(LayoutRequest(nx.DiGraph()))
    assert layout.centers.shape == (0, 2)
    assert layout.edge_points.shape == (0, 2)
    assert layout.edge_offsets.tolist() == [0]
    assert layout.bounds == (0.0, 0.0, 0.0, 0.0)


def test_a_graph_that_grows_from_nothing_can_be_extended() -> None:
    layout = extend(lay_out(LayoutRequest(nx.DiGraph())), graph("a b<a"))
    assert layout.position("b") == (0.0, 120.0)


def test_one_node_is_at_the_origin_and_its_card_is_the_bounds() -> None:
    layout = lay_out(LayoutRequest(graph("a")))
    assert layout.position("a") == (0.0, 0.0)
    assert layout.bounds == (-110.0, -40.0, 110.0, 40.0)


def test_edges_name_parent_and_child_and_run_from_card_to_card() -> None:
    layout = lay_out(LayoutRequest(random_graph(5)))
    assert {tuple(pair) for pair in layout.edges.tolist()} == set(random_graph(5).edges)
    for edge, (parent, child) in enumerate(layout.edges.tolist()):
        line = layout.polyline(edge)
        assert line[0].tolist() == (layout.centers[parent] + [0, 40]).tolist()
        assert line[-1].tolist() == (layout.centers[child] - [0, 40]).tolist()
        assert 2 <= len(line) <= 4
    assert layout.edge_offsets[-1] == len(layout.edge_points)


def test_nodes_keep_the_order_of_the_graph_even_when_a_child_comes_before_its_parent() -> None:
    backwards = nx.DiGraph()
    backwards.add_nodes_from("cba")
    backwards.add_edges_from([("a", "b"), ("b", "c")])
    layout = lay_out(LayoutRequest(backwards, main="c"))
    assert layout.nodes == ("c", "b", "a")
    assert layout.ranks.tolist() == [2, 1, 0]
    assert layout.centers[:, 1].tolist() == [240.0, 120.0, 0.0]
    assert {tuple(pair) for pair in layout.edges.tolist()} == {(2, 1), (1, 0)}


def test_a_cycle_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="has a cycle"):
        lay_out(LayoutRequest(nx.DiGraph([("a", "b"), ("b", "a")])))


def test_a_cycle_among_new_nodes_is_refused_too() -> None:
    before = lay_out(LayoutRequest(graph("a b<a")))
    looped = graph("a b<a c<b")
    looped.add_edges_from([("c", "d"), ("d", "c")])
    with pytest.raises(ValueError, match="has a cycle"):
        extend(before, looped)


def test_a_main_step_that_is_not_in_the_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="no such node"):
        lay_out(LayoutRequest(graph("a"), main="nowhere"))


def test_write_positions_gives_networkx_its_pos() -> None:
    run = graph("a b<a")
    write_positions(run, lay_out(LayoutRequest(run)))
    assert nx.get_node_attributes(run, "pos") == {"a": (0.0, 0.0), "b": (0.0, 120.0)}


def test_laying_out_does_not_change_the_graph() -> None:
    run = random_graph(8)
    before = nx.to_dict_of_dicts(run), dict(run.nodes(data=True))
    lay_out(LayoutRequest(run))
    assert (nx.to_dict_of_dicts(run), dict(run.nodes(data=True))) == before


def test_spacing_is_kept_in_both_directions() -> None:
    spacing = Spacing(node_width=100, node_height=20, column_gap=30, row_gap=7)
    down = lay_out(LayoutRequest(graph("a b<a c<a"), main="b", spacing=spacing))
    assert down.position("c") == (130.0, 27.0)
    across = lay_out(LayoutRequest(graph("a b<a c<a"), main="b", spacing=spacing, direction=Direction.LEFT_TO_RIGHT))
    assert across.position("c") == (130.0, 27.0)
    assert across.position("b") == (130.0, 0.0)


def test_no_two_cards_overlap_from_left_to_right_either() -> None:
    for seed in range(10):
        run = random_graph(seed)
        assert card_overlaps(picture_of(run, lay_out(LayoutRequest(run, direction=Direction.LEFT_TO_RIGHT)))) == 0


def test_turning_the_direction_keeps_order_and_ranks_of_what_stood() -> None:
    run = random_graph(3)
    before = lay_out(LayoutRequest(run))
    turned = lay_out(LayoutRequest(run, previous=before, direction=Direction.LEFT_TO_RIGHT))
    assert turned.ranks.tolist() == before.ranks.tolist()
    for rank in set(before.ranks.tolist()):
        row = np.flatnonzero(before.ranks == rank)
        assert np.argsort(before.centers[row, 0]).tolist() == np.argsort(turned.centers[row, 1]).tolist()


def test_a_pinned_card_sits_exactly_at_its_pin_and_its_edges_reach_it() -> None:
    layout = lay_out(LayoutRequest(graph("a b<a c<b"), pinned={"b": (333.25, -77.5)}))
    assert layout.position("b") == (333.25, -77.5)
    assert layout.polyline(0)[-1].tolist() == [333.25, -117.5]
    assert layout.polyline(1)[0].tolist() == [333.25, -37.5]
    assert layout.bounds[1] == -117.5


def test_a_card_in_the_way_of_a_pin_steps_aside_and_nothing_else_moves() -> None:
    free = lay_out(LayoutRequest(graph("a b<a c<b d<b e<d"), main="c"))
    pinned = lay_out(LayoutRequest(graph("a b<a c<b d<b e<d"), main="c", pinned={"e": (10.0, 250.0)}))
    # c is under the pin: it takes the nearest free place of its rank, left of the pin
    assert pinned.position("c") == (-250.0, 240.0)
    assert [pinned.position(node) for node in "abd"] == [free.position(node) for node in "abd"]


def test_a_pin_from_left_to_right_is_in_screen_pixels_too() -> None:
    layout = lay_out(LayoutRequest(graph("a b<a"), pinned={"b": (500.0, 60.0)}, direction=Direction.LEFT_TO_RIGHT))
    assert layout.position("b") == (500.0, 60.0)


def test_a_pin_of_an_unknown_step_is_ignored() -> None:
    assert lay_out(LayoutRequest(graph("a"), pinned={"gone": (1.0, 1.0)})) == lay_out(LayoutRequest(graph("a")))


def test_a_pin_survives_growth_and_taking_it_out_brings_the_card_home() -> None:
    first = lay_out(LayoutRequest(graph("a b<a"), pinned={"b": (900.0, 5.0)}))
    grown = extend(first, graph("a b<a c<b"), pinned={"b": (900.0, 5.0)})
    assert grown.position("b") == (900.0, 5.0)
    assert extend(grown, graph("a b<a c<b")).position("b") == (0.0, 120.0)


def test_cancelling_ends_the_search_without_a_layout() -> None:
    run = FAMILIES["evolve"](300, 1)
    with pytest.raises(LayoutCancelled):
        lay_out(LayoutRequest(run), cancelled=lambda: True)


def test_progress_rises_and_stays_within_one() -> None:
    told: list[float] = []
    lay_out(LayoutRequest(FAMILIES["evolve"](300, 1)), progress=told.append)
    assert told == sorted(told)
    assert told[0] >= 0.0
    assert told[-1] == 1.0


def test_what_a_place_costs_is_the_same_asked_alone_and_of_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0
    remove = Axis.remove

    def taken(axis: Axis, strand: int) -> None:
        nonlocal compared
        remove(axis, strand)
        steps = axis.cost_steps(strand)
        between = [(left + right) / 2 for left, right in pairwise(axis.sorted) if left < right]
        for at in (axis.sorted[0] - 1.0, *between[:: max(len(between) // 5, 1)], axis.sorted[-1] + 1.0):
            compared += 1
            assert axis.cost(strand, at) == cost_at(at, steps)

    monkeypatch.setattr(Axis, "remove", taken)
    for seed in range(12):
        lay_out(LayoutRequest(random_graph(seed)))
    lay_out(LayoutRequest(FAMILIES["mixed"](100, 1)))
    assert compared > 1000


def test_without_search_the_order_is_the_first_picture_and_crossings_are_still_counted() -> None:
    run = FAMILIES["evolve"](300, 1)
    first = lay_out(LayoutRequest(run, search=False))
    searched = lay_out(LayoutRequest(run))
    assert 0 < searched.crossings < first.crossings


DIGEST = """
import hashlib
from bench.layout_families import FAMILIES, random_graph
from opentine_gui.layout import LayoutRequest, extend, lay_out
digest = hashlib.sha256()
for name, make in FAMILIES.items():
    run = make(200, 3)
    layout = lay_out(LayoutRequest(run.copy(), main=run.graph["main"]))
    run = __import__("networkx").relabel_nodes(run, str)
    named = lay_out(LayoutRequest(run))
    for part in (layout, named):
        digest.update(part.centers.tobytes() + part.edge_points.tobytes() + part.lanes.tobytes())
whole = random_graph(7)
for node in whole:
    whole.nodes[node].clear()
layout = lay_out(LayoutRequest(whole.subgraph(list(whole)[:40]).copy()))
digest.update(extend(layout, whole).centers.tobytes())
print(digest.hexdigest())
"""


def test_the_same_bytes_come_out_under_any_hash_seed() -> None:
    root = Path(__file__).parent.parent.parent
    found = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "99")
    }
    assert len(found) == 1
    assert len(found.pop().strip()) == hashlib.sha256().digest_size * 2


def test_importing_the_room_does_not_import_networkx() -> None:
    script = "import sys, opentine_gui.layout; print('networkx' in sys.modules)"
    root = Path(__file__).parent.parent.parent
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("doubled", [(0, 0), (0, 0, 0), (0, 1, 0), (1, 0, 1)])
def test_a_parent_that_is_named_twice_is_linked_once(doubled: tuple[int, ...]) -> None:
    nodes, parents = ["a", "b", "c", "d"], [(), (0,), doubled, (2,)]
    layout = lay_out(LayoutRequest(Ancestry(nodes, parents)))
    once = lay_out(LayoutRequest(Ancestry(nodes, [(), (0,), tuple(dict.fromkeys(doubled)), (2,)])))
    assert layout.edges.tolist() == once.edges.tolist()
    assert layout.centers.tolist() == once.centers.tolist()
    grown = LayoutRequest(Ancestry([*nodes, "e"], [*parents, (3, 3)]), previous=layout)
    assert len(lay_out(grown).edges) == len(layout.edges) + 1


@pytest.mark.parametrize("join", [(2, 3, 4), (3, 2, 4), (3, 4, 2)])
def test_calls_may_begin_inside_a_call_that_the_lane_is_led_away_from(join: tuple[int, ...]) -> None:
    """Looked for on the lane that is left, the beginning of these calls was never met."""
    parents = [(), (0,), (1,), (0,), (0,), join, (1,), (1,), (5, 6, 7), (8,)]
    layout = lay_out(LayoutRequest(Ancestry(range(10), parents)))
    run = graph_of(parents)
    assert card_overlaps(picture_of(run, layout)) == 0


@pytest.mark.parametrize("seed", range(200))
def test_calls_inside_calls_are_laid_out_soundly(seed: int) -> None:
    parents = calls_inside_calls(Random(seed))
    layout = lay_out(LayoutRequest(Ancestry(range(len(parents)), parents)))
    assert card_overlaps(picture_of(graph_of(parents), layout)) == 0


def calls_inside_calls(random: Random) -> list[tuple[int, ...]]:
    """Parents of a graph in which calls fork at any recent step, join, and join again with what is elsewhere."""
    parents: list[tuple[int, ...]] = [()]
    ends = [0]
    for _ in range(random.randrange(1, 6)):
        fork, heads = random.choice(ends[-4:]), []
        for _ in range(random.randrange(2, 6)):
            parents.append((fork,))
            for _ in range(random.choice([0, 0, 0, 1, 2])):
                parents.append((len(parents) - 1,))
            heads.append(len(parents) - 1)
        ends += heads
        if random.random() < 0.8:
            joined = [head for head in heads if random.random() < 0.9] or heads
            joined += [random.choice(ends)] if random.random() < 0.3 else []
            parents.append(tuple(dict.fromkeys(random.sample(joined, len(joined)))))
            ends.append(len(parents) - 1)
    return parents


def graph_of(parents: Sequence[tuple[int, ...]]) -> nx.DiGraph[int]:
    run: nx.DiGraph[int] = nx.DiGraph()
    run.add_nodes_from(range(len(parents)))
    run.add_edges_from((parent, node) for node, above in enumerate(parents) for parent in above)
    return run


@pytest.mark.parametrize("last", [(4, 5), (4, 5, 6)])
def test_a_call_that_the_lane_is_led_away_from_may_begin_calls_of_its_own(last: tuple[int, ...]) -> None:
    parents = [(), (0,), (0,), (0,), (3, 1, 2), (3,), (3,), last]
    layout = lay_out(LayoutRequest(Ancestry(range(8), parents)))
    assert card_overlaps(picture_of(graph_of(parents), layout)) == 0
    assert list(layout.centers[[1, 2, 3], 0]) == sorted(layout.centers[[1, 2, 3], 0])
