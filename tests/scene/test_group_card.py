"""What a card of several steps says stays clear of its strip of bars, at every zoom at which it is read."""

from __future__ import annotations

import pytest

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.group_strip import LEAST_TOP, Bar, Group, Member, draw_strip, strip_height
from opentine_gui.scene.cards import draw_card
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Line, Polygon, Primitive, Rect, Text
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.theme import DARK

METRICS = FontMetrics()
DESCENT = 0.45
"""Of the em, from the middle of a line to the foot of its letters that hang below it."""
HANGS, RISES = 0.22, 0.73
"""Of the em, below and above the line that letters stand on."""


@pytest.mark.parametrize("zoom", [0.6, 0.65, 0.74, 0.8, 1.0, 1.4])
@pytest.mark.parametrize("found", ["", "Two critical issues that should be mended"])
def test_the_quiet_lines_do_not_touch_the_strip(zoom: float, found: str) -> None:
    quiet = "read 7 · edited 2 files"
    bars = tuple(Bar("tool", 1.0) for _ in range(12))
    face = CardFace(
        kind="model",
        title="Review the hook chaining and the quality of its code at length",
        line=quiet,
        group=Group(31, bars, found=found),
    )
    wide, high = 220 * zoom, 80 * zoom
    items = draw_card(face, 0.0, 0.0, wide, high, zoom, Level.CARD, DARK, METRICS)
    bar = DARK.role("tool")
    strip = min(item.y0 for item in items if isinstance(item, Rect) and item.fill == bar)
    lines = [item for item in items if isinstance(item, Text) and item.text[:4] in ("read", "→ Tw", quiet[:4])]
    assert lines, "there is room for one of them"
    for line in lines:
        middle = line.y + METRICS.line_height(line.face, line.size) / 2
        assert middle + DESCENT * line.size <= strip, (line.text, zoom)


def test_the_frame_of_a_selected_group_lies_over_the_edges_of_its_stack() -> None:
    face = CardFace("Review it", kind="model", group=Group(31, (Bar("tool", 1.0),)))
    plain, selected = (
        draw_card(face, 0.0, 0.0, 220.0, 80.0, 1.0, Level.CARD, DARK, METRICS, selected=chosen)
        for chosen in (False, True)
    )
    frame = next(place for place, item in enumerate(selected) if isinstance(item, Rect) and item.edge == DARK.accent)
    below = selected[:frame]
    assert below and below == plain[: len(below)]
    edges = [point for item in below if isinstance(item, Line) for point in item.points]
    assert max(x for x, _ in edges) > 220 + 3, "the edges of the stack reach beyond the frame"


@pytest.mark.parametrize("failed", [False, True])
def test_a_users_colour_is_a_tab_and_leaves_the_edge_to_failures(failed: bool) -> None:
    drawn = {
        colour: draw_card(
            CardFace("Read it", kind="tool", failed=failed, colour=colour),
            *(0.0, 0.0, 220.0, 80.0, 1.0, Level.CARD, DARK, METRICS),
        )
        for colour in ("", "good", "bad")
    }
    for colour in ("good", "bad"):
        (tab,) = [item for item in drawn[colour] if item not in drawn[""]]
        assert isinstance(tab, Rect) and tab.fill == DARK.role(colour) and tab.y0 < 0 < tab.y1 < 10


@pytest.mark.parametrize("zoom", [0.48, 0.5, 0.54, 0.6])
@pytest.mark.parametrize("failed", [False, True])
def test_the_last_row_of_a_small_step_touches_neither_the_title_nor_the_border(zoom: float, failed: bool) -> None:
    title, line = "I'll examine the package.json of the page", "Pages are missing"
    face = CardFace(title, line, "4.5 s  12.9k tok", kind="model", failed=failed)
    items = draw_card(face, 0.0, 0.0, 220 * zoom, 80 * zoom, zoom, Level.CARD, DARK, METRICS)
    texts = [item for item in items if isinstance(item, Text)]
    first, second, last = sorted(texts, key=lambda item: item.y)[:3]
    assert (first.face, second.face) == ("title", "title")
    assert last.text.startswith("Pages" if failed else "4.5 s")
    foot, top = (
        second.y + METRICS.ascent("title", second.size) + HANGS * second.size,
        last.y + METRICS.ascent(last.face, last.size) - RISES * last.size,
    )
    assert foot <= top
    assert last.y + METRICS.ascent(last.face, last.size) + HANGS * last.size <= 80 * zoom - (2 if failed else 1)


