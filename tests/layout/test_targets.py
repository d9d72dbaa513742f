"""The picture is good on ten families of runs: crossings, overlaps, straightness, size, against dot's stored numbers.

dot's numbers were made once (bench/layout_reference.py); the graphs are made anew from their seeds, and pinned.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from bench.layout_families import FAMILIES, FORESTS, PLANAR, random_graph
from bench.layout_metrics import (
    Picture,
    area,
    chain_straight_percent,
    crossings,
    hits,
    main_bends,
    mean_edge_length,
    overlaps,
    picture_of,
)
from bench.layout_reference import key, shape
from opentine_gui.layout import Layout, LayoutRequest, lay_out
from tests.growth import control_text, excess

REFERENCE = json.loads((Path(__file__).parent.parent / "data" / "layout_reference.json").read_text("utf-8"))
SEEDS = {100: range(1, 9), 1000: range(1, 7)}


@cache
def drawn(name: str, size: int, seed: int) -> tuple[nx.DiGraph[Any], Layout, Picture]:
    run = FAMILIES[name](size, seed)
    layout = lay_out(LayoutRequest(run, main=run.graph["main"]))
    return run, layout, picture_of(run, layout)


def dot(name: str, size: int, seed: int) -> dict[str, Any]:
    return REFERENCE["instances"][key(name, size, seed)]["dot"]


def is_sound(run: nx.DiGraph[Any], layout: Layout, picture: Picture) -> None:
    """Assert what holds for every picture."""
    assert overlaps(picture) == 0
    assert hits(picture) == 0
    assert chain_straight_percent(picture) == 100.0
    assert (layout.centers[layout.lanes == 0, 0] == 0).all()
    ends = layout.ranks[layout.edges]
    assert (ends[:, 0] < ends[:, 1]).all()


@pytest.mark.parametrize("size", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_no_overlap_no_card_run_through_and_all_lines_straight(name: str, size: int) -> None:
    for seed in SEEDS[size]:
        is_sound(*drawn(name, size, seed))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_first_picture_without_search_is_as_sound(name: str) -> None:
    run = FAMILIES[name](400, 11)
    layout = lay_out(LayoutRequest(run, search=False))
    is_sound(run, layout, picture_of(run, layout))


@pytest.mark.parametrize("size", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_crossings_told_are_the_crossings_drawn(name: str, size: int) -> None:
    for seed in SEEDS[size]:
        _, layout, picture = drawn(name, size, seed)
        assert layout.crossings == crossings(picture)


@pytest.mark.parametrize("size", SEEDS)
@pytest.mark.parametrize("name", FORESTS + PLANAR)
def test_forests_and_nested_calls_have_no_crossing(name: str, size: int) -> None:
    assert [drawn(name, size, seed)[1].crossings for seed in SEEDS[size]] == [0] * len(SEEDS[size])


@pytest.mark.parametrize("name", FORESTS)
def test_forests_of_ten_thousand_steps_are_perfect_and_no_larger_than_dots(name: str) -> None:
    run, layout, picture = drawn(name, 10_000, 1)
    is_sound(run, layout, picture)
    assert layout.crossings == crossings(picture) == 0
    assert area(picture) <= 1.001 * dot(name, 10_000, 1)["area"]  # dot rounds to points


@pytest.mark.parametrize("size", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_crosses_no_more_than_dot_finds(name: str, size: int) -> None:
    ours = [drawn(name, size, seed)[1].crossings for seed in SEEDS[size]]
    theirs = [dot(name, size, seed)["crossings"] for seed in SEEDS[size]]
    assert sum(ours) <= sum(theirs) + (size == 100)


def test_no_instance_crosses_more_than_once_beyond_what_dot_finds() -> None:
    instances = [(name, size, seed) for name in FAMILIES for size, seeds in SEEDS.items() for seed in seeds]
    assert len(instances) == 140
    assert [one for one in instances if drawn(*one)[1].crossings > dot(*one)["crossings"] + 1] == []


def test_tangled_runs_cross_at_least_five_per_cent_less_than_dot_finds() -> None:
    instances = [(name, 1000, seed) for name in ("mergeback", "crossmerge", "evolve") for seed in SEEDS[1000]]
    assert sum(drawn(*one)[1].crossings for one in instances) <= 0.95 * sum(dot(*one)["crossings"] for one in instances)


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - set(PLANAR) - {"mixed"}))
def test_the_first_parent_path_of_main_is_straight(name: str) -> None:
    for seed in SEEDS[1000]:
        run, _, picture = drawn(name, 1000, seed)
        assert main_bends(picture, run.graph["main"]) == 0


@pytest.mark.parametrize("name", FAMILIES)
def test_pictures_are_not_much_larger_and_edges_not_much_longer_than_dots(name: str) -> None:
    forest = name in FORESTS
    for seed in SEEDS[1000]:
        _, _, picture = drawn(name, 1000, seed)
        assert area(picture) <= (1.6 if forest else 2.5) * dot(name, 1000, seed)["area"]
    lengths = [mean_edge_length(drawn(name, 1000, seed)[2]) for seed in SEEDS[1000]]
    theirs = [dot(name, 1000, seed)["mean_edge_length"] for seed in SEEDS[1000]]
    assert sum(lengths) <= (1.5 if forest else 2.3) * sum(theirs)


@pytest.mark.parametrize("size", SEEDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_the_graphs_are_those_dot_was_asked_about(name: str, size: int) -> None:
    for seed in SEEDS[size]:
        stored = REFERENCE["instances"][key(name, size, seed)]
        assert shape(drawn(name, size, seed)[0]) == {
            part: stored[part] for part in ("nodes", "edges", "layers", "widest")
        }


def test_odd_graphs_are_sound_too() -> None:
    for seed in range(60):
        run = random_graph(seed)
        layout = lay_out(LayoutRequest(run, main=run.graph["main"]))
        picture = picture_of(run, layout)
        is_sound(run, layout, picture)
        assert layout.crossings == crossings(picture)


def test_a_second_run_gives_the_same_layout() -> None:
    for name in FAMILIES:
        run, layout, _ = drawn(name, 100, 1)
        again = lay_out(LayoutRequest(run, main=run.graph["main"]))
        assert again == layout
        assert np.array_equal(again.edge_points, layout.edge_points)


@pytest.mark.serial  # beside others less of the processor's caches is left to the work than to the control
@pytest.mark.parametrize("name", FORESTS)
def test_ten_times_the_steps_take_at_most_fifteen_times_the_time(name: str) -> None:
    few, many = 10_000, 100_000
    small, large = (LayoutRequest(FAMILIES[name](steps, 1)) for steps in (few, many))
    lay_out(small)  # the first one of a process takes up to three times as long
    assert not excess(lambda: lay_out(small), lambda: lay_out(large), (control_text(few), control_text(many)))
