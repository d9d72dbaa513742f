"""A page shows all of a text, wraps without losing a character, copies what is seen, and costs what is on it."""

from __future__ import annotations

import re
from time import perf_counter
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from opentine_gui.app.inspect.reading.find_text import Finder, pattern_for
from opentine_gui.app.inspect.reading.page import Page
from opentine_gui.app.inspect.reading.places import Place
from opentine_gui.app.inspect.reading.reader import Reader, Section, beginning
from opentine_gui.describe.content.lines import (
    PIECE,
    IndentedLines,
    JoinedLines,
    Lines,
    clean_text,
    plain,
    prose,
    text_lines,
)
from opentine_gui.describe.content.show_value import show_value
from opentine_gui.describe.content.table import table_lines
from opentine_gui.describe.content.tree_lines import Folds
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.styled import LONGEST_LINE
from tests.app.inline_jobs import InlineJobs
from tests.gallery import picture

METRICS = FontMetrics()
BITS = ["a", "word", " ", "\n", "\r\n", "\t", "\x1b[31m", "\u0301", "漢", "\u202e", '"']
RECORDED = st.text(st.characters(), max_size=300) | st.lists(st.sampled_from(BITS), max_size=80).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | RECORDED,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(RECORDED, inner, max_size=5),
    max_leaves=12,
)


def page_of(lines: Lines, width: float = 300.0, height: float = 400.0) -> Page:
    page = Page(METRICS, 1.0)
    page.resize(width, height)
    page.set_lines(lines)
    return page


def copied(page: Page) -> str:
    page.select_all()
    return page.selected_text()


@given(RECORDED)
def test_copying_all_of_a_text_gives_the_cleaned_text(text: str) -> None:
    assert copied(page_of(text_lines(text, plain))) == clean_text(text)


def test_copying_a_text_of_many_pieces_and_a_line_without_end_gives_it_whole() -> None:
    text = "x" * (3 * PIECE) + "\r\n" + "".join(f"line {number}\n" for number in range(3 * LONGEST_LINE))
    assert copied(page_of(text_lines(text, plain))) == clean_text(text)


@given(RECORDED, st.floats(1, 900), st.sampled_from([plain, prose]))
@example("\t漠", 1.0, plain)  # the last letter is wider than a row
def test_the_rows_of_a_line_are_the_line(text: str, width: float, style: Any) -> None:
    page = page_of(text_lines(text, style), width, 1e5)
    seen: dict[int, str] = {}
    for row in page.rows():
        assert row.begin < row.end or not page.line(row.line).text
        seen[row.line] = seen.get(row.line, "") + page.line(row.line).text[row.begin : row.end]
    assert "\n".join(seen[index] for index in sorted(seen)) == clean_text(text)


@given(RECORDED, st.lists(st.integers(-40, 40), max_size=8), st.floats(60, 900))
def test_scrolling_never_leaves_the_text_nor_an_empty_page_below_it(text: str, moves: list[int], width: float) -> None:
    page = page_of(text_lines(text, prose), width, 100)
    for rows in moves:
        page.scroll(rows)
        shown = page.rows()
        assert shown
        assert len(shown) >= page.rows_in_view or (shown[0].line, shown[0].number) == (0, 0)
        begin, end = page.scrolled()
        assert 0 <= begin < end <= 1


@given(RECORDED.filter(lambda text: clean_text(text).strip() != ""), st.data())
def test_a_place_that_is_pressed_is_the_place_that_is_selected(text: str, data: st.DataObject) -> None:
    page = page_of(text_lines(text, plain), 200, 100)
    x, y = data.draw(st.floats(0, 200)), data.draw(st.floats(0, 100))
    place = page.place_at(x, y)
    assert 0 <= place.offset <= len(page.line(place.line).text)
    begin, end = page.word_at(place)
    assert begin.offset <= place.offset <= end.offset


@settings(max_examples=50)
@given(VALUES)
@example("a\u0301" + "\x1b[m\u0301\u0301" * 9)
def test_any_value_can_be_shown_and_selected(value: Any) -> None:
    page = page_of(show_value(value, Folds()).lines)
    assert len(page.rows()) >= 1
    text = copied(page)
    assert text == clean_text(text)


def test_a_string_in_a_tree_is_copied_with_real_line_ends_and_quotes() -> None:
    page = page_of(show_value({"said": 'He said "no".\nThen he left.'}, Folds()).lines)
    assert 'He said "no".\nThen he left.' in copied(page)


