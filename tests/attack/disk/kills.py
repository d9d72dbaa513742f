"""Kills a save, or the writing of a safety copy, before each of its system calls, and looks at what is left."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path

from tests.attack.campaign import Attack, Campaign
from tests.attack.disk.system_calls import KILL, can_watch, watch
from tests.attack.disk.workloads import WORKLOADS, Workload


def calls_of(workload: Workload, folder: Path) -> tuple[str, ...]:
    """The calls that a workload makes when nothing goes wrong, and no module is imported for the first time."""
    folder.mkdir(parents=True)
    workload.ready(folder)()
    shutil.rmtree(folder)
    folder.mkdir(parents=True)
    ended = watch(lambda: workload.ready(folder), lambda _number, _name: 0)
    wrong = workload.check(folder, ended.said)
    if wrong:
        raise AssertionError(f"{workload.name} does not even work undisturbed: {wrong}")
    shutil.rmtree(folder)
    return ended.calls


def run(campaign: Campaign) -> None:
    """Each workload, killed at each call, in an order that follows from the seed."""
    if not can_watch():
        campaign.notes.append("this system does not let a process answer for another one's calls")
        return
    cases = []
    for number, workload in enumerate(WORKLOADS):
        calls = calls_of(workload, campaign.folder / f"whole-{number}")
        cases += [(workload, at, name) for at, name in enumerate(calls)]
    for workload, at, name in campaign.shuffled(cases):
        folder = campaign.folder / str(campaign.tries)
        folder.mkdir()
        watch(partial(workload.ready, folder), partial(_killing, at))
        wrong = workload.check(folder, None)
        if wrong:
            campaign.found(f"{workload.name}, killed at call {at} ({name}): {wrong}")
        shutil.rmtree(folder)
    campaign.measured(campaign.tries, "processes killed")


def _killing(at: int, number: int, _name: str) -> int | str:
    return KILL if number == at else 0


ATTACK = Attack("kill", "a crash leaves the old file or the new one, and the journal", run, 1.0, 0)
