"""The tabs above the content of a step, and the switches beside them: wrap, raw, and the mark of the reading view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from opentine_gui.app.session import Session
from opentine_gui.scene.draw_list import Line
from opentine_gui.ui.reading.step.step_header import PAD
from opentine_gui.ui.toolkit.sheet import BODY, SMALL, Pen
from opentine_gui.ui.toolkit.style import Style

TAB_HEIGHT = 30.0
TAB_ACTIONS = {
    "Result": "inspect.result",
    "Call": "inspect.call",
    "Conversation": "inspect.conversation",
    "Record": "inspect.record",
}


class StepTabs:
    """Draws tabs and switches on a sheet. In the reading view itself (`whole`) there is no mark that opens it."""

    def __init__(self, session: Session, style: Style, *, whole: bool) -> None:
        self.session, self.style, self.whole = session, style, whole

    def draw(self, pen: Pen, width: float, names: Sequence[str], shown: str) -> None:
        """Draw the tabs with these names and the switches beside them; `shown` is the name of the tab that is lit."""
        style = self.style
        pad, tall = style.size(PAD), style.size(TAB_HEIGHT)
        em = style.size(BODY)
        taken = sum(style.width(name, "text", em) for name in names) + style.size(8) * len(names)
        right = self._draw_switches(pen, width - pad, tall / 2, pad + taken)
        pen.tabs(pad, 0, tall, [(name, name) for name in names], shown, self._choose, room=right - pad)
        pen.rule(pad, tall, width - pad)

    def _draw_switches(self, pen: Pen, right: float, middle: float, least: float) -> float:
        """Draw the switches for the content left of `right`; returns where they begin.

        Wrap goes where it would reach below `least`, and has its key then; Raw stays, and the tabs are shortened.
        """
        style, theme, view = self.style, self.style.theme, self.session.view
        half = style.size(13)
        if not self.whole:
            right = self._open_mark(pen, right, middle) - style.size(12)
        em, gap = style.size(SMALL + 0.5), style.size(10)
        words = [("Wrap", view.wrap, "inspect.wrap"), ("Raw", view.raw, "inspect.raw")]
        if right - sum(style.width(word, "text", em) for word, _, _ in words) - gap < least:
            words = words[1:]
        for word, on, action_id in words:
            action = self.session.actions[action_id]
            left = right - style.width(word, "text", em)
            over = pen.over(left - style.size(4), middle - half, right + style.size(4), middle + half)
            pen.text(left, middle, word, theme.text if on or over else theme.faint, "text", SMALL + 0.5)
            if on:
                pen.rule(round(left), round(middle + style.size(9)), round(right), theme.accent)
            hint = f"{action.description}  {action.key}"
            pen.zone(
                left - style.size(4), middle - half, right + style.size(4), middle + half, self._invoke(action_id), hint
            )
            right = left - gap
        return right

    def _open_mark(self, pen: Pen, right: float, middle: float) -> float:
        """Draw the mark that opens the reading view: two arrows apart; returns where it begins."""
        style, theme = self.style, self.style.theme
        r, size = style.size(4.5), style.size(3.5)
        x, half = right - r - style.size(1), style.size(13)
        over = pen.over(x - half, middle - half, right + style.size(4), middle + half)
        color = theme.text if over else theme.quiet
        for way in (1, -1):
            tip = (x + way * r, middle - way * r)
            pen.items.append(
                Line(((x + way * style.size(1), middle - way * style.size(1)), tip), color, style.size(1.3))
            )
            pen.items.append(Line(((tip[0] - way * size, tip[1]), tip), color, style.size(1.3)))
            pen.items.append(Line(((tip[0], tip[1] + way * size), tip), color, style.size(1.3)))
        action = self.session.actions["inspect.read"]
        pen.zone(
            x - half,
            middle - half,
            right + style.size(4),
            middle + half,
            self._invoke("inspect.read"),
            f"{action.title}  {action.key}",
        )
        return x - r

    def _invoke(self, action_id: str) -> Callable[[], None]:
        return lambda: self.session.invoke(action_id)

    def _choose(self, name: str) -> None:
        self.session.invoke(TAB_ACTIONS[name])
