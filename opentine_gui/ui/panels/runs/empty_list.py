"""What stands in the list of runs where it has no rows: what is wrong, what can be opened, the folders below."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from opentine_gui.app.inspect.listed_runs import left_out_words
from opentine_gui.app.session import Session
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.sheet import SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

LINE = 20.0
LINK = 24.0
BACK = "\u2039"
FAILING = "failures:>0"


def folder_name(session: Session, folder: Path) -> str:
    """What a folder is called that a press lists; the one above the listed one leads back."""
    name = clean(folder.name, 200)
    return f"{BACK} {name}" if folder == session.runs.above else name


class EmptyList:
    """The page below the heading while no run is listed; beside listed ones it says what is wrong with the filter."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.sheet = Sheet(parent, style)
        self._beside_rows = False

    @property
    def height(self) -> float:
        """How high all of it is without rows, with two lines of words and all folders, in design pixels."""
        runs = self.session.runs
        filtered = bool(runs.filter_text.strip())
        folders = 0 if filtered else len(runs.around)
        left_out = LINE if runs.left_out and not filtered else 0.0
        return 14 + 2 * LINE + 4 + 2 * LINK + left_out + (8 + (folders + 2) * LINE if folders else 0)

    def problem_lines(self, width: float) -> list[str]:
        """What is wrong with the filter, wrapped to a panel so many pixels wide."""
        words = clean(self.session.runs.filter_problem, 300)
        return wrap(words, width - 2 * self.style.size(12), self.style, most=6) if words else []

    def sync(self, pointer: Pointer, *, beside_rows: bool) -> None:
        """Follow the folder; `beside_rows`: only what is wrong with the filter is said."""
        runs, self._beside_rows = self.session.runs, beside_rows
        self.sheet.sync(pointer, (runs.revision, runs.filter_text, runs.problem, beside_rows), self._draw)

    def _draw(self, pen: Pen) -> None:
        style, theme, runs = self.style, self.style.theme, self.session.runs
        left, y = style.size(12), style.size(14)
        room = self.sheet.width - 2 * left
        problem = self.problem_lines(self.sheet.width)
        for line in problem:
            pen.text(left, y, line, theme.bad)
            y += style.size(LINE)
        if self._beside_rows:
            return
        if problem:
            words = ""
        elif runs.filter_text.strip():
            words = "No run matches the filter."
        elif runs.problem:
            words = clean(runs.problem, 300)
        elif runs.folder is None:
            words = "No folder of runs is open."
        else:
            words = "No runs in this folder."
        for line in wrap(words, room, style, most=4) if words else ():
            pen.text(left, y, line, theme.quiet)
            y += style.size(LINE)
        y += style.size(4)
        if runs.filter_text.strip():
            self._draw_filters(pen, left, y)
            return
        for action_id in ("file.open", "file.open_folder"):
            action = self.session.actions[action_id]
            label = "Open file…" if action_id == "file.open" else action.title
            end = pen.link(left, y, label, lambda name=action_id: self.session.invoke(name))  # type: ignore[misc]
            pen.text(end + style.size(8), y, action.key, theme.faint, "mono", SMALL)
            y += style.size(LINK)
        if runs.left_out:
            said, hint = left_out_words(runs.left_out)
            pen.text(left, y, said, theme.faint, size=SMALL)
            pen.zone(left, y - style.size(LINE) / 2, left + room, y + style.size(LINE) / 2, None, hint)
            y += style.size(LINE)
        if runs.around:
            self._draw_below(pen, left, y + style.size(8), room)

    def _draw_filters(self, pen: Pen, left: float, y: float) -> None:
        """Draw the way back to the whole list and, where failures may be meant, the filter that finds them."""
        session, style = self.session, self.style
        pen.link(left, y, "Clear filter", partial(session.invoke, "runs.filter", text=""), hint="List all runs")
        if session.runs.filter_is_about_failures and session.runs.filter_text.strip() != FAILING:
            show = partial(session.invoke, "runs.filter", text=FAILING)
            pen.link(left, y + style.size(LINK), "Runs with failed steps", show, hint=f"Filter by {FAILING}")

    def _draw_below(self, pen: Pen, left: float, y: float, room: float) -> None:
        """Draw the folders in the listed one, as many as there is room for: a press lists one of them."""
        line, around = self.style.size(LINE), self.session.runs.around
        pen.text(left, y, "Folders", self.style.theme.faint, "title", SMALL, room=room)
        fit = max(int((self.sheet.height - y) // line) - 1, 0)
        shown = around if len(around) <= fit else around[: max(fit - 1, 0)]
        for folder in shown:
            y += line
            act = partial(self.session.invoke, "file.open_folder", path=folder)
            hint = f"List the runs in {clean(str(folder), 400)}"
            pen.link(left, y, folder_name(self.session, folder), act, room=room, hint=hint)
        if len(shown) < len(around) and fit:
            choose = partial(self.session.invoke, "file.open_folder")
            pen.link(left, y + line, f"{len(around) - len(shown):,} more…", choose, hint="Choose one of all folders")
