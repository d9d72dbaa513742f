"""While a run grows, panels are brought up to date one after the other, and none is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from opentine_gui.ui.arrangement.panel_turns import MOST_WAITED, PANELS_SHARE, Turns

PANELS = ("runs", "outline", "inspector", "timeline", "status")


def frame(
    turns: Turns[str], *, grows: bool = True, asked: object = "a step", news: int = 1, picture: int = 1
) -> Sequence[str]:
    return turns.of(PANELS, grows=grows, asked=asked, news=news, picture=picture)


def test_all_panels_are_synced_in_every_frame_of_a_run_that_rests() -> None:
    turns: Turns[str] = Turns()
    assert [frame(turns, grows=False, news=news) for news in range(3)] == [PANELS] * 3
    assert not turns.pending


def test_a_frame_of_a_run_that_grows_has_one_panel_and_a_round_has_them_all() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    seen: list[str] = []
    for _ in PANELS:
        turn = frame(turns, news=2)
        assert len(turn) == 1
        seen += turn
        assert turns.pending == (len(seen) < len(PANELS))
    assert set(seen) == set(PANELS)


def test_what_the_user_does_shows_in_all_panels_at_once() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    assert len(frame(turns, news=2)) == 1
    assert frame(turns, news=3, asked="another step") == PANELS
    assert len(frame(turns, news=3, asked="another step")) == 1


def test_a_new_picture_goes_first_but_not_for_ever() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    counts = [len(frame(turns, news=2, picture=picture)) for picture in range(2, 2 + 2 * (MOST_WAITED + 1))]
    assert counts == 2 * [*[0] * MOST_WAITED, 1]


def test_news_that_come_in_every_frame_starve_no_panel() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    seen = [panel for news in range(2, 2 + len(PANELS)) for panel in frame(turns, news=news)]
    assert set(seen) == set(PANELS)


def test_cards_that_move_go_before_the_panels_of_a_run_that_rests_which_then_follow_at_once() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    assert [len(frame(turns, grows=False, picture=picture)) for picture in (2, 3)] == [0, 0]
    assert turns.pending
    assert frame(turns, grows=False, picture=3) == PANELS
    assert not turns.pending


def test_what_is_pressed_while_cards_move_shows_at_once() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    assert turns.of(PANELS, grows=False, asked="a step", news=1, picture=2, pressed=True) == PANELS


def test_a_step_chosen_while_a_growing_picture_is_drawn_reaches_all_panels_after_it() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    assert frame(turns, asked="another step", picture=2) == ()
    assert frame(turns, asked="another step", picture=2) == PANELS


def test_no_panel_waits_without_a_run() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    assert turns.of(PANELS, grows=False, asked=None, news=2, picture=None) == PANELS


def test_panels_wait_for_the_picture_that_is_coming_and_then_follow() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    ask = partial(turns.of, PANELS, grows=False, asked="a group", news=2)
    assert [ask(picture=1, coming=True), ask(picture=1, coming=True), ask(picture=2)] == [(), (), ()]
    assert turns.pending
    assert ask(picture=2) == PANELS
    assert not turns.pending


def test_no_panel_waits_long_for_a_picture_that_takes_its_time() -> None:
    turns: Turns[str] = Turns()
    frame(turns, grows=False)
    seen = [turns.of(PANELS, grows=False, asked="a group", news=2, picture=1, coming=True) for _ in range(6)]
    assert seen == [*[()] * MOST_WAITED, *[PANELS] * 3]
    assert not turns.pending


def synced(
    turns: Turns[str], costs: dict[str, float], now: frozenset[str] = frozenset(), *, news: int = 1
) -> list[str]:
    """The panels that a frame syncs, each of which takes some seconds."""
    found = []
    for panel in turns.in_time(turns.of(PANELS, grows=False, asked=1, news=news, picture=1), now.__contains__):
        found.append(panel)
        clock.append(clock[-1] + costs.get(panel, 0.0))
    return found


clock = [0.0]


def test_a_frame_builds_no_panel_after_one_that_took_its_time_and_the_next_one_begins_there() -> None:
    turns: Turns[str] = Turns(clock=lambda: clock[-1])
    assert synced(turns, {"outline": 2 * PANELS_SHARE}) == ["runs", "outline"]
    assert turns.pending
    assert synced(turns, {"inspector": 2 * PANELS_SHARE}) == ["inspector"]
    assert synced(turns, {}) == ["timeline", "status", "runs", "outline", "inspector"]
    assert not turns.pending


def test_panels_that_are_slow_in_every_frame_ask_for_no_more_frames_than_it_takes_to_see_what_is_new() -> None:
    turns: Turns[str] = Turns(clock=lambda: clock[-1])
    slow = dict.fromkeys(PANELS, 2 * PANELS_SHARE)
    seen = [(synced(turns, slow), turns.pending) for _ in range(2 * len(PANELS))]
    assert [panel for panels, _ in seen for panel in panels] == [*PANELS, *PANELS]
    assert [pending for _, pending in seen] == [True] * (len(PANELS) - 1) + [False] * (len(PANELS) + 1)
    assert (synced(turns, slow, news=2), turns.pending) == (["runs"], True)


def test_a_frame_builds_one_panel_however_long_it_takes_to_ask_for_it() -> None:
    """As on a machine that did something else meanwhile; or no panel would ever have its turn."""

    def slow(_panel: str) -> bool:
        clock.append(clock[-1] + 2 * PANELS_SHARE)
        return False

    turns: Turns[str] = Turns(clock=lambda: clock[-1])
    seen = [list(turns.in_time(turns.of(PANELS, grows=False, asked=1, news=1, picture=1), slow)) for _ in PANELS]
    assert seen == [[panel] for panel in PANELS]
    assert not turns.pending


def test_a_panel_under_the_pointer_never_waits() -> None:
    turns: Turns[str] = Turns(clock=lambda: clock[-1])
    found = synced(turns, {"runs": 2 * PANELS_SHARE}, frozenset({"status"}))
    assert found == ["runs", "status"]


def test_nobody_waits_for_a_panel_that_was_hidden() -> None:
    turns: Turns[str] = Turns(clock=lambda: clock[-1])
    synced(turns, {"runs": 2 * PANELS_SHARE})
    assert turns.pending
    turns.of(("runs",), grows=False, asked=1, news=1, picture=1)
    assert not turns.pending
