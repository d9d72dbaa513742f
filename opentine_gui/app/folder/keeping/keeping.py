"""Keeping sessions as the window has it: the switch, the folder, what is kept, and the job that keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec
import platformdirs

from opentine_gui.app.folder.keeping.archive import LOCK, MARK, Archive, Page, Size
from opentine_gui.app.folder.keeping.take import Taken, is_due, page_path, take
from opentine_gui.app.folder.keeping.units import Unit, units
from opentine_gui.app.state.own_files import path_of, stored_path
from opentine_gui.app.state.settings import APPLICATION, Settings, data_folder
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core.errors import EditError, StorageError, TineError
from opentine_gui.core.files import storage
from opentine_gui.core.progress import Pace
from opentine_gui.importers.agents.headline import Headline
from opentine_gui.importers.agents.listing import looked_at
from opentine_gui.importers.agents.table import AGENTS, Places
from opentine_gui.scene.text.clean import clean

if TYPE_CHECKING:
    from opentine_gui.app.state.notices import Notices
    from opentine_gui.app.system.jobs import Jobs

JOB, LOAD_JOB, NOTICE = "keep", "kept", "keep"
"""Keys of the job that copies sessions into the archive, of the one that lists it, and of their notice."""
EVERY = 300.0
"""Seconds between two looks for what is new."""
GONE = "the archive is gone; connect its disk, or switch keeping off and on again to begin another one"
AFTER_STOP = 3600.0
"""Seconds after which a job of keeping that the user stopped is started again."""
LOCK_SECONDS = 2.0
MOST_RELATED = 200
_PRIORITY = 9
_OWN_NAME = "opentine-gui kept sessions"
_ID = re.compile(r"[0-9a-f]{32}(?:-\d{1,6})?")


class Host(Protocol):
    """What keeping uses of the session."""

    @property
    def jobs(self) -> Jobs:
        """The job queue."""

    @property
    def notices(self) -> Notices:
        """What is said to the user."""

    settings: Settings

    def clock(self) -> float:
        """Seconds on a clock that never goes back."""

    def now(self) -> float:
        """Unix seconds."""

    def touch(self) -> None:
        """Note that something visible changed."""


class _Known(msgspec.Struct, frozen=True):
    """What a look at the archive found: its pages, those whose source is gone or was written anew, its size."""

    pages: Mapping[str, Page]
    gone: tuple[Page, ...]
    size: Size
    taken: Taken | None = None
    stopped: bool = False


class Keeping:
    """Nothing is written while the switch is off, but what was kept is listed where its source is gone."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.revision = 0
        self.pages: Mapping[str, Page] = {}
        self.gone: tuple[Page, ...] = ()
        """What is kept and nowhere else, newest first."""
        self.size = Size()
        self.problem = ""
        """Why the last attempt failed; "" if it did not."""
        self._by_source: dict[Path, Page] = {}
        self._next = 0.0
        self._folder: Path | None = None
        self._named: tuple[str, Path] | None = None

    def folder(self, settings: Settings) -> Path:
        """Where the archive is; worked out once for a setting, as it is asked ten times a second."""
        said = settings.keep_folder
        if self._named is None or self._named[0] != said:
            self._named = said, Path(path_of(said)) if said else data_folder() / "kept-sessions"
        return self._named[1]

    def switch(self, session: Host, on: bool) -> None:
        """Start or stop keeping sessions; what is kept stays."""
        session.settings.keep = on
        session.settings.kept_in = ""
        self._next = 0.0
        if not on:
            session.jobs.stop(JOB)
        self.revision += 1
        session.touch()

    def move_to(self, session: Host, folder: Path) -> Path:
        """Keep in another folder from now on; returns it. What was kept elsewhere stays there. EditError."""
        folder = folder.expanduser().absolute()
        if not (folder / MARK).exists() and folder.is_dir() and any(folder.iterdir()):
            folder = folder / _OWN_NAME
        for agent in AGENTS:
            for own in agent.folders(self.places):
                if folder.is_relative_to(own) or own.is_relative_to(folder):
                    raise EditError(f"the sessions of {agent.title} lie there: choose a folder of your own")
        session.jobs.stop(JOB)
        session.settings.keep_folder = stored_path(str(folder))
        session.settings.kept_in = ""
        self._next = 0.0
        self._folder = None
        self.revision += 1
        return folder

    def tick(self, session: Host) -> None:
        """List the archive once, then keep new sessions now and then. Called in every `Session.step`."""
        folder = self.folder(session.settings)
        if session.jobs.is_running(JOB) or session.jobs.is_running(LOAD_JOB):
            return
        if self._folder is not folder:  # the same object while the setting stays, and to compare paths takes calls
            self._folder = folder
            if (folder / MARK).exists():
                self._look(session, folder)
            else:
                self._take_in(_Known({}, (), Size()))
        elif session.settings.keep and session.clock() >= self._next:
            self._next = session.clock() + EVERY
            self._keep(session, folder)

    def look_again(self) -> None:
        """Look at once which sources are still there."""
        self._folder = None

    def page_at(self, path: Path) -> Page | None:
        """The kept copy of a session whose source lies, or lay, at this path; None if there is none."""
        found = self._by_source.get(path)
        if found is not None:
            return found
        opened = opened_folder()
        if not path.is_relative_to(opened):
            return None
        key = next(iter(path.relative_to(opened).parts), "")
        return self.pages.get(key) if _ID.fullmatch(key) else None

    def opened_path(self, page: Page) -> Path:
        """Where a kept session is put to be opened."""
        return opened_folder() / page.key / _top(page) / path_of(page.source)

    def original(self, path: Path) -> Path:
        """The path that a file beside an opened copy would have beside its source."""
        opened = opened_folder()
        if not path.is_relative_to(opened):
            return path
        key, _top_name, *rest = path.relative_to(opened).parts
        page = self.pages.get(key)
        return Path(path_of(page.root), *rest) if page is not None else path

    def restore(self, settings: Settings, page: Page) -> Path:
        """Write a kept session where it is opened, with those it goes on from; returns its path (in a job)."""
        archive = Archive(self.folder(settings))
        target = opened_folder() / page.key / _top(page)
        for one in self._related(page):
            archive.restore(one, target)
        return self.opened_path(page)

    def remove(self, session: Host) -> None:
        """Remove the archive in a job, and end keeping."""
        self.switch(session, False)
        folder = self.folder(session.settings)
        session.jobs.cancel(JOB)

        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            with locked(folder):
                Archive(folder).remove()
            storage.remove_tree(opened_folder())

        def done(_nothing: None) -> None:
            self._take_in(_Known({}, (), Size()))
            session.notices.add("good", f"The archive in {folder} is removed.", key=NOTICE)
            session.touch()

        def failed(error: Exception) -> None:
            self._folder = None
            self._fail(session, error)

        session.jobs.submit("keep:remove", work, done, failed, title="Removing kept sessions", must_finish=True)

    def _related(self, page: Page) -> Iterator[Page]:
        """A session and those of the same root that its first lines, or theirs, lead to: Codex's forks and agents."""
        found = {page.key: page}
        waiting = [page]
        while waiting:
            one = waiting.pop()
            yield one
            if one.agent != "codex":
                continue
            for other in self.pages.values():
                is_near = set(one.mentions) & set(other.names) or set(other.mentions) & set(one.names)
                if other.key not in found and other.root == page.root and is_near and len(found) < MOST_RELATED:
                    found[other.key] = other
                    waiting.append(other)

    def _look(self, session: Host, folder: Path) -> None:
        def work(_progress: ReportProgress, _cancelled: IsCancelled) -> _Known:
            archive = Archive(folder)
            pages = archive.pages()
            return _Known(pages, _gone(pages), archive.size(pages))

        def done(found: _Known) -> None:
            session.settings.kept_in = stored_path(str(folder))
            self._take_in(found)
            session.touch()

        session.jobs.submit(LOAD_JOB, work, done, lambda _error: None, priority=_PRIORITY, stopped=leaves_nothing)

    def _keep(self, session: Host, folder: Path) -> None:
        places, known, now = self.places, self.pages, session.now()
        begun = session.settings.kept_in == stored_path(str(folder))

        def work(progress: ReportProgress, cancelled: IsCancelled) -> _Known:
            if begun and not (folder / MARK).exists():
                raise StorageError(GONE, path=folder)
            return _keep_new(folder, places, dict(known), now, progress, cancelled)

        def done(found: _Known) -> None:
            self.problem = found.taken.problem if found.taken is not None else ""
            if found.taken is not None:
                session.settings.kept_in = stored_path(str(folder))
            if found.stopped:
                self._next = session.clock() + AFTER_STOP
            self._take_in(found)
            session.touch()

        def failed(error: Exception) -> None:
            self._fail(session, error)

        title = "Keeping sessions"
        session.jobs.submit(JOB, work, done, failed, title=title, priority=_PRIORITY, reports_stop=True)

    def _fail(self, session: Host, error: Exception) -> None:
        self.problem = str(error)
        self.revision += 1
        session.notices.add("warning", f"Sessions could not be kept: {error}", key=NOTICE)
        session.touch()

    def _take_in(self, found: _Known) -> None:
        if (found.pages, found.gone, found.size) == (self.pages, self.gone, self.size):
            return
        self.pages, self.gone, self.size = found.pages, found.gone, found.size
        self._by_source = {page_path(page): page for page in found.pages.values() if "-" not in page.key}
        self.revision += 1


