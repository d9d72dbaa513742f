"""Reports in Markdown: what a run did, failures first, then what each step said and did; how two runs differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from opentine_gui.core import Comparison, Mark, RunRecord, TineError
from opentine_gui.core.analysis.suspicion.account import Account
from opentine_gui.core.progress import Pace
from opentine_gui.describe.comparison_words import (
    MARK_WORDS,
    divergence_heading,
    divergence_sentence,
    mark_counts,
    sides_said,
    totals_parts,
    verdict,
)
from opentine_gui.describe.difference_lines import diff_text, first_difference
from opentine_gui.describe.failures.run_status import status_words
from opentine_gui.describe.failures.stopped_words import NO_FAILURES, stopped_words
from opentine_gui.describe.finding_words import open_end_in_full
from opentine_gui.describe.markdown import code, escaped, fenced, table
from opentine_gui.describe.numbers import counted, format_time
from opentine_gui.export.content import Content
from opentine_gui.export.request import ExportRequest
from opentine_gui.export.step_text import step_lines
from opentine_gui.scene.text.clean import clean_id

MOST_ROWS = 2_000
MOST_TOLD = 8_000_000
"""Characters after which no further step is told."""
MOST_FAILURES = 50
MOST_DIVERGENCES = 20
FIRST_PATHS = 12


def write(request: ExportRequest, pace: Pace) -> bytes:
    """The report, as UTF-8."""
    content = Content(request, pace)
    lines = [f"# {escaped(content.title)}", ""]
    if content.comparison is not None:
        lines += comparison_lines(content.comparison, content)
    else:
        lines += [escaped(" · ".join(content.head)), ""]
        for number, record in enumerate(content.records):
            name = content.runs[number].name if len(content.runs) > 1 else ""
            lines += _run_lines(record, name, content.accounts[number])
    lines += _failures(content)
    lines += _steps(content)
    lines += _told(content)
    return ("\n".join(lines).rstrip("\n") + "\n").encode()


# -- one run --------------------------------------------------------------------------------------------------------


def _run_lines(record: RunRecord, name: str, account: Account) -> Iterator[str]:
    """A run's own facts: status, time, model, origin."""
    if name:
        yield f"## {escaped(name)}"
        yield ""
    facts = [("Run", code(record.run_id)), ("Outcome", status_words(record).word)]
    checked = open_end_in_full(record.graph, account.end)
    if checked:
        facts.append(("Last check", escaped(checked)))
    if record.created_at:
        facts.append(("Began", f"{format_time(float(record.created_at), date=True)} UTC"))
    if record.model_info:
        facts.append(("Model", escaped(record.model_info)))
    if record.user_prompt:
        facts.append(("Asked", escaped(record.user_prompt)))
    if record.tags:
        facts.append(("Tags", ", ".join(escaped(tag) for tag in record.tags)))
    facts += _lineage(record)
    inherited, least = record.inherited_totals, bool(record.at_least)
    if inherited.steps:
        facts.append(("Taken over", escaped(" · ".join(totals_parts(inherited, at_least=least)))))
        facts.append(("Added", escaped(" · ".join(totals_parts(record.own_totals, at_least=least)))))
        if record.metrics_reset:
            facts.append(("The whole run", escaped(" · ".join(totals_parts(record.totals, at_least=least)))))
    yield from (f"- {label}: {value}" for label, value in facts)
    yield ""


def _lineage(record: RunRecord) -> Iterator[tuple[str, str]]:
    lineage = record.lineage
    if lineage.forked_from:
        at = f" after {code(clean_id(lineage.fork_point))}" if lineage.fork_point else ""
        yield "Comes from", f"run {code(lineage.forked_from)}{at}"
    sources = (lineage.merge or {}).get("sources")
    if isinstance(sources, list):
        names = [source["run_id"] for source in sources if isinstance(source, dict) and "run_id" in source]
        yield "Merged from", ", ".join(code(str(name)) for name in names[:20])


def _failures(content: Content) -> list[str]:
    failed = [number for number in range(len(content)) if content.graph.failed[content.positions[number]]]
    counts = Counter(filter(None, map(content.graph.stopped.get, content.positions)))
    stopped = [f"{NO_FAILURES} (not failures): {stopped_words(counts)}.", ""] if counts else []
    if not failed:
        return stopped
    lines = [f"## {counted(len(failed), 'failure')}", ""]
    for number in failed[:MOST_FAILURES]:
        face = content.face(number)
        said = f": {escaped(face.line)}" if face.line else ""
        lines.append(f"- {code(clean_id(content.identity(number)))} {escaped(face.title)}{said}")
    if len(failed) > MOST_FAILURES:
        lines.append(f"- and {len(failed) - MOST_FAILURES:,} more")
    return [*lines, "", *stopped]


