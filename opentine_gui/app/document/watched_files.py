"""The files on disk that matter to what is open: which are watched, and who is told when some of them change."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from opentine_gui.app.document.document import Document
from opentine_gui.app.state.notices import Notices
from opentine_gui.app.system.watch import LOOK_SECONDS, NoWatch, Watch

POLLS = f"The system has no file watches left, so changed files are looked for every {LOOK_SECONDS:g} seconds."
POLLS_WHY = "On Linux, fs.inotify.max_user_watches and max_user_instances say how many there are."


class WatchedFiles:
    """Files and folders under watch. `look` hands what changed to the listeners."""

    def __init__(self, watch: Watch | NoWatch, notices: Notices) -> None:
        self.watch = watch
        self.listeners: list[Callable[[Sequence[Path]], None]] = []
        """Called with the paths that changed on disk."""
        self._notices = notices
        self._said_polling = False

    def follow(self, documents: Iterable[Document], listed: Path | None) -> None:
        """Watch the files of these documents, those of families included, and the listed folder, and no others."""
        files: set[Path] = set()
        folders: set[Path] = set()
        for document in documents:
            if document.path is not None:
                files.add(document.path)
            files.update(document.members.paths if document.members is not None else ())
            if document.origin is not None:
                files.update(document.origin.files)
                folders.update(folder for folder in document.origin.folders_within if os.path.isdir(folder))
        folders |= {path.parent for path in files if not os.path.isfile(path.parent)}  # one that went may come back
        if listed is not None:
            folders.add(listed)
            files.add(listed)  # all that is in it: the logs of agents end in anything
        self.watch.watch(folders, files)

    def look(self) -> None:
        """Tell the listeners what changed since the last look; once, say that the system cannot tell of changes."""
        if self.watch.polls and not self._said_polling:
            self._said_polling = True
            self._notices.add("warning", POLLS, detail=POLLS_WHY, key="polls")
        changed = self.watch.drain()
        if changed:
            for listener in self.listeners:
                listener(tuple(changed))
