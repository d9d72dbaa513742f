"""Documents that show several runs: how they follow their runs, what they refuse, what their panel says."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.app.canvas.fork_proposal import ForkProposal
from opentine_gui.app.canvas.presentation import remark_of
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
from opentine_gui.app.document.overlay import Overlay
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.inspect.step_differences import DiffLine, all_lines, fields_between, first_lines, text_lines
from opentine_gui.core import Figure, Figures, Graph, RunRecord, Step
from tests.app.conftest import Bench
from tests.conftest import named, run_of

LEFT = {"a": "", "b": "a", "c": "b", "xd": "c"}
RIGHT = {"a": "", "b": "a", "e": "b", "f": "e"}


def overlay_of(bench: Bench) -> Overlay:
    assert bench.active.overlay is not None
    return bench.active.overlay


@pytest.fixture
def compared(bench: Bench) -> Bench:
    """left.tine and right.tine open, and a comparison of them active."""
    bench.open("left.tine", run_of(LEFT, run_id="left", status="failed"))
    bench.open("right.tine", run_of(RIGHT, run_id="right"))
    bench.do("compare.open")
    return bench


# --- a document like any other, and read-only ------------------------------------------------------------------------


def test_a_comparison_is_laid_out_checked_and_never_unsaved(compared: Bench) -> None:
    document = compared.active
    assert document.title == "left and right"
    assert document.layout is not None
    assert document.verification is not None
    assert document.verification.verdicts.count("ok") == 6
    assert not document.dirty
    compared.do("file.quit")
    assert compared.prompter.asked == []
    assert compared.session.quit


@pytest.mark.parametrize(
    "action_id",
    [
        "file.save",
        "file.save_as",
        "file.save_copy",
        "file.reload",
        "edit.undo",
        "edit.redo",
        "run.fork_edit",
        "run.merge",
    ],
)
def test_what_would_change_a_run_is_refused_with_a_reason(compared: Bench, action_id: str) -> None:
    compared.do("select.all")
    reason = compared.session.enabled(action_id)
    assert reason is not None
    assert "run" in reason


def test_cards_cannot_be_moved_where_several_runs_are_shown(compared: Bench) -> None:
    step = compared.record.graph.ids[0]
    before = compared.active.layout
    compared.do("canvas.move_steps", pins={step: (900.0, 900.0)})
    assert compared.active.layout is before
    assert len(compared.notices("info")) == 1


def test_a_fork_is_one_of_the_run_that_has_the_step(compared: Bench) -> None:
    comparison = compared.active
    compared.do("run.fork", step=named(compared.record, "e"))
    proposal = compared.session.proposal
    assert isinstance(proposal, ForkProposal)
    assert proposal.sentence.startswith("Keeps 3 steps")
    assert proposal.sentence.endswith("right stays as it is")
    compared.do("proposal.accept")
    forked = compared.record
    assert compared.active is not comparison
    assert forked.lineage.forked_from == "right"
    assert [step.inputs["text"] for step in forked.graph] == ["a", "b", "e"]
    assert compared.active.dirty


def test_a_shared_step_is_forked_in_the_run_that_was_named_lit_or_comes_first(compared: Bench) -> None:
    comparison, root = compared.active, compared.record.graph.ids[0]
    for before, arguments, expected in (
        (None, {}, "left"),
        (1, {}, "right"),
        (1, {"run": 0}, "left"),
    ):
        compared.session.activate(comparison)
        if before is not None and overlay_of(compared).lit != before:
            compared.do("family.light_run", run=before)
        compared.do("run.fork", step=root, accept=True, **arguments)
        assert compared.record.lineage.forked_from == expected


def test_a_fork_of_a_file_that_is_not_open_names_it_as_its_source(bench: Bench) -> None:
    for name, shape in (("left", LEFT), ("right", RIGHT)):
        bench.write(f"{name}.tine", run_of(shape, run_id=name))
    bench.do("compare.open", a=bench.folder / "left.tine", b=bench.folder / "right.tine")
    bench.do("run.fork", step=named(bench.record, "xd"), accept=True)
    assert bench.active.source is not None
    assert bench.active.source.paths == (bench.folder / "left.tine",)
    assert suggested_name(bench.active, bench.folder) == "left-fork.tine"


# --- following -------------------------------------------------------------------------------------------------------


def merge(bench: Bench, number: int, one: str, other: str) -> RunRecord:
    """Merge two steps of an open run, and activate the previous document again."""
    front, document = bench.active, bench.session.documents[number]
    assert document.record is not None
    bench.session.activate(document)
    bench.do("run.merge", steps=(named(document.record, one), named(document.record, other)), accept=True)
    bench.session.activate(front)
    bench.session.settle()
    assert document.record is not None
    return document.record


def test_it_follows_an_edit_of_a_run_and_keeps_what_the_user_looks_at(bench: Bench) -> None:
    bench.open("left.tine", run_of({**LEFT, "g": "b"}, run_id="left"))
    bench.open("right.tine", run_of(RIGHT, run_id="right"))
    bench.do("compare.open")
    bench.do("family.light_run", run=1)
    bench.do("select.step", step=named(bench.record, "e"))
    document, camera, before = bench.active, bench.active.camera, bench.record
    assert camera is not None
    edited = merge(bench, 0, "xd", "g")
    assert len(edited.graph) == 6
    assert set(bench.record.graph.ids) == {*before.graph.ids, edited.graph.ids[-1]}
    overlay = overlay_of(bench)
    assert overlay.comparison is not None
    assert overlay.comparison.a is edited
    assert overlay.lit == 1
    assert document.selection.ids == (named(before, "e"),)
    assert document.camera is not None
    assert document.camera.zoom == camera.zoom
    assert document.layout is not None
    assert document.layout.nodes == bench.record.graph.ids
    assert not document.dirty
    bench.session.activate(bench.session.documents[0])
    bench.do("edit.undo")
    bench.session.activate(document)
    assert set(bench.record.graph.ids) == set(before.graph.ids)


def test_it_follows_a_file_that_is_not_open(bench: Bench) -> None:
    paths = [bench.write(f"{name}.tine", run_of(shape, run_id=name)) for name, shape in (("l", LEFT), ("r", RIGHT))]
    bench.do("family.open", runs=paths)
    assert bench.folder in bench.watch.folders
    assert len(bench.record.graph) == 6
    bench.write("r.tine", run_of({**RIGHT, "g": "f"}, run_id="r"))
    bench.watch.post([paths[1]])
    bench.session.settle()
    assert len(bench.record.graph) == 7
    before = bench.record
    paths[1].touch()
    bench.watch.post([paths[1]])
    bench.session.settle()
    assert bench.record is before


def test_closing_a_run_takes_nothing_off_the_picture(compared: Bench) -> None:
    comparison = compared.active
    compared.do("run.fork", step=named(compared.record, "e"), accept=True)
    fork = compared.active
    compared.do("compare.open", a=compared.session.documents[0].number, b=fork.number)
    for document in (fork, compared.session.documents[0]):
        compared.do("file.close", "Don't save", document=document.number)
    assert len(compared.session.documents) == 3
    for document in (comparison, compared.active):
        assert document.overlay is not None
        assert document.error is None
        assert document.record is not None
        assert document.record.graph.ids


def test_a_file_that_cannot_be_read_is_left_out_of_a_family_and_said_to_be(bench: Bench) -> None:
    good = [bench.write(f"{name}.tine", run_of(shape, run_id=name)) for name, shape in (("l", LEFT), ("r", RIGHT))]
    bad = bench.folder / "bad.tine"
    bad.write_text("{")
    bench.do("family.open", runs=[*good, bad])
    assert [run.title for run in overlay_of(bench).runs] == ["l", "r"]
    assert "bad.tine" in bench.notices("warning")[0]
    bench.write("bad2.tine", run_of({"a": "", "z": "a"}, run_id="bad"))
    (bench.folder / "bad2.tine").replace(bad)
    bench.watch.post([bad])
    bench.session.settle()
    assert {run.title for run in overlay_of(bench).runs} == {"l", "r", "bad"}


def test_a_comparison_with_a_file_that_cannot_be_read_says_why(bench: Bench) -> None:
    good, bad = bench.write("l.tine", run_of(LEFT)), bench.folder / "bad.tine"
    bad.write_text("{")
    bench.do("compare.open", a=good, b=bad)
    assert bench.active.record is None
    assert bench.active.error is not None
    assert "bad.tine" in str(bench.active.error)


def test_a_run_cannot_be_compared_with_itself_or_with_a_comparison(compared: Bench) -> None:
    number = compared.session.documents[0].number
    compared.do("compare.open", a=number, b=number)
    compared.do("compare.open", a=number, b=compared.active.number)
    assert len(compared.notices("error")) == 2
    assert len(compared.session.documents) == 3


def test_a_run_given_twice_is_shown_once(bench: Bench) -> None:
    left = bench.open("left.tine", run_of(LEFT, run_id="left"))
    right = bench.open("right.tine", run_of(RIGHT, run_id="right"))
    bench.do("family.open", runs=[left.number, right.number, bench.folder / "left.tine"])
    assert [run.title for run in overlay_of(bench).runs] == ["left", "right"]
    bench.do("family.add_run", other=left.number)
    assert len(bench.session.documents) == 3


def test_runs_of_one_name_are_told_apart(bench: Bench) -> None:
    paths = []
    for folder in ("one", "two"):
        (bench.folder / folder).mkdir()
        paths.append(bench.write(f"{folder}/run.tine", run_of(LEFT, run_id=folder)))
    bench.do("family.open", runs=paths)
    assert [run.title for run in overlay_of(bench).runs] == ["one/run", "two/run"]


def test_the_rest_of_the_family_is_listed_with_what_it_shares(compared: Bench) -> None:
    comparison = compared.active
    compared.do("run.fork", step=named(compared.record, "e"), accept=True)
    compared.session.activate(comparison)
    compared.open("stranger.tine", run_of({"alone": ""}, run_id="stranger"))
    compared.session.activate(comparison)
    compared.session.settle()
    assert [(other.title, other.steps, other.shared) for other in overlay_of(compared).others] == [
        ("Fork of right", 3, 3)
    ]


def test_a_file_no_record_names_belongs_to_the_family_when_it_shares_a_step(compared: Bench) -> None:
    compared.write("copied.tine", run_of({"a": "", "b": "a", "z": "b"}, run_id="copied"))
    compared.write("stranger.tine", run_of({"alone": ""}, run_id="stranger"))
    compared.session.runs.show_folder(compared.session, compared.folder)
    compared.session.runs.scan(compared.session)
    compared.session.settle()
    assert {row.path.name for row in compared.session.runs.rows} >= {"copied.tine", "stranger.tine"}
    others = overlay_of(compared).others
    assert [(other.title, other.steps, other.shared) for other in others] == [("copied", 3, 2)]


edits = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 20), st.booleans()), max_size=6)


@settings(max_examples=25, deadline=None)
@given(edits)
def test_whatever_is_done_to_the_runs_the_union_is_that_of_plain_sets(
    changes: list[tuple[int, int, int, bool]],
) -> None:
    with _session() as bench:
        for name, shape in (("one", LEFT), ("two", RIGHT), ("three", {"a": "", "b": "a", "c": "a"})):
            bench.open(f"{name}.tine", run_of(shape, run_id=name))
        runs = list(bench.session.documents)
        bench.do("family.open")
        family = bench.active
        for which, one, other, undo in changes:
            document = runs[which]
            assert document.record is not None
            bench.session.activate(document)
            ids = document.record.graph.ids
            if undo:
                bench.do("edit.undo")
            else:
                bench.do("run.merge", steps=(ids[one % len(ids)], ids[other % len(ids)]), accept=True)
                bench.do("proposal.cancel")
            overlay = family.overlay
            assert overlay is not None
            sets = [set(run.record.graph.ids) for run in runs if run.record is not None]
            assert family.record is not None
            assert set(family.record.graph.ids) == set().union(*sets)
            counts = dict(zip(family.record.graph.ids, overlay.counts.tolist(), strict=True))
            assert counts == {step: sum(step in ids for ids in sets) for step in counts}
            assert not family.dirty


@contextmanager
def _session() -> Iterator[Bench]:
    folder = Path(tempfile.mkdtemp(prefix="family-"))
    bench = Bench(folder)
    try:
        yield bench
    finally:
        bench.session.close()
        shutil.rmtree(folder)


# --- what the panel says ---------------------------------------------------------------------------------------------


def test_without_a_selection_the_panel_speaks_of_the_first_divergence(compared: Bench) -> None:
    subject = subject_of(compared.active)
    assert subject is not None
    assert subject.heading == "Root divergence 1"
    assert subject.before == "After"
    assert subject.parent == named(compared.record, "b")
    assert (subject.a, subject.b) == (named(compared.record, "c"), named(compared.record, "e"))


@pytest.mark.parametrize(
    ("step", "heading"),
    [
        ("c", "Root divergence 1"),
        ("e", "Root divergence 1"),
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
        assert "root divergence 1" in subject.before


def test_two_equal_runs_have_no_difference(bench: Bench) -> None:
    bench.open("one.tine", run_of(LEFT, run_id="one"))
    bench.open("two.tine", run_of(LEFT, run_id="two"))
    bench.do("compare.open")
    subject = subject_of(bench.active)
    assert subject is not None
    assert subject.heading == "No difference"
    assert bench.session.enabled("compare.next") == "The two runs do not part."
    assert bench.active.shown_overlay is not None


def test_runs_that_have_nothing_in_common_part_at_the_very_start(bench: Bench) -> None:
    bench.open("one.tine", run_of({"x1": ""}, run_id="one"))
    bench.open("two.tine", run_of({"y": "", "z": "y"}, run_id="two"))
    bench.do("compare.open")
    subject = subject_of(bench.active)
    assert subject is not None
    assert subject.before == "At the very start"
    assert subject.parent is None


def test_the_list_has_the_divergences_first_and_then_how_many_steps_are_whose(compared: Bench) -> None:
    rows = [(row.text, row.note, row.role, len(row.steps)) for row in list_rows(overlay_of(compared))]
    assert rows[0][1:3] == ("root", "accent")
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
    assert rows_of(Figures(steps=nothing, cost=figure, duration=nothing, tokens=nothing))[0][1:] == row


def test_the_table_of_a_divergence_is_that_of_the_runs_and_that_of_a_pair_is_that_of_its_steps(compared: Bench) -> None:
    overlay, subject = overlay_of(compared), subject_of(compared.active)
    assert subject is not None
    assert figure_rows(overlay, subject)[0] == FigureRow("Outcome", "failed", "completed")
    compared.do("select.step", step=named(compared.record, "b"))
    subject = subject_of(compared.active)
    assert subject is not None
    assert [row.label for row in figure_rows(overlay, subject)] == ["Cost", "Duration", "Tokens"]
    assert figure_rows(overlay, subject)[0][1:] == ("$0.0010", "$0.0010", "same", None)
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
    assert sums["Sunk in dead ends"][1:3] == ("2", "$0.0020")
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


def test_other_content_under_one_id_is_said_and_which_file_holds_the_right_one(bench: Bench) -> None:
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
    assert title_of(pair, True) == "research-01 and retry-01"
    assert title_of([*pair, Member("evidence")], False) == "Family of 3 runs"


# --- lines of a difference -------------------------------------------------------------------------------------------


def step_with(**fields: object) -> Step:
    inputs = fields.pop("inputs", {})
    return msgspec.structs.replace(run_of({"a": ""}).graph.step(0), inputs=inputs, **fields)


def test_a_changed_text_is_shown_on_both_sides_with_marks_on_the_words_that_differ() -> None:
    fields = fields_between(
        step_with(inputs={"prompt": "ask the old server"}), step_with(inputs={"prompt": "ask the new server"})
    )
    path, old, new = first_lines(fields)
    assert path == DiffLine("path", "inputs.prompt")
    assert (old.kind, new.kind) == ("removed", "added")
    assert [old.text[slice(*mark)] for mark in old.marks] == ["old"]
    assert [new.text[slice(*mark)] for mark in new.marks] == ["new"]


def test_a_step_without_an_answer_is_all_removed_or_all_added() -> None:
    only = step_with(inputs={"url": "x", "deep": {"n": 1}})
    gone, come = all_lines(fields_between(only, None)), all_lines(fields_between(None, only))
    assert {line.kind for line in gone} == {"path", "removed"}
    assert {line.kind for line in come} == {"path", "added"}
    assert [line.text for line in gone] == [line.text for line in come]
    assert DiffLine("removed", "x") in gone


def test_only_the_first_paths_are_listed_at_first_and_the_rest_is_counted() -> None:
    one, other = ({f"k{n}": n + shift for n in range(9)} for shift in (0, 1))
    lines = first_lines(fields_between(step_with(inputs=one), step_with(inputs=other)))
    assert [line.text for line in lines if line.kind == "path"] == [f"inputs.k{n}" for n in range(4)]
    assert lines[-1] == DiffLine("note", "and 5 more under All fields")


def test_texts_are_compared_line_by_line() -> None:
    one = step_with(inputs={"text": "same\nold line\nend"}, outputs={"text": "fine"})
    other = step_with(inputs={"text": "same\nnew line\nend"}, outputs={"text": "fine"})
    lines = text_lines(one, other)
    assert [(line.kind, line.text) for line in lines] == [
        ("path", "asked"), ("same", "same"), ("removed", "old line"), ("added", "new line"), ("same", "end"),
        ("path", "answered"), ("same", "fine"),
    ]  # fmt: skip


def test_a_difference_that_cannot_be_seen_is_said_to_be_one() -> None:
    lines = all_lines(fields_between(step_with(inputs={"t": "a\u202eb"}), step_with(inputs={"t": "ab"})))
    assert lines[-1].kind == "note"
    assert "cannot be seen" in lines[-1].text


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_recorded_text_is_shown_safely_and_marks_lie_inside_their_line(one: str, other: str) -> None:
    fields = fields_between(step_with(inputs={"t": one, one[:9]: 1}), step_with(inputs={"t": other}))
    for line in (*first_lines(fields), *all_lines(fields), *text_lines(step_with(inputs={"text": one}), None)):
        assert "\u202e" not in line.text
        assert "\x1b" not in line.text
        assert "\n" not in line.text
        assert all(0 <= begin < end <= len(line.text) for begin, end in line.marks)


def test_the_keys_of_a_comparison_are_actions(bench: Bench) -> None:
    for chord, action_id in {"Tab": "compare.flip", "N": "compare.next", "Shift+N": "compare.previous"}.items():
        assert bench.session.actions[action_id].key == chord
    assert bench.session.action_of("Tab") is bench.session.actions["view.panels"]


# --- presented -------------------------------------------------------------------------------------------------------


def test_a_presented_comparison_tells_where_the_runs_part(compared: Bench) -> None:
    compared.do("present.start")
    told = compared.session.presentation
    assert told is not None
    document = compared.active
    words = [str(document.step(step).inputs["text"]) for step in told.steps]
    assert words == ["b", "c", "e"], "the step both share, then A's, then B's"
    remarks = [remark_of(document, step) for step in told.steps]
    assert remarks == [
        ("in both runs", "quiet", "Here they part: a step was changed."),
        ("A left", "side_a", "Root divergence: a step was changed."),
        ("B right", "side_b", "Root divergence: a step was changed."),
    ]
    assert remark_of(compared.session.documents[0], told.steps[0]) is None
