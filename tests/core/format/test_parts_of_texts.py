"""A long list or object is cut between its members alone, and what is checked in parts is checked as in one."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.core import TineError
from opentine_gui.core.format import duplicate_keys, text_blocks
from opentine_gui.core.format.checks import own_keys, structure_count
from opentine_gui.core.format.duplicate_keys import check_values
from opentine_gui.core.format.text_blocks import parts_of

TEXTS = st.text('a\\",[]{}:é', max_size=12)
KEYS = TEXTS | st.sampled_from(["a" * 64, "0" * 64, "event:sha256:" + "7" * 64])  # as ids of steps are
VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | TEXTS,
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=40,
)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_blocks, "BLOCK", 8)
    monkeypatch.setattr(duplicate_keys, "LONG", 16)
    monkeypatch.setattr(duplicate_keys, "PART_OF_LIST", 32)
    monkeypatch.setattr(duplicate_keys, "SLICE", 24)


@pytest.mark.usefixtures("small_blocks")
@given(st.lists(VALUES, max_size=8) | st.dictionaries(KEYS, VALUES, max_size=8))
def test_the_parts_of_a_text_have_its_members_in_order(value: list[object] | dict[str, object]) -> None:
    parts = [json.loads(part) for part in parts_of(msgspec.json.encode(value))]
    if isinstance(value, list):
        assert [item for part in parts for item in part] == value
    else:
        assert [pair for part in parts for pair in part.items()] == list(value.items())
        assert own_keys(msgspec.json.encode(value)) == len(value)


def test_a_long_list_is_cut_into_parts_of_about_a_block() -> None:
    for item in ("", "x" * 50, {"a": [1, "]"]}, [[1], [2]]):
        parts = list(parts_of(msgspec.json.encode([item] * 100_000)))
        assert max(map(len, parts)) < 1.1 * text_blocks.BLOCK + 1000


def test_records_that_hold_records_are_cut_between_the_outer_ones() -> None:
    inner = {f"{number:064x}": {"text": '"},{[' * 40} for number in range(400)}
    steps = {f"{number:064x}": {"inputs": inner, "turns": [{"a": 1}, {"a": 2}]} for number in range(1000, 1012)}
    for value in (steps, [*steps.values()]):
        parts = [json.loads(part) for part in parts_of(msgspec.json.encode(value))]
        assert len(parts) > 2
        if isinstance(value, dict):
            assert {key: member for part in parts for key, member in part.items()} == value
        else:
            assert [member for part in parts for member in part] == value


@pytest.mark.usefixtures("small_blocks")
@given(VALUES, st.booleans())
def test_a_text_is_checked_in_parts_as_in_one(value: object, doubled: bool) -> None:
    text = msgspec.json.encode({"first": value, "then": [value, {"a": value}]}, order="sorted")
    if doubled:
        text = text[:-3] + b',"\\u0061":1}]}'
        with pytest.raises(TineError, match="twice"):
            check_values([text])
        return
    bare = b"".join(text_blocks.without_strings(text))
    found = check_values([text])
    assert found.structure == structure_count(bare)
    assert found.tidy
