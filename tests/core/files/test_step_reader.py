"""Records taken apart: what is counted and checked on the way is what the exact checks find."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.generate import agent_run
from opentine_gui.core.files.step_reader import StoredSteps
from opentine_gui.core.format.checks import DuplicateKey, exact_structure_count

RECORDS = [msgspec.json.decode(bytes(raw)) for raw in agent_run(40).graph.raws]


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """A record of a run, some of its containers empty, null or not there, in sorted order or another one."""
    record = dict(draw(st.sampled_from(RECORDS)))
    for name in draw(st.sets(st.sampled_from(["inputs", "outputs", "tool_info", "error"]))):
        record[name] = draw(st.sampled_from([None, {}]))
    parents = draw(st.sampled_from([None, [], ["a", ""], "absent"]))
    record.pop("parent_ids")
    if parents != "absent":
        record["parent_ids"] = parents
    if draw(st.booleans()):
        record["billing"] = {"status": "partial", "more": [{}, []]}
    if draw(st.booleans()):
        record["other"] = {"a": [1, {"b": []}]}
    return record if draw(st.booleans()) else dict(sorted(record.items()))


def taken(identity: str, record: bytes) -> int:
    """The structural characters of one record, taken as the only one of a file, without its own colon and comma."""
    return StoredSteps().take(msgspec.json.encode({identity: msgspec.Raw(record)})) - 2


@given(records())
def test_no_structural_character_of_a_record_is_missed(record: dict[str, Any]) -> None:
    text = msgspec.json.encode(record)
    assert taken(record["id"], text) >= exact_structure_count(text)


@given(records(), st.data())
def test_a_key_given_twice_anywhere_in_a_record_is_refused(record: dict[str, Any], data: st.DataObject) -> None:
    text = msgspec.json.encode(dict(sorted(record.items())))
    name = data.draw(st.sampled_from([key for key in record if text.count(b'"%b":' % key.encode()) == 1]))
    member = b'"%b":' % name.encode()
    value = msgspec.json.encode(record[name])
    for again in (member, b'"\\u%04x' % ord(name[0]) + member[2:]):
        doubled = text.replace(member, again + value + b"," + member)
        with pytest.raises(DuplicateKey, match=name):
            taken(record["id"], doubled)