@pytest.mark.parametrize("zoom", [0.6, 0.65, 0.74, 0.8, 1.0, 1.4])
@pytest.mark.parametrize("steps", [6, 137, 12_345])
def test_the_quiet_line_does_not_run_into_the_number_of_steps(zoom: float, steps: int) -> None:
    face = CardFace(
        kind="model",
        title="Review the hook chaining and the quality of its code at length",
        line="read 7 · edited 2 files · ran 30 · tested 12 · worked 40 min",
        group=Group(steps, tuple(Bar("tool", 1.0) for _ in range(12)), found="A finding that goes on and on, and on"),
    )
    items = draw_card(face, 0.0, 0.0, 220 * zoom, 80 * zoom, zoom, Level.CARD, DARK, METRICS)
    texts = [item for item in items if isinstance(item, Text)]
    number = next(item for item in texts if item.text == f"{steps:,}")
    top = number.y + METRICS.ascent("mono", number.size) - 0.75 * number.size  # of its digits
    for line in texts:
        if line is not number and line.y + METRICS.ascent(line.face, line.size) > top:
            assert line.x + METRICS.width(line.text, line.face, line.size) <= number.x, line.text


def test_what_was_edited_goes_before_what_was_read_where_there_is_room_for_one() -> None:
    def shown(line: str) -> str:
        face = CardFace(title="Mend the reader", line=line, group=Group(140, ()))
        items = draw_card(face, 0.0, 0.0, 132.0, 48.0, 0.6, Level.CARD, DARK, METRICS)
        said = [item.text for item in items if isinstance(item, Text) and item.text != "140"]
        return "".join(said).removeprefix("Mend the reader")

    assert shown("read 14 · edited 3 files · worked 40 min · 12 failed") == "edited 3 files · 12 failed"
    assert shown("read 14 · edited 12,345 files, every one twice") == "read 14", "half a number says nothing"


@pytest.mark.parametrize(("zoom", "named"), [(0.6, 3), (0.73, 5), (1.4, 5)])
def test_several_sub_agents_are_named_one_by_one_and_those_that_failed_are_red(zoom: float, named: int) -> None:
    names = ("Hooks", "Names", "Edge", "Git", "Size")
    members = tuple(Member(f"{name} review of all of it", name == "Names") for name in names)
    group = Group(137, tuple(Bar("tool", 1.0) for _ in range(12)), members=members, heading_of_members="5 sub-agents")
    face = CardFace("5 sub-agents: and all their tasks in one line", "read 81 · 5 failed", kind="subagent", group=group)
    w, h = 220 * zoom, 80 * zoom
    items = draw_card(face, 0.0, 0.0, w, h, zoom, Level.CARD, DARK, METRICS)
    texts = [item for item in items if isinstance(item, Text)]
    assert texts[0].text == "5 sub-agents"
    tasks = [item for item in texts if item.text.split(" ")[0].rstrip("…") in names]
    assert len(tasks) == named
    assert any(item.text == f"{5 - named} more" for item in texts) is (named < 5)
    assert [item.color for item in tasks if item.color == DARK.bad] == [DARK.bad], "one of them failed"
    strip = min(item.y0 for item in items if isinstance(item, Rect) and item.fill == DARK.role("tool"))
    for item in tasks:
        assert item.x + METRICS.width(item.text, item.face, item.size) <= w
        middle = item.y + METRICS.line_height(item.face, item.size) / 2
        assert middle + DESCENT * item.size <= strip + 1


def persons_card(title: str, line: str, zoom: float) -> list[Primitive]:
    bars = tuple(Bar("tool", 1.0) for _ in range(12))
    face = CardFace(kind="human", title=title, line=line, group=Group(31, bars, heading=True, answered=True))
    return draw_card(face, 0.0, 0.0, 220 * zoom, 80 * zoom, zoom, Level.CARD, DARK, METRICS)


