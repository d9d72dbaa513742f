"""A run whose steps all say one text, where cards, groups and reasons of failures look for their words."""

from __future__ import annotations

from itertools import count
from typing import Any

from opentine_gui.core import Graph, Step, StepKind, step_id
from opentine_gui.core.graph.calls.call_roles import call_of
from opentine_gui.core.graph.calls.shell_line import commands, deciding_command
from opentine_gui.core.structure.cards import Cards
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.failures.failure import failure_of
from opentine_gui.describe.failures.reason import failure_reason, shown_headline, without_folders
from opentine_gui.describe.groups.group_face import group_face

PIECE = 12_000
"""Letters that one step says: what looks at the beginning of a text alone is asked for every step of a large run."""


def pieces(text: str) -> list[str]:
    """As many texts of a step as a text is long, all with its beginning."""
    return [text[:PIECE]] * max(1, len(text) // PIECE)


def failures(text: str) -> Graph:
    """Steps that failed, with a text as message, as what was printed, as traceback and in an object."""
    run = _Told()
    for number, piece in enumerate(pieces(text)):
        match number % 4:
            case 0:
                run.add(StepKind.TOOL, _command("make"), error={"type": "failed", "message": piece})
            case 1:
                outputs = {"stdout": piece, "exit_code": 1}
                run.add(StepKind.TOOL, _command("make"), outputs, {"message": "exit code 1"})
            case 2:
                run.add(StepKind.TOOL, _command("make"), error={"message": "a", "traceback": piece})
            case _:
                run.add(StepKind.TOOL, _command(piece), {"stderr": "", "exit_code": 1}, {"type": piece, "exit_code": 1})
    return run.graph()


def read_failures(text: str) -> None:
    """Why each of these steps failed, as a card, the inspector and a quotation say it."""
    graph = failures(text)
    for position in range(len(graph)):
        failure_reason(graph, position)
        failure = failure_of(graph.step(position))
        if failure is not None:
            shown_headline(graph.step(position), failure)
            without_folders(failure.message[:PIECE], "…/")


def groups(text: str) -> Graph:
    """Turns in which a text is asked, said, run, committed, planned, handed on, reported and where it fails."""
    run = _Told()
    for number, piece in enumerate(pieces(text)):
        match number % 8:
            case 0:
                run.add(StepKind.MODEL, {"text": piece}, v3_kind="human")
            case 1:
                run.add(StepKind.MODEL, {}, {"text": piece})
            case 2:
                run.add(StepKind.TOOL, _command(piece))
            case 3:
                run.add(StepKind.TOOL, _command(f'git commit -m "{piece}'))
            case 4:
                todos = [{"content": piece, "status": "in_progress"}]
                run.add(StepKind.TOOL, {"name": "TodoWrite", "arguments": {"todos": todos}})
            case 5:
                asked = {"prompt": piece, "description": piece}
                run.add(StepKind.MODEL, asked, {"result": piece}, v3_kind="subagent")
            case 6:
                run.add(StepKind.TOOL, {"name": "Edit", "arguments": {"file_path": piece}})
            case _:
                run.add(StepKind.TOOL, _command(piece), error={"message": piece})
    return run.graph()


def read_groups(text: str) -> None:
    """The faces of all groups of such a run: of all of it, of each turn, and of pairs of steps."""
    graph = groups(text if len(text) > 8 * PIECE else text[:PIECE].ljust(PIECE) * 8)
    structure = Structure(graph)
    for borders in ((), range(0, len(graph), 8), range(0, len(graph), 2), range(len(graph))):
        cards = Cards(structure.lanes, list(borders))
        for card in cards.cards:
            group_face(structure, card, list(cards.steps(card)))


def read_commands(text: str) -> None:
    """What command lines do, and which command gives a line its exit code."""
    for number, piece in enumerate(pieces(text)):
        line = piece[: 4_000 if number % 2 else PIECE]
        deciding_command(line)
        for _ in commands(line):
            pass
        call_of(_command(line), {})
        call_of(_command(f"cd a && git commit -m '{line}"), {})


def _command(line: str) -> dict[str, Any]:
    return {"name": "Bash", "arguments": {"command": line}}


class _Told:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.numbers = count()

    def add(
        self,
        kind: StepKind,
        inputs: dict[str, Any],
        outputs: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
        v3_kind: str | None = None,
    ) -> None:
        parents = (self.steps[-1].id,) if self.steps else ()
        info = {"number": next(self.numbers)}
        outputs, error = outputs or {}, error or {}
        identity = step_id(kind, inputs, parent_ids=parents, outputs=outputs, tool_info=info, error=error)
        self.steps.append(
            Step(
                id=identity, parent_ids=parents, kind=kind, inputs=inputs, outputs=outputs, tool_info=info,
                error=error, timestamp=float(len(self.steps)), duration=1.0, v3_kind=v3_kind,
            )
        )  # fmt: skip

    def graph(self) -> Graph:
        return Graph.of(self.steps)
