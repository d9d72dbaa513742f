"""What the panel says of two runs, of a family, and of a step in them."""

from __future__ import annotations

import msgspec
import pytest

from opentine_gui.app.comparison.comparison_view import FigureRow, figure_rows, list_rows, rows_of, subject_of
from opentine_gui.app.comparison.family_tables import (
    conflict_sentences,
    family_sums,
    group_rows,
    lineage_sentences,
    step_sums,
    variant_rows,
)
from opentine_gui.app.document.members import Member, title_of
from opentine_gui.app.state.selection import Selection
from opentine_gui.core import Figure, Figures, Graph
from tests.app.comparison.conftest import LEFT, RIGHT, overlay_of
from tests.app.conftest import Bench
from tests.conftest import named, run_of


def test_without_a_selection_the_panel_speaks_of_the_first_divergence(compared: Bench) -> None:
    subject = subject_of(compared.active)
    assert subject is not None
    assert subject.heading == "They part here"
    assert subject.before == "After"
    assert subject.parent == named(compared.record, "b")
    assert (subject.a, subject.b) == (named(compared.record, "c"), named(compared.record, "e"))


@pytest.mark.parametrize(
    ("step", "heading"),
    [
        ("c", "They part here"),
        ("e", "They part here"),
        ("b", "In both runs"),
        ("f", "Only in B"),
        ("xd", "Only in A"),
    ],
)
def test_a_selected_step_says_what_it_is_in_the_comparison(compared: Bench, step: str, heading: str) -> None:
    compared.do("select.step", step=named(compared.record, step))
    subject = subject_of(compared.active)
    assert subject is not None
    assert subject.heading == heading
    if heading.startswith("Only"):
        assert "It follows from the place where they part." in subject.before


def test_of_several_steps_none_is_described_and_none_forked(compared: Bench) -> None:
    row = next(row for row in list_rows(overlay_of(compared)) if "in both" in row.text and len(row.steps) > 1)
    compared.active.select(Selection(row.steps))
    subject = subject_of(compared.active)
    assert subject is not None
    assert subject.heading == row.text
    assert (subject.a, subject.b, subject.parent) == (None, None, None)
    compared.do("select.all")
    subject = subject_of(compared.active)
    assert subject is not None and subject.heading.endswith("steps selected")


def test_two_equal_runs_have_no_difference(bench: Bench) -> None:
    bench.open("one.tine", run_of(LEFT, run_id="one"))
    bench.open("two.tine", run_of(LEFT, run_id="two"))
    bench.do("compare.open")
    subject = subject_of(bench.active)
    assert subject is not None
    assert subject.heading == "No difference"
    assert bench.session.enabled("compare.next") == "The two runs do not part."
    assert bench.active.shown_overlay is not None


def test_of_runs_that_have_nothing_in_common_it_is_said_plainly(bench: Bench) -> None:
    bench.open("one.tine", run_of({"x1": ""}, run_id="one"))
    bench.open("two.tine", run_of({"y": "", "z": "y"}, run_id="two"))
    bench.do("compare.open")
    subject = subject_of(bench.active)
    assert subject is not None
    assert (subject.heading, subject.before) == (
        "Nothing in common",
        "The runs have nothing in common: no step is in both.",
    )
    assert subject.parent is None
    assert list_rows(overlay_of(bench))[0].text == "1: nothing in common"
    assert bench.active.face(0).flags[0].text == "nothing in common"
    bench.do("select.step", step=subject.b)
    bench.do("select.step", step=bench.record.graph.ids[-1])
    below = subject_of(bench.active)
    assert below is not None and "part" not in below.before


def test_the_list_has_the_divergences_first_and_then_how_many_steps_are_whose(compared: Bench) -> None:
    rows = [(row.text, row.note, row.role, len(row.steps)) for row in list_rows(overlay_of(compared))]
    assert rows[0][1:3] == ("root", "accent")
    assert rows[0][0].startswith("1: "), "the number of the divergence is no count of steps"
    assert rows[1:] == [
        ("1 step only in A", "", "side_a", 1),
        ("1 step only in B", "", "side_b", 1),
        ("1 step changed", "", "quiet", 2),
        ("2 steps in both runs", "", "shared", 2),
    ]


def test_what_was_not_recorded_says_so_and_is_not_subtracted() -> None:
    figures = Figures(
        steps=Figure(7, 6), cost=Figure(0.0314, 0.0054), duration=Figure(9.7, None), tokens=Figure(None, 3204)
    )
    assert rows_of(figures) == [
        FigureRow("Cost", "$0.0314", "$0.0054", "−$0.0260", True),
        FigureRow("Duration", "9.7 s", "not recorded", "not known"),
        FigureRow("Tokens", "not recorded", "3,204", "not known"),
        FigureRow("Steps", "7", "6", "−1"),
    ]


@pytest.mark.parametrize(
    ("figure", "row"),
    [
        (Figure(0.2, 0.1, a_least=True), ("≥ $0.2000", "$0.1000", "≤ −$0.1000", True)),
        (Figure(0.1, 0.2, a_least=True), ("≥ $0.1000", "$0.2000", "≤ +$0.1000", None)),
        (Figure(0.1, 0.2, b_least=True), ("$0.1000", "≥ $0.2000", "≥ +$0.1000", False)),
        (Figure(0.1, 0.2, a_least=True, b_least=True), ("≥ $0.1000", "≥ $0.2000", "not known", None)),
        (Figure(0.1, 0.1), ("$0.1000", "$0.1000", "same", None)),
        (Figure(0.1, 0.1, b_least=True), ("$0.1000", "≥ $0.1000", "≥ 0", None)),
    ],
)
def test_a_sum_that_is_only_a_lower_bound_bounds_the_difference(figure: Figure, row: tuple[object, ...]) -> None:
    nothing = Figure(None, None)
    assert rows_of(Figures(steps=nothing, cost=figure, duration=nothing, tokens=nothing))[0][1:] == (*row, ("", ""))


