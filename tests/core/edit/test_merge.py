"""Merges: one new step with several parents, in one run or across a family of runs."""

from __future__ import annotations

import msgspec
import pytest

from opentine_gui.core import (
    EditError,
    Graph,
    LookupFailure,
    RunRecord,
    Step,
    StepKind,
    fork,
    merge,
    preview_merge,
    verify,
)
from opentine_gui.core.files import reader
from tests.core.sample_runs import make_record, make_step


@pytest.fixture
def record(diamond: dict[str, Step]) -> RunRecord:
    return make_record([diamond[name] for name in ("root", "left", "right")])


def extended(record: RunRecord, text: str) -> RunRecord:
    """The run with one more step at its last tip."""
    step = make_step(text, record.graph.ids[-1])
    return record.with_graph(record.graph.with_steps([step]))


def test_a_merge_in_one_run_adds_a_step_to_that_run(record: RunRecord, diamond: dict[str, Step]) -> None:
    left, right = diamond["left"].id, diamond["right"].id
    joined = merge([record], [right, left[:12]], inputs={"text": "both"}, now=3.5, nonce="", kind="tool")
    step = joined.graph.step(3)
    assert joined.run_id == record.run_id
    assert step.parent_ids == (right, left)
    assert step.kind is StepKind.TOOL
    assert joined.refs["main"] == step.id
    assert joined.tips == [step.id]
    assert len(record.graph) == 3
    assert verify(reader.decode(reader.encode(joined))).ok


def test_a_merge_across_runs_holds_the_union_and_says_where_it_comes_from(
    record: RunRecord, diamond: dict[str, Step]
) -> None:
    one = extended(fork(record, diamond["left"].id, now=1.5, nonce="1"), "one more")
    two = extended(fork(record, diamond["right"].id, now=1.5, nonce="2"), "two more")
    tips = [one.graph.ids[-1], two.graph.ids[-1]]
    preview = preview_merge([one, two], tips)
    joined = merge([one, two], tips, inputs={"text": "both"}, outputs={"a": 1}, now=3.5, nonce="", title="Both")
    assert preview.union == len(joined.graph) - 1 == 5
    assert preview.only_here == (2, 2)
    assert preview.merge_bases == (diamond["root"].id,)
    assert preview.sources == (0, 1)
    assert preview.refusals == preview.warnings == ()
    assert joined.run_id not in (one.run_id, two.run_id)
    assert joined.refs["parent-1"] == tips[0]
    assert joined.refs["parent-2"] == tips[1]
    provenance = joined.metadata["merge"]
    assert [source["run_id"] for source in provenance["sources"]] == [one.run_id, two.run_id]
    assert [source["tip"] for source in provenance["sources"]] == tips
    assert provenance["merge_bases"] == [diamond["root"].id]
    assert provenance["step"] == joined.refs["main"]
    assert all(parent < child for child, above in enumerate(joined.graph.parents) for parent in above)
    assert joined.title == "Both"
    assert verify(reader.decode(reader.encode(joined))).ok


def test_three_tips_of_three_runs_can_be_joined(record: RunRecord, diamond: dict[str, Step]) -> None:
    runs = [extended(fork(record, diamond["root"].id, now=1.5, nonce=str(n)), f"tip {n}") for n in range(3)]
    joined = merge(
        runs, [(place, run.graph.ids[-1][:20]) for place, run in enumerate(runs)], inputs={}, now=2.5, nonce=""
    )
    assert len(joined.graph.parents[-1]) == 3


def test_refusals_say_why(record: RunRecord, diamond: dict[str, Step]) -> None:
    root, left = diamond["root"].id, diamond["left"].id
    with pytest.raises(EditError, match="named twice"):
        merge([record], [left, left], inputs={}, now=1.5, nonce="")
    with pytest.raises(EditError, match="ancestor"):
        merge([record], [root, left], inputs={}, now=1.5, nonce="")
    with pytest.raises(EditError, match="at least two"):
        merge([record], [left], inputs={}, now=1.5, nonce="")
    with pytest.raises(EditError, match="no run"):
        merge([], [left, root], inputs={}, now=1.5, nonce="")
    allowed = merge([record], [root, left], inputs={}, now=1.5, nonce="", allow_ancestor=True)
    assert allowed.graph.parents[-1] == (0, 1)
    again = merge([record], [left, diamond["right"].id], inputs={}, now=1.5, nonce="")
    with pytest.raises(EditError, match="already"):
        merge([again], [left, diamond["right"].id], inputs={}, now=1.5, nonce="")


def test_steps_that_are_nowhere_or_in_doubt_are_not_found(record: RunRecord, diamond: dict[str, Step]) -> None:
    with pytest.raises(LookupFailure, match="any of the runs"):
        merge([record, record], ["zz", diamond["left"].id], inputs={}, now=1.5, nonce="")
    with pytest.raises(LookupFailure, match="no run number 3"):
        merge([record, record], [(2, "a"), (0, diamond["left"].id)], inputs={}, now=1.5, nonce="")
    many = [make_record([make_step(number)]) for number in range(40)]
    starts = [run.graph.ids[0][0] for run in many]
    doubled = next(start for start in starts if starts.count(start) > 1)
    with pytest.raises(LookupFailure, match="different steps"):
        merge(many, [doubled, diamond["left"].id], inputs={}, now=1.5, nonce="")


