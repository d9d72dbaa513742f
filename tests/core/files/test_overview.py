"""The line a list says about a document is what the open document would say, without its payloads."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from bench.generate import branching_run
from opentine_gui.core import Cancelled, LimitError, TineError, encode, fork, overview_of, read, read_overview, write
from opentine_gui.core.files import overview, storage
from tests.conftest import run_of
from tests.core.sample_runs import make_record, make_step

CORPUS = sorted((Path(__file__).parent.parent.parent / "data" / "corpus").rglob("*.tine"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_it_says_of_every_old_file_what_the_open_document_says(path: Path) -> None:
    try:
        record = read(path)
    except TineError:
        with pytest.raises(TineError):
            read_overview(path)
    else:
        assert read_overview(path) == overview_of(record)


@pytest.mark.parametrize("compress", [None, "zlib", "zstd"])
def test_a_small_file_is_not_read_as_for_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compress: storage.Compression | None
) -> None:
    record = branching_run(200)
    path = write(tmp_path / "run.tine", record, compress=compress)
    expected = overview_of(record)
    monkeypatch.setattr(overview.storage, "read", None)
    assert read_overview(path) == expected


def test_a_large_file_is_read_in_slices_and_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = branching_run(4000)
    path = write(tmp_path / "run.tine", record)
    monkeypatch.setattr(overview, "LIGHT_UP_TO", 1000)
    told: list[float] = []
    assert read_overview(path, progress=told.append) == overview_of(record)
    assert len(told) > 8
    with pytest.raises(Cancelled):
        read_overview(path, cancelled=lambda: True)


@pytest.mark.parametrize(
    "change",
    [
        {"format_version": 3},
        {"run_id": 7},
        {"created_at": "now"},
        {"metadata": []},
        {"graph": {"order": ["x"], "steps": {}}},
        {"graph": {"order": [], "steps": {"x": {"id": "x"}}}},
    ],
)
def test_what_is_not_a_document_is_refused_with_the_readers_reason(tmp_path: Path, change: dict[str, object]) -> None:
    path = write(tmp_path / "run.tine", run_of({"a": ""}))
    document = {**msgspec.json.decode(path.read_bytes()), **change}
    path.write_bytes(msgspec.json.encode(document))
    with pytest.raises(TineError) as expected:
        read(path)
    with pytest.raises(TineError) as found:
        read_overview(path)
    assert str(found.value) == str(expected.value)


def test_sources_of_forks_and_merges_are_named_once(tmp_path: Path) -> None:
    record = run_of({"a": ""})
    merge = {"sources": [{"run_id": "b"}, {"run_id": "a"}, {"run_id": 5}, "text", {"run_id": "b"}]}
    record = record.edited(metadata={**record.metadata, "forked_from": "a", "merge": merge})
    assert read_overview(write(tmp_path / "run.tine", record)).sources == ("a", "b")


def test_runs_of_a_repository_have_landmarks_of_their_own() -> None:
    """Their ids all begin alike: what tells them apart comes after the last colon."""
    first, second = (
        overview_of(make_record([msgspec.structs.replace(make_step("a"), id=f"event:sha256:{letter * 64}")]))
        for letter in "ab"
    )
    assert not set(first.landmarks) & set(second.landmarks)


def test_of_a_fork_whose_metrics_were_reset_it_says_what_was_spent_since(tmp_path: Path) -> None:
    source = branching_run(20)
    plain = fork(source, source.graph.ids[7], now=1.5, nonce="")
    reset = fork(source, source.graph.ids[7], now=1.5, nonce="", reset_metrics=True)
    longer = reset.with_graph(reset.graph.with_steps([make_step("next", source.graph.ids[7], cost=7.0)]))
    assert read_overview(write(tmp_path / "plain.tine", plain)).since_fork is None
    found = read_overview(write(tmp_path / "reset.tine", longer))
    assert found == overview_of(longer)
    assert found.since_fork is not None
    assert (found.since_fork.steps, found.since_fork.cost) == (1, 7.0)
    assert found.totals.steps == len(longer.graph)


def test_what_is_nested_too_deeply_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "deep.tine"
    value = json.loads(encode(run_of({"a": ""})))
    value["metadata"]["deep"] = json.loads("[" * 600 + "]" * 600)
    path.write_text(json.dumps(value))
    with pytest.raises(LimitError, match=r"deep\.tine: .*512 containers"):
        read_overview(path)
