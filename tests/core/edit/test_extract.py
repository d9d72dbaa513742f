"""Extract: any selection's ancestors as a run of its own, which the real package reads and verifies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import opentine
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import (
    EditError,
    LookupFailure,
    RunRecord,
    RunStatus,
    extract,
    family_of,
    fork_and_edit,
    read,
    verify,
    write,
)
from tests.core.run_shapes import altered, families, runs
from tests.core.sample_runs import DATA, corpus_files, corpus_id, make_record, make_step

CURRENT = [path for path in corpus_files() if path.parent.name == "0.12.1" and path.name.endswith(".plain.tine")]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENTINE_COMPRESS", "0")


def branched() -> RunRecord:
    return read(DATA / "corpus" / "0.12.1" / "branched.plain.tine")


@pytest.mark.parametrize("path", CURRENT, ids=corpus_id)
def test_the_package_reads_what_is_taken_out_and_every_id_still_verifies(path: Path, tmp_path: Path) -> None:
    record = read(path)
    for position in range(0, len(record.graph), max(len(record.graph) // 4, 1)):
        taken = extract([record], [record.graph.ids[position]], now=7.25, nonce="n", title="evidence")
        out = write(tmp_path / f"{position}.tine", taken)
        assert opentine.Run.verify_integrity(out).ok
        run = opentine.Run.load(out)
        wanted = {record.graph.ids[place] for place in record.graph.closure([position])}
        assert {step.id for step in run.steps} == wanted
        theirs = opentine.Run.load(path).to_dict()["graph"]["steps"]
        assert run.to_dict()["graph"]["steps"] == {identity: theirs[identity] for identity in wanted}
        assert run.metadata["forked_from"] == record.run_id
        assert run.metadata["extract"]["sources"][0]["tips"] == [record.graph.ids[position]]
        if verify(path).ok:
            assert verify(out).ok


@given(runs(smallest=1), st.data())
@settings(max_examples=60)
def test_a_selection_brings_exactly_what_it_rests_on(record: RunRecord, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sampled_from(record.graph.ids), min_size=1, unique=True))
    taken = extract([record], chosen, now=1.0, nonce="n")
    wanted = record.graph.closure([record.graph.index(identity) for identity in chosen])
    assert taken.graph.ids == tuple(record.graph.ids[place] for place in wanted)
    assert set(taken.metadata["extract"]["sources"][0]["tips"]) == set(taken.tips)
    assert set(taken.refs.values()) <= set(taken.graph.ids)


@given(families())
@settings(max_examples=40)
def test_steps_of_several_runs_come_out_as_one_run_that_names_them_all(records: list[RunRecord]) -> None:
    tips = [record.main_tip for record in records]
    taken = extract(records, [tip for tip in tips if tip is not None], now=1.0, nonce="n")
    wanted: set[str] = set()
    for record in records:
        wanted.update(record.graph.ids[place] for place in record.graph.closure([record.graph.index(record.main_tip)]))
    assert set(taken.graph.ids) == wanted
    assert taken.metadata["forked_from"] == taken.metadata["extract"]["sources"][0]["run_id"]


def test_the_lineage_puts_an_extract_below_its_source() -> None:
    source = branched()
    taken = extract([source], [source.tips[0]], now=1.0, nonce="n")
    descent = family_of([taken, source]).lineage[0]
    assert descent.parent == 1
    assert descent.point == source.tips[0]


def test_a_run_cut_short_can_be_gone_on_with_and_a_whole_one_keeps_its_end() -> None:
    source = branched()
    assert source.main_tip is not None
    root = source.graph.ids[0]
    assert extract([source], [root], now=1.0, nonce="n").status is RunStatus.PAUSED
    whole = extract([source], [source.main_tip], now=1.0, nonce="n")
    assert whole.status is source.status
    assert whole.refs["main"] == source.main_tip


def test_causes_come_along() -> None:
    cause = make_step("cause")
    other = make_step("other")
    effect = make_step("effect", other.id, causal_ids=(cause.id,))
    taken = extract([make_record([cause, other, effect])], [effect.id], now=1.0, nonce="n")
    assert set(taken.graph.ids) == {cause.id, other.id, effect.id}


def test_turns_of_other_steps_stay_behind() -> None:
    first, second = make_step("one"), make_step("two")
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": "for one"},
        {"role": "assistant", "content": "said", "step_id": first.id},
        {"role": "assistant", "content": "a secret", "step_id": second.id},
    ]
    record = make_record([first, second], transcript_text=json.dumps(turns).encode())
    assert extract([record], [first.id], now=1.0, nonce="n").transcript == turns[:2]
    unnamed = make_record([first, second], transcript_text=b'[{"content":"a secret"}]')
    assert extract([unnamed], [first.id], now=1.0, nonce="n").transcript == []
    assert extract([unnamed], [first.id, second.id], now=1.0, nonce="n").transcript == [{"content": "a secret"}]


def test_two_extracts_of_the_same_steps_have_ids_of_their_own() -> None:
    source = branched()
    one, two, again = (extract([source], [source.tips[0]], now=1.0, nonce=nonce) for nonce in ("1", "2", "1"))
    assert one.run_id != two.run_id
    assert one.run_id == again.run_id


def test_nothing_and_the_unknown_are_refused() -> None:
    with pytest.raises(EditError, match="no step"):
        extract([branched()], [], now=1.0, nonce="n")
    with pytest.raises(LookupFailure, match="there is no step"):
        extract([branched()], ["beef" * 16], now=1.0, nonce="n")
    with pytest.raises(LookupFailure):
        extract([branched(), branched()], ["beef" * 16], now=1.0, nonce="n")


def test_one_id_with_two_contents_is_refused() -> None:
    source = branched()
    root = source.graph.ids[0]
    child = fork_and_edit(source, source.tips[0], inputs={"text": "else"}, now=1.0, nonce="n")
    forged = altered(child, root, inputs={"text": "forged"})
    with pytest.raises(EditError, match="different content"):
        extract([source, forged], [source.tips[0], forged.graph.ids[-1]], now=1.0, nonce="n")


def test_the_signature_and_the_digest_are_not_taken_along() -> None:
    source = branched()
    signed = msgspec.structs.replace(source, metadata={**source.metadata, "integrity": {"signature": "x"}})
    assert "integrity" not in extract([signed], [signed.graph.ids[0]], now=1.0, nonce="n").metadata
