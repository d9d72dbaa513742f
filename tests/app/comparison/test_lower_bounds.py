"""Sums over the steps of several runs are lower bounds where the log of one of them has only a part of each count."""

from __future__ import annotations

import pytest

from opentine_gui.app.comparison.family_tables import SumRow, family_sums, step_sums, sum_row
from opentine_gui.app.inspect.figures import totals_figures
from opentine_gui.core import RunRecord, Totals
from opentine_gui.core.edit.fork import fork_and_edit
from opentine_gui.core.edit.merge import merge
from tests.app.comparison.conftest import overlay_of
from tests.app.conftest import Bench
from tests.core.analysis.call_runs import Recording

WHY = "Token counts are at least these."


def session(at_least: str) -> RunRecord:
    run = Recording()
    run.ask("Build it")
    for said in ("It stands", "And it is painted"):
        run.say(said, usage={"input": 100, "output": 20}, cost=0.25)
        run.ask(f"Now what, as {said}?")
    return run.record(metadata={"capture": {"method": "transcript-import", "at_least": at_least}})


def forked(record: RunRecord) -> RunRecord:
    return fork_and_edit(record, record.graph.ids[-1], inputs={"text": "Paint it red"}, now=9e9, nonce="n")


def bounded(rows: list[SumRow]) -> set[bool]:
    return {figure.startswith("≥ ") for row in rows for figure in (row.cost, row.tokens) if "0" in figure and row.steps}


@pytest.mark.parametrize("at_least", [WHY, ""])
def test_those_of_a_family_say_so(bench: Bench, at_least: str) -> None:
    record = session(at_least)
    bench.open("a.tine", record)
    bench.open("b.tine", forked(record))
    bench.do("family.open")
    overlay = overlay_of(bench)
    assert bench.record.at_least == at_least, "as for the lines of its sub-agents"
    assert bounded(family_sums(overlay)) == {bool(at_least)}
    assert bounded(step_sums(overlay, record.graph.ids[1])) == {bool(at_least)}


def test_those_of_a_merge_say_so() -> None:
    for at_least in (WHY, ""):
        source = session(at_least)
        child = forked(source)
        parents = [(0, source.graph.ids[3]), (1, child.main_tip or "")]
        made = merge([source, child], parents, inputs={"prompt": "both"}, now=9e9, nonce="m", allow_ancestor=True)
        assert made.at_least == at_least
        assert not made.is_imported, "it is no log"
        assert totals_figures(made.totals, at_least=bool(made.at_least))[2].value.startswith("≥") == bool(at_least)


def test_what_is_not_recorded_has_no_bound() -> None:
    assert sum_row("", Totals(steps=2, not_recorded=2), at_least=True) == sum_row("", Totals(steps=2, not_recorded=2))
    assert sum_row("", Totals(), at_least=True) == sum_row("", Totals())
