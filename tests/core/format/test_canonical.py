"""Canonical texts: what is taken as canonical without being made anew is what making it anew gives."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from opentine_gui.core.errors import FormatError
from opentine_gui.core.files import reader
from opentine_gui.core.format.canonical import canonical, canonical_texts, read_step_id, step_id
from opentine_gui.core.format.checks import DuplicateKey
from opentine_gui.core.format.duplicate_keys import check_values, tidy_numbers
from opentine_gui.core.graph.graph import CANONICAL
from opentine_gui.core.graph.step_address import canonical_records
from tests.core.sample_runs import make_record, make_step

ESCAPES = [r"\"", r"\\", r"\/", r"\b", r"\f", r"\n", r"\r", r"\t", r"\\u00E9", r"\\/"]
CODES = [f"{number:04x}" for number in (0, 8, 9, 10, 11, 12, 13, 0x1B, 0x1F, 0x20, 0x41, 0x5A, 0x7E, 0x7F, 0x80, 0xE9)]
CODES += ["0fff", "2019", "4e2d", "a9bc", "ffff", "d83d\\ude42"]
PIECES = ESCAPES + [f"\\u{code}" for code in CODES] + [f"\\u{code.upper()}" for code in CODES if "\\" not in code]
STRINGS = st.lists(st.sampled_from([*PIECES, "a", "é", "🙂", "\x7f", "{[:,"]), max_size=4).map(
    lambda pieces: '"' + "".join(pieces) + '"'
)
PLAIN = ["0", "-7", "9" * 30, "0.5", "-0.0", "100000.0", "1e-05", "1e+22", "1770000000.1234567", "5e-324"]
OTHERWISE = [
    "-0",
    "0.50",
    "1e5",
    "1E5",
    "1e-5",
    "1e22",
    "1e16",
    "10000000000000000.0",
    "0.1234567890123456789",
    "1e-999",
]
NUMBERS = st.sampled_from(PLAIN + OTHERWISE)
TEXTS = st.recursive(
    STRINGS | NUMBERS | st.sampled_from(["true", "null", "{}", "[]"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ",".join(items) + "]")
        | st.lists(st.tuples(STRINGS, inner), max_size=3).map(
            lambda members: "{" + ",".join(f"{name}:{value}" for name, value in members) + "}"
        )
    ),
    max_leaves=8,
)


@given(st.lists(TEXTS, max_size=3))
@example([r'{"b":1,"a":2}'])
@example([r'{"a":[{"z":1,"y":2}]}'])
@example([r'{"a":"\/"}'])
@example(["-0"])
def test_a_text_is_kept_exactly_if_it_is_what_encoding_it_again_gives(texts: list[str]) -> None:
    raw = [text.encode() for text in texts]
    try:
        check_values(raw)
    except DuplicateKey:
        return
    wanted = [canonical(json.loads(text)) for text in texts]
    found = canonical_texts(raw)
    assert list(map(bytes, found)) == wanted
    for text, kept, exact in zip(raw, found, wanted, strict=True):
        assert (kept is text) == (text == exact)


@given(st.lists(NUMBERS))
def test_numbers_are_tidy_if_python_writes_them_so(literals: list[str]) -> None:
    wanted = all(json.dumps(json.loads(text)) == text for text in literals)
    assert tidy_numbers([text.encode() for text in literals]) == wanted


def test_a_number_without_a_value_is_refused() -> None:
    with pytest.raises(FormatError):
        canonical_texts([b"1e400"])


@pytest.mark.parametrize(
    ("written", "other"),
    [
        (b'"cost": 0.5', b'"cost": 5e-1'),
        (b'"duration": 0.5', b'"duration": 0.50'),
        (b'"timestamp": 1.5', b'"timestamp": 1.50'),
        (b'"input": 1.0', b'"input": 1.00'),
        (b'"text": "A"', b'"text": "\\u0041"'),
        (b'"model_info": "m"', b'"model_info": "\\u006d"'),
        (b'"kind": "think"', b'"kind": "\\u0074hink"'),
        (b'"cost": 0.5,\n        "duration": 0.5', b'"duration": 0.5, "cost": 0.5'),
    ],
)
def test_a_record_that_is_spelled_in_another_way_is_not_taken_as_canonical(written: bytes, other: bytes) -> None:
    record = make_record([make_step("A", cost=0.5, duration=0.5, usage={"input": 1.0})])
    text = reader.encode(record)
    graph = reader.decode(text).graph
    assert bytes(canonical_records(graph, [0])[0]) == record.graph.raw(0)
    assert graph.proved[0] == CANONICAL
    assert written in text
    graph = reader.decode(text.replace(written, other)).graph
    assert bytes(canonical_records(graph, [0])[0]) == record.graph.raw(0)
    assert graph.raw(0) != record.graph.raw(0)
    assert graph.proved[0] < CANONICAL


def test_a_step_of_format_0_has_the_address_of_any_step() -> None:
    for inputs, parents, model in (({}, [], ""), ({"b": [1, {"é": None}], "a": 1e300}, ["x", "y"], {"name": "m"})):
        assert read_step_id("tool", inputs, parents, {"o": 2}, model) == step_id(
            "tool", inputs, parent_ids=parents, outputs={"o": 2}, model_info=model
        )
