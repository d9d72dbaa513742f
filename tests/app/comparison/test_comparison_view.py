"""Documents that show several runs: how they follow their runs, what they refuse, what their panel says."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.app.canvas.presentation import remark_of
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.files.saving import suggested_name
from opentine_gui.app.inspect.keys import action_of
from opentine_gui.app.system import jobs
from opentine_gui.core import RunRecord
from tests.app.comparison.conftest import LEFT, RIGHT, overlay_of
from tests.app.conftest import Bench
from tests.conftest import named, run_of


def test_a_comparison_is_laid_out_checked_and_never_unsaved(compared: Bench) -> None:
    document = compared.active
    assert document.title == "Compare left and right"
    assert document.picture.layout is not None
    assert document.verification is not None
    assert document.verification.verdicts.count("ok") == 6
    assert not document.dirty
    compared.do("file.quit")
    assert compared.prompter.asked == []
    assert compared.session.quit


def test_a_comparison_that_was_stopped_is_gone_and_is_made_when_asked_for_again(bench: Bench) -> None:
    bench.open("left.tine", run_of(LEFT, run_id="left"))
    bench.open("right.tine", run_of(RIGHT, run_id="right"))
    source = bench.active
    bench.jobs.hold = True
    bench.session.invoke("compare.open")
    bench.step()
    bench.jobs.stop(bench.active.key("open"))
    bench.jobs.hold = False
    bench.step()
    assert bench.active is source
    assert len(bench.session.documents) == 2
    bench.do("compare.open")
    assert bench.active.picture.layout is not None
    assert len(bench.session.documents) == 3


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
    ],
)
def test_what_would_change_a_run_is_refused_with_a_reason(compared: Bench, action_id: str) -> None:
    compared.do("select.all")
    reason = compared.session.enabled(action_id)
    assert reason is not None
    assert "run" in reason


def test_cards_cannot_be_moved_where_several_runs_are_shown(compared: Bench) -> None:
    step = compared.record.graph.ids[0]
    before = compared.active.picture.layout
    compared.do("canvas.move_steps", pins={step: (900.0, 900.0)})
    assert compared.active.picture.layout is before
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


def test_a_shared_step_is_proposed_to_be_forked_in_one_run_after_the_other(compared: Bench) -> None:
    root, documents = compared.record.graph.ids[0], len(compared.session.documents)
    for run, source in ((0, "left"), (1, "right"), (0, "left"), (1, "right")):
        compared.do("run.fork", step=root, run=run)
        assert len(compared.session.documents) == documents, "only proposed"
        proposal = compared.session.proposal
        assert isinstance(proposal, ForkProposal)
        assert proposal.sentence.endswith(f"{source} stays as it is")
    compared.do("run.fork", step=root)  # the key makes what is proposed
    assert len(compared.session.documents) == documents + 1
    assert compared.record.lineage.forked_from == "right"


def test_a_large_shared_step_is_forked_in_both_runs_at_once(compared: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "INLINE_STEPS", 0)
    comparison, root = compared.active, compared.record.graph.ids[0]
    compared.jobs.hold = True
    for run in (0, 1):
        compared.session.invoke("run.fork", step=root, run=run, accept=True)
        compared.step()
    compared.jobs.hold = False
    compared.jobs.release()
    compared.session.settle()
    made = [document.record for document in compared.session.documents if document.made_in == comparison.number]
    assert {record.lineage.forked_from for record in made if record is not None} == {"left", "right"}


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
    document, camera, before = bench.active, bench.active.picture.camera, bench.record
    assert camera is not None
    edited = merge(bench, 0, "xd", "g")
    assert len(edited.graph) == 6
    assert set(bench.record.graph.ids) == {*before.graph.ids, edited.graph.ids[-1]}
    overlay = overlay_of(bench)
    assert overlay.comparison is not None
    assert overlay.comparison.a is edited
    assert overlay.lit == 1
    assert document.selection.ids == (named(before, "e"),)
    assert document.picture.camera is not None
    assert document.picture.camera.zoom == camera.zoom
    assert document.picture.layout is not None
    assert document.picture.layout.nodes == bench.record.graph.ids
    assert not document.dirty
    bench.session.activate(bench.session.documents[0])
    bench.do("edit.undo")
    bench.session.activate(document)
    bench.session.settle()
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


def test_a_file_that_cannot_be_read_is_left_out_of_a_family_and_named(bench: Bench) -> None:
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
    for other, why in ((number, "two different runs"), (compared.active.number, "that is no run")):
        compared.do("compare.open", a=number, b=other)
        (said,) = compared.notices("error")
        assert why in said, "the reason of the last try, and no other one"
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


@settings(max_examples=25)
@given(edits)
def test_after_any_edits_the_union_equals_one_of_plain_sets(
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
            bench.do("document.activate", document=family.number)
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


def test_the_keys_of_a_comparison_are_actions(bench: Bench) -> None:
    for chord, action_id in {"Tab": "compare.flip", "N": "compare.next", "Shift+N": "compare.previous"}.items():
        assert bench.session.actions[action_id].key == chord
    assert action_of(bench.session, "Tab") is bench.session.actions["view.panels"]


# --- presented -------------------------------------------------------------------------------------------------------


def test_a_presented_comparison_tells_where_the_runs_part(compared: Bench) -> None:
    compared.do("present.start")
    told = compared.session.presentation
    assert told is not None
    document = compared.active
    words = [str(document.step(step).inputs["text"]) for step in told.steps]
    assert words == ["b", "c", "e", "xd", "f"], "the step both share, then A's, then B's, and how each ended"
    remarks = [remark_of(document, step) for step in told.steps]
    assert remarks == [
        ("in both runs", "quiet", "Here they diverge: a step was changed."),
        ("A left", "side_a", "They part here · a step was changed."),
        ("B right", "side_b", "They part here · a step was changed."),
        ("A left", "side_a", ""),
        ("B right", "side_b", ""),
    ]
    assert remark_of(compared.session.documents[0], told.steps[0]) is None
