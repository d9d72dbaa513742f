"""The sessions panel: what the agents on this machine recorded, grouped by agent, newest first."""

from __future__ import annotations

import time
from typing import NamedTuple

import dearpygui.dearpygui as dpg

from opentine_gui.app.actions.agents.sessions import is_wanted
from opentine_gui.app.files.going_on.handing_back import was_only_written
from opentine_gui.app.folder.agent_sessions import RUNS_SECONDS, SessionRow
from opentine_gui.app.folder.keeping.keeping import JOB
from opentine_gui.app.folder.run_rows import RunSummary
from opentine_gui.app.inspect.step.source_records import source_path
from opentine_gui.app.session import Session
from opentine_gui.describe.numbers import counted, format_age, format_bytes, format_cost, format_time
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.panel import HEADING, ListPanel
from opentine_gui.ui.toolkit.row import Row, Span
from opentine_gui.ui.toolkit.row_list import RowList
from opentine_gui.ui.toolkit.sheet import SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

LINE, KEEP = 26.0, 24.0
LEAST_ROWS, MOST_ROWS = 3, 9
"""So many rows are seen without scrolling."""


class Line(NamedTuple):
    """A row: an agent's name with its number of sessions, a session, or how many more there are."""

    agent: str
    title: str = ""
    number: int = 0
    row: SessionRow | None = None


