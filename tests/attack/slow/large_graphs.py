"""Lays out the graphs of files of 100 MB, whatever rests on what in them."""

from __future__ import annotations

import time
from random import Random

from opentine_gui.layout import Ancestry, LayoutRequest, lay_out
from opentine_gui.scene.space.scene_index import SceneIndex
from tests.attack.campaign import Attack, Campaign, slowness
from tests.attack.slow.graphs import SEEDS, Shape, size_of, varied

SIZE, MOST_LINKS = 100_000_000, 15_000_000
"""Bytes of the files; and the most links that a reader accepts in one file."""
KNOWN = (Shape("random", 960, 10**9, 1), Shape("random", 80, 10**9, 1), *SEEDS)
BOUND = 5.0
"""Seconds of CPU from a graph to a picture whose cards and links can be found."""
STEPS_OF_A_MEGABYTE = 5_800
HALVINGS = 3
"""Halvings of the last step when the number of steps that fill a file is looked for: within a sixteenth of it."""
TIMES = 2


def run(campaign: Campaign) -> None:
    """Measure the known shapes, then others near them."""
    random = Random(campaign.seed)
    for number in campaign.numbers():
        shape = KNOWN[number] if number < len(KNOWN) else varied(random.choice(KNOWN), random)
        parents = parents_of(shape)
        links = sum(map(len, parents))
        before = slowness()
        spent = min(laid_out(parents) for _ in range(TIMES)) / max(before, slowness())
        what = f"{len(parents):,} steps, {links:,} links, {shape}"
        campaign.measured(spent, f"s of CPU at most, for {what}")
        if spent > BOUND:
            campaign.found(f"the layout takes {spent:.2f} s of CPU: {what}")


def laid_out(parents: list[tuple[int, ...]]) -> float:
    """CPU seconds until a graph has a picture and its index."""
    began = time.process_time()
    SceneIndex(lay_out(LayoutRequest(Ancestry(range(len(parents)), parents))))
    return time.process_time() - began


def parents_of(shape: Shape, size: int = SIZE, most_links: int = MOST_LINKS) -> list[tuple[int, ...]]:
    """The parents of each step of the largest graph of this shape, or nearly so, that a file of this size can hold."""

    def fits(count: int) -> bool:
        parents = shape.parents(count)
        return size_of(parents) <= size and sum(map(len, parents)) <= most_links

    low = 1
    step = min(STEPS_OF_A_MEGABYTE, size // 400)
    while fits(low + step):
        low, step = low + step, 2 * step
    for _ in range(HALVINGS):
        step //= 2
        low = low + step if fits(low + step) else low
    numbers = list(range(low))  # one object for each number, not one for each link
    return [tuple(numbers[parent] for parent in own) for own in shape.parents(low)]


ATTACK = Attack(
    "large graphs",
    "the graph of a file of 100 MB is laid out, a card for each step, within 5 s of CPU, whatever rests on what",
    run,
    0.0,
    60,
)
