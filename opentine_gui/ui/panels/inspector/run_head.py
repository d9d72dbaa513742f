"""The head of the run's panel: what was asked first and last, how it ended, and what failed."""

from __future__ import annotations

from collections.abc import Callable

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.analysis.findings import are_so_far, findings_of
from opentine_gui.app.inspect.facts import ASKED_ONCE, Asked, asked_last, asked_once
from opentine_gui.app.inspect.integrity import verdict
from opentine_gui.app.inspect.outcome import LastChecks, Outcome, failure_words, last_checks, outcome_of, stopped_in
from opentine_gui.app.session import Session
from opentine_gui.core import RunRecord
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.text.clean import ELLIPSIS, clean
from opentine_gui.ui.panels.inspector.figures import draw_failures
from opentine_gui.ui.toolkit.sheet import LINE_HEIGHT, SMALL, TITLE, Pen
from opentine_gui.ui.toolkit.style import wrap

FIRST_ASKED = "First asked"
"""What stands above a title that is a person's first words."""
LEAST_CALL = 60.0
"""Design pixels for what a check ran; with less its name says nothing."""


def head_title(document: Document, record: RunRecord) -> str:
    """What the run is called here: as its tab is while it is in no file, and never by an id if it has a name."""
    if document.path is None or record.title == record.run_id:
        return document.title.removesuffix(".tine")
    return record.title


