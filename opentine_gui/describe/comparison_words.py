"""The words for several runs, the same in the window, the exports and the command line: marks, sums, divergences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from opentine_gui.core import (
    Comparison,
    DivergenceKind,
    Figure,
    Figures,
    Graph,
    Mark,
    PairKind,
    RootDivergence,
    StepKind,
    TineError,
)
from opentine_gui.core.analysis.run_clock import UNKNOWN as NO_CLOCK
from opentine_gui.core.analysis.run_clock import Clock, has_clock
from opentine_gui.core.analysis.suspicion.account import Account
from opentine_gui.core.graph.outcomes.failures import failures_in
from opentine_gui.core.graph.totals import Totals
from opentine_gui.describe.difference_lines import differing_texts
from opentine_gui.describe.failures.run_status import has_ended, status_words
from opentine_gui.describe.finding_words import open_end_cell, open_end_cell_role, open_end_in_full
from opentine_gui.describe.numbers import (
    BY_THE_CLOCK,
    FOR_THE_RUN,
    NOT_PRICED,
    NOT_RECORDED,
    SINCE_FORK,
    SUM_OF_STEPS,
    WITHOUT_PAUSES,
    clock_words,
    counted,
    format_cost,
    format_count,
    format_duration,
    format_tokens,
    summed_duration,
)
from opentine_gui.describe.payload_text import first_text
from opentine_gui.describe.step_titles import TITLE_LIMIT, subtitle, title
from opentine_gui.scene.text.clean import clean, clean_id
from opentine_gui.scene.text.told_apart import alike, from_difference

UNKNOWN = "not known"
CHECKING, NOT_WORKED_OUT = "checking…", "not worked out"
"""What stands for what came of the runs while that is computed, and once that failed or was stopped."""
NOTHING_IN_COMMON = "The runs have nothing in common: no step is in both."
OUTCOME, LAST_CHECK, FILES_EDITED, STEPS = "Outcome", "Last check", "Files edited", "Steps"
_LEAST, _MOST = "≥ ", "≤ "
_OUTCOME = 160
"""Most characters of a step's outcome, which is shown where both sides have the same title."""
LINE_OF_A_SIDE = 60
"""Characters of what a side does that are in view where both stand on one line."""
LINES_OF_A_CARD = 36
"""Characters of a title that are in view on a card."""


Accounts = tuple[Account, Account]
"""Those of A and B."""


class MarkWords(NamedTuple):
    """How a mark of a comparison is shown: the `sign` at a card's corner and the theme `role` that colours it.

    `phrase` is used alone or after a count ("3 steps only in A"), `flag` on a card ("": none), `sentence` in the panel.
    """

    sign: str
    role: str
    phrase: str
    flag: str
    sentence: str

    @property
    def heading(self) -> str:
        """The phrase as a heading."""
        return self.phrase[0].upper() + self.phrase[1:]


MARK_WORDS = {
    Mark.SAME: MarkWords(
        "", "shared", "in both runs", "", "Both runs have this step, with the same content and cost."
    ),
    Mark.ONLY_A: MarkWords("A", "side_a", "only in A", "", "Only A does this."),
    Mark.ONLY_B: MarkWords("B", "side_b", "only in B", "", "Only B does this."),
    Mark.CHANGED: MarkWords(
        "≠", "quiet", "changed", "changed", "These two steps answer to each other, and their content differs."
    ),
    Mark.MOVED: MarkWords(
        "≈", "shared", "same work, moved", "same work",
        "Both runs do exactly this, after a different start: only the ids differ.",
    ),
    Mark.VARIANT: MarkWords(
        "$", "shared", "with other figures", "other figures", "The content is the same; the cost is recorded otherwise."
    ),
    Mark.CONFLICT: MarkWords(
        "!", "bad", "with other content under one id", "other content",
        "This cannot be: one of the files was changed after it was written.",
    ),
}  # fmt: skip
"""What a comparison says of one step."""


def pair_words(kind: PairKind) -> MarkWords:
    """The words for both steps of a pair."""
    return MARK_WORDS[Mark(kind.value)]


def mark_counts(comparison: Comparison) -> str:
    """How many steps have each mark, a changed or moved pair as one: "8 in both runs, 19 only in A, 1 changed"."""
    counts = Counter(Mark(pair.kind.value) for pair in (*comparison.changed, *comparison.moved))
    sides = {Mark.SAME: comparison.shared, Mark.ONLY_A: comparison.only_a, Mark.ONLY_B: comparison.only_b}
    counts.update({mark: len(steps) for mark, steps in sides.items()})
    return ", ".join(f"{counts[mark]:,} {words.phrase}" for mark, words in MARK_WORDS.items() if counts[mark])


