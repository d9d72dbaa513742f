"""Graphs that may be slow: a few numbers that say who rests on whom, the file they make, and how to vary them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import NamedTuple

STEP = '"{0}":{{"cost":0,"duration":0,"error":null,"id":"{0}","inputs":{{}},"kind":"think","model_info":{{}},'
STEP += '"outputs":null,"parent_ids":[{1}],"timestamp":0,"tool_info":null}}'
TOP = '{{"cache":{{}},"created_at":1.0,"format_version":2,"graph":{{"order":[{0}],"steps":{{{1}}}}},"manifest":{{}},'
TOP += '"metadata":{{}},"policies":{{}},"refs":{{}},"run_id":"slow","status":"completed","transcript":[]}}'
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Shape(NamedTuple):
    """A kind of graph and three numbers; what they mean is up to the kind."""

    kind: str
    one: int
    two: int
    three: int

    def parents(self, count: int) -> list[list[int]]:
        """The parents of each of `count` steps, all of them earlier."""
        return KINDS[self.kind](count, max(self.one, 1), max(self.two, 1), max(self.three, 1))


def _strides(count: int, one: int, two: int, three: int) -> list[list[int]]:
    backs = (1, one + 1, one + two + 2, one + two + three + 3)
    return [sorted({node - back for back in backs if node >= back}, reverse=True) for node in range(count)]


def _layers(count: int, width: int, most: int, gap: int) -> list[list[int]]:
    """Layers; each step rests on `most` of the layer above, and every `gap`-th on the first step, too."""
    made = []
    for node in range(count):
        above = (node // width - 1) * width
        own = [above + (node + number) % width for number in range(min(most, width))] if above >= 0 else []
        made.append(sorted({*own, *([0] if node and node % gap == 0 else [])}))
    return made


def _window(count: int, size: int, every: int, _three: int) -> list[list[int]]:
    return [list(range(max(0, node - size), node, every)) if node % every == 0 else [node - 1] for node in range(count)]


def _roots_and_tips(count: int, roots: int, most: int, _three: int) -> list[list[int]]:
    roots = min(roots, count)
    return [
        [] if node < roots else [(node + number) % roots for number in range(min(most, roots))] for node in range(count)
    ]


def _reversed(count: int, share: int, links: int, _three: int) -> list[list[int]]:
    """A chain, whose later steps also rest on earlier ones, the later the earlier."""
    half = max(1, count * (share % 9 + 1) // 10)
    made = []
    for node in range(count):
        back = [count - 1 - node - number for number in range(links) if 0 <= count - 1 - node - number < half]
        made.append(sorted({*([node - 1] if node else []), *(back if node >= half else [])}))
    return made


def _random(count: int, most: int, window: int, seed: int) -> list[list[int]]:
    random = Random(seed)
    return [
        sorted({random.randrange(max(0, node - window), node) for _ in range(random.randrange(most) + 1)})
        if node
        else []
        for node in range(count)
    ]


def _chains(count: int, chains: int, every: int, reach: int) -> list[list[int]]:
    """Chains side by side; every so often a step also rests on one of another chain."""
    made = []
    for node in range(count):
        own = [node - chains] if node >= chains else []
        if node % every == 0 and node > reach:
            own.append(node - reach)
        made.append(sorted(set(own)))
    return made


def _fans(count: int, width: int, links: int, _three: int) -> list[list[int]]:
    """Fans that are joined, one after the other; a join rests on so many of its fan, and on earlier joins."""
    made: list[list[int]] = []
    for node in range(count):
        place, begin = node % (width + 2), node - node % (width + 2)
        if place == 0:
            made.append([begin - 1] if begin else [])
        elif place <= width:
            made.append([begin])
        else:
            earlier = range(begin - 1, max(0, begin - 1 - links * (width + 2)), -(width + 2))
            made.append(sorted({*range(begin + 1, begin + 1 + width), *earlier}))
    return made


def _tree(count: int, width: int, links: int, seed: int) -> list[list[int]]:
    """A tree, whose leaves are joined by steps that rest on leaves far apart."""
    random = Random(seed)
    inner = count * 2 // 3
    made = [[(node - 1) // (width + 1)] if node else [] for node in range(inner)]
    made += [sorted({random.randrange(max(inner, 1)) for _ in range(links + 1)}) for _ in range(count - inner)]
    return made


KINDS: dict[str, Callable[[int, int, int, int], list[list[int]]]] = {
    "strides": _strides,
    "layers": _layers,
    "window": _window,
    "roots and tips": _roots_and_tips,
    "reversed": _reversed,
    "random": _random,
    "chains": _chains,
    "fans": _fans,
    "tree": _tree,
}
SEEDS = (
    Shape("roots and tips", 20, 20, 1),
    Shape("roots and tips", 40, 40, 1),
    Shape("window", 480, 1, 1),
    Shape("strides", 59, 439, 10**9),
    Shape("layers", 10, 10, 10**9),
    Shape("layers", 40, 40, 7),
    Shape("reversed", 5, 1, 1),
    Shape("random", 3, 10**9, 1),
    Shape("random", 2, 50, 1),
    Shape("chains", 30, 3, 401),
    Shape("fans", 100, 3, 1),
    Shape("tree", 2, 2, 1),
)


def varied(shape: Shape, random: Random) -> Shape:
    """A shape near another one, or far from it."""
    numbers = list(shape[1:])
    for place in range(3):
        if random.random() < 0.6:
            number = numbers[place]
            numbers[place] = random.choice(
                (
                    number + 1,
                    max(1, number - 1),
                    number * 2,
                    max(1, number // 2),
                    random.randrange(1, 4000),
                    int(number * 1.2) + 1,
                )
            )
    kind = random.choice(list(KINDS)) if random.random() < 0.15 else shape.kind
    return Shape(kind, *(min(number, 10**9) for number in numbers))


def identity(number: int) -> str:
    """The shortest ids there can be: a file of many links is as small as possible."""
    text = ""
    while True:
        number, digit = divmod(number, len(_DIGITS))
        text = _DIGITS[digit] + text
        if not number:
            return text
        number -= 1


def file_of(shape: Shape, size: int) -> bytes:
    """A file of about so many bytes."""
    low, high = 1, size // 100
    while low < high:  # its size grows with the steps
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size_of(shape.parents(middle)) <= size else (low, middle - 1)
    parents = shape.parents(low)
    names = [identity(number) for number in range(len(parents))]
    steps = [
        STEP.format(name, ",".join(f'"{names[parent]}"' for parent in own))
        for name, own in zip(names, parents, strict=True)
    ]
    return TOP.format(",".join(f'"{name}"' for name in names), ",".join(steps)).encode()


def size_of(parents: list[list[int]]) -> int:
    """About how many bytes the file of such a graph has."""
    return 200 + 160 * len(parents) + 6 * sum(map(len, parents))
