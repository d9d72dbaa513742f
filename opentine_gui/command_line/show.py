"""`show`: prints a run, a step, or the runs in a folder."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from opentine_gui.command_line import REFUSED
from opentine_gui.command_line.files import (
    STANDARD,
    candidates,
    is_repository,
    parts_of,
    read_run,
    runs_of_folder,
    split_step,
)
from opentine_gui.command_line.output import Answer, Terminal, one_line, padded, print_lines, terminal, width_of
from opentine_gui.core import CostState, LookupFailure, Overview, RunRecord, Step, TineError
from opentine_gui.core.files.origin import contradicts, mark_sentence
from opentine_gui.core.files.verify import not_verified
from opentine_gui.core.format.metadata import marks_in
from opentine_gui.describe import step_titles
from opentine_gui.describe.comparison_words import totals_parts
from opentine_gui.describe.failures.reason import failure_reason
from opentine_gui.describe.failures.run_status import listed_status, status_words
from opentine_gui.describe.failures.stopped_words import NO_FAILURES, stopped_words
from opentine_gui.describe.numbers import NOT_RECORDED, counted, format_time
from opentine_gui.describe.payload_text import first_text
from opentine_gui.describe.plain_values import overview_values, run_values, step_values
from opentine_gui.describe.value_lines import value_lines
from opentine_gui.importers import readers
from opentine_gui.importers.sources.parts import part_path

GAP = "  "
SHORTEST_TITLE = 16
STATUS_COLOURS = {"completed": "green", "failed": "red", "running": "yellow", "paused": "yellow"}
KIND_COLOURS = {
    "think": "blue", "tool": "cyan", "model": "magenta", "done": "green", "error": "red", "human": "yellow",
}  # fmt: skip


def show(options: argparse.Namespace) -> int:
    """Print runs, steps (`FILE#STEP`) and the runs in folders; 2 if any cannot be read, 1 if a step does not exist."""
    answer, screen = Answer(options), terminal()
    printed = False
    for argument in options.files:
        path, step = split_step(argument)
        try:
            lines = list_folder(path, answer) if is_folder(path) else None
            if lines is None and step is None and (runs := parts_of(path)):
                lines = list_runs(path, [part_path(path, part.id) for part in runs], answer)
            lines = lines or show_file(path, step, answer)
        except TineError as error:
            answer.fail(error)
            continue
        if options.json or lines is None:
            continue
        if printed:
            print()
        printed = True
        print_lines(lines(screen))
    return answer.finish()


def is_folder(path: Path) -> bool:
    """Whether an argument is a folder whose runs are listed."""
    return path != STANDARD and os.path.isdir(path) and not is_repository(path) and not readers.is_recognised(path)


def show_file(path: Path, step: str | None, answer: Answer) -> Any:
    """Add a run, or a step of it, to the answer; returns what prints it, or None. TineError."""
    record = read_run(path)
    if step is None:
        answer.add("run", {"file": str(path), **(run_values(record) if answer.as_json else {})})
        return lambda screen: run_lines(record, screen)
    try:
        position = record.graph.index(record.resolve(step))
    except LookupFailure as error:
        answer.fail(error.at_path(path), REFUSED, *candidates(error, [record]))
        return None
    answer.add("step", {"file": str(path), **(step_values(record, position) if answer.as_json else {})})
    return lambda screen: step_lines(record, position, screen)


# --- a run ---------------------------------------------------------------------------------------------------------


def run_lines(record: RunRecord, screen: Terminal) -> Iterator[str]:
    """The run's outcome and totals, then one line a step: id, kind, figures, title, refs."""
    graph, status = record.graph, status_words(record).word
    yield screen.styled(screen.cut(one_line(record.title)), "bold")
    facts = [one_line(record.run_id, 80), screen.styled(status, STATUS_COLOURS.get(status, "bold"))]
    if record.created_at:
        facts.append(f"{format_time(float(record.created_at), date=True)} UTC")
    if record.model_info:
        facts.append(one_line(record.model_info, 80))
    yield " · ".join(facts)
    least = bool(record.at_least)
    if record.metrics_reset:
        yield GAP.join(totals_parts(record.shown_totals, since_fork=True, at_least=least))
    yield GAP.join(totals_parts(record.totals, at_least=least)) + ("  the whole run" if record.metrics_reset else "")
    for mark in marks_in(record.metadata):
        said = f"Made from a run that {not_verified(mark)}: {one_line(mark_sentence(mark), 400)}"
        yield screen.styled(screen.cut(said), "red" if contradicts(mark) else "yellow")
    failed = [position for position, has_failed in enumerate(graph.failed) if has_failed]
    if failed:
        last = graph.step(failed[-1])
        said = f"{counted(len(failed), 'step')} failed, the last at {one_line(last.short_id)}: "
        words = " · ".join(filter(None, dict.fromkeys((step_titles.title(last), failure_reason(graph, failed[-1])))))
        yield screen.styled(screen.cut(said + words), "red")
    stopped = stopped_words(Counter(graph.stopped.values()))
    if stopped:
        yield screen.styled(screen.cut(f"{NO_FAILURES}: {stopped}"), "yellow")
    if record.main_tip is not None:
        tip = graph.step(graph.index(record.main_tip))
        if tip.shown_kind == "done":
            # The title is a text among the inputs if there is one, else the answer.
            said = step_titles.subtitle(tip) if first_text(tip.inputs) else ""
            yield screen.cut(f"Answer: {said or step_titles.title(tip)}")
    if len(graph):
        yield ""
    names: dict[str, list[str]] = {}
    for name, identity in record.refs.items():
        names.setdefault(identity, []).append(one_line(name, 40))
    for position in range(len(graph)):
        step = graph.step(position)
        flags = f"  [{', '.join(names[step.id])}]" if step.id in names else ""
        yield step_line(step, bool(graph.failed[position]), screen, flags)