class AgentSessionsPanel(ListPanel):
    """A click on a session opens it; a click on an agent's name folds its sessions."""

    about_run = False

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.rows = RowList(self.pane.window, style, on_click=self._click, on_context=self._context)
        self.lines: list[Line] = []
        self._key: object = None

    @property
    def in_use(self) -> bool:
        """While the switch is on and an agent has sessions here."""
        return bool(self.session.agent_sessions.rows) and is_wanted(self.session)

    def wanted_height(self, room: float) -> float | None:
        """Room for a few rows, at most a third of the side, but no less than two rows.

        While nothing is open None: whatever the list of runs leaves.
        """
        self._follow()
        if self.session.active is None:
            return None
        rows = min(max(len(self.lines), LEAST_ROWS), MOST_ROWS)
        return min(
            self.style.size(HEADING + KEEP + rows * LINE + 8), max(room / 3, self.style.size(HEADING + KEEP + 2 * LINE))
        )

    @property
    def heading_height(self) -> float:
        """Height of the heading and of the switch below it."""
        return HEADING + KEEP

    def sync(self, pointer: Pointer) -> None:
        """Follow the list and which session is active."""
        self.pane.follow_theme()
        self._follow()
        count = len(self.session.agent_sessions.rows)
        keep = kept_words(self.session), self.session.settings.keep, self.session.jobs.is_running(JOB)
        self.heading.sync(pointer, (count, keep), lambda pen: self._draw_heading(pen, count))
        active = self.session.active
        minute = int(time.time() // 60)
        key = (self.session.agent_sessions.revision, active.path if active is not None else None, minute)
        self.rows.set_rows(len(self.lines), self._row, key)
        self.rows.sync(pointer)

    def _follow(self) -> None:
        sessions = self.session.agent_sessions
        if sessions.revision == self._key:
            return
        self._key = sessions.revision
        self.lines = []
        for agent, title, rows in sessions.by_agent:
            self.lines.append(Line(agent, title, number=len(rows)))
            shown = sessions.shown(agent)
            self.lines += [Line(agent, row=row) for row in shown]
            if agent not in sessions.folded and len(shown) < len(rows):
                self.lines.append(Line(agent, number=len(rows) - len(shown)))

    def _draw_heading(self, pen: Pen, count: int) -> None:
        style, theme = self.style, self.style.theme
        middle, left = style.size(HEADING) / 2 + style.size(2), style.size(12)
        pen.rule(0, 0, self.heading.width)
        pen.text(left, middle, "Sessions on this machine", theme.faint, "title", SMALL)
        pen.text(self.heading.width - left, middle, f"{count:,}", theme.faint, "mono", SMALL, right=True)
        self._draw_keep(pen, left, style.size(HEADING + KEEP / 2))

    def _draw_keep(self, pen: Pen, left: float, middle: float) -> None:
        """Draw the switch and, beside it, what is kept; a click on that opens the archive's menu."""
        session, theme, style = self.session, self.style.theme, self.style
        keeps = session.settings.keep
        top, bottom = middle - style.size(KEEP / 2), middle + style.size(KEEP / 2)
        width, height = style.size(22), style.size(12)
        pen.rect(left, middle - height / 2, left + width, middle + height / 2,
                 theme.good if keeps else theme.hairline, height / 2)  # fmt: skip
        knob = left + (width - height if keeps else 0) + style.size(2)
        size = height - style.size(4)
        pen.rect(knob, middle - size / 2, knob + size, middle + size / 2, theme.panel, size / 2)
        end = pen.text(left + width + style.size(8), middle, "Keep", theme.text if keeps else theme.quiet, size=SMALL)
        switch = session.actions["keep.switch"]
        said = f"{switch.description}\nNow {'on' if keeps else 'off'}; the archive is {kept_folder(session)}"
        pen.zone(left, top, end, bottom, lambda: session.invoke(switch.id), said)
        words = kept_words(session)
        if words:
            right = self.heading.width - left
            color = theme.bad if session.agent_sessions.keeping.problem else theme.faint
            begin = pen.text(right, middle, words, color, "mono", SMALL, right=True, room=right - end - style.size(12))
            pen.zone(begin, top, right, bottom, self._open_kept_menu, kept_hint(session))

    def _open_kept_menu(self) -> None:
        x, y = dpg.get_mouse_pos(local=False)
        self.session.open_context_menu("kept", x, y)

    def _row(self, index: int) -> Row:
        theme = self.style.theme
        if index >= len(self.lines):
            return Row(())
        line = self.lines[index]
        if line.row is None and line.title:
            folded = line.agent in self.session.agent_sessions.folded
            count = Span(f"{line.number:,}", theme.faint, "mono", size=SMALL)
            hint = f"{counted(line.number, 'session')} of {line.title}; click to {'unfold' if folded else 'fold'}"
            return Row((Span(line.title, theme.quiet, "title", size=SMALL),), (count,), fold=not folded, hint=hint)
        indent = self.style.size(10)
        if line.row is None:
            words = f"{line.number:,} older"
            return Row((Span(words, theme.tool, size=SMALL),), (), indent, aligned=True, hint="Show all of them")
        return self._session_row(line.row, indent)

    def _session_row(self, row: SessionRow, indent: float) -> Row:
        theme, now = self.style.theme, time.time()
        name = clean(row.title, 160) or clean(row.path.stem, 80)
        runs = not row.kept and now - row.changed < RUNS_SECONDS
        runs = runs and not was_only_written(self.session, row.path, row.changed)
        age = "kept" if row.kept else "live" if runs else format_age(now - row.changed)
        right = (Span(age, theme.good if runs else theme.faint, "mono", size=SMALL),)
        active = self.session.active
        selected = active is not None and active.path == row.path
        return Row(
            (Span(name, theme.text),),
            right,
            indent,
            dot=theme.good if runs else theme.hairline,
            selected=selected,
            hint=session_hint(row, name),
        )

    def _click(self, index: int, _event: InputEvent) -> None:
        if index >= len(self.lines):
            return
        line = self.lines[index]
        if line.row is not None:
            self.session.invoke("sessions.open", path=line.row.path)
        elif line.title:
            self.session.invoke("sessions.fold", agent=line.agent)
        else:
            self.session.invoke("sessions.all", agent=line.agent)

    def _context(self, index: int) -> None:
        row = self.lines[index].row if index < len(self.lines) else None
        if row is not None:
            x, y = dpg.get_mouse_pos(local=False)
            self.session.open_context_menu("session", x, y, path=row.path)


def session_hint(row: SessionRow, name: str) -> str:
    """What is known about a session: the folder it ran in, its file, its size and content."""
    lines = [name]
    if row.folder:
        lines.append(f"in {clean(row.folder, 300)}")
    if row.held is not None:
        lines.append(held_words(row.held))
    size = f"{format_bytes(row.size)}, " if row.size else ""
    lines.append(f"{size}written {format_time(row.changed, date=True)} UTC")
    lines.append("kept in your archive: the agent's own file is gone" if row.kept else source_path(row.path))
    return "\n".join(lines)


def kept_words(session: Session) -> str:
    """A summary of the archive in a few words; "" for an empty one."""
    keeping = session.agent_sessions.keeping
    if session.jobs.is_running(JOB):
        return "keeping…"
    if keeping.problem:
        return "not all kept"
    return f"{keeping.size.sessions:,} · {format_bytes(keeping.size.packed)}" if keeping.size.sessions else ""


def kept_hint(session: Session) -> str:
    """A summary of the archive: its sessions, its size beside that of the originals, its place."""
    keeping = session.agent_sessions.keeping
    size = keeping.size
    lines = [
        f"{counted(size.sessions, 'session')} kept, {format_bytes(size.packed)} for {format_bytes(size.whole)}",
        f"in {kept_folder(session)}",
    ]
    if keeping.gone:
        lines.append(f"{counted(len(keeping.gone), 'session')} of them nowhere else")
    if keeping.problem:
        lines.append(clean(keeping.problem, 300))
    return "\n".join(lines)


def kept_folder(session: Session) -> str:
    """Where the archive is, or would be."""
    return source_path(session.agent_sessions.keeping.folder(session.settings))


def held_words(run: RunSummary) -> str:
    """Steps, cost and outcome of a session."""
    if run.unreadable:
        return f"cannot be read: {clean(run.unreadable, 200)}"
    least = "≥ " if run.cost_is_minimum else ""
    cost = "cost not recorded" if run.cost is None else f"{least}{format_cost(run.cost)}"
    return f"{counted(run.steps, 'step')} · {cost} · {clean(run.model, 60) or 'model not recorded'}"
