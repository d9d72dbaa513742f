"""The picture a document shows: its layout, the folded run it may be of, and the camera over it.

It may be older than the run: until a new layout is finished, the picture of the run before the last edit stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.document.camera.motion import FLIGHT_SECONDS, Arrival, CardSlide, Flight
from opentine_gui.app.state.commands import DocumentState, Pins
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.structure.late_joins import late_joins
from opentine_gui.layout import Direction, Layout
from opentine_gui.layout.adjust import with_pins
from opentine_gui.scene.space.camera import Camera
from opentine_gui.scene.space.scene_index import SceneIndex

if TYPE_CHECKING:
    from opentine_gui.app.document.picture.folded_run import FoldedRun


class ShownPicture:
    """Cards, links and camera of a document. `layout` is None until the first layout is finished."""

    def __init__(self) -> None:
        self.record: RunRecord | None = None
        """The run it shows."""
        self.fold: FoldedRun | None = None
        """The folded run that is shown; None where every step has a card of its own."""
        self.base_layout: Layout | None = None
        """The layout as it was made; `layout` is the same with the cards where the user moved them."""
        self.base_pins: Pins = {}
        self._unfit: dict[Direction, Pins] = {}
        """The places of cards that were found when the folded run was first shown and that do not fit it."""
        self._checked_pins: tuple[Pins, bool] = ({}, False)
        self.layout: Layout | None = None
        self.scene_index: SceneIndex | None = None
        self.is_borrowed = False
        """True while the layout is a part of another document's, shown until the document has its own."""
        self.layout_revision = 0
        self.cards_revision = 0
        """Changes when the picture gets other cards; unlike `layout_revision`, not while they slide."""
        self.hovered: int | None = None
        self.camera: Camera | None = None
        self.flight: Flight | None = None
        self.card_slide: CardSlide | None = None
        self.arrival: Arrival | None = None
        self.refit_on_layout = False
        """Whether the camera goes to the first view once the next layout is shown."""
        self.reveal_when_laid_out: str | None = None
        """A step that was added and has no card yet."""
        self._late_links: tuple[Layout | None, frozenset[int]] = (None, frozenset())

    # --- the cards -------------------------------------------------------------------------------------------------

    def show(
        self,
        layout: Layout,
        record: RunRecord,
        pins: Pins,
        *,
        borrowed: bool = False,
        index: SceneIndex | None = None,
        fold: FoldedRun | None = None,
    ) -> None:
        """Show a layout of `record` that was made with these positions of the user's; `move_cards` has to follow.

        A `borrowed` one is shown until the document has its own. `index` is the layout's, if the caller has it. `fold`
        is what the layout shows of a folded run.
        """
        self.fold = fold
        self.cards_revision += 1
        self.base_layout, self.base_pins, self.record = layout, dict(pins), record
        self._checked_pins = ({}, False)
        self.is_borrowed = borrowed
        self.layout = None
        self.hovered = None
        self.scene_index = index or self.scene_index

    def is_of(self, graph: Graph, direction: Direction) -> bool:
        """Whether it shows this graph in this direction, by a layout of its own."""
        layout, record = self.base_layout, self.record
        if layout is None or record is None or self.is_borrowed:
            return False
        return record.graph is graph and layout.direction is direction

    def has_other_pins(self, placed: Pins) -> bool:
        """Whether the layout was made with a position of a card that is not among those `placed` now."""
        if self._checked_pins[0] is not placed:  # called every frame: compare only when the positions changed
            self._checked_pins = (placed, any(key not in placed for key in self.base_pins))
        return self._checked_pins[1]

    def move_cards(self, state: DocumentState) -> None:
        """Move the cards whose positions in `state` differ from those the layout was made with."""
        if self.base_layout is None:
            return
        self.card_slide = None
        if self.fold is None:
            shown = with_pins(self.base_layout, state.placed(self.base_layout.direction))
        else:  # a local view is a picture of its own, in which nothing was moved
            moved = self._fitting(state, self.fold) if not self.fold.is_local else {}
            self.fold = self.fold.with_pins(moved)
            shown = self.fold.layout
        if shown is not self.layout:
            # Where only some cards moved, or steps came or went, the new index reuses the old one.
            known = self.scene_index
            self.scene_index = known.updated(shown) if known is not None else SceneIndex(shown)
            self.layout = shown
            self.layout_revision += 1

    def _fitting(self, state: DocumentState, fold: FoldedRun) -> Pins:
        """Where the cards of a folded run were put, without the places that were found and do not fit it.

        A place is kept by step, so that it may come from another run, in which other cards stand there.
        """
        direction = fold.home.direction
        placed = state.placed(direction, folded=True)
        if direction not in self._unfit:  # only what was put there before: by hand a card may cover another one
            self._unfit[direction] = fold.covering(placed) if placed else {}
        unfit = self._unfit[direction]
        return {step: point for step, point in placed.items() if unfit.get(step) != point} if unfit else placed

    def index_of(self, step_id: str) -> int | None:
        """The index of a step's card; None when it has none (yet)."""
        return self.layout.index.get(step_id) if self.layout is not None else None

    def step_id(self, index: int) -> str:
        """The id of a card's step, for a group that of the step it ends with. IndexError before there is a picture."""
        if self.record is None:
            raise IndexError(index)
        return self.record.graph.ids[index if self.fold is None else self.fold.shown_step(index)]

    def step_ids(self, index: int) -> list[str]:
        """The ids of all steps that a card holds."""
        if self.fold is None:
            return [self.step_id(index)]
        ids = self.fold.graph.ids
        return [ids[step] for step in self.fold.all_steps(index)]

    def pin_of(self, index: int) -> str:
        """The id under which the position of a card is kept, for a group that of its first step."""
        return self.step_id(index) if self.fold is None else self.fold.graph.ids[self.fold.card(index).name]

    @property
    def late_links(self) -> frozenset[int]:
        """The links that are asynchronous joins; found once for each layout."""
        if self.fold is not None:
            return self.fold.late_links
        layout, record = self.base_layout, self.record
        if layout is None or record is None:
            return frozenset()
        if self._late_links[0] is not layout:
            from opentine_gui.app.document.picture.folded_run import late_links

            count = len(record.graph)
            pairs = {parent * count + step for parent, step in late_joins(record.graph)}
            self._late_links = (layout, late_links(layout, pairs) if pairs else frozenset())
        return self._late_links[1]

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
    def camera_goal(self) -> Camera | None:
        """Where the camera is going, or where it is while it does not fly; None before there is a picture."""
        return self.flight.goal if self.flight is not None else self.camera

    @property
    def moves(self) -> bool:
        """True while the camera flies or cards slide."""
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