class DivergenceWords(NamedTuple):
    """How two runs diverge, as a noun for a list and as the end of a sentence."""

    noun: str
    clause: str


DIVERGENCE_WORDS = {
    DivergenceKind.DIFFERENT: DivergenceWords("different work", "the two runs do different work."),
    DivergenceKind.CHANGED: DivergenceWords("a changed step", "a step was changed."),
    DivergenceKind.ONLY_A: DivergenceWords("a step only in A", "A does something that B does not do."),
    DivergenceKind.ONLY_B: DivergenceWords("a step only in B", "B does something that A does not do."),
    DivergenceKind.MOVED: DivergenceWords("the same work in another order", "the same work comes in another order."),
}
TWINS = "same request, different outcomes"
"""The words for drift twins when they are not counted."""


def totals_parts(
    totals: Totals, *, since_fork: bool = False, clock: Clock = NO_CLOCK, at_least: bool = False
) -> list[str]:
    """Totals as text: "27 steps", "32 s over all steps", "≥ $0.1103 (1 not priced)", "40.4k tok".

    Or that a figure was not recorded. `since_fork` says that they exclude what a fork inherited. A `clock` that is
    known stands in the place of the sum of the steps' times; `at_least`: the log records only a part of each count.
    """
    steps = counted(totals.steps, "step") + (f" {SINCE_FORK}" if since_fork else "")
    if since_fork and not totals.steps:
        return [steps]
    cost = NOT_PRICED if totals.unpriced else "cost not recorded"
    if totals.cost_known:
        cost = format_cost(totals.cost)
        if totals.unpriced:
            cost = f"{_LEAST}{cost} ({format_count(totals.unpriced)} not priced)"
    elif totals.stated_cost is not None:
        cost = f"{format_cost(totals.stated_cost)} {FOR_THE_RUN}"
    tokens = format_tokens(totals.tokens) if totals.tokens_recorded else "tokens not recorded"
    if totals.stated_tokens is not None:
        tokens = f"{format_tokens(totals.stated_tokens)} {FOR_THE_RUN}"
    time = summed_duration(totals.duration)
    if clock.whole > 0:
        time = clock_words(clock) if clock.paused > 0 else f"{clock_words(clock)} by the clock"
    if at_least:
        known = totals.cost_known or totals.stated_cost is not None
        cost = f"{_LEAST}{cost}" if known and not cost.startswith(_LEAST) else cost
        tokens = f"{_LEAST}{tokens}" if totals.tokens_recorded or totals.stated_tokens is not None else tokens
    return [steps, time, cost, tokens]


class FigureRow(NamedTuple):
    """A row of the table A | B | B − A; `better` is None where the difference is neither better nor worse.

    `roles` are the theme roles of A and of B in a row of words, which say how the runs ended; "" in a row of figures.
    """

    label: str
    a: str
    b: str
    delta: str = ""
    better: bool | None = None
    roles: tuple[str, str] = ("", "")


def figure_rows(
    comparison: Comparison, accounts: Accounts | None = None, *, instead: str = CHECKING
) -> list[FigureRow]:
    """Outcome, checks and figures of both runs and their differences; an unknown is "not recorded".

    Without `accounts` what was checked and edited is not known: `instead` says whether it will be.
    """
    a, b = comparison.a, comparison.b
    rows = _of_runs(comparison, accounts, instead)
    if not (has_ended(a) and has_ended(b)):  # an unfinished run costs less, which is no saving
        rows = [row._replace(better=None) for row in rows]
    failures = _row("Failures", Figure(len(failures_in(a.graph)), len(failures_in(b.graph))), _whole, 0.5)
    checks = FigureRow(LAST_CHECK, instead, instead, roles=("quiet", "quiet"))
    files = FigureRow(FILES_EDITED, instead, instead)
    if accounts is not None:
        end, other = accounts[0].end, accounts[1].end
        roles = open_end_cell_role(end), open_end_cell_role(other)
        checks = FigureRow(LAST_CHECK, open_end_cell(end), open_end_cell(other), roles=roles)
        files = _row(FILES_EDITED, Figure(accounts[0].files, accounts[1].files), _whole, 0.5)
    words = status_words(a), status_words(b)
    return [
        FigureRow(OUTCOME, words[0].word, words[1].word, roles=(words[0].role, words[1].role)),
        checks,
        failures._replace(better=None),
        files._replace(better=None),
        *rows,
    ]