def test_one_id_with_two_contents_is_refused_and_other_costs_are_only_mentioned(diamond: dict[str, Step]) -> None:
    root = diamond["root"]
    one = make_record([root, make_step("a", root.id)], run_id="one")
    dearer = msgspec.structs.replace(root, cost=99.0)
    two = make_record([dearer, make_step("b", root.id)], run_id="two")
    tips = [one.graph.ids[-1], two.graph.ids[-1]]
    assert "1 shared step differs in cost" in preview_merge([one, two], tips).warnings[0]
    assert merge([one, two], tips, inputs={}, now=1.5, nonce="").graph.costs[0] == 1.0
    forged = msgspec.structs.replace(root, inputs={"text": "forged"})
    three = make_record([forged, make_step("b", root.id)], run_id="three")
    preview = preview_merge([one, three], tips)
    assert "different content" in preview.refusals[0]
    backwards = preview_merge([three, one], tips)
    assert "different content" in backwards.refusals[0]
    assert "do not verify" in backwards.warnings[0]
    with pytest.raises(EditError, match="different content"):
        merge([one, three], tips, inputs={}, now=1.5, nonce="")


def test_steps_that_do_not_verify_are_warned_of_and_taken_along(diamond: dict[str, Step]) -> None:
    root = msgspec.structs.replace(diamond["root"], inputs={"text": "[REDACTED]"})
    record = make_record([root, diamond["left"], diamond["right"]])
    preview = preview_merge([record], [diamond["left"].id, diamond["right"].id])
    assert "1 of the steps" in preview.warnings[0]
    assert preview.refusals == ()
    assert len(merge([record], preview.parents, inputs={}, now=1.5, nonce="").graph) == 4


def test_transcripts_are_never_mixed(record: RunRecord, diamond: dict[str, Step]) -> None:
    one = fork(record, diamond["left"].id, now=1.5, nonce="1")
    two = fork(record, diamond["right"].id, now=1.5, nonce="2")
    one = one.edited(transcript_text=b'[{"content":"one","step_id":"%b"}]' % diamond["left"].id.encode())
    two = two.edited(transcript_text=b'[{"content":"two","step_id":"%b"}]' % diamond["right"].id.encode())
    joined = merge([one, two], [diamond["left"].id, diamond["right"].id], inputs={}, now=1.5, nonce="")
    assert [item["content"] for item in joined.transcript] == ["one"]


def test_an_empty_graph_has_nothing_to_join() -> None:
    empty = make_record([])
    assert isinstance(empty.graph, Graph)
    with pytest.raises(LookupFailure):
        preview_merge([empty], ["a", "b"])


def test_main_stays_at_its_tip_when_that_is_not_a_parent(record: RunRecord, diamond: dict[str, Step]) -> None:
    longer = extended(record, "the tip")
    tip = longer.graph.ids[-1]
    longer = longer.with_graph(longer.graph, refs={"main": tip})
    parents = [diamond["left"].id, diamond["right"].id]
    once = merge([longer], parents, inputs={"n": 1}, now=3.5, nonce="")
    twice = merge([once], parents, inputs={"n": 2}, now=3.5, nonce="")
    assert twice.refs == {"main": tip, "merge": once.graph.ids[-1], "merge-2": twice.graph.ids[-1]}
    assert twice.status is longer.status


def test_a_new_run_of_one_run_has_an_id_and_a_lineage_of_its_own(record: RunRecord, diamond: dict[str, Step]) -> None:
    parents = [diamond["left"].id, diamond["right"].id]
    made = merge([record], parents, inputs={}, now=3.5, nonce="n", new_run=True)
    assert made.run_id != record.run_id
    assert made.lineage.merge is not None
    assert [source["run_id"] for source in made.lineage.merge["sources"]] == [record.run_id] * 2
    assert made.graph.ids[:-1] == record.graph.ids
    assert verify(reader.decode(reader.encode(made))).ok


def test_a_prefix_that_is_ambiguous_in_one_run_is_refused_though_another_knows_it_alone() -> None:
    steps: list[Step] = []
    while len({step.id[0] for step in steps}) == len(steps):
        steps.append(make_step(f"step {len(steps)}"))
    shared = steps[-1].id[0]
    many, one = make_record(steps), make_record(steps[-1:])
    with pytest.raises(LookupFailure, match="names several steps"):
        merge([one, many], [shared, steps[0].id], inputs={}, now=1.5, nonce="")


def test_a_step_called_several_is_said_to_be_missing(record: RunRecord, diamond: dict[str, Step]) -> None:
    with pytest.raises(LookupFailure, match="in any of the runs"):
        preview_merge([record, extended(record, "more")], ["several", diamond["left"].id])
