"""Ten families of synthetic run graphs, made from (steps, seed) alone, to test and measure the layout on.

Every graph is a networkx DiGraph whose node order is creation order and whose first predecessor is the primary parent;
`graph.graph["main"]` names the step the main line ends at.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import networkx as nx

FORESTS = ("chain", "family", "sweep", "forktree")
PLANAR = ("tools", "subagents")
TANGLED = ("mergeback", "crossmerge", "evolve", "mixed")


class _Growth:
    """A graph being grown, step by step."""

    def __init__(self, size: int, seed: int) -> None:
        self.size = size
        self.draw = random.Random(seed)
        self.parents: list[tuple[int, ...]] = []

    def full(self) -> bool:
        return len(self.parents) >= self.size

    def add(self, *parents: int) -> int:
        self.parents.append(tuple(dict.fromkeys(parents)))
        return len(self.parents) - 1

    def finish(self, main: int) -> nx.DiGraph[Any]:
        graph: nx.DiGraph[Any] = nx.DiGraph(main=main)
        graph.add_nodes_from(range(len(self.parents)))
        graph.add_edges_from((parent, child) for child, above in enumerate(self.parents) for parent in above)
        return graph


def _width(draw: random.Random) -> int:
    return min(50, max(2, int(2 * draw.paretovariate(1.2))))


def chain(size: int, seed: int) -> nx.DiGraph[Any]:
    """One run without forks."""
    growth = _Growth(size, seed)
    tip = growth.add()
    while not growth.full():
        tip = growth.add(tip)
    return growth.finish(tip)


def family(size: int, seed: int) -> nx.DiGraph[Any]:
    """A long main run and 2 to 200 runs forked off it (80 %) or off each other."""
    growth = _Growth(size, seed)
    draw = growth.draw
    tip = growth.add()
    length = max(2, min(2000, size // 5))
    for _ in range(length - 1):
        tip = growth.add(tip)
    forks = draw.randint(2, min(200, max(3, size // 20)))
    rest = max(1, (size - length) // forks)
    while not growth.full():
        upper = length if draw.random() < 0.8 else len(growth.parents)
        head = draw.randrange(upper)
        for _ in range(max(1, int(rest * draw.uniform(0.4, 1.6)))):
            if growth.full():
                break
            head = growth.add(head)
    return growth.finish(tip)


def sweep(size: int, seed: int) -> nx.DiGraph[Any]:
    """A prefix of ten steps and 5 to 200 runs forked at the same step, of lognormal lengths."""
    growth = _Growth(size, seed)
    draw = growth.draw
    fork = growth.add()
    for _ in range(9):
        fork = growth.add(fork)
    runs = draw.randint(5, min(200, max(6, size // 12)))
    mean = max(1.0, (size - 10) / runs)
    main = fork
    while not growth.full():
        head = fork
        for _ in range(max(1, int(mean * draw.lognormvariate(-0.2, 0.6)))):
            if growth.full():
                break
            head = growth.add(head)
        main = head if main == fork else main
    return growth.finish(main)


def forktree(size: int, seed: int) -> nx.DiGraph[Any]:
    """Recursive forks off recent steps (6 %), at most 16 live heads; younger heads grow more often."""
    growth = _Growth(size, seed)
    draw = growth.draw
    heads = [growth.add()]
    while not growth.full():
        if draw.random() < 0.06:
            count = len(growth.parents)
            heads.append(growth.add(count - 1 - min(count - 1, int(draw.expovariate(1 / 30)))))
            heads = heads[-16:]
        else:
            place = len(heads) - 1 - min(len(heads) - 1, int(draw.expovariate(0.8)))
            heads[place] = growth.add(heads[place])
    return growth.finish(heads[0])


def tools(size: int, seed: int) -> nx.DiGraph[Any]:
    """A main chain with turns of parallel calls, 2 to 50 wide (Pareto 1.2), one to three steps each, joined again."""
    growth = _Growth(size, seed)
    draw = growth.draw
    tip = growth.add()
    while not growth.full():
        for _ in range(draw.randint(2, 12)):
            tip = growth.add(tip)
        ends = []
        for _ in range(_width(draw)):
            end = tip
            for _ in range(draw.randint(1, 3)):
                end = growth.add(end)
            ends.append(end)
        tip = growth.add(*ends)
    return growth.finish(tip)


def subagents(size: int, seed: int) -> nx.DiGraph[Any]:
    """Nested fan-out and fan-in, at most three deep."""
    growth = _Growth(size, seed)
    draw = growth.draw

    def run(tip: int, depth: int) -> int:
        for _ in range(draw.randint(1, 4)):
            tip = growth.add(tip)
            if depth < 3 and draw.random() < 0.45 and not growth.full():
                tip = growth.add(*[run(tip, depth + 1) for _ in range(draw.randint(2, 6))])
        return tip

    tip = growth.add()
    while not growth.full():
        tip = run(tip, 0)
    return growth.finish(tip)


def mergeback(size: int, seed: int) -> nx.DiGraph[Any]:
    """Short branches off main or off each other, merged back to main."""
    growth = _Growth(size, seed)
    draw = growth.draw
    tip = growth.add()
    branches: list[list[int]] = []  # [head, steps to go]
    while not growth.full():
        chance = draw.random()
        if chance < 0.08 and len(branches) < 6:
            start = tip if not branches or draw.random() < 0.7 else draw.choice(branches)[0]
            branches.append([growth.add(start), draw.randint(1, 12)])
        elif branches and chance < 0.6:
            branch = draw.choice(branches)
            if branch[1] > 0:
                branch[0] = growth.add(branch[0])
                branch[1] -= 1
            else:
                branches.remove(branch)
                tip = growth.add(tip, branch[0])
        else:
            tip = growth.add(tip)
    return growth.finish(tip)


def crossmerge(size: int, seed: int) -> nx.DiGraph[Any]:
    """Forked runs of which one or two in a hundred steps merge another run's head."""
    growth = _Growth(size, seed)
    draw = growth.draw
    heads = [growth.add()]
    while not growth.full():
        chance = draw.random()
        place = draw.randrange(len(heads))
        if chance < 0.02:
            count = len(growth.parents)
            heads.append(growth.add(count - 1 - min(count - 1, int(draw.expovariate(1 / 40)))))
            heads = heads[:1] + heads[-7:]
        elif chance < 0.035 and len(heads) > 1:
            other = draw.choice([head for number, head in enumerate(heads) if number != place])
            heads[place] = growth.add(heads[place], other)
        else:
            heads[place] = growth.add(heads[place])
    return growth.finish(heads[0])


