"""A format of its own for tests of what is done with other programs' sessions: a line of JSON for each step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from opentine_gui.core.model import StepKind
from opentine_gui.core.progress import Pace
from opentine_gui.importers.json_lines import read_lines
from opentine_gui.importers.reader import Reader
from opentine_gui.importers.reading import Reading
from opentine_gui.importers.run_draft import RunDraft, capture_of
from tests.app.conftest import Bench


def recognise(head: bytes) -> float:
    """Each line begins with the word."""
    return 1.0 if head.startswith(b'{"tiny"') else 0.0


def read(path: str | Path, *, progress: Any = None, cancelled: Any = None) -> Reading:
    """A step for each line with a parent; a line {"result"} closes the step it names, which changes the step's id."""
    draft, source = RunDraft(), Path(path)
    content = source.read_bytes()
    for line in read_lines(source, content, draft.report, Pace()):
        value = line.value
        if "result" in value:
            draft.steps[value["tiny"]].outputs["result"] = value["result"]
            draft.steps[value["tiny"]].places.append(line.place)
        elif "text" in value:
            parents = [value["parent"]] if value.get("parent") else []
            draft.add(value["tiny"], StepKind.MODEL, parents, inputs={"text": value["text"]}, places=[line.place])
        else:
            draft.report.skip(str(value.get("kind", "nothing")))
    capture = capture_of("tiny", "1", source.name, "test", content)
    return draft.finish(run_id=source.stem, created_at=1.0, capture=capture, sources=(source,))


TINY = Reader("tiny", (".jsonl",), recognise, read, title="Tiny")


def step(name: str, parent: str = "") -> bytes:
    """A line that is a step whose text is its name."""
    return json.dumps({"tiny": name, "text": name, "parent": parent}).encode() + b"\n"


def chain(names: Iterable[str]) -> bytes:
    """Lines of steps one below the other."""
    lines, above = [], ""
    for name in names:
        lines.append(step(name, above))
        above = name
    return b"".join(lines)


def live(bench: Bench, content: bytes) -> Path:
    """Open a session with this content; returns its file."""
    path = bench.folder / "session.jsonl"
    path.write_bytes(content)
    bench.open("session.jsonl")
    return path


def append(bench: Bench, path: Path, content: bytes) -> None:
    """Have the session's program write more, and the session see it."""
    with path.open("ab") as file:
        file.write(content)
    bench.clock.now += 1.0
    bench.watch.post([path])
    bench.session.settle()


def named(bench: Bench, name: str) -> str:
    """The id that the step of this name has now."""
    return next(found.id for found in bench.record.graph if found.inputs.get("text") == name)
