"""Random actions, keys and clicks in a real window: no internal error, no stall of the main thread, memory flat."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.attack.campaign import Attack, Campaign
from tests.ui.virtual_display import VirtualDisplay, die_with_parent

LONGEST_FRAME = 0.1
"""Seconds of the main thread's CPU that a frame may take, divided by how slow the machine is just then."""
MOST_GROWTH = 60.0
"""Megabytes that memory may grow in the second half of the actions."""
FEWEST_FOR_MEMORY = 4_000
ENVIRONMENT = {"LIBGL_ALWAYS_SOFTWARE": "1"}
"""Pictures are really painted: the driver that paints nothing keeps what it was given, and memory would not be flat."""
SECONDS_TO_START = 20.0


def run(campaign: Campaign) -> None:
    """The actions, in a process and on a display of their own; without the time to open a window, none."""
    if campaign.short and campaign.seconds_left < SECONDS_TO_START:
        campaign.notes.append("too short a time for a window")
        return
    left = str(campaign.seconds_left) if campaign.short else "inf"
    command = [sys.executable, "-m", "tests.attack.window.actions", str(campaign.seed), str(campaign.full), left]
    with VirtualDisplay() as display, tempfile.TemporaryDirectory() as home:
        homes = {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment = os.environ | ENVIRONMENT | homes | {"DISPLAY": display.name, "HOME": home}
        environment.pop("WAYLAND_DISPLAY", None)
        log = Path(home) / "said"
        with log.open("wb") as errors:
            process = subprocess.Popen(
                command,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=errors,
                preexec_fn=die_with_parent,
                process_group=0,  # it is ended by its own signal, which a terminal would send it as well
            )
            said: dict[str, object] | None = None
            for said in _reports(campaign, process):
                judge(campaign, said)
                campaign.at(campaign.tries, campaign.full)
            if process.wait() or said is None:
                campaign.found(f"the process ended with {process.returncode}: {log.read_text(errors='replace')[-400:]}")
            if said is not None:
                judge_memory(campaign, said)


def _reports(campaign: Campaign, process: subprocess.Popen[bytes]) -> Iterator[dict[str, object]]:
    """What the process reports from time to time; once the campaign is stopped it is asked for its last report."""
    asked, rest = False, b""
    assert process.stdout is not None
    with process.stdout as output:
        while True:
            if campaign.stopped and not asked:
                asked = True
                process.send_signal(signal.SIGINT)
            if not select.select([output], [], [], 0.5)[0]:
                continue
            piece = os.read(output.fileno(), 1 << 16)
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            yield from map(json.loads, lines)


def judge(campaign: Campaign, said: dict[str, object]) -> None:
    """Compare what the process reports of all its actions until now with the promises."""
    tries, internal, frames = said["tries"], said["internal"], said["slow"]
    assert isinstance(tries, int) and isinstance(internal, list) and isinstance(frames, list)
    campaign.tries = tries
    sentences = [f"internal error: {sentence}" for sentence in internal]
    sentences += [
        f"a frame took {seconds * 1000:.0f} ms of CPU after {action}"
        for seconds, action in frames
        if seconds > LONGEST_FRAME
    ]
    for sentence in sentences:
        if sentence not in campaign.findings:  # an earlier report had it
            campaign.found(sentence)
    slowest = max((seconds for seconds, _ in frames), default=0.0)
    campaign.measured(slowest * 1000, "ms of CPU in the slowest frame")


def judge_memory(campaign: Campaign, said: dict[str, object]) -> None:
    """Compare the memory of the second half of the actions with that of the first."""
    memory = said["memory"]
    assert isinstance(memory, list)
    if memory:
        half, end = memory[len(memory) // 2], memory[-1]
        campaign.worst_what += f"; {memory[0]:.0f} MB at first, {half:.0f} at half, {end:.0f} at the end"
        if campaign.tries >= FEWEST_FOR_MEMORY and end - half > MOST_GROWTH:
            campaign.found(f"memory grew by {end - half:.0f} MB in the second half")


ATTACK = Attack("soak", "no internal error, no frame over 100 ms of CPU, memory flat", run, 0.0, 10_000)
