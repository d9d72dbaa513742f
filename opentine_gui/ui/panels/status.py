"""The status bar: the active run, its cost, whether it is verified, and running jobs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.following import is_live, is_written
from opentine_gui.app.folder.keeping.keeping import whose_words
from opentine_gui.app.inspect.analysis.clock import clock_of
from opentine_gui.app.inspect.analysis.findings import NAME as FINDINGS
from opentine_gui.app.inspect.analysis.findings import Findings, are_so_far, findings_of
from opentine_gui.app.inspect.analysis.results import latest_analysis
from opentine_gui.app.inspect.facts import sub_agents
from opentine_gui.app.inspect.integrity import A_LOG, verdict
from opentine_gui.app.inspect.outcome import failure_words, last_checks, stopped_in
from opentine_gui.app.session import Session
from opentine_gui.app.system.job import SHOW_AFTER, Job
from opentine_gui.core import RunRecord, Totals, Verification
from opentine_gui.core.analysis.run_clock import Clock
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.failures.stopped_words import NONE_RECORDED
from opentine_gui.describe.numbers import (
    NOT_PRICED,
    SINCE_FORK,
    STATED,
    clock_words,
    counted,
    format_cost,
    summed_duration,
    total_cost,
)
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import ELLIPSIS, clean, cut_in_middle
from opentine_gui.ui.canvas.hints import local_name
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.panels.inspector.figures import draw_failures
from opentine_gui.ui.panels.panel import Panel
from opentine_gui.ui.toolkit.sheet import BODY, SMALL, Pen, Sheet
from opentine_gui.ui.toolkit.style import Style

HEIGHT = 30.0
BAR = 110.0
GAP = 22.0


MOST_OF_A_NAME, LONGEST_NAME = 24, 200
Said = tuple[str, Color, Callable[[], None] | None, str]
"""A fact of the line: its words, their colour, what a click does, the tooltip."""


def shortened(title: str) -> str:
    """The beginning of a group's title, for the breadcrumb trail."""
    return title if len(title) <= MOST_OF_A_NAME else title[: MOST_OF_A_NAME - 1].rstrip() + ELLIPSIS


