"""An open document: the run with its undo history, what is selected in it, and the picture that shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from opentine_gui.app.document.live import Live
from opentine_gui.app.document.notable_steps import NotableSteps
from opentine_gui.app.document.on_disk import OnDisk, Progress
from opentine_gui.app.document.picture.folding import Folding
from opentine_gui.app.document.picture.layout_cache import LayoutCache
from opentine_gui.app.document.picture.shown_faces import ShownFaces
from opentine_gui.app.document.picture.shown_picture import ShownPicture
from opentine_gui.app.state.annotations import NO_NOTES
from opentine_gui.app.state.commands import DocumentState, Pins, UndoHistory
from opentine_gui.app.state.highlights import FindingMarks, PickedFile, StripState
from opentine_gui.app.state.selection import Selection, VisitHistory
from opentine_gui.core import RunRecord, Step, TineError, Verification
from opentine_gui.core.format.metadata import text_of
from opentine_gui.core.structure.first_view import is_long
from opentine_gui.layout import Direction, Layout
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.document.members import Members
    from opentine_gui.app.document.origin import Origin
    from opentine_gui.app.document.overlay import Overlay
    from opentine_gui.app.document.picture.folded_run import FoldedRun
    from opentine_gui.app.document.source import Source
    from opentine_gui.app.state.annotations import Annotations
    from opentine_gui.importers.reading import Reading
    from opentine_gui.scene.card.card_face import CardFace
    from opentine_gui.scene.card.card_flags import Flag


DocumentKey = Literal[
    "changed", "check", "compare", "family", "layout", "local", "marks", "open", "others", "ready", "recover",
    "relatives", "reloaded", "save", "saved", "secrets", "session", "swap", "tidy", "transcript", "typed", "verify",
]  # fmt: skip
"""What a job or a notice about a document is known by."""


class Document:
    """One tab. `state` is None while the run loads, and when it could not be read: then `error` says why.

    `state` is what undo covers; `picture` is what the canvas shows of it, which may be older. `direction` and `folding`
    say which picture is wanted, and `layout_is_stale` whether the one shown is that one.
    """

    def __init__(
        self,
        number: int,
        *,
        path: Path | None = None,
        state: DocumentState | None = None,
        direction: Direction = Direction.TOP_TO_BOTTOM,
        source: Source | None = None,
    ) -> None:
        self.number = number
        self.path = path
        self.source = source
        self.direction = direction
        self.state: DocumentState | None = None
        self.saved_state: DocumentState | None = None
        self.history: UndoHistory[DocumentState] | None = None
        self.on_disk = OnDisk()
        self.live = Live()
        self.origin: Origin | None = None
        """Where it was read from, for a file of another program's format: such a file is never written."""
        self.relatives: tuple[Path, ...] | None = None
        """Other sessions that belong together with it; None until they were looked for."""
        self.loading: Progress | None = None
        self.select_when_read: str | None = None
        """The id, or a unique prefix of it, of a step that is to be selected once the run is read."""
        self.error: TineError | None = None
        self.verification: Verification | None = None
        self.requested_verification: RunRecord | None = None
        self.check_problem = ""
        """Why there is no verification of the present run, where one was begun and came to nothing."""
        self.selection = Selection()
        self.visit_history = VisitHistory()
        self.picked_file: PickedFile | None = None
        self.picked_revision = 0
        self.finding_marks = FindingMarks()
        self.strip = StripState()
        self.made_in: int | None = None
        """The number of the document it was made in by a fork or a merge; undo goes back there."""
        self.forked_session: Reading | None = None
        """The agent's session it was forked from, where that was read again to go on in it."""
        self.taken_back: list[tuple[Document, int]] = []
        """Documents made in this one that undo closed, and the place in the history where redo opens them again."""
        self.members: Members | None = None
        self.overlay: Overlay | None = None
        self.picture = ShownPicture()
        self.layout_cache = LayoutCache()
        self.requested_layout: object = None
        self.layout_failed = False
        self.folding = Folding()
        self.content_revision = 0
        self.grown_revision = 0
        """The part of `content_revision` due to growth, which does not change the picture before the next layout."""
        self.selection_revision = 0
        self.faces = ShownFaces()
        self._notable_steps: NotableSteps | None = None
        self._selected_indices: tuple[tuple[int, int], frozenset[int]] = ((-1, -1), frozenset())
        if state is not None:
            self.start(state)

    # --- the run ---------------------------------------------------------------------------------------------------

    @property
    def record(self) -> RunRecord | None:
        """The run as it is now, edits included."""
        return self.state.record if self.state else None

    def present_id(self, step: str) -> str:
        """The id that a step has in the run as it is now; the one given where the step is gone."""
        return step if self.record is None else self.live.present_id(step, self.record.graph)

    def present_step(self, step: str) -> str | None:
        """The id that a step has in the run as it is now; None where it is gone."""
        present = self.present_id(step)
        return present if self.record is not None and present in self.record.graph else None

    @property
    def annotations(self) -> Annotations:
        """What is written beside its steps."""
        return self.state.annotations if self.state else NO_NOTES

    @property
    def title(self) -> str:
        """The file's name; of an agent's session what it is about.

        An unsaved run has the title that it was given, else what it was called when it was made.
        """
        if self.origin is not None and self.state is not None:
            return self.state.record.title
        if self.path is not None:
            return self.path.name
        given = text_of(self.record.metadata.get("title")) if self.record is not None and self.members is None else ""
        return given or (self.source.title if self.source else "Untitled")

    @property
    def dirty(self) -> bool:
        """True when closing now would lose something: edits, or a run whose file is missing."""
        return self.edited or (self.on_disk.gone and self.state is not None and self.members is None)

    @property
    def edited(self) -> bool:
        """True when the run is not the one that was last read or saved.

        Moving cards is no edit of the file: positions are stored apart. A document of several runs has nothing to save.
        """
        if self.state is None or self.members is not None:
            return False
        return self.saved_state is None or self.state.record is not self.saved_state.record

    def start(self, state: DocumentState) -> None:
        """Set the state and begin with an empty undo history."""
        self.state = state
        self.history = UndoHistory(state)
        self._forget_unreachable()
        self.error = None
        self._content_changed()

    def edit(self, label: str, state: DocumentState) -> None:
        """Set a new state and record it in the undo history."""
        if self.history is None or state is self.state:
            return
        self.history.record(label, state)
        self.taken_back.clear()
        self._forget_unreachable()
        self.set_state(state)

    def _forget_unreachable(self) -> None:
        """Drop cached layouts of states that no undo or redo leads to."""
        states = self.history.states if self.history is not None else ()
        self.layout_cache.keep_only(state.record.graph for state in states)

    def set_state(self, state: DocumentState) -> None:
        """Set the state without recording it, as undo and redo do."""
        before, self.state = self.state, state
        if before is None or before.record is not state.record:
            if (
                before is not None
                and self.picture.record is before.record
                and before.record.graph is state.record.graph
            ):
                self.picture.record = state.record  # no other picture will come: cards say what the run says now
            self._content_changed()
        elif before.annotations is not state.annotations:
            self.faces_changed()
        self._move_cards()

    def mark_saved(self, state: DocumentState, record: RunRecord, digest: str) -> None:
        """Note that `state` was saved; `record` is its run as the file has it: the same content, with its digest.

        `record` replaces the run in every state of the history that holds it, so that undo comes back to the digest.
        The file's content, with the SHA-256 `digest`, is now what all states go back to that went back to the same.
        """

        def kept(one: DocumentState) -> DocumentState:
            saved = replace(one, record=record) if one.record is state.record else one
            return replace(saved, base=digest) if one.base == state.base else saved

        present = self.state
        self.saved_state = state
        self.rewrite(kept)
        if present is None or present.record is not state.record:
            return
        if self.picture.record is present.record:
            self.picture.record = record
        self.verification, self.check_problem = None, ""
        self.content_revision += 1

    def rewrite(self, change: Callable[[DocumentState], DocumentState]) -> None:
        """Put `change` of it in the place of every state that undo and redo lead to, and of the saved one."""
        if self.history is not None:
            self.history.rewrite(change)
            self.state = self.history.current
        if self.saved_state is not None:
            self.saved_state = change(self.saved_state)

    def grow(self, record: RunRecord, renamed: Mapping[str, str], digest: str) -> None:
        """Show a later state of the file, in which some steps have other ids; undo goes on where it was.

        Nobody's edits are lost: only states that hold the run as it was read get the new one, with the SHA-256 of the
        file. The others go back to what the file was: saving one of them asks before it replaces the file.
        """
        before = self.record
        if before is None:
            return

        def grown(one: DocumentState) -> DocumentState:
            return replace(one.grown(record, renamed), base=digest) if one.record is before else one

        self.rewrite(grown)
        if renamed:
            self.folding.rename_steps(renamed)
            self.select(Selection.of(renamed.get(step, step) for step in self.selection))
        self._forget_unreachable()
        faces, sealed = self.faces.made, self.verification is not None
        self._content_changed()
        if self.layout_is_stale and not sealed:
            self.faces.made = faces
            self.grown_revision += 1
        self._move_cards()

    def key(self, of: DocumentKey) -> str:
        """The key of a job or a notice about this document: a new one replaces the one before."""
        return f"{of}:{self.number}"

    def step(self, which: int | str) -> Step:
        """A step by its id in the present run, or by the index of its card in the picture shown."""
        picture = self.picture
        if isinstance(which, int) and picture.fold is not None:
            which = picture.fold.shown_step(which)
        record = self.record if isinstance(which, str) else (picture.record or self.record)
        if record is None:
            raise KeyError(which)
        return record.graph.step(which)

    @property
    def selected_group(self) -> int | None:
        """The card of the group that is selected: of a single selected step that is folded into one."""
        primary, fold = self.selection.primary, self.picture.fold
        if fold is None or primary is None or len(self.selection) != 1:
            return None
        index = self.picture.index_of(primary)
        return index if index is not None and fold.is_group(index) else None

    @property
    def selected_count(self) -> int:
        """How many steps `selected_steps` has; costs the same however large the group is."""
        group, fold = self.selected_group, self.picture.fold
        return len(self.selection) if group is None or fold is None else fold.card(group).size

    @property
    def selected_steps(self) -> tuple[str, ...]:
        """The ids of the steps that are selected: of a selected group all its steps."""
        group = self.selected_group
        return self.selection.ids if group is None else tuple(self.picture.step_ids(group))

    @property
    def is_folded(self) -> bool:
        """Whether the run is to be shown folded: `folds`, unless the user wants to see every step. A local view is."""
        return self.record is not None and (self.folding.is_local or (self.folds and not self.folding.every_step))

    @property
    def folds(self) -> bool:
        """Whether the run is shown folded unasked: it is long, outgrows the canvas, or was made from one shown so."""
        folding, record = self.folding, self.record
        return record is not None and (folding.inherited or folding.overflows or is_long(len(record.graph)))

    @property
    def notable_steps(self) -> NotableSteps:
        """Failures and forks of the present run. LookupError before there is one."""
        record = self.record
        if record is None:
            raise LookupError("no run is open")
        if self._notable_steps is None or self._notable_steps.graph is not record.graph:
            self._notable_steps = NotableSteps(record.graph)
        return self._notable_steps

    def faces_changed(self) -> None:
        """Note that what the cards of the picture say is to be made anew."""
        self.faces.made = None
        self.content_revision += 1

    def hide_secrets(self, hidden: bool) -> None:
        """Hide what looks like a secret on the cards, or show it again; the run itself is not changed."""
        if self.faces.hide(hidden):
            self.faces_changed()

    def _content_changed(self) -> None:
        """Note that the run is another: nothing has verified it, and what is gone cannot stay selected."""
        self.faces_changed()
        self.verification, self.check_problem = None, ""
        if self.record is not None and self.selection:
            self.select(self.selection.kept(self.record.graph.positions))

    # --- selection -------------------------------------------------------------------------------------------------

    def select(self, selection: Selection, *, visit: bool = True) -> None:
        """Select steps and add the primary one to the visit history, if it is a visit. Undo does not cover it."""
        if selection.ids == self.selection.ids:
            return
        self.selection = selection
        self.selection_revision += 1
        if visit and selection.primary is not None:
            self.visit_history.visit(selection.primary)

    @property
    def selected_indices(self) -> frozenset[int]:
        """The selected cards of the picture shown."""
        key = (self.selection_revision, self.picture.layout_revision)
        if self._selected_indices[0] != key:
            indices = (self.picture.index_of(step_id) for step_id in self.selection)
            self._selected_indices = (key, frozenset(index for index in indices if index is not None))
        return self._selected_indices[1]

    def mark_findings(self, source: object, flags: Mapping[str, tuple[Flag, ...]]) -> None:
        """Put the flags of what was found on the cards, by step id; `source` tells one set of them from another."""
        changes = bool(flags or self.finding_marks.flags)
        self.finding_marks = FindingMarks(source, flags)
        if changes:
            self.faces_changed()

    def pick_file(self, picked: PickedFile | None) -> None:
        """Light up the steps of a file; None puts them out. Undo does not cover it."""
        if picked is not self.picked_file:
            self.picked_file = picked
            self.picked_revision += 1

    # --- the picture -----------------------------------------------------------------------------------------------

    def set_layout(
        self,
        layout: Layout,
        record: RunRecord,
        pins: Pins,
        *,
        borrowed: bool = False,
        index: SceneIndex | None = None,
        fold: FoldedRun | None = None,
    ) -> None:
        """Show a layout, as `ShownPicture.show` does; one that every step has a card in is kept for undo and redo."""
        if not borrowed and fold is None:
            self.layout_cache.add(record.graph, layout, dict(pins))
        self.faces.made = None
        self.picture.show(layout, record, pins, borrowed=borrowed, index=index, fold=fold)
        self._move_cards()

    def _move_cards(self) -> None:
        """Move the cards of the picture to where the user put them in the present state."""
        if self.state is not None:
            self.picture.move_cards(self.state)

    @property
    def layout_is_stale(self) -> bool:
        """True when the picture shown is not that of the present run, direction and positions."""
        picture, state = self.picture, self.state
        if state is None:
            return False
        if not picture.is_of(state.record.graph, self.direction):
            return True
        if self.is_folded:
            return picture.fold is None or not self.folding.is_met_by(picture.fold)
        return picture.fold is not None or picture.has_other_pins(state.placed(self.direction))

    def face(self, index: int) -> CardFace:
        """What a card of the picture shown says; made once and kept."""
        if self.faces.made is not None:
            return self.faces.made.face(index)
        record = self.picture.record or self.record
        if record is None:
            raise IndexError(index)
        state = (self.verification, self.overlay, self.annotations, self.picture.fold, self.finding_marks.flags)
        return self.faces.make(record, *state, written=self.live.written).face(index)

    def set_verification(self, verification: Verification) -> None:
        """Set the result of verifying the present run."""
        self.verification, self.check_problem = verification, ""
        self.faces_changed()

    def set_unchecked(self, problem: str) -> None:
        """Note why verifying the present run came to nothing, in hostile text. An earlier result stays."""
        self.check_problem = problem
        self.content_revision += 1

    @property
    def shown_overlay(self) -> Overlay | None:
        """The overlay of the picture shown; None while the picture is still that of an earlier union."""
        overlay, record = self.overlay, self.picture.record
        return overlay if overlay is not None and record is not None and overlay.family.graph is record.graph else None

    def show_overlay(self, overlay: Overlay) -> None:
        """Show the same runs another way, such as one switched off or lit; nothing is laid out again."""
        self.overlay = overlay
        self.faces_changed()
