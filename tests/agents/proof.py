"""One proof: a point in a recorded session, what was to be sent after it, and what the agent sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tests.agents.model import ScriptedModel
from tests.importers.ground_truth import Message


class Proof(NamedTuple):
    """`point` in words; the retained history with the new prompt; what was sent, without what agents add."""

    point: str
    expected: list[Message]
    sent: list[Message]
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether the agent sent the retained history and the new prompt, and nothing else."""
        return not self.why and self.sent == self.expected


@dataclass(frozen=True)
class Agent:
    """A program to prove: the npm package, the versions that are pinned, and what proves one of them.

    `prove(program folder, an empty folder, the model)` yields one proof for each point.
    """

    name: str
    package: str
    versions: tuple[str, ...]
    prove: Callable[[Path, Path, ScriptedModel], Iterator[Proof]]
