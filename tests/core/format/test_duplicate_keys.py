"""Keys given twice: encoding what was decoded proves the same as looking at every key."""

from __future__ import annotations

import json
import re
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opentine_gui.core.errors import FormatError, LimitError
from opentine_gui.core.format import checks, duplicate_keys, text_blocks
from opentine_gui.core.format.checks import DuplicateKey, check_encoding, check_keys, exact_structure_count
from opentine_gui.core.format.duplicate_keys import check_values

scalars = st.sampled_from(["1", "-0.5", "1e5", "true", "null", '"a"', '"\\u0061\\"{["', '"é🙂"', '""', "[]", "{}"])
names = st.sampled_from(['"a"', '"b"', '"\\u0061"', '"é"', '"a\\"b"', '""', '"\\ud83d\\ude42"'])


def _object(members: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{name}:{value}" for name, value in members) + "}"


def _list(items: list[str]) -> str:
    return "[" + ",".join(items) + "]"


texts = st.recursive(
    scalars,
    lambda inner: st.lists(st.tuples(names, inner), max_size=3).map(_object) | st.lists(inner, max_size=3).map(_list),
    max_leaves=12,
)


def refused(check: Any, *arguments: Any) -> str:
    try:
        check(*arguments)
    except DuplicateKey as error:
        return str(error)
    return ""


@given(st.lists(texts, max_size=4))
@example(['{"a":{"a":1}}', '{"b":1,"b":2}'])
@example(['{"\\u0061":1,"b":[{"c":[{"a":1,"\\u0061":2}]}]}'])
def test_encoding_again_finds_what_looking_at_every_key_finds(values: list[str]) -> None:
    raw = [value.encode() for value in values]
    exact = bool(refused(check_keys, b"[" + b",".join(raw) + b"]"))
    assert bool(refused(check_values, raw)) == exact


def test_what_lies_deeper_than_texts_are_compared_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = b'{"a":' * 40 + b'{"b":1,"b":2}' + b"}" * 40
    assert "'b'" in refused(check_values, [deep])
    monkeypatch.setattr(duplicate_keys, "MOST_ROUNDS", 0)
    assert "'b'" in refused(check_values, [deep])


@given(st.lists(texts, max_size=4))
def test_structure_is_counted_on_the_way(values: list[str]) -> None:
    raw = [value.encode() for value in values]
    try:
        counted = check_values(raw).structure
    except DuplicateKey:
        return
    exact = sum(map(exact_structure_count, raw))
    assert counted >= exact
    if not any(b"\\" in text or not text.isascii() for text in raw):
        assert counted == exact


def test_depth_is_that_of_the_texts_the_values_are_parts_of() -> None:
    inner = b"[" * 500 + b"]" * 500
    check_values([inner], [b'{"a":%b}' % inner], 11)
    with pytest.raises(LimitError, match="512"):
        check_values([inner], [b'{"a":%b}' % inner], 12)
    check_values([inner], outside=12)
    with pytest.raises(LimitError, match="512"):
        check_values([inner], outside=13)


@given(st.lists(texts, max_size=4))
def test_long_texts_are_looked_at_where_they_lie_with_the_same_result(values: list[str]) -> None:
    raw = [value.encode() for value in values]
    if refused(check_values, raw):
        return
    with mock.patch.object(duplicate_keys, "MOST_JOINED", 0):
        found = check_values(raw)
    assert found == check_values(raw)


figures = (
    st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.integers(1, 10**6).map(lambda n: n / 1e8)
)


@given(st.lists(figures, min_size=1, max_size=3))
@example([0.0001])
@example([0.0000999])
@example([1e16])
@example([-0.0])
def test_a_number_is_spelled_as_canonical_json_spells_it_or_not(numbers: list[int | float]) -> None:
    canonical = json.dumps(numbers, separators=(",", ":")).encode()
    spellings = {canonical, msgspec.json.encode(numbers), canonical.replace(b"e", b"E")}
    spellings.add(("[" + ",".join(f"{number:f}" for number in numbers) + "]").encode())
    for text in spellings:
        values = msgspec.json.decode(text, type=list[int | float])
        again = json.dumps(values, separators=(",", ":")).encode()
        assert duplicate_keys.spelled_as(values, text) == (again == text)


@pytest.mark.parametrize("text", ["1e400", '{"a":[-1E999]}', "9" * 400 + ".5", '{"\\u0061":1e400}'])
def test_a_number_no_float_can_hold_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="too large"):
        check_values([text.encode()])
    check_values([b"1" * 400, b"1e-400", b"-1e300", b'"1e999"'])


@given(st.lists(st.sampled_from(["\\ud83d", "\\ude42", "\\uD83D\\uDE42", "\\u0041", "\\\\", "ud83d", "x"]), max_size=8))
@example(["\\\\", "ud83d"])
@example(["\\ud83d", "\\ud83d", "\\ude42"])
def test_half_a_surrogate_pair_is_found_where_it_stands(pieces: list[str]) -> None:
    text = '"' + "".join(pieces) + '"'
    value = json.loads(text)
    lone = [place for place, letter in enumerate(value) if "\ud800" <= letter <= "\udfff"]
    if not lone:
        check_encoding(text.encode())
        return
    with pytest.raises(FormatError, match="half of a surrogate pair") as caught:
        check_encoding(text.encode())
    before = msgspec.json.decode(text[: int(str(caught.value).rpartition("byte ")[2].rstrip(")"))] + '"')
    assert len(before) == lone[0]


TOKENS = st.lists(
    st.sampled_from(
        ['"', "\\", '\\"', '"a"', '"[{"', "[", "]", "{", "}", ":", ",", "1234567890", "-1.5e+10", " ", "é"]
    ),
    max_size=60,
).map("".join)


@given(TOKENS, st.integers(1, 40))
@example('\\12"a"""', 6)  # no JSON: a number before the last string of a block
def test_a_text_without_its_strings_is_the_same_in_blocks_of_any_size(text: str, block: int) -> None:
    raw = text.encode()
    whole = re.sub(rb'"(?:[^"\\]|\\.)*"?', b"", raw, flags=re.DOTALL)
    with mock.patch.object(text_blocks, "BLOCK", block):
        pieces = list(text_blocks.without_strings(raw))
    assert b"".join(pieces).replace(b" ", b"") == whole.replace(b" ", b"")


@pytest.mark.parametrize("before", ["[", '["a",', "[1.5,", "[-"])
def test_a_number_is_not_cut_where_a_block_ends(before: str) -> None:
    for size in (checks.MAXIMUM_DIGITS, checks.MAXIMUM_DIGITS + 1):
        for start in (
            text_blocks.BLOCK - 2 * size,
            text_blocks.BLOCK - size,
            text_blocks.BLOCK - 10,
            text_blocks.BLOCK - len(before),
        ):
            text = " " * start + before + "1" * size + ', "x"]'
            if size > checks.MAXIMUM_DIGITS:
                with pytest.raises(LimitError):
                    checks.check_digits(text.encode())
            else:
                checks.check_digits(text.encode())


@given(st.lists(st.sampled_from(["1", "-2.5", "true", "null", "1e3", "-0", "1E2", "10"]), min_size=2, max_size=30))
def test_a_long_list_of_numbers_is_checked_in_parts_as_it_is_as_a_whole(numbers: list[str]) -> None:
    text = f"[{','.join(numbers)}]".encode()
    whole = check_values([text])
    with mock.patch.object(duplicate_keys, "PART_OF_LIST", 5):
        assert check_values([text]) == whole
        with pytest.raises(FormatError, match="finite"):
            check_values([text[:-1] + b",1e999]"])
