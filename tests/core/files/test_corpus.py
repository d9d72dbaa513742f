"""Real files of all published releases, and the hand-made old forms."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opentine_gui.core import CostState, StepVerdict, read, verify, will_drop_signature
from opentine_gui.core.files import reader
from opentine_gui.core.files.digest import DigestVerdict
from opentine_gui.core.format.container import unwrap
from tests.core.sample_runs import DATA, corpus_files, corpus_id

FILES = corpus_files()
HANDMADE = sorted((DATA / "handmade").glob("*.tine"))
RELEASES = 17


def test_the_corpus_covers_every_release() -> None:
    assert len({path.parent.name.removesuffix("-zstd") for path in FILES}) == RELEASES
    assert len(FILES) == 682


@pytest.mark.parametrize("path", FILES, ids=corpus_id)
def test_a_real_file_loads_and_is_saved_as_it_was(path: Path) -> None:
    record = read(path)
    text, container = unwrap(path.read_bytes())
    assert record.container == container
    document = json.loads(text)
    if record.source_format == "2":
        assert reader.encode(record) == text
    else:
        assert record.source_format == {1: "1", None: "0"}[document.get("format_version")]
        again = reader.decode(reader.encode(record))
        assert again.source_format == "2"
        assert again.graph.ids == record.graph.ids
        assert verify(again).digest.verdict is DigestVerdict.OK


@pytest.mark.parametrize("path", FILES, ids=corpus_id)
def test_a_real_file_verifies_except_where_the_package_redacted_it(path: Path) -> None:
    found = verify(path)
    assert found.fork_id is not False
    assert StepVerdict.MISMATCH not in found.verdicts or path.stem.startswith("nested")
    old = read(path).source_format == "0"
    assert found.digest.verdict is (DigestVerdict.NONE if old else DigestVerdict.OK)
    assert bool(found.redacted) <= (path.parent.name >= "0.1.1")
    for identity in found.redacted:
        assert b"[REDACTED]" in read(path).graph.raw(identity)


@pytest.mark.parametrize("path", FILES, ids=corpus_id)
def test_an_edit_gives_a_new_digest_and_drops_the_signature(path: Path) -> None:
    record = read(path)
    again = reader.decode(reader.encode(record.edited(run_id="another")))
    assert verify(again).digest.verdict is DigestVerdict.OK
    assert again.signature is None
    assert again.run_id == "another"
    assert [bytes(raw) for raw in again.graph.raws] == [bytes(raw) for raw in record.graph.raws]


@pytest.mark.parametrize("path", HANDMADE, ids=lambda path: path.stem)
def test_hand_made_old_forms_load(path: Path) -> None:
    record = read(path)
    assert len(record.graph) in (2, 3)
    assert len(record.roots) == 1
    assert len(record.tips) == 1
    wanted = {"v2": "2", "article_graph": "1", "article_flat": "article", "legacy010": "0"}
    form = next(value for prefix, value in wanted.items() if path.stem.startswith(prefix))
    if path.stem == "legacy010_no_type_marker":
        form = "article"
    if path.stem == "article_flat_marked_numeric":
        form = "0"
    assert record.source_format == form


def test_the_articles_flat_file_keeps_times_models_and_old_ids() -> None:
    record = read(DATA / "handmade" / "article_flat_exact.tine")
    first = record.graph.step(0)
    assert first.timestamp == pytest.approx(1775744581.234)
    assert first.model_info == {"model": "claude-sonnet-4-20250514", "provider": "anthropic"}
    old = json.loads((DATA / "handmade" / "article_flat_exact.tine").read_text())["steps"][0]["id"]
    assert record.resolve(old) == first.id
    assert record.resolve(old[:9]) == first.id


def test_unknown_keys_survive_a_save() -> None:
    path = DATA / "handmade" / "v2_unknown_fields.tine"
    before = json.loads(path.read_text())
    for record in (read(path), read(path).edited(run_id="other")):
        after = json.loads(reader.encode(record))
        assert set(before) == set(after)
        assert set(before["graph"]) == set(after["graph"])
        assert before["graph"]["steps"] == after["graph"]["steps"]


def test_a_signed_file_loses_its_signature_only_when_it_is_edited() -> None:
    record = read(DATA / "corpus" / "0.12.1" / "signed_hmac.plain.tine")
    assert record.signature is not None
    assert not will_drop_signature(record)
    assert will_drop_signature(record.edited(run_id="other"))
    assert not will_drop_signature(read(DATA / "corpus" / "0.12.1" / "linear.plain.tine").edited(run_id="other"))


def test_cost_states_tell_known_from_missing() -> None:
    record = read(DATA / "corpus" / "0.12.1" / "usage_billing.plain.tine")
    states = {record.graph.head(position).cost_state for position in range(len(record.graph))}
    assert CostState.KNOWN in states
    assert [step.cost_state for step in record.graph] == [head.cost_state for head in record.graph.heads]
    assert [step.counted_cost for step in record.graph] == list(record.graph.costs)
    assert [step.tokens for step in record.graph] == [head.tokens for head in record.graph.heads]