def evolve(size: int, seed: int) -> nx.DiGraph[Any]:
    """Generations of 20 with 8 elites; three in ten children have two parents."""
    growth = _Growth(size, seed)
    draw = growth.draw
    root = growth.add()
    population = [growth.add(root) for _ in range(min(20, size - 1))]
    while not growth.full():
        elites = sorted(draw.sample(population, min(8, len(population))))
        born: list[int] = []
        while len(born) < 20 and not growth.full():
            primary = draw.choice(elites)
            if draw.random() < 0.3 and len(elites) > 1:
                born.append(growth.add(primary, draw.choice([elite for elite in elites if elite != primary])))
            else:
                born.append(growth.add(primary))
        population = born or population
    return growth.finish(population[-1])


def mixed(size: int, seed: int) -> nx.DiGraph[Any]:
    """Several roots, forks, tool turns, failed calls, best-of-k turns and merges across runs."""
    growth = _Growth(size, seed)
    draw = growth.draw
    heads = [growth.add() for _ in range(1 + max(1, int(math.log10(max(10, size)))))]
    while not growth.full():
        chance = draw.random()
        place = draw.randrange(len(heads))
        tip = heads[place]
        if chance < 0.82:
            heads[place] = growth.add(tip)
        elif chance < 0.88:  # parallel calls, some of which fail and are not joined
            calls = [growth.add(tip) for _ in range(min(8, _width(draw)))]
            joined = [call for number, call in enumerate(calls) if number == 0 or draw.random() < 0.9]
            heads[place] = growth.add(*joined)
        elif chance < 0.92:  # best of k: one continues
            attempts = [growth.add(tip) for _ in range(draw.randint(2, 4))]
            heads[place] = draw.choice(attempts)
        elif chance < 0.96:
            count = len(growth.parents)
            heads.append(growth.add(count - 1 - min(count - 1, int(draw.expovariate(1 / 50)))))
            heads = heads[:1] + heads[-5:]
        elif chance < 0.98:
            other = draw.choice([head for number, head in enumerate(heads) if number != place])
            heads[place] = growth.add(tip, other)
    return growth.finish(heads[0])


FAMILIES: dict[str, Callable[[int, int], nx.DiGraph[Any]]] = {
    make.__name__: make
    for make in (chain, family, sweep, forktree, tools, subagents, mergeback, crossmerge, evolve, mixed)
}


def random_graph(seed: int) -> nx.DiGraph[Any]:
    """A small irregular graph: 2 to 160 nodes, 2 to 40 % forks, up to five parents, extra roots, any main tip."""
    draw = random.Random(seed)
    growth = _Growth(draw.randint(2, 160), seed)
    forks, merges = draw.uniform(0.02, 0.4), draw.uniform(0.0, 0.3)
    growth.add()
    while not growth.full():
        count = len(growth.parents)
        chance = draw.random()
        if chance < 0.02:
            growth.add()
        elif chance < 0.02 + forks:
            growth.add(draw.randrange(count))
        elif chance < 0.02 + forks + merges:
            growth.add(count - 1, *(draw.randrange(count) for _ in range(draw.randint(1, 4))))
        else:
            growth.add(max(0, count - draw.randint(1, 4)))
    return growth.finish(draw.randrange(len(growth.parents)))
