"""The legend of a folded run: what the bars of its cards' strips are, and the number beside them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.scene.card.group_strip import EDITS, LOOKS, RUNS, SAVES
from opentine_gui.scene.draw_list import Primitive, Rect, Text
from opentine_gui.scene.theme import Theme

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

BARS = (
    ("human", 1.0, "person"),
    (LOOKS, 0.38, "reads"),
    (RUNS, 0.66, "runs, tests"),
    (EDITS, 1.0, "edits"),
    (SAVES, 0.8, "commits"),
    ("subagent", 1.0, "sub-agent"),
    ("bad", 1.0, "failed"),
    ("stopped", 1.0, "stopped, no result"),
)
"""Theme role, height as in a strip, and meaning."""
NUMBER = "n"
TEXT, BAR_WIDTH, BAR_HEIGHT = 11.0, 7.0, 9.0
_AFTER_BAR = 5.0


class Form(NamedTuple):
    """How much of the legend there is room for.

    Pixels between its parts, what it says of the number of steps, and before all that what a bar is.
    """

    between: float
    number: str
    lead: str = ""


FORMS = (
    Form(14.0, "steps in a card", "a bar is a step:"),
    Form(8.0, "steps", "a bar is a step:"),
    Form(8.0, "", "a bar a step:"),
    Form(6.0, "", "bars:"),
    Form(6.0, ""),
)
"""The one that takes most room first."""


def fitting_form(metrics: FontMetrics, roles: Collection[str], room: float, scale: float = 1.0) -> Form | None:
    """The form that says most within so many pixels; None where none fits."""
    return next((form for form in FORMS if legend_width(metrics, roles, scale, form) <= room), None)


def legend_width(metrics: FontMetrics, roles: Collection[str], scale: float = 1.0, form: Form = FORMS[0]) -> float:
    """The width in pixels of the legend for the bars in these roles, in one of its forms."""
    shown = [word for role, _, word in BARS if role in roles]
    width = sum(metrics.width(word, "text", TEXT * scale) for word in shown)
    width += (len(shown) * (BAR_WIDTH + _AFTER_BAR + form.between) - form.between) * scale
    if form.lead:
        width += metrics.width(form.lead, "text", TEXT * scale) + form.between * scale
    if form.number:
        width += metrics.width(NUMBER, "mono", TEXT * scale) + metrics.width(form.number, "text", TEXT * scale)
        width += (form.between + _AFTER_BAR) * scale
    return width


def draw_legend(
    x: float,
    middle: float,
    roles: Collection[str],
    theme: Theme,
    metrics: FontMetrics,
    scale: float = 1.0,
    form: Form = FORMS[0],
) -> list[Primitive]:
    """Return the legend for the bars in these roles, on one line around `middle` from the left end `x`.

    Sizes are `scale` times as large.
    """
    items: list[Primitive] = []
    size = TEXT * scale
    bottom = middle + BAR_HEIGHT * scale / 2

    def put(words: str, face: str, color: str) -> None:
        nonlocal x
        top = metrics.centered_top(middle, face, size)
        items.append(Text(round(x), round(top), words, face, size, getattr(theme, color)))
        x += metrics.width(words, face, size)

    if form.lead:
        put(form.lead, "text", "quiet")
        x += form.between * scale
    for role, height, word in BARS:
        if role not in roles:
            continue
        items.append(
            Rect(round(x), bottom - round(height * BAR_HEIGHT * scale), round(x) + BAR_WIDTH * scale, bottom,
                 theme.role(role), None, 0.0)
        )  # fmt: skip
        x += (BAR_WIDTH + _AFTER_BAR) * scale
        put(word, "text", "quiet")
        x += form.between * scale
    if form.number:
        put(NUMBER, "mono", "faint")
        x += _AFTER_BAR * scale
        put(form.number, "text", "quiet")
    return items
