"""Attacks the application and prints what held: `make attack`, or `python -m tests.attack --help`."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from tests.attack.campaign import SAID_EVERY, Attack, Campaign
from tests.attack.disk import failures, kills, writers
from tests.attack.exits import hostile_text
from tests.attack.files import importer_lines, mutated_files, tampering
from tests.attack.slow import large_graphs, shapes, texts
from tests.attack.window import soak

ATTACKS: tuple[Attack, ...] = (
    kills.ATTACK,
    failures.ATTACK,
    writers.ATTACK,
    mutated_files.ATTACK,
    mutated_files.FLIPS,
    shapes.ATTACK,
    large_graphs.ATTACK,
    texts.ATTACK,
    tampering.ATTACK,
    hostile_text.ATTACK,
    importer_lines.ATTACK,
    soak.ATTACK,
)


STOPPED = 128 + signal.SIGINT
"""What a shell says of a program that SIGINT ended."""


def main(words: Sequence[str]) -> int:
    """Run the attacks that the arguments name; returns 1 if one found something.

    How far an attack is and what it finds is said at once, on standard error. SIGINT ends it after its try,
    a second one at once, and the table is of what was done. Without a finding the status is then 130, as for others.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("--seconds", type=float, help="for all attacks together; without it, a full run")
    parser.add_argument("--only", action="append", choices=[attack.name for attack in ATTACKS], help="may be repeated")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the same seed makes the same tries")
    parser.add_argument("--tries", type=int, help="instead of each attack's number in a full run")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="for the attacks that use several")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="put the files that findings name here")
    parser.add_argument("--every", type=float, default=SAID_EVERY, help="seconds between two lines of progress")
    asked = parser.parse_args(words)
    chosen = [attack for attack in ATTACKS if asked.only is None or attack.name in asked.only]
    if asked.seconds is not None and asked.only is None:
        chosen = [attack for attack in chosen if attack.share]
    shares = sum(attack.share for attack in chosen) or 1.0
    say(f"seed {asked.seed}\n")
    rows, findings, spare, stopped = [], [], 0.0, False
    for attack in chosen:
        began = time.monotonic()
        share = (attack.share or 1.0) / shares
        seconds = asked.seconds * share + spare if asked.seconds is not None else None
        campaign = attacked(attack, asked, seconds)
        spent = time.monotonic() - began
        spare = max(0.0, seconds - spent) if seconds is not None else 0.0  # what ended early leaves its time
        count = len(campaign.findings) + campaign.found_more
        figure = f"{campaign.worst:,.6g} {campaign.worst_what}" if campaign.worst_what else "; ".join(campaign.notes)
        rows.append((attack.name, f"{campaign.tries:,}", f"{count:,}", figure, f"{spent:.0f} s"))
        findings += [f"{attack.name}: {sentence}" for sentence in campaign.findings]
        say(f"{' · '.join(rows[-1])}\n")
        if campaign.stopped:
            stopped = True
            break
    say("\n| attack | tries | findings | worst figure | time |\n|---|--:|--:|---|--:|\n")
    for row in rows:
        say(f"| {' | '.join(row)} |\n")
    for sentence in findings:
        say(f"\nfound: {sentence}\n")
    if stopped:
        say("\nstopped before its end\n")
    return 1 if findings else STOPPED if stopped else 0


def attacked(attack: Attack, asked: argparse.Namespace, seconds: float | None) -> Campaign:
    """The campaign of an attack, run to its end; an attack that breaks down itself is a finding, too."""
    folder = Path(tempfile.mkdtemp(prefix=f"attack-{attack.name}-"))
    campaign = Campaign(folder, asked.seed, asked.tries or attack.full, seconds, asked.processes, tell(attack))
    campaign.keep = asked.keep
    campaign.said_every = asked.every
    try:
        with stopped_by_signal(campaign):
            attack.run(campaign)
    except KeyboardInterrupt:
        campaign.stop()
    except Exception:  # noqa: BLE001 - the other attacks go on
        campaign.found(f"the attack itself broke down: {traceback.format_exc()}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return campaign


def tell(attack: Attack) -> Callable[[str], None]:
    """What writes a line about an attack to standard error."""
    return lambda line: say(f"{attack.name}: {line}\n", sys.stderr)


@contextmanager
def stopped_by_signal(campaign: Campaign) -> Iterator[None]:
    """Have the first SIGINT stop the campaign, and the second one what it does."""

    def stop(_number: int, _frame: object) -> None:
        signal.signal(signal.SIGINT, before)
        campaign.stop()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def say(text: str, stream: TextIO | None = None) -> None:
    """Write to standard output or another stream, whatever characters are in the text, and at once."""
    stream = stream or sys.stdout
    stream.write(text.encode("utf-8", "backslashreplace").decode())
    stream.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