def test_a_divergence_has_the_table_of_the_runs_and_a_pair_the_table_of_its_steps(compared: Bench) -> None:
    overlay, subject = overlay_of(compared), subject_of(compared.active)
    assert subject is not None
    assert figure_rows(overlay, subject)[0] == FigureRow("Outcome", "failed", "completed", roles=("bad", "good"))
    compared.do("select.step", step=named(compared.record, "b"))
    subject = subject_of(compared.active)
    assert subject is not None
    assert [row.label for row in figure_rows(overlay, subject)] == ["Cost", "Duration", "Tokens"]
    assert figure_rows(overlay, subject)[0][1:] == ("$0.0010", "$0.0010", "same", None, ("", ""))
    compared.do("select.step", step=named(compared.record, "f"))
    subject = subject_of(compared.active)
    assert subject is not None
    assert figure_rows(overlay, subject)[0][1:4] == ("–", "$0.0010", "")


def test_a_family_is_summed_up_with_each_step_once(compared: Bench) -> None:
    compared.do("family.open", runs=[document.number for document in compared.session.documents[:2]])
    overlay = overlay_of(compared)
    sums = {row.label: row for row in family_sums(overlay)}
    assert sums["Each step once"][1:3] == ("6", "$0.0060")
    assert sums["Runs added up"][1:3] == ("8", "$0.0080")
    assert sums["Saved by forking"][1:3] == ("2", "$0.0020")
    assert sums["Spent without a result"][1:3] == ("2", "$0.0020")
    assert "Done again" not in sums
    assert [row[1] for row in step_sums(overlay, named(compared.record, "b"))] == ["1", "5", "5", "2"]
    assert [(row.text, len(row.steps)) for row in group_rows(overlay)] == [
        ("2 steps in all runs", 2),
        ("4 steps in one run only", 4),
    ]


def test_a_step_recorded_in_two_ways_shows_both_and_one_of_them_is_in_the_sum(bench: Bench) -> None:
    bench.open("cheap.tine", run_of(LEFT, run_id="cheap"))
    bench.open("dear.tine", run_of(LEFT, run_id="dear", cost=0.5))
    bench.do("family.open")
    overlay, step = overlay_of(bench), named(bench.record, "b")
    assert [row[:3] for row in variant_rows(overlay, step)] == [("cheap", "1", "$0.0010"), ("dear", "1", "$0.5000")]
    sums = {row.label: row.cost for row in family_sums(overlay)}
    assert sums["Each step once"] == "$0.0040"
    assert sums["Done again"] == "$2.00"
    assert conflict_sentences(overlay) == []


def test_other_content_under_one_id_is_reported_and_which_file_holds_the_right_one(bench: Bench) -> None:
    good = run_of({"a": "", "b": "a"}, run_id="good")
    forged = good.graph.step(1)
    bench.open("good.tine", good)
    changed = msgspec.structs.replace(forged, inputs={"text": "forged"})
    bench.open("bad.tine", good.with_graph(Graph.of([good.graph.step(0), changed]), run_id="bad"))
    bench.do("family.open")
    ((step, words),) = conflict_sentences(overlay_of(bench))
    assert step == forged.id
    assert words.endswith("other content in bad; the id is that of the content in good")
    place = bench.record.graph.index(step)
    assert bench.active.face(place).seal == "mismatch"


def test_the_runs_say_where_they_come_from(bench: Bench) -> None:
    opened = bench.open("base.tine", run_of(LEFT, run_id="base"))
    bench.do("run.fork", step=named(bench.record, "b"), accept=True)
    bench.do("family.open", runs=[opened.number, bench.active.number])
    said = [words for _run, words, _point in lineage_sentences(overlay_of(bench))]
    assert said == ["begins by itself", "forked from base after b"]


def test_a_cost_that_was_not_recorded_is_no_sum_of_zero(bench: Bench) -> None:
    free = run_of(LEFT, run_id="one", cost=0.0)
    bench.open("one.tine", free)
    bench.open("two.tine", run_of(RIGHT, run_id="two", cost=0.0))
    bench.do("family.open")
    assert family_sums(overlay_of(bench))[0].cost == "not recorded"


def test_a_title_says_what_is_shown() -> None:
    pair = [Member("research-01"), Member("retry-01")]
    assert title_of(pair, True) == "Compare research-01 and retry-01"
    assert title_of([*pair, Member("evidence")], False) == "Family of 3 runs"


def test_cards_of_prompts_that_begin_alike_show_where_they_differ(bench: Bench) -> None:
    asked = "Look at how a backup is made when there is one already and say what becomes of it, with a warning"
    source = run_of({"a": "", asked: "a"})
    bench.open("run.tine", source)
    bench.do("run.fork_edit", step=named(source, asked), inputs=f'{{"text": "{asked} and the time"}}', accept=True)
    edited = bench.record.main_tip
    bench.do("compare.open")
    graph = bench.record.graph
    assert edited is not None
    assert bench.active.face(graph.index(named(source, asked))).title == "…with a warning"
    assert bench.active.face(graph.index(edited)).title == "…with a warning and the time"
