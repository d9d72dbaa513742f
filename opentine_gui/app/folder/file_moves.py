"""Changes to files that undo takes back: new names and folders, and the trash, as long as nothing was edited since."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import NamedTuple

from opentine_gui.app.state.notices import NoticeAction

MOST = 20

Edits = Mapping[int, Hashable]
"""The place of every open document in its history, by its number; None for one that was only opened."""


class FileMove(NamedTuple):
    """A file that was moved: the action that takes it back, and where the histories of the runs were."""

    path: Path
    target: Path
    back: NoticeAction
    edits: Edits


class FileMoves:
    """The files moved last, and those that were taken back; a move says itself how it is taken back."""

    def __init__(self) -> None:
        self._done: deque[FileMove] = deque(maxlen=MOST)
        self._undone: deque[FileMove] = deque(maxlen=MOST)
        self._going: tuple[str, Path, Path] | None = None
        """("undo" or "redo", from, to) of the move that is under way, if one is."""

    def moved(self, path: Path, target: Path, back: NoticeAction | None, edits: Edits) -> None:
        """Note that a file was moved, and the action that takes that back; None if there is none.

        The move may be the one that `take` returned, or the reverse of the last one, made with the button of its
        notice.
        """
        going = self._going[0] if self._going is not None and self._going[1:] == (path, target) else ""
        self._going = None
        if not going and self._done and (self._done[-1].target, self._done[-1].path) == (path, target):
            going = "undo"
            self._done.pop()
        if not going:
            self._undone.clear()
        if back is not None:
            (self._undone if going == "undo" else self._done).append(FileMove(path, target, back, edits))

    def lost(self, path: Path) -> None:
        """Drop the moves of a file that went where nothing brings it back from."""
        for moves in (self._done, self._undone):
            kept = [move for move in moves if path not in (move.path, move.target)]
            moves.clear()
            moves.extend(kept)

    def latest(self, way: str, edits: Edits) -> NoticeAction | None:
        """The action for "undo" or "redo" of a file move; None if a run was edited since: its edit comes first."""
        moves = self._done if way == "undo" else self._undone
        if not moves or any(moves[-1].edits.get(number) != place for number, place in edits.items()):
            return None
        return moves[-1].back

    def take(self, way: str) -> NoticeAction:
        """Return the action that `latest` names; its move counts as that undo or redo, not as a new move."""
        move = (self._done if way == "undo" else self._undone).pop()
        self._going = way, move.target, move.path
        return move.back