@pytest.mark.serial
def test_a_page_costs_what_is_on_it_however_long_the_text_is() -> None:
    def frame_seconds(count: int) -> float:
        page = page_of(text_lines("".join(f"{n} some words of a log that goes on\n" for n in range(count)), plain))
        best = 1e9
        for _ in range(3):
            begun = perf_counter()
            for share in (0.9, 0.1, 0.5, 1.0):
                page.scroll_to_share(share)
                page.rows()
                page.scroll(7)
                page.scrolled()
                page.place_at(50, 50)
            best = min(best, perf_counter() - begun)
        return best

    assert frame_seconds(200_000) < 4 * frame_seconds(10_000)


def test_reveal_brings_a_distant_place_on_screen_and_leaves_a_near_page_alone() -> None:
    page = page_of(text_lines("\n".join(map(str, range(5000))), plain))
    page.reveal(Place(4000, 0))
    assert 4000 in {row.line for row in page.rows()[: page.rows_in_view]}
    top = page.top
    page.reveal(Place(4001, 0))
    assert page.top == top


def test_a_text_is_found_wherever_it_stands_and_walked_in_both_directions() -> None:
    jobs = InlineJobs()
    page = page_of(text_lines("\n".join(f"line {number}" for number in range(5000)), plain))
    finder = Finder(jobs, page, lambda: None)
    finder.find("LINE 49")
    jobs.apply(1.0)
    assert finder.matches is not None
    assert len(finder.matches) == 111  # 49, 490 to 499, 4900 to 4999
    assert page.selected_text() == "line 49"
    assert finder.next(1) == 1
    assert page.selected_text() == "line 49" and page.selection == (Place(490, 0), Place(490, 7))
    assert 490 in {row.line for row in page.rows()}
    assert finder.next(-1) == 0
    assert finder.next(-1) == 110, "from the first to the last"
    finder.find("")
    assert page.needle is None and finder.matches is None


def test_a_search_that_was_stopped_says_so_and_begins_again_with_the_next_match() -> None:
    jobs = InlineJobs()
    page = page_of(text_lines("\n".join(f"line {number}" for number in range(5000)), plain))
    changes: list[bool] = []
    finder = Finder(jobs, page, lambda: changes.append(finder.stopped))
    jobs.hold = True
    finder.find("line 49")
    (job,) = jobs.held
    jobs.stop(job.key)
    assert (finder.stopped, finder.matches, changes) == (True, None, [True])
    finder.follow()
    assert jobs.idle, "nothing begins what the user stopped"
    jobs.hold = False
    finder.next(1)
    jobs.apply(1.0)
    assert not finder.stopped and len(finder.matches or ()) == 111


@pytest.mark.parametrize("goes", [True, False])
def test_what_was_to_be_lit_and_was_stopped_counts_as_nothing(*, goes: bool) -> None:
    jobs = InlineJobs()
    finder = Finder(jobs, page_of(text_lines("line\n" * 5000, plain)), lambda: None)
    jobs.hold = True
    finder.light("a search", re.compile("line"), goes=goes)
    jobs.stop(jobs.held[0].key)
    assert finder.lit == [] and jobs.idle


@pytest.mark.parametrize("value", ["word " * 20_000, ["word"] * 20_000], ids=["text", "list"])
def test_a_value_whose_reading_was_stopped_says_so_and_is_read_when_one_comes_back(value: object) -> None:
    jobs = InlineJobs()
    reader = Reader(jobs, METRICS, 1.0, lambda: None)
    reader.page.resize(900, 9000)
    jobs.hold = True
    reader.show("value", [Section(value)])
    before, begun = shown(reader.page), len(reader.page.lines)
    jobs.stop(jobs.held[0].key)
    stopped = "Reading it was stopped. Leave it and come back to try again."
    assert shown(reader.page) == [*(before if isinstance(value, str) else []), stopped]
    jobs.hold = False
    reader.show("another", [Section("short")])
    reader.show("value", [Section(value)])
    jobs.apply(1.0)
    assert stopped not in shown(reader.page) and len(reader.page.lines) > begun


def test_a_picture_whose_decoding_was_stopped_says_so_and_is_decoded_when_one_comes_back() -> None:
    jobs = InlineJobs()
    reader = Reader(jobs, METRICS, 1.0, lambda: None)
    value = f"data:image/png;base64,{picture(size=(40, 30))}"
    reader.show("value", [Section(value)])
    jobs.apply(1.0)
    lines = reader.page.lines
    (figure,) = [figure for number in range(len(lines)) if (figure := lines[number].figure) is not None]
    jobs.hold = True
    assert reader.pixels(figure.name, 0) is None
    jobs.stop(jobs.held[0].key)
    assert reader.problem(figure.name) == "decoding it was stopped"
    assert reader.pixels(figure.name, 0) is None and jobs.idle
    jobs.hold = False
    reader.show("another", [Section("short")])
    reader.show("value", [Section(value)])
    reader.pixels(figure.name, 0)
    jobs.apply(1.0)
    assert reader.pixels(figure.name, 0) is not None and reader.problem(figure.name) == ""


