"""The legend of a run: what the signs on its cards and the bars of their strips are, and the numbers there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.scene.card.group_strip import EDITS, LOOKS, RUNS, SAVES
from opentine_gui.scene.draw_list import Primitive, Rect, Text
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.theme import Theme

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics


class Signs(NamedTuple):
    """What is drawn and has to be explained: the theme roles of bars, the kinds of steps whose glyphs are shown, and
    the marks beside cards. `numbered`: cards say how many steps they hold.
    """

    roles: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    marks: frozenset[str] = frozenset()
    numbered: bool = True


class Entry(NamedTuple):
    """A sign and its meaning: a `kind` has a glyph, a bar without one has its height in a strip; `short` is the meaning
    if there is little room. A `mark` is written as it is beside cards.
    """

    kind: str
    role: str
    height: float
    word: str
    short: str = ""
    mark: str = ""


BRANCH_SIGN = "⑂"
"""The sign beside cards for the branches they hold."""
FORK_MARK = "retry?"
"""What stands beside the card of a place to fork; its hint says why."""
ENTRIES = (
    Entry("human", "human", 0.0, "person"),
    Entry("model", "", 0.0, "agent"),
    Entry("done", "", 0.0, "answer"),
    Entry("think", "", 0.0, "thought"),
    Entry("tool", "", 0.0, "tool call", "call"),
    Entry("policy", "", 0.0, "policy"),
    Entry("approval", "", 0.0, "approval"),
    Entry("", LOOKS, 0.38, "reads"),
    Entry("", RUNS, 0.66, "runs, tests", "runs"),
    Entry("", EDITS, 1.0, "edits"),
    Entry("", SAVES, 0.8, "commits"),
    Entry("subagent", "subagent", 0.0, "sub-agent"),
    Entry("error", "bad", 0.0, "failed"),
    Entry("stopped", "stopped", 0.0, "stopped, no result", "stopped"),
    Entry("", "", 0.0, "branches", mark=BRANCH_SIGN),
    Entry("", "", 0.0, "a place to fork", "fork", mark=FORK_MARK),
)
DISPENSABLE = ("a place to fork", "policy", "approval", "branches", "answer", "commits", "tool call", "thought")
"""Meanings that are left out if there is no room for all, beginning with the first."""
NUMBER = "n"
TEXT, BAR_WIDTH, BAR_HEIGHT, GLYPH = 11.0, 7.0, 9.0, 9.0
_AFTER_SIGN = 4.0


class Form(NamedTuple):
    """How much of the legend there is room for.

    Pixels between its parts, the words for the number of steps, the words before the first bar, whether meanings are
    `short`, and how many of `DISPENSABLE` are left out.
    """

    between: float
    number: str
    lead: str = ""
    short: bool = False
    without: int = 0


FORMS = (
    Form(14.0, "steps in a card", "a bar is a call:"),
    Form(10.0, "steps", "a bar is a call:"),
    Form(9.0, "steps", "bars are calls:", short=True),
    *(
        Form(9.0, "", lead, short=True, without=without)
        for without in range(len(DISPENSABLE) + 1)
        for lead in ("bars:", "")
    ),
)
"""The forms, beginning with the widest."""


def fitting_form(metrics: FontMetrics, signs: Signs, room: float, scale: float = 1.0) -> Form | None:
    """The widest form that fits within `room` pixels; None if none fits."""
    return next((form for form in FORMS if legend_width(metrics, signs, scale, form) <= room), None)


def legend_width(metrics: FontMetrics, signs: Signs, scale: float = 1.0, form: Form = FORMS[0]) -> float:
    """The width in pixels of the legend for these signs, in one of its forms."""
    shown = _entries(signs, form)
    width = sum(
        metrics.width(_word(entry, form), "text", TEXT * scale) + _sign(entry, metrics, scale) for entry in shown
    )
    width += (len(shown) * (_AFTER_SIGN + form.between) - form.between) * scale
    if form.lead and any(_is_bar(entry) for entry in shown):
        width += metrics.width(form.lead, "text", TEXT * scale) + form.between * scale
    if form.number and signs.numbered:
        width += metrics.width(NUMBER, "mono", TEXT * scale) + metrics.width(form.number, "text", TEXT * scale)
        width += (form.between + _AFTER_SIGN) * scale
    return width


def draw_legend(
    x: float,
    middle: float,
    signs: Signs,
    theme: Theme,
    metrics: FontMetrics,
    scale: float = 1.0,
    form: Form = FORMS[0],
) -> list[Primitive]:
    """Return the legend for these signs, on one line around `middle` from the left end `x`.

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

    lead = form.lead
    for entry in _entries(signs, form):
        if lead and _is_bar(entry):
            put(lead, "text", "quiet")
            x, lead = x + form.between * scale, ""
        paint = theme.role(entry.role) if entry.role else theme.kind(entry.kind or "tool")
        if entry.mark:
            top = metrics.centered_top(middle, "title", size)
            items.append(Text(round(x), round(top), entry.mark, "title", size, theme.quiet))
        elif entry.kind:
            glyph = GLYPH * scale
            items.extend(draw_glyph(entry.kind, round(x), round(middle - glyph / 2), glyph, paint))
        else:
            top = bottom - round(entry.height * BAR_HEIGHT * scale)
            items.append(Rect(round(x), top, round(x) + BAR_WIDTH * scale, bottom, paint, None, 0.0))
        x += _sign(entry, metrics, scale) + _AFTER_SIGN * scale
        put(_word(entry, form), "text", "quiet")
        x += form.between * scale
    if form.number and signs.numbered:
        put(NUMBER, "mono", "faint")
        x += _AFTER_SIGN * scale
        put(form.number, "text", "quiet")
    return items


def _entries(signs: Signs, form: Form) -> Sequence[Entry]:
    """What a form explains of the signs that are drawn."""
    out = DISPENSABLE[: form.without]
    return [
        entry
        for entry in ENTRIES
        if entry.word not in out
        and (entry.kind in signs.kinds or (entry.role and entry.role in signs.roles) or entry.mark in signs.marks)
    ]


def _word(entry: Entry, form: Form) -> str:
    return entry.short if form.short and entry.short else entry.word


def _is_bar(entry: Entry) -> bool:
    return not entry.kind and not entry.mark


def _sign(entry: Entry, metrics: FontMetrics, scale: float) -> float:
    """The width of a sign in pixels."""
    if entry.mark:
        return metrics.width(entry.mark, "title", TEXT * scale)
    return (GLYPH if entry.kind else BAR_WIDTH) * scale