class StatusBar(Panel):
    """One line of facts. A click on a total copies the totals, a click on the verdict verifies again."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        super().__init__(session, style, parent)
        self.sheet = Sheet(self.pane.window, style)
        self._verdict: tuple[Verification | None, tuple[int, bool, str], tuple[str, str, str]] | None = None
        self._totals: tuple[RunRecord, Totals, Totals, int] | None = None

    def wanted_height(self, _room: float) -> float:
        return self.style.size(HEIGHT)

    def place(self, x: float, y: float, width: float, height: float) -> None:
        self.pane.place(x, y, width, height)
        self.sheet.place(0, 0, width, height)

    def sync(self, pointer: Pointer) -> None:
        """Follow the active document, its selection and the running jobs."""
        self.pane.follow_theme()
        document = self.session.active
        if document is None:
            self._totals = None
        jobs = self.session.jobs.running(SHOW_AFTER)
        key = (
            tuple((job.key, round(job.fraction * 100)) for job in jobs[:1]),
            len(jobs),
            (
                document.number,
                document.content_revision,
                document.selection_revision,
                document.title,
                document.dirty,
                document.on_disk.saving,
                document.error is None,
                document.loading is None,
                len(document.live.news),
                document.live.follows,
                document.live.written,
                clock_of(self.session, document),
                latest_analysis(document, FINDINGS),
                are_so_far(document),
                document.selection_revision if document.picture.fold is not None else 0,
                document.picture.cards_revision if document.picture.fold is not None else 0,
            )
            if document is not None
            else None,
        )
        self.sheet.sync(pointer, key, lambda pen: self._draw(pen, document, jobs))

    def _draw(self, pen: Pen, document: Document | None, jobs: tuple[Job, ...]) -> None:
        style, theme = self.style, self.style.theme
        middle, left = self.sheet.height / 2, style.size(14)
        end = self._right(pen, document, jobs, middle)
        if document is None:
            pen.text(left, middle, "No run is open", theme.quiet)
            return
        name = clean(document.title, 400).removesuffix(".tine")
        room, cut = style.size(220), cut_in_middle(name)
        x = pen.text(left, middle, name, theme.text, room=room, middle_cut=cut)
        record = document.record
        if record is None:
            words = clean(str(document.error), 400) if document.error is not None else "reading…"
            color = theme.bad if document.error is not None else theme.quiet
            pen.text(x + style.size(GAP), middle, words, color, room=max(end - x - 2 * style.size(GAP), 10))
            return
        facts = self._facts(document, record, clock_of(self.session, document))
        if document.overlay is not None:
            runs = len(document.overlay.runs)
            on = f"{runs - len(document.overlay.hidden):,} of " if document.overlay.hidden else ""
            shared = len(document.overlay.family.shared)
            facts[0] = (f"{facts[0][0]}, {shared:,} shared", theme.quiet, None, "Steps that all runs have")
            facts.insert(0, (f"{on}{runs:,} runs", theme.text, None, ""))
        words, role, hint = self._verdict_on(document)
        if words != A_LOG:  # that a log has none says nothing of this one
            facts.append((words, theme.role(role), lambda: self.session.invoke("run.verify"), hint))
        facts[1:1] = self._folding(document)
        failures = failure_words(document)
        if document.overlay is None:
            facts.insert(0, self._ending(document, record))
        if not failures:  # say so, or people would look for them
            facts.insert(
                0, (NONE_RECORDED, theme.quiet, None, "Of no step of this run does the recording say that it failed")
            )
        facts[0:0] = self._growth(document)
        trail = self._trail(document)
        facts[0:0] = trail
        if failures and end - x > style.size(200):
            x = draw_failures(pen, self.session, failures, x + style.size(GAP), middle)
        stopped = "" if trail else stopped_in(document)
        wide = style.width(stopped, "text", style.size(BODY)) if stopped else 0.0
        if stopped and end - x > max(style.size(200), wide + 2 * style.size(GAP)):
            x = pen.text(x + style.size(GAP), middle, stopped, theme.stopped)
        for text, color, act, hint in facts:
            x += style.size(GAP)
            room = end - style.size(GAP) - x
            if room < style.size(60) or (color == theme.quiet and style.width(text, "text", style.size(BODY)) > room):
                break  # never cut a figure in half
            start = x
            x = pen.text(x, middle, text, color, room=room)
            pen.zone(start, 0, x, self.sheet.height, act, hint)

    def _ending(self, document: Document, record: RunRecord) -> Said:
        """How the run ended: its status, and what had or had not passed by then."""
        theme = self.style.theme
        found, so_far = findings_of(self.session, document), are_so_far(document)
        word, role = status_words(record, written=is_written(self.session, document))
        checks = last_checks(found, record.graph, so_far=so_far)
        color = theme.quiet if role == "text" else theme.role(role)
        if not checks.words:
            return word, color, None, ""
        jump = partial(self.session.invoke, "select.step", step=checks.step, reveal=True)
        return f"{word}, {checks.words}", theme.bad if checks.role == "bad" else color, jump, checks.hint

    def _folding(self, document: Document) -> list[Said]:
        """How many cards a folded run is shown as, and how much of it a local view shows."""
        theme, session, fold = self.style.theme, self.session, document.picture.fold
        if fold is None:
            return []
        action = session.actions["fold.every_step"]
        hint = f"{action.title}  {action.key}"
        said: list[Said] = []
        if len(fold) < len(fold.graph):
            words = f"in {counted(len(fold), 'card')}"
            said.append((words, theme.quiet, lambda: session.invoke("fold.every_step"), hint))
        if fold.is_local:
            action = session.actions["fold.local"]
            inside = sum(fold.card(card).size for card in range(len(fold)))
            words = f"{local_name(document)}: {inside:,} of {counted(len(fold.graph), 'step')}"
            leave = partial(session.invoke, "fold.local", shown=False)
            said.insert(0, (words, theme.accent, leave, f"{action.description}  {action.key}"))
        return said

    def _trail(self, document: Document) -> list[Said]:
        """The open groups around the selected card, the outermost first; a click goes up to one, or closes the last."""
        fold, primary = document.picture.fold, document.selection.primary
        card = document.picture.index_of(primary) if fold is not None and primary is not None else None
        if fold is None or card is None:
            return []
        trail = fold.trail(card)
        said: list[Said] = []
        for depth, opening in enumerate(trail):
            inside = trail[min(depth + 1, len(trail) - 1)]
            close = partial(self.session.invoke, "fold.close", name=inside.name, steps=inside.steps)
            name = clean(opening.title, LONGEST_NAME)
            hint = f"Close this group: {name}  Esc" if opening is inside else f"Go up to {name}"
            said.append((f"› {shortened(opening.title)}", self.style.theme.accent, close, hint))
        return said

    def _growth(self, document: Document) -> list[Said]:
        """Whether the run grows while it is open, and how many new steps have not been looked at."""
        theme, session = self.style.theme, self.session
        said: list[Said] = []
        if document.live.follows or is_live(session, document):
            word = "following" if document.live.follows else "live"
            action = session.actions["live.follow"]
            hint = f"{action.description}  {action.key}"
            said.append((word, theme.good, lambda: session.invoke("live.follow"), hint))
        if document.live.news:
            action = session.actions["live.show_new"]
            hint = f"{action.description}  {action.key}"
            words = f"{len(document.live.news):,} new"
            said.append((words, theme.accent, lambda: session.invoke("live.show_new"), hint))
        return said

    def _verdict_on(self, document: Document) -> tuple[str, str, str]:
        """(words, colour role, tooltip) for the verdict, cached per verification: a run may have 100,000 steps."""
        seen = (document.number, document.dirty, document.check_problem)
        known = self._verdict
        if known is None or known[0] is not document.verification or known[1] != seen:
            known = self._verdict = (document.verification, seen, verdict(document))
        return known[2]

    def forget(self) -> None:
        """Release the run."""
        self._totals = self._verdict = None

    def _facts(self, document: Document, record: RunRecord, clock: Clock | None) -> list[Said]:
        theme = self.style.theme
        if self._totals is None or self._totals[0] is not record:
            self._totals = (record, record.inherited_totals, record.own_totals, sub_agents(record))
        _, inherited, own, agents = self._totals
        steps = len(record.graph)

        def copied() -> None:
            self.session.invoke("edit.copy_totals")

        cost, hint = cost_words(inherited, own)
        if record.at_least and (inherited.cost_known or own.cost_known) and not cost.startswith("≥"):
            cost, hint = f"≥ {cost}", f"{clean(record.at_least, 300)}\n{hint}"
        if record.metrics_reset:
            whole = f"The whole run: {counted(steps, 'step')} · {cost} · {time_words(inherited, own)}\n{hint}"
            said: list[Said]
            said = [(f"{counted(own.steps, 'step')} {SINCE_FORK}", theme.quiet, copied, whole)]
            if own.steps:
                since = (cost_words(Totals(), own)[0], time_words(Totals(), own))
                said += [(words, theme.quiet, copied, whole) for words in since]
            return said
        time = ELLIPSIS if clock is None else clock_words(clock) if clock.whole > 0 else time_words(inherited, own)
        many = counted(steps, "step")
        if agents:
            many += f", {counted(agents, 'sub-agent')}"
        elif record.is_imported:
            found = latest_analysis(document, FINDINGS)
            if isinstance(found, Findings):
                answered = found.happenings.answered_count
                many += f", without those of {counted(answered, 'sub-agent')}" if answered else ", no sub-agents"
        return [
            (many, theme.quiet, None, ""),
            (cost, theme.quiet, copied, hint),
            (time, theme.quiet, copied, "Click to copy the totals"),
        ]

    def _right(self, pen: Pen, document: Document | None, jobs: tuple[Job, ...], middle: float) -> float:
        """Draw the right-aligned part; returns the x where it begins."""
        style, theme = self.style, self.style.theme
        x = self.sheet.width - style.size(14)
        if document is not None and document.record is not None:
            if document.members is not None:
                word, color = "read-only", theme.quiet
            elif document.on_disk.saving:
                word, color = "saving…", theme.quiet
            elif document.dirty:
                word, color = "unsaved" if document.edited else "its file is gone", theme.accent
            else:
                origin = document.origin
                word, color = ("saved" if origin is None else whose_words(origin.file, origin.title)), theme.quiet
            end, x = x, pen.text(x, middle, word, color, right=True)
            if document.dirty:
                hint = f"Click to save  {self.session.actions['file.save'].key}"
                pen.zone(x, 0, end, self.sheet.height, lambda: self.session.invoke("file.save"), hint)
            count = document.selected_count
            if count > 1:  # one step is named by the inspector
                words = f"{counted(count, 'step')} selected"
                x = pen.text(x - style.size(GAP), middle, words, theme.quiet, right=True)
            x -= style.size(GAP)
        if jobs:
            x = self._progress(pen, jobs, x, middle)
        return x

    def _progress(self, pen: Pen, jobs: tuple[Job, ...], x: float, middle: float) -> float:
        style, theme, job = self.style, self.style.theme, jobs[0]
        begin = pen.text(x, middle, "Cancel", theme.tool, right=True)
        pen.zone(begin, 0, x, self.sheet.height, lambda: self._cancel(job.key), "Stop this work")
        x = begin - style.size(10)
        wide, tall = style.size(BAR), style.size(4)
        pen.rect(x - wide, middle - tall / 2, x, middle + tall / 2, theme.hairline, tall / 2)
        filled = wide * min(max(job.fraction, 0.02), 1.0)
        pen.rect(x - wide, middle - tall / 2, x - wide + filled, middle + tall / 2, theme.accent, tall / 2)
        title = clean(job.title or "Working", 60)
        if len(jobs) > 1:
            title = f"{len(jobs)} tasks: {title[:1].lower()}{title[1:].removesuffix('…')}…"
        return pen.text(x - wide - style.size(10), middle, title, theme.quiet, "text", SMALL, right=True)

    def _cancel(self, key: str) -> None:
        self.session.invoke("job.cancel", key=key)


def time_words(inherited: Totals, own: Totals) -> str:
    """The durations of a run's steps added up, in words; a sum of 0 means that none was recorded."""
    return summed_duration(inherited.duration + own.duration)


def cost_words(inherited: Totals, own: Totals) -> tuple[str, str]:
    """(cost of a run in words, tooltip). An unknown cost is never shown as 0."""
    missing = inherited.unpriced + own.unpriced
    known = inherited.cost_known or own.cost_known
    hint = "Click to copy the totals"
    if missing:
        hint = f"Steps without a price on record: {missing:,}. The sum is a minimum. {hint}"
    least = "≥ " if missing else ""
    if own.stated_cost is not None:
        return format_cost(own.stated_cost), f"{STATED} {hint}"
    if not known:
        return (NOT_PRICED if missing else "cost not recorded"), hint
    if inherited.steps and not own.steps:
        return f"{least}{format_cost(inherited.cost)} inherited", hint
    if inherited.steps:
        return f"{total_cost(inherited)} inherited + {total_cost(own)} own", hint
    return f"{least}{format_cost(own.cost)}", hint