def star_of(items: list[Primitive]) -> list[float]:
    """The heights of the corners of the agent's sign; [] if there is none."""
    signs = [item for item in items if isinstance(item, Polygon) and item.fill == DARK.model]
    return [y for item in signs[1:] for _, y in item.points]  # the first is the bar at the left


@pytest.mark.parametrize("zoom", [0.6, 0.65, 0.74, 0.8, 1.0, 1.4])
def test_every_card_of_a_picture_has_the_agents_sign_or_none(zoom: float) -> None:
    line, short, long = "read 7 · edited 2", "“Go on”", "“Let's do these first: flatten the install branching logic”"
    stars = [star_of(persons_card(title, line, zoom)) for title in (short, long)]
    assert bool(stars[0]) == bool(stars[1]) == (zoom > 0.7)
    assert not star_of(persons_card(short, "3 turns · edited 2", zoom)), "turns are the person's"


@pytest.mark.parametrize("zoom", [0.6, 0.65, 0.74, 0.8, 1.0, 1.4])
def test_the_agents_sign_on_a_persons_card_stands_clear_of_words_and_bars_or_is_left_out(zoom: float) -> None:
    title = "“Let's do these first: flatten the install branching logic”"
    items = persons_card(title, "read 7 · edited 2 · 2 failed", zoom)
    texts = [item for item in items if isinstance(item, Text)]
    said = [item for item in texts if item.text in ("3 turns", "2 failed") or "failed" in item.text]
    assert said, "what failed is always said"
    strip = min(item.y0 for item in items if isinstance(item, Rect) and item.fill == DARK.role("tool"))
    titles = [item for item in texts if item.face == "title"]
    foot = max(item.y + METRICS.line_height(item.face, item.size) / 2 + DESCENT * item.size for item in titles)
    for line in said:
        middle = line.y + METRICS.line_height(line.face, line.size) / 2
        assert middle - 0.4 * line.size >= foot - 1.5
        assert middle + DESCENT * line.size <= strip + 0.5
    assert all(foot - 1.5 <= y <= strip + 0.5 for y in star_of(items))


def _strip(bars: tuple[Bar, ...], zoom: float) -> list[Rect]:
    items = draw_strip(Group(len(bars), bars), 0.0, 0.0, 220 * zoom, 80 * zoom, zoom, DARK, METRICS)
    return [item for item in items if isinstance(item, Rect)]


@pytest.mark.parametrize("zoom", [0.6, 1.0])
def test_one_failure_among_many_steps_is_seen_and_colours_no_others(zoom: float) -> None:
    bars = tuple(Bar("bad" if number == 500 else "faint", 1.0 if number == 500 else 0.38) for number in range(1_000))
    rects = _strip(bars, zoom)
    red = [item for item in rects if item.fill == DARK.role("bad")]
    (top,) = red
    assert top.y1 - top.y0 == LEAST_TOP
    assert any(item.fill == DARK.role("faint") and item.y0 == top.y1 and item.x0 == top.x0 for item in rects)


@pytest.mark.parametrize("zoom", [0.6, 1.0])
def test_a_strip_is_as_red_as_its_steps_failed(zoom: float) -> None:
    every_tenth = tuple(Bar("bad" if number % 10 == 0 else "think", 1.0) for number in range(2_000))
    area = {
        role: sum(
            (item.x1 - item.x0) * (item.y1 - item.y0)
            for item in _strip(every_tenth, zoom)
            if item.fill == DARK.role(role)
        )
        for role in ("bad", "think")
    }
    assert 0 < area["bad"] < area["think"], "it was all red"
    rects = _strip(tuple(Bar("bad", 1.0) for _ in range(2_000)), zoom)
    assert {item.fill for item in rects} == {DARK.role("bad")}


@pytest.mark.parametrize("bad", [0.01, 0.5, 0.9, 0.95])
def test_a_shared_bar_is_no_higher_than_the_strip(bad: float) -> None:
    rects = _strip((Bar("tool", 1.0, bad, 0.05),) * 20, 0.6)
    assert max(item.y1 for item in rects) - min(item.y0 for item in rects) <= max(strip_height(0.6), 1 + 2 * LEAST_TOP)
    assert {item.fill for item in rects} >= {DARK.role("bad"), DARK.role("stopped")}
