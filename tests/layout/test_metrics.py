"""The metrics are trusted only because they see what is wrong in pictures known to be wrong."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from bench.layout_families import FAMILIES, random_graph
from bench.layout_metrics import (
    bends,
    chain_straight_percent,
    change,
    crossings,
    crossings_by_pairs,
    hits,
    main_bends,
    overlaps,
    picture_of,
    straight_picture,
)
from opentine_gui.layout import LayoutRequest, lay_out
from tests.layout.sketch import graph


@pytest.mark.parametrize("name", ["subagents", "mergeback", "crossmerge", "evolve", "mixed"])
def test_networkx_own_layers_cross(name: str) -> None:
    run = FAMILIES[name](300, 1)
    for layer, generation in enumerate(nx.topological_generations(run)):
        for node in generation:
            run.nodes[node]["layer"] = layer
    spots = nx.multipartite_layout(run, subset_key="layer", align="horizontal", scale=1)
    layers = np.array([run.nodes[node]["layer"] for node in run])
    centers = np.array([[spots[node][0] * 5000, 120.0 * layer] for node, layer in zip(run, layers, strict=True)])
    assert crossings(straight_picture(run, centers, 220, 80)) > 0


def test_two_swapped_lanes_cross_more_than_before() -> None:
    # a        a
    # b p  ->  b q   with q forked off b: its edge now crosses nothing, but p's crosses q
    # c q ..
    run = graph("a b<a c<b d<c e<d p<a q<p r<q s<r v<b w<v x<w")
    layout = lay_out(LayoutRequest(run, main="e"))
    before = straight_picture(run, layout.centers, 220, 80)
    swapped = layout.centers.copy()
    for node in "pqrs":
        swapped[layout.index[node], 0] = layout.position("v")[0]
    for node in "vwx":
        swapped[layout.index[node], 0] = layout.position("p")[0] + 260 * (layout.position("p")[0] >= 0)
    if layout.position("p")[0] * layout.position("v")[0] < 0:  # on two sides: bring v outside p
        for node in "vwx":
            swapped[layout.index[node], 0] = layout.position("p")[0] + np.sign(layout.position("p")[0]) * 260
        for node in "pqrs":
            swapped[layout.index[node], 0] = layout.position("p")[0]
    assert crossings(before) == 0
    assert crossings(replace(before, polylines=straight_picture(run, swapped, 220, 80).polylines)) > 0


def test_one_shifted_card_overlaps_and_is_hit() -> None:
    run = graph("a b<a c<b d<b e<d")
    layout = lay_out(LayoutRequest(run, main="c"))
    picture = picture_of(run, layout)
    assert (overlaps(picture), hits(picture)) == (0, 0)
    shifted = picture.centers.copy()
    shifted[layout.index["d"]] = shifted[layout.index["c"]] + [30, -10]
    assert overlaps(replace(picture, centers=shifted)) == 1
    assert hits(replace(picture, centers=shifted)) == 1


def test_a_bent_line_is_seen() -> None:
    run = graph("a b<a c<b")
    layout = lay_out(LayoutRequest(run))
    picture = picture_of(run, layout)
    assert (main_bends(picture, "c"), chain_straight_percent(picture), bends(picture)) == (0, 100.0, 0)
    crooked = picture.centers.copy()
    crooked[1, 0] += 5
    bent = replace(
        picture, centers=crooked, polylines=[np.array([[0, 40], [9, 60], [0, 80.0]]), *picture.polylines[1:]]
    )
    assert (main_bends(bent, "c"), chain_straight_percent(bent), bends(bent)) == (2, 0.0, 1)


def test_counting_by_slabs_agrees_with_testing_every_pair() -> None:
    seen = 0
    for seed in range(50):
        run = random_graph(seed)
        layout = lay_out(LayoutRequest(run, search=False))
        uneven = layout.centers + np.column_stack((np.arange(len(run)) * 0.37, np.arange(len(run)) * 0.53))
        for picture in (picture_of(run, layout), straight_picture(run, uneven, 220, 80)):
            by_pairs = crossings_by_pairs(picture)
            assert crossings(picture) == by_pairs
            seen += by_pairs
    assert seen > 1000


def test_change_sees_moves_and_flips_but_no_common_shift() -> None:
    before = np.array([[0.0, 0.0], [260.0, 0.0], [520.0, 0.0], [780.0, 0.0]])
    ranks = np.zeros(4, dtype=np.int32)
    assert change(before, before + np.array([17.0, 3.0]), ranks).moved_percent == 0
    one = before.copy()
    one[3, 0] += 50
    assert (change(before, one, ranks).moved_percent, change(before, one, ranks).flips_percent) == (25.0, 0.0)
    turned = before[[1, 0, 2, 3]]
    assert change(before, turned, ranks).flips_percent > 0
