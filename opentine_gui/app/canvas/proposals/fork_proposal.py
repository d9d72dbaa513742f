"""The proposal of a fork: what it keeps and drops, shown and changed by the user before it is accepted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from opentine_gui.app.canvas.made_documents import MadeFrom, made_from, open_made, present_record
from opentine_gui.app.canvas.shown_layouts import borrow_layout
from opentine_gui.app.document.camera.arrival import arrival_at, arrival_camera
from opentine_gui.app.document.camera.motion import Arrival
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.tab_names import TINE, without_mark
from opentine_gui.app.state.payload_form import EMPTY, Entry, entry_of, object_problem
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import (
    EditError,
    ForkPreview,
    RunRecord,
    StepKind,
    Totals,
    fork,
    fork_and_edit,
    preview_fork,
    totals_of,
)
from opentine_gui.describe.numbers import NOT_RECORDED, counted, format_count, total_cost
from opentine_gui.describe.step_titles import title as step_title
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session
    from opentine_gui.core import Graph
    from opentine_gui.layout import Layout


LEAST_KEPT = 0.5
"""The share of a folded run's cards that a fork keeps if it is to look like it: a few cards leave the canvas empty."""
LONGEST_SOURCE = 40
"""Characters of the title of what is forked: cut, so that "stays as it is" after it always fits."""
PROMPTS = ("human", "subagent")
"""The kinds of steps that ask for something."""


class Origin(msgspec.Struct, frozen=True):
    """The run to fork where the document shows several: which of them, its record, title, and document or file."""

    run: int
    record: RunRecord
    title: str
    document: int | None = None
    path: Path | None = None

    def made_from(self, session: Session) -> MadeFrom:
        """What a run made of it says it comes from."""
        opened = session.document(self.document or 0)
        if opened is not None:
            return made_from(opened)
        return MadeFrom((self.path,) if self.path is not None else (), self.record)


class ForkFigures:
    """What a fork of a run at a step keeps and drops of it as it is now: it may grow while the fork is proposed.

    With `edited` a sibling replaces the step. LookupFailure where the run never had the step.
    """

    def __init__(self, run: Callable[[], RunRecord | None], step: str, *, edited: bool) -> None:
        self._run, self._step, self._edited = run, step, edited
        self._known: tuple[Graph, ForkPreview, Totals] | None = None
        self._work_out()

    @property
    def preview(self) -> ForkPreview:
        """What is kept and dropped; as it was last where the step is gone."""
        return self._work_out()[1]

    @property
    def left_out(self) -> Totals:
        """The totals of the steps that are dropped, without the one that an edit replaces."""
        return self._work_out()[2]

    def _work_out(self) -> tuple[Graph, ForkPreview, Totals]:
        record, known = self._run(), self._known
        if known is not None and (record is None or record.graph is known[0] or self._step not in record.graph):
            return known
        if record is None:
            raise LookupError("no run is open")
        preview = preview_fork(record, self._step, edited=self._edited)
        self._known = record.graph, preview, self._without_edited(record.graph, preview)
        return self._known

    def _without_edited(self, graph: Graph, preview: ForkPreview) -> Totals:
        if not self._edited:
            return preview.dropped_totals
        dropped: Sequence[int] = preview.dropped
        place = graph.index(self._step)
        if isinstance(dropped, range) and dropped.start == place:
            return totals_of(graph, dropped[1:])
        return totals_of(graph, (position for position in dropped if position != place))


