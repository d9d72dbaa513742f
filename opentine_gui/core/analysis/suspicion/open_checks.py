"""What was checked when a run ended: checks that failed the last time they ran, a last command that failed, or a last
check that passed.

A log says that a turn ended, not that the work is done. Nothing is guessed from the agent's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from opentine_gui.core.analysis.suspicion.call_facts import PROSE, CallFacts
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.structure.call_roles import Role

_COMMANDS = (Role.TEST, Role.RUN, Role.SAVE)


class OpenEnd(msgspec.Struct, frozen=True):
    """Positions, oldest first: the last run of each check that did not pass; and the last command of the last turn of a
    person, -1 if it did. Where nothing is open, `passed` is the last check (-1 for none) and `edits` counts those after
    it. `unclear`: nothing says that it passed, only nothing that it failed (`CallFacts.unclear`).
    """

    checks: tuple[int, ...] = ()
    command: int = -1
    passed: int = -1
    edits: int = 0
    unclear: bool = False
    unchecked: int = -1
    """Where nothing was checked at all, the last edit of a program; -1 for none. `edits` counts these then."""

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps named."""
        return self.checks or ((self.command,) if self.command >= 0 else ())


def open_end(graph: Graph, path: Sequence[int], facts: Mapping[int, CallFacts]) -> OpenEnd:
    """What had not passed at the end of `path`, which is in recorded order; `facts` are those of its tool steps.

    A call that was refused, interrupted or never answered says nothing about what it would have checked.
    """
    last: dict[tuple[str, str], int] = {}
    command = checked = -1
    edits = 0
    programs: list[int] = []
    for step in path:
        found = facts.get(step)
        if graph.v3_kinds.get(step) == "human":
            command = -1
        if found is None or step in graph.stopped:
            continue
        if found.call.role is Role.EDIT:
            edits += not graph.failed[step]
            if found.call.path and not found.call.path.lower().endswith(PROSE) and not graph.failed[step]:
                programs.append(step)
        if found.call.role not in _COMMANDS:
            continue
        if found.call.role is Role.TEST:
            last[found.call.tool, found.call.about] = checked = step
            edits = 0
        if found.call.command:
            command = step
    checks = tuple(sorted(step for step in last.values() if graph.failed[step]))
    command = command if command >= 0 and graph.failed[command] and command not in checks else -1
    if checks or command >= 0:
        return OpenEnd(checks, command)
    if checked < 0:
        return OpenEnd(edits=len(programs), unchecked=programs[-1] if programs else -1)
    return OpenEnd(passed=checked, edits=edits, unclear=facts[checked].unclear)
