"""Failing runs with a planted culprit, and how often it is among the first suspects: `python -m bench.planted`.

The runs are made by a small model of an agent at work: it reads, edits, tests, fails and mends. One step is made the
culprit; what follows from it is drawn by chance, and so are failures, repetitions and refusals that have nothing to do
with it. docs/SUSPECTS.md has the figures and what they do not say.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from opentine_gui.core.analysis.files.touched_files import touched_files
from opentine_gui.core.analysis.suspicion.spectrum import End
from opentine_gui.core.analysis.suspicion.suspects import Suspicion, ends_of, suspects
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import RunStatus, Step, StepKind
from opentine_gui.core.record import RunRecord

FIRST = 3
RUNS = 200
_FILES = ("src/reader.py", "src/link.py", "src/summary.py", "src/cli.py", "tests/test_reader.py", "src/store.py")
_WORDS = ("I look at it first.", "The key is missing.", "I add a guard.", "Now the other half.", "Still failing.")


class Planted(NamedTuple):
    """A run, the position of its culprit, and how its ends are judged (None: as the run itself says)."""

    record: RunRecord
    culprit: int
    ends: list[End] | None = None


class Agent:
    """An agent at work: every method adds steps behind the last one and returns the position of the one that counts."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.steps: list[Step] = []
        self.last: list[int] = []
        self.time = 1_770_000_000.0
        self.edits = 0

    def add(self, kind: StepKind, inputs: dict[str, Any], **fields: Any) -> int:
        self.time += self.random.uniform(1, 30)
        parents = [self.steps[parent].id for parent in self.last]
        step = new_step(kind, inputs, parents, timestamp=self.time, duration=self.random.uniform(0.1, 9), **fields)
        self.steps.append(step)
        self.last = [len(self.steps) - 1]
        return self.last[0]

    def ask(self) -> int:
        return self.add(StepKind.MODEL, {"text": f"Do part {self.random.randrange(99)}"}, v3_kind="human")

    def say(self, text: str = "") -> int:
        words = text or self.random.choice(_WORDS)
        return self.add(
            StepKind.MODEL, {}, outputs={"text": f"{words} ({self.random.randrange(999)})"}, model_info="m", cost=0.01,
            usage={"input": 900, "output": self.random.randrange(20, 400)},
        )  # fmt: skip

    def call(self, name: str, arguments: dict[str, Any], answer: str = "", error: dict[str, Any] | None = None) -> int:
        self.say()
        outputs = {"result": answer} if answer else {}
        return self.add(StepKind.TOOL, {"name": name, "arguments": arguments}, outputs=outputs, error=error or {})

    def read(self) -> int:
        path = self.random.choice(_FILES)
        return self.call("Read", {"file_path": f"/w/{path}", "offset": self.random.randrange(400)}, "text")

    def edit(self, path: str = "") -> int:
        self.edits += 1
        path = path or self.random.choice(_FILES)
        old, new = f"old {self.edits}", f"new {self.edits}"
        return self.call("Edit", {"file_path": f"/w/{path}", "old_string": old, "new_string": new}, "ok")

    def test(self, named: Sequence[str] = ()) -> int:
        command = {"command": "python -m pytest -q"}
        if not named:
            return self.call("Bash", command, "12 passed")
        lines = "\n".join(f"{name}:{self.random.randrange(9, 200)}: in call" for name in named)
        message = f"FAILED tests/test_reader.py::test_{self.random.randrange(9)}\n{lines}\nKeyError"
        return self.call("Bash", command, error={"type": "failed", "message": message})

    def noise(self) -> None:
        """What happens in any session and has nothing to do with the culprit."""
        chance = self.random.random()
        if chance < 0.35:
            self.read()
        elif chance < 0.55:
            self.edit()
        elif chance < 0.65:
            self.call("Bash", {"command": f"grep -rn key{self.random.randrange(99)} src"}, "src/reader.py:4")
        elif chance < 0.75:  # a failure that is mended at once
            self.call("Bash", {"command": "ls build"}, error={"type": "failed", "message": "no such file"})
            self.call("Bash", {"command": "ls build"}, "reader.whl")
        elif chance < 0.87:  # tests fail, as they do while something is made, and pass again
            path = self.random.choice(_FILES)
            self.edit(path)
            self.test([path])
            self.edit(path)
            self.test()
        elif chance < 0.91:  # looking at the same thing again and again, without need
            arguments = {"command": f"git log -{self.random.randrange(9)}"}
            for _ in range(3):
                self.call("Bash", arguments, "one\ntwo")
        elif chance < 0.93:
            self.refuse("git push --tags")
        elif chance < 0.96:
            self.ask()
        else:
            self.edit("docs/notes.md")

    def work(self, least: int, most: int) -> None:
        for _ in range(self.random.randrange(least, most)):
            self.noise()

    def refuse(self, command: str) -> int:
        error = {"type": "rejected", "message": "The user doesn't want to proceed with this tool use."}
        return self.call("Bash", {"command": command}, error=error)

    def finish(self, culprit: int, status: RunStatus = RunStatus.FAILED) -> Planted:
        graph = Graph.of(self.steps)
        record = RunRecord(
            run_id="planted", status=status, graph=graph, refs={"main": graph.ids[-1]}, metadata={"title": "planted"}
        )
        return Planted(record, culprit)


