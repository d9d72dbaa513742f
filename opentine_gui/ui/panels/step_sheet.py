"""The inspector's header and footer for a step: name and figures above the payload, buttons and relations below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.facts import Figure, step_figures
from opentine_gui.app.session import Session
from opentine_gui.core import Step
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean, clean_id
from opentine_gui.ui.toolkit.line_break import wrap
from opentine_gui.ui.toolkit.sheet import MONO, SMALL, TITLE, Pen
from opentine_gui.ui.toolkit.style import Style

PAD = 14.0
STEP_TABS = ("Inputs", "Outputs", "Transcript", "Record")
MOST_LINKS = 6


class Tabbed(Protocol):
    """The part of the inspector that the header reads and changes."""

    tab: str
    as_text: bool

    def choose_tab(self, name: str) -> None:
        """Show another part of the step."""

    def toggle_text(self) -> None:
        """Switch between tree and text."""


class StepSheet:
    """Title, id, figures and tabs of one step."""

    def __init__(self, session: Session, style: Style, inspector: Tabbed) -> None:
        self.session, self.style, self.inspector = session, style, inspector

    def draw(self, pen: Pen, document: Document, step: Step, width: float) -> float:
        """Draw the header; returns its height in pixels."""
        style, theme = self.style, self.style.theme
        pad = style.size(PAD)
        room = width - 2 * pad
        y = style.size(26)
        pen.glyph(step.shown_kind, pad, y, 14)
        left = pad + style.size(22)
        for line in wrap(title(step), room - style.size(22), style, face="title", size=TITLE, most=2):
            pen.text(left, y, line, theme.text, "title", TITLE)
            y += style.size(21)
        y += style.size(2)
        self._identity(pen, step, pad, y)
        y += style.size(28)
        y = draw_figures(pen, step_figures(document, step), pad, y, room, self._copy)
        return self._tabs(pen, pad, y + style.size(8), width)

    def _identity(self, pen: Pen, step: Step, x: float, y: float) -> None:
        theme = self.style.theme
        x = pen.text(x, y, f"{step.shown_kind} · ", theme.quiet, "mono")

        def copied() -> None:
            self.session.invoke("edit.copy_id", step=step.id)

        hint = f"{clean(step.id, 200)}\nClick to copy the full id"
        x = pen.link(x, y, clean_id(step.id), copied, color=theme.quiet, face="mono", hint=hint)
        x = pen.text(x, y, " · ", theme.quiet, "mono")
        x = pen.link(x, y, "copy", copied, color=theme.quiet, face="mono", hint=hint)
        x = pen.text(x, y, " · ", theme.quiet, "mono")

        def copied_json() -> None:
            self.session.invoke("edit.copy_json", step=step.id)

        pen.link(x, y, "JSON", copied_json, color=theme.quiet, face="mono", hint="Copy the whole step as JSON")

    def _tabs(self, pen: Pen, pad: float, y: float, width: float) -> float:
        style, theme, inspector = self.style, self.style.theme, self.inspector
        tall = style.size(30)
        names = [*STEP_TABS, "Text" if not inspector.as_text else "Tree"]
        em = style.size(13)
        taken = sum(style.width(name, "text", em) for name in names)
        gap = max(min((width - 2 * pad - taken) / (len(names) - 1), style.size(20)), style.size(6))
        pen.tabs(pad, y, tall, [(name, name) for name in STEP_TABS], inspector.tab, inspector.choose_tab, gap)
        if inspector.tab != "Transcript":
            right = width - pad
            start = pen.text(right, y + tall / 2, names[-1], theme.tool, right=True)
            words = "Show as text that can be selected" if not inspector.as_text else "Show as a tree"
            pen.zone(start - gap / 2, y, right + gap / 2, y + tall, inspector.toggle_text, words)
        pen.rule(pad, y + tall, width - pad)
        return y + tall + style.size(8)

    def _copy(self, text: str) -> None:
        self.session.clipboard(text)
        self.session.notices.add("good", f"Copied {clean(text, 60)}", key="copied")


def draw_figures(
    pen: Pen, figures: Sequence[Figure], x: float, y: float, room: float, copied: Callable[[str], None]
) -> float:
    """Draw labelled values, three to a row, from the top `y`; a click copies one. Returns the bottom."""
    style, theme = pen.style, pen.theme
    columns = 3
    wide = room / columns
    for place, figure in enumerate(figures):
        column, row = place % columns, place // columns
        left, top = x + column * wide, y + row * style.size(44)
        pen.text(left, top + style.size(6), figure.label, theme.quiet, "text", SMALL)
        size = style.size(12)
        value_room = wide - style.size(10)
        middle = top + style.size(24)
        over = pen.over(left, top, left + value_room, top + style.size(36))
        words = figure.role == "faint" or figure.label == "Integrity"
        face = "text" if words else "mono"
        end = pen.text(
            left, middle, figure.value, theme.role(figure.role), face, MONO, room=value_room, middle_cut=not words
        )
        if over:
            pen.rule(left, round(middle + size * 0.62), end, theme.faint)
        value = figure.full.split("\n")[0] if figure.full and figure.label != "Integrity" else figure.value
        act = lambda text=value: copied(text)  # noqa: E731 - bound at once, one a figure
        pen.zone(left, top, left + value_room, top + style.size(36), act, figure.full or "Click to copy")
    rows = (len(figures) + columns - 1) // columns
    return y + rows * style.size(44)


FOOTER_ACTIONS = ("run.fork", "run.fork_edit", "run.merge", "edit.copy_markdown")


def draw_footer(
    pen: Pen, session: Session, document: Document, width: float, reasons: Mapping[str, str | None], *, one: bool
) -> float:
    """Draw buttons, then the step's parents, children and other documents. Returns the height.

    `reasons` says for each of FOOTER_ACTIONS why it is unavailable, or None.
    """
    style = pen.style
    pad = style.size(PAD)
    y = style.size(12)
    pen.rule(0, 0, width)
    acts = ([("Fork from here", "run.fork", True), ("Fork and edit…", "run.fork_edit", False)] if one else []) + [
        ("Merge with…" if one else "Merge…", "run.merge", not one),
        ("Copy as Markdown", "edit.copy_markdown", False),
    ]
    x = pad
    for label, action_id, primary in acts:
        action = session.actions[action_id]
        key = action.key if len(action.key) == 1 else ""
        wide = pen.button_width(label, key)
        if x > pad and x + wide > width - pad:
            x, y = pad, y + style.size(36)
        reason = reasons.get(action_id)
        x = style.size(8) + pen.button(
            x, y, label, lambda name=action_id: session.invoke(name), key=key, primary=primary, reason=reason,  # type: ignore[misc]
            hint=f"{action.description}  {action.key}".strip(),
        )  # fmt: skip
    y += style.size(28 + 18)
    if not one:
        return y
    return _relations(pen, session, document, pad, y, width) + style.size(6)


def _relations(pen: Pen, session: Session, document: Document, pad: float, y: float, width: float) -> float:
    record, primary = document.record, document.selection.primary
    if record is None or primary is None or primary not in record.graph:
        return y
    style, theme, graph = pen.style, pen.theme, record.graph
    position = graph.index(primary)
    parents, children = list(dict.fromkeys(graph.parents[position])), graph.children_of(position)

    def jump(step: str) -> Callable[[], None]:
        def act() -> None:
            session.invoke("select.step", step=step, reveal=True)

        return act

    for word, words, related in (("Parent", "Parents", parents), ("Child", "Children", children)):
        if not related:
            pen.text(pad, y, "No parent: a root" if word == "Parent" else "No children: a tip", theme.faint)
            y += style.size(22)
            continue
        left = pen.text(pad, y, word if len(related) == 1 else words, theme.quiet) + style.size(8)
        for number, other in enumerate(related[:MOST_LINKS]):
            if number:
                y += style.size(22)
            step = graph.ids[other]
            menu = partial(session.open_context_menu, "link", 0.0, 0.0, step=step)
            pen.link(left, y, title(graph.step(other)), jump(step), room=width - pad - left, context=menu)
        if len(related) > MOST_LINKS:
            y += style.size(22)
            pen.text(left, y, f"and {len(related) - MOST_LINKS:,} more", theme.faint)
        y += style.size(22)
    others = [
        other for other in session.documents
        if other is not document and other.record is not None and primary in other.record.graph
    ]  # fmt: skip
    if others:
        left = pen.text(pad, y, "Also in", theme.quiet) + style.size(8)
        for copy in others[:MOST_LINKS]:
            name = clean(copy.title, 80).removesuffix(".tine")
            name += "" if copy.path or copy.members is not None else " (not saved)"

            def act(number: int = copy.number) -> None:
                session.invoke("document.activate", document=number)
                session.invoke("select.step", step=primary, reveal=True)

            pen.link(left, y, name, act, color=theme.text, room=width - pad - left)
            y += style.size(22)
    return y
