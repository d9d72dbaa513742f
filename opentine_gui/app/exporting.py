"""Export of what is on show: asks where, writes in a job, says what was written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.prompts import Answer, Confirm, SaveFile
from opentine_gui.core import EditError, storage
from opentine_gui.export import ExportRequest, export, format_of
from opentine_gui.scene.theme import DARK, THEMES

if TYPE_CHECKING:
    from opentine_gui.app.document import Document
    from opentine_gui.app.jobs import IsCancelled, ReportProgress
    from opentine_gui.app.session import Session

KEEP, REPLACE = "Keep it", "Replace"
PICTURE = ".svg"


def ask_and_export(session: Session, document: Document, *, card: bool = False, path: Path | None = None) -> None:
    """Export the run, the selection or the comparison on show to `path`; without one the user is asked."""
    if path is not None:
        write(session, document, path, card=card)
        return
    folder = document.folder or session.runs.folder or session.working_folder
    stem = Path(document.suggested_name(folder)).stem
    name = f"{stem}-card{PICTURE}" if card else f"{stem}{PICTURE}"
    title = "Export card" if card else "Export (.svg .png .html .mmd .dot .graphml .md .json .tine)"

    def answered(answer: Answer) -> None:
        if isinstance(answer, str) or not answer:
            return
        chosen = answer[0] if answer[0].suffix else answer[0].with_suffix(PICTURE)
        if not chosen.exists():
            write(session, document, chosen, card=card)
            return
        text = f"{chosen} exists already. What is in it will be lost."
        question = Confirm(f"Replace {chosen.name}?", text, (KEEP, REPLACE), frozenset({REPLACE}))

        def decided(choice: Answer) -> None:
            if choice == REPLACE:
                write(session, document, chosen, card=card)

        session.ask(question, decided)

    session.ask(SaveFile(title, folder, name), answered)


def write(session: Session, document: Document, path: Path, *, card: bool) -> None:
    """Make the file in a job. ExportError names a format that does not exist; EditError a file that is open here."""
    form = format_of(str(path))
    if session.document_at(path) is not None:
        raise EditError("this file is open here, and an original is never overwritten", path=path)
    request = request_for(session, document, card=card)

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> Path:
        return storage.write_bytes_atomic(path, export(request, form))

    def done(written: Path) -> None:
        session.notices.add("good", f"Exported to {written}", key=f"export:{document.number}")
        session.touch()

    def failed(error: Exception) -> None:
        session.notices.add("error", f"Export: {error}", key=f"export:{document.number}")
        session.touch()

    session.jobs.submit(f"export:{document.number}", work, done, failed, title=f"Exporting {path.name}")


def request_for(session: Session, document: Document, *, card: bool = False) -> ExportRequest:
    """What is on show as an export: several selected steps alone, else all; as laid out, in the window's theme."""
    record, overlay = document.record, document.overlay
    if record is None:
        raise EditError("there is no run to export")
    chosen = tuple(document.selection) if len(document.selection) > 1 else None
    theme, now, nonce = THEMES.get(session.view.theme, DARK), session.now(), session.nonce()
    layout = document.layout if document.layout_record is record else None
    if overlay is None:
        names = (document.title.removesuffix(".tine"),)
        files = (str(document.path),) if document.path else ()
        return ExportRequest(
            records=(record,), names=names, files=files, steps=chosen, layout=layout, theme=theme, now=now, nonce=nonce
        )
    shown = [overlay.runs[index] for index in overlay.pair] if overlay.comparison else list(overlay.runs)
    compared = overlay.comparison
    return ExportRequest(
        records=(compared.a, compared.b) if compared else tuple(overlay.family.records),
        comparison=compared,
        family=None if compared else overlay.family,
        names=tuple(run.title for run in shown),
        files=tuple(str(run.path) for run in shown if run.path is not None),
        steps=None if compared else chosen,
        layout=layout,
        theme=theme,
        card=card,
        now=now,
        nonce=nonce,
    )