def started(random: Random) -> Agent:
    """An agent that was asked and has worked for a while."""
    agent = Agent(random)
    agent.ask()
    agent.work(3, 25)
    return agent


def named_edit(random: Random) -> Planted:
    """An edit breaks a file; what fails from then on names the file, besides others."""
    agent = started(random)
    path = random.choice(_FILES[:4])
    culprit = agent.edit(path)
    _fail_on(agent, [random.choice(_FILES), path] if random.random() < 0.5 else [path])
    return agent.finish(culprit)


def hidden_edit(random: Random) -> Planted:
    """An edit breaks a file; what fails from then on names the files that use it, and seldom the file."""
    agent = started(random)
    path, *others = random.sample(_FILES[:4], 3)
    culprit = agent.edit(path)
    _fail_on(agent, [*others, path] if random.random() < 0.3 else others)
    return agent.finish(culprit)


def _fail_on(agent: Agent, named: Sequence[str]) -> None:
    """Work on without noticing it, then try several things in vain."""
    for _ in range(agent.random.randrange(0, 4)):
        agent.edit() if agent.random.random() < 0.4 else agent.read()
    for _ in range(agent.random.randrange(1, 7)):
        agent.test(named)
        for _ in range(agent.random.randrange(0, 3)):
            agent.edit() if agent.random.random() < 0.5 else agent.read()
    agent.test(named)


def refused_call(random: Random) -> Planted:
    """A person refuses a call, and what needed it fails from then on."""
    agent = started(random)
    culprit = agent.refuse("alembic upgrade head")
    agent.work(1, 6)
    for _ in range(random.randrange(1, 5)):
        agent.test([random.choice(_FILES)])
        agent.read()
    agent.test([random.choice(_FILES)])
    return agent.finish(culprit)


def lasting_error(random: Random) -> Planted:
    """Something from outside fails and is never mended: all that needs it fails later."""
    agent = started(random)
    error = {"type": "failed", "message": "npm ERR! network request failed"}
    culprit = agent.call("Bash", {"command": "npm install left-pad"}, error=error)
    agent.work(1, 8)
    for _ in range(random.randrange(1, 4)):
        agent.call("Bash", {"command": "node build.js"}, error={"type": "failed", "message": "Cannot find left-pad"})
        agent.read()
    agent.call("Bash", {"command": "node build.js"}, error={"type": "failed", "message": "Cannot find left-pad"})
    return agent.finish(culprit)


def repeated_call(random: Random) -> Planted:
    """The agent makes one call again and again until its budget ends."""
    agent = started(random)
    arguments = {"command": "curl -s localhost:8000/health"}
    culprit = agent.call("Bash", arguments, "starting")
    for _ in range(random.randrange(3, 12)):
        if random.random() < 0.3:
            agent.read()
        agent.call("Bash", arguments, "starting")
    agent.add(StepKind.ERROR, {}, error={"type": "limit", "message": "the turn limit is reached"})
    return agent.finish(culprit)


def unchecked_edit(random: Random) -> Planted:
    """The last edit is wrong, nothing is run after it, and the run says that it is done; a grader failed it."""
    agent = started(random)
    agent.test()
    culprit = agent.edit()
    for _ in range(random.randrange(0, 3)):
        agent.read()
    agent.add(StepKind.DONE, {"text": "All done."})
    return agent.finish(culprit)


