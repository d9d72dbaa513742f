"""`python -m tests.agents [AGENT …]`: install, prove, print the table. Needs npm, Linux and its network namespaces."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.agents.claude_code import CLAUDE_CODE, CLAUDE_DOOR
from tests.agents.codex import CODEX
from tests.agents.codex_door import CODEX_DOOR
from tests.agents.gemini import GEMINI
from tests.agents.model import ScriptedModel
from tests.agents.opencode import OPENCODE
from tests.agents.pi import PI
from tests.agents.proof import Agent, Proof

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "agents"
AGENTS: tuple[Agent, ...] = (CLAUDE_CODE, CODEX, PI, GEMINI, OPENCODE)
DOORS = {"claude-door": CLAUDE_DOOR, "codex-door": CODEX_DOOR}
"""The agents' own doors, tried at the same points when they are named: docs/IMPORT.md says what came of it."""
INSIDE = "OPENTINE_AGENTS_INSIDE"
"""Set in the process that has a network of its own, in which there is nothing but loopback."""


def install(agent: Agent, version: str) -> Path:
    """The folder with a version of an agent, from npm; without running scripts of packages."""
    folder = PROGRAMS / f"{agent.name}-{version}"
    if not (folder / "node_modules").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text('{"private": true}')
        words = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", f"{agent.package}@{version}"]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


def chosen(names: list[str]) -> list[Agent]:
    named = [agent for name, agent in DOORS.items() if name in names]
    return [*(agent for agent in AGENTS if not names or agent.name in names), *named]


def prove(agent: Agent, version: str) -> bool:
    """Print the table of one version; returns whether every proof holds."""
    _say(f"\n{agent.name} {version}")
    good = total = 0
    model = ScriptedModel()
    with tempfile.TemporaryDirectory(prefix="agents-") as work:
        for proof in agent.prove(PROGRAMS / f"{agent.name}-{version}", Path(work), model):
            total += 1
            good += proof.holds
            _say(f"  {'holds' if proof.holds else 'FAILS'}  {proof.point}  ({len(proof.sent)} messages)")
            if not proof.holds:
                _explain(proof)
    model.close()
    _say(f"  {good} of {total}")
    return good == total


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _explain(proof: Proof) -> None:
    if proof.why:
        _say(f"         {proof.why}")
    for number in range(max(len(proof.expected), len(proof.sent))):
        pair = [str(part[number])[:100] if number < len(part) else "-" for part in (proof.expected, proof.sent)]
        if pair[0] != pair[1]:
            _say(f"         {number}: expected {pair[0]}\n         {' ' * len(str(number))}  sent     {pair[1]}")


def main(names: list[str]) -> int:
    if INSIDE not in os.environ:
        for agent in chosen(names):
            for version in agent.versions:
                install(agent, version)
        closed = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--"]
        script = 'ip link set lo up && exec "$@"'
        words = [*closed, "sh", "-c", script, "sh", sys.executable, "-m", "tests.agents", *names]
        return subprocess.run(words, cwd=ROOT, env={**os.environ, INSIDE: "1"}, check=False).returncode
    results = [prove(agent, version) for agent in chosen(names) for version in agent.versions]
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
