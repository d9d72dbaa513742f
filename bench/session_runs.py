"""Generated sessions to fold: turns of a person, rounds of reading, editing and testing, sub-agents, failures, pauses.

Also `messy_run`, a graph of forks and merges everywhere. Deterministic functions of a number of steps and a seed.
"""

from __future__ import annotations

from random import Random

from bench.generate import MODEL, STARTED, run_of
from opentine_gui.core.format.canonical import step_id
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.model import JsonObject, Step, StepKind
from opentine_gui.core.record import RunRecord

_WORDS = (
    "reader", "writer", "parser", "table", "index", "cache", "session", "branch", "border", "lane", "card", "layout",
    "canvas", "camera", "window", "panel", "store", "query", "filter", "token", "stream", "buffer", "socket", "retry",
    "queue", "worker", "schema", "migration", "fixture",
)  # fmt: skip


class _Session:
    def __init__(self, count: int, seed: int, tail: str) -> None:
        self.count, self.tail = count, tail
        self.random = Random(seed)
        self.steps: list[Step] = []
        self.clock = STARTED

    def full(self) -> bool:
        return len(self.steps) >= self.count

    def word(self) -> str:
        return self.random.choice(_WORDS)

    def add(
        self, kind: StepKind, parents: tuple[str, ...], inputs: JsonObject, outputs: JsonObject, *,
        v3_kind: str | None = None, failed: bool = False,
    ) -> tuple[str, ...]:  # fmt: skip
        number = len(self.steps)
        tool_info: JsonObject = {"nth": f"{number}{self.tail}" if number > self.count // 2 else str(number)}
        error: JsonObject = {"type": "ToolError", "message": f"exit status 1 in {self.word()}"} if failed else {}
        identity = step_id(
            kind, inputs, parent_ids=parents, outputs=outputs, model_info=MODEL, tool_info=tool_info, error=error
        )
        took = self.random.random() * (20 if kind is StepKind.MODEL else 4)
        made = Step(
            id=identity, parent_ids=parents, kind=kind, inputs=inputs, outputs=outputs, model_info=MODEL,
            tool_info=tool_info, error=error, timestamp=self.clock, duration=took, v3_kind=v3_kind,
        )  # fmt: skip
        self.steps.append(made)
        self.clock += took
        return (identity,)

    def person(self, at: tuple[str, ...]) -> tuple[str, ...]:
        self.clock += self.random.choice((5, 40, 300, 4_000))
        words = f"Please have a look at the {self.word()} and the {self.word()}, then mend the {self.word()}"
        return self.add(StepKind.MODEL, at, {"text": words}, {}, v3_kind="human")

    def says(self, at: tuple[str, ...]) -> tuple[str, ...]:
        said = f"Now the {self.word()} of the {self.word()} is clear" if self.random.random() < 0.5 else ""
        return self.add(StepKind.MODEL, at, {}, {"text": said, "tool_calls": []})

    def call(self, at: tuple[str, ...], work: str) -> tuple[str, ...]:
        failed = work == "test" and self.random.random() < 0.3
        inputs: JsonObject = {
            "read": {"name": "Read", "arguments": {"file_path": f"src/{self.word()}.py"}},
            "edit": {"name": "Edit", "arguments": {"file_path": f"src/{self.word()}.py"}},
            "test": {"name": "Bash", "arguments": {"command": "pytest -q"}},
            "save": {"name": "Bash", "arguments": {"command": f"git commit -m '{self.word()}: {self.word()}'"}},
        }[work]
        return self.add(StepKind.TOOL, at, dict(inputs), {"result": f"{self.word()} {self.word()}"}, failed=failed)

    def rounds(self, at: tuple[str, ...], count: int) -> tuple[str, ...]:
        random = self.random
        for work in random.choices(("read", "edit", "test", "save"), (6, 3, 3, 0.6), k=count):
            if self.full():
                break
            at = self.says(at)
            wide = random.choice((1, 1, 1, 1, 2, 3, 5)) if work == "read" else 1
            at = tuple(step for _ in range(wide) for step in self.call(at, work))
        return at

    def sub_agents(self, at: tuple[str, ...]) -> tuple[str, ...]:
        asked = self.says(at)
        joined: list[str] = []
        for _ in range(self.random.choice((1, 1, 2, 3))):
            task = f"Explore the {self.word()}"
            last = self.add(StepKind.MODEL, asked, {"prompt": task, "description": task}, {}, v3_kind="subagent")
            last = self.rounds(last, self.random.randrange(4, 25))
            call: JsonObject = {"name": "Task", "arguments": {"description": task}}
            joined += self.add(StepKind.TOOL, (*asked, *last), call, {"result": "done"})
        return tuple(joined)


def session_run(count: int, seed: int = 1, *, tail: str = "") -> RunRecord:
    """A session of at least `count` steps; runs that differ only in `tail` share their first half."""
    session = _Session(count, seed, tail)
    at: tuple[str, ...] = ()
    while not session.full():
        at = session.person(at)
        at = session.rounds(at, session.random.randrange(2, 40))
        if session.random.random() < 0.25 and not session.full():
            at = session.sub_agents(at)
    return run_of(Graph.of(session.steps), f"session{tail}")


def messy_table(count: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Parents of `count` steps with forks, dead ends and merges of near and distant branches everywhere."""
    random = Random(seed)
    table: list[tuple[int, ...]] = []
    for step in range(count):
        parents = random.choice((1,) * 20 + (2, 2, 3)) if step else 0
        reach = random.choice((1, 1, 1, 1, 1, 1, 4, 40))
        table.append(tuple(dict.fromkeys(random.randrange(max(step - reach, 0), step) for _ in range(parents))))
    return table


def messy_run(count: int, seed: int = 1) -> RunRecord:
    """A run with the shape of `messy_table`."""
    session = _Session(count, seed, "")
    for parents in messy_table(count, seed):
        above = tuple(session.steps[parent].id for parent in parents)
        if len(session.steps) % 2:
            session.call(above, session.random.choice(("read", "edit", "test")))
        else:
            session.says(above)
    return run_of(Graph.of(session.steps), "messy")
