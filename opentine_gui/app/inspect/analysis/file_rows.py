"""The list of touched files in words, and the file selected in it."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.results import Latest, analysis, latest_analysis
from opentine_gui.app.session import Session
from opentine_gui.app.state.highlights import PickedFile
from opentine_gui.core import Graph, RunRecord
from opentine_gui.core.analysis.files.touched_files import Touched, TouchedFile, touched_files
from opentine_gui.core.progress import Pace
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean

NAME = "touched-files"


class FileRow(NamedTuple):
    """A row of the list: the file's name, its folder if another file has the same name, its counts, and a tooltip."""

    name: str
    folder: str
    reads: str
    edits: str
    failing: str
    hint: str


def touched_of(session: Session, document: Document) -> Touched | None:
    """The files of the current run; None while they are being searched."""
    return analysis(session, document, NAME, _look, patient=True)


def last_touched(document: Document) -> Touched | None:
    """The files of the run at the time of the last search; None before the first."""
    found = latest_analysis(document, NAME)
    return found if isinstance(found, Touched) else None


def _look(record: RunRecord, pace: Pace, latest: Latest | None) -> Touched:
    known = (latest.result.steps, latest.kept) if latest is not None else (None, 0)
    return touched_files(record.graph, pace, *known)


def file_row(file: TouchedFile, touched: Touched, graph: Graph) -> FileRow:
    """What the list says about a file. The tooltip names its last writer."""
    folder, _, name = file.path.rpartition("/")
    alone = sum(other.path.rpartition("/")[2] == name for other in touched.files) < 2
    lines = [clean(file.path, 600), counts(file)]
    if file.failing:
        lines.append(f"named by {counted(len(file.failing), 'failing check')}")
    if file.last_writer is not None and file.last_writer < len(graph):
        lines.append(f"last changed by: {title(graph.step(file.last_writer))}")
    failing = f"in {counted(len(file.failing), 'failure')}" if file.failing else ""  # no edit of it failed
    shown = "" if alone else clean(folder, 400)
    edits = counted(len(file.changes), "edit") if file.changes else ""
    reads = counted(len(file.reads), "read") if file.reads else ""
    return FileRow(clean(name or file.path, 200), shown, reads, edits, failing, "\n".join(lines))


def counts(file: TouchedFile) -> str:
    """How often a file was changed and read: "5 edits · 14 reads"."""
    parts = [counted(len(file.changes), "edit")] if file.changes else []
    parts += [counted(len(file.reads), "read")] if file.reads else []
    return " · ".join(parts)


def pick(document: Document, file: TouchedFile | None) -> None:
    """Highlight the steps that read, change or check a file; None clears the highlight."""
    record = document.record
    if file is None or record is None:
        document.pick_file(None)
        return
    document.pick_file(PickedFile.of(record.graph, file))


def follow_picked(session: Session, document: Document) -> PickedFile | None:
    """The selected file, updated to the current run, or None. It stays selected when the run does not touch it."""
    picked, record = document.picked_file, document.record
    if picked is None or record is None or picked.graph is record.graph:
        return picked
    touched = touched_of(session, document)
    if touched is not None:
        file = touched.file(picked.file.path) or TouchedFile(picked.file.path, (), ())
        pick(document, file)
    return document.picked_file
