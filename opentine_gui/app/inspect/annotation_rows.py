"""The annotated steps of a run in recorded order: for the list of notes, for bookmark actions, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from opentine_gui.app.state.annotations import Annotation, Annotations
from opentine_gui.core import RunRecord
from opentine_gui.describe.markdown import code, escaped
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean_whole


class AnnotatedStep(NamedTuple):
    """An annotated step."""

    position: int
    id: str
    annotation: Annotation


def annotated_steps(record: RunRecord, annotations: Annotations) -> list[AnnotatedStep]:
    """The annotated steps that the run has, in recorded order."""
    positions = record.graph.positions
    found = [
        AnnotatedStep(positions[key], key, annotation) for key, annotation in annotations.items() if key in positions
    ]
    return sorted(found)


def notes_markdown(record: RunRecord, steps: Iterable[AnnotatedStep]) -> str:
    """The notes of a run as Markdown: a section for each step, with recorded text escaped."""
    lines = [f"# Notes on {escaped(record.title)}", "", f"Run {code(record.run_id)}."]
    for step in steps:
        said = title(record.graph.step(step.position))
        marks = [code(step.id)]
        if step.annotation.bookmarked:
            marks.append("bookmark")
        if step.annotation.colour:
            marks.append(step.annotation.colour)
        lines += ["", f"## {escaped(said)}", "", " · ".join(marks)]
        if step.annotation.note:
            note = clean_whole(step.annotation.note, lines=True)
            lines += ["", *(escaped(line) for line in note.split("\n"))]
    return "\n".join(lines) + "\n"
