"""What a row of the palette stands for, and how a run is shown in it."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.app.actions import Action
from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.state.action_registry import Choice as Way
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.theme import Theme
from opentine_gui.ui.toolkit.row import Row, Span


class Choice(NamedTuple):
    """A row: a heading, an action, a step, or a run of the listed folder."""

    heading: str = ""
    action: Action | None = None
    step: int | None = None
    run: RunSummary | None = None
    by_id: bool = False
    way: Way | None = None
    """One of the things the action can do, below it."""
    named: bool = False
    """Whether that is what was typed: then it stands above the action, by its whole name."""


def run_row(run: RunSummary, theme: Theme, *, selected: bool) -> Row:
    """A run of the listed folder: its title, and its file, which opens."""
    name = Span(clean(run.title or run.path.stem, 400), theme.text)
    file = Span(clean(run.path.name, 80), theme.quiet, "mono")
    return Row((name,), (file,), selected=selected, yielding=True, hint=clean(str(run.path), 400))
