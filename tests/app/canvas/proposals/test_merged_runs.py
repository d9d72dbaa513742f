"""Steps of runs that are shown together are merged into a new run."""

from __future__ import annotations

from typing import Any

from opentine_gui.app.canvas.previews import ghost_cards
from opentine_gui.app.canvas.proposals import current_proposal as proposals
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from tests.app.actions.conftest import compared, opened_two, overlay_of
from tests.app.conftest import Bench
from tests.conftest import named, run_of

PROMPT = "look at how a backup is made when there is one already, and say what happens to it. Add a warning."


def proposed(bench: Bench) -> MergeProposal:
    proposal = proposals.current_proposal(bench.session)
    assert isinstance(proposal, MergeProposal), bench.notices()
    return proposal


def selected_tips(bench: Bench) -> tuple[str, str]:
    """The ends of both runs that are shown, selected."""
    tips = [record.main_tip for record in overlay_of(bench).family.records]
    first, second = [tip for tip in tips if tip is not None]
    bench.do("select.step", step=first)
    bench.do("select.add", step=second)
    return first, second


def test_two_steps_of_a_comparison_are_merged_into_a_new_run_with_both_named_by_their_runs(bench: Bench) -> None:
    comparison = compared(bench)
    left, right = bench.session.documents[:2]
    before = left.record, right.record
    view = bench.active
    tips = selected_tips(bench)
    assert bench.session.enabled("run.merge") is None
    bench.do("run.merge")
    proposal = proposed(bench)
    assert tuple(step for _document, step in proposal.parents) == tips
    assert [title.partition(":")[0] for title in proposal.parent_titles] == ["A", "B"]
    assert "A and B stay as they are" in proposal.sentence
    assert view.picture.layout is not None
    assert len(ghost_cards(view, view.picture.layout, proposal)[0].parents) == 2, "both parents are in the picture"
    bench.do("proposal.accept", inputs='{"text": "both"}')
    merged = bench.record
    assert merged.main_tip is not None
    assert merged.graph.parent_ids(merged.graph.index(merged.main_tip)) == tips
    assert set(merged.graph.ids) == {*comparison.a.graph.ids, *comparison.b.graph.ids, merged.main_tip}
    assert bench.active is not view and bench.active.source is not None
    assert [path.name for path in bench.active.source.paths] == ["left.tine", "right.tine"]
    assert (left.record, right.record) == before
    bench.do("edit.undo")
    assert bench.active is view, "the merge was made there"


def test_two_steps_of_a_family_are_merged_with_the_names_of_their_runs(bench: Bench) -> None:
    opened_two(bench)
    bench.do("family.open")
    selected_tips(bench)
    bench.do("run.merge")
    assert [title.partition(":")[0] for title in proposed(bench).parent_titles] == ["left", "right"]


def test_two_steps_that_one_of_the_runs_has_make_a_new_run_of_it(bench: Bench) -> None:
    tree = run_of({"a": "", "b": "a", "c": "a"}, run_id="tree")
    bench.open("tree.tine", tree)
    bench.open("other.tine", run_of({"a": "", "b": "a", "d": "b"}, run_id="other"))
    bench.do("compare.open")
    bench.do("run.merge", steps=(named(tree, "b"), named(tree, "c")))
    proposal = proposed(bench)
    assert len(proposal.sources) == 1
    assert "stays as it is" in proposal.sentence
    bench.do("proposal.accept")
    assert bench.active.title == "Merge of tree"
    assert len(bench.record.graph) == 4
    assert len(tree.graph) == 3


def test_one_selected_step_of_a_comparison_is_not_merged_with_what_another_tab_has_selected(bench: Bench) -> None:
    compared(bench)
    bench.do("select.step", step=overlay_of(bench).family.records[0].main_tip)
    assert bench.session.enabled("run.merge") == "Select a second step to merge this one with (Shift+click)."


def prompts(bench: Bench, *endings: str) -> MergeProposal:
    asked = run_of({"a": "", "b": "a"})
    bench.open("run.tine", asked)
    steps = []
    for ending in endings:
        bench.session.activate(bench.session.documents[0])
        fields: dict[str, Any] = {"inputs": f'{{"text": "{PROMPT}{ending}"}}', "accept": True}
        bench.do("run.fork_edit", step=named(asked, "b"), **fields)
        steps.append((bench.active.number, bench.active.selection.ids[0]))
    bench.do("run.merge", parents=tuple(steps))
    return proposed(bench)


def test_parents_that_begin_alike_are_named_by_what_tells_them_apart(bench: Bench) -> None:
    first, second = prompts(bench, "", " Also say what was wrong.").parent_titles
    assert first == "Fork of run: …Add a warning."
    assert second == "Fork 2 of run: …Add a warning. Also say what was wrong."


def test_the_words_a_merge_begins_with_tell_its_parents_apart(bench: Bench) -> None:
    long = " It should name the file, the folder that it is in and the time at which it was made, as the log has them."
    proposal = prompts(bench, f"{long} Then stop.", f"{long} Then go on.")
    said = proposal.inputs.value["prompt"]
    assert "Then stop." in said and "Then go on." in said
