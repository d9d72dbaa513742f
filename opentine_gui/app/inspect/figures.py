"""The figures of a step or of several: time, cost, tokens and the like, each with its label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from opentine_gui.app.document.document import Document
from opentine_gui.app.inspect.integrity import A_LOG, STILL_STANDS, is_log, seal
from opentine_gui.core import CostState, Graph, Step, Totals
from opentine_gui.core.analysis.run_clock import UNKNOWN, Clock
from opentine_gui.core.graph.outcomes.stopped import FOUND_NOTHING, UNANSWERED, ended_by
from opentine_gui.core.structure.first_view import is_long
from opentine_gui.core.structure.structure import Structure
from opentine_gui.describe.failures.failure import exit_code_of, failure_of
from opentine_gui.describe.failures.stopped_words import STOPPED, wait_words
from opentine_gui.describe.groups.agent_sums import AgentSums, sums_in
from opentine_gui.describe.numbers import (
    BY_THE_CLOCK,
    NOT_PRICED,
    NOT_RECORDED,
    STATED,
    SUM_OF_STEPS,
    WITHOUT_PAUSES,
    clock_words,
    counted,
    format_cost,
    format_count,
    format_duration,
    format_time,
    format_tokens,
    summed_duration,
    total_cost,
)
from opentine_gui.describe.step_titles import model_name
from opentine_gui.scene.text.clean import ELLIPSIS, clean, clean_id

_UNMEASURED = frozenset({"human", "approval", "policy"})
"""Kinds of steps whose cost nobody measures."""
WORKED = "Worked"
WHY_NOT_PRICED = "Tokens were used, but no price is on record and none is made up: compare the tokens."
NOT_COUNTED_YET = "The newest steps are not counted yet."


_of_short_runs: WeakKeyDictionary[Graph, dict[str, AgentSums | None]] = WeakKeyDictionary()
"""The sums of sub-agents, by their first steps, of runs that are shown without a structure, which holds the graph."""


class Figure(NamedTuple):
    """A labelled value: `role` is its colour, `full` the value in full, and `hint` what explains it."""

    label: str
    value: str
    role: str = "text"
    full: str = ""
    hint: str = ""

    @property
    def tooltip(self) -> str:
        """What its tooltip says."""
        return self.full or self.hint or "Click to copy"

    @property
    def copied(self) -> str:
        """What a click copies: the first line of the full value, else the value shown."""
        return self.full.split("\n")[0] or self.value


def step_figures(document: Document, step: Step) -> tuple[Figure, ...]:
    """What a step is and how it went, as a line of figures: kind, outcome, time, cost, tokens, model, seal, id.

    Figures that were not recorded are left out; if none was, it says so. The seal appears only if it says something.
    """
    failure = failure_of(step)
    code = failure.exit_code if failure is not None else exit_code_of(step.outputs)
    found = [Figure("Kind", "sub-agent" if step.shown_kind == "subagent" else step.shown_kind)]
    stopped = ended_by(step.error, step.inputs, step.outputs) if step.error else ""
    if stopped:
        hint = "Somebody stopped it: that is no failure."
        if stopped == UNANSWERED:
            hint = "No result of it is recorded: whether it ran is not known, and that is no failure."
        if stopped == FOUND_NOTHING:
            hint = "A search ends with exit code 1 if no line matches: that is no failure."
        found.append(Figure("Outcome", STOPPED[stopped], "stopped", hint=hint))
    elif failure is not None:
        found.append(Figure("Outcome", "failed" if code is None else f"failed, exit {code}", "bad"))
    elif code is not None:
        found.append(Figure("Outcome", f"exit {code}"))
    measured = list(_measured(step))
    if step.shown_kind == "subagent":
        measured += _of_its_steps(document, step)
    if measured or step.shown_kind in _UNMEASURED:
        found += measured
    else:
        missing = "duration" if step.shown_kind == "tool" else "duration and cost"
        found.append(Figure("Figures", f"{missing} {NOT_RECORDED}", "faint"))
    if step.timestamp > 0:
        found.append(Figure("At", format_time(step.timestamp), full=f"{format_time(step.timestamp, date=True)} UTC"))
    words, role, hint = seal(document, step)
    of_the_file = words == A_LOG and is_log(document)  # of all its steps alike: it stands with the run
    if not of_the_file and (role not in ("good", "faint") or words == STILL_STANDS):
        found.append(Figure("Integrity", words, role, hint=hint))
    return (*found, Figure("Id", clean_id(step.id), full=clean(step.id, 200)))


def _sums_of_agent(document: Document, step: str) -> AgentSums | None:
    """The sums of the sub-agent that begins at a step; None where they are not known, or not yet."""
    record, fold = document.record, document.picture.fold
    if record is None or step not in record.graph:
        return None
    graph = record.graph
    place, at_least = graph.index(step), bool(record.at_least)
    if fold is not None and fold.graph is graph:
        return sums_in(fold.structure, place, at_least=at_least)
    if is_long(len(graph)):
        return None
    known = _of_short_runs.setdefault(graph, {})
    if step not in known:
        main = graph.index(record.main_tip) if record.main_tip is not None else None
        known[step] = sums_in(Structure(graph, main), place, at_least=at_least)  # takes a few milliseconds
    return known[step]


def _of_its_steps(document: Document, step: Step) -> Iterator[Figure]:
    """What a sub-agent's own steps took together, and what of it is not recorded."""
    sums = _sums_of_agent(document, step.id)
    if sums is None:
        return
    yield Figure("Its steps", format_count(sums.totals.steps))
    _cost, duration, _tokens = totals_figures(sums.totals, at_least=sums.at_least, at_work=sums.seconds)
    figures = (duration, *((_tokens,) if step.tokens is None else ()), *((_cost,) if step.known_cost is None else ()))
    for figure in figures:
        value = figure.value
        if figure.role == "faint" and value == NOT_RECORDED:
            value = f"{'time' if figure.label == SUM_OF_STEPS else figure.label.lower()} {NOT_RECORDED}"
        yield figure._replace(
            value=value, hint=f"Of its {counted(sums.totals.steps, 'step')} together. {figure.hint}".strip()
        )


