"""Random tables of parents, and runs of them, for the tests of folding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from hypothesis import strategies as st

from opentine_gui.core import Graph, Step, StepKind, step_id

Table = list[tuple[int, ...]]


@st.composite
def tables(draw: st.DrawFn, *, largest: int = 40) -> Table:
    """Parents of a few steps, each before its children: chains, fans, joins, several roots."""
    table: Table = []
    for step in range(draw(st.integers(1, largest))):
        count = draw(st.sampled_from((1, 1, 1, 1, 2, 2, 3, 0))) if step else 0
        reach = draw(st.sampled_from((1, 2, 5, 60)))
        least = max(step - reach, 0)
        found = [draw(st.integers(least, step - 1)) for _ in range(count)]
        table.append(tuple(dict.fromkeys(found)))
    return table


def graph_of(
    table: Sequence[tuple[int, ...]],
    kinds: str = "",
    failed: Sequence[int] = (),
    results: Mapping[int, str] = MappingProxyType({}),
) -> Graph:
    """A graph with this shape; `kinds` are h person, s sub-agent, m model, d answer, c compaction, else calls.

    A capital letter is a tool: E edit, R read, T test, C commit. Steps in `failed` have an error; `results` are those
    of calls, where they matter.
    """
    steps: list[Step] = []
    for number, parents in enumerate(table):
        letter = kinds[number] if number < len(kinds) else "mR"[number % 2]
        above = tuple(steps[parent].id for parent in parents)
        steps.append(_step(number, letter, above, number in failed, results.get(number, f"result {number}")))
    return Graph.of(steps)


CALLS = {
    "E": {"name": "Edit", "arguments": {"file_path": "src/spine.py"}},
    "R": {"name": "Read", "arguments": {"file_path": "src/reader.py"}},
    "T": {"name": "Bash", "arguments": {"command": "go test ./..."}},
    "C": {"name": "Bash", "arguments": {"command": "git commit -m 'reader: joins results'"}},
}


def _step(number: int, letter: str, parents: tuple[str, ...], failed: bool, result: str) -> Step:
    kind, v3_kind = StepKind.MODEL, None
    inputs: dict[str, object] = {}
    outputs: dict[str, object] = {}
    if letter in CALLS:
        kind, inputs, outputs = StepKind.TOOL, dict(CALLS[letter]), {"result": result}
    elif letter == "h":
        v3_kind, inputs = "human", {"text": f"Please do part {number} of it now"}
    elif letter == "s":
        v3_kind, inputs = "subagent", {"prompt": "Look around", "description": f"Explore part {number}"}
    elif letter == "c":
        kind, inputs, outputs = StepKind.THINK, {"trigger": "auto"}, {"summary": "so far"}
    else:
        kind = StepKind.DONE if letter == "d" else kind
        outputs = {"text": "" if letter == "q" else f"I go on with {number}"}
    tool_info = {"nth": number}
    error = {"type": "ToolError", "message": "exit status 1"} if failed else {}
    identity = step_id(
        kind, inputs, parent_ids=parents, outputs=outputs, model_info="m", tool_info=tool_info, error=error
    )
    return Step(
        id=identity, parent_ids=parents, kind=kind, inputs=inputs, outputs=outputs, model_info="m",
        tool_info=tool_info, error=error, timestamp=1000.0 + number, v3_kind=v3_kind,
    )  # fmt: skip
