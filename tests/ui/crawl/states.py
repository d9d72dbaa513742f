"""What a crawl goes through and what it says of it: controls, states of the window, ways between them, the report."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from opentine_gui.ui.toolkit.controls import Control


class Target(NamedTuple):
    """How a control is found again in another picture of the same state."""

    view: str
    kind: str
    name: str
    button: str = "left"


class Way(NamedTuple):
    """One step on the way to a state: an action to run, or a control to press."""

    action: str = ""
    target: Target | None = None

    def __str__(self) -> str:
        if self.target is None:
            return self.action
        return f"{self.target.view}/{self.target.name[:40]}{' (right)' if self.target.button == 'right' else ''}"


class State(NamedTuple):
    """A state of the window: what it is known by, and how to get there from the scene."""

    key: object
    ways: tuple[Way, ...]

    def __str__(self) -> str:
        return " > ".join(map(str, self.ways)) or "as opened"


@dataclass
class Report:
    """What a crawl did and found."""

    states: list[str] = field(default_factory=list)
    pressed: int = 0
    typed: int = 0
    dragged: int = 0
    left: int = 0
    omitted: int = 0
    """Controls that were not pressed because the time was over."""
    lost: list[str] = field(default_factory=list)
    """Controls that were not found again, each with its state, which may be what was not reached again."""
    findings: list[str] = field(default_factory=list)

    def found(self, state: State, sentence: str) -> None:
        """Note a finding once, with the state it was first seen in."""
        if all(known.partition("  [")[0] != sentence for known in self.findings):
            self.findings.append(f"{sentence}  [{state}]")


def known_by(control: Control | Target) -> tuple[str, str, str]:
    """A control without what changes with the document: numbers in its name."""
    return control.view, control.kind, re.sub(r"[\d.,]+", "", control.name)