def _measured(step: Step) -> Iterator[Figure]:
    """The recorded ones of duration, cost, tokens and model."""
    if step.duration > 0:
        wait = wait_words(step)
        seconds = f"{step.duration!r} s"
        full = f"{seconds}\n{wait[:1].upper()}{wait[1:]}." if wait else seconds
        taken = format_duration(step.duration)
        yield Figure("Duration", f"waited {taken}" if wait else taken, full=full)
    cost = cost_figure(step)
    if cost.value != NOT_RECORDED:
        yield cost
    if step.tokens is not None:
        yield Figure("Tokens", format_tokens(step.tokens), full=_usage(step))
    yield from _context(step)
    model = model_name(step)
    if model:
        yield Figure("Model", model, full=clean(_whole_model(step.model_info), 200))


def _context(step: Step) -> Iterator[Figure]:
    """How full the context was, for a step whose usage says what came from the cache."""
    usage = step.usage
    read = usage.get("cache_read")
    fill = sum(usage.get(name, 0) for name in ("input", "cache_read", "cache_write_5m", "cache_write_1h"))
    if read is not None and fill > 0:
        hint = "What went in: input, and what was read from and written to the cache"
        yield Figure("Context", f"context {format_tokens(fill)}, {read / fill:.0%} cached", hint=hint)


def cost_figure(step: Step) -> Figure:
    """What a step cost, or why that is not known."""
    if step.cost_state is CostState.UNPRICED:
        return Figure("Cost", NOT_PRICED, "faint", hint=WHY_NOT_PRICED)
    if step.known_cost is None:
        return Figure("Cost", NOT_RECORDED, "faint")
    least = "≥ " if step.cost_state is CostState.PARTIAL else ""
    return Figure("Cost", least + format_cost(step.known_cost), full=f"{step.known_cost:.10g} US dollars")


def _whole_model(value: Any) -> str:
    """A step's model as it was recorded: a name, or an object with one."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        for key in ("name", "model", "id"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return "" if value in (None, {}, []) else str(value)[:200]


def _usage(step: Step) -> str:
    return "\n".join(f"{clean(str(name), 60)}  {count:,}" for name, count in list(step.usage.items())[:20])


def totals_figures(
    totals: Totals, *, at_least: bool = False, clock: Clock | None = UNKNOWN, at_work: float = 0.0
) -> tuple[Figure, ...]:
    """Cost, duration and tokens of several steps; unknown figures say so.

    `clock` is that of a whole run and precedes the sum of its steps; None while it is being computed. `at_work` are the
    seconds in which any of the steps ran; 0 where that is not known.

    `at_least`: the log recorded only a part of each count, so that sums of dollars and tokens are lower bounds.
    """
    if totals.stated_cost is not None:
        cost = Figure("Cost", total_cost(totals), full=f"{totals.stated_cost:.10g} US dollars\n{STATED}")
    elif totals.cost_known:
        cost = Figure("Cost", total_cost(totals), full=f"{totals.cost:.10g} US dollars")
    else:
        cost = Figure("Cost", total_cost(totals), "faint", hint=WHY_NOT_PRICED if totals.unpriced else "")
    duration = (
        Figure(SUM_OF_STEPS, format_duration(totals.duration), full=f"{totals.duration!r} s, of all steps together")
        if totals.duration > 0
        else Figure(SUM_OF_STEPS, NOT_RECORDED, "faint")
    )
    if at_work > 0:
        hint = "What ran side by side, or inside another step, counts once."
        if totals.duration > at_work:
            hint += f" The sum: {summed_duration(totals.duration)}."
        duration = Figure(WORKED, format_duration(at_work), hint=hint)
    elif clock is None:
        duration = Figure(SUM_OF_STEPS, ELLIPSIS, "faint")
    elif clock.whole > 0:
        label = WITHOUT_PAUSES if clock.paused > 0 else BY_THE_CLOCK
        whole = f"By the clock {clock_words(clock)}.\nPauses are five minutes and more in which nothing was recorded."
        whole += f"\n{NOT_COUNTED_YET}" if clock.so_far else ""
        duration = Figure(label, format_duration(clock.working), full=whole)
    tokens = (
        Figure("Tokens", format_count(totals.tokens), full=f"{totals.tokens:,} tokens")
        if totals.tokens_recorded
        else Figure("Tokens", NOT_RECORDED, "faint")
    )
    if totals.stated_tokens is not None:
        full = f"{totals.stated_tokens:,} tokens\n{STATED}"
        tokens = Figure("Tokens", format_count(totals.stated_tokens), full=full)
    return (_bound(cost), duration, _bound(tokens)) if at_least else (cost, duration, tokens)


def _bound(figure: Figure) -> Figure:
    """A sum as a lower bound."""
    known = figure.role != "faint" and not figure.value.startswith("≥")
    return figure._replace(value=f"≥ {figure.value}") if known else figure


def tokens_words(tokens: int | None) -> str:
    """Tokens for a narrow column."""
    return format_tokens(tokens).removesuffix(" tok") if tokens is not None else "–"
