"""A fork whose metrics were reset: every total in the window counts from the fork, and says so."""

from __future__ import annotations

from pathlib import Path

from opentine_gui.app.folder.run_rows import summary_of
from opentine_gui.app.inspect.clipboard_text import totals_text
from opentine_gui.app.inspect.facts import run_facts
from opentine_gui.app.inspect.listed_runs import steps_and_cost
from opentine_gui.core import write
from tests.core.sample_runs import make_record, make_step
from tests.ui.opened import Opened


def test_a_fork_whose_metrics_were_reset_counts_from_the_fork_wherever_it_speaks_of_its_totals(tmp_path: Path) -> None:
    first = make_step("a", cost=3.0)
    source = make_record([first, make_step("b", first.id, cost=2.0)])
    opened = Opened(tmp_path)
    opened.open(write(tmp_path / "source.tine", source))
    opened.session.invoke("run.fork", step=source.graph.ids[0])
    opened.rest()
    opened.session.invoke("proposal.change", reset_metrics=True)
    opened.session.invoke("proposal.accept")
    opened.rest()
    window = opened.window
    bar = opened.drawn(window.panels["status"].sheet.node)
    assert "0 steps since the fork" in bar
    assert "$3" not in bar
    child = opened.document.record
    assert child is not None
    longer = child.with_graph(child.graph.with_steps([make_step("c", first.id, cost=7.0)]))
    opened.open(write(tmp_path / "longer.tine", longer))
    opened.rest()
    bar = opened.drawn(window.panels["status"].sheet.node)
    assert "1 step since the fork" in bar
    assert "$7.00" in bar
    assert "$10.00" not in bar
    assert any(
        "The whole run: 2 steps · $3.00 inherited + $7.00 own" in zone.hint
        for zone in window.panels["status"].sheet.zones
    )
    header = opened.drawn(window.panels["inspector"].header.node)
    assert "1 step since the fork" in header
    assert "$7.00" in header
    facts = run_facts(opened.document, longer, lambda text: [text], ())
    labels = [(fact.label, fact.value) for fact in facts]
    since, whole = labels.index(("Totals since the fork", "")), labels.index(("Totals of the whole run", ""))
    assert ("cost", "$7.00") in labels[since:whole]
    assert ("cost", "$10.00") in labels[whole:]
    assert "Since the fork: 1 step · time not recorded · $7.00" in totals_text(longer)
    summary = summary_of(tmp_path / "longer.tine", longer)
    assert steps_and_cost(summary) == "+1 · $7.00"
    assert steps_and_cost(summary_of(tmp_path / "source.tine", source)) == "2 · $5.00"
    opened.close()
