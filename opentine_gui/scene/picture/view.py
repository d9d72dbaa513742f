"""The input of a picture of the graph, and the projection of world points into it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Point, Primitive
from opentine_gui.scene.space.camera import Bounds
from opentine_gui.scene.space.scene_index import Indices, SceneIndex
from opentine_gui.scene.theme import Theme

if TYPE_CHECKING:
    from opentine_gui.layout import Layout
    from opentine_gui.scene.text.font_metrics import FontMetrics

ORIGIN_STEP = 65_536.0


class Carried:
    """The cards of a drag: `cards` ascending, `inner` links between two of them, `pulled` links to other cards.

    Compared by identity, because arrays have no plain equality: a picture asks whether it was drawn with this one.
    """

    __slots__ = ("cards", "inner", "pulled")

    def __init__(self, cards: Indices, inner: Indices, pulled: Indices) -> None:
        self.cards, self.inner, self.pulled = cards, inner, pulled


def carry(layout: Layout, cards: frozenset[int]) -> Carried:
    """Return some cards of a layout and the links at them, to be dragged. Looks at all links."""
    chosen = np.sort(np.fromiter(cards, dtype=np.int64, count=len(cards)))
    held = np.zeros(len(layout.centers), dtype=bool)
    held[chosen] = True
    sources, targets = held[layout.edges[:, 0]], held[layout.edges[:, 1]]
    return Carried(chosen, np.flatnonzero(sources & targets), np.flatnonzero(sources ^ targets))


class OpenGroup(NamedTuple):
    """An open group of a folded run: the world rectangle around its cards, its title and its number of steps."""

    bounds: Bounds
    title: str
    steps: int


class DrawnCards:
    """A cache of drawn cards, so that a picture of the same place only draws the cards that look different now.

    Valid for one zoom, theme, card size and set of metrics; hovered cards are not cached. Cards are known by their
    nodes in the layout, which stay when groups open and a run grows.
    """

    CAPACITY = 2_000

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[Hashable, tuple[Primitive, ...]]] = {}

    def get(self, card: Hashable, looks: Hashable) -> tuple[Primitive, ...] | None:
        """Return the primitives of a card if it was last drawn with these looks, else None."""
        kept = self._kept.get(card)
        return kept[1] if kept is not None and kept[0] == looks else None

    def keep(self, card: Hashable, looks: Hashable, drawn: tuple[Primitive, ...]) -> None:
        """Store the primitives of a card."""
        if len(self._kept) >= self.CAPACITY:
            self._kept.clear()
        self._kept[card] = (looks, drawn)


@dataclass(frozen=True, eq=False)
class SceneView:
    """Everything a picture of the graph depends on. `rect` is the world rectangle to build, margin included.

    `kinds` (n,) uint8 are indices into `theme.STEP_ROLES`; `failures` are ascending indices of failing steps;
    `carried` cards are being dragged; `reasons` say why a dimmed card cannot be chosen, which is shown while it is
    hovered. `lit` (n,) has a 1 for every step that was searched for and found. `drawn` caches the cards. `level` is
    given where it depends on more than what is in `rect`.

    Where several runs are shown at once, `step_roles` (n,) and `link_roles` (m,) uint8 are indices into the theme roles
    of `palette` and of `link_palette`: links, and steps seen from afar, have the colour of their run instead of that of
    their kind. Under a heat steps have its colours, and links still those of their runs.
    `strands` returns the roles of the runs that share a link, which are drawn side by side; () draws one line.
    `frames` are the open groups of a folded run, outer ones first. `late` are links drawn dashed: what they bring was
    not waited for.
    """

    faces: Callable[[int], CardFace]
    layout: Layout
    index: SceneIndex
    zoom: float
    rect: Bounds
    theme: Theme
    metrics: FontMetrics
    kinds: NDArray[np.uint8] | None = None
    failures: NDArray[np.int64] | None = None
    palette: Sequence[str] = ()
    step_roles: NDArray[np.uint8] | None = None
    link_palette: Sequence[str] = ()
    link_roles: NDArray[np.uint8] | None = None
    strands: Callable[[int], Sequence[str]] | None = None
    selection: frozenset[int] = frozenset()
    lit: NDArray[np.uint8] | None = None
    hovered: int | None = None
    dimmed: frozenset[int] | None = None
    reasons: Mapping[int, str] = field(default_factory=dict)
    carried: Carried | None = None
    drawn: DrawnCards | None = None
    level: Level | None = None
    frames: Sequence[OpenGroup] = ()
    late: frozenset[int] = frozenset()


def build_origin(rect: Bounds, zoom: float) -> Point:
    """Return the draw list's origin in pixels: whole steps towards the rectangle, (0, 0) near the world's origin."""
    x, y = (rect[0] + rect[2]) / 2 * zoom, (rect[1] + rect[3]) / 2 * zoom
    return (int(x / ORIGIN_STEP) * ORIGIN_STEP, int(y / ORIGIN_STEP) * ORIGIN_STEP)


class Projection:
    """Maps world points to pixels of a draw list: pixel = world * zoom - origin."""

    def __init__(self, view: SceneView) -> None:
        self.layout, self.zoom, self.card = view.layout, view.zoom, view.index.node_size
        self.origin = build_origin(view.rect, view.zoom)
        self.sideways = view.layout.direction.value == "left-to-right"

    def pixel(self, x: float, y: float) -> Point:
        """Return the pixel of a world point."""
        return (x * self.zoom - self.origin[0], y * self.zoom - self.origin[1])

    def corners(self, indices: Indices) -> list[list[float]]:
        """Return the top left corners of cards, in whole pixels."""
        half = np.array(self.card) / 2
        centers = self.layout.centers[indices]
        corners: list[list[float]] = np.rint((centers - half) * self.zoom - np.array(self.origin)).tolist()
        return corners

    def leaving(self, index: int, offset: Point = (0.0, 0.0)) -> Point:
        """Return where links leave a card that is `offset` world units away from its place."""
        x, y = self.layout.centers[index].tolist()
        return self.beside(x + offset[0], y + offset[1], 0.5)

    def arriving(self, index: int, offset: Point = (0.0, 0.0)) -> Point:
        """Return where links arrive at a card that is `offset` world units away from its place."""
        x, y = self.layout.centers[index].tolist()
        return self.beside(x + offset[0], y + offset[1], -0.5)

    def beside(self, x: float, y: float, side: float) -> Point:
        """Return the middle of an edge of a card centred at a world point: trailing (0.5) or leading (-0.5)."""
        width, height = self.card
        return self.pixel(x + side * width, y) if self.sideways else self.pixel(x, y + side * height)
