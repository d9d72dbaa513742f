"""What was checked when a run ended: checks that failed the last time they ran, a last command that failed, or a last
check that passed.

A log says that a turn ended, not that the work is done. Nothing is guessed from the agent's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from opentine_gui.core.analysis.files.touched_files import Touched
from opentine_gui.core.analysis.suspicion.call_facts import CallFacts, Told
from opentine_gui.core.analysis.suspicion.check_scope import Check, checks_of, covers
from opentine_gui.core.analysis.suspicion.unchecked import last_command, program_edits
from opentine_gui.core.graph.calls.call_roles import Role
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.outcomes.masked_failure import hides_exit_code

MOST_OPEN = 100
"""Most failing checks that are kept apart, the last ones: each check that passes is compared with all of them."""
_COMMANDS = (Role.TEST, Role.RUN, Role.SAVE)


class OpenEnd(msgspec.Struct, frozen=True):
    """What was checked when a run ended, by positions of steps; -1 stands for none.

    First comes what is open, `checks` and `command`; only where nothing is open, the last check that passed; and only
    where no check is recorded at all, edits that nothing checked.
    """

    checks: tuple[int, ...] = ()
    """Of each check that did not pass since it failed where it failed last, oldest first."""
    command: int = -1
    """The last command after the last thing that a person said, if it failed and is none of `checks`."""
    passed: int = -1
    """The last check. Of those that failed and ran again without saying how they ended, the last such run."""
    edits: int = 0
    """The edits after `passed`; where no check is recorded, the edits of programs after `ran`."""
    unclear: bool = False
    """Whether nothing says that `passed` did pass, only nothing that it failed (`CallFacts.unclear`)."""
    unchecked: int = -1
    """Where no check is recorded, the last edit of a program."""
    ran: int = -1
    """Where no check is recorded but programs were edited, the last command, which may have run what was edited."""

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps named."""
        return self.checks or ((self.command,) if self.command >= 0 else ())


def open_end(
    graph: Graph, path: Sequence[int], facts: Mapping[int, CallFacts], touched: Touched, folder: str = ""
) -> OpenEnd:
    """What had not passed at the end of `path`, which is in recorded order; `facts` are those of its tool steps.

    A call that was refused, interrupted or never answered says nothing about what it would have checked. `folder` is
    where the run worked, "" if that is not recorded.
    """
    checks = _Checks(folder)
    command = -1
    edits: list[int] = []
    for step in path:
        found = facts.get(step)
        if graph.v3_kinds.get(step) == "human":
            command = -1
        if found is None or step in graph.stopped:
            continue
        if found.call.role is Role.EDIT and not graph.failed[step]:
            edits.append(step)
        if found.call.role not in _COMMANDS:
            continue
        checks.add(step, found, failed=bool(graph.failed[step]))
        if found.call.command:
            command = step
    failing = checks.failing()
    command = command if command >= 0 and graph.failed[command] and command not in failing else -1
    if failing or command >= 0:
        return OpenEnd(failing, command)
    if checks.last < 0:
        calls = {step: found.call for step, found in facts.items()}
        programs = program_edits(graph, path, calls, touched)
        ran = last_command(graph, calls) if programs else -1
        return OpenEnd(edits=sum(edit > ran for edit in programs), unchecked=max(programs, default=-1), ran=ran)
    passed = max(checks.doubtful.values(), default=checks.last)
    unclear = bool(checks.doubtful) or checks.unclear
    return OpenEnd(passed=passed, edits=sum(edit > passed for edit in edits), unclear=unclear)


class _Checks:
    """The checks of a run, added in recorded order.

    `doubtful` are those that failed, and ran again since without saying how they ended: each with where.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._open: dict[Check, int] = {}
        """Those that did not pass, and where they failed last; the last `MOST_OPEN`."""
        self._first: dict[Check, int] = {}
        """Where a check failed first."""
        self.doubtful: dict[Check, int] = {}
        self._was_open: dict[Check, int] = {}
        """Where a doubtful one failed last."""
        self.last, self.unclear = -1, False

    def add(self, step: int, facts: CallFacts, *, failed: bool) -> None:
        """Add a command. One that is mainly no check tells of those in it if it passed: `npm install && npm test`."""
        is_check = facts.call.role is Role.TEST
        if not is_check and (failed or "&&" not in facts.call.command):  # nearly all commands
            return
        line = checks_of(facts.call, self._folder)
        if not line.all or not (is_check or line.chained):
            return
        failed = failed and (facts.says_failed or not line.lost)
        unclear = facts.unclear or (not is_check and hides_exit_code(facts.call.command))
        if facts.told not in (None, Told.RECORDED):
            failed, unclear = facts.told is Told.FAILED, facts.told is Told.NOTHING
        self.last, self.unclear = step, unclear
        if failed:
            for check in line.all:
                self.doubtful.pop(check, None)
                self._open.pop(check, None)  # it comes last again
                self._open[check] = step
                self._first.setdefault(check, step)
            while len(self._open) > MOST_OPEN:
                del self._open[next(iter(self._open))]
            return
        for check in line.told:
            self._answer(check, step)

    def _answer(self, check: Check, step: int) -> None:
        failed = self._first.get(check, step)
        for earlier, place in list(self._open.items()):
            if covers(check, earlier, failed_before=failed < place):
                del self._open[earlier]
                self._was_open[earlier], self.doubtful[earlier] = place, step
        for earlier in list(self.doubtful):
            if covers(check, earlier, failed_before=failed < self._was_open[earlier]):
                self.doubtful[earlier] = step
                if not self.unclear:
                    del self.doubtful[earlier]
        while len(self.doubtful) > MOST_OPEN:
            del self.doubtful[next(iter(self.doubtful))]

    def failing(self) -> tuple[int, ...]:
        """The steps where checks failed the last time they ran; of one program run for more and less, the last."""
        given: list[tuple[int, Check]] = []
        for check, step in sorted(self._open.items(), key=lambda found: -found[1]):
            alike = [other for _, other in given if other.program == check.program]
            if not any(covers(check, other) or covers(other, check) for other in alike):
                given.append((step, check))
        return tuple(sorted({step for step, _ in given}))