class ForkProposal(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A fork at a step, or with `edit` a fork with a sibling of the step that has other inputs.

    `title`, `tags` (separated by commas) and `inputs` (a form) are what the user may change before accepting.
    `origin` is None when the document is the run that is forked.
    """

    TYPED: ClassVar[tuple[str, ...]] = ("inputs", "title", "tags", "reset_metrics")

    document: Document
    step: str
    figures: ForkFigures
    edit: bool = False
    title: str = ""
    tags: str = ""
    inputs: Entry = EMPTY
    reset_metrics: bool = False
    origin: Origin | None = None

    @property
    def subject(self) -> tuple[Hashable, ...]:
        """What it is about: two proposals of the same fork have the same."""
        of = (f"run {self.origin.run}",) if self.origin is not None else ()
        return "fork", self.document.number, self.step, self.edit, *of

    @property
    def touched(self) -> bool:
        """Whether the user typed something into it."""
        return bool(self.edit and (self.inputs.changes or self.title or self.tags or self.reset_metrics))

    @property
    def preview(self) -> ForkPreview:
        """What is kept and dropped of the run as it is now."""
        return self.figures.preview

    @property
    def step_title(self) -> str:
        """The step's title as its card has it."""
        return step_title(self.document.step(self.step))

    @property
    def sentence(self) -> str:
        """What is kept and dropped, what it costs, and which file stays as it is."""
        kept, dropped = self.preview.kept_totals, self.figures.left_out
        keeps = ", ".join([counted(kept.steps, "step"), *self._cost(kept)])
        drops = ", ".join([format_count(dropped.steps), *self._cost(dropped)]) if dropped.steps else "nothing"
        source = clean(self.origin.title if self.origin is not None else self.document.title, LONGEST_SOURCE)
        if self.document.origin is not None:  # an agent's session is called by what was asked
            source = "this session"
        middle = ", replaces this one, " if self.edit else " · "
        return f"Keeps {keeps}{middle}drops {drops} · {source} stays as it is"

    def _cost(self, totals: Totals) -> list[str]:
        """The cost of the steps as a part of a sentence; nothing for no steps, and in a run without any price."""
        record = self.origin.record if self.origin is not None else self.document.record
        whole = record.totals if record is not None else totals
        if not totals.steps or (whole.unpriced and not whole.cost_known):
            return []
        said = total_cost(totals)
        return [f"cost {said}" if said == NOT_RECORDED else said]

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it is, or None."""
        return self.problem

    @cached_property
    def problem(self) -> str | None:
        """What is wrong with the inputs, or None; cached, for it is asked every frame and they may be long."""
        return object_problem(self.inputs, "Inputs") if self.edit else None

    @cached_property
    def prompt(self) -> str | None:
        """What was asked last before the step to edit; None if the step itself has its prompt."""
        record = self.document.record
        if not self.edit or record is None:
            return None
        head = record.graph.head(record.graph.index(self.step))
        if head.kind is StepKind.MODEL and not self.lacks_request:
            return None
        asked = prompt_of(record, self.step)
        return asked if asked != self.step else None

    @property
    def lacks_request(self) -> bool:
        """Whether nothing was recorded of what was sent for the step to edit."""
        return self.edit and not self.inputs.entries and not self.inputs.changes

    def dropped_indices(self, layout: Layout) -> frozenset[int]:
        """The cards of the source's layout that the fork drops."""
        kept = {layout.index.get(step) for step in (*self.preview.kept_ids, self.step)}
        return frozenset(index for index in range(len(layout.nodes)) if index not in kept)

    def concerns(self, document: Document | None) -> bool:
        """Whether the proposal belongs to this document."""
        return document is self.document

    def accept(self, session: Session) -> None:
        """Fork, in a job if there are many steps, and open the result as an unsaved document.

        The proposal stays until the fork is there, so that nothing typed is lost if it fails. EditError if the run is
        closed.
        """
        origin = self.origin
        record = origin.record if origin is not None else self.document.record
        if record is None:
            raise EditError("the run is not open any more")
        options: dict[str, Any] = {
            "title": self.title.strip() or None,
            "tags": [tag for tag in self.tags.split(",") if tag.strip()] or None,
            "reset_metrics": self.reset_metrics,
            "now": session.now(),
            "nonce": session.nonce(),
        }
        of = origin.title if origin is not None else self.document.title.removesuffix(".tine")

        def make() -> RunRecord:
            if self.edit:
                return fork_and_edit(record, self.step, inputs=self.inputs.value, **options)
            return fork(record, self.step, **options)

        def made(forked: RunRecord) -> None:
            selected = forked.graph.ids[-1] if self.edit else self.step
            source = session.document(origin.document or 0) if origin is not None else self.document
            arrival = self._arrival(session, forked, selected)
            behind = self.document if self._was_left(session) else None
            name = self.title.strip() or fork_name(of, {document.title for document in session.documents})
            made_of = origin.made_from(session) if origin is not None else made_from(self.document)
            result = open_made(session, [made_of], forked, name, "fork", selected, behind)
            if source is not None:
                borrow_layout(result, source)
                if result.is_folded:
                    result.folding.made_from = next(iter(source.folding.structures), None)
            result.made_in = self.document.number
            if not self.document.is_folded or self._keeps_most_cards(forked):
                result.picture.arrival = arrival
            if result.picture.arrival is not None and self.document.is_folded:
                result.folding.inherit(self.document.folding)
                if arrival is not None and arrival.step != selected:  # the tip stands below the group it was in
                    result.picture.reveal_when_laid_out = selected
            camera = arrival_camera(result.picture, session.viewport)  # a borrowed layout is there already
            if camera is not None:
                result.picture.set_camera(camera)
            if session.proposal is self:
                session.proposal = None
            session.drafts.pop(self.subject, None)

        # The same fork asked for twice is made once; another one beside it is made as well.
        key = ":".join(map(str, self.subject))
        title, steps = f"Forking {of}", len(record.graph)
        session.jobs.compute(key, make, made, steps=steps, title=title, stopped=leaves_nothing)

    def _was_left(self, session: Session) -> bool:
        """Whether the user went on with something else while it was made: in another tab, or in another form."""
        present = session.proposal
        types = present is not None and present.touched and present.subject != self.subject
        return types or session.active not in (None, self.document)

    def _keeps_most_cards(self, forked: RunRecord) -> bool:
        """Whether the fork looks like its source if it is folded alike: else it gets a first view of its own."""
        fold = self.document.picture.fold
        if fold is None or fold.is_local:
            return True
        return sum(card in forked.graph for card in fold.layout.nodes) >= LEAST_KEPT * len(fold)

    def _arrival(self, session: Session, forked: RunRecord, selected: str) -> Arrival | None:
        """Where the first camera puts the fork: its group where the source's is, else its tip where the step is."""
        document = self.document
        card = document.picture.index_of(self.step)
        first = document.picture.pin_of(card) if card is not None else self.step
        if first in forked.graph:
            return arrival_at(first, document.picture, first, session.viewport)
        return arrival_at(selected, document.picture, self.step, session.viewport)


def prompt_of(record: RunRecord, step: str) -> str | None:
    """The step itself if it is a prompt, else the last one above it; None if nobody asked anything.

    That is a person's prompt or, for the steps of a sub-agent, its task: the way up goes through first parents, not
    through work that was joined.
    """
    graph = record.graph
    place, kinds = graph.index(step), graph.v3_kinds
    while kinds.get(place) not in PROMPTS:
        if not graph.parents[place]:
            return None
        place = graph.parents[place][0]
    return graph.ids[place]


def fork_name(of: str, taken: Collection[str]) -> str:
    """What a fork without a title is called beside the `taken` titles: "Fork of a", then "Fork 2 of a".

    A fork of a fork is the next one of its source: "Fork of Fork of a" would leave a tab no room for the name.
    """
    of, names = without_mark(of), {title.removesuffix(TINE) for title in taken}
    numbered = (f"Fork {number} of {of}" for number in count(2))
    return next(name for name in chain([f"Fork of {of}"], numbered) if name not in names)


def propose_fork(document: Document, step: str, *, edit: bool = False, run: int | None = None) -> ForkProposal:
    """The proposal to fork at a step. TineError for an unknown step, EditError if `run` is none of the runs shown.

    Where the document shows several runs, `run` is the one to fork, by default the one `Overlay.holder` names.
    """
    record = present_record(document)
    step = record.resolve(step)
    if document.overlay is not None:
        overlay = document.overlay
        chosen = overlay.holder(step) if run is None else run
        if chosen is None or not 0 <= chosen < len(overlay.runs):
            raise EditError("none of the runs has this step")
        shown, record = overlay.runs[chosen], overlay.family.records[chosen]
        origin = Origin(chosen, record, shown.title, shown.document, shown.path)
        return ForkProposal(document, step, ForkFigures(lambda: origin.record, step, edited=False), origin=origin)
    inputs = entry_of(record.graph.step(step).inputs) if edit else EMPTY
    figures = ForkFigures(lambda: document.record, step, edited=edit)
    return ForkProposal(document, step, figures, edit=edit, inputs=inputs)
