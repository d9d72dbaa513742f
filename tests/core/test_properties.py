"""What must hold for every document: round trips, closures, unions, and that no single change goes unseen."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from opentine_gui.core import EditError, RunRecord, Step, TineError, canonical, fork, merge, verify
from opentine_gui.core.files import reader
from opentine_gui.core.format.canonical import canonical_texts
from opentine_gui.core.format.container import unwrap, wrap
from tests.core.sample_runs import make_record, make_step

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NUMBER = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBER | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
OBJECT = st.dictionaries(TEXT, JSON, max_size=4)


@st.composite
def records(draw: st.DrawFn) -> RunRecord:
    """Runs of random shape: every step picks any of the steps before it as parents."""
    steps: list[Step] = []
    for number in range(draw(st.integers(1, 12))):
        parents = draw(st.lists(st.sampled_from([step.id for step in steps]), max_size=3)) if steps else []
        step = make_step([number, draw(JSON)], *parents, cost=draw(st.floats(0, 10)))
        steps.append(step)
    return make_record(steps, metadata={"note": draw(JSON)}, manifest=draw(OBJECT.filter(lambda o: "model" not in o)))


@given(JSON)
def test_canonical_text_decodes_to_the_same_value_and_stays_itself(value: Any) -> None:
    text = canonical(value)
    assert text == json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    assert canonical_texts([text])[0] is text
    assert canonical(json.loads(text)) == text


@given(JSON, st.booleans(), st.booleans())
def test_any_spelling_of_a_value_has_its_canonical_text(value: Any, ascii_only: bool, ordered: bool) -> None:
    spelled = json.dumps(value, ensure_ascii=ascii_only, sort_keys=ordered, separators=(",", ":")).encode()
    again = msgspec.json.encode(value) if isinstance(value, str) else spelled
    assert bytes(canonical_texts([spelled])[0]) == canonical(value)
    assert bytes(canonical_texts([again])[0]) == canonical(value)


@given(records())
def test_a_saved_record_loads_equal_and_is_saved_the_same_again(record: RunRecord) -> None:
    text = reader.encode(record)
    again = reader.decode(text)
    assert again.graph.ids == record.graph.ids
    assert list(again.graph) == list(record.graph)
    assert again.graph.parents == record.graph.parents
    assert (again.manifest, again.metadata["note"]) == (record.manifest, record.metadata["note"])
    assert reader.encode(again) == text
    assert verify(again).ok
    assert text == json.dumps(json.loads(text), indent=2, sort_keys=True).encode()


@given(records(), st.data())
def test_a_fork_is_closed_under_parents_and_its_steps_are_verbatim(record: RunRecord, data: st.DataObject) -> None:
    point = data.draw(st.sampled_from(record.graph.ids))
    child = fork(record, point, now=1.5, nonce="")
    wanted = {record.graph.ids[position] for position in record.graph.ancestors(record.graph.index(point))}
    assert set(child.graph.ids) == wanted
    for identity in child.graph.ids:
        assert child.graph.raw(identity) == record.graph.raw(identity)
        assert child.graph.parent_ids(identity) == record.graph.parent_ids(identity)
    assert verify(reader.decode(reader.encode(child))).ok


@given(records(), records(), st.data())
def test_a_merge_is_the_union_with_parents_before_children(one: RunRecord, two: RunRecord, data: st.DataObject) -> None:
    places = [(0, data.draw(st.sampled_from(one.graph.ids))), (1, data.draw(st.sampled_from(two.graph.ids)))]
    try:
        joined = merge([one, two], places, inputs={"text": "join"}, now=1.5, nonce="", allow_ancestor=True)
    except EditError:
        same_step = places[0][1] == places[1][1]
        assert same_step
        return
    wanted: set[str] = set()
    for record, (_, tip) in zip((one, two), places, strict=True):
        wanted |= {record.graph.ids[position] for position in record.graph.ancestors(record.graph.index(tip))}
    assert set(joined.graph.ids[:-1]) == wanted
    assert all(parent < child for child, above in enumerate(joined.graph.parents) for parent in above)
    assert verify(reader.decode(reader.encode(joined))).ok


@given(records(), st.data())
def test_any_single_changed_payload_is_found(record: RunRecord, data: st.DataObject) -> None:
    document = json.loads(reader.encode(record))
    identity = data.draw(st.sampled_from(record.graph.ids))
    part = data.draw(st.sampled_from(["inputs", "outputs", "tool_info", "error"]))
    document["graph"]["steps"][identity][part]["added"] = data.draw(JSON)
    found = verify(reader.decode(json.dumps(document).encode()))
    assert found.digest.reason == "digest mismatch"
    assert found.mismatches == (identity,) or found.redacted == (identity,)
    assert identity in found.damaged
    assert identity not in found.still_standing


@given(records(), st.data())
def test_any_single_changed_byte_is_found_or_refused(record: RunRecord, data: st.DataObject) -> None:
    text = bytearray(reader.encode(record))
    end = text.index(b'\n  "metadata"')
    place = data.draw(st.integers(0, end - 1))
    text[place] ^= data.draw(st.integers(1, 127))
    before = json.loads(reader.encode(record))
    try:
        changed = reader.decode(bytes(text))
    except TineError:
        return
    same = json.loads(bytes(text))
    if canonical({**same, "metadata": 0}) != canonical({**before, "metadata": 0}):
        assert verify(changed).digest.reason == "digest mismatch"


@given(st.binary(max_size=400))
@settings(max_examples=300)
def test_random_bytes_give_a_document_or_a_tine_error(data: bytes) -> None:
    for prefix in (b"", b"TINEZ1\x00\x01", b'{"run_id":'):
        try:
            record = reader.decode(prefix + data)
        except TineError:
            continue
        assert reader.decode(reader.encode(record)).run_id == record.run_id


@given(st.binary(min_size=600, max_size=5000))
def test_a_wrapped_text_unwraps_to_itself(text: bytes) -> None:
    assert unwrap(wrap(text + b" " * 600, "zlib"))[0] == text + b" " * 600
