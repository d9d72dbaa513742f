"""An open document: the state that undo covers, and the selection, camera, layout and verification beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from opentine_gui.app.document.camera.motion import FLIGHT_SECONDS, Arrival, CardSlide, Flight
from opentine_gui.app.document.live import Live
from opentine_gui.app.document.notable_steps import NotableSteps
from opentine_gui.app.document.on_disk import OnDisk
from opentine_gui.app.document.picture.folding import Folding
from opentine_gui.app.document.picture.layout_cache import LayoutCache
from opentine_gui.app.state.annotations import NO_NOTES
from opentine_gui.app.state.commands import DocumentState, Pins, UndoHistory
from opentine_gui.app.state.highlights import FindingMarks, PickedFile, StripState
from opentine_gui.app.state.selection import Selection, VisitHistory
from opentine_gui.core import RunRecord, Step, TineError, Verification
from opentine_gui.core.structure.first_view import is_long
from opentine_gui.core.structure.late_joins import late_joins
from opentine_gui.layout import Direction, Layout
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.space.camera import Camera
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.document.members import Members
    from opentine_gui.app.document.origin import Origin
    from opentine_gui.app.document.overlay import Overlay
    from opentine_gui.app.document.picture.card_faces import CardFaces, KeptFaces
    from opentine_gui.app.document.picture.folded_run import FoldedRun
    from opentine_gui.app.state.annotations import Annotations
    from opentine_gui.scene.card.card_face import CardFace
    from opentine_gui.scene.card.card_flags import Flag


class Progress(msgspec.Struct, frozen=True):
    """What a document without a picture is waiting for; `fraction` is 0..1."""

    label: str
    fraction: float = 0.0


class Source(msgspec.Struct, frozen=True):
    """What an unsaved fork or merge was made from: its file is suggested beside those and never replaces them."""

    title: str
    paths: tuple[Path, ...]
    run_ids: tuple[str, ...]
    word: str = "fork"


class Document:
    """One tab. `state` is None while the run loads, and when it could not be read: then `error` says why."""

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
        self.error: TineError | None = None
        self.verification: Verification | None = None
        self.requested_verification: RunRecord | None = None
        self.check_problem = ""
        """Why there is no verification of the present run, where one was begun and came to nothing."""
        self.selection = Selection()
        self.visit_history = VisitHistory()
        self.hovered: int | None = None
        self.picked_file: PickedFile | None = None
        self.picked_revision = 0
        self.finding_marks = FindingMarks()
        self.strip = StripState()
        self.camera: Camera | None = None
        self.flight: Flight | None = None
        self.refit_on_layout = False
        self.arrival: Arrival | None = None
        self.reveal_when_laid_out: str | None = None
        """A step that was added and has no card yet."""
        self.made_in: int | None = None
        """The number of the document it was made in by a fork or a merge; undo goes back there."""
        self.taken_back: list[tuple[Document, int]] = []
        """Documents made in this one that undo closed, and the place in the history where redo opens them again."""
        self.members: Members | None = None
        self.overlay: Overlay | None = None
        self.base_layout: Layout | None = None
        self.base_pins: Pins = {}
        self.layout_is_borrowed = False
        """True while the layout is a part of another document's, shown until the document has its own."""
        self.layout_cache = LayoutCache()
        self.layout: Layout | None = None
        self.layout_record: RunRecord | None = None
        self.scene_index: SceneIndex | None = None
        self.card_slide: CardSlide | None = None
        self.requested_layout: object = None
        self.layout_failed = False
        self.fold: FoldedRun | None = None
        """The folded run that is shown; None where every step has a card of its own."""
        self.folding = Folding()
        self.layout_revision = 0
        self.cards_revision = 0
        """Changes when the picture is made of other cards, and not while they slide, as `layout_revision` does."""
        self.content_revision = 0
        self.grown_revision = 0
        """What `content_revision` was gained by growing alone: until there is a new layout the picture is the same."""
        self.selection_revision = 0
        self._faces: CardFaces | None = None
        self._kept_faces: KeptFaces | None = None
        self._notable_steps: NotableSteps | None = None
        self._checked_pins: tuple[Pins, bool] = ({}, False)
        self._late_links: tuple[Layout | None, frozenset[int]] = (None, frozenset())
        self._selected_indices: tuple[int, frozenset[int]] = (-1, frozenset())
        if state is not None:
            self.start(state)

    # --- the run ---------------------------------------------------------------------------------------------------

    @property
    def record(self) -> RunRecord | None:
        """The run as it is now, edits included."""
        return self.state.record if self.state else None

    @property
    def annotations(self) -> Annotations:
        """What is written beside its steps."""
        return self.state.annotations if self.state else NO_NOTES

    @property
    def title(self) -> str:
        """The file's name, or the name of an unsaved document; of an agent's session what it is about."""
        if self.origin is not None and self.state is not None:
            return self.state.record.title
        if self.path is not None:
            return self.path.name
        return self.source.title if self.source else "Untitled"

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
        if self.history is None:
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
            self._content_changed()
        elif before.annotations is not state.annotations:
            self._faces = None
            self.content_revision += 1
        self.apply_pins()

    def mark_saved(self, state: DocumentState, record: RunRecord) -> None:
        """Note that `state` was saved; `record` is its run as the file has it: the same content, with a digest.

        `record` replaces the run in every state of the history that holds it, so that undo comes back to the digest.
        """

        def kept(one: DocumentState) -> DocumentState:
            return replace(one, record=record) if one.record is state.record else one

        present = self.state
        if self.history is not None:
            self.history.rewrite(kept)
        self.saved_state = kept(state)
        if present is None or present.record is not state.record:
            return
        self.state = self.history.current if self.history is not None else kept(present)
        if self.layout_record is present.record:
            self.layout_record = record
        self.verification, self.check_problem = None, ""
        self.content_revision += 1

    def grow(self, record: RunRecord, renamed: Mapping[str, str]) -> None:
        """Show a later state of the file, in which some steps have other ids; undo goes on where it was.

        Nobody's edits are lost: only states that hold the run as it was read get the new one.
        """
        state, before = self.state, self.record
        if state is None:
            return

        def grown(one: DocumentState) -> DocumentState:
            return one.grown(record, renamed) if one.record is before else one

        if self.history is not None:
            self.history.rewrite(grown)
        if self.saved_state is not None:
            self.saved_state = grown(self.saved_state)
        self.state = self.history.current if self.history is not None else grown(state)
        if renamed:
            self.folding.rename(renamed)
            self.select(Selection.of(renamed.get(step, step) for step in self.selection))
        self._forget_unreachable()
        faces, sealed = self._faces, self.verification is not None
        self._content_changed()
        if self.layout_is_stale and not sealed:
            self._faces = faces
            self.grown_revision += 1
        self.apply_pins()

    def step(self, which: int | str) -> Step:
        """A step by its id in the present run, or by the index of its card in the picture shown."""
        if isinstance(which, int) and self.fold is not None:
            which = self.fold.shown_step(which)
        record = self.record if isinstance(which, str) else (self.layout_record or self.record)
        if record is None:
            raise KeyError(which)
        return record.graph.step(which)

    def step_id(self, index: int) -> str:
        """The step id of a card of the picture shown: of a group that of the step it ends with."""
        record = self.layout_record or self.record
        if record is None:
            raise IndexError(index)
        return record.graph.ids[index if self.fold is None else self.fold.shown_step(index)]

    def step_ids(self, index: int) -> list[str]:
        """The ids of all steps that a card of the picture shown holds."""
        if self.fold is None:
            return [self.step_id(index)]
        ids = self.fold.graph.ids
        return [ids[step] for step in self.fold.all_steps(index)]

    def pin_of(self, index: int) -> str:
        """The id under which the position of a card of the picture shown is kept: of a group that of its first step."""
        return self.step_id(index) if self.fold is None else self.fold.graph.ids[self.fold.card(index).name]

    @property
    def selected_group(self) -> int | None:
        """The card of the group that is selected: of a single selected step that is folded into one."""
        primary = self.selection.primary
        if self.fold is None or primary is None or len(self.selection) != 1:
            return None
        index = self.index_of(primary)
        return index if index is not None and self.fold.is_group(index) else None

    @property
    def is_folded(self) -> bool:
        """Whether the run is to be shown folded: `folds`, unless the user wants to see every step; a local view."""
        return self.record is not None and (bool(self.folding.local) or (self.folds and not self.folding.every_step))

    @property
    def folds(self) -> bool:
        """Whether the run is shown folded unasked: it is long, or was made of one that is shown so."""
        return self.record is not None and (self.folding.inherited or is_long(len(self.record.graph)))

    def index_of(self, step_id: str) -> int | None:
        """The index of a step's card in the picture shown; None when it has none (yet)."""
        return self.layout.index.get(step_id) if self.layout is not None else None

    @property
    def notable_steps(self) -> NotableSteps:
        """Failures and forks of the present run. LookupError before there is one."""
        record = self.record
        if record is None:
            raise LookupError("no run is open")
        if self._notable_steps is None or self._notable_steps.graph is not record.graph:
            self._notable_steps = NotableSteps(record.graph)
        return self._notable_steps

    def _content_changed(self) -> None:
        self.content_revision += 1
        self.verification, self.check_problem = None, ""
        self._faces = None
        record = self.record
        if record is not None and self.selection:
            graph = record.graph
            self.select(Selection(tuple(step_id for step_id in self.selection if step_id in graph)))

    # --- selection -------------------------------------------------------------------------------------------------

    def select(self, selection: Selection) -> None:
        """Select steps and add the primary one to the visit history. Undo does not cover it."""
        if selection.ids == self.selection.ids:
            return
        self.selection = selection
        self.selection_revision += 1
        if selection.primary is not None:
            self.visit_history.visit(selection.primary)

    @property
    def selected_indices(self) -> frozenset[int]:
        """The selected cards of the picture shown."""
        key = self.selection_revision * 1_000_003 + self.layout_revision
        if self._selected_indices[0] != key:
            indices = (self.index_of(step_id) for step_id in self.selection)
            self._selected_indices = (key, frozenset(index for index in indices if index is not None))
        return self._selected_indices[1]

    def mark_findings(self, source: object, flags: Mapping[str, tuple[Flag, ...]]) -> None:
        """Put the flags of what was found on the cards, by step id; `source` tells one set of them from another."""
        changes = bool(flags or self.finding_marks.flags)
        self.finding_marks = FindingMarks(source, flags)
        if changes:
            self._faces = None
            self.content_revision += 1

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
        """Show a layout of `record` that was made with these positions of the user's.

        A `borrowed` one is shown until the document has its own. `index` is the layout's, if the caller has it. `fold`
        is what the layout shows of a folded run.
        """
        self.fold = fold
        self.cards_revision += 1
        self.base_layout, self.base_pins, self.layout_record = layout, dict(pins), record
        self.layout_is_borrowed = borrowed
        if not borrowed and fold is None:
            self.layout_cache.add(record.graph, layout, self.base_pins)
        self._checked_pins = ({}, False)
        self._faces = None
        self.layout = None
        self.hovered = None
        self.scene_index = index or self.scene_index
        self.apply_pins()

    def apply_pins(self) -> None:
        """Move the cards whose positions differ from those the layout was made with."""
        if self.base_layout is None or self.state is None:
            return
        self.card_slide = None
        if self.fold is None:
            shown = with_pins(self.base_layout, self.state.placed(self.base_layout.direction))
        else:  # a local view is a picture of its own, in which nothing was moved
            moved = self.state.placed(self.base_layout.direction, folded=True) if not self.fold.is_local else {}
            self.fold = self.fold.with_pins(moved)
            shown = self.fold.layout
        if shown is not self.layout:
            # Where only some cards moved, or steps came or went, the new index reuses the old one.
            known = self.scene_index
            self.scene_index = known.updated(shown) if known is not None else SceneIndex(shown)
            self.layout = shown
            self.layout_revision += 1

    @property
    def late_links(self) -> frozenset[int]:
        """The links of the picture shown that are asynchronous joins; found once for each layout."""
        if self.fold is not None:
            return self.fold.late_links
        layout, record = self.base_layout, self.layout_record
        if layout is None or record is None:
            return frozenset()
        if self._late_links[0] is not layout:
            from opentine_gui.app.document.picture.folded_run import late_links

            count = len(record.graph)
            pairs = {parent * count + step for parent, step in late_joins(record.graph)}
            self._late_links = (layout, late_links(layout, pairs) if pairs else frozenset())
        return self._late_links[1]

    @property
    def layout_is_stale(self) -> bool:
        """True when the picture shown is not that of the present run, direction and positions."""
        if self.state is None:
            return False
        if self.base_layout is None or self.layout_record is None or self.layout_is_borrowed:
            return True
        if self.layout_record.graph is not self.state.record.graph or self.base_layout.direction is not self.direction:
            return True
        if self.is_folded:
            return self.fold is None or not self.folding.is_met_by(self.fold)
        if self.fold is not None:
            return True
        placed = self.state.placed(self.direction)
        if self._checked_pins[0] is not placed:  # called every frame: compare only when the positions changed
            self._checked_pins = (placed, any(key not in placed for key in self.base_pins))
        return self._checked_pins[1]

    def face(self, index: int) -> CardFace:
        """What a card of the picture shown says; made once and kept."""
        if self._faces is None:
            from opentine_gui.app.document.picture.card_faces import CardFaces, KeptFaces

            record = self.layout_record or self.record
            if record is None:
                raise IndexError(index)
            self._kept_faces = self._kept_faces or KeptFaces()
            self._faces = CardFaces(
                record, self.verification, self.overlay, self.annotations, self.fold, self.finding_marks.flags,
                self._kept_faces,
            )  # fmt: skip
        return self._faces.face(index)

    def set_verification(self, verification: Verification) -> None:
        """Set the result of verifying the present run."""
        self.verification, self.check_problem = verification, ""
        self._faces = None
        self.content_revision += 1

    def set_unchecked(self, problem: str) -> None:
        """Note why verifying the present run came to nothing; hostile text. An earlier result stays."""
        self.check_problem = problem
        self.content_revision += 1

    @property
    def shown_overlay(self) -> Overlay | None:
        """The overlay of the picture shown; None while the picture is still that of an earlier union."""
        overlay, record = self.overlay, self.layout_record
        return overlay if overlay is not None and record is not None and overlay.family.graph is record.graph else None

    def show_overlay(self, overlay: Overlay) -> None:
        """Show the same runs another way, such as one switched off or lit; nothing is laid out again."""
        self.overlay = overlay
        self._faces = None
        self.content_revision += 1

    # --- the camera ------------------------------------------------------------------------------------------------

    def set_camera(self, camera: Camera) -> None:
        """Put the camera somewhere without an animation."""
        self.camera, self.flight = camera, None

    def fly(self, goal: Camera, now: float, motion: bool, seconds: float = FLIGHT_SECONDS) -> None:
        """Move the camera there within `seconds`, or at once if motion is switched off."""
        if self.camera is None or not motion:
            self.set_camera(goal)
        else:
            self.flight = Flight(self.camera, goal, now, seconds)

    @property
    def moves(self) -> bool:
        """True while its camera flies or its cards slide."""
        return self.flight is not None or self.card_slide is not None

    def advance(self, now: float) -> bool:
        """Move a flying camera and sliding cards on; True when anything moved."""
        moves = self.moves
        if self.flight is not None:
            camera = self.flight.at(now)
            if camera is None:
                self.set_camera(self.flight.goal)
            else:
                self.camera = camera
        self.advance_slide(now)
        return moves

    def advance_slide(self, now: float) -> None:
        """Move sliding cards on."""
        if self.card_slide is None:
            return
        moved = self.card_slide.at(now)
        self.layout, self.scene_index = moved or self.card_slide.goal
        self.layout_revision += 1
        if moved is None:
            self.card_slide = None

    # --- where it is saved -------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path | None:
        """The folder of its file, else of the file it was made from."""
        if self.path is not None:
            return self.path.parent
        return self.source.paths[0].parent if self.source and self.source.paths else None