def _steps(content: Content) -> list[str]:
    count = counted(len(content), "step") + ("" if content.whole else f" of {len(content.graph):,}")
    several = content.family is not None
    head = ["#", "Step", "Kind", "What", "Figures", "After"]
    if several:
        head.insert(1, "Whose")
    rows = []
    for number in islice(content.numbers(), MOST_ROWS):
        face = content.face(number)
        after = [code(clean_id(name)) for name in content.graph.parent_ids(content.positions[number])[:8]]
        flags = [f"**{escaped(flag.text)}**" for flag in face.flags]
        row = [
            str(number + 1),
            code(clean_id(content.identity(number))),
            escaped(face.kind),
            " ".join([escaped(face.title), *flags]),
            escaped(face.figures.replace("  ", " · ")),
            " ".join(after),
        ]
        if several:
            row.insert(1, _whose(content, number))
        rows.append(row)
    lines = [f"## {count}", "", *table(head, rows)]
    if len(content) > MOST_ROWS:
        lines += ["", f"{len(content) - MOST_ROWS:,} more steps are not listed; the JSON export has them all."]
    return lines


def _told(content: Content) -> Iterator[str]:
    """What every step said and did, of two runs those that only one has: as a document that is read from the top."""
    size = told = 0
    wanted = [number for number in range(len(content)) if content.mark(number) is not Mark.SAME]
    if not wanted:
        return
    yield ""
    yield "## Step by step" if content.comparison is None else "## What is not in both runs"
    yield ""
    for number in wanted[:MOST_ROWS]:
        content.pace.at(0.9 * told / min(len(wanted), MOST_ROWS))
        if size > MOST_TOLD:
            break
        told += 1
        for line in (*_heading(content, number), *_step_lines(content, number)):
            size += len(line)
            yield line
    left = len(wanted) - told
    if left:
        are = "is" if left == 1 else "are"
        yield f"*{counted(left, 'more step')} {are} not shown in full; the JSON export has them all.*"


def _heading(content: Content, number: int) -> Iterator[str]:
    face, graph, position = content.face(number), content.graph, content.positions[number]
    how = "failed" if graph.failed[position] else graph.stopped.get(position, "")
    words = [escaped(face.kind.capitalize()), escaped(face.title), *([f"**{escaped(how)}**"] if how else [])]
    yield f"### {number + 1:,}. {' · '.join(words)}"
    yield ""
    facts = [_whose(content, number)] if content.family is not None else []
    figures = escaped(face.figures.replace("  ", " · "))
    yield " · ".join(fact for fact in (*facts, code(clean_id(content.identity(number))), figures) if fact)
    yield ""


def _step_lines(content: Content, number: int) -> list[str]:
    try:
        return step_lines(content.graph, content.positions[number])
    except TineError as error:
        return [f"This step cannot be read: {escaped(error.message)}", ""]


def _whose(content: Content, number: int) -> str:
    mark = content.mark(number)
    if mark is not None:
        letters = "".join(content.runs[run].letter for run in content.holders(number))
        extra = "" if mark in (Mark.SAME, Mark.ONLY_A, Mark.ONLY_B) else f" {MARK_WORDS[mark].phrase}"
        return f"{letters}{extra}"
    holders = content.holders(number)
    return escaped(content.runs[holders[0]].name) if len(holders) == 1 else f"×{len(holders)}"


# -- two runs -------------------------------------------------------------------------------------------------------


def comparison_lines(comparison: Comparison, content: Content) -> list[str]:
    """Where two runs diverge, their figures side by side, and the first differences at each divergence."""
    lines = [escaped(verdict(comparison)), "", *figure_table(content), ""]
    lines += [f"Steps: {mark_counts(comparison)}.", ""]
    for number, root in enumerate(comparison.root_divergences[:MOST_DIVERGENCES], start=1):
        lines += [
            f"## {divergence_heading(comparison, number)}",
            "",
            escaped(divergence_sentence(comparison, root)),
            "",
        ]
        for letter, identity, said in zip("AB", comparison.telling(root), sides_said(comparison, root), strict=True):
            if identity is not None:
                lines.append(f"- {letter}: {escaped(said)} {code(identity)}")
        found = first_difference(comparison, root, FIRST_PATHS)
        if found:
            lines += ["", *fenced(map(diff_text, found), "diff")]
        lines.append("")
    if len(comparison.root_divergences) > MOST_DIVERGENCES:
        lines += [f"The runs diverge in {len(comparison.root_divergences) - MOST_DIVERGENCES:,} more places.", ""]
    return lines


def figure_table(content: Content) -> list[str]:
    """The figures of both runs as a table."""
    names = [f"{run.letter} {escaped(run.name)}" for run in content.runs[:2]]
    rows = [[row.label, row.a, row.b, row.delta] for row in content.figure_rows]
    return table(["", *names, "B − A"], rows)
