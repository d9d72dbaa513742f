"""Lets several programs write one file: ours, which look before they replace, and others, which know no lock.

First every interleaving that matters: another program writes exactly before the n-th system call of our save. Then real
races, of two and three processes that start at once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import msgspec

from opentine_gui.app.system.write_run import write_run
from opentine_gui.core import FileChanged, TineError, encode
from opentine_gui.core.files import atomic_write
from tests.attack.campaign import Attack, Campaign
from tests.attack.disk.kills import calls_of
from tests.attack.disk.system_calls import can_watch, watch
from tests.attack.disk.workloads import FAILED, NEW, NEW_BYTES, OLD_BYTES, SAVED, WORKLOADS, at_home

THEIRS = b"what another program wrote " * 3000
APPENDED = b"\na line that another program appended"
LONGEST_ROUND = 30.0


def replace_it(path: Path) -> None:
    """Write a new file and give it the name, as careful programs do."""
    new = path.with_name("theirs.new")
    new.write_bytes(THEIRS)
    os.replace(new, path)


def rewrite_it(path: Path) -> None:
    """Empty the file and write into it, as most programs do."""
    with path.open("wb") as file:
        file.write(THEIRS)


def append_to_it(path: Path) -> None:
    """Append a line, as a program does that records."""
    with path.open("ab") as file:
        file.write(APPENDED)


FOREIGN: dict[str, Callable[[Path], None]] = {"replaces": replace_it, "rewrites": rewrite_it, "appends": append_to_it}


def lost(folder: Path, kind: str) -> bool:
    """Whether what a foreign program wrote is in no file of the folder."""
    wanted = APPENDED if kind == "appends" else THEIRS
    return not any(wanted in path.read_bytes() for path in folder.iterdir() if path.is_file())


def run(campaign: Campaign) -> None:
    """Interleavings for the first half of the time, then races."""
    # As the other program waits for ours at the n-th call, there is nothing to wait for.
    atomic_write.LONGEST_WAIT_FOR_WRITERS = 0.03
    if can_watch():
        _interleave(campaign)
    else:
        campaign.notes.append("this system does not let a process answer for another one's calls: only races")
    for _ in campaign.numbers(campaign.full):
        _race(campaign)
    campaign.measured(campaign.tries, "rounds")


# --- at every call ---------------------------------------------------------------------------------------------------


def _interleave(campaign: Campaign) -> None:
    workload = WORKLOADS[0]
    calls = calls_of(workload, campaign.folder / "whole")
    moments = range(len(calls) + 1)
    cases = [(kind, at, at + held) for kind in ("rewrites", "appends") for at in moments for held in (0, 3, 12, 1000)]
    cases += [("replaces", at, at) for at in moments]
    for kind, begins, ends in campaign.shuffled(cases, 0.5):
        folder = campaign.folder / str(campaign.tries)
        folder.mkdir()
        foreign = _Foreign(kind, folder / "run.tine", begins, ends)
        ended = watch(lambda folder=folder: workload.ready(folder), foreign.at)
        foreign.at(1 << 30, "")
        what = f"another program {kind} it from call {begins} to {ends} of a save"
        data = (folder / "run.tine").read_bytes()
        if lost(folder, kind):
            campaign.found(f"{what}: its content is lost, and the save says {ended.said!r}")
        elif ended.said == SAVED and data not in (NEW_BYTES, THEIRS, NEW_BYTES + APPENDED):
            campaign.found(f"{what}: torn, {len(data):,} bytes")
        elif ended.said is not None and not ended.said.startswith((SAVED, FAILED)):
            campaign.found(f"{what}: {ended.said}")
        shutil.rmtree(folder)


class _Foreign:
    """Another program, which acts between two calls of ours; it may keep the file open from one to a later one."""

    def __init__(self, kind: str, path: Path, begins: int, ends: int) -> None:
        self.kind, self.path, self.begins, self.ends = kind, path, begins, ends
        self.began = self.ended = False
        self.file: object = None

    def at(self, number: int, _name: str) -> int:
        if number >= self.begins and not self.began:
            self.began = True
            if self.kind == "replaces":
                replace_it(self.path)
                self.ended = True
            else:
                self.file = self.path.open("ab" if self.kind == "appends" else "wb")
        if number >= self.ends and self.began and not self.ended:
            self.ended = True
            with self.file as file:  # type: ignore[attr-defined]
                file.write(APPENDED if self.kind == "appends" else THEIRS)
        return 0


# --- races -----------------------------------------------------------------------------------------------------------


def _race(campaign: Campaign) -> None:
    """Two or three processes that all read the same file and write it at once; at most one of them is not ours."""
    random = Random(f"{campaign.seed} {campaign.tries}")
    folder = campaign.folder / str(campaign.tries)
    folder.mkdir()
    path = folder / "run.tine"
    path.write_bytes(OLD_BYTES)
    kind = random.choice([None, *FOREIGN])
    ours = random.choice([1, 2]) if kind else random.choice([2, 3])
    starts = time.monotonic() + 0.02
    children = []
    for number in range(ours):
        late = starts + random.random() * 0.01
        children.append(_fork(lambda number=number, late=late: _our_save(folder, path, number, late)))
    if kind:
        late = starts + random.random() * 0.025
        children.append(_fork(lambda: _foreign_write(folder, path, kind, late)))
    _wait(children)
    said = [(folder / f"said-{number}").read_text() for number in range(ours)]
    what = f"{ours} of ours and one that {kind} it" if kind else f"{ours} of ours"
    data = path.read_bytes()
    for number, word in enumerate(said):
        if not word.startswith((SAVED, FAILED, "changed")):
            campaign.found(f"{what}: {word}")
        elif word == SAVED and kind is None and data != _variant_bytes(number):
            campaign.found(f"{what}: saved, and then replaced by a copy of ours that had not seen it")
    if kind and lost(folder, kind):
        campaign.found(f"{what}: its content is lost; ours said {said}")
    if kind is None and said.count(SAVED) != 1:
        campaign.found(f"{what}: they said {said}")
    shutil.rmtree(folder)


def _variant_bytes(number: int) -> bytes:
    return encode(msgspec.structs.replace(NEW, run_id=f"writer-{number}"))


def _our_save(folder: Path, path: Path, number: int, late: float) -> None:
    at_home(folder / "home")
    record = msgspec.structs.replace(NEW, run_id=f"writer-{number}")
    known = hashlib.sha256(OLD_BYTES).hexdigest()
    _until(late)
    try:
        write_run(record, path, lambda _fraction: None, lambda: False, None, known)
        said = SAVED
    except FileChanged:
        said = "changed"
    except TineError as error:
        said = f"{FAILED}{error}"
    except BaseException as error:  # noqa: BLE001 - this is what the attack looks for
        said = f"traceback: {error!r}"
    (folder / f"said-{number}").write_text(said)


def _foreign_write(_folder: Path, path: Path, kind: str, late: float) -> None:
    _until(late)
    FOREIGN[kind](path)


def _until(moment: float) -> None:
    while time.monotonic() < moment:
        pass


def _fork(work: Callable[[], None]) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(int(LONGEST_ROUND))
            work()
        finally:
            os._exit(0)
    return child


def _wait(children: list[int]) -> None:
    for child in children:
        with suppress(ChildProcessError):
            os.waitpid(child, 0)


ATTACK = Attack("writers", "what another program wrote is never lost in silence", run, 1.0, 600)
