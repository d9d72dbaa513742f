"""Exports what a document shows: asks which part and where to, and writes it in a job that can be stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from opentine_gui.app.document.picture.export_view import export_view
from opentine_gui.app.files.ask_where import ask_where
from opentine_gui.app.files.saving import refuse_originals, start_folder, suggested_name
from opentine_gui.app.files.secret_question import confirm as confirm_secrets
from opentine_gui.app.files.secret_question import confirm_export
from opentine_gui.app.state.prompts import CANCEL, Answer, Confirm, SaveFile
from opentine_gui.app.system.jobs import BACKGROUND
from opentine_gui.core import Cancelled, EditError
from opentine_gui.core.analysis.hidden_secrets import said
from opentine_gui.core.files import storage
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.space.camera import view_rect
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.system_fonts import fallback_paths
from opentine_gui.scene.theme import DARK, THEMES

if TYPE_CHECKING:
    from opentine_gui.app.document.document import Document
    from opentine_gui.app.session import Session
    from opentine_gui.app.state.notices import Level, NoticeAction
    from opentine_gui.app.system.job import IsCancelled, ReportProgress
    from opentine_gui.export import ExportRequest

PICTURE = ".svg"
PICTURES = (".svg", ".png")
Part = Literal["cards", "all", "selection", "view"]
"""What is exported: the cards of a folded run as they stand, all steps, the selected ones, or those in view."""


StepIds = tuple[str, ...] | None
"""Full ids; None: all steps."""

WRITERS = "opentine_gui.export"
"""The module that loads the writers of all formats."""
_LOADING = "load:export"


def load_writers(session: Session) -> None:
    """Load the writers of all formats once a window shows a run, so that its first export need not wait for them.

    Called in every `Session.step` until they are loaded.
    """
    if session.jobs.is_running(_LOADING):
        return
    if any(document.picture.layout is not None for document in session.documents):

        def load(_progress: ReportProgress, _cancelled: IsCancelled) -> None:
            import opentine_gui.export  # noqa: F401 - loading it is the work

        session.jobs.submit(_LOADING, load, lambda _nothing: None, priority=BACKGROUND, quiet=True)


def parts_of(session: Session, document: Document) -> dict[Part, StepIds]:
    """The parts to choose from with their steps, the likeliest first.

    A single selected step is no part: it is selected to be inspected. So is a group, and in a comparison the steps of
    the present divergence are selected: there all steps come first.
    """
    found: dict[Part, StepIds] = {"all": None}
    if document.picture.fold is not None:
        found = {"cards": None, "all": None}
    chosen = document.selected_steps
    if len(chosen) > 1:
        compared = document.overlay is not None and document.overlay.comparison is not None
        last = compared or document.selected_group is not None
        found = {**found, "selection": chosen} if last else {"selection": chosen, **found}
    index, camera = document.picture.scene_index, document.picture.camera
    if index is not None and camera is not None and document.picture.record is document.record:
        seen = index.visible(view_rect(camera, session.viewport)).tolist()
        if 0 < len(seen) < len(index.boxes):
            found["view"] = tuple(step for card in seen for step in document.picture.step_ids(card))
    return found


def ask_and_export(
    session: Session,
    document: Document,
    *,
    card: bool = False,
    path: Path | None = None,
    part: Part | None = None,
) -> None:
    """Export a part of a document to `path`; asks the user for either if it is not given and there is a choice.

    EditError for a part that does not exist.
    """
    parts: dict[Part, StepIds] = {"all": None} if card else parts_of(session, document)
    if part is not None and part not in parts:
        raise EditError(_MISSING.get(part, "everything is in sight"))

    picked: list[str] = []

    def offered_for(chosen: Path) -> tuple[Part, ...]:
        return (part,) if part is not None else parts_to_ask(document, parts, chosen)

    def spelled_for(chosen: Path) -> tuple[str, ...]:
        return tuple(_spelled(name, parts[name], document) for name in offered_for(chosen))

    def named(chosen: Path) -> None:
        offered = offered_for(chosen)
        if picked and picked[-1] in (known := spelled_for(chosen)):  # in the dialog that asked for the name
            offered = (offered[known.index(picked[-1])],)
        if path is not None or len(offered) == 1:
            write(session, document, chosen, card=card, steps=parts[offered[0]], shown=offered[0] == "cards")
            return
        choices = {_spelled(name, parts[name], document): name for name in offered}

        def answered(answer: Answer) -> None:
            if isinstance(answer, str) and answer in choices:
                of = choices[answer]
                write(session, document, chosen, card=card, steps=parts[of], shown=of == "cards")

        session.ask(
            Confirm(f"Export as {chosen.suffix[1:]}", f"What goes into {chosen.name}?", (*choices, CANCEL)), answered
        )

    if path is not None:
        named(path)
    else:
        scopes = None if card else spelled_for
        _ask_where(session, document, named, card=card, pictures=part == "cards", scopes=scopes, scoped=picked.append)


def parts_to_ask(document: Document, parts: Mapping[Part, StepIds], path: Path) -> tuple[Part, ...]:
    """The parts between which a file of this name leaves a choice, the likeliest first; one where there is none.

    Cards with several steps and what is in view are pictures; any other form has all steps, or the selected ones.
    """
    if path.suffix.lower() in PICTURES:
        fold, record = document.picture.fold, document.record
        same = fold is not None and record is not None and len(fold) == len(record.graph)
        return tuple(name for name in parts if not (same and name == "all" and "cards" in parts))
    if "selection" not in parts:
        return ("all",)
    return tuple(name for name in parts if name != "cards")


def _spelled(part: Part, steps: StepIds, document: Document) -> str:
    count = len(steps) if steps is not None else len(document.record.graph) if document.record is not None else 0
    cards = len(document.picture.fold) if document.picture.fold is not None else 0
    whole = len(document.record.graph) if document.record is not None else 0
    shown = f"The {counted(cards, 'card')} as shown" if cards != whole else f"All {counted(whole, 'step')}"
    words = {"cards": shown, "all": f"All {counted(count, 'step')}"}
    return {**words, "selection": f"{count:,} selected", "view": f"{count:,} in view"}[part]


_MISSING: dict[Part, str] = {
    "selection": "there are not several steps selected",
    "cards": "every step has a card of its own: there are no groups to be shown",
}


def _ask_where(
    session: Session,
    document: Document,
    chosen: Callable[[Path], None],
    *,
    card: bool,
    pictures: bool,
    scopes: Callable[[Path], tuple[str, ...]] | None,
    scoped: Callable[[str], None],
) -> None:
    """Ask for a name of any format there is; of a picture alone if that is all that it can be."""
    from opentine_gui.export import FORMATS  # every format's writer: not at the start of the window

    folder = start_folder(session, document)
    named = [(suffix, form) for form in FORMATS.values() for suffix in form.suffixes if form.card or not card]
    named = [(suffix, form) for suffix, form in named if not pictures or suffix in PICTURES]
    forms = tuple((suffix, form.description) for suffix, form in named)
    ending = "-card" if card else ""
    names = tuple(suggested_name(document, folder, f"{ending}{suffix}") for suffix, _ in forms)

    ask_where(
        session,
        SaveFile(
            "Export card" if card else "Export",
            folder,
            names[0],
            forms,
            names,
            labels=tuple(f"{form.title} ({suffix})" for suffix, form in named),
            verb="Export",
            scopes=scopes,
            scoped=scoped,
        ),
        chosen,
        named=lambda typed: typed if typed.suffix else typed.with_suffix(PICTURE),
    )


def write(
    session: Session, document: Document, path: Path, *, card: bool, steps: StepIds = None, shown: bool = False
) -> None:
    """Make and write the file in a job; `shown`: the cards of a folded run as they stand.

    ExportError for an unknown format, EditError for a file that is open and for cards in a format without a picture.
    """
    from opentine_gui.export import format_of  # every format's writer: not at the window's start

    form = format_of(str(path))
    refuse_originals(session, document, path)
    if session.document_at(path) is document:
        raise EditError("this file is open here, and an original is never overwritten", path=path)
    if shown and path.suffix.lower() not in PICTURES:
        raise EditError(f"cards with several steps are a picture ({' or '.join(PICTURES)}): name all steps", path=path)
    request = request_for(session, document, card=card, steps=steps)
    if form == "tine" and steps is None:
        tips = dict.fromkeys(tip for record in request.records for tip in record.tips)
        request = replace(request, steps=tuple(tips))
    if shown:
        request = replace(request, view=export_view(document))
    if form == "tine":  # nothing is hidden in a run: its steps would no longer be what was recorded
        confirm_secrets(session, document, "Export", lambda: _write(session, path, request, form))
        return

    def go(hides: bool) -> None:
        asked = replace(request, view=export_view(document, hidden=True)) if hides and shown else request
        _write(session, path, asked, form, hides=hides)

    confirm_export(session, document, go)


def _write(session: Session, path: Path, request: ExportRequest, form: str, *, hides: bool = False) -> None:
    from opentine_gui.export import export_to_fit, mermaid_limits, mode_of, without_secrets

    hidden: list[int] = []

    def work(progress: ReportProgress, cancelled: IsCancelled) -> tuple[Path, float, str]:
        asked = replace(request, metrics=FontMetrics(fallback_paths))
        if hides:
            asked, count = without_secrets(asked, cancelled=cancelled)
            hidden.append(count)
        data, scale = export_to_fit(asked, form, progress=progress, cancelled=cancelled)
        if cancelled():
            raise Cancelled("the work was stopped")
        limits = mermaid_limits(data) if form == "mermaid" else ""
        return storage.write_bytes_atomic(path, data, mode=mode_of(form)), scale, limits

    def done(written: tuple[Path, float, str]) -> None:
        exported, scale, limits = written
        smaller = f" at {scale:.0%} of its size: a {form.upper()} holds no more" if scale < request.scale else ""
        show: NoticeAction = ("Open folder", "runs.show_folder", {"path": exported})
        level: Level = "warning" if limits else "good"
        beside = f", but it is larger than Mermaid draws by itself. {limits}" if limits else ""
        told = f". {said(hidden[0])}." if hidden else ""
        session.notices.add(
            level, f"Exported to {exported}{smaller}{beside}{told}", actions=(show,), key=f"export:{path}"
        )
        session.touch()

    def failed(error: Exception) -> None:
        level: Level = "error"
        text = f"Export: {error}"
        if isinstance(error, Cancelled):
            level, text = "info", f"Export stopped; {path.name} was not written."
        session.notices.add(level, text, key=f"export:{path}")
        session.touch()

    title = f"Exporting {path.name}"
    session.jobs.submit(f"export:{path}", work, done, failed, title=title, must_finish=True)


def request_for(session: Session, document: Document, *, card: bool = False, steps: StepIds = None) -> ExportRequest:
    """The export of what a document shows: these steps (None: all) as they are laid out, in the window's theme.

    EditError before the run is read.
    """
    from opentine_gui.export import ExportRequest

    record, overlay = document.record, document.overlay
    if record is None:
        raise EditError("there is no run to export")
    theme, now, nonce = THEMES.get(session.view.theme, DARK), session.now(), session.nonce()
    layout = document.picture.layout if document.picture.record is record and document.picture.fold is None else None
    if overlay is None:
        names = (document.title.removesuffix(".tine"),)
        files = (str(document.path),) if document.path else ()
        return ExportRequest(
            records=(record,), names=names, files=files, steps=steps, layout=layout, theme=theme, now=now, nonce=nonce
        )
    shown = [overlay.runs[index] for index in overlay.pair] if overlay.comparison else list(overlay.runs)
    compared = overlay.comparison
    return ExportRequest(
        records=(compared.a, compared.b) if compared else tuple(overlay.family.records),
        comparison=compared,
        family=None if compared else overlay.family,
        names=tuple(run.title for run in shown),
        files=tuple(str(run.path) for run in shown if run.path is not None),
        steps=steps,
        layout=layout,
        theme=theme,
        card=card,
        now=now,
        nonce=nonce,
    )
