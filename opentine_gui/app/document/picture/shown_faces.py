"""The faces of the cards of a document, made when the first of them is asked for, and what of their words is hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from opentine_gui.core.graph.equal_ends import common_beginning

if TYPE_CHECKING:
    from opentine_gui.app.document.overlay import Overlay
    from opentine_gui.app.document.picture.card_faces import CardFaces, HasSecrets, KeptFaces
    from opentine_gui.app.document.picture.folded_run import FoldedRun
    from opentine_gui.app.state.annotations import Annotations
    from opentine_gui.core import Graph, RunRecord, Verification
    from opentine_gui.scene.card.card_flags import Flag


class ShownFaces:
    """`made` are those of the present state, if one was asked for; what stays the same is kept for the next state."""

    def __init__(self) -> None:
        self.made: CardFaces | None = None
        self.hides_secrets = False
        """Whether what looks like a secret is hidden on the cards."""
        self._kept: KeptFaces | None = None
        self._secrets: tuple[Sequence[str], frozenset[int]] | None = None
        """The ids of the steps that were looked through, and which of these hold what looks like a secret."""

    def make(
        self,
        record: RunRecord,
        verification: Verification | None,
        overlay: Overlay | None,
        annotations: Annotations,
        fold: FoldedRun | None,
        found: Mapping[str, tuple[Flag, ...]],
        *,
        written: bool,
    ) -> CardFaces:
        """Make those of a run; what they are made from is what `CardFaces` takes."""
        from opentine_gui.app.document.picture.card_faces import CardFaces, KeptFaces

        self._kept = self._kept or KeptFaces()
        hidden = self._has_secrets(record.graph) if self.hides_secrets else None
        self.made = CardFaces(
            record, verification, overlay, annotations, fold, found, self._kept, written=written, hidden=hidden
        )
        return self.made

    def hide(self, hidden: bool) -> bool:
        """Hide what looks like a secret, or show it again; whether that changes anything."""
        changes = hidden != self.hides_secrets
        if changes:
            self.hides_secrets, self._kept = hidden, None
        return changes

    def know(self, graph: Graph, steps: frozenset[int]) -> bool:
        """Note which steps of a graph hold what looks like a secret; whether that is news.

        Until then cards of several steps say nothing, but for those whose steps were all there before the run grew.
        """
        news = self._secrets is None or self._secrets[0] is not graph.ids
        if news:
            self._secrets, self._kept = (graph.ids, steps), None
        return news

    def _has_secrets(self, graph: Graph) -> HasSecrets:
        ids, found = self._secrets if self._secrets is not None else ((), frozenset())
        known = common_beginning(ids, graph.ids)
        return lambda steps: not found.isdisjoint(steps) or max(steps, default=-1) >= known
