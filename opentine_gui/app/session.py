"""The session: the open documents, and `invoke`, the one way anything happens to them."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from opentine_gui.app.document.camera.framing import camera_to_reveal
from opentine_gui.app.document.document import Document, DocumentKey
from opentine_gui.app.document.members import ShownTogether
from opentine_gui.app.document.side_stores import SideStores
from opentine_gui.app.document.side_stores.shared_notes import share_notes
from opentine_gui.app.document.side_stores.state_writer import StateWriter, stores_of_user
from opentine_gui.app.document.source import Source
from opentine_gui.app.document.watched_files import WatchedFiles
from opentine_gui.app.features import Presentation, Proposal, SafetyCopies, Written
from opentine_gui.app.folder.agent_sessions import AgentSessions
from opentine_gui.app.folder.file_moves import FileMoves
from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.folder.runs_folder import RunsFolder
from opentine_gui.app.search.live_search import LiveSearch
from opentine_gui.app.state.action_registry import SILENT, Registry
from opentine_gui.app.state.commands import Command, DocumentState
from opentine_gui.app.state.notices import Notices
from opentine_gui.app.state.pointer_state import PointerTools
from opentine_gui.app.state.prompts import Answer, ListPrompter, Prompter, Question
from opentine_gui.app.state.settings import Settings, load_settings
from opentine_gui.app.state.window_state import ContextMenu, WindowState
from opentine_gui.app.system.desktop.command_run import CommandRun
from opentine_gui.app.system.desktop.editor import Editors
from opentine_gui.app.system.desktop.terminal import Terminals
from opentine_gui.app.system.desktop.trash import to_trash
from opentine_gui.app.system.job import SHOW_AFTER
from opentine_gui.app.system.jobs import COPYING, Jobs
from opentine_gui.app.system.settings_keeper import SettingsKeeper
from opentine_gui.app.system.watch import NoWatch, Watch
from opentine_gui.app.system.work_queue import Turns, WorkQueue
from opentine_gui.core import Fingerprint, TineError
from opentine_gui.importers.agents.table import Places
from opentine_gui.scene.space.camera import Viewport
from opentine_gui.scene.text.clean import clean_whole

MOST_CLOSED = 10
"""Closed tabs that can be opened again."""

ClosedTab = Document | Path | ShownTogether
"""What opens a closed tab again: its file, the document itself if it was in none, or the runs that it showed."""
ABOUT_A_TAB: tuple[DocumentKey, ...] = ("changed", "family", "local", "ready", "relatives", "session")
"""The notices that go when their tab is closed."""

BUDGET = 0.008
"""Seconds of a frame that job results and actions may take."""


class Session:
    """The application without a window: `invoke` queues an action, `step` runs what is queued.

    It knows its features by the protocols of `app.features`; `app.application` makes them and puts them in.
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
        environment = os.environ if environment is None else environment
        self.clock, self.now, self.nonce = clock, now, nonce
        self.jobs = jobs if jobs is not None else Jobs(clock=clock)
        self.prompter: Prompter = prompter if prompter is not None else ListPrompter()
        self.settings = settings if settings is not None else load_settings()
        self.notices = Notices()
        self.settings_keeper = SettingsKeeper(self.settings, self.jobs, self.notices, clock)
        self.watched = WatchedFiles(watch if watch is not None else Watch(), self.notices)
        self._state_writer = StateWriter(stores_of_user(now), self.jobs, self.notices)
        self.actions = actions
        self.keys_folder: Path | None = None
        """Where `keys.json` lies; None: in the configuration folder."""
        self.key_complaints: tuple[str, ...] = ()
        """What of `keys.json` could not be followed when the program began."""
        self.working_folder = working_folder or Path.cwd()
        self.runs = RunsFolder(self.working_folder, environment)
        self.agent_sessions = AgentSessions(Places(environment, Path.home()))
        self.search = LiveSearch(self)
        self.view = WindowState.remembered(self.settings)
        self.clipboard: Callable[[str], None] = lambda _text: None
        """The system's clipboard, for `copy` alone."""
        self.viewport = Viewport(1000.0, 700.0)
        self.make_room: Callable[[], object] = lambda: None
        """Has the panels beside the canvas take their places for the active document: what a window does."""
        self.covered = 0.0
        """Height in design pixels at the lower edge of the canvas where the minimap or the zoom bar lies over it."""
        self.documents: list[Document] = []
        self.closed_documents = 0
        """How many were closed so far: their memory is returned to the system when the window is idle."""
        self.closed_tabs: deque[ClosedTab] = deque(maxlen=MOST_CLOSED)
        """What was closed, the last one at the end."""
        self.file_moves = FileMoves()
        self._proposal: Proposal | None = None
        self.drafts: dict[Hashable, Proposal] = {}
        """Proposals that were left with something typed into them, by what they are about."""
        self.presentation: Presentation | None = None
        self.context_menu: ContextMenu | None = None
        self.text_focused = False
        self.quit = False
        """True once the user has answered everything: the window closes at the next frame."""
        self.revision = 0
        self.step_tasks: list[tuple[str, Callable[[], None]]] = []
        """What features do in every `step`: a title for errors, and the work."""
        self.trash: Callable[[Path], Path | None] = to_trash
        """Sends a file to the trash, in a job."""
        self.editors = Editors(environment)
        self.terminals = Terminals(environment)
        self.command: CommandRun | None = None
        """The command that runs, or ran last, for a `.tine` run."""
        self.handed_back: list[Written] = []
        """Sessions that were written for agents, the last one at the end."""
        self.awaited: tuple[str, float] | None = None
        """The id of a session that an agent was asked to begin, and since when it is looked for."""
        self.active: Document | None = None
        """The document in front; `activate` brings another there."""
        self._numbers, self._context_menus = count(1), count(1)
        self._queue = WorkQueue(self.notices, self.touch)
        self.openings = Turns(lambda work: self.run_later("Open…", work), self.clock)
        self._reported = (-1, -1)
        self.closed = False

    # --- actions and frames ----------------------------------------------------------------------------------------

    def invoke(self, action_id: str, /, **arguments: Any) -> None:
        """Queue an action for the next `step`. KeyError for an action that does not exist."""
        action = self.actions[action_id]
        self._queue.add(action.title, lambda: self._run(action_id, arguments))

    def enabled(self, action_id: str, **arguments: Any) -> str | None:
        """None when the action can run now with these arguments, else the reason why not."""
        return self.actions[action_id].enabled(self, **arguments)

    def run_later(self, title: str, work: Callable[[], None]) -> None:
        """Run `work` at the next `step`; its errors are reported as those of an action called `title`."""
        self._queue.add(title, work)

    def ask(
        self,
        question: Question,
        answer: Callable[[Answer], None],
        *,
        declined: Callable[[], None] | None = None,
        over: Callable[[], None] | None = None,
    ) -> None:
        """Ask the user; `answer` runs in a later `step`, or `declined` if there is one and the user gives no answer.

        `over` runs after either of them, whatever the answer was and whether or not they failed.
        """

        def arrived(given: Answer | None) -> None:
            if given is not None:
                self.run_later(question.title, lambda: answer(given))
            elif declined is not None:
                self.run_later(question.title, declined)
            if over is not None:
                self.run_later(question.title, over)

        self.prompter.ask(question, arrived)

    def step(self, budget: float = BUDGET) -> bool:
        """Apply job results, run queued actions, move cameras. True when anything visible may have changed."""
        end = time.perf_counter() + budget
        applied, unhandled = self.jobs.apply(budget)
        for job, error in unhandled:
            self._queue.report(job.title or "A job", error)
        if applied:
            self.touch()
        self.watched.look()
        if self.openings:
            self.openings.pass_over()
        self._queue.run_until(end)
        for document in self.documents:
            if document.picture.advance(self.clock()):
                self.touch()
        self._queue.repeat(self.step_tasks)
        self.search.collect()
        now = (self.revision, self.notices.revision)
        changed = now != self._reported
        self._reported = now
        return changed or bool(self.jobs.running(SHOW_AFTER))

    @property
    def moves(self) -> bool:
        """True while the picture may change from frame to frame: a job can be seen at work, or something is moving."""
        return any(document.picture.moves for document in self.documents) or bool(self._queue) or self.jobs.seen

    @property
    def busy(self) -> bool:
        """True while an action is queued, a job is running that is not quiet, or something is moving."""
        return self.moves or bool(self.jobs.running())

    def settle(self, seconds: float = 30.0) -> None:
        """Step until no action is queued and no job is running, for tests. TimeoutError after `seconds`."""
        end = time.monotonic() + seconds
        self.step(budget=seconds)
        while self._queue or not self.jobs.idle:
            if time.monotonic() > end:
                raise TimeoutError("the session did not come to rest")
            self.jobs.wait(0.02)
            self.step(budget=seconds)

    def copy(self, text: str, *, recorded: bool = False) -> None:
        """Put text on the clipboard, cleaned: it may be pasted into a terminal.

        `recorded` copies it unchanged, for recorded values and JSON.
        """
        self.jobs.cancel(COPYING)
        self.clipboard(text if recorded else clean_whole(text, lines=True))

    def touch(self) -> None:
        """Note that something visible changed."""
        self.revision += 1

    def close(self) -> list[str]:
        """Finish the writes under way, stop jobs and watches, and write the settings.

        Safety copies of documents still open and unsaved are kept. Returns what could not be written, in sentences: no
        window shows notices any more.
        """
        if self.closed:
            return []
        self.closed = True
        seen = self.notices.list()
        if self.presentation is not None:
            self.presentation.stop(self)  # it hides the panels, which are remembered
        self.watched.watch.close()
        self.recovery.copy_all()
        self.jobs.close()
        self.search.close()
        for job, error in self.jobs.apply(math.inf)[1]:  # of what had to finish: writes of documents
            self._queue.report(job.title or "A job", error)
        self._state_writer.close()
        self.editors.close()
        self.terminals.close()
        if self.command is not None:
            self.command.let_go()
        self.view.remember(self.settings)
        try:
            self.settings_keeper.close()
        except (OSError, TineError) as error:
            self.notices.add("warning", f"The settings could not be written: {error}")
        self.recovery.close()
        told = [notice for notice in self.notices.list() if notice not in seen]
        return [notice.text for notice in told if notice.level in ("warning", "error")]

    def _run(self, action_id: str, arguments: Mapping[str, Any]) -> None:
        action = self.actions[action_id]
        reason = action.enabled(self, **arguments)
        if reason is None:
            self.search.stay(action_id)
            action.run(self, **arguments)
        elif reason != SILENT:
            self.notices.add("info", action.refusal(reason), key=f"disabled:{action_id}")

    # --- documents -------------------------------------------------------------------------------------------------

    def activate(self, document: Document | None) -> None:
        """Bring a document to the front and drop the gesture, presentation and proposal of the one before.

        Does nothing if the document has been closed: an answer may arrive after that.
        """
        if document is self.active or (document is not None and document not in self.documents):
            return
        self.active = document
        self.view.list_keys = False
        self.tools.cancel()
        if self.presentation is not None and self.presentation.document is not document:
            self.presentation.stop(self)
        if self.proposal is not None and not self.proposal.concerns(document):
            self.proposal = None
        self.context_menu = None
        self.touch()

    def document(self, number: int) -> Document | None:
        """The open document with this number, or None."""
        return next((document for document in self.documents if document.number == number), None)

    def document_at(self, path: Path) -> Document | None:
        """The open document of this file, or None."""
        wanted = os.path.realpath(path)
        return next((d for d in self.documents if d.path is not None and os.path.realpath(d.path) == wanted), None)

    def add_document(
        self,
        *,
        path: Path | None = None,
        state: DocumentState | None = None,
        source: Source | None = None,
        behind: Document | None = None,
    ) -> Document:
        """Open a new document beside the active one and bring it to the front; or behind `behind` and what it made."""
        direction = self.settings.first_direction
        document = Document(next(self._numbers), path=path, state=state, direction=direction, source=source)
        self.put_back(document, behind=behind)
        return document

    def put_back(self, document: Document, *, behind: Document | None = None) -> None:
        """Open a document that is not open, such as one that was closed; where is as with `add_document`."""
        if document in self.closed_tabs:
            self.closed_tabs.remove(document)
        for source in self.documents:
            source.taken_back = [back for back in source.taken_back if back[0] is not document]
        beside = self.active if behind is None else behind
        place = self.documents.index(beside) + 1 if beside in self.documents else len(self.documents)
        if behind is None:
            self.documents.insert(place, document)
            self.activate(document)
        else:
            made = takewhile(lambda other: other.made_in == behind.number, self.documents[place:])
            self.documents.insert(place + len(list(made)), document)
        self.watch_files()

    def remove_document(self, document: Document) -> None:
        """Close a document without asking, and bring its neighbour to the front."""
        if document not in self.documents:
            return
        place = self.documents.index(document)
        self.documents.remove(document)
        self.closed_documents += 1
        if document.dirty:
            self.closed_tabs.append(document)
        elif document.path is not None and document.error is None:
            self.closed_tabs.append(document.path)
        elif document.members is not None and document.overlay is not None:
            self.closed_tabs.append(document.members.shown_together)
        self.jobs.cancel_of(document.number)
        self.recovery.forget(document)
        self.search.forget(document.number)
        self.view.closed(document.number, document.path)
        self._forget_notices(document)
        if self.proposal is not None and self.proposal.concerns(document):
            self.proposal = None
        self.drafts = {about: draft for about, draft in self.drafts.items() if not draft.concerns(document)}
        if document is self.active:
            rest = self.documents
            self.activate(rest[min(place, len(rest) - 1)] if rest else None)
        self.watch_files()
        self.touch()

    def _forget_notices(self, document: Document) -> None:
        """Remove the notices whose buttons do something in a tab, which is closed."""
        if self.notices.get(document.key("changed")) is not None:  # asked anew if the tab is opened again
            document.on_disk.asked_of, document.on_disk.recheck_pending = None, True
        for about in ABOUT_A_TAB:
            self.notices.dismiss(document.key(about))

    def apply(self, document: Document, command: Command) -> None:
        """Apply an undoable edit to a document."""
        before = document.state
        if before is not None:
            document.edit(command.label, command.apply(before))
            self.after_edit(document, before)

    def after_edit(self, document: Document, before: DocumentState) -> None:
        """Store moved positions and annotations after any change of a document's state, undo and redo included.

        Other runs with the annotated steps show the same, those included that were closed and can be opened again.
        """
        state = document.state
        if state is not None and state is not before:
            self._state_writer.remember(before, state)
            share_notes(document, before, [*self.documents, *self.closed_tabs])
            self.touch()

    @property
    def side_stores(self) -> SideStores:
        """The stores of positions and notes, with what they do not have yet: for a run that is opened now."""
        return self._state_writer.stores

    def listed(self) -> Sequence[RunSummary]:
        """The runs of the folder, in the order of the list."""
        return self.runs.rows

    def listed_files(self) -> Mapping[Path, Fingerprint]:
        """The files of the folder, as they were when they were last read."""
        return self.runs.files

    def watch_files(self) -> None:
        """Watch the open files, the files of families, and the listed folder."""
        self.watched.follow(self.documents, self.runs.folder)

    def bring_into_view(self, document: Document, step_id: str, *, centered: bool = True) -> None:
        """Move the camera to a step's card: to the middle, readable; without `centered` only as far as needed."""
        camera = camera_to_reveal(document.picture, step_id, self.viewport, self.covered, centered=centered)
        if camera is not None and camera != document.picture.camera_goal:
            document.picture.fly(camera, self.clock(), self.settings.motion)

    # --- the proposal ----------------------------------------------------------------------------------------------

    @property
    def proposal(self) -> Proposal | None:
        """What waits to be accepted, or None."""
        return self._proposal

    @proposal.setter
    def proposal(self, proposal: Proposal | None) -> None:
        left = self._proposal
        if proposal is not left:
            if left is not None and left.touched and (proposal is None or proposal.subject != left.subject):
                self.drafts[left.subject] = left
            self._proposal = proposal
            self.touch()

    # --- menus ------------------------------------------------------------------------------------------------------

    def open_context_menu(self, kind: str, x: float, y: float, **arguments: Any) -> None:
        """Have the window open a context menu at the pointer, or a menu of the bar at a pixel of the window."""
        self.context_menu = ContextMenu(kind, x, y, arguments, number=next(self._context_menus))
        self.touch()
