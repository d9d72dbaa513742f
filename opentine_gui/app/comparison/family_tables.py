"""Tables about a family: groups of steps by how many runs have them, sums of cost, where runs come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opentine_gui.app.comparison.comparison_view import ListRow, step_title
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.core import Basis, CostState, Mark, Totals
from opentine_gui.describe.comparison_words import MARK_WORDS
from opentine_gui.describe.numbers import NOT_RECORDED, counted, format_cost, format_count, format_duration, total_cost


class SumRow(NamedTuple):
    """A row of the table of sums, in words: cost in US dollars, duration, tokens; `hint` says what is counted."""

    label: str
    steps: str
    cost: str
    duration: str
    tokens: str
    role: str = "text"
    hint: str = ""


def group_rows(overlay: Overlay) -> list[ListRow]:
    """The steps of a family grouped by how many runs have them, then those recorded in several ways."""
    family, ids = overlay.family, overlay.family.graph.ids
    count = len(family.records)
    every = [ids[place] for place in family.shared]
    some = [ids[place] for place, mask in enumerate(family.holders) if 1 < mask.bit_count() < count]
    alone = [ids[place] for place, mask in enumerate(family.holders) if mask.bit_count() == 1]
    altered = [conflict.id for conflict in family.conflicts]
    variants = [identity for identity in family.variants if identity not in set(altered)]
    groups: tuple[tuple[Sequence[str], str, str], ...] = (
        (every, "in all runs", "shared"),
        (some, "in several runs", "shared"),
        (alone, "in one run only", "quiet"),
        (variants, MARK_WORDS[Mark.VARIANT].phrase, "human"),
        (altered, MARK_WORDS[Mark.CONFLICT].phrase, "bad"),
    )
    return [
        ListRow(f"{counted(len(steps), 'step')} {words}", "", role, tuple(steps))
        for steps, words, role in groups
        if steps
    ]


ONCE_HINT = "Every id counted once, however many runs have it."
SAVED_HINT = "Shared steps that were taken over and not paid for again."
NO_RESULT = "Spent without a result"
NO_RESULT_HINT = "Steps on no path to a tip that was completed: what was tried and left, or has not come to an end yet."


def family_sums(overlay: Overlay) -> list[SumRow]:
    """Cost, time and tokens of the family; "≥" where a price is missing or a log has only a part of each count."""
    spent, least = overlay.family.spending, is_at_least(overlay)
    rows = [
        sum_row("Each step once", spent.once, hint=ONCE_HINT, at_least=least),
        sum_row(
            "Runs added up",
            spent.naive,
            "quiet",
            "The sum of the runs, which counts shared steps again in each.",
            at_least=least,
        ),
        sum_row("Saved by forking", spent.saved, "good", SAVED_HINT, at_least=least),
    ]
    if spent.repeated.steps:
        hint = "Steps that were done again, came out the same, and were recorded with figures of their own."
        rows.append(sum_row("Done again", spent.repeated, "human", hint, at_least=least))
    rows.append(sum_row(NO_RESULT, spent.dead_ends, "bad", NO_RESULT_HINT, at_least=least))
    if spent.undecided.steps:
        hint = "They lead to the tip of a run still under way."
        rows.append(sum_row("of it undecided", spent.undecided, "quiet", hint, at_least=least))
    return rows


def is_at_least(overlay: Overlay) -> bool:
    """Whether the log of any of the runs has only a part of each count, so that sums over steps are lower bounds."""
    return any(record.at_least for record in overlay.family.records)


def step_sums(overlay: Overlay, identity: str) -> list[SumRow]:
    """Sums around one step of the family, each step counted once."""
    spent, least = overlay.family.step_spending(identity), is_at_least(overlay)
    rows = (
        ("This step", spent.own, ""),
        ("Only because of it", spent.subtree, "The step and all that would not be there without it."),
        ("All that rests on it", spent.descendants, "The step and everything after it."),
        ("What it rests on", spent.ancestors, "The step and everything before it."),
    )
    return [sum_row(label, totals, hint=hint, at_least=least) for label, totals, hint in rows]


def variant_rows(overlay: Overlay, identity: str) -> list[SumRow]:
    """The ways in which one step is recorded, and in which runs; empty when there is only one."""
    rows = []
    for variant in overlay.family.variants.get(identity, ()):
        names = ", ".join(overlay.runs[run].title for run in variant.runs[:4])
        more = f" and {len(variant.runs) - 4:,} more" if len(variant.runs) > 4 else ""
        known = variant.cost_state in (CostState.KNOWN, CostState.PARTIAL)
        in_part = any(overlay.family.records[run].at_least for run in variant.runs)
        least = "≥ " if in_part or variant.cost_state is CostState.PARTIAL else ""
        tokens = NOT_RECORDED if variant.tokens is None else format_count(variant.tokens)
        rows.append(
            SumRow(
                names + more,
                format_count(len(variant.runs)),
                least + format_cost(variant.cost) if known else NOT_RECORDED,
                format_duration(variant.duration) if variant.duration > 0 else NOT_RECORDED,
                f"≥ {tokens}" if in_part and variant.tokens is not None else tokens,
                "human",
                "How these runs record the step.",
            )
        )
    return rows


def conflict_sentences(overlay: Overlay) -> list[tuple[str, str]]:
    """(step, sentence) for every id that has different content in different runs."""
    found = []
    for conflict in overlay.family.conflicts:
        proven = ", ".join(overlay.runs[run].title for run in conflict.proven[:3])
        whose = f"the id is that of the content in {proven}" if proven else "the id is that of neither"
        found.append((conflict.id, f"{step_title(overlay, conflict.id)}: {overlay.conflicts[conflict.id]}; {whose}"))
    return found


def sum_row(label: str, totals: Totals, role: str = "text", hint: str = "", *, at_least: bool = False) -> SumRow:
    """Totals in words; a figure that was not recorded says so and is never 0.

    `at_least`: the log has only a part of each count, so that cost and tokens are lower bounds.
    """
    if not totals.steps:
        return SumRow(label, "0", "–", "–", "–", "faint", hint)
    cost = total_cost(totals)
    duration = format_duration(totals.duration) if totals.duration > 0 else NOT_RECORDED
    known = totals.known_tokens
    tokens = format_count(known) if known is not None else NOT_RECORDED
    if at_least:
        cost = f"≥ {cost}" if totals.cost_known and not cost.startswith("≥") else cost
        tokens = f"≥ {tokens}" if known is not None else tokens
    return SumRow(label, format_count(totals.steps), cost, duration, tokens, role, hint)


def lineage_sentences(overlay: Overlay) -> list[tuple[int, str, str | None]]:
    """(run, where it comes from, the step it was forked at) in the order of the tree."""
    found: list[tuple[int, str, str | None]] = []
    for run, _ in overlay.family.tree:
        descent = overlay.family.lineage[run]
        if descent.parent is None:
            lost = f"made from {len(descent.named):,} runs that are not here" if descent.named else "begins by itself"
            found.append((run, lost, None))
            continue
        parent = overlay.runs[descent.parent].title
        point = descent.point if descent.point is not None and descent.point in overlay.family.graph else None
        if descent.basis is Basis.MERGE:
            others = len(descent.sources) - 1
            words = f"merged from {parent}" + (f" and {others:,} more" if others else "")
        elif descent.basis is Basis.FORK:
            words = f"forked from {parent}"
        else:
            words = f"shares its beginning with {parent}"
        if point is not None:
            words += f" after {step_title(overlay, point)}"
        found.append((run, words, point))
    return found