class RunHead:
    """Says what was asked, and below it what came of it, as links to the steps."""

    def __init__(self, session: Session, jump: Callable[[str], None]) -> None:
        self._session, self._jump = session, jump
        self._asked: Asked | None = None
        self._title = ""
        self._outcome = Outcome("", "quiet")
        self._checks = LastChecks()
        self._failures = self._stopped = ""
        self._changed = ("", "")

    def follow(self, document: Document, record: RunRecord, *, several: bool, written: bool) -> None:
        """Look up what is to be said; of `several` runs each ended in a way of its own, which their list gives."""
        self._asked, self._title = asked_last(record), head_title(document, record)
        self._outcome = Outcome("", "quiet") if several else outcome_of(document, record, written=written)
        self._failures, self._stopped = failure_words(document), stopped_in(document)
        self._checks = last_checks(findings_of(self._session, document), record.graph, so_far=are_so_far(document))
        words, role, why = verdict(document)
        self._changed = (words, why) if role == "bad" else ("", "")

    def draw(self, pen: Pen, record: RunRecord, x: float, y: float, room: float, *, low: bool) -> float:
        """Draw it from the first line's middle `y`, in fewer lines if the panel is `low`; returns that of the last."""
        style, theme = pen.style, pen.theme
        prompted = bool(record.user_prompt) and not record.metadata.get("title")  # nobody said what the run is about
        if prompted and self._title == record.title:
            words = ASKED_ONCE if self._asked is None and asked_once(record) else FIRST_ASKED
            pen.text(x, y - style.size(6), words, theme.faint, size=SMALL)
            y += style.size(14)
        most = 1 if low and self._asked is not None else 2
        for line in wrap(clean(self._title, 300), room, style, face="title", size=TITLE, most=most):
            pen.text(x, y, line, theme.text, "title", TITLE)
            y += style.size(21)
        if prompted and record.title not in self._title and not low:
            words = ASKED_ONCE if self._asked is None and asked_once(record) else FIRST_ASKED
            pen.text(x, y, words, theme.faint, size=SMALL)
            y += style.size(19)
            for line in wrap(clean(record.title, 300), room, style, most=1):
                pen.text(x, y, line, theme.text)
                y += style.size(LINE_HEIGHT)
        y += style.size(4)
        if self._changed[0]:  # before anything that the file says: it may not be what was recorded
            top = y
            for line in wrap(self._changed[0], room, style, most=2):
                pen.text(x, y, line, theme.bad)
                y += style.size(LINE_HEIGHT)
            half = style.size(LINE_HEIGHT) / 2
            pen.zone(x, top - half, x + room, y - half, None, self._changed[1])
            y += style.size(4)
        if self._asked is not None:
            y = self._draw_asked(pen, self._asked, x, y, room, low=low)
        return self._draw_outcome(pen, x, y, room, low=low)

    def _draw_asked(self, pen: Pen, asked: Asked, x: float, y: float, room: float, *, low: bool) -> float:
        """Draw what was asked last, a link to its step; returns the middle of the line after it."""
        style, theme = pen.style, pen.theme
        pen.text(x, y, asked.heading, theme.faint, size=SMALL)
        y += style.size(19)
        lines = [line for line in asked.text.split("\n") if line.strip()]
        shown = [part for line in lines for part in wrap(line, room, style)]
        most = 2 if low else 3
        if len(shown) > most:
            shown = [*shown[: most - 1], f"{shown[most - 1].rstrip(ELLIPSIS)} {ELLIPSIS}"]
        for line in shown:
            pen.link(x, y, line, lambda: self._jump(asked.step), color=theme.text, hint=asked.text, room=room)
            y += style.size(LINE_HEIGHT)
        for words in asked.rests_on[: 1 if low else 2]:
            for line in wrap(words, room, style, most=1 if low else 2):
                pen.text(x, y, line, theme.quiet, room=room)
                y += style.size(LINE_HEIGHT)
        return y + style.size(6)

    def _draw_outcome(self, pen: Pen, x: float, y: float, room: float, *, low: bool) -> float:
        """Draw how the run ended and the failures to step through; returns the middle of the last line."""
        style, theme, outcome = pen.style, pen.theme, self._outcome
        end = pen.text(x, y, outcome.word, theme.role(outcome.role), "title") if outcome.word else x
        y -= 0.0 if outcome.word else style.size(26)
        if outcome.step is not None:
            step = outcome.step
            left = end + style.size(8)
            lines = wrap(outcome.sentence, room - (left - x), style, most=2)
            for number, line in enumerate(lines):
                y += style.size(LINE_HEIGHT) if number else 0.0
                pen.link(left, y, line, lambda: self._jump(step), color=theme.text, hint=outcome.sentence)
        if self._checks.words:
            y = self._draw_checks(pen, x, y + style.size(24), room, low=low)
        if self._failures or self._stopped:
            y += style.size(24)
            end = draw_failures(pen, self._session, self._failures, x, y) + style.size(12) if self._failures else x
            pen.text(end, y, self._stopped, theme.stopped, room=x + room - end)
        return y

    def _draw_checks(self, pen: Pen, x: float, y: float, room: float, *, low: bool) -> float:
        """Draw the last checks by name, several below one another if there is room; returns the last line's middle."""
        style, theme, checks = pen.style, pen.theme, self._checks
        color = theme.role(checks.role)
        end = x
        for number, line in enumerate(wrap(checks.sentence, room, style, most=2)):
            y += style.size(LINE_HEIGHT) if number else 0.0
            end = pen.link(x, y, line, lambda: self._jump(checks.step), color=color, hint=checks.hint)
        left = end + style.size(8)
        if len(checks.checks) == 1 or low:
            names = ", ".join(dict.fromkeys(check.called for check in checks.checks if check.called))
            if names and x + room - left > style.size(LEAST_CALL):
                pen.text(left, y, names, theme.quiet, room=x + room - left)
            return y
        for check in checks.checks:
            y += style.size(LINE_HEIGHT)
            act = lambda step=check.step: self._jump(step)  # noqa: E731 - bound at once, one a check
            indent = x + style.size(12)
            said = f"{check.called}: {check.why}" if check.why else check.called
            pen.link(indent, y, said, act, color=theme.quiet, room=x + room - indent)
        if checks.more:
            y += style.size(LINE_HEIGHT)
            pen.text(x + style.size(12), y, f"and {counted(checks.more, 'other')}", theme.faint)
        return y