def step_line(step: Step, failed: bool, screen: Terminal, flags: str = "") -> str:
    """One step on one line; where the terminal is narrow, the title is cut, then the refs are left out."""
    short, kind = padded(one_line(step.short_id), 12), padded(one_line(step.shown_kind, 20), 8)
    figures = padded(step_titles.figures(step), 28)
    title = step_titles.title(step)
    if screen.width is not None:
        used = sum(map(width_of, (short, kind, figures))) + 3 * len(GAP)
        if screen.width - used - width_of(flags) < SHORTEST_TITLE:
            flags = ""
        title = screen.cut(title, used + width_of(flags))
    shown = screen.styled(title, "red") if failed else title
    colour = "red" if failed else KIND_COLOURS.get(step.shown_kind, "bold")
    return GAP.join((screen.styled(short, "dim"), screen.styled(kind, colour), figures, shown)) + flags


# --- a step --------------------------------------------------------------------------------------------------------


def step_lines(record: RunRecord, position: int, screen: Terminal) -> Iterator[str]:
    """A complete step: title, figures, neighbours, and everything that was recorded."""
    graph, step = record.graph, record.graph.step(position)
    failed = graph.head(position).failed
    yield screen.styled(step_titles.title(step), "bold")
    kind = screen.styled(one_line(step.shown_kind), "red" if failed else KIND_COLOURS.get(step.shown_kind, "bold"))
    yield f"{kind} {one_line(step.id)}, step {position + 1:,} of {len(graph):,} in {one_line(record.run_id, 80)}"
    when = f"{format_time(step.timestamp, date=True)} UTC" if step.timestamp else f"time {NOT_RECORDED}"
    figures = step_titles.figures(step)
    if step.cost_state is CostState.NOT_RECORDED and figures != NOT_RECORDED:
        figures += f"{GAP}cost {NOT_RECORDED}"
    yield GAP.join((figures, when))
    names = [name for name, identity in record.refs.items() if identity == step.id]
    if names:
        yield f"refs: {', '.join(one_line(name, 80) for name in names)}"
    for label, positions in (("parent", graph.parents[position]), ("child", graph.children[position])):
        for other in positions:
            line = step_line(graph.step(other), graph.head(other).failed, Terminal(None, screen.colour))
            yield screen.styled(padded(label, 8), "dim") + line
    parts: tuple[tuple[str, Any], ...] = (
        ("Error", step.error), ("Inputs", step.inputs), ("Outputs", step.outputs), ("Model", step.model_info),
        ("Provider", step.provider), ("Tool", step.tool_info), ("Usage", step.usage), ("Billing", step.billing),
        ("Caused by", list(step.causal_ids)), ("Other", step.extra),
    )  # fmt: skip
    for label, value in parts:
        if value:
            yield ""
            yield screen.styled(label, "bold", "red") if label == "Error" else screen.styled(label, "bold")
            yield from value_lines(value, 1)


# --- a folder ------------------------------------------------------------------------------------------------------


def list_folder(folder: Path, answer: Answer) -> Any:
    """Add the overview of every run in a folder to the answer; returns what prints them. TineError."""
    return list_runs(folder, runs_of_folder(folder), answer)


def list_runs(place: Path, paths: Sequence[Path], answer: Answer) -> Any:
    """Add the overviews of the runs of a folder, or of a file that holds several; returns what prints them."""
    found: list[tuple[Path, Overview]] = []
    for path in paths:
        try:
            found.append((path, readers.read_overview_of(path)))
            answer.add("overview", {"file": str(path), **overview_values(found[-1][1])})
        except TineError as error:
            answer.fail(error)
    return lambda screen: folder_lines(place, found, screen)


def folder_lines(folder: Path, found: list[tuple[Path, Overview]], screen: Terminal) -> Iterator[str]:
    """How many runs there are and how they ended, then one line a run."""
    words = (listed_status(one.status, imported=one.imported, has_not_run=one.has_not_run) for _, one in found)
    standing = [one_line(word, 40) for word in words]
    ended = ", ".join(f"{number:,} {status}" for status, number in sorted(Counter(standing).items()))
    yield screen.styled(f"{one_line(str(folder))}: {counted(len(found), 'run')}", "bold") + (
        f" ({ended})" if ended else ""
    )
    names = [one_line(path.name) for path, _ in found]
    longest = max(map(width_of, names), default=0)
    widest = max(map(width_of, standing), default=0)
    for name, status, (_, overview) in zip(names, standing, found, strict=True):
        totals = GAP.join(totals_parts(overview.totals, at_least=overview.at_least))
        shown = screen.styled(padded(status, widest) + GAP, STATUS_COLOURS.get(status, "bold"))
        yield f"{padded(name, longest)}{GAP}{shown}{totals}"
