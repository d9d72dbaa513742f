"""The inspector's JSON tree as rows: what is shown at first, what folds, and that hostile payloads stay small."""

from __future__ import annotations

import base64
import json
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.inspect.payload_rows import (
    MOST_ITEMS,
    SHOWN_CHARACTERS,
    SHOWN_ITEMS,
    TEXT_LIMIT,
    PayloadFolds,
    PayloadRow,
    cell_width,
    media_of,
    payload_rows,
    payload_text,
    shorten,
    stored_step,
    wrap_text,
)
from tests.conftest import MakeRun, named

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8).decode()
JPEG = base64.b64encode(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8).decode()

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=60)
payloads = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=12), inner, max_size=5),
    max_leaves=25,
)


def shown(rows: list[PayloadRow]) -> list[str]:
    """Rows as indented text."""
    marks = {None: " ", True: "v", False: ">"}
    return [f"{'  ' * row.depth}{marks[row.fold]} {row.label} {row.text}".rstrip() for row in rows]


def test_an_object_is_shown_as_a_tree() -> None:
    value = {"prompt": "Use the mirror", "evidence": ["paper_a", "paper_b"], "temperature": 0, "stream": False}
    assert shown(payload_rows(value, 60)) == [
        '  prompt "Use the mirror"',
        "v evidence 2 items",
        '    0 "paper_a"',
        '    1 "paper_b"',
        "  temperature 0",
        "  stream false",
    ]


def test_a_container_that_was_closed_stays_closed_and_one_that_was_opened_stays_open() -> None:
    value = {"small": {"a": 1}, "large": {str(number): number for number in range(100)}}
    folds = PayloadFolds()
    folds.toggle(("small",), True)
    folds.toggle(("large",), False)
    rows = payload_rows(value, 60, folds.folds, folds.whole)
    assert shown(rows)[0] == "> small 1 key"
    assert [row.fold for row in rows if row.label == "large"] == [True]
    assert len([row for row in rows if row.path[:1] == ("large",)]) == 101


def test_empty_containers_and_scalars_have_nothing_to_fold() -> None:
    rows = payload_rows({"a": {}, "b": [], "c": None, "d": 1.5}, 60)
    assert [row.text for row in rows] == ["{}", "[]", "null", "1.5"]
    assert all(row.fold is None for row in rows)


def test_a_value_that_is_no_container_is_one_row() -> None:
    assert shown(payload_rows("hello", 40)) == ['   "hello"']
    assert payload_rows(None, 40)[0].role == "constant"


def test_a_long_text_is_wrapped_over_rows_of_one_path() -> None:
    text = "The page is gone. Use the PDF mirror, then summarise section 4 only."
    rows = payload_rows({"prompt": text}, 40)
    assert len(rows) > 1
    assert {row.path for row in rows} == {("prompt",)}
    assert " ".join(row.text for row in rows) == f'"{text}"'
    assert all(len(row.text) <= 40 for row in rows)


def test_a_huge_text_shows_its_beginning_and_offers_the_rest() -> None:
    value = {"log": "x" * 3_000_000}
    rows = payload_rows(value, 80)
    assert sum(len(row.text) for row in rows) < 2 * SHOWN_CHARACTERS
    assert rows[-1].role == "more"
    assert rows[-1].text == "3.0 MB more · show all"
    everything = payload_rows(value, 80, {}, {("log",)})
    assert sum(row.text.count("x") for row in everything) == 3_000_000


def test_a_huge_list_shows_its_beginning_and_offers_the_rest() -> None:
    value = {"items": list(range(3 * MOST_ITEMS))}
    opened = {("items",): True}
    rows = payload_rows(value, 80, opened)
    assert len(rows) == SHOWN_ITEMS + 2
    assert rows[-1].text == f"{3 * MOST_ITEMS - SHOWN_ITEMS:,} more · show all"
    assert len(payload_rows(value, 80, opened, {("items",)})) == MOST_ITEMS + 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (PNG, "image/png"),
        (JPEG, "image/jpeg"),
        (f"data:image/webp;base64,{PNG}", "image/webp"),
        (f"data:application/pdf;charset=utf-8;base64,{PNG}", "application/pdf"),
    ],
)
def test_pictures_inside_texts_are_recognised(text: str, kind: str) -> None:
    found = media_of(text)
    assert found is not None
    assert found.kind == kind
    assert abs(found.size - 2056) < 8


