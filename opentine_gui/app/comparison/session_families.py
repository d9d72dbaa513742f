"""Sessions that belong together: the forks, resumes and rollouts of one that is open, offered as one family."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opentine_gui.app.comparison import several_runs
from opentine_gui.app.comparison.related_runs import member_of
from opentine_gui.app.document.document import Document
from opentine_gui.app.system.job import IsCancelled, ReportProgress
from opentine_gui.app.system.jobs import leaves_nothing
from opentine_gui.core import TineError
from opentine_gui.describe.numbers import counted
from opentine_gui.describe.payload_text import in_quotes
from opentine_gui.importers import readers

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

MOST_TOGETHER = 40
"""Most sessions that are shown as one family; if there are more, the first by name."""
_PRIORITY = 4


def look_for_relatives(session: Session) -> None:
    """Find the sessions that belong to each opened one, once for each. Called in every `Session.step`."""
    for document in session.documents:
        if document.origin is not None and document.relatives is None:
            document.relatives = ()
            _look(session, document)


def _look(session: Session, document: Document) -> None:
    origin = document.origin
    assert origin is not None
    family = next((reader.family for reader in readers.READERS if reader.name == origin.format), None)
    if family is None:
        return
    path = origin.file

    def work(_progress: ReportProgress, _cancelled: IsCancelled) -> Sequence[Path]:
        import opentine_gui.export.sessions  # noqa: F401 - here, so that no frame waits when a step is continued

        try:
            return family(path)
        except (TineError, OSError):
            return ()

    def done(found: Sequence[Path]) -> None:
        document.relatives = tuple(found[: MOST_TOGETHER - 1])
        written = {file for one in session.handed_back for file, _digest in one.files}
        # The user knows a session written just now: the notice on how to go on in it must stay in view.
        known = document.path in written or several_runs.is_shown_together(session, document)
        if found and document in session.documents and not known:
            _dismiss(session, document)  # one notice is enough, however many of them are open
            verb = "belongs" if len(found) == 1 else "belong"
            shown = len(document.relatives)
            most = f" At once {shown:,} of them can be shown." if shown < len(found) else ""
            session.notices.add(
                "info",
                f"{counted(len(found), 'other session')} {verb} together with {in_quotes(document.title)}.{most}",
                actions=(("Show together", "family.sessions", {"document": document.number}),),
                key=document.key("relatives"),
                document=document.number,
            )
        session.touch()

    key, number = document.key("relatives"), document.number
    session.jobs.submit(
        key, work, done, lambda _error: None, priority=_PRIORITY, stopped=leaves_nothing, document=number
    )


def show_together(session: Session, document: Document) -> None:
    """Show a session with all that belong together with it, as one family."""
    members = [member_of(session, document.number)]
    members += [member_of(session, path) for path in document.relatives or ()]
    _dismiss(session, document)
    several_runs.open_together(session, members, comparing=False)


def _dismiss(session: Session, document: Document) -> None:
    """Take away what was said of a session's family, whichever of its sessions it was said of."""
    for other in session.documents:
        if other is document or other.path in (document.relatives or ()):
            session.notices.dismiss(other.key("relatives"))
