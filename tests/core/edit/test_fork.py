"""Forks: what is kept, what is dropped, what is named anew, and that the source stays as it was."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import (
    EditError,
    FormatError,
    LookupFailure,
    RunRecord,
    RunStatus,
    Step,
    fork,
    fork_and_edit,
    preview_fork,
    verify,
)
from opentine_gui.core.edit.fork import cut_transcript
from opentine_gui.core.files import reader
from opentine_gui.core.format.canonical import canonical
from tests.core.sample_runs import make_record, make_step


@pytest.fixture
def record(diamond: dict[str, Step]) -> RunRecord:
    steps = list(diamond.values())
    transcript = [
        {"role": "user", "content": "ask"},
        {"role": "assistant", "content": "1", "step_id": steps[0].id},
        {"role": "assistant", "content": "2", "step_id": steps[1].id},
        {"role": "tool", "content": "note"},
        {"role": "assistant", "content": "3", "step_id": steps[2].id},
        {"role": "assistant", "content": "4", "step_id": steps[3].id},
        {"role": "user", "content": "after"},
    ]
    metadata = {
        "model_info": "m",
        "system_prompt": "s",
        "user_prompt": "u",
        "tags": ["old"],
        "budget_state": {},
        "warnings": ["w"],
        "harness": "kept",
    }
    return make_record(steps, metadata=metadata, transcript_text=canonical(transcript))


def test_a_fork_keeps_what_the_point_rests_on_and_nothing_else(record: RunRecord, diamond: dict[str, Step]) -> None:
    before = reader.encode(record)
    child = fork(record, diamond["right"].id[:14], now=9.5, nonce="")
    assert child.graph.ids == (diamond["root"].id, diamond["right"].id)
    assert child.status is RunStatus.RUNNING
    assert child.created_at == 9.5
    assert child.refs == {"main": diamond["right"].id, "fork_point": diamond["right"].id}
    assert child.metadata["forked_from"] == "run"
    assert child.metadata["harness"] == "kept"
    assert {"tags", "budget_state", "warnings"}.isdisjoint(child.metadata)
    assert [item["content"] for item in child.transcript] == ["ask", "1", "note", "3"]
    assert child.cache == {}
    assert reader.encode(record) == before
    assert verify(reader.decode(reader.encode(child))).ok


def test_a_fork_says_before_what_it_keeps_and_drops(record: RunRecord, diamond: dict[str, Step]) -> None:
    preview = preview_fork(record, diamond["left"].id[:10])
    assert preview.point == diamond["left"].id
    assert preview.kept == (0, 1)
    assert preview.dropped == (2, 3, 4)
    assert preview.kept_totals.cost == 3.0
    assert preview.dropped_totals.cost == 28.0
    assert preview.kept_totals.tokens == 15
    assert preview.kept_ids == fork(record, diamond["left"].id, now=0.5, nonce="").graph.ids


def test_a_fork_of_a_branch_keeps_and_drops_what_lies_between_each_other(
    record: RunRecord, diamond: dict[str, Step]
) -> None:
    preview = preview_fork(record, diamond["right"].id)
    assert preview.kept == (0, 2)
    assert preview.dropped == (1, 3, 4)
    assert preview.kept_ids == fork(record, diamond["right"].id, now=0.5, nonce="").graph.ids
    for positions, totals in ((preview.kept, preview.kept_totals), (preview.dropped, preview.dropped_totals)):
        steps = [record.graph.step(position) for position in positions]
        assert totals.steps == len(steps)
        assert totals.cost == sum(step.cost or 0.0 for step in steps)


def test_nonces_make_forks_differ_and_no_nonce_repeats_the_id(record: RunRecord, diamond: dict[str, Step]) -> None:
    point = diamond["left"].id
    assert fork(record, point, now=1.5, nonce="").run_id == fork(record, point, now=2.5, nonce="").run_id
    assert fork(record, point, now=1.5, nonce="a").run_id != fork(record, point, now=1.5, nonce="b").run_id
    named = fork(record, point, now=1.5, nonce="a", new_run_id="mine")
    assert named.run_id == "mine"
    assert "fork" not in named.metadata


def test_a_title_tags_model_and_prompt_can_be_replaced(record: RunRecord, diamond: dict[str, Step]) -> None:
    child = fork(
        record,
        diamond["left"].id,
        now=1.5,
        nonce="",
        title="Try again",
        tags=["B", "a "],
        model_info="other",
        system_prompt="be brief",
        reason="too long",
        ref="exp",
    )
    assert (child.title, child.tags, child.model_info, child.system_prompt) == (
        "Try again",
        ("a", "b"),
        "other",
        "be brief",
    )
    assert child.metadata["fork_reason"] == "too long"
    assert child.refs["exp"] == diamond["left"].id
    assert child.metadata["fork"]["branch"] == "exp"
    assert verify(child).fork_id is True


def test_metrics_that_are_reset_leave_what_was_inherited_visible(record: RunRecord, diamond: dict[str, Step]) -> None:
    child = fork(record, diamond["left"].id, now=1.5, nonce="", reset_metrics=True)
    assert child.shown_totals.cost == 0.0
    assert child.shown_totals.steps == 0
    assert child.inherited_totals.cost == 3.0
    assert child.metadata["inherited"] == {"cost": 3.0, "duration": 3.0, "steps": 2, "tokens": 15}
    longer = child.with_graph(child.graph.with_steps([make_step("next", diamond["left"].id, cost=7.0)]))
    assert longer.shown_totals.cost == 7.0
    assert longer.own_totals.cost == 7.0
    assert longer.totals.cost == 10.0
    plain = fork(record, diamond["left"].id, now=1.5, nonce="")
    assert plain.shown_totals.cost == 3.0
    lost = child.edited(metadata={**child.metadata, "fork_point": "f" * 64})
    assert not lost.metrics_reset
    assert lost.shown_totals.cost == 3.0


def test_editing_a_step_with_one_parent_makes_a_sibling_without_outputs(
    record: RunRecord, diamond: dict[str, Step]
) -> None:
    child = fork_and_edit(record, diamond["left"].id, inputs={"text": "other"}, now=2.5, nonce="")
    assert child.graph.ids[:-1] == (diamond["root"].id,)
    sibling = child.graph.step(child.refs["main"])
    assert sibling.parent_ids == diamond["left"].parent_ids
    assert sibling.inputs == {"text": "other"}
    assert sibling.outputs == {}
    assert sibling.timestamp == 2.5
    assert verify(child).still_standing == child.graph.ids


def test_an_edited_step_keeps_its_provider_which_is_no_part_of_its_id() -> None:
    root = make_step("root")
    bare = make_step("asked", root.id)
    served = msgspec.structs.replace(bare, provider="example")
    edited = [
        fork_and_edit(make_record([root, step]), step.id, inputs={"text": "other"}, now=1.0, nonce="n")
        for step in (bare, served)
    ]
    made = [run.graph.step(run.refs["main"]) for run in edited]
    assert [step.provider for step in made] == ["", "example"]
    assert made[0].id == made[1].id


def test_editing_a_merge_step_keeps_all_its_parents(record: RunRecord, diamond: dict[str, Step]) -> None:
    child = fork_and_edit(record, diamond["join"].id, inputs={"text": "other"}, now=2.5, nonce="")
    assert set(child.graph.ids[:-1]) == {diamond[name].id for name in ("root", "left", "right")}
    assert child.graph.step(3).parent_ids == (diamond["left"].id, diamond["right"].id)
    assert child.metadata["fork_point"] == diamond["right"].id
    assert child.metadata["fork"]["slice_size"] == 3
    assert verify(child).fork_id is True


def test_editing_a_root_starts_a_run_that_names_its_source(record: RunRecord, diamond: dict[str, Step]) -> None:
    child = fork_and_edit(record, diamond["root"].id, inputs={"text": "other"}, now=2.5, nonce="q", title="T")
    assert len(child.graph) == 1
    assert child.metadata["forked_from"] == "run"
    assert "fork_point" not in child.metadata
    assert child.refs == {"main": child.graph.ids[0]}
    assert child.run_id != record.run_id
    assert verify(reader.decode(reader.encode(child))).ok


def test_an_edit_that_changes_nothing_is_refused(record: RunRecord, diamond: dict[str, Step]) -> None:
    with pytest.raises(EditError, match="already"):
        fork_and_edit(record, diamond["left"].id, inputs={"text": "left"}, now=2.5, nonce="")


def test_an_unknown_point_is_named_in_the_error(record: RunRecord) -> None:
    with pytest.raises(LookupFailure, match="nowhere"):
        fork(record, "nowhere", now=1.5, nonce="")


def test_an_empty_run_id_means_that_one_is_derived(record: RunRecord, diamond: dict[str, Step]) -> None:
    point = diamond["left"].id
    child = fork(record, point, now=1.5, nonce="n", new_run_id="")
    assert child.run_id == fork(record, point, now=1.5, nonce="n").run_id
    assert verify(reader.decode(reader.encode(child))).fork_id is True


def test_an_edit_keeps_what_the_step_rests_on_and_drops_the_step(record: RunRecord, diamond: dict[str, Step]) -> None:
    preview = preview_fork(record, diamond["left"].id, edited=True)
    child = fork_and_edit(record, diamond["left"].id, inputs={"other": 1}, now=1.5, nonce="")
    assert preview.kept_ids == child.graph.ids[:-1]
    assert len(preview.dropped) == len(record.graph) - len(preview.kept)


@st.composite
def transcripts(draw: st.DrawFn, owners: tuple[str, ...] = ("kept", "point", "dropped")) -> list[Any]:
    """Turns with and without a step, some named inside others, with text that looks like the end of a turn."""
    said = st.sampled_from(["", "},{", '},{"', '"step_id":"point"', "\\"])
    named = st.sampled_from(owners)
    turn = st.one_of(
        st.just(7),
        st.fixed_dictionaries({"content": said}, optional={"step_id": st.one_of(named, st.none())}),
        st.fixed_dictionaries({"calls": st.lists(st.fixed_dictionaries({"step_id": named, "z": said}), max_size=2)}),
        st.fixed_dictionaries(
            {"step_id": named, "calls": st.lists(st.dictionaries(said, said, max_size=1), max_size=2)}
        ),
    )
    return draw(st.lists(turn, max_size=6))


@given(transcripts())
def test_a_transcript_is_cut_by_what_its_turns_say(turns: list[Any]) -> None:
    kept_steps, point = {"kept", "point"}, "point"
    owners = [turn.get("step_id") if isinstance(turn, dict) else None for turn in turns]
    expected: list[Any] = []
    waiting: list[Any] = []
    retained = True
    for turn, owner in zip(turns, owners, strict=True):
        waiting.append(turn)
        if owner is None:
            continue
        retained = owner in kept_steps
        expected += waiting if retained else []
        waiting = []
        if owner == point:
            break
    expected += waiting if retained else []
    steps = [msgspec.structs.replace(make_step(identity), id=identity) for identity in sorted(kept_steps)]
    record = msgspec.structs.replace(make_record(steps), transcript_text=canonical(turns))
    assert json.loads(cut_transcript(record, point, record.graph)) == expected


@pytest.mark.parametrize("outputs", [[1], "text", {2: 1}, {"a": float("nan")}])
def test_an_edited_step_that_no_file_can_hold_is_refused(
    record: RunRecord, diamond: dict[str, Step], outputs: Any
) -> None:
    with pytest.raises(FormatError):
        fork_and_edit(record, diamond["left"].id, inputs={"a": 1}, outputs=outputs, now=1.0, nonce="n")
