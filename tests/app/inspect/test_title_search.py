"""Searching steps as the user types: by title, by the beginning of an id."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opentine_gui.app.inspect.title_search import MOST_FOUND, Titles, TitleSearch, read_titles, steps_with_id
from opentine_gui.core import Graph
from tests.conftest import MakeRun, named

SHAPE = {"search": "", "read": "search", "research": "search", "answer": "read"}


def titles_of(*shown: str) -> Titles:
    return Titles(Graph.empty(), shown, tuple(words.casefold() for words in shown))


def steps_with_title(titles: Titles, text: str, most: int = MOST_FOUND) -> list[int]:
    search = TitleSearch(titles, text, most)
    search.advance()
    return search.found


def test_titles_of_a_run_come_in_the_order_of_its_steps(make_run: MakeRun) -> None:
    progress: list[float] = []
    titles = read_titles(make_run(SHAPE), progress.append, lambda: False)
    assert titles.shown == tuple(SHAPE)
    assert progress[-1] == 1.0


def test_reading_titles_stops_when_nobody_wants_them_any_more(make_run: MakeRun) -> None:
    assert read_titles(make_run(SHAPE), lambda _: None, lambda: True).shown == ()


def test_a_match_at_the_start_comes_before_one_at_a_word_and_one_inside() -> None:
    titles = titles_of("re-search", "my search", "research", "search papers")
    assert steps_with_title(titles, "search") == [3, 0, 1, 2]


def test_all_typed_words_must_be_there_in_any_order() -> None:
    titles = titles_of("read paper a", "read paper b", "paper")
    assert steps_with_title(titles, "B pap") == [1]


def test_what_the_letters_abbreviate_is_found_after_everything_else() -> None:
    titles = titles_of("fetch the mirror", "ftm", "nothing", "after the storm")
    assert steps_with_title(titles, "ftm") == [1, 0]
    assert steps_with_title(titles, "femi") == [0]


def test_a_word_with_a_wrong_letter_is_found_after_everything_else() -> None:
    titles = titles_of("paper", "p", "research papers", "resaerch papers", "reserve paper")
    assert steps_with_title(titles, "resaerch pap") == [3, 2]


def test_an_empty_text_finds_nothing_and_results_are_bounded() -> None:
    titles = titles_of(*(f"step {number}" for number in range(1_000)))
    assert steps_with_title(titles, "  ") == []
    assert len(steps_with_title(titles, "step", most=50)) == 50


@given(st.lists(st.text(max_size=20), max_size=30), st.text(min_size=1, max_size=4))
def test_every_title_that_has_the_text_is_found(shown: list[str], text: str) -> None:
    titles = titles_of(*shown)
    words = text.casefold().split()
    having = {place for place, folded in enumerate(titles.folded) if words and all(word in folded for word in words)}
    assert having <= set(steps_with_title(titles, text))


def test_a_step_is_found_by_the_beginning_of_its_id_in_either_case(make_run: MakeRun) -> None:
    run = make_run(SHAPE)
    step = named(run, "research")
    place = run.graph.index(step)
    assert steps_with_id(run.graph, step[:10]) == [place]
    assert steps_with_id(run.graph, f" {step[:10].upper()} ") == [place]
    assert steps_with_id(run.graph, "") == []
    assert steps_with_id(run.graph, "zz") == []


def test_a_search_in_slices_finds_what_one_in_one_go_finds() -> None:
    titles = titles_of(*(f"step {number} of {'many' if number % 7 else 'few'}" for number in range(30_000)))
    for text in ("few", "step 29", "s29f", "of many 7"):
        search = TitleSearch(titles, text)
        turns, stages = 0, []
        while not search.done:
            search.advance(0.0)
            search.advance(1e-6)
            turns += 1
            stages.append(search.stage)
        assert turns > 5
        assert search.found == steps_with_title(titles, text)
        assert stages == sorted(stages)
