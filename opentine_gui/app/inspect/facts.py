"""What the inspector says about a run, in rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from opentine_gui.app.document.document import Document
from opentine_gui.app.document.origin import Origin
from opentine_gui.app.inspect.figures import totals_figures
from opentine_gui.core import RunRecord, TineError, Totals
from opentine_gui.core.analysis.run_clock import UNKNOWN, Clock
from opentine_gui.core.graph.typed_prompt import typed
from opentine_gui.describe.content.chosen_option import chosen_options, option_in
from opentine_gui.describe.failures.run_status import NO_END, last_written, status_words
from opentine_gui.describe.numbers import (
    FOR_THE_RUN,
    NOT_PRICED,
    NOT_RECORDED,
    SINCE_FORK,
    counted,
    format_count,
    format_duration,
    format_time,
)
from opentine_gui.describe.payload_text import first_text, has_text, sentences
from opentine_gui.scene.text.clean import clean, clean_id

_MOST_ASKED = 300
"""Characters of what was asked last that are looked at for the run panel; the rest is in its step."""
_MOST_COMPARED = 20_000
"""Characters of a prompt by which it is recognised as the one that named the run."""
_FEW_WORDS = 5
"""A last request of at most so many words is shown with the message it answers."""
_MOST_BACK = 20
"""Steps before the request among which that message is looked for."""
ASKED_LAST, ASKED_ONCE = "Asked last", "Asked once"
Lines = Callable[[str], list[str]]


class Fact(NamedTuple):
    """A row of the run view: a heading, a label with a value, a line of prose, a link to a step, or a gap."""

    kind: str  # "heading", "pair", "prose", "step", "gap"
    label: str
    value: str = ""
    role: str = "text"
    step: str | None = None
    hint: str = ""
    """What its tooltip explains behind the value."""


def asked_once(record: RunRecord) -> bool:
    """Whether a single turn of a person is recorded, so that what was asked first was asked last as well."""
    return sum(kind == "human" for kind in record.graph.v3_kinds.values()) == 1


class Asked(NamedTuple):
    """What a person said last: under which `heading`, its `text`, what it rests on, and its `step`."""

    heading: str
    text: str
    rests_on: tuple[str, ...]
    step: str


def asked_last(record: RunRecord) -> Asked | None:
    """What a person said last before the main tip; None if nobody did, or if the run is named after it."""
    graph, tip = record.graph, record.main_tip
    if tip is None or tip not in graph or "human" not in graph.v3_kinds.values():
        return None
    last = next(graph.turns(graph.index(tip)), -1)
    try:
        said = typed(first_text(graph.step(last).inputs)) if last >= 0 else ""
    except TineError:
        return None
    named_after_it = not record.metadata.get("title")
    if not has_text(said) or (
        named_after_it and said[:_MOST_COMPARED].strip() == record.user_prompt[:_MOST_COMPARED].strip()
    ):
        return None
    heading = ASKED_LAST if (named_after_it and record.user_prompt) or not asked_once(record) else ASKED_ONCE
    text = clean(said, _MOST_ASKED, lines=True).strip("\n")
    return Asked(heading, text, tuple(_what_it_rests_on(record, last, said)), graph.ids[last])


def _what_it_rests_on(record: RunRecord, position: int, said: str) -> list[str]:
    """What the reader needs to understand a request: its options, and for a short one the message it answers."""
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
    """What the agent said in up to `_MOST_BACK` steps before a step, the last first."""
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
        if has_text(text):
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
    in_steps, without = origin.records_in_steps, sum(report.skipped.values())
    others = report.records - in_steps - without - report.bad_lines
    if in_steps and others >= 0:  # where records are what the places of steps are
        facts.append(Fact("pair", "in steps", f"{format_count(in_steps)} in {counted(report.steps, 'step')}"))
    else:
        facts.append(Fact("pair", "steps", format_count(report.steps)))
    if report.bad_lines:
        facts.append(Fact("pair", "not understood", counted(report.bad_lines, "line"), "bad"))
    if len(origin.sources) > 1:
        facts.append(Fact("pair", "files", format_count(len(origin.sources))))
    skipped = sorted(report.skipped.items(), key=lambda pair: (-pair[1], pair[0]))
    if skipped:
        facts.append(Fact("pair", "in no step", format_count(without)))
        facts.extend(Fact("pair", f"  {clean(name, 40)}", format_count(count), "quiet") for name, count in skipped[:60])
    if in_steps and others > 0:
        facts.append(Fact("pair", "other records", format_count(others), "quiet"))
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
    if everything.stated_cost is not None or everything.stated_tokens is not None:
        facts.append(Fact("pair", "stated", f"{FOR_THE_RUN}, not by step"))
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
            hint=figure.hint,
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
    if not has_text(text):
        return []
    shown = lines(clean(text, 6_000, lines=True).strip("\n"))
    return [Fact("heading", label), *(Fact("prose", "", line) for line in shown)]
