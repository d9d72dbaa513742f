"""The parts around the inspector's content: labelled figures above it, buttons and the step's relations below."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.going_on import handing_back
from opentine_gui.app.inspect.analysis.findings import HEADING, StepFindings, findings_about
from opentine_gui.app.inspect.figures import Figure
from opentine_gui.app.session import Session
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.toolkit.sheet import BODY, MONO, SMALL, Pen
from opentine_gui.ui.toolkit.style import wrap

PAD = 14.0
MOST_LINKS, FEW_LINKS = 6, 1
"""Parents, children and other documents that are listed, and in a low panel."""
MARK = 15.0
NARROW = 250.0
"""Room for figures in design pixels in which two of them may not fit beside each other."""
MOST_FOUND_LINES = 3


def draw_figures(
    pen: Pen, figures: Sequence[Figure], x: float, y: float, room: float, copied: Callable[[str], None]
) -> float:
    """Draw labelled values, three to a row where their labels have room, else two; a click copies one.

    Where half a row is too short for one of them, each has a row of its own. They begin at the top `y`; returns the
    bottom.
    """
    style, theme = pen.style, pen.theme
    widest = max((style.width(figure.label, "text", style.size(SMALL)) for figure in figures), default=0.0)
    columns = 3 if widest + style.size(10) <= room / 3 else 2
    longest = max((style.width(figure.value, "mono", style.size(MONO)) for figure in figures), default=0.0)
    if room < style.size(NARROW) and longest + style.size(10) > room / columns:
        columns = 1
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
        act = lambda text=figure.copied: copied(text)  # noqa: E731 - bound at once, one a figure
        pen.zone(left, top, left + value_room, top + style.size(36), act, figure.tooltip)
    rows = (len(figures) + columns - 1) // columns
    return y + rows * style.size(44)


def draw_failures(pen: Pen, session: Session, words: str, x: float, middle: float) -> float:
    """Draw how many steps failed, with arrows to the previous and the next one; returns the x where it ends."""
    style, theme = pen.style, pen.theme
    half = style.size(11)
    first = session.actions["go.next_failure"]
    end = pen.text(x, middle, words, theme.bad)
    pen.zone(x, middle - half, end, middle + half, lambda: session.invoke(first.id), f"{first.title}  {first.key}")
    end += style.size(4)
    for mark, action_id in (("‹", "go.previous_failure"), ("›", "go.next_failure")):
        action = session.actions[action_id]
        right = end + style.size(18)
        over = pen.over(end, middle - half, right, middle + half)
        wide = style.width(mark, "title", style.size(MARK))
        left = (end + right - wide) / 2
        pen.text(left, middle, mark, theme.text if over else theme.bad, "title", MARK)
        act = lambda chosen=action_id: session.invoke(chosen)  # noqa: E731 - bound at once, one a mark
        pen.zone(end, middle - half, right, middle + half, act, f"{action.title}  {action.key}")
        end = right
    return end


SHORT = {"run.fork_edit": "Edit…"}
"""Labels of buttons in a panel in which not all of them have room."""
FOOTER_ACTIONS = (
    "run.fork",
    "run.fork_edit",
    "run.merge",
    "edit.copy_markdown",
    "inspect.diff_selected",
    "continue.propose",
)


def draw_footer(
    pen: Pen,
    session: Session,
    document: Document,
    width: float,
    reasons: Mapping[str, str | None],
    *,
    one: bool,
    found_lines: int = MOST_FOUND_LINES,
    links: int = MOST_LINKS,
) -> float:
    """Draw buttons, then the step's parents, children and other documents. Returns the height.

    `reasons` says for each of FOOTER_ACTIONS why it is unavailable, or None. `found_lines` limits what is said about a
    suspect; with 0, suspects are only links, whose tooltips say the rest. `links` limits those to other steps; 0 leaves
    them out.
    """
    style = pen.style
    pad = style.size(PAD)
    y = style.size(12)
    pen.rule(0, 0, width)
    if one:
        acts = [("Fork", "run.fork", True), ("Fork and edit…", "run.fork_edit", False), ("Merge…", "run.merge", False)]
        goes_on = handing_back.reading_of(session, document) is not None  # a session, or a fork made of one here
        if goes_on and reasons.get("continue.propose") is None:
            acts = [("Continue…", "continue.propose", True), ("Fork", "run.fork", False), *acts[1:]]
    else:
        acts = [("Merge…", "run.merge", True)]
        if len(document.selection) == 2:
            acts.append(("Diff", "inspect.diff_selected", False))
        acts.append(("Copy as Markdown", "edit.copy_markdown", False))
    keys = [key if len(key) == 1 else "" for key in (session.actions[action_id].key for _, action_id, _ in acts)]
    wide = sum(pen.button_width(label, key) for (label, _, _), key in zip(acts, keys, strict=True))
    if one and wide + style.size(8) * (len(acts) - 1) > width - 2 * pad:
        acts = [(SHORT.get(action_id, label), action_id, primary) for label, action_id, primary in acts]
    x = pad
    for label, action_id, primary in acts:
        action = session.actions[action_id]
        key = action.key if len(action.key) == 1 else ""
        wide = pen.button_width(label, key)
        if x > pad and x + wide > width - pad:
            if one:  # a narrow panel needs the room for the payload; the key and the menu remain
                break
            x, y = pad, y + style.size(36)
        reason = reasons.get(action_id)
        x = style.size(8) + pen.button(
            x, y, label, lambda name=action_id: session.invoke(name), key=key, primary=primary, reason=reason,  # type: ignore[misc]
            hint=f"{action.description}  {action.key}".strip(),
        )  # fmt: skip
    y += style.size(28 + 18)
    if not one:
        return y
    y = _found(pen, session, document, pad, y, width, found_lines)
    return (_relations(pen, session, document, pad, y, width, links) if links else y) + style.size(6)


def _found(pen: Pen, session: Session, document: Document, pad: float, y: float, width: float, most: int) -> float:
    """Draw what was found about the selected step: why it is a suspect (in `most` lines), where its call last passed,
    where to fork.
    """
    style, theme, primary = pen.style, pen.theme, document.selection.primary
    found = findings_about(session, document, primary) if primary is not None else StepFindings()
    line, room = style.size(20), width - 2 * pad
    start = y
    if found.place:
        words = f"{found.place[:1].upper()}{found.place[1:]}"
        end = pen.text(pad, y, words, theme.text, "title", SMALL) + style.size(4)
        for mark, action_id in (("‹", "go.previous_suspect"), ("›", "go.next_suspect")):
            action = session.actions[action_id]
            act = partial(session.invoke, action_id)
            end = pen.link(end + style.size(4), y, mark, act, hint=f"{action.title}  {action.key}") + style.size(4)
        for words in wrap(found.words, room, style, most=max(most, 1)):
            y += line
            pen.text(pad, y, words, theme.quiet)
        y += line
    if found.suspects:
        if most:
            pen.text(pad, y, HEADING, theme.faint, "title", SMALL)
            y += line
        for number, row in enumerate(found.suspects):
            y += line if number else 0.0
            jump = partial(session.invoke, "select.step", step=row.step, reveal=True)
            menu = partial(session.open_context_menu, "link", 0.0, 0.0, step=row.step)
            left = pad if most else pen.text(pad, y, "Suspect", theme.quiet) + style.size(8)
            pen.link(left, y, row.title, jump, room=width - pad - left, context=menu, hint=row.words)
            if most:
                y += style.size(17)
                pen.text(pad, y, row.words, theme.quiet, "text", SMALL, room=room)
        y += line
    if found.passed is not None:
        end = pen.text(pad, y, "The same call passed", theme.quiet) + style.size(6)
        jump = partial(session.invoke, "select.step", step=found.passed, reveal=True)
        pen.link(end, y, "here before", jump, hint="The last time it was asked the same and did not fail")
        y += line
        pen.text(pad, y, f"A fork there {found.passed_fork}", theme.quiet, "text", SMALL, room=room)
        y += line
    if found.fork:
        for words in wrap(f"A place to fork, {found.fork}", room, style, most=2):
            pen.text(pad, y, words, theme.quiet)
            y += line
    return y + (style.size(6) if y > start else 0.0)


def _relations(pen: Pen, session: Session, document: Document, pad: float, y: float, width: float, most: int) -> float:
    """Draw the links to parents, children and other documents, `most` of each; a single one says how many more."""
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
        more = f"+{len(related) - most:,}" if most == FEW_LINKS and len(related) > most else ""
        right = width - pad - (style.width(more, "text", style.size(BODY)) + style.size(8) if more else 0.0)
        for number, other in enumerate(related[:most]):
            if number:
                y += style.size(22)
            step = graph.ids[other]
            menu = partial(session.open_context_menu, "link", 0.0, 0.0, step=step)
            pen.link(left, y, title(graph.step(other)), jump(step), room=right - left, context=menu)
        if more:
            pen.text(right + style.size(8), y, more, theme.faint)
        elif len(related) > most:
            y += style.size(22)
            pen.text(left, y, f"and {len(related) - most:,} more", theme.faint)
        y += style.size(22)
    others = [
        other for other in session.documents
        if other is not document and other.record is not None and primary in other.record.graph
    ]  # fmt: skip
    if others:
        left = pen.text(pad, y, "Also in", theme.quiet) + style.size(8)
        for copy in others[:most]:
            name = clean(copy.title, 80).removesuffix(".tine")
            name += "" if copy.path or copy.members is not None else " (not saved)"

            def act(number: int = copy.number) -> None:
                session.invoke("document.activate", document=number)
                session.invoke("select.step", step=primary, reveal=True)

            pen.link(left, y, name, act, color=theme.text, room=width - pad - left)
            y += style.size(22)
    return y
