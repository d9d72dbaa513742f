"""What the search needs of the session, which is above it: the open runs, the runs of the folder, and the jobs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from opentine_gui.core import Fingerprint, RunRecord

if TYPE_CHECKING:
    from opentine_gui.app.state.annotations import Annotations
    from opentine_gui.app.system.jobs import Jobs


Scope = Literal["run", "open", "folder"]
"""Where is searched: in the run in front, in those that are open, or in the folder and in those that are open."""


class MemberRun(Protocol):
    """A run that a document shows together with others."""

    @property
    def document(self) -> int | None:
        """The number of its document."""

    @property
    def path(self) -> Path | None:
        """Its file."""

    @property
    def on_disk(self) -> bool:
        """Whether it is what the file holds, whatever is open."""


class RunsTogether(Protocol):
    """The runs that a comparison or a family is made of."""

    @property
    def members(self) -> Sequence[MemberRun]:
        """Each of them."""


class OpenRun(Protocol):
    """What the search needs to know of an open document."""

    number: int

    @property
    def title(self) -> str:
        """Its name."""

    @property
    def path(self) -> Path | None:
        """Its file."""

    @property
    def record(self) -> RunRecord | None:
        """The run as it is now."""

    @property
    def members(self) -> RunsTogether | None:
        """The runs it is made of, if it is a comparison or a family."""

    @property
    def annotations(self) -> Annotations:
        """The notes on its steps."""


class ListedRun(Protocol):
    """What the search needs to know of a run in the folder."""

    @property
    def path(self) -> Path:
        """Its file."""

    @property
    def unreadable(self) -> str:
        """Why it cannot be read, or ""."""


def are_open(together: RunsTogether, documents: Sequence[OpenRun]) -> bool:
    """Whether every run that is shown together with others is open by itself."""
    numbers, paths = {one.number for one in documents}, {one.path for one in documents if one.path is not None}
    return all(run.document in numbers or (run.path in paths and not run.on_disk) for run in together.members)


class Host(Protocol):
    """What the search uses of the session."""

    @property
    def jobs(self) -> Jobs:
        """The job queue."""

    @property
    def documents(self) -> Sequence[OpenRun]:
        """The open documents."""

    @property
    def active(self) -> OpenRun | None:
        """The document in front."""

    @property
    def clock(self) -> Callable[[], float]:
        """Seconds, for how often something is shown."""

    def listed(self) -> Sequence[ListedRun]:
        """The runs of the folder."""

    def listed_files(self) -> Mapping[Path, Fingerprint]:
        """The files of the folder, as they were when they were last looked at."""

    def touch(self) -> None:
        """Note that something visible changed."""
