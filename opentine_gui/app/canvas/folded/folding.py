"""Folds long runs: makes the first view in a job, opens and closes groups, brings folded steps to light."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from opentine_gui.app.canvas.folded import local_view
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.document.picture.fold import (
    Room,
    first_state,
    fold,
    grown_state,
    inherited_state,
    overflows,
    short_state,
    step_by_step_state,
    unfolded_state,
)
from opentine_gui.app.document.picture.fold_state import Opening
from opentine_gui.app.document.picture.folded_run import FoldedRun
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.graph.equal_ends import common_beginning
from opentine_gui.core.progress import Pace
from opentine_gui.core.record import MAIN
from opentine_gui.core.structure.cards import Cards, enclosed
from opentine_gui.core.structure.first_view import is_long
from opentine_gui.core.structure.openings import Openings
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.groups.group_title import group_title

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MOST_SHOWN = 60
"""Named and selected steps that get a card of their own in the first view."""
FIRST_PICTURE = 1
"""Priority of the jobs that make a first picture: lower numbers go first, reading (0) before all others."""
MOST_LONGER = 1.5
"""How many times as long as A the other run may be, and still hang beside it in one column."""

Show = Callable[[FoldedRun, RunRecord], None]


def request_fold(session: Session, document: Document, show: Show, stopped: Callable[[], None]) -> None:
    """Make the folded picture that the document should have, in a job; `show` is called with it."""
    record = document.record
    if document.folding.is_local and not _seeds(document):  # undone, or gone from the file
        local_view.leave(document)
    if record is None or not document.is_folded:
        return
    room = Room(document.direction, session.viewport)
    state = document.folding.state
    key = document.key("layout")
    seeds, wanted = _seeds(document), request_key(document)
    if document.requested_layout == wanted and (session.jobs.is_running(key) or document.layout_failed):
        return
    document.requested_layout = wanted
    document.layout_failed = False
    session.jobs.cancel(document.key("tidy"))
    shown = _always_shown(document)
    every_step = bool(document.folding.every_step) or not document.folds
    short = not is_long(len(record.graph))
    known, made_from = document.folding.structures, document.folding.made_from
    inherited, selected = document.folding.inherited and not known, tuple(document.selection)
    primary = (document.selection.primary,) if document.selection.primary is not None else ()
    changed = (
        state is not None and document.picture.fold is not None and document.picture.fold.graph is not record.graph
    )
    before = document.picture.fold
    if changed and before is not None and not inherited and is_another(before.graph, record.graph):
        state = document.folding.state = None
        changed, document.picture.refit_on_layout = False, True
    alone = _selected_alone(document) if changed else ()
    overlay = document.overlay
    main = _main_of(record) if overlay is None else _leading(overlay) or _main_of(record)
    tags = tuple(overlay.divergences) if overlay is not None else ()
    sides = overlay.family.holders if overlay is not None and overlay.family.graph is record.graph else None

    def work(progress: ReportProgress, cancelled: IsCancelled) -> FoldedRun:
        pace = Pace(progress, cancelled)
        same = (one for one in known if one.graph is record.graph and one.holders is sides and one.seeds == seeds)
        structure = next(same, None)
        if structure is None:
            structure = Structure(
                record.graph, main, sides, seeds=seeds, known=known[0] if known else made_from,
                progress=lambda done: pace.at(0.6 * done), cancelled=cancelled,
            )  # fmt: skip
        if state is None:
            now = unfolded_state(structure) if every_step else short_state(structure, room) if short else None
            now = now or first_state(structure, room, shown, primary, pace=pace.part(0.6, 0.7))
        elif inherited:
            now = inherited_state(structure, state, selected)
        elif changed:
            now = step_by_step_state(structure, state, before) or grown_state(structure, state, alone)
        else:
            now = state
        made = fold(structure, now, room, grows=changed, tagged=tags)
        _ = made.late_links, made.open_groups  # asked in the frame that shows them
        if changed and before is not None:
            made.follow_faces(before, pace.part(0.7, 1.0))
        else:
            made.make_faces(before, pace.part(0.7, 1.0))
        return made

    def done(made: FoldedRun) -> None:
        if document not in session.documents or document.record is None or document.record.graph is not record.graph:
            return
        if document.direction is not room.direction or document.folding.state is not state or not document.is_folded:
            return
        if _seeds(document) != seeds:
            return
        if state is None and session.viewport != room.viewport:
            # The canvas got another size meanwhile, as when the time strip comes up: the first view is made for it.
            document.folding.structures = (made.structure,)
            document.requested_layout = None
            request_fold(session, document, show, stopped)
            return
        states = document.history.states if document.history is not None else ()
        # Only what undo can reach: not the earlier states of a run that grew.
        document.folding.keep(made.structure, [state.record.graph for state in states])
        document.folding.state = made.state
        show(made, record)

    def failed(error: Exception) -> None:
        document.layout_failed = True
        session.notices.add("error", f"{document.title} could not be laid out: {error}", key=key)

    title = f"Laying out {document.title}"
    session.jobs.submit(
        key, work, done, failed, title=title, priority=FIRST_PICTURE, stopped=stopped, document=document.number
    )


def is_another(before: Graph, now: Graph) -> bool:
    """Whether a run is so much another one that its picture begins anew: most steps went, or a few became many.

    That is a file that was replaced or cut short, and one that was written again after that: what was folded for a few
    steps would hold all others in one card.
    """
    if is_long(len(now)) and not is_long(len(before)) and len(now) > 2 * len(before):
        return True
    kept = common_beginning(before.ids, now.ids)  # of a run that grew, all: asked in a frame
    return 2 * kept < len(before) and 2 * sum(step in now for step in before.ids) < len(before)


def first_picture(record: RunRecord, room: Room) -> FoldedRun:
    """The picture in which a run is shown first, made at once: for a program without a window."""
    structure = Structure(record.graph, _main_of(record))
    state = short_state(structure, room) if not is_long(len(record.graph)) else None
    made = fold(structure, state or first_state(structure, room, tuple(record.refs.values())[:MOST_SHOWN]), room)
    made.make_faces(None, Pace())
    return made


def overflows_canvas(session: Session, document: Document) -> bool:
    """Whether a short run is to be wrapped into columns; never if a card was moved in it or several runs are shown."""
    state = document.state
    if state is None or is_long(len(state.record.graph)):
        return False
    if state.placed(document.direction) or document.live.grew_at is not None:
        return False
    return overflows(state.record.graph, Room(document.direction, session.viewport))


def request_key(document: Document) -> object:
    """What a folded picture depends on: equal keys mean the same picture."""
    graph = document.record.graph if document.record is not None else None
    return graph, document.direction, document.folding.state, _seeds(document)


def _seeds(document: Document) -> tuple[int, ...]:
    """The positions of the steps whose cone a local view shows; none for the whole run."""
    graph = document.record.graph if document.record is not None else None
    return document.folding.seeds_in(graph) if graph is not None else ()


def _main_of(record: RunRecord) -> int | None:
    main = record.refs.get(MAIN) or record.main_tip
    return record.graph.index(main) if main is not None and main in record.graph else None


def _selected_alone(document: Document) -> tuple[str, ...]:
    """The selected steps that have a card each in the picture that is shown, which may know them by former ids."""
    shown = document.picture
    found = []
    for step in document.selection.ids[-MOST_SHOWN:]:
        card = next(
            (at for at in map(shown.index_of, (step, *document.live.earlier.get(step, ()))) if at is not None), None
        )
        if card is not None and shown.fold is not None and not shown.fold.is_group(card):
            found.append(step)
    return tuple(found)


def _leading(overlay: Overlay) -> int | None:
    """The tip of the run whose line begins at the left and is wrapped into columns; the others hang to its right.

    That is the longest one, as what hangs is not wrapped. Of two that are compared it is A, as in exports and in the
    table, unless B is so much longer that it would hang far below the canvas.
    """
    graph = overlay.family.graph
    runs = [(len(one.graph), one.main_tip) for one in overlay.family.records if one.main_tip in graph]
    tip = max(runs, key=lambda run: run[0])[1] if runs else None
    compared = overlay.comparison
    if compared is not None and compared.a.main_tip in graph:
        tip = compared.a.main_tip if len(compared.b.graph) <= MOST_LONGER * len(compared.a.graph) else tip
    return graph.index(tip) if tip is not None else None


def _always_shown(document: Document) -> tuple[str, ...]:
    """The steps that must not be folded away: selected, named by a ref, first to differ in a comparison.

    What is noted has its flag on the card of its group: a note must not make another picture of the run the next day.
    """
    record, overlay = document.record, document.overlay
    found: dict[str, None] = dict.fromkeys(document.selection)
    if record is not None:
        found |= dict.fromkeys(record.refs.values())
    if overlay is not None:
        found |= dict.fromkeys(overlay.divergences)
        found |= dict.fromkeys(tip for tip in (one.main_tip for one in overlay.family.records) if tip is not None)
    return tuple(found)[:MOST_SHOWN]


def open_group(document: Document, card: int, *, branches: bool = False) -> Opening | None:
    """Open a group in place (or make cards of the branches it absorbed); None if there is nothing to open."""
    folded = document.picture.fold
    if folded is None or document.folding.state is None:
        return None
    openings = Openings(folded.structure)
    held = folded.card(card)
    added = openings.branches(held) if branches else openings.by_count(held)
    if not added and not branches:
        added = openings.branches(held)
    return _add(document, folded, card, added)


def reveal(document: Document, step: str) -> bool:
    """Give a folded step a card of its own; False if it has one already.

    Closes what the previous walk opened: a walk over all failures opens one group at a time.
    """
    folded, state = document.picture.fold, document.folding.state
    if folded is None or state is None or step not in folded.graph:
        return False
    shown = document.picture.index_of(step)
    if shown is None or not folded.is_group(shown):
        return False
    while state.openings and state.openings[-1].walked:
        state = state.closed(state.openings[-1:])
    structure, positions, ids = folded.structure, folded.graph.positions, folded.graph.ids
    lanes, position = structure.lanes, positions[step]
    at = lanes.place[position]
    before = Cards(lanes, [positions[border] for border in state.borders if border in positions])
    held = next(card for card in before.cards if any(start <= at < end for start, end in before.intervals(card)))
    if held.size > 1 or held.absorbed:
        borders = frozenset(ids[border] for border in enclosed(lanes, Openings(structure).alone(position)))
        title, _ = group_title(structure, held, list(before.steps(held)))
        state = state.opened(Opening(ids[held.name], title, held.size, borders, walked=True))
    document.folding.state = state
    return True


def _add(document: Document, folded: FoldedRun, card: int, added: frozenset[int]) -> Opening | None:
    state = document.folding.state
    if state is None or not added:
        return None
    ids = folded.graph.ids
    held = folded.card(card)
    borders = frozenset(ids[step] for step in enclosed(folded.structure.lanes, added)) - state.borders
    opening = Opening(ids[held.name], document.face(card).title, held.size, borders)
    opened = state.opened(opening)
    if opened is state:
        return None
    document.folding.state = opened
    return opened.openings[-1]


def close_group(document: Document, opening: Opening) -> None:
    """Close an open group and what was opened inside it, by removing exactly the borders that were added."""
    if document.picture.fold is not None and document.folding.state is not None:
        document.folding.state = document.folding.state.closed(document.picture.fold.openings_inside(opening))


def innermost(document: Document) -> Opening | None:
    """The open group that Esc closes: around the selected card the innermost, else the one opened last."""
    folded = document.picture.fold
    if folded is None or not folded.state.openings:
        return None
    primary = document.selection.primary
    card = document.picture.index_of(primary) if primary is not None else None
    if card is not None:
        trail = folded.trail(card)
        if trail:
            return trail[-1]
    return folded.state.openings[-1]