def _of_runs(comparison: Comparison, accounts: Accounts | None, instead: str) -> list[FigureRow]:
    """The rows of figures of two runs, as the heads of the runs have them: by the clock, and as lower bounds."""
    a, b, figures = comparison.a, comparison.b, comparison.figures
    least = bool(a.at_least), bool(b.at_least)
    cost = Figure(figures.cost.a, figures.cost.b, figures.cost.a_least or least[0], figures.cost.b_least or least[1])
    cost_row, time_row, _, steps_row = rows_of(figures, SUM_OF_STEPS)
    if any(least):
        cost_row = _row("Cost", cost, format_cost, 5e-5)
    tokens_row = _row("Tokens", Figure(figures.tokens.a, figures.tokens.b, *least), _whole, 0.5)
    if has_clock(a) and has_clock(b):
        if accounts is None:
            time_row = FigureRow(time_row.label, instead, instead)
        else:
            clocks = accounts[0].clock, accounts[1].clock
            if all(clock.whole > 0 for clock in clocks):
                label = WITHOUT_PAUSES if any(clock.paused > 0 for clock in clocks) else BY_THE_CLOCK
                time_row = _row(label, Figure(clocks[0].working, clocks[1].working), format_duration, 0.05)
    return [cost_row, time_row, tokens_row, steps_row]


def checks_said(comparison: Comparison, accounts: Accounts | None) -> tuple[str, str]:
    """What of A and of B was checked last, in full: "1 check failed the last time it ran: uv run pytest"."""
    if accounts is None:
        return "", ""
    a, b = accounts
    return open_end_in_full(comparison.a.graph, a.end), open_end_in_full(comparison.b.graph, b.end)


def rows_of(figures: Figures, duration: str = "Duration") -> list[FigureRow]:
    """Cost, duration, called so, tokens and steps of two sides and their differences."""
    return [
        _row("Cost", figures.cost, format_cost, 5e-5),
        _row(duration, figures.duration, format_duration, 0.05),
        _row("Tokens", figures.tokens, _whole, 0.5),
        _row(STEPS, figures.steps, _whole, 0.5)._replace(better=None),
    ]


def _whole(value: float) -> str:
    return format_count(round(value))


def _row(label: str, figure: Figure, spell: Callable[[float], str], smallest: float) -> FigureRow:
    """One figure. A sum with a part missing is a lower bound, so the difference is a bound or unknown."""
    a, b = (
        NOT_RECORDED if value is None else (_LEAST if least else "") + spell(value)
        for value, least in ((figure.a, figure.a_least), (figure.b, figure.b_least))
    )
    delta = figure.delta
    if delta is None or (figure.a_least and figure.b_least):
        return FigureRow(label, a, b, UNKNOWN)
    bound = _MOST if figure.a_least else _LEAST if figure.b_least else ""
    if abs(delta) < smallest:
        return FigureRow(label, a, b, f"{bound}0" if bound else "same")
    certain = not bound or (delta < 0) == (bound == _MOST)
    text = f"{bound}{'+' if delta > 0 else '−'}{spell(abs(delta))}"
    return FigureRow(label, a, b, text, delta < 0 if certain else None)


# -- where they diverge ---------------------------------------------------------------------------------------------


def twins_flag(count: int) -> str:
    """The flag of `count` drift twins: steps with the same request and different outcomes."""
    return f"same request, {count:,} outcomes"


def title_in(graph: Graph, identity: str) -> str:
    """A step's title as on its card."""
    try:
        return title(graph.step(identity))
    except TineError:
        return f"{clean_id(identity)}, which cannot be read"


def step_title(comparison: Comparison, identity: str | None) -> str:
    """The title of a step of either run; "" for none."""
    return "" if identity is None else title_in(graph_of(comparison, identity), identity)


def sides_said(comparison: Comparison, root: RootDivergence, most: int = LINE_OF_A_SIDE) -> tuple[str, str]:
    """What A and B do where they diverge: titles, with the error of a failed step, or outcomes if titles are equal.

    Where both are the same as far as the `most` characters in view, each begins shortly before they differ.
    """
    told = comparison.telling(root)
    titles = [step_title(comparison, identity) for identity in told]
    said = []
    for identity, name in zip(told, titles, strict=True):
        if identity is None:
            said.append("nothing here")
            continue
        graph = graph_of(comparison, identity)
        failed = graph.failed[graph.index(identity)]
        more = _outcome(graph, identity) if failed or titles[0] == titles[1] else ""
        said.append(f"{name}: {more}" if failed and more else more or name)
    if None not in told and alike(clean(said[0], most), clean(said[1], most)):
        return _from_difference(comparison, told, _OUTCOME) or (said[0], said[1])
    return said[0], said[1]


