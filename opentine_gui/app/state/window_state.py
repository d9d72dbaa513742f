"""Window state: visible panels, dialogs and menus. It belongs to no document, and undo does not cover it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from opentine_gui.app.state.settings import Settings


class WindowState(msgspec.Struct):
    """What the window shows; actions change it."""

    panels: bool = True
    minimap: bool = True
    sessions: bool = True
    """Whether the sessions of this machine's agents are listed, and looked for at all."""
    theme: str = "dark"
    scale: float = 0.0
    """Pixels for one design pixel; 0: as the display says."""
    palette: bool = False
    palette_text: str = ""
    search: bool = False
    search_asked: int = 0
    """How often the search was opened: each time its box gets the keyboard."""
    inspector_wide: bool = False
    inspector_tab: str = "Result"
    """The tab the user chose last; a step without it shows its first one."""
    turned_to: tuple[str, str] = ("", "")
    """A step in which something was found, and the tab that holds it: shown for this step alone."""
    raw: bool = False
    """Whether payloads are shown as they were recorded, uninterpreted."""
    wrap: bool = True
    """Whether lines of payloads are wrapped to the width."""
    reading: bool = False
    """Whether the reading view lies over the canvas, with the selected step."""
    diff_with: str | None = None
    """The step that the reading view compares the selected one with; None to read it."""
    diff_requests: bool = False
    """Whether what was sent for the two is compared, in place of the steps."""
    diff_unified: bool = False
    inspector_scroll: float = 0.0
    """Pages that the payload is still to be scrolled, down if positive, infinite for an end; the view takes them."""
    files: bool = False
    """Whether the list of touched files is unfolded."""
    heat: str = ""
    """What steps are coloured by: a figure of `core.analysis.heat`, or "" for their kinds."""
    heat_name: str = ""
    """The tool or model of which the steps are lit."""
    finding_marks: bool = True
    """Whether suspects and places to fork are marked on the cards."""
    file_read: bool = False
    """Whether the reading view shows the picked file in place of the step."""
    file_changes: bool = False
    """Whether it shows what changed in the file turn by turn, in place of its text."""
    keys: bool = False
    about: bool = False
    chosen_runs: tuple[int | Path, ...] = ()
    """Runs chosen in the list, to be shown together: numbers of documents that are open, or files."""
    list_keys: bool = False
    """Whether the list of runs has the keyboard while a run is open."""
    list_mark: int | Path | None = None
    """The row that Enter would open: the number of an open document, a file or a folder."""

    def closed(self, document: int, path: Path | None) -> None:
        """Know a chosen run by its file once its document is closed; one in no file is chosen no longer."""
        names = (path if run == document else run for run in self.chosen_runs)
        self.chosen_runs = tuple(name for name in names if name is not None)

    def tab_of(self, step: str | None) -> str:
        """The tab to show of a step, if it has that one."""
        found_in, tab = self.turned_to
        return tab if tab and step == found_in else self.inspector_tab

    @classmethod
    def remembered(cls, settings: Settings) -> WindowState:
        """The window as it was left the last time."""
        return cls(panels=settings.panels, minimap=settings.minimap, theme=settings.theme, sessions=settings.sessions)

    def remember(self, settings: Settings) -> None:
        """Put into the settings what is to be the same at the next start."""
        settings.theme, settings.panels, settings.minimap = self.theme, self.panels, self.minimap


class ValuePlace(msgspec.Struct, frozen=True):
    """A recorded value: `path` is its place in the record of `step`, () for none; `shown` holds the value if known.

    `selected` is the text that is selected where it is shown.
    """

    step: str
    path: tuple[str | int, ...] = ()
    shown: tuple[Any, ...] = ()
    selected: str = ""


class ContextMenu(msgspec.Struct, frozen=True):
    """A requested context menu; its actions get `arguments`. x and y are pixels of the window for a menu of the bar.

    What each `kind` is opened on, and its arguments: "step" a card or a row (`step`), "link" a link to a step (`step`),
    "edge" a line of the canvas (`parent` and `child`, the steps at its ends), "canvas" its empty part, "minimap",
    "timeline" its empty part, "run" a row of the list of runs (`run`: the number of an open document, or a path), "tab"
    a tab (`document`: its number), "tabs" the list of all tabs, "value" a recorded value (`value`), "file" a touched
    file (`path`), "file_line" a line of its text (`path`; `line`: its number as the selected step left it, 0 for
    one of a difference; `step`: the one that wrote it, if known; `selected`: text), "session" a row of the list
    of sessions (`path`).
    """

    kind: str
    x: float
    y: float
    arguments: Mapping[str, Any] = {}
    number: int = 0


MENU_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "step": ("step",),
    "link": ("step",),
    "edge": ("parent", "child"),
    "canvas": (),
    "minimap": (),
    "timeline": (),
    "run": ("run",),
    "tab": ("document",),
    "tabs": (),
    "value": ("value",),
    "session": ("path",),
    "kept": (),
    "file": ("path",),
    "file_line": ("path", "line", "step", "selected"),
}
"""The kinds of context menus, and the names of the arguments that the actions in them get."""
