"""The session: open documents and the one door through which everything happens to them."""

from __future__ import annotations

import os
import time
import traceback
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from opentine_gui.app.document.card_positions import PositionStore, PositionWriter
from opentine_gui.app.document.document import Document, Source
from opentine_gui.app.folder.runs_folder import RunsFolder
from opentine_gui.app.state.action_registry import Action, Registry
from opentine_gui.app.state.commands import Command, DocumentState
from opentine_gui.app.state.notices import Notices
from opentine_gui.app.state.pointer_state import PointerTools
from opentine_gui.app.state.prompts import Answer, ListPrompter, Prompter, Question
from opentine_gui.app.state.settings import Settings, load_settings, save_settings
from opentine_gui.app.state.window_state import ContextMenu, View
from opentine_gui.app.system.jobs import SHOW_AFTER, Jobs
from opentine_gui.app.system.watch import NoWatch, Watch
from opentine_gui.core import TineError
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Camera, Viewport

EDGE = 24.0
"""Pixels between a step that was brought into view and the canvas's edge."""

BUDGET = 0.008
"""Seconds of a frame that results and actions may take."""


class Proposal(Protocol):
    """What is about to happen and shown before it does: a fork, a fork with edited inputs, a merge."""

    @property
    def refusal(self) -> str | None:
        """Why it cannot be accepted as it stands, or None."""

    def concerns(self, document: Document | None) -> bool:
        """Whether it belongs to this document."""

    def accept(self, session: Session) -> None:
        """Make it happen."""


class Presentation(Protocol):
    """A story being told, step after step."""

    @property
    def document(self) -> Document:
        """The document whose steps are told."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps in order."""

    @property
    def position(self) -> int:
        """The place of the present step in `steps`."""

    @property
    def step(self) -> str:
        """The present step."""

    @property
    def told(self) -> frozenset[str]:
        """The steps told so far."""

    def stop(self, session: Session) -> None:
        """Go back to work."""


class SafetyCopies(Protocol):
    """Copies of unsaved work that survive a crash."""

    def forget(self, document: Document) -> None:
        """The document is saved or closed: its copy is no longer needed."""

    def titles(self, key: str) -> tuple[str, ...]:
        """What a session that did not end properly left."""

    def open(self, key: str) -> None:
        """Open it."""

    def discard(self, key: str) -> None:
        """Drop it."""

    def close(self) -> None:
        """End with the session."""


