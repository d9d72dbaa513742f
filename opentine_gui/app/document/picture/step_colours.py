"""The colour of every step in the overviews, by kind or by run, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import msgspec
import numpy as np
from numpy.typing import NDArray

from opentine_gui.core import Graph, StepKind
from opentine_gui.scene.theme import STEP_ROLES, kind_code

if TYPE_CHECKING:
    from opentine_gui.app.document.overlay import Overlay
    from opentine_gui.app.document.picture.folded_run import FoldedRun


_by_kind: WeakKeyDictionary[Graph, StepColours] = WeakKeyDictionary()


class StepColours(msgspec.Struct, frozen=True, eq=False):
    """`kinds` (n,) codes of `roles`, names of theme colours; `failures` ascending indices of failing steps."""

    kinds: NDArray[np.uint8]
    failures: NDArray[np.int64]
    roles: Sequence[str] = STEP_ROLES


def colours_of_cards(steps: StepColours, fold: FoldedRun, *, by_run: bool) -> StepColours:
    """The colours of the cards of a folded run; by kind, a card with a failure in it is failing."""
    failing = np.empty(0, dtype=np.int64) if by_run else fold.holding(steps.failures)
    return StepColours(steps.kinds[fold.first_steps], failing, steps.roles)


def colours_by_heat(
    codes: NDArray[np.uint8], roles: Sequence[str], fold: FoldedRun | None, *, named: bool
) -> StepColours:
    """Colours by a figure or a name; a group has the most of its figure, and the name that most of its steps have."""
    nothing = np.empty(0, dtype=np.int64)
    if fold is None:
        return StepColours(codes, nothing, roles)
    cards = np.zeros(len(fold), dtype=np.uint8)
    if not named:
        shown = fold.card_of >= 0
        np.maximum.at(cards, fold.card_of[shown], codes[shown])
        return StepColours(cards, nothing, roles)
    has = (codes > 0) & (fold.card_of >= 0)
    counts = np.bincount(fold.card_of[has] * len(roles) + codes[has], minlength=len(fold) * len(roles))
    return StepColours(counts.reshape(len(fold), len(roles)).argmax(axis=1).astype(np.uint8), nothing, roles)


def colours_by_kind(graph: Graph) -> StepColours:
    """Colours by kind, and the failing steps, from the graph's columns; payloads are not decoded. Made once a graph."""
    known = _by_kind.get(graph)
    if known is None:
        known = _by_kind[graph] = _coloured(graph)
    return known


def _coloured(graph: Graph) -> StepColours:
    # By identity: hashing an enum member is a Python call, and there may be a hundred thousand.
    codes = {id(kind): kind_code(kind.value) for kind in StepKind}
    kinds = np.array(list(map(codes.__getitem__, map(id, graph.kinds))), dtype=np.uint8)
    named = {name: kind_code(name) for name in set(graph.v3_kinds.values())}
    for position, name in graph.v3_kinds.items():
        kinds[position] = named[name]
    for position in graph.stopped:
        kinds[position] = STEP_ROLES.index("stopped")
    return StepColours(kinds, np.flatnonzero(np.frombuffer(graph.failed, dtype=np.uint8)))


def colours_by_run(overlay: Overlay) -> StepColours:
    """Colours by run, where several are shown; without failures, whose colour could be mistaken for a run's."""
    from opentine_gui.app.document.overlay import PALETTE

    return StepColours(overlay.step_roles, np.empty(0, dtype=np.int64), PALETTE)
