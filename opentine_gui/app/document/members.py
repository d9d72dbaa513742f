"""The runs that a document shows together: where each one is, what it is called, and what was read of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from opentine_gui.core import RunRecord
from opentine_gui.scene.text.clean import clean


class Member(msgspec.Struct, frozen=True):
    """A run of a family: an open document by number, or a file. `record` stands in when both are gone."""

    title: str
    document: int | None = None
    path: Path | None = None
    record: RunRecord | None = None

    @property
    def key(self) -> object:
        """What makes it another run than the next: its file, else its document, else its record."""
        return self.path or self.document or id(self.record)


class Members(msgspec.Struct):
    """What a document of several runs is made of. `union_inputs` are the records its picture is (being) made from."""

    members: tuple[Member, ...]
    comparing: bool
    files: dict[Path, tuple[str, RunRecord]] = msgspec.field(default_factory=dict)
    problems: dict[Path, str] = msgspec.field(default_factory=dict)
    stale: set[Path] = msgspec.field(default_factory=set)
    union_inputs: tuple[object, ...] | None = None
    pair: tuple[int, int] = (0, 1)
    others_key: object = None
    camera_placed: bool = False

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files among its runs."""
        return tuple(member.path for member in self.members if member.path is not None)


def title_of(members: Sequence[Member], comparing: bool) -> str:
    """What the tab says."""
    if comparing:
        return " and ".join(member.title for member in members)
    return f"Family of {len(members):,} runs"


def name_of(title: str) -> str:
    """A run's name: its title or file name without the ending."""
    return clean(title, 80).removesuffix(".tine") or "run"


def paths_of(members: Iterable[Member]) -> tuple[Path, ...]:
    """The files among the runs."""
    return tuple(member.path for member in members if member.path is not None)


def disambiguate(members: Sequence[Member]) -> tuple[Member, ...]:
    """Runs of one name get the folder before it, else a number after it."""
    counts: dict[str, int] = {}
    for member in members:
        counts[member.title] = counts.get(member.title, 0) + 1
    known: set[str] = set()
    found = []
    for member in members:
        title = member.title
        if counts[title] > 1 and member.path is not None:
            title = f"{clean(member.path.parent.name, 40)}/{title}"
        base, number = title, 2
        while title in known:
            title, number = f"{base} ({number})", number + 1
        known.add(title)
        found.append(Member(title, member.document, member.path, member.record))
    return tuple(found)
