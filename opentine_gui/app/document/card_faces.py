"""What each card of a run says, made when the card first comes into view."""

from __future__ import annotations

from collections.abc import Mapping

from opentine_gui.app.document.overlay import Overlay
from opentine_gui.core import RunRecord, RunStatus, StepVerdict, TineError, Verification
from opentine_gui.describe.step_titles import figures, subtitle, title
from opentine_gui.scene.cards import CardFace, Flag
from opentine_gui.scene.text.clean import clean, clean_id

_FLAG_LIMIT = 40

SEALS = {
    StepVerdict.OK: "ok",
    StepVerdict.MISMATCH: "mismatch",
    StepVerdict.REDACTED: "mismatch",
    StepVerdict.NOT_CHECKABLE: "not_checkable",
}


class CardFaces:
    """Card faces of one run by index; as immutable as the run, its verification and what is laid over it."""

    def __init__(self, record: RunRecord, verification: Verification | None, overlay: Overlay | None = None) -> None:
        self._record = record
        self._verification = verification
        self._overlay = overlay if overlay is not None and overlay.family.graph is record.graph else None
        self._faces: dict[int, CardFace] = {}
        self._flags: Mapping[str, tuple[Flag, ...]] = flags_of(record)

    def face(self, index: int) -> CardFace:
        """The face of one card."""
        face = self._faces.get(index)
        if face is None:
            face = self._faces[index] = self._make(index)
        return face

    def _make(self, index: int) -> CardFace:
        graph = self._record.graph
        step_id = graph.ids[index]
        seal = self._seal(index)
        flags, count, border = self._flags.get(step_id, ()), 1, None
        if self._overlay is not None:
            mark = self._overlay.mark(index)
            flags, count, border = mark.flags, mark.count, mark.border
            if step_id in self._overlay.conflicts:
                seal = "mismatch"
        try:
            step = graph.step(index)
        except TineError as error:
            words = f"{clean_id(step_id)} cannot be read"
            return CardFace(words, clean(error.message, 160), "", "error", seal, flags, count, border)
        kind = step.shown_kind
        return CardFace(title(step), subtitle(step), figures(step), kind, seal, flags, count, border)

    def _seal(self, index: int) -> str | None:
        if self._verification is None:
            return None
        return SEALS[self._verification.verdicts[index]]


def flags_of(record: RunRecord) -> dict[str, tuple[Flag, ...]]:
    """Flags by step id: the refs that point at it, and at the main tip how the run ended."""
    flags: dict[str, list[Flag]] = {}
    for name, step_id in sorted(record.refs.items(), key=lambda item: (item[0] != "main", item[0])):
        if step_id in record.graph:
            role = "main" if name == "main" else "ref"
            flags.setdefault(step_id, []).append(Flag(clean(name, _FLAG_LIMIT), role))
    end = record.refs.get("main") or (record.graph.ids[-1] if len(record.graph) else "")
    if end in record.graph and record.status is not RunStatus.COMPLETED:
        flags.setdefault(end, []).append(Flag(record.status.value, record.status.value))
    return {step_id: tuple(found) for step_id, found in flags.items()}
