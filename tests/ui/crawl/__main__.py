"""Crawls every scene in every look and writes a report: `make crawl`, or `python -m tests.ui.crawl --help`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import msgspec

from tests.ui.crawl.crawler import PLACES, ROWS, Tried
from tests.ui.crawl.scenes import SCENES
from tests.ui.crawl.window import LOOKS, Look, crawl
from tests.ui.virtual_display import SOFTWARE, UNPAINTED_FOR_LONG, VirtualDisplay

REPORT = Path("build/crawl.md")
SECONDS = 900
"""Longest time of one scene in one look: a crawl of everything comes to an end, and says what it left out."""


def main(words: Sequence[str]) -> int:
    """Crawl what the arguments name; returns 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.crawl", description=__doc__)
    parser.add_argument("--scene", action="append", choices=list(SCENES), help="only this scene (may be repeated)")
    parser.add_argument("--look", action="append", type=int, choices=range(len(LOOKS)), help="only this look")
    parser.add_argument("--most", type=int, default=0, help="presses per crawl; 0 for all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="looks crawled at a time")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="longest time of one scene in one look")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--resume", action="store_true", help="go on where a crawl was broken off")
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    scenes = asked.scene or list(SCENES)
    looks = [LOOKS[number] for number in (asked.look if asked.look is not None else range(len(LOOKS)))]
    if asked.here is not None:
        return _here(scenes[0], looks[0], asked)
    kept = asked.report.parent / asked.report.stem
    if not asked.resume:
        shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)
    pairs = [(scene, look) for look in looks for scene in scenes]

    def walk(look: Look) -> None:
        for scene in scenes:
            answer = kept / f"{scene}-{LOOKS.index(look)}.json".replace(" ", "-")
            if not answer.exists():
                answer.write_text(json.dumps(_apart(scene, look, asked, kept)), encoding="utf-8")
            _report(pairs, kept, asked.report)

    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(walk, looks))
    sys.stdout.write(asked.report.read_text(encoding="utf-8"))
    results = [result for _, result in _answers(pairs, kept)]
    return 1 if any(result.get("findings") or "died" in result for result in results) else 0


def _here(scene: str, look: Look, asked: argparse.Namespace) -> int:
    """Crawl one scene in this process; what was pressed in other scenes of this look is in a file."""
    pressed = asked.here / f"pressed-{LOOKS.index(look)}.json"
    tried: Tried = json.loads(pressed.read_text(encoding="utf-8")) if pressed.exists() and not asked.most else {}
    with tempfile.TemporaryDirectory() as folder:
        report = crawl(scene, look, Path(folder), most=asked.most, tried=tried, seconds=asked.seconds)
    pressed.write_text(json.dumps(tried), encoding="utf-8")
    sys.stdout.write(json.dumps(msgspec.to_builtins(report)))
    return 0


def _apart(scene: str, look: Look, asked: argparse.Namespace, kept: Path) -> dict[str, object]:
    """Crawl in a process and on a display of its own."""
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.ui.crawl", "--here", str(kept.resolve()), "--scene", scene]
    command += ["--look", str(LOOKS.index(look)), "--most", str(asked.most), "--seconds", str(asked.seconds)]
    with VirtualDisplay() as display, tempfile.TemporaryDirectory() as home:
        homes = {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment = os.environ | SOFTWARE | UNPAINTED_FOR_LONG | homes | {"DISPLAY": display.name, "HOME": home}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    seconds = round(time.monotonic() - began)
    if done.returncode:
        return {"died": done.stderr.strip().splitlines()[-1:], "seconds": seconds}
    answer: dict[str, object] = json.loads(done.stdout)
    return answer | {"seconds": seconds}


Pairs = Sequence[tuple[str, Look]]


def _answers(pairs: Pairs, kept: Path) -> list[tuple[tuple[str, Look], dict[str, object]]]:
    """What was found so far."""
    found = []
    for scene, look in pairs:
        answer = kept / f"{scene}-{LOOKS.index(look)}.json".replace(" ", "-")
        with suppress(OSError, ValueError):
            found.append(((scene, look), json.loads(answer.read_text(encoding="utf-8"))))
    return found


def _report(pairs: Pairs, kept: Path, target: Path) -> None:
    """Write what was found so far."""
    answers = _answers(pairs, kept)
    left = len(pairs) - len(answers)
    text = _written([pair for pair, _ in answers], [answer for _, answer in answers])
    target.write_text(text + (f"\n{left} crawls are still to be done.\n" if left else ""), encoding="utf-8")


def _written(pairs: Sequence[tuple[str, Look]], results: Sequence[dict[str, object]]) -> str:
    lines = ["# What the crawler pressed and found", ""]
    lines += [f"In each look a control is pressed at the first {PLACES} places it stands at, in the first scenes that"]
    lines += [
        f"have it; of alike rows {ROWS} a scene. In every state all are seen to be whole, free and named.",
        "",
    ]
    columns = ("states", "pressed", "typed", "dragged", "left", "not pressed", "lost", "findings", "s")
    lines += [f"| scene | look | {' | '.join(columns)} |", "|---|---|" + "--:|" * len(columns)]
    for (scene, look), result in zip(pairs, results, strict=True):
        states, findings = result.get("states", []), result.get("findings", result.get("died", []))
        lost = result.get("lost", [])
        assert isinstance(states, list) and isinstance(findings, list) and isinstance(lost, list)
        figures = [len(states), *(result.get(name, 0) for name in ("pressed", "typed", "dragged", "left", "omitted"))]
        cells = [scene, str(look), *map(str, figures), str(len(lost)), str(len(findings)), str(result["seconds"])]
        lines.append(f"| {' | '.join(cells)} |")
    seen: dict[str, list[str]] = {}
    for (scene, look), result in zip(pairs, results, strict=True):
        for sentence in result.get("findings", result.get("died", [])):  # type: ignore[attr-defined]
            seen.setdefault(sentence, []).append(f"{scene}, {look}")
    lines += ["", "## Findings", ""]
    lines += [f"- {sentence} ({len(where)}: {where[0]})" for sentence, where in sorted(seen.items())] or ["None."]
    lost = [(where, one) for where, result in zip(pairs, results, strict=True) for one in result.get("lost", ())]  # type: ignore[attr-defined]
    lines += ["", "## Not found again when it was to be pressed", ""]
    lines += [f"- {one} ({scene}, {look})" for (scene, look), one in lost] or ["None."]
    names = sorted({state for result in results for state in result.get("states", [])})  # type: ignore[attr-defined]
    return "\n".join([*lines, "", "## States", "", *(f"- {name}" for name in names), ""])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