class Session:
    """The application without a window: `invoke` appends to a queue, `step` works it off.

    It knows its features by what it needs of them; `app.application` makes them and puts them in.
    """

    tools: PointerTools
    recovery: SafetyCopies

    def __init__(
        self,
        actions: Registry,
        *,
        jobs: Jobs | None = None,
        prompter: Prompter | None = None,
        watch: Watch | NoWatch | None = None,
        settings: Settings | None = None,
        environment: Mapping[str, str] | None = None,
        working_folder: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        nonce: Callable[[], str] = lambda: os.urandom(16).hex(),
    ) -> None:
        self.clock, self.now, self.nonce = clock, now, nonce
        self.jobs = jobs if jobs is not None else Jobs(clock=clock)
        self.prompter: Prompter = prompter if prompter is not None else ListPrompter()
        self.watch = watch if watch is not None else Watch()
        self.settings = settings if settings is not None else load_settings()
        self.position_store = PositionStore(now=now)
        self.notices = Notices()
        self.position_writer = PositionWriter(self.position_store, self.jobs, self.notices)
        self.actions = actions
        self.working_folder = working_folder or Path.cwd()
        self.runs = RunsFolder(self.working_folder, os.environ if environment is None else environment)
        self.view = View(panels=self.settings.panels, minimap=self.settings.minimap, theme=self.settings.theme)
        self.clipboard: Callable[[str], None] = lambda _text: None
        self.viewport = Viewport(1000.0, 700.0)
        self.documents: list[Document] = []
        self.closed_documents = 0
        """How many were closed: what they leave is given back when the window comes to rest."""
        self._proposal: Proposal | None = None
        self.proposal_key = 0
        self.presentation: Presentation | None = None
        self.context_menu: ContextMenu | None = None
        self.text_focused = False
        self.quit = False
        """True once quitting is settled: the window closes at the next frame."""
        self.revision = 0
        self.duties: list[tuple[str, Callable[[], None]]] = []
        """What features do every step: a title for errors, and the work."""
        self.path_listeners: list[Callable[[Sequence[Path]], None]] = []
        """Called with the paths that changed on disk."""
        self._active: Document | None = None
        self._numbers = 0
        self._context_menus = 0
        self._queue: deque[tuple[str, Callable[[], None]]] = deque()
        self._reported = (-1, -1)
        self._closed = False

    # --- the door --------------------------------------------------------------------------------------------------

    def invoke(self, action_id: str, /, **arguments: Any) -> None:
        """Ask for an action; it runs at the next `step`. KeyError for an action that does not exist."""
        action = self.actions[action_id]
        self._queue.append((action.title, lambda: self._run(action_id, arguments)))

    def enabled(self, action_id: str, **arguments: Any) -> str | None:
        """None when the action can run now with these arguments, else the reason why not."""
        return self.actions[action_id].enabled(self, **arguments)

    def later(self, title: str, work: Callable[[], None]) -> None:
        """Run this at the next `step`, with errors treated as those of an action called `title`."""
        self._queue.append((title, work))

    def ask(self, question: Question, answer: Callable[[Answer], None]) -> None:
        """Ask the user; `answer` runs in a later `step`, and not at all when the user declines."""

        def arrived(given: Answer | None) -> None:
            if given is not None:
                self.later(question.title, lambda: answer(given))

        self.prompter.ask(question, arrived)

    def step(self, budget: float = BUDGET) -> bool:
        """Take results, run queued actions, move cameras. True when anything visible may have changed."""
        end = time.perf_counter() + budget
        applied, stray = self.jobs.apply(budget)
        for job, error in stray:
            self._report(job.title or "A job", error)
        if applied:
            self.touch()
        changed_paths = self.watch.take()
        if changed_paths:
            for listener in self.path_listeners:
                listener(tuple(changed_paths))
        while self._queue:
            title, work = self._queue.popleft()
            self._guarded(title, work)
            self.touch()
            if time.perf_counter() >= end:
                break
        for document in self.documents:
            if document.advance_flight(self.clock()):
                self.touch()
            if document.advance_glide(self.clock()):
                self.touch()
        for title, work in self.duties:
            self._guarded(title, work)
        now = (self.revision, self.notices.revision)
        changed = now != self._reported
        self._reported = now
        return changed or bool(self.jobs.running(SHOW_AFTER))

    @property
    def busy(self) -> bool:
        """True while something is queued, under way in a job, or moving."""
        return (
            bool(self._queue)
            or not self.jobs.idle
            or any(document.flight or document.glide for document in self.documents)
        )

    def settle(self, seconds: float = 30.0) -> None:
        """Step until nothing is queued or under way: for tests and batch runs. TimeoutError after `seconds`."""
        end = time.monotonic() + seconds
        self.step(budget=seconds)
        while self._queue or not self.jobs.idle:
            if time.monotonic() > end:
                raise TimeoutError("the session did not come to rest")
            self.jobs.wait(0.02)
            self.step(budget=seconds)

    def touch(self) -> None:
        """Say that something visible changed."""
        self.revision += 1

    def close(self) -> None:
        """Stop jobs and watches and write the settings. Unsaved work stays in the recovery folder unless closed."""
        if self._closed:
            return
        self._closed = True
        self.watch.close()
        self.jobs.close()
        self.position_writer.close()
        self.settings.theme, self.settings.panels = self.view.theme, self.view.panels
        self.settings.minimap = self.view.minimap
        try:
            save_settings(self.settings)
        except (OSError, TineError) as error:
            self.notices.add("warning", f"The settings could not be written: {error}")
        self.recovery.close()

    def _run(self, action_id: str, arguments: Mapping[str, Any]) -> None:
        action = self.actions[action_id]
        reason = action.enabled(self, **arguments)
        if reason is not None:
            self.notices.add("info", f"{action.title.rstrip('…')}: {reason}", key=f"disabled:{action_id}")
            return
        action.run(self, **arguments)

    def _guarded(self, title: str, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - the loop's edge: an action that fails is a notice, not an end
            self._report(title, error)

    def _report(self, title: str, error: Exception) -> None:
        """The one place where an error becomes a notice."""
        text = describe(error)
        expected = isinstance(error, (TineError, OSError, LookupError))
        detail = "" if expected else "".join(traceback.format_exception(error))
        self.notices.add("error", f"{title.rstrip('…')}: {text}", detail=detail)
        self.touch()

    # --- documents -------------------------------------------------------------------------------------------------

    @property
    def proposal(self) -> Proposal | None:
        """What is about to happen, or None."""
        return self._proposal

    @proposal.setter
    def proposal(self, proposal: Proposal | None) -> None:
        if proposal is not self._proposal:
            self._proposal = proposal
            self.proposal_key += 1
            self.touch()

    @property
    def active(self) -> Document | None:
        """The document in front."""
        return self._active

    def activate(self, document: Document | None) -> None:
        """Bring a document to the front; an open gesture or proposal belongs to the old one and is dropped."""
        if document is self._active:
            return
        self._active = document
        self.tools.cancel()
        if self.presentation is not None and self.presentation.document is not document:
            self.presentation.stop(self)
        if self.proposal is not None and not self.proposal.concerns(document):
            self.proposal = None
        self.context_menu = None
        self.touch()

    def document(self, number: int) -> Document | None:
        """The open document with this number."""
        return next((document for document in self.documents if document.number == number), None)

    def document_at(self, path: Path) -> Document | None:
        """The open document of this file."""
        wanted = _real(path)
        return next((d for d in self.documents if d.path is not None and _real(d.path) == wanted), None)

    def add_document(
        self, *, path: Path | None = None, state: DocumentState | None = None, source: Source | None = None
    ) -> Document:
        """Open a new document beside the active one and bring it to the front."""
        self._numbers += 1
        document = Document(
            self._numbers,
            path=path,
            state=state,
            direction=_direction(self.settings.direction),
            source=source,
        )
        place = self.documents.index(self._active) + 1 if self._active in self.documents else len(self.documents)
        self.documents.insert(place, document)
        self.activate(document)
        self.watch_files()
        return document

    def remove_document(self, document: Document) -> None:
        """Close a document without asking; its neighbour comes to the front."""
        if document not in self.documents:
            return
        place = self.documents.index(document)
        self.documents.remove(document)
        self.closed_documents += 1
        for key in ("open", "layout", "tidy", "verify", "save", "check", "swap", "others"):
            self.jobs.cancel(f"{key}:{document.number}")
        self.recovery.forget(document)
        if self.proposal is not None and self.proposal.concerns(document):
            self.proposal = None
        if document is self._active:
            rest = self.documents
            self.activate(rest[min(place, len(rest) - 1)] if rest else None)
        self.watch_files()
        self.touch()

    def apply(self, document: Document, command: Command) -> None:
        """Do an undoable edit on a document."""
        if document.state is None:
            return
        before = document.state
        document.edit(command.label, command.apply(before))
        self.after_edit(document, before)

    def after_edit(self, document: Document, before: DocumentState) -> None:
        """What follows every change of a document's state, undo and redo included."""
        state = document.state
        if state is None or state is before:
            return
        self.position_writer.remember(before, state)
        self.touch()

    def watch_files(self) -> None:
        """Watch the folders of the open files and of the runs."""
        files = {document.path for document in self.documents if document.path is not None}
        for document in self.documents:
            files.update(document.members.paths if document.members is not None else ())
        folders = {path.parent for path in files}
        if self.runs.folder is not None:
            folders.add(self.runs.folder)
        self.watch.watch(folders, files)

    def bring_into_view(self, document: Document, step_id: str) -> None:
        """Move the camera as little as needed so that a step's card is seen whole."""
        index = document.index_of(step_id)
        if index is None or document.layout is None or document.camera is None:
            return
        goal = document.flight.goal if document.flight is not None else document.camera
        x, y = (float(value) for value in document.layout.centers[index])
        spacing = document.layout.spacing
        room_x = max(0.0, self.viewport.width / 2 / goal.zoom - spacing.node_width / 2 - EDGE / goal.zoom)
        room_y = max(0.0, self.viewport.height / 2 / goal.zoom - spacing.node_height / 2 - EDGE / goal.zoom)
        wanted = Camera(min(max(goal.x, x - room_x), x + room_x), min(max(goal.y, y - room_y), y + room_y), goal.zoom)
        if wanted != goal:
            document.fly(wanted, self.clock(), self.settings.motion)

    def action_of(self, chord: str) -> Action | None:
        """The action a chord stands for now; a presentation and a comparison have keys of their own."""
        overlay = self.active.overlay if self.active is not None else None
        comparing = overlay is not None and overlay.comparison is not None
        mode = "present" if self.presentation is not None else "compare" if comparing else ""
        return self.actions.by_key(chord, mode)

    def press(self, chord: str) -> bool:
        """A key was pressed: invoke its action when it can run. True when the chord belongs to one that can."""
        action = self.action_of(chord)
        if action is None or action.enabled(self) is not None:
            return False
        self.invoke(action.id)
        return True

    def open_context_menu(self, kind: str, x: float, y: float, *, step: str | None = None) -> None:
        """Ask the window for a context menu at a place of the canvas."""
        self._context_menus += 1
        self.context_menu = ContextMenu(kind, x, y, step, number=self._context_menus)
        self.touch()


def describe(error: BaseException) -> str:
    """An error as a sentence for the user."""
    if isinstance(error, TineError):
        return str(error)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or error}"
    if isinstance(error, LookupError) and error.args:
        return str(error.args[0])
    return f"something went wrong ({type(error).__name__}: {error})"


def _direction(text: str) -> Direction:
    """The direction of that name; the usual one for a name nobody knows."""
    known = (direction for direction in Direction if direction.value == text)
    return next(known, Direction.TOP_TO_BOTTOM)


def _real(path: Path) -> str:
    return os.path.realpath(path)
