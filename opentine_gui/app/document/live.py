"""What is known of a document whose file another program is still writing: what came, and whether it is followed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentine_gui.importers.reader import Growing


@dataclass
class Live:
    """How a run grows while it is open. Times are those of the session's clock."""

    news: tuple[str, ...] = ()
    """Steps that came while it was open and were not looked at since, in the order of the record."""
    follows: bool = False
    """Whether the newest step is kept in view."""
    grew_at: float | None = None
    """When it was seen to grow last."""
    grew_again: bool = False
    """Whether it was seen to grow twice within a minute: a copy comes at once."""
    written: bool = False
    """Whether its cards and its headline say that its file is being written; looked at four times a second."""
    marked: int = -1
    """The content revision for which it was last asked whether they should; of the same one it is asked again after a
    while."""
    mark_after: float = 0.0
    verify_after: float = 0.0
    """When it may be verified: a run that keeps growing is verified once it rests."""
    renamed: dict[str, str] = field(default_factory=dict)
    """The present ids of steps by those they had before the rest of them was recorded."""
    reader: tuple[Path, Growing] | None = None
    """The growing file and the reader that continues it, while no job has the reader."""

    def present_id(self, step: str) -> str:
        """The id that a step has now. Each was renamed once at most, or they lead around to one that was there."""
        for _ in range(len(self.renamed)):
            if step not in self.renamed:
                break
            step = self.renamed[step]
        return step
