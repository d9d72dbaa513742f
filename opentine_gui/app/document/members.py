"""The runs a document shows together: their documents, files and titles, and the records that were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from opentine_gui.core import Fingerprint, RunRecord
from opentine_gui.scene.text.clean import clean

READ_ONLY = "Several runs are shown here and none is changed: {doing} in the run itself."
"""Why something is not done in a document of several runs."""


class Member(msgspec.Struct, frozen=True):
    """A run of a family: the number of an open document, or a file; `record` is used if both are gone.

    `on_disk`: it is what the file holds, whether or not a document is open that has another run for it.
    """

    title: str
    document: int | None = None
    path: Path | None = None
    record: RunRecord | None = None
    on_disk: bool = False

    @property
    def key(self) -> object:
        """Equal for the same run: its file, else its document, else its record."""
        return (self.path, "on disk") if self.on_disk else self.path or self.document or self.record


class ShownTogether(msgspec.Struct, frozen=True):
    """The runs of a tab that was closed, in the order in which they are shown again; those in no file as they were."""

    members: tuple[Member, ...]
    comparing: bool


class ReadFile(NamedTuple):
    """What a file that is not shown shares with a family is counted from: hashes of its steps' ids, not the ids."""

    fingerprint: Fingerprint
    hashes: NDArray[np.int64] | None
    """None if the file cannot be read."""


class Members(msgspec.Struct):
    """The runs of a document that shows several; its union is (being) made from the records `union_inputs`.

    `latest` are what it would be made from now: while another tab is in front it is not made. `pair` are the runs
    wanted as A and B; what is shown, and in which order, says the overlay.
    """

    members: tuple[Member, ...]
    comparing: bool
    files: dict[Path, tuple[str, RunRecord]] = msgspec.field(default_factory=dict)
    problems: dict[Path, str] = msgspec.field(default_factory=dict)
    stale: set[Path] = msgspec.field(default_factory=set)
    union_inputs: tuple[object, ...] | None = None
    latest: tuple[object, ...] = ()
    pair: tuple[int, int] = (0, 1)
    others_key: tuple[object, ...] | None = None
    others_read: dict[Path, ReadFile] = msgspec.field(default_factory=dict)
    camera_placed: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files of its runs."""
        return tuple(member.path for member in self.members if member.path is not None)

    @property
    def shown_together(self) -> ShownTogether:
        """What shows them again: of a run in a file no record is kept, for it would be kept in memory."""
        kept = []
        for member, read in zip(self.members, self.latest or (None,) * len(self.members), strict=True):
            last = read if isinstance(read, RunRecord) else member.record
            kept.append(replace(member, record=last if member.path is None else None))
        return ShownTogether(tuple(kept if self.pair == (0, 1) else kept[::-1]), self.comparing)


def title_of(members: Sequence[Member], comparing: bool) -> str:
    """The title of the tab."""
    if comparing:
        return comparison_title([member.title for member in members])
    return f"Family of {len(members):,} runs"


def comparison_title(runs: Sequence[str]) -> str:
    """The title of a comparison of these runs; a tab shows its beginning, which is not that of a run."""
    return f"Compare {' and '.join(runs)}"


def name_of(title: str) -> str:
    """A run's name: its title or file name without .tine."""
    return clean(title, 80).removesuffix(".tine") or "run"


def paths_of(members: Iterable[Member]) -> tuple[Path, ...]:
    """The files of the runs."""
    return tuple(member.path for member in members if member.path is not None)


def disambiguate(members: Sequence[Member]) -> tuple[Member, ...]:
    """The runs with distinct titles.

    Those of one name get their folders before it where these differ, else a number after it.
    """
    folders: dict[str, set[Path]] = {}
    for member in members:
        if member.path is not None:
            folders.setdefault(member.title, set()).add(member.path.parent)
    known: set[str] = set()
    found = []
    for member in members:
        title = member.title
        if member.path is not None and len(folders[title]) > 1:
            title = f"{clean(member.path.parent.name, 40)}/{title}"
        base, number = title, 2
        while title in known:
            title, number = f"{base} ({number})", number + 1
        known.add(title)
        found.append(replace(member, title=title))
    return tuple(found)