def opened_folder() -> Path:
    """Where kept sessions are put to be opened: copies, which the archive makes again."""
    return Path(platformdirs.user_cache_dir(APPLICATION, appauthor=False)) / "kept"


def whose_words(path: Path, program: str) -> str:
    """What the file of an open session is: that of the program that wrote it, or the copy that was kept of it."""
    named = f"{clean(program, 30)} file"
    return f"kept copy of a {named}" if path.is_relative_to(opened_folder()) else f"{named}, read only"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold an archive alone. StorageError while another window does."""
    from filelock import FileLock, Timeout  # slow to import, so not at the start

    try:
        with FileLock(str(folder / LOCK), timeout=LOCK_SECONDS):
            yield
    except Timeout as error:
        raise StorageError("another window is keeping sessions there", path=folder) from error
    except OSError as error:
        raise StorageError("the archive cannot be used", path=folder, cause=error.strerror) from error


def _keep_new(
    folder: Path,
    places: Places,
    known: dict[str, Page],
    now: float,
    progress: ReportProgress,
    cancelled: IsCancelled,
) -> _Known:
    """Take what is new into the archive (in a job)."""
    due = [unit for unit in units(places) if is_due(unit, known.get(unit.key), now)]
    archive = Archive(folder)
    taken: Taken | None = None
    if due and not cancelled():
        archive.prepare()
        with locked(folder):
            pages = archive.pages()  # another window may have kept some
            due = [unit for unit in due if is_due(unit, pages.get(unit.key), now)]
            if due:
                archive.load_lines()
                taken = take(archive, due, pages, _headline, Pace(progress, cancelled))
    pages = archive.pages() if taken is not None or not known else known
    return _Known(pages, _gone(pages), archive.size(pages), taken, cancelled())


def _headline(unit: Unit) -> Headline:
    try:
        found = looked_at(unit.session)
    except (TineError, OSError):
        found = []
    return next((one.headline for one in found if one.headline is not None), Headline())


def _gone(pages: Mapping[str, Page]) -> tuple[Page, ...]:
    """The pages whose source is not there, and those of states that a source had before it was written anew."""
    found = [page for page in pages.values() if "-" in page.key or storage.fingerprint(page_path(page)) is None]
    return tuple(sorted(found, key=lambda page: (-page.changed, page.key)))


def _top(page: Page) -> str:
    """The name that stands for the agent's folder. Claude Code's is not its own: what lies there is not its session."""
    name = Path(path_of(page.root)).name
    return "kept" if page.agent == "claude" else name
