"""Texts for the clipboard: steps as JSON and as Markdown, totals as text, a comparison as Markdown."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from opentine_gui.app.comparison.comparison_view import Subject, figure_rows, step_title, steps_of
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.inspect.step_differences import fields_between, first_lines
from opentine_gui.core import RunRecord, Step
from opentine_gui.core.record import Totals
from opentine_gui.describe.numbers import (
    NOT_PRICED,
    format_cost,
    format_count,
    format_duration,
    format_time,
    format_tokens,
)
from opentine_gui.describe.step_titles import figures, title
from opentine_gui.scene.text.clean import clean

_FENCE = "```"


def steps_json(record: RunRecord, ids: Sequence[str]) -> str:
    """The stored records, indented: an object for one step, an array for several."""
    values = [msgspec.json.decode(record.graph.raw(step_id)) for step_id in ids]
    return json.dumps(values[0] if len(values) == 1 else values, indent=2, ensure_ascii=False)


def steps_markdown(record: RunRecord, ids: Sequence[str]) -> str:
    """The steps as sections: title, figures, then each payload that is there."""
    return "\n\n".join(_section(record.graph.step(step_id)) for step_id in ids) + "\n"


def _section(step: Step) -> str:
    facts = [step.shown_kind, f"`{step.id}`"]
    if step.timestamp:
        facts.append(f"{format_time(step.timestamp, date=True)} UTC")
    lines = [f"## {_escaped(title(step))}", "", " · ".join(facts), "", figures(step)]
    parts: tuple[tuple[str, Any], ...] = (
        ("Error", step.error),
        ("Inputs", step.inputs),
        ("Outputs", step.outputs),
        ("Tool", step.tool_info),
    )
    for name, payload in parts:
        if payload:
            text = json.dumps(payload, indent=2, ensure_ascii=False)
            fence = _FENCE
            while fence in text:
                fence += "`"
            lines += ["", f"**{name}**", "", f"{fence}json", text, fence]
    return "\n".join(lines)


def totals_text(record: RunRecord) -> str:
    """The run's figures; of a fork also its own and inherited ones."""
    lines = [clean(record.title, 200), f"Run {clean(record.run_id, 200)} · {record.status}"]
    inherited = record.inherited_totals
    if inherited.steps:
        lines.append(f"Own: {_figures(record.own_totals)}")
        lines.append(f"Inherited: {_figures(inherited)}")
    lines.append(f"All: {_figures(record.totals)}")
    return "\n".join(lines) + "\n"


def _figures(totals: Totals) -> str:
    cost = format_cost(totals.cost) if totals.cost_known else NOT_PRICED if totals.unpriced else "cost not recorded"
    if totals.cost_known and totals.unpriced:
        cost = f"at least {cost} ({format_count(totals.unpriced)} not priced)"
    tokens = format_tokens(totals.tokens) if totals.tokens_recorded else "tokens not recorded"
    duration = format_duration(totals.duration) if totals.duration else "time not recorded"
    return f"{format_count(totals.steps)} step{'' if totals.steps == 1 else 's'} · {cost} · {duration} · {tokens}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("`", "\\`").replace("*", "\\*").replace("<", "\\<")


def comparison_markdown(overlay: Overlay, subject: Subject) -> str:
    """The panel of a comparison as Markdown: where the runs part, their figures, and the first differences."""
    a, b = (_escaped(overlay.runs[run].title) for run in overlay.pair)
    parent = step_title(overlay, subject.parent) if subject.parent is not None else ""
    sentence = " ".join(part for part in (subject.before, _escaped(parent), subject.after) if part)
    lines = [f"## {a} and {b}: {subject.heading}", "", sentence]
    lines += ["", f"| | A {a} | B {b} | B - A |", "|---|---|---|---|"]
    lines += [f"| {row.label} | {row.a} | {row.b} | {row.delta} |" for row in figure_rows(overlay, subject)]
    for letter, step in (("A", subject.a), ("B", subject.b)):
        if step is not None:
            lines += ["", f"{letter}: {_escaped(step_title(overlay, step))} `{step}`"]
    if subject.a != subject.b:
        signs = {"removed": "- ", "added": "+ "}
        found = first_lines(fields_between(*steps_of(overlay, subject)))
        text = "\n".join(f"{signs.get(line.kind, '  ')}{line.text}" for line in found)
        fence = _FENCE
        while fence in text:
            fence += "`"
        lines += ["", f"{fence}diff", text, fence]
    return "\n".join(lines) + "\n"
