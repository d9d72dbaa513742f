"""Texts for the clipboard: steps as JSON and as Markdown, totals as text, a comparison; large ones in a job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from opentine_gui.app.comparison.comparison_view import Subject, figure_rows, step_title, steps_of, telling
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect.step.difference_lines import fields_between, first_lines
from opentine_gui.app.system.jobs import COPYING, leaves_nothing
from opentine_gui.core import RunRecord, Step
from opentine_gui.core.graph.totals import Totals
from opentine_gui.describe.comparison_words import Accounts, totals_parts
from opentine_gui.describe.difference_lines import diff_text
from opentine_gui.describe.markdown import code, escaped, fenced, table
from opentine_gui.describe.numbers import counted, format_time
from opentine_gui.describe.step_titles import figures, title
from opentine_gui.scene.text.clean import clean, clean_whole

if TYPE_CHECKING:
    from opentine_gui.app.session import Session


LARGE = 300_000
"""Bytes of recorded steps from which on their text is made in a job: some ten milliseconds."""

LONGEST_ID = 400
"""Characters of an id that are copied: an id of the format has 64, but a file may say anything."""


def copy_and_say(session: Session, text: str, what: str, *, recorded: bool = False) -> None:
    """Put a text on the clipboard and say so, in what names it, as in "Copied the path"."""
    session.copy(text, recorded=recorded)
    _say(session, what)


def copy_ids(session: Session, ids: Sequence[str]) -> None:
    """Put full ids of steps on the clipboard, one a line, and say so."""
    text = "\n".join(clean(identity, LONGEST_ID) for identity in ids)
    copy_and_say(session, text, "id" if len(ids) == 1 else counted(len(ids), "id"))


def copy_of_steps(
    session: Session,
    record: RunRecord,
    steps: Iterable[str],
    make: Callable[[], str],
    what: str,
    *,
    recorded: bool = False,
) -> None:
    """`copy_and_say` for a text made of these steps of a run; what is copied before it is made takes its place."""
    graph = record.graph
    if sum(len(graph.raws[graph.index(step)]) for step in steps) < LARGE:
        copy_and_say(session, make(), what, recorded=recorded)
        return

    def done(text: str) -> None:
        session.copy(text, recorded=True)
        _say(session, what)

    session.jobs.submit(
        COPYING,
        lambda _progress, _cancelled: make() if recorded else clean_whole(make(), lines=True),
        done,
        title=f"Copying {what}",
        stopped=leaves_nothing,
    )


def _say(session: Session, what: str) -> None:
    session.notices.add("info", f"Copied {what}.", key="copied")


def steps_json(record: RunRecord, ids: Sequence[str]) -> str:
    """The stored records, indented: an object for one step, an array for several."""
    values = [msgspec.json.decode(record.graph.raw(step_id)) for step_id in ids]
    return json.dumps(values[0] if len(values) == 1 else values, indent=2, ensure_ascii=False)


def steps_markdown(record: RunRecord, ids: Sequence[str]) -> str:
    """The steps as Markdown sections: title, figures, then each payload."""
    return "\n\n".join(_section(record.graph.step(step_id)) for step_id in ids) + "\n"


def _section(step: Step) -> str:
    facts = [escaped(step.shown_kind), code(step.id)]
    if step.timestamp:
        facts.append(f"{format_time(step.timestamp, date=True)} UTC")
    lines = [f"## {escaped(title(step))}", "", " · ".join(facts), "", figures(step)]
    parts: tuple[tuple[str, Any], ...] = (
        ("Error", step.error),
        ("Inputs", step.inputs),
        ("Outputs", step.outputs),
        ("Tool", step.tool_info),
    )
    for name, payload in parts:
        if payload:
            text = json.dumps(payload, indent=2, ensure_ascii=False)
            lines += ["", f"**{name}**", "", *fenced([text], "json")]
    return "\n".join(lines)


def totals_text(record: RunRecord) -> str:
    """The run's figures; for a fork also its own and inherited ones."""
    lines = [clean(record.title, 200), f"Run {clean(record.run_id, 200)} · {record.status}"]
    inherited = record.inherited_totals
    if inherited.steps:
        own = "Since the fork" if record.metrics_reset else "Own"
        lines.append(f"{own}: {_totals(record.own_totals)}")
        lines.append(f"Inherited: {_totals(inherited)}")
    lines.append(f"All: {_totals(record.totals)}")
    return "\n".join(lines) + "\n"


def _totals(totals: Totals) -> str:
    return " · ".join(totals_parts(totals))


def comparison_markdown(overlay: Overlay, subject: Subject, accounts: Accounts | None) -> str:
    """The comparison panel as Markdown: where the runs diverge, their figures, and the first differences.

    `accounts` say what came of the runs; of a pair of steps nothing of that is said.
    """
    a, b = (escaped(overlay.runs[run].title) for run in overlay.pair)
    parent = step_title(overlay, subject.parent) if subject.parent is not None else ""
    sentence = " ".join(part for part in (subject.before, escaped(parent), subject.after) if part)
    lines = [f"## {a} and {b}: {subject.heading}", "", sentence]
    rows = [[row.label, row.a, row.b, row.delta] for row in figure_rows(overlay, subject, accounts)]
    lines += ["", *table(["", f"A {a}", f"B {b}", "B − A"], rows)]
    subject, notes = telling(overlay, subject)
    for letter, step in (("A", subject.a), ("B", subject.b)):
        if step is not None:
            lines += ["", f"{letter}: {escaped(step_title(overlay, step))} {code(step)}"]
    if subject.a != subject.b:
        found = first_lines(fields_between(*steps_of(overlay, subject)))
        lines += ["", *fenced(map(diff_text, [*notes, *found]), "diff")]
    return "\n".join(lines) + "\n"
