"""Every vector computed with the real package that concerns the document: ids, digests, forks, migrations, tags."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from opentine_gui.core import FormatError, Graph, canonical, fork, step_id
from opentine_gui.core.edit.fork import fork_record
from opentine_gui.core.files.reader import decode, encode
from opentine_gui.core.files.verify import check_fork_id, verify
from opentine_gui.core.format.canonical import canonical_texts
from opentine_gui.core.format.container import read_uvarint, unwrap, wrap, write_uvarint
from opentine_gui.core.format.metadata import normalised_tags
from opentine_gui.core.graph.step_address import fork_id_of
from opentine_gui.core.graph.step_record import Columns
from opentine_gui.core.record import RunRecord

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())


def read_value(text: str) -> Any:
    """A Python value with the JSON literal's own number types, arbitrarily large integers included."""
    return json.loads(text)


def document(value: Any) -> RunRecord:
    return decode(json.dumps(value).encode())


@pytest.mark.parametrize("vector", VECTORS["canonical_json"], ids=lambda vector: vector["json"][:30])
def test_canonical_json(vector: dict[str, str]) -> None:
    assert canonical(read_value(vector["json"])).decode() == vector["canonical"]


@pytest.mark.parametrize("vector", VECTORS["canonical_json"], ids=lambda vector: vector["json"][:30])
def test_canonical_text_of_a_text_is_found_whatever_its_spelling(vector: dict[str, str]) -> None:
    minified = msgspec.json.format(vector["json"].encode(), indent=-1)
    found = canonical_texts([minified])[0]
    assert bytes(found).decode() == vector["canonical"]
    assert (found is minified) == (minified.decode() == vector["canonical"])


@pytest.mark.parametrize("vector", VECTORS["step_id"], ids=lambda vector: vector["name"])
def test_step_id(vector: dict[str, Any]) -> None:
    content = {key: vector[key] for key in ("outputs", "model_info", "tool_info", "error", "parent_ids")}
    assert step_id(vector["kind"], vector["inputs"], **content) == vector["step_id"]


@pytest.mark.parametrize("number", range(len(VECTORS["integrity"])))
def test_integrity_digest(number: int) -> None:
    vector = VECTORS["integrity"][number]
    record = document(vector["artifact"])
    assert verify(record).digest.actual == vector["digest"]
    assert encode(record).decode() == vector["file_text"]
    if record.draft is None:
        assert encode(record.edited()).decode() == vector["file_text"]


@pytest.mark.parametrize("vector", VECTORS["fork_id"], ids=lambda vector: vector["name"])
def test_fork_id(vector: dict[str, Any]) -> None:
    metadata = {"integrity": {"digest": vector["claimed_digest"]}} if vector["claimed_digest"] else {}
    source = RunRecord(run_id=vector["source_id"], graph=Graph.empty(), metadata=metadata)
    ids = vector["retained_ids"]
    kept = Graph(ids, [()] * len(ids), [msgspec.Raw(b"{}")] * len(ids), Columns())
    record = fork_record(source, vector["fork_point"], kept, vector["branch"], vector["intent"], vector["nonce"])
    assert record == vector["record"]
    assert fork_id_of(record) == vector["run_id"]


@pytest.mark.parametrize("number", range(len(VECTORS["fork_run"])))
def test_forked_run_is_the_package_s_in_every_field(number: int) -> None:
    vector = VECTORS["fork_run"][number]
    child = fork(
        document(vector["source"]), vector["fork_point"], now=5.5, nonce=vector["nonce"], branch=vector["branch"]
    )
    found = json.loads(encode(child))
    assert found.pop("created_at") == 5.5
    found["metadata"].pop("integrity")
    wanted = vector["result_without_created_at"]
    wanted["metadata"].pop("integrity", None)
    assert found == wanted


def test_fork_records_of_every_release_are_recognised() -> None:
    seen = set()
    for version, vector in VECTORS["fork_id_by_version"].items():
        record = RunRecord(run_id=vector["run_id"], graph=Graph.empty(), metadata=vector["metadata"])
        expected = True if vector["metadata"].get("fork") else None
        assert check_fork_id(record) is expected, version
        seen.add(expected)
    assert seen == {True, None}


@pytest.mark.parametrize("vector", VECTORS["migration"], ids=lambda vector: vector["name"])
def test_migration_gives_the_package_s_document(vector: dict[str, Any]) -> None:
    record = decode(vector["source_text"].encode())
    found = json.loads(encode(record))
    wanted = vector["result"]
    for value in (found, wanted):
        value["metadata"].pop("integrity", None)
        for note in value["metadata"].get("migration", []):
            note.pop("tool")
    assert found == wanted


def test_a_file_of_the_first_release_keeps_its_old_ids_resolvable() -> None:
    record = decode(VECTORS["legacy_0_1_0"]["file_text"].encode())
    assert record.source_format == "0"
    assert record.resolve("6c23b87fdfc9") == record.graph.ids[0]
    assert record.resolve("bb83ab") == record.graph.ids[1]
    assert record.graph.parents == [(), (0,)]


@pytest.mark.parametrize("number", range(len(VECTORS["tags"])))
def test_tags_are_normalised(number: int) -> None:
    vector = VECTORS["tags"][number]
    assert normalised_tags(vector["in"]) == vector["out"]


@pytest.mark.parametrize("vector", VECTORS["uvarint"], ids=lambda vector: vector["hex"])
def test_uvarint(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["hex"])
    assert write_uvarint(vector["value"]) == data
    assert read_uvarint(data, 0) == (vector["value"], len(data))


def test_a_uvarint_must_be_minimal_and_must_end() -> None:
    with pytest.raises(FormatError, match="minimally"):
        read_uvarint(b"\x80\x00", 0)
    with pytest.raises(FormatError, match="malformed"):
        read_uvarint(b"\xff" * 11, 0)


@pytest.mark.parametrize("vector", VECTORS["tinez1"], ids=lambda vector: vector["codec"])
def test_tinez1_container(vector: dict[str, Any]) -> None:
    stored = base64.b64decode(vector["stored_b64"])
    text, container = unwrap(stored)
    assert text == base64.b64decode(vector["raw_b64"])
    assert container == vector["codec"].rstrip("01")
    if container != "raw":
        again = wrap(text, container)  # type: ignore[arg-type]
        assert unwrap(again) == (text, container)


def ancestry_graph() -> Graph:
    return document(VECTORS["ancestors"]["artifact"]).graph


def test_ancestors_come_in_the_package_s_order() -> None:
    graph = ancestry_graph()
    for identity, wanted in VECTORS["ancestors"]["ancestors"].items():
        assert [graph.ids[position] for position in graph.ancestors(graph.index(identity))] == wanted


def test_children_are_the_package_s() -> None:
    graph = ancestry_graph()
    for identity, wanted in VECTORS["ancestors"]["children"].items():
        assert [graph.ids[position] for position in graph.children[graph.index(identity)]] == wanted


def test_common_ancestor_is_the_package_s() -> None:
    graph = ancestry_graph()
    for vector in VECTORS["common_ancestor"]:
        found = graph.common_ancestor(graph.index(vector["a"]), graph.index(vector["b"]))
        assert (None if found is None else graph.ids[found]) == vector["result"]
