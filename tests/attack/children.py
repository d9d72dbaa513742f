"""Runs many tries in child processes, under a limit of memory, and watches that none of them stalls or dies."""

from __future__ import annotations

import mmap
import os
import pickle
import resource
import select
import signal
import struct
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tests.attack.campaign import Campaign, in_short

MEMORY = 1 << 30
"""Bytes that a child may need beyond what it has at its start."""
LONGEST = 20.0
"""Seconds of CPU after which a try counts as stalled and is killed."""
_STATE = struct.Struct("=QQ")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

Try = Callable[[int], list[str] | tuple[list[str], float]]
"""Number of a try -> what it found, and the CPU seconds that count if they are not all. Exceptions are findings."""


def attack_in_children(
    campaign: Campaign, one: Try, count: int, *, longest: float = LONGEST, bound: float = float("inf")
) -> None:
    """Make tries 0 to count - 1 in `campaign.processes` children; one that takes more than `bound` CPU is a finding.

    The campaign's figure is the most CPU seconds of a try.
    """
    workers = [_Worker(campaign, one, first, count, campaign.processes) for first in range(campaign.processes)]
    alive = list(workers)
    try:
        while alive:
            campaign.at(sum(worker.made for worker in workers), count)
            readable, _, _ = select.select([worker.reading for worker in alive], [], [], 0.25)
            over = campaign.seconds_left <= 0
            for worker in list(alive):
                if worker.reading in readable and not worker.read():
                    alive.remove(worker)
                    again = worker.ended(over)
                    if again is not None:
                        alive.append(again)
                elif over:
                    worker.stop()
                elif worker.stalled(longest):
                    worker.found(worker.current, f"stalled: over {longest:.0f} s of CPU")
                    worker.kill()
    finally:  # broken off, what was done counts
        for worker in alive:
            worker.stop()
        campaign.tries += sum(worker.made for worker in workers)
    slowest = max(workers, key=lambda worker: worker.slowest)
    campaign.measured(slowest.slowest, f"s of CPU at most, in try {slowest.slowest_try}")
    if slowest.slowest > bound:
        campaign.found(f"try {slowest.slowest_try} took {slowest.slowest:.2f} s of CPU; {bound} s are allowed")


class _Worker:
    """A child, and what is known of it; after it died, the same counts go on with a new child."""

    def __init__(self, campaign: Campaign, one: Try, first: int, count: int, stride: int) -> None:
        self.campaign, self.one, self.next, self.count, self.stride = campaign, one, first, count, stride
        self.done, self.slowest, self.slowest_try = 0, 0.0, first
        self.killed = False
        self._begin()

    def _begin(self) -> None:
        self.state = mmap.mmap(-1, _STATE.size)
        self.state[:] = _STATE.pack(self.next, 0)
        self.reading, writing = os.pipe()
        self.rest = b""
        self._seen, self._since = -1, 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            self.child = os.fork()
        if self.child == 0:
            os.close(self.reading)
            try:
                self._work(writing)
            finally:
                os._exit(0)
        os.close(writing)

    # --- in the child ----------------------------------------------------------------------------------------------

    def _work(self, writing: int) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C at a terminal reaches children, too: the parent ends them
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * _PAGE + MEMORY, resource.RLIM_INFINITY))
        slowest = 0.0
        for number in range(self.next, self.count, self.stride):
            began = time.process_time()
            try:
                found = self.one(number)
            except BaseException:  # noqa: BLE001 - this is what the attack looks for
                found = [in_short(traceback.format_exc())]
            spent = time.process_time() - began
            if isinstance(found, tuple):
                found, spent = found
            _, done = _STATE.unpack(self.state[:])
            self.state[:] = _STATE.pack(number + self.stride, done + 1)
            if found or spent > slowest * 1.05:
                slowest = max(slowest, spent)
                data = pickle.dumps((number, spent, found))
                os.write(writing, struct.pack("=I", len(data)) + data)

    # --- in the parent ---------------------------------------------------------------------------------------------

    @property
    def current(self) -> int:
        """The number of the try that is being made."""
        number: int = _STATE.unpack(self.state[:])[0]
        return number

    @property
    def made(self) -> int:
        """How many tries were made until now."""
        done: int = _STATE.unpack(self.state[:])[1]
        return self.done + done

    def read(self) -> bool:
        """Take what the child reports; False when it has ended."""
        piece = os.read(self.reading, 1 << 20)
        self.rest += piece
        while len(self.rest) >= 4 and len(self.rest) >= 4 + (size := struct.unpack("=I", self.rest[:4])[0]):
            number, spent, found = pickle.loads(self.rest[4 : 4 + size])
            self.rest = self.rest[4 + size :]
            if spent > self.slowest:
                self.slowest, self.slowest_try = spent, number
            for sentence in found:
                self.found(number, sentence)
        return bool(piece)

    def found(self, number: int, sentence: str) -> None:
        self.campaign.found_at(number, sentence)

    def stalled(self, longest: float) -> bool:
        """Whether the try that is being made has had more CPU than allowed."""
        if self.current != self._seen:
            self._seen, self._since = self.current, self._cpu()
            return False
        return self._cpu() - self._since > longest

    def _cpu(self) -> float:
        with suppress(OSError), open(f"/proc/{self.child}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / _TICKS
        return 0.0

    def stop(self) -> None:
        """End the child: the time is over."""
        with suppress(ProcessLookupError):
            os.kill(self.child, signal.SIGTERM)

    def kill(self) -> None:
        """End a child that stalls; the next try gets a new one."""
        self.killed = True
        with suppress(ProcessLookupError):
            os.kill(self.child, signal.SIGKILL)

    def ended(self, over: bool) -> _Worker | None:
        """Account for a child that has ended; itself with a new child if there is more to do."""
        os.close(self.reading)
        _, status = os.waitpid(self.child, 0)
        number, done = _STATE.unpack(self.state[:])
        self.done += done
        self.state[:] = _STATE.pack(number, 0)
        if over or not os.WIFSIGNALED(status):
            return None
        if not self.killed:
            self.found(number, f"the process died of {signal.Signals(os.WTERMSIG(status)).name}")
        self.killed = False
        self.done += 1
        self.next = number + self.stride
        self._begin()
        return self
