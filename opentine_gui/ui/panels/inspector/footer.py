"""What stands below the inspector's content: buttons, what was found about the step, the steps next to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from opentine_gui.app.document.document import Document
from opentine_gui.app.files.going_on import forked_session
from opentine_gui.app.inspect.analysis.findings import HEADING, StepFindings, findings_about
from opentine_gui.app.session import Session
from opentine_gui.core import Graph
from opentine_gui.describe.step_titles import title
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.toolkit.sheet import BODY, SMALL, Pen
from opentine_gui.ui.toolkit.style import wrap

PAD = 14.0
MOST_LINKS, FEW_LINKS = 6, 1
"""Parents, children and other documents that are listed, and in a low panel."""
MOST_LOOKED_AT = 2_000
"""In a group of more steps than this, only the links of the step it ends with are listed."""
MOST_FOUND_LINES = 3
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
        goes_on = forked_session.is_of_agent(session, document)
        if goes_on and reasons.get("continue.propose") is None:
            acts = [("Continue…", "continue.propose", True), ("Fork", "run.fork", False), *acts[1:]]
    else:
        acts = [("Merge…", "run.merge", True)]
        if len(document.selection) == 2:
            acts.append(("Diff", "inspect.diff_selected", False))
        acts.append(("Copy as Markdown", "edit.copy_markdown", False))
    keys = [key if len(key) == 1 else "" for key in (session.actions[action_id].key for _, action_id, _ in acts)]
    room = width - 2 * pad
    if one and _wide(pen, acts, keys) > room:
        acts = [(SHORT.get(action_id, label), action_id, primary) for label, action_id, primary in acts]
    if one and _wide(pen, acts, keys) > room:  # what can be done is worth more than its key, which the hint says too
        keys = [""] * len(acts)
    x = pad
    for (label, action_id, primary), key in zip(acts, keys, strict=True):
        action = session.actions[action_id]
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


def _wide(pen: Pen, acts: Sequence[tuple[str, str, bool]], keys: Sequence[str]) -> float:
    """The width in pixels of buttons beside one another."""
    gaps = pen.style.size(8) * (len(acts) - 1)
    return sum(pen.button_width(label, key) for (label, _, _), key in zip(acts, keys, strict=True)) + gaps


def _found(pen: Pen, session: Session, document: Document, pad: float, y: float, width: float, most: int) -> float:
    """Draw why the selected step is a suspect (in `most` lines), where its call last passed, and where to fork."""
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


def _shown(document: Document, selected: int) -> Sequence[int]:
    """The positions of the steps that the inspector shows: the selected one, or those of the group it stands for."""
    group, fold = document.selected_group, document.picture.fold
    if group is None or fold is None or fold.card(group).size > MOST_LOOKED_AT:
        return (selected,)
    return fold.all_steps(group)


def _beside(graph: Graph, steps: Sequence[int]) -> tuple[list[int], list[int]]:
    """The parents and the children of a step, or of a group's steps those that are not in it."""
    parents = dict.fromkeys(parent for step in steps for parent in graph.parents[step])
    children = dict.fromkeys(child for step in steps for child in graph.children_of(step))
    inside = set(steps)
    return [one for one in parents if one not in inside], [one for one in children if one not in inside]


def _relations(pen: Pen, session: Session, document: Document, pad: float, y: float, width: float, most: int) -> float:
    """Draw the links to parents, children and other documents, `most` of each; if that is 1, also how many more."""
    record, primary = document.record, document.selection.primary
    if record is None or primary is None or primary not in record.graph:
        return y
    style, theme, graph = pen.style, pen.theme, record.graph
    parents, children = _beside(graph, _shown(document, graph.index(primary)))

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
