"""What is known of a document whose file another program is still writing: what came, and whether it is followed."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Mapping
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
    later: dict[str, str] = field(default_factory=dict)
    """The later id of each step that has got another, with its result or by a correction; `earlier` is the way back."""
    earlier: dict[str, list[str]] = field(default_factory=dict)
    reader: tuple[Path, Growing] | None = None
    """The growing file and the reader that continues it, while no job has the reader."""

    def rename_steps(self, renamed: Mapping[str, str]) -> None:
        """Note the new ids of steps, by their old ones."""
        self.later.update(renamed)
        for before, after in renamed.items():
            self.earlier.setdefault(after, []).append(before)

    def ended(self) -> Live:
        """The same for a file of our own that was written in its place, which nobody has seen to grow."""
        return Live(news=self.news, later=self.later, earlier=self.earlier)

    def present_id(self, step: str, present: Container[object]) -> str:
        """The id among those present that a step has: its own, a later one or, after undo, an earlier one.

        Its own as well where it has none of them.
        """
        ways, known = deque([step]), {step}
        while ways:
            here = ways.popleft()
            if here in present:
                return here
            after = [self.later[here]] if here in self.later else []
            near = [name for name in (*after, *self.earlier.get(here, ())) if name not in known]
            known.update(near)
            ways.extend(near)
        return step