def silent_decision(random: Random) -> Planted:
    """A response misunderstands the task; nothing that is recorded shows it. A grader failed the run."""
    agent = started(random)
    culprit = agent.say("They want it in minutes, then.")
    agent.work(3, 15)
    agent.test()
    agent.add(StepKind.DONE, {"text": "All done."})
    return agent.finish(culprit)


def family(random: Random) -> Planted:
    """The same silent decision, with forks: those from before it decide otherwise and pass, later ones fail."""
    agent = started(random)
    before = agent.last[0]
    culprit = agent.say("They want it in minutes, then.")
    agent.work(3, 12)
    ends = [End(agent.add(StepKind.DONE, {"text": "All done."}), True)]
    for _ in range(random.randrange(2, 6)):
        fails = random.random() < 0.5 and len(ends) > 1
        agent.last = [random.randrange(culprit, ends[0].tip) if fails else random.randrange(before // 2, before + 1)]
        if not fails and random.random() < 0.5:
            agent.say("They want it in hours.")
        agent.work(1, 8)
        ends.append(End(agent.add(StepKind.DONE, {"text": f"Done {len(ends)}."}), fails))
    made = agent.finish(culprit)
    return made._replace(ends=ends)


def replaced_step(random: Random) -> Planted:
    """As a family, with one passing fork that begins just before the decision: what it replaced is marked."""
    agent = started(random)
    before = agent.last[0]
    culprit = agent.say("They want it in minutes, then.")
    agent.work(3, 12)
    failing = End(agent.add(StepKind.DONE, {"text": "All done."}), True)
    agent.last = [before]
    agent.say("They want it in hours.")
    agent.work(2, 8)
    passing = End(agent.add(StepKind.DONE, {"text": "Done."}), False)
    return agent.finish(culprit)._replace(ends=[failing, passing])


SORTS: dict[str, Callable[[Random], Planted]] = {
    "an edit, named by what fails": named_edit,
    "an edit, others are named": hidden_edit,
    "a refused call": refused_call,
    "a lasting error from outside": lasting_error,
    "a repeated call": repeated_call,
    "an edit that nobody checked": unchecked_edit,
    "a decision, in a family of 3 to 6": family,
    "a decision, replaced by a fork": replaced_step,
    "a decision, alone and silent": silent_decision,
}


def suspicion_of(planted: Planted) -> Suspicion:
    """The suspects of a planted run."""
    graph = planted.record.graph
    main = graph.index(planted.record.main_tip or graph.ids[-1])
    if planted.ends is not None:
        main = next(end.tip for end in planted.ends if end.failed)
    return suspects(graph, planted.ends or ends_of(planted.record), touched_files(graph), main=main)


class Score(NamedTuple):
    """Shares of the runs that had the culprit first, among the first three, among all suspects; suspects a run.

    `in_range` also counts the steps that a suspect stands for: those which the same ends rest on.
    """

    first: float
    among_three: float
    among_all: float
    in_range: float
    suspects: float
    steps: float


def score(make: Callable[[Random], Planted], runs: int = RUNS, seed: int = 0) -> Score:
    """Measure one kind of culprit on `runs` runs."""
    sums = [0.0] * 6
    for number in range(runs):
        planted = make(Random(f"{make.__name__} {seed} {number}"))
        given = suspicion_of(planted).suspects
        found = [suspect.position for suspect in given]
        ranges = [step for suspect in given[:FIRST] for one in suspect.evidence for step in one.alike]
        places = (1, FIRST, len(found))
        for column, most in enumerate(places):
            sums[column] += planted.culprit in found[:most]
        sums[3] += planted.culprit in (*found[:FIRST], *ranges)
        sums[4] += len(found)
        sums[5] += len(planted.record.graph)
    return Score(*(value / runs for value in sums))


def main() -> None:
    """Print the table of docs/SUSPECTS.md."""
    parser = argparse.ArgumentParser(prog="python -m bench.planted", description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of each sort")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print("| the culprit is | first | among 3 | 3 or their stretch | among all | suspects | steps |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for words, make in SORTS.items():
        found = score(make, options.runs, options.seed)
        print(
            f"| {words} | {found.first:.0%} | {found.among_three:.0%} | {found.in_range:.0%} | {found.among_all:.0%} "
            f"| {found.suspects:.1f} | {found.steps:.0f} |"
        )


if __name__ == "__main__":
    main()