def titles_apart(comparison: Comparison, identity: str) -> str:
    """A title from where it differs from that of the step that answers to it; "" where that is in view on a card.

    The same call with another result keeps its title: the line below tells them apart.
    """
    pair = comparison.pairs.get(identity)
    if pair is None or pair.kind is not PairKind.CHANGED:
        return ""
    both = step_title(comparison, pair.a), step_title(comparison, pair.b)
    if not alike(clean(both[0], LINES_OF_A_CARD), clean(both[1], LINES_OF_A_CARD)):
        return ""
    graph = graph_of(comparison, identity)
    if pair.same_request and graph.kinds[graph.index(identity)] is StepKind.TOOL:
        return ""
    apart = _from_difference(comparison, (pair.a, pair.b), TITLE_LIMIT)
    return apart[identity == pair.b] if apart is not None else ""


def _from_difference(comparison: Comparison, steps: Sequence[str | None], most: int) -> tuple[str, str] | None:
    """The first texts in which a step of A and one of B differ, from there on; None if they differ in no text."""
    try:
        a, b = (graph_of(comparison, step).step(step) for step in steps if step is not None)
        texts = differing_texts(a, b)
    except TineError:
        return None
    if texts is None:
        return None
    return from_difference(*texts, most), from_difference(*texts[::-1], most)


def _outcome(graph: Graph, identity: str) -> str:
    try:
        step = graph.step(identity)
    except TineError:
        return ""
    if graph.failed[graph.index(identity)]:
        return subtitle(step)
    return clean(first_text(step.outputs), _OUTCOME) or subtitle(step)


def _has_outcome(comparison: Comparison, identity: str | None) -> bool:
    """Whether a step records what came out of it, an error included; one that cannot be read counts."""
    if identity is None:
        return False
    try:
        step = graph_of(comparison, identity).step(identity)
    except TineError:
        return True
    return bool(step.outputs or step.error)


def graph_of(comparison: Comparison, identity: str) -> Graph:
    """The graph of the run that has a step, A's if both have it."""
    return comparison.a.graph if identity in comparison.a.graph else comparison.b.graph


def why_they_diverge(comparison: Comparison, root: RootDivergence) -> str:
    """How the runs diverge at a root divergence, but not where: "the two runs do different work."."""
    pair = comparison.pairs.get(root.a or "")
    if root.kind is DivergenceKind.CHANGED and pair is not None and pair.same_request:
        without = [side for side, one in (("A", root.a), ("B", root.b)) if not _has_outcome(comparison, one)]
        if len(without) == 1:
            return f"both ask the same, and no outcome is recorded in {without[0]}."
        return "both ask the same and get different outcomes."
    return DIVERGENCE_WORDS[root.kind].clause


def divergence_heading(comparison: Comparison, number: int) -> str:
    """The heading of a root divergence, counted from 1: "They part here", of several "They part here: 2 of 3"."""
    if comparison.nothing_in_common:
        return "Nothing in common"
    count = len(comparison.root_divergences)
    return f"They part here: {number:,} of {count:,}" if count > 1 else "They part here"


def divergence_sentence(comparison: Comparison, root: RootDivergence) -> str:
    """Where and how the runs diverge at a root divergence: "After “Plan”, the two runs do different work."."""
    if comparison.nothing_in_common:
        return NOTHING_IN_COMMON
    where = f"After “{step_title(comparison, root.parent)}”" if root.parent is not None else "At the very start"
    return f"{where}, {why_they_diverge(comparison, root)}"


def verdict(comparison: Comparison, root: RootDivergence | None = None) -> str:
    """The comparison in a sentence: where the runs diverge (first, unless `root` is given), or that they do not."""
    roots = comparison.root_divergences
    if roots:
        rest = f" They diverge in {counted(len(roots) - 1, 'other place')} too." if len(roots) > 1 else ""
        return divergence_sentence(comparison, root or roots[0]) + rest
    if comparison.same:
        return "Both runs hold the same steps at the same cost."
    return f"Both runs hold the same steps; {counted(len(comparison.changed), 'step')} recorded otherwise."
