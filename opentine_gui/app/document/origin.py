"""Where a document of another program's format came from: its files, and where each step's records stand there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path

import msgspec

from opentine_gui.importers.reading import Place, Report
from opentine_gui.importers.sources.parts import divide
from opentine_gui.importers.sources.state import BESIDE


class Origin(msgspec.Struct, frozen=True, dict=True):
    """What was read from a source that is never written. `path` as it was opened, `#part` included.

    `sources`: the files the run was made from. `places`: the records of steps by id; steps made since have none.
    """

    format: str
    """The format's name in the table of readers."""
    title: str
    """What the user calls it, such as "Claude Code"."""
    path: Path
    sources: tuple[Path, ...]
    places: Mapping[str, tuple[Place, ...]]
    report: Report | None

    @cached_property
    def records_in_steps(self) -> int:
        """How many records steps were made of, each counted once."""
        return len({(place.path, place.offset, place.row) for places in self.places.values() for place in places})

    @property
    def file(self) -> Path:
        """The file or folder that was opened, without the part."""
        return divide(self.path)[0]

    @property
    def files(self) -> frozenset[Path]:
        """Everything whose change is a change of the source: its files, what databases write beside them, and the
        folder of the file's own name, in which some agents put the files of sub-agents."""
        beside = [source.with_name(source.name + ending) for source in self.sources for ending in BESIDE]
        return frozenset([*self.sources, *beside, *self.folders_within])

    @property
    def folders_within(self) -> tuple[Path, ...]:
        """Folders whose files belong to the source, whether they exist already or not."""
        own = self.file.with_suffix("") if self.file.suffix else self.file
        return (own, own / "subagents", own / "events")

    def renamed(self, later: Origin, gone: Iterable[str], came: Iterable[str]) -> dict[str, str]:
        """Old id -> new id of steps that got another one, such as a call once its result is there.

        They are the same step because their first record stands at the same place. `gone` and `came` are the ids that
        only one of the two has.
        """
        fresh = _by_first_place(later.places, came)
        old = _by_first_place(self.places, gone)
        return {step: fresh[place] for place, step in old.items() if place in fresh}


def _by_first_place(places: Mapping[str, tuple[Place, ...]], steps: Iterable[str]) -> dict[tuple[Path, int], str]:
    """Step ids by (file, offset) of their first record."""
    found = ((places.get(step), step) for step in steps)
    return {(known[0].path, known[0].offset): step for known, step in found if known}
