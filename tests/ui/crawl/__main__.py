"""Crawls every scene in every look and writes a report: `make crawl`, or `python -m tests.ui.crawl --help`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from tests.ui.crawl.scenes import SCENES
from tests.ui.crawl.window import ENVIRONMENT, LOOKS, Look, crawl
from tests.ui.virtual_display import VirtualDisplay

REPORT = Path("build/crawl.md")


def main(words: Sequence[str]) -> int:
    """Crawl what the arguments name; returns 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.ui.crawl", description=__doc__)
    parser.add_argument("--scene", action="append", choices=list(SCENES), help="only this scene (may be repeated)")
    parser.add_argument("--look", action="append", type=int, choices=range(len(LOOKS)), help="only this look")
    parser.add_argument("--most", type=int, default=0, help="presses per crawl; 0 for all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="crawls at a time")
    parser.add_argument("--report", type=Path, default=REPORT)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    scenes = asked.scene or list(SCENES)
    looks = [LOOKS[number] for number in (asked.look if asked.look is not None else range(len(LOOKS)))]
    if asked.here:
        with tempfile.TemporaryDirectory() as folder:
            report = crawl(scenes[0], looks[0], Path(folder), most=asked.most)
        sys.stdout.write(json.dumps(msgspec.to_builtins(report)))
        return 0
    pairs = [(scene, look) for scene in scenes for look in looks]
    with ThreadPoolExecutor(asked.jobs) as pool:
        results = list(pool.map(lambda pair: _apart(*pair, asked.most), pairs))
    text = _written(pairs, results)
    asked.report.parent.mkdir(parents=True, exist_ok=True)
    asked.report.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 1 if any(result.get("findings") or "died" in result for result in results) else 0


def _apart(scene: str, look: Look, most: int) -> dict[str, object]:
    """Crawl in a process and on a display of its own."""
    began = time.monotonic()
    command = [sys.executable, "-m", "tests.ui.crawl", "--here", "--scene", scene, "--look", str(LOOKS.index(look))]
    with VirtualDisplay() as display, tempfile.TemporaryDirectory() as home:
        homes = {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment = os.environ | ENVIRONMENT | homes | {"DISPLAY": display.name, "HOME": home}
        done = subprocess.run(
            [*command, "--most", str(most)], env=environment, capture_output=True, text=True, check=False
        )
    seconds = round(time.monotonic() - began)
    if done.returncode:
        return {"died": done.stderr.strip().splitlines()[-1:], "seconds": seconds}
    answer: dict[str, object] = json.loads(done.stdout)
    return answer | {"seconds": seconds}


def _written(pairs: Sequence[tuple[str, Look]], results: Sequence[dict[str, object]]) -> str:
    lines = ["# What the crawler pressed and found", ""]
    lines += ["| scene | look | states | pressed | typed | dragged | left | findings | s |", "|---|---|" + "--:|" * 7]
    for (scene, look), result in zip(pairs, results, strict=True):
        states, findings = result.get("states", []), result.get("findings", result.get("died", []))
        assert isinstance(states, list) and isinstance(findings, list)
        figures = [len(states), *(result.get(name, 0) for name in ("pressed", "typed", "dragged", "left"))]
        cells = [scene, str(look), *map(str, figures), str(len(findings)), str(result["seconds"])]
        lines.append(f"| {' | '.join(cells)} |")
    seen: dict[str, list[str]] = {}
    for (scene, look), result in zip(pairs, results, strict=True):
        for sentence in result.get("findings", result.get("died", [])):  # type: ignore[attr-defined]
            seen.setdefault(sentence, []).append(f"{scene}, {look}")
    lines += ["", "## Findings", ""]
    lines += [f"- {sentence} ({len(where)}: {where[0]})" for sentence, where in sorted(seen.items())] or ["None."]
    names = sorted({state for result in results for state in result.get("states", [])})  # type: ignore[attr-defined]
    return "\n".join([*lines, "", "## States", "", *(f"- {name}" for name in names), ""])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
