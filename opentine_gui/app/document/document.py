"""One open document: the undoable state, and beside it what is on show (selection, camera, layout, verification)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from opentine_gui.app.document.card_slide import Glide
from opentine_gui.app.document.landmarks import Landmarks
from opentine_gui.app.state.commands import DocumentState, Pins
from opentine_gui.app.state.selection import Selection
from opentine_gui.app.state.undo_history import History
from opentine_gui.app.state.visit_history import Visited
from opentine_gui.core import Graph, RunRecord, Step, TineError, Verification
from opentine_gui.layout import Direction, Layout
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.space.camera import Camera, Viewport, eased, fitted
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.document.card_faces import Faces
    from opentine_gui.app.document.find_steps import Finding
    from opentine_gui.app.document.members import Members
    from opentine_gui.app.document.overlay import Overlay
    from opentine_gui.core.files.storage import Fingerprint
    from opentine_gui.scene.cards import CardFace

FLIGHT_SECONDS = 0.2
LAYOUTS_KEPT = 3
"""Finished pictures a document remembers, so that undo and redo need none made."""


class Progress(msgspec.Struct, frozen=True):
    """What is going on with a document that has no picture yet; `fraction` is 0..1."""

    label: str
    fraction: float = 0.0


class Source(msgspec.Struct, frozen=True):
    """Where an unsaved fork or merge came from: it is suggested a name beside it and never saved over it."""

    title: str
    paths: tuple[Path, ...]
    run_ids: tuple[str, ...]
    word: str = "fork"


class Flight(msgspec.Struct, frozen=True):
    """A camera on its way; `start` is the session clock and `seconds` how long it takes."""

    origin: Camera
    goal: Camera
    start: float
    seconds: float = FLIGHT_SECONDS


class Document:
    """A run on show. `state` is None while it loads and when it could not be read (then `error` says why)."""

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
        self.history: History[DocumentState] | None = None
        self.fingerprint: Fingerprint | None = None
        self.content_digest: str = ""
        self.saving = False
        self.changed_on_disk = False
        self.changed_meanwhile = False
        """True while nobody has looked at a change of the file that came while it was read or written."""
        self.file_is_gone = False
        """True while the file it was read from is not there any more."""
        self.loading: Progress | None = None
        self.error: TineError | None = None
        self.verification: Verification | None = None
        self.verification_wanted: RunRecord | None = None
        self.selection = Selection()
        self.visited = Visited()
        self.finding: Finding | None = None
        self.hovered: int | None = None
        self.camera: Camera | None = None
        self.flight: Flight | None = None
        self.look_again = False
        self.members: Members | None = None
        self.overlay: Overlay | None = None
        self.base_layout: Layout | None = None
        self.base_pins: Pins = {}
        self.layout_is_borrowed = False
        """True while the picture is cut out of another document's and the document's own is not there yet."""
        self._finished: list[tuple[Graph, Layout, Pins]] = []
        self.layout: Layout | None = None
        self.layout_record: RunRecord | None = None
        self.scene_index: SceneIndex | None = None
        self.glide: Glide | None = None
        self.layout_wanted: object = None
        self.layout_failed = False
        self.layout_revision = 0
        self.content_revision = 0
        self.selection_revision = 0
        self._faces: Faces | None = None
        self._landmarks: Landmarks | None = None
        self._checked_pins: tuple[Pins, bool] = ({}, False)
        self._selected_indices: tuple[int, frozenset[int]] = (-1, frozenset())
        if state is not None:
            self.start(state)

    # --- the run ---------------------------------------------------------------------------------------------------

    @property
    def record(self) -> RunRecord | None:
        """The run as it is now, edits included."""
        return self.state.record if self.state else None

    @property
    def title(self) -> str:
        """The file's name, or what an unsaved document is called."""
        if self.path is not None:
            return self.path.name
        return self.source.title if self.source else "Untitled"

    @property
    def dirty(self) -> bool:
        """True when closing now would lose what only this document has: edits, or a run whose file is gone."""
        return self.edited or (self.file_is_gone and self.state is not None and self.members is None)

    @property
    def edited(self) -> bool:
        """True when the run is not the one that was read or saved last.

        Positions live in the side store, not in the file, so moving cards alone makes no file out of date. A document
        of several runs has nothing of its own.
        """
        if self.state is None or self.members is not None:
            return False
        return self.saved_state is None or self.state.record is not self.saved_state.record

    def start(self, state: DocumentState) -> None:
        """Begin (again) with this state and an empty history."""
        self.state = state
        self.history = History(state)
        self._forget_unreachable()
        self.error = None
        self._content_changed()

    def edit(self, label: str, state: DocumentState) -> None:
        """Go to a new state that undo can take back."""
        if self.history is None:
            return
        self.history.record(label, state)
        self._forget_unreachable()
        self.show(state)

    def _forget_unreachable(self) -> None:
        """Let go of pictures of states that no undo or redo leads to: they are never asked for again, and large."""
        graphs = {id(state.record.graph) for state in self.history.states} if self.history is not None else set()
        self._finished = [found for found in self._finished if id(found[0]) in graphs]

    def show(self, state: DocumentState) -> None:
        """Make this the present state without recording it: undo, redo."""
        before, self.state = self.state, state
        if before is None or before.record is not state.record:
            self._content_changed()
        self.lay_pins()

    def saved(self, state: DocumentState, record: RunRecord) -> None:
        """`state` is in the document's file now, which has its run as `record`: same content, with a digest.

        Every state that holds the run that was written holds `record` from here on, so undo comes back to the digest.
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
        self.verification = None
        self.content_revision += 1

    def step(self, which: int | str) -> Step:
        """A step by id (of the run as it is now) or by index (of the picture on show)."""
        record = self.record if isinstance(which, str) else (self.layout_record or self.record)
        if record is None:
            raise KeyError(which)
        return record.graph.step(which)

    def step_id(self, index: int) -> str:
        """The id of a card of the picture on show."""
        record = self.layout_record or self.record
        if record is None:
            raise IndexError(index)
        return record.graph.ids[index]

    def index_of(self, step_id: str) -> int | None:
        """The card of a step in the picture on show; None when it is not in it (yet)."""
        return self.layout.index.get(step_id) if self.layout is not None else None

    @property
    def landmarks(self) -> Landmarks:
        """Failures and forks of the run as it is now. LookupError before there is one."""
        record = self.record
        if record is None:
            raise LookupError("no run is open")
        if self._landmarks is None or self._landmarks.graph is not record.graph:
            self._landmarks = Landmarks(record.graph)
        return self._landmarks

    def _content_changed(self) -> None:
        self.content_revision += 1
        self.verification = None
        self._faces = None
        record = self.record
        if record is not None and self.selection:
            graph = record.graph
            self.select(Selection(tuple(step_id for step_id in self.selection if step_id in graph)))

    # --- selection -------------------------------------------------------------------------------------------------

    def select(self, selection: Selection) -> None:
        """Select steps; the primary one goes into the visit history. Not an undo step."""
        if selection.ids == self.selection.ids:
            return
        self.selection = selection
        self.selection_revision += 1
        if selection.primary is not None:
            self.visited.visit(selection.primary)

    @property
    def selected_indices(self) -> frozenset[int]:
        """The selected cards of the picture on show."""
        key = self.selection_revision * 1_000_003 + self.layout_revision
        if self._selected_indices[0] != key:
            indices = (self.index_of(step_id) for step_id in self.selection)
            self._selected_indices = (key, frozenset(index for index in indices if index is not None))
        return self._selected_indices[1]

    # --- the picture -----------------------------------------------------------------------------------------------

    def set_layout(
        self,
        layout: Layout,
        record: RunRecord,
        pins: Pins,
        *,
        borrowed: bool = False,
        index: SceneIndex | None = None,
    ) -> None:
        """Show a layout of `record`, made with these positions of the user's; a borrowed one is no answer yet.

        `index` is the layout's, where the caller has it.
        """
        self.base_layout, self.base_pins, self.layout_record = layout, dict(pins), record
        self.layout_is_borrowed = borrowed
        if not borrowed:
            others = [found for found in self._finished if found[0] is not record.graph]
            self._finished = [*others, (record.graph, layout, self.base_pins)][-LAYOUTS_KEPT:]
        self._checked_pins = ({}, False)
        self._faces = None
        self.layout = None
        self.hovered = None
        self.scene_index = index or self.scene_index
        self.lay_pins()

    def finished_layout(self, graph: Graph, direction: Direction, pins: Pins) -> tuple[Layout, Pins] | None:
        """A picture of this graph that was on show before and still fits, with the positions it was made with."""
        for known, layout, placed in self._finished:
            if known is graph and layout.direction is direction and not set(placed) - set(pins):
                return layout, placed
        return None

    def lay_pins(self) -> None:
        """Put the user's positions over the layout as far as they differ from those it was made with."""
        if self.base_layout is None or self.state is None:
            return
        self.glide = None
        pins = self.state.placed(self.base_layout.direction)
        shown = with_pins(self.base_layout, pins)
        if shown is not self.layout:
            # Cards moved by hand, and steps that come or go, change little: the index follows them.
            known = self.scene_index
            self.scene_index = known.updated(shown) if known is not None else SceneIndex(shown)
            self.layout = shown
            self.layout_revision += 1

    @property
    def layout_is_stale(self) -> bool:
        """True when the picture on show is not that of the present run, direction and positions."""
        if self.state is None:
            return False
        if self.base_layout is None or self.layout_record is None or self.layout_is_borrowed:
            return True
        if self.layout_record.graph is not self.state.record.graph or self.base_layout.direction is not self.direction:
            return True
        placed = self.state.placed(self.direction)
        if self._checked_pins[0] is not placed:  # asked every frame: compare only when the positions are others
            self._checked_pins = (placed, any(key not in placed for key in self.base_pins))
        return self._checked_pins[1]

    def face(self, index: int) -> CardFace:
        """What stands on a card of the picture on show; made once and kept."""
        if self._faces is None:
            from opentine_gui.app.document.card_faces import Faces

            record = self.layout_record or self.record
            if record is None:
                raise IndexError(index)
            self._faces = Faces(record, self.verification, self.overlay)
        return self._faces.face(index)

    def verified(self, verification: Verification) -> None:
        """Keep the result of a check of the present run."""
        self.verification = verification
        self._faces = None
        self.content_revision += 1

    @property
    def shown_overlay(self) -> Overlay | None:
        """What is laid over the picture on show; None while the picture is still that of an earlier union."""
        overlay, record = self.overlay, self.layout_record
        return overlay if overlay is not None and record is not None and overlay.family.graph is record.graph else None

    def show_overlay(self, overlay: Overlay) -> None:
        """Show the same runs in another way: one switched off, one lit. Nothing is laid out anew."""
        self.overlay = overlay
        self._faces = None
        self.content_revision += 1

    # --- the camera ------------------------------------------------------------------------------------------------

    def look(self, camera: Camera) -> None:
        """Put the camera somewhere at once."""
        self.camera, self.flight = camera, None

    def fly(self, goal: Camera, now: float, motion: bool, seconds: float = FLIGHT_SECONDS) -> None:
        """Move the camera there within `seconds`, or at once when the user wants no motion."""
        if self.camera is None or not motion:
            self.look(goal)
        else:
            self.flight = Flight(self.camera, goal, now, seconds)

    def advance_glide(self, now: float) -> bool:
        """Move cards on that slide to their places; True when they moved."""
        if self.glide is None:
            return False
        found = self.glide.at(now)
        self.layout, self.scene_index = found or self.glide.goal
        self.layout_revision += 1
        if found is None:
            self.glide = None
        return True

    def advance_flight(self, now: float) -> bool:
        """Move a flying camera on; True when it moved."""
        if self.flight is None:
            return False
        fraction = (now - self.flight.start) / self.flight.seconds
        if fraction >= 1.0:
            self.look(self.flight.goal)
        else:
            self.camera = eased(self.flight.origin, self.flight.goal, max(0.0, fraction))
        return True

    def fit_camera(self, viewport: Viewport) -> Camera | None:
        """The camera that shows the whole graph, or None before there is one."""
        return fitted(self.layout.bounds, viewport) if self.layout is not None else None

    def frame_camera(self, step_ids: Iterable[str], viewport: Viewport) -> Camera | None:
        """The camera that shows these steps with some room around, or None when none of them is on show."""
        indices = [index for index in map(self.index_of, step_ids) if index is not None]
        if not indices or self.layout is None:
            return None
        half_width, half_height = self.layout.spacing.node_width / 2, self.layout.spacing.node_height / 2
        centers = self.layout.centers[indices]
        low, high = centers.min(axis=0), centers.max(axis=0)
        bounds = (
            float(low[0]) - half_width,
            float(low[1]) - half_height,
            float(high[0]) + half_width,
            float(high[1]) + half_height,
        )
        return fitted(bounds, viewport)

    # --- names -----------------------------------------------------------------------------------------------------

    @property
    def folder(self) -> Path | None:
        """The folder this document belongs to: its own, or that of its source."""
        if self.path is not None:
            return self.path.parent
        return self.source.paths[0].parent if self.source and self.source.paths else None

    def suggested_name(self, folder: Path) -> str:
        """A free file name in `folder`: beside the source, never the source's own."""
        if self.path is not None:
            stem, word = self.path.stem, "copy"
        elif self.source and self.source.paths:
            stem, word = self.source.paths[0].stem, self.source.word
        else:
            stem, word = (self.record.run_id if self.record else "run"), ""
        stem = re.sub(r"[^\w.-]+", "-", stem, flags=re.ASCII).strip("-.")[:60] or "run"
        base = f"{stem}-{word}" if word else stem
        name, number = f"{base}.tine", 2
        while (folder / name).exists():
            name, number = f"{base}-{number}.tine", number + 1
        return name
