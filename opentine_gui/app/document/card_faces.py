"""What each card of a run says, made when the card first comes into view."""

from __future__ import annotations

from collections.abc import Mapping

from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.state.annotations import COLOURS, NOTHING, Annotations
from opentine_gui.core import RunRecord, Verification
from opentine_gui.describe.card_marks import SEALS, annotation_flags, card_face, ref_flags
from opentine_gui.scene.cards import CardFace, Flag


class CardFaces:
    """Card faces of one run by index; as immutable as the run, its verification and what is laid over it."""

    def __init__(
        self,
        record: RunRecord,
        verification: Verification | None,
        overlay: Overlay | None = None,
        annotations: Annotations | None = None,
        found: Mapping[str, tuple[Flag, ...]] | None = None,
    ) -> None:
        """`found` are flags of suspects and the like, by step id."""
        self._record = record
        self._annotations = annotations or {}
        self._found = found or {}
        self._verification = verification
        self._overlay = overlay if overlay is not None and overlay.family.graph is record.graph else None
        self._faces: dict[int, CardFace] = {}
        self._flags: Mapping[str, tuple[Flag, ...]] = ref_flags(record)

    def face(self, index: int) -> CardFace:
        """The face of one card."""
        face = self._faces.get(index)
        if face is None:
            face = self._faces[index] = self._make(index)
        return face

    def _make(self, index: int) -> CardFace:
        graph = self._record.graph
        step_id = graph.ids[index]
        if self._overlay is None:
            written = self._annotations.get(step_id, NOTHING)
            flags = (*self._flags.get(step_id, ()), *annotation_flags(written.note, written.bookmarked))
            flags += self._found.get(step_id, ())
            return card_face(graph, index, self._seal(index), flags, border=COLOURS.get(written.colour))
        mark = self._overlay.mark(index)
        seal = "mismatch" if step_id in self._overlay.conflicts else self._seal(index)
        flags = (*mark.flags, *self._found.get(step_id, ()))
        return card_face(graph, index, seal, flags, mark.count, mark.border)

    def _seal(self, index: int) -> str | None:
        if self._verification is None:
            return None
        if self._record.graph.ids[index] in self._verification.unsupported:
            return "unsupported"
        return SEALS[self._verification.verdicts[index]]
