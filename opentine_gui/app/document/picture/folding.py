"""What the user wants to see of a long run: which groups are open, every step, or only the cone of some steps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentine_gui.app.document.picture.fold_state import FoldState, Opening
    from opentine_gui.app.document.picture.folded_run import FoldedRun
    from opentine_gui.core import Graph
    from opentine_gui.core.structure.structure import Structure
    from opentine_gui.scene.space.camera import Camera

MOST_STRUCTURES = 3


class Folding:
    """A document's wishes for its folded picture; the picture made from them is `ShownPicture.fold`.

    They belong to the view: nothing of them is saved, and undo does not cover them.
    """

    def __init__(self) -> None:
        self.state: FoldState | None = None
        """What is to be open; None for the first view, which fits the canvas."""
        self.every_step: bool | None = None
        """Whether every step of a long run is to have a card; None: as remembered for the run."""
        self.inherited = False
        """Whether the run was made of a folded one: it is folded, however short it is, and `state` was that one's."""
        self.overflows = False
        """Whether the run is short, but too long for the canvas with its steps one below the other."""
        self.local: tuple[str, ...] = ()
        """The steps whose cone alone is shown, as a local view; empty for the whole run."""
        self.hidden: tuple[str, ...] = ()
        """The steps of which all that rests on them is hidden: the local view is that of all other tips."""
        self._seeds: tuple[object, tuple[int, ...]] = (None, ())
        self.returns_to: Camera | None = None
        """Where the camera goes once the whole run is shown again."""
        self.views: dict[Opening, tuple[Camera | None, Camera | None]] = {}
        """For each open group: the camera before it was opened, and the one it brought."""
        self.structures: tuple[Structure, ...] = ()
        """The last structures of this run, so that undo and opening groups need none made."""
        self.made_from: Structure | None = None
        """The structure of the run this one was made from, until it has its own: most of their steps are the same."""
        self._around: tuple[FoldState | None, Camera | None] = (None, None)

    def is_met_by(self, picture: FoldedRun) -> bool:
        """Whether a folded picture shows what is to be open, and a local view only if one is wanted."""
        return picture.state is self.state and picture.is_local == self.is_local

    @property
    def is_local(self) -> bool:
        """Whether a part of the run is to be shown alone."""
        return bool(self.local or self.hidden)

    def seeds_in(self, graph: Graph) -> tuple[int, ...]:
        """The positions of the steps whose cone is shown; none for the whole run, or if nothing would be left.

        Of hidden branches they follow the run: a branch that begins later is shown unless it rests on a hidden step.
        """
        key = graph, self.local, self.hidden
        if self._seeds[0] != key:
            wanted = (graph.index(step) for step in self.local if step in graph)
            if self.hidden:
                gone = set(graph.descendants([graph.index(step) for step in self.hidden if step in graph]))
                wanted = (tip for tip in graph.tips if tip not in gone)
            self._seeds = key, tuple(wanted)
        return self._seeds[1]

    def inherit(self, source: Folding) -> None:
        """Take over what is open in the run that this one was made from."""
        state = source._around[0] if source.is_local else source.state
        if state is not None:
            self.state, self.inherited = state, True

    def view_before(self, closed: Opening, camera: Camera | None) -> Camera | None:
        """The camera to go back to when a group is closed; None if it was moved since, to `camera`.

        Groups that were opened inside it are closed with it, and the view may be the one that these brought.
        """
        before, _ = self.views.get(closed, (None, None))
        still_open = set(self.state.openings) if self.state is not None else set()
        brought = [view for one, (_, view) in self.views.items() if one not in still_open]
        self.views = {one: views for one, views in self.views.items() if one in still_open}
        return before if camera in brought else None

    def enter_local(self, camera: Camera | None, *, cone: tuple[str, ...] = (), hidden: tuple[str, ...] = ()) -> None:
        """Show only the cone of some steps, or all but `hidden` branches.

        A local view entered from another keeps the way back to the whole run.
        """
        if not self.is_local:
            self._around = (self.state, camera)
        self.local, self.hidden, self.state = cone, hidden, None

    def leave_local(self) -> None:
        """Show the whole run again, with what was open and from where it was looked at."""
        self.state, self.returns_to = self._around
        self.local, self.hidden, self._around = (), (), (None, None)

    def rename_steps(self, names: Mapping[str, str]) -> None:
        """Follow steps to their new ids, given by their old ones."""
        if self.state is not None:
            self.state = self.state.renamed(names)
        if self.is_local:
            outer, camera = self._around
            self.local = tuple(names.get(step, step) for step in self.local)
            self.hidden = tuple(names.get(step, step) for step in self.hidden)
            self._around = (None if outer is None else outer.renamed(names), camera)

    def keep(self, made: Structure, reached: Collection[Graph]) -> None:
        """Keep a structure, and the last ones of other graphs and cones that the undo history leads to."""
        self.made_from = None
        graphs = {id(graph) for graph in reached}
        others = (
            one
            for one in self.structures
            if id(one.graph) in graphs and (one.graph is not made.graph or one.seeds != made.seeds)
        )
        self.structures = (made, *others)[:MOST_STRUCTURES]
