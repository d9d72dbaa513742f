"""Documents that show several runs: opens them, makes the union of the runs, and makes it again when a run changes.

Such a document is read-only. Its runs are open documents or files; the union is made in a job, and selection and camera
are kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from opentine_gui.app.comparison import comparison_view
from opentine_gui.app.comparison.build_union import UnionResult, build_union, same_runs, shown_runs, union_record
from opentine_gui.app.comparison.related_runs import count_others, present_member, source_first
from opentine_gui.app.document.camera.framing import FIRST_ZOOM, READING_ZOOM, camera_of_all
from opentine_gui.app.document.document import Document
from opentine_gui.app.document.members import (
    Member,
    Members,
    ShownTogether,
    comparison_title,
    disambiguate,
    name_of,
    paths_of,
    title_of,
)
from opentine_gui.app.document.on_disk import Progress
from opentine_gui.app.document.overlay import Overlay, ShownRun, lettered
from opentine_gui.app.document.source import Source
from opentine_gui.app.files import opening
from opentine_gui.app.state.commands import DocumentState
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.core import Comparison, EditError, TineError, compare
from opentine_gui.importers.sources.parts import is_there
from opentine_gui.scene.space.camera import Camera
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

READABLE = 0.6
"""The zoom from which the titles of cards are easy to read."""


# --- opening ---------------------------------------------------------------------------------------------------------


def open_together(session: Session, members: Sequence[Member], *, comparing: bool, in_order: bool = False) -> Document:
    """Open a document of these runs, or bring the one that shows them to the front. EditError for too few runs.

    Of two that are compared, the one that the other was made from is A: what came after it is what was added. With
    `in_order` the first one is.
    """
    once: dict[object, Member] = {}
    for member in members:
        once.setdefault(member.key, member)
    chosen = tuple(once.values())
    if len(chosen) < 2:
        raise EditError("two different runs are needed")
    if comparing:
        chosen = chosen[:2] if in_order else source_first(session, (chosen[0], chosen[1]))
    open_already = next((d for d in session.documents if _same(d, chosen, comparing)), None)
    if open_already is not None:
        session.activate(open_already)
        return open_already
    source = Source(title_of(chosen, comparing), paths_of(chosen), (), "family")
    document = session.add_document(source=source)
    document.members = Members(disambiguate(chosen), comparing)
    document.loading = Progress("Putting the runs together")
    session.watch_files()
    refresh_union(session, document)
    for shown in session.documents:
        if is_shown_together(session, shown):
            session.notices.dismiss(shown.key("relatives"))  # it need not be offered any more
    return document


def open_again(session: Session, together: ShownTogether) -> bool:
    """Open a document of runs that a closed one showed. False if it is open, or too few of the runs are there."""
    found = [present_member(session, member) for member in together.members]
    there = [run for run in found if run.record is not None or (run.path is not None and is_there(run.path))]
    is_open = any(_same(shown, there, together.comparing) for shown in session.documents)
    if is_open or len({run.key for run in there}) < 2:
        return False
    open_together(session, there, comparing=together.comparing, in_order=True)
    return True


def is_shown_together(session: Session, document: Document) -> bool:
    """Whether a run is one of several that a document shows."""
    shown = [member for other in session.documents if other.members is not None for member in other.members.members]
    by_file = document.path is not None and any(document.path == member.path for member in shown)
    return by_file or any(document.number == member.document for member in shown)


def _same(document: Document, members: Sequence[Member], comparing: bool) -> bool:
    found = document.members
    if found is None or found.comparing is not comparing:
        return False
    return {member.key for member in found.members} == {member.key for member in members}


# --- following -------------------------------------------------------------------------------------------------------


def refresh_union(session: Session, document: Document) -> None:
    """Make the union again if its runs changed. Called in every `Session.step`.

    One that is shown behind another tab is made again when it is in front: a session may grow many times until then.
    """
    members = document.members
    if members is None or session.jobs.is_running(document.key("open")):
        return
    wanted: list[object] = []
    by_number = {other.number: other for other in session.documents}
    if _follow_files(members, by_number):
        session.watch_files()
    by_path = {other.path: other for other in session.documents if other.path is not None}
    for number, member in enumerate(members.members):
        source = by_number.get(member.document or 0)
        if source is None and member.path is not None and not member.on_disk:
            source = by_path.get(member.path)
        if source is not None and source.record is not None:
            wanted.append(source.record)
        elif source is not None and source.error is None:
            return  # it is still being read
        elif member.path is not None and (member.path in members.stale or not _known(members, member.path)):
            wanted.append(member.path)
        elif member.path is not None:
            wanted.append(members.files[member.path][1] if member.path in members.files else None)
        else:  # an unsaved run that was closed: its last record
            wanted.append(members.latest[number] if members.latest else member.record)
    members.latest = tuple(wanted)
    if document is not session.active and document.overlay is not None:
        members.others_key = None  # it holds records, which may be old ones by then
    elif members.union_inputs is None or not same_runs(members.union_inputs, wanted):
        _build(session, document, members, tuple(wanted))
    elif document.overlay is not None:
        _put_in_order(session, document, members)
        count_others(session, document, members)
        _show_first_divergence(session, document, members)


def _follow_files(members: Members, by_number: Mapping[int, Document]) -> bool:
    """Know the runs that are open by the files they are in now. True if one was saved since: its record is new, too."""
    followed: list[Member] = []
    for member in members.members:
        source = by_number.get(member.document or 0)
        if source is not None and source.path is not None and source.path not in members.paths:
            member = replace(member, title=name_of(source.title), path=source.path)
        followed.append(member)
    changed = any(one is not other for one, other in zip(followed, members.members, strict=True))
    if changed:
        members.members = disambiguate(followed)
    return changed


def paths_changed(session: Session, paths: Iterable[Path]) -> None:
    """Mark the changed files that are runs of a family, to be read again."""
    real = {os.path.realpath(path) for path in paths}
    for document in session.documents:
        members = document.members
        if members is not None:
            changed = {path for path in members.paths if os.path.realpath(path) in real}
            members.stale |= changed & {*members.files, *members.problems}


def _known(members: Members, path: Path) -> bool:
    return path in members.files or path in members.problems


def _build(session: Session, document: Document, members: Members, wanted: tuple[object, ...]) -> None:
    """Read what has to be read and make the union, in a job."""
    comparing, chosen, known = members.comparing, members.members, dict(members.files)
    pair, overlay = members.pair, document.overlay
    previous = overlay.family.records if overlay is not None else ()

    def work(progress: ReportProgress, cancelled: IsCancelled) -> UnionResult:
        return build_union(chosen, wanted, known, comparing, pair, progress, cancelled, previous)

    def done(result: UnionResult) -> None:
        members.files.update(result.files)
        problems = {**members.problems, **result.problems}
        members.problems = {path: text for path, text in problems.items() if path not in result.files}
        members.stale -= {*result.files, *result.problems}
        members.union_inputs = tuple(
            result.files[item][1] if isinstance(item, Path) and item in result.files
            else None if isinstance(item, Path) else item
            for item in wanted
        )  # fmt: skip
        document.loading = None
        if result.family is None and not result.unchanged:
            _report_failure(document, result)
        elif result.family is not None:
            show_union(session, document, result)
        session.touch()

    def failed(error: Exception) -> None:
        document.loading = None
        document.error = error if isinstance(error, TineError) else TineError(f"the runs cannot be shown: {error}")
        session.touch()

    def stopped() -> None:
        document.loading = None
        if document.state is None:  # there is nothing to show; asked for again, it begins again
            session.remove_document(document)

    members.union_inputs = wanted  # even if it is cancelled: no new job before one of the runs changes
    session.jobs.cancel(document.key("swap"))  # it compares them in the order that is wanted now
    session.jobs.submit(
        document.key("open"),
        work,
        done,
        failed,
        title=f"Putting together {document.title}",
        priority=opening.READ,
        stopped=stopped,
        document=document.number,
    )


def _report_failure(document: Document, result: UnionResult) -> None:
    """Keep the previous picture, or show the reason if there is none."""
    if document.state is None:
        reasons = "; ".join(result.problems.values()) or "their files are gone"
        document.error = TineError(f"the runs cannot be shown together: {reasons}")


# --- what is shown ---------------------------------------------------------------------------------------------------


def show_union(session: Session, document: Document, result: UnionResult) -> None:
    """Show a union; selection, camera and the runs switched off or lit are kept as far as they still exist."""
    members, family = document.members, result.family
    if members is None or family is None:
        return
    runs = shown_runs(family, result.members)
    pair = result.pair  # of the comparison; if A and B were swapped since, that is done again after this
    if result.comparison is not None:
        runs = lettered(runs, pair)
    overlay = _with_kept_choices(
        document.overlay,
        Overlay(family, runs, result.comparison, pair, unread=tuple(path.name for path in result.problems)),
    )
    title = title_of(result.members if pair == (0, 1) else result.members[::-1], members.comparing)
    document.source = Source(title, paths_of(result.members), (), "family")
    document.error = None
    before = document.record
    if before is None or before.graph is not family.graph:
        state = DocumentState(union_record(family, title))
        document.overlay = overlay
        document.start(state)
        document.saved_state = state
    else:
        document.show_overlay(overlay)
    members.others_key = None
    if result.problems:
        names = ", ".join(sorted(clean(path.name, 60) for path in result.problems)[:5])
        session.notices.add(
            "warning",
            f"Left out of {title} because they cannot be read: {names}.",
            detail="\n".join(result.problems.values()),
            key=document.key("family"),
        )


def swap(document: Document) -> None:
    """Ask for A and B the other way round: `refresh_union` compares them so, once no union is being made."""
    overlay, members = document.overlay, document.members
    if overlay is not None and members is not None and overlay.comparison is not None:
        members.pair = members.pair[::-1]


def _put_in_order(session: Session, document: Document, members: Members) -> None:
    """Compare the runs again, in a job, if they are wanted in another order. The union stays, so nothing moves."""
    overlay, wanted, key = document.overlay, members.pair, document.key("swap")
    if overlay is None or overlay.comparison is None or overlay.pair == wanted or session.jobs.is_running(key):
        return
    one, two = (overlay.family.records[run] for run in wanted)

    def done(comparison: Comparison) -> None:
        current = document.overlay
        if current is None or current.family is not overlay.family or members.pair != wanted:
            return
        title = comparison_title([overlay.runs[run].title for run in wanted])
        document.source = Source(title, paths_of(members.members), (), "family")
        document.show_overlay(current.with_pair(comparison, wanted))
        session.touch()

    def stopped() -> None:
        members.pair = overlay.pair

    session.jobs.submit(
        key,
        lambda progress, cancelled: compare(one, two, progress=progress, cancelled=cancelled),
        done,
        title=f"Comparing {document.title} the other way",
        priority=opening.READ,
        stopped=stopped,
        document=document.number,
    )


def _with_kept_choices(before: Overlay | None, after: Overlay) -> Overlay:
    """The new overlay with the same runs switched off and lit as before."""
    if before is None:
        return after
    places = {_name_for_good(run): number for number, run in enumerate(after.runs)}

    def now(number: int | None) -> int | None:
        return places.get(_name_for_good(before.runs[number])) if number is not None else None

    hidden = frozenset(found for found in map(now, before.hidden) if found is not None)
    last = len(after.comparison.root_divergences) - 1 if after.comparison is not None else 0
    return replace(
        after,
        hidden=hidden if len(hidden) < len(after.runs) else frozenset(),
        lit=now(before.lit),
        facing=now(before.facing),
        divergence=max(min(before.divergence, last), 0),
        others=before.others,
    )


def _name_for_good(run: ShownRun) -> object:
    """What a run of a family is known by in every union: titles tell sessions apart by what changes as they grow."""
    return run.document if run.document is not None else run.path or run.title


def _show_first_divergence(session: Session, document: Document, members: Members) -> None:
    """Place the camera once: on the whole graph if its cards are readable, else where the runs differ first."""
    picture, viewport = document.picture, session.viewport
    if members.camera_placed or document.shown_overlay is None or picture.camera is None:
        return
    members.camera_placed = True
    comparison = document.shown_overlay.comparison
    whole = camera_of_all(picture, viewport)
    # In columns the whole is an overview like that of a single run, down to where titles can still be read.
    if whole is None or whole.zoom >= (READABLE if picture.fold is None else READING_ZOOM):
        return
    camera = None
    if comparison is not None and comparison.root_divergences:
        camera = comparison_view.divergence_camera(document, 0, viewport)
    elif comparison is None and picture.fold is None:  # what is folded is shown whole
        camera = comparison_view.parting_camera(document, viewport)
    if camera is not None:
        picture.set_camera(Camera(camera.x, camera.y, min(camera.zoom, FIRST_ZOOM)))