@pytest.mark.parametrize(
    "text",
    [
        "/9j/ is how a picture begins, but this is a sentence that goes on for quite some time, as sentences do.",
        "/9j/" + "a" * 200,
        "UklGR" + "b" * 200,
        "data:image/png;base64,not base64 at all! " + "x" * 100,
        "iVBORw0KGgo",
        "plain text " * 20,
    ],
)
def test_ordinary_texts_are_not_taken_for_pictures(text: str) -> None:
    assert media_of(text) is None


def test_a_picture_is_one_row_until_its_text_is_asked_for() -> None:
    rows = payload_rows({"screenshot": PNG}, 60)
    assert shown(rows) == ["  screenshot image/png · 2 kB · show as text"]
    assert len(payload_rows({"screenshot": PNG}, 60, {}, {("screenshot",)})) > 10


def test_the_common_object_around_a_picture_says_what_it_holds() -> None:
    value = {"source": {"type": "base64", "media_type": "image/png", "data": PNG}}
    row = payload_rows(value, 60)[0]
    assert row.text == "image/png · 2 kB · 3 keys"
    assert row.fold is False


def test_terminal_escapes_and_direction_marks_do_not_reach_the_rows() -> None:
    value = {"\x1b[31mkey\u202e": "\x1b[2Jtext\u202e\ud800\x00"}
    text = "".join(row.label + row.text for row in payload_rows(value, 60))
    assert not any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in text)


def test_a_payload_nested_deeper_than_the_stack_is_cut_with_a_sentence() -> None:
    value: Any = "end"
    for _ in range(5_000):
        value = [value]
    opened = {(0,) * depth: True for depth in range(1, 1000)}
    rows = payload_rows(value, 60, opened)
    assert rows[-1].text.endswith("too deep to unfold, see the text view")
    assert "nested too deeply" in payload_text(value) or len(payload_text(value)) > 0


def test_the_text_view_is_json_and_bounded() -> None:
    value = {"a": [1, 2.5, None], "b": "漢字"}
    assert json.loads(payload_text(value)) == value
    long = payload_text({"log": ["line"] * 200_000})
    assert len(long) < TEXT_LIMIT + 1000
    assert long.endswith(f"… shown in part: the first {TEXT_LIMIT:,} characters")


def test_the_record_of_a_step_has_what_the_file_has(make_run: MakeRun) -> None:
    run = make_run({"a": "", "b": "a"})
    step = named(run, "b")
    stored = stored_step(run, step)
    assert stored["id"] == step
    assert stored["parent_ids"] == [named(run, "a")]
    assert stored["inputs"] == {"text": "b"}


@given(payloads, st.integers(8, 120))
def test_any_payload_gives_rows_that_fit_and_name_their_value(value: Any, columns: int) -> None:
    for row in payload_rows(value, columns):
        found = value
        for part in row.path:
            found = found[part]
        if row.role == "text":
            assert isinstance(found, str)
        elif row.fold is not None:
            assert isinstance(found, (dict, list))
        assert "\n" not in row.text + row.label


@given(st.text(), st.integers(8, 60))
def test_wrapping_loses_nothing_but_spaces_and_never_exceeds_the_width(text: str, columns: int) -> None:
    lines = wrap_text(text, columns)
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(sum(map(cell_width, line)) <= columns for line in lines)


@given(st.text(), st.integers(0, 40))
def test_a_shortened_text_takes_no_more_cells_than_it_may(text: str, cells: int) -> None:
    kept = shorten(text, cells)
    assert text.startswith(kept)
    assert sum(map(cell_width, kept)) <= cells


def test_the_text_view_breaks_lines_where_a_text_does_and_keeps_other_escapes() -> None:
    text = payload_text({"prompt": "one\ntwo\r\nthree", "path": "C:\\new", "said": '",\n  "cost": 0'})
    assert '"prompt": "one\ntwo\nthree"' in text
    assert '"C:\\\\new"' in text
    assert '\n  "cost"' not in text