def test_lines_that_unfold_are_searched_as_well_and_the_page_stays() -> None:
    jobs = InlineJobs()
    page = page_of(text_lines("\n".join(f"line {number}" for number in range(100)), plain))
    finder = Finder(jobs, page, lambda: None)
    finder.find("line 9")
    jobs.apply(1.0)
    finder.next(1)
    assert (finder.number, len(finder.matches or ())) == (1, 11)
    page.set_lines(text_lines("\n".join(f"line {number}" for number in range(1000)), plain), keep_place=True)
    top = page.top
    finder.follow()
    jobs.apply(1.0)
    assert len(finder.matches or ()) == 111
    assert page.top == top
    finder.follow()
    assert jobs.idle


def test_a_page_goes_back_to_where_it_stood_when_what_is_typed_matches_no_longer() -> None:
    jobs = InlineJobs()
    page = page_of(text_lines("\n".join(f"line {number}" for number in range(400)), plain))
    finder = Finder(jobs, page, lambda: None)
    page.go_to(20)

    def typed(text: str | None) -> int:
        finder.light(text, pattern_for(text) if text is not None else None)
        jobs.apply(1.0)
        return page.top

    assert typed("line 9") > 60, "the first letters are found far away"
    assert typed("line 399") > 300
    assert typed("line 399 or so") == 20
    assert typed("line 25") == 20, "it is in view there"
    assert typed("line 300") > 200
    assert typed(None) == 20, "nothing is looked for"
    assert typed("line 300") > 200
    page.go_to(100)
    assert typed("line 300 or so") == 100, "where the user scrolled it"


def table_page() -> Page:
    """A page with a table of 400 rows between two texts, at a height of 20 rows."""
    rows = "\n".join(["id,name", *(f"{number},name {number}" for number in range(400))])
    after = "\n".join(f"line {number}" for number in range(50))
    table = IndentedLines(table_lines(rows, ",").lines, 12.0)
    return page_of(JoinedLines([text_lines("words " * 30, prose), table, text_lines(after, plain)]), 500.0, 400.0)


def shown(page: Page) -> list[str]:
    return [page.line(row.line).text.strip() for row in page.rows()]


def test_the_heading_of_a_table_stays_in_view_while_its_rows_are_scrolled() -> None:
    page = table_page()
    heading = next(number for number in range(len(page.lines)) if page.lines[number].rule)
    names = page.lines[heading].text.strip()
    for top in range(heading + 1, heading + 390):
        page.go_to(top)
        assert shown(page)[0] == names, "in place of the first row"
        assert shown(page)[1] == page.lines[top + 1].text.strip(), "the next one is not covered"
        assert len(page.rows()) == len(set(page.rows())) == 21
        assert page.place_at(60.0, 5.0).line == top, "a press does not select from far above"
        assert page.scrolled()[0] == pytest.approx(top / len(page.lines))
    page.go_to(heading)
    assert shown(page)[:2] == [names, page.lines[heading + 1].text.strip()]
    last = next(number for number in range(len(page.lines)) if "name 399" in page.lines[number].text)
    page.go_to(last)
    assert shown(page)[0] == page.lines[last].text.strip(), "there are no more rows below it"
    page.go_to(last + 5)
    assert names not in shown(page)


@pytest.mark.parametrize("start", [0, 200, 390])
def test_a_row_that_is_looked_for_is_not_behind_the_heading(start: int) -> None:
    page = table_page()
    heading = next(number for number in range(len(page.lines)) if page.lines[number].rule)
    for wanted in (1, 2, 3, 198, 199, 200, 201, 399):
        page.go_to(heading + 1 + start)
        page.reveal(Place(heading + 1 + wanted, 0))
        assert any(row.line == heading + 1 + wanted for row in page.rows()[: page.rows_in_view])


@pytest.mark.parametrize(
    ("text", "face"),
    [
        ("2026-11-22 06:00:00 INFO reader: record 1 read\n" * 900, "mono"),
        ("It was read, as we said before.\n" * 900, "text"),
    ],
)
def test_while_a_large_text_is_read_its_beginning_has_the_face_it_will_have(text: str, face: str) -> None:
    shown = beginning([Section(text, "Result")])[3]
    assert {span.face for span in shown.spans} == {face}
