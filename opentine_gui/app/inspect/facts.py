"""What the inspector says about a step, several steps or a run, in words and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.clock_words import UNKNOWN, Clock
from opentine_gui.app.inspect.integrity import STILL_STANDS, seal
from opentine_gui.core import CostState, RunRecord, Step, TineError, Totals
from opentine_gui.core.graph.stopped import UNANSWERED, stopped_by
from opentine_gui.describe.content.chosen_option import chosen_options, option_in
from opentine_gui.describe.failures.failure import exit_code_of, failure_of
from opentine_gui.describe.failures.run_status import NO_END, last_written, status_words
from opentine_gui.describe.failures.stopped_words import STOPPED
from opentine_gui.describe.numbers import (
    NOT_PRICED,
    NOT_RECORDED,
    SINCE_FORK,
    counted,
    format_cost,
    format_count,
    format_duration,
    format_time,
    format_tokens,
    total_cost,
)
from opentine_gui.describe.payload_text import first_text, sentences
from opentine_gui.describe.step_titles import model_name
from opentine_gui.importers.agents.prompts import typed
from opentine_gui.scene.text.clean import ELLIPSIS, clean, clean_id

_UNMEASURED = frozenset({"human", "approval", "policy"})
"""Kinds of steps of which nobody measures what they cost."""
_MOST_ASKED = 300
"""Characters of what was asked last that stand in the run panel; the rest is in its step."""
_MOST_LINES = 4
_FEW_WORDS = 5
"""Words up to which what was asked last rests on what was said before it, which is shown as well."""
_MOST_BACK = 20
"""Steps that are gone back for it."""
ASKED_LAST, ASKED_ONCE = "Asked last", "Asked once"
DURATION, BY_THE_CLOCK, WITHOUT_PAUSES, WORKED = "Steps added up", "By the clock", "Without pauses", "Worked"
Lines = Callable[[str], list[str]]


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
        """What a click copies: the value, the first line of it in full."""
        return self.full.split("\n")[0] or self.value


class Fact(NamedTuple):
    """A row of the run view: a heading, a label with a value, a line of prose, a link to a step, or a gap."""

    kind: str  # "heading", "pair", "prose", "step", "gap"
    label: str
    value: str = ""
    role: str = "text"
    step: str | None = None


def step_figures(document: Document, step: Step) -> tuple[Figure, ...]:
    """What a step is and how it went, as a line of figures: kind, outcome, time, cost, tokens, model, seal, id.

    Figures that were not recorded are left out; if none was, it says so. The seal appears only if it says something.
    """
    failure = failure_of(step)
    code = failure.exit_code if failure is not None else exit_code_of(step.outputs)
    found = [Figure("Kind", step.shown_kind)]
    stopped = stopped_by(step.error) if step.error else ""
    if stopped:
        hint = "Somebody stopped it: that is no failure."
        if stopped == UNANSWERED:
            hint = "No result of it is recorded: whether it ran is not known, and that is no failure."
        found.append(Figure("Outcome", STOPPED[stopped], "stopped", hint=hint))
    elif failure is not None:
        found.append(Figure("Outcome", "failed" if code is None else f"failed, exit {code}", "bad"))
    elif code is not None:
        found.append(Figure("Outcome", f"exit {code}"))
    measured = list(_measured(step))
    if measured or step.shown_kind in _UNMEASURED:
        found += measured
    else:
        found.append(Figure("Figures", NOT_RECORDED, "faint"))
    if step.timestamp > 0:
        found.append(Figure("At", format_time(step.timestamp), full=f"{format_time(step.timestamp, date=True)} UTC"))
    words, role, hint = seal(document, step)
    if role not in ("good", "faint") or words == STILL_STANDS:
        found.append(Figure("Integrity", words, role, hint=hint))
    return (*found, Figure("Id", clean_id(step.id), full=clean(step.id, 200)))


def _measured(step: Step) -> Iterator[Figure]:
    """The recorded ones of duration, cost, tokens and model."""
    if step.duration > 0:
        yield Figure("Duration", format_duration(step.duration), full=f"{step.duration!r} s")
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
        return Figure("Cost", NOT_PRICED, "faint", hint="Tokens were used, but no price is on record.")
    if step.known_cost is None:
        return Figure("Cost", NOT_RECORDED, "faint")
    least = "≥ " if step.cost_state is CostState.PARTIAL else ""
    return Figure("Cost", least + format_cost(step.known_cost), full=f"{step.known_cost!r} US dollars")


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
    if totals.cost_known:
        cost = Figure("Cost", total_cost(totals), full=f"{totals.cost!r} US dollars")
    else:
        cost = Figure("Cost", total_cost(totals), "faint")
    duration = (
        Figure(DURATION, format_duration(totals.duration), full=f"{totals.duration!r} s, of all steps together")
        if totals.duration > 0
        else Figure(DURATION, NOT_RECORDED, "faint")
    )
    if at_work > 0:
        hint = "What ran side by side, or inside another step, counts once."
        if totals.duration > at_work:
            hint += f" All steps added up: {format_duration(totals.duration)}."
        duration = Figure(WORKED, format_duration(at_work), full=hint)
    elif clock is None:
        duration = Figure(DURATION, ELLIPSIS, "faint")
    elif clock.whole > 0:
        label = WITHOUT_PAUSES if clock.paused > 0 else BY_THE_CLOCK
        whole = f"By the clock {clock.words}.\nPauses are five minutes and more in which nothing was recorded."
        duration = Figure(label, format_duration(clock.working), full=whole)
    tokens = (
        Figure("Tokens", format_count(totals.tokens), full=f"{totals.tokens:,} tokens")
        if totals.tokens_recorded
        else Figure("Tokens", NOT_RECORDED, "faint")
    )
    return (_bound(cost), duration, _bound(tokens)) if at_least else (cost, duration, tokens)


def _bound(figure: Figure) -> Figure:
    """A sum as a lower bound."""
    known = figure.role != "faint" and not figure.value.startswith("≥")
    return figure._replace(value=f"≥ {figure.value}") if known else figure


def asked_once(record: RunRecord) -> bool:
    """Whether a single turn of a person is recorded, so that what was asked first was asked last as well."""
    return sum(kind == "human" for kind in record.graph.v3_kinds.values()) == 1


def asked_last(record: RunRecord, lines: Lines, *, brief: bool = False) -> list[Fact]:
    """What a person said last before the main tip, as a link and a few lines; nothing if the run is named after it.

    `brief`: in half as many lines, for a low panel.
    """
    graph, tip = record.graph, record.main_tip
    if tip is None or tip not in graph or "human" not in graph.v3_kinds.values():
        return []
    kinds = graph.v3_kinds
    # Ancestors are visited last to first, so that nothing before the last turn is looked at.
    last = next((position for position in graph.upwards(graph.index(tip)) if kinds.get(position) == "human"), -1)
    try:
        said = first_text(graph.step(last).inputs) if last >= 0 else ""
    except TineError:
        return []
    named_after_it = not record.metadata.get("title")
    if not said.strip() or (named_after_it and typed(said).strip() == record.user_prompt.strip()):
        return []
    shown = lines(clean(said, _MOST_ASKED, lines=True).strip("\n"))
    most = _MOST_LINES // 2 if brief else _MOST_LINES
    if len(shown) > most:
        shown = [*shown[: most - 1], f"{shown[most - 1]} {ELLIPSIS}"]
    identity = graph.ids[last]
    heading = ASKED_ONCE if asked_once(record) else ASKED_LAST
    link = Fact("step", heading if brief else "its step", clean_id(identity), step=identity)
    facts = [link if brief else Fact("heading", heading), *(Fact("prose", "", line) for line in shown)]
    for words in _what_it_rests_on(record, last, said):
        told = lines(words)
        told = [*told[: most - 1], f"{told[most - 1]} {ELLIPSIS}"] if len(told) > most else told
        facts += [Fact("prose", "", line, "quiet") for line in told]
    return [*facts, *([] if brief else [link]), Fact("gap", "")]


def _what_it_rests_on(record: RunRecord, position: int, said: str) -> list[str]:
    """What has to be known to understand a request: what its options are, of a short one what it answers."""
    options = chosen_options(said)
    answers = list(_answers_before(record, position)) if options or len(said.split()) <= _FEW_WORDS else []
    found = []
    for name in options:
        told = next(filter(None, (option_in(answer, name) for answer in answers)), "")
        found += [f"option {name}: “{told}”"] if told else []
    if not found and answers and len(said.split()) <= _FEW_WORDS:
        sentence = next((said for answer in answers[:1] for said in sentences(answer[-_MOST_ASKED:])[-1:]), "")
        found += [f"after “{clean(sentence, _MOST_ASKED // 2)}”"] if sentence else []
    return found


def _answers_before(record: RunRecord, position: int) -> Iterator[str]:
    """What the agent had said before a step, the last first, as far as it is gone back."""
    graph = record.graph
    for _ in range(_MOST_BACK):
        parents = graph.parents[position]
        if not parents:
            return
        position = parents[0]
        if graph.head(position).shown_kind not in ("model", "done"):
            continue
        try:
            text = first_text(graph.step(position).outputs)
        except TineError:
            return
        if text.strip():
            yield text


def run_facts(
    document: Document,
    record: RunRecord,
    lines: Lines,
    statements: Sequence[tuple[str, str]],
    *,
    written: bool = False,
    clock: Clock = UNKNOWN,
    answered: int = 0,
) -> list[Fact]:
    """The facts about a run as rows; `lines` wraps prose, `statements` are (sentence, colour role).

    `written`: its file is being written now; `clock`: how long it took by the clock; `answered`: how many sub-agents
    answered calls but have no steps in the log.
    """
    facts: list[Fact] = [Fact("heading", "Run")]
    status, role = status_words(record, written=written)
    facts.append(Fact("pair", "status", status, role))
    last = last_written(record)
    if status == NO_END and last > 0:
        facts.append(Fact("pair", "last step, UTC", format_time(last, date=True)))
    facts.append(Fact("pair", "id", clean(record.run_id, 200)))
    if record.created_at:
        facts.append(Fact("pair", "created, UTC", format_time(float(record.created_at), date=True)))
    facts.append(Fact("pair", "model", clean(record.model_info, 200) or NOT_RECORDED))
    if record.tags:
        facts.append(Fact("pair", "tags", clean(", ".join(record.tags), 400)))
    where = clean(str(document.path), 600) if document.path else "not saved yet"
    facts.append(Fact("pair", "file", where))
    if document.origin is not None:
        facts.append(Fact("pair", "read as", f"{clean(document.origin.title, 60)}, read only"))
        return _spaced(
            [*facts, *_rest(record, lines, statements, clock, answered), *_report_facts(document.origin, lines)]
        )
    stored = {"0": "format 0", "article": "article form", "1": "format 1"}.get(record.source_format, "format 2")
    facts.append(Fact("pair", "stored as", stored if record.container == "plain" else f"{stored}, {record.container}"))
    return _spaced([*facts, *_rest(record, lines, statements, clock, answered)])


def _rest(
    record: RunRecord, lines: Lines, statements: Sequence[tuple[str, str]], clock: Clock, answered: int
) -> list[Fact]:
    """The facts that do not depend on what the run was read from."""
    facts = _totals(record, clock, answered)
    if record.at_least:
        facts.extend(Fact("prose", "", line, "accent") for line in lines(clean(record.at_least, 600)))
    facts.extend(_prose("Task", record.user_prompt, lines))
    facts.extend(_prose("System prompt", record.system_prompt, lines))
    facts.extend(_lineage(record))
    if record.refs:
        facts.append(Fact("heading", "Branches"))
        known = [(name, step) for name, step in record.refs.items() if step in record.graph]
        facts.extend(Fact("step", clean(name, 60), clean_id(step), step=step) for name, step in known[:200])
    if statements:
        facts.append(Fact("heading", "Integrity"))
        for sentence, colour in statements:
            facts.extend(Fact("prose", "", line, colour) for line in lines(clean(sentence, 600)))
    return facts


def _report_facts(origin: Origin, lines: Lines) -> list[Fact]:
    """The report of an import: everything that was left out is mentioned."""
    report = origin.report
    if report is None:
        return []
    facts = [Fact("heading", "Read from the session"), Fact("pair", "records", format_count(report.records))]
    facts.append(Fact("pair", "steps", format_count(report.steps)))
    if report.folded:
        facts.append(Fact("pair", "joined", f"{format_count(report.folded)} into another's step"))
    if report.bad_lines:
        facts.append(Fact("pair", "not understood", counted(report.bad_lines, "line"), "bad"))
    if len(origin.sources) > 1:
        facts.append(Fact("pair", "files", format_count(len(origin.sources))))
    skipped = sorted(report.skipped.items(), key=lambda pair: (-pair[1], pair[0]))
    if skipped:
        facts.append(Fact("pair", "no step", counted(sum(report.skipped.values()), "record")))
        facts.extend(Fact("pair", f"  {clean(name, 40)}", format_count(count), "quiet") for name, count in skipped[:60])
    for remark in report.remarks[:40]:
        facts.extend(Fact("prose", "", line) for line in lines(clean(remark, 600)))
    return facts


def _spaced(facts: Sequence[Fact]) -> list[Fact]:
    """Facts with a gap before each heading but the first."""
    spaced: list[Fact] = []
    for fact in facts:
        if fact.kind == "heading" and spaced:
            spaced.append(Fact("gap", ""))
        spaced.append(fact)
    return spaced


def sub_agents(record: RunRecord) -> int:
    """How many sub-agents a run recorded. Takes time proportional to the steps with a `v3_kind`."""
    return sum(kind == "subagent" for kind in record.graph.v3_kinds.values())


def _totals(record: RunRecord, clock: Clock, answered: int) -> list[Fact]:
    everything, inherited, own = record.totals, record.inherited_totals, record.own_totals
    facts: list[Fact] = []
    parts = [("", everything)] if not inherited.steps else [("", everything), ("inherited ", inherited), ("own ", own)]
    if record.metrics_reset:
        facts += [Fact("heading", f"Totals {SINCE_FORK}"), Fact("pair", "steps", format_count(own.steps))]
        facts += _pairs(own) if own.steps else []
        parts.pop()
    facts += [
        Fact("heading", "Totals of the whole run" if record.metrics_reset else "Totals"),
        Fact("pair", "steps", format_count(everything.steps)),
    ]
    agents = sub_agents(record)
    if agents or record.is_imported:  # not every log records them: none recorded does not mean none
        without = f"{format_count(answered)}, without their steps" if answered else "none recorded"
        facts.append(Fact("pair", "sub-agents", format_count(agents) if agents else without))
    if clock.whole > 0:
        facts.append(Fact("pair", "by the clock", format_duration(clock.whole)))
        facts += [Fact("pair", "without pauses", format_duration(clock.working))] if clock.paused > 0 else []
    for word, totals in parts:
        pairs = _pairs(totals, word, at_least=bool(record.at_least))
        facts += [fact for fact in pairs if not word or fact.label.endswith("cost")]
    if inherited.steps:
        facts.append(Fact("pair", "inherited steps", format_count(inherited.steps)))
    if everything.unpriced:
        facts.append(Fact("pair", NOT_PRICED, counted(everything.unpriced, "step")))
    return facts


def _pairs(totals: Totals, before: str = "", *, at_least: bool = False) -> list[Fact]:
    return [
        Fact(
            "pair",
            f"{before}{figure.label.lower()}",
            figure.value,
            figure.role,
        )
        for figure in totals_figures(totals, at_least=at_least)
    ]


def _lineage(record: RunRecord) -> list[Fact]:
    lineage = record.lineage
    facts: list[Fact] = []
    if lineage.forked_from:
        facts.append(Fact("pair", "forked from", clean(lineage.forked_from, 200)))
    if lineage.fork_point:
        known = lineage.fork_point if lineage.fork_point in record.graph else None
        facts.append(Fact("step" if known else "pair", "fork point", clean_id(lineage.fork_point), step=known))
    if lineage.merge:
        sources = lineage.merge.get("sources")
        for source in sources[:20] if isinstance(sources, list) else ():
            if isinstance(source, dict):
                facts.append(Fact("pair", "merged from", clean(str(source.get("run_id", "")), 200)))
    return [Fact("heading", "Lineage"), *facts] if facts else []


def _prose(label: str, text: str, lines: Lines) -> list[Fact]:
    if not text.strip():
        return []
    shown = lines(clean(text, 6_000, lines=True).strip("\n"))
    return [Fact("heading", label), *(Fact("prose", "", line) for line in shown)]


def tokens_words(tokens: int | None) -> str:
    """Tokens for a narrow column."""
    return format_tokens(tokens).removesuffix(" tok") if tokens is not None else "–"
