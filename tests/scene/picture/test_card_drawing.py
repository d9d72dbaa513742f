"""What is drawn of one card: its texts, marks, flags and colours."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes import METRICS

from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.layout import Spacing
from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import PILL_HEIGHT, Flag, placed_flags
from opentine_gui.scene.card.card_title import title_of
from opentine_gui.scene.cards import draw_card
from opentine_gui.scene.detail_level import CARD_ZOOM, TITLE_ZOOM, Level
from opentine_gui.scene.draw_list import Circle, Line, Polygon, Primitive, Rect, Text
from opentine_gui.scene.text.line_break import BORDERS
from opentine_gui.scene.theme import DARK, THEMES, Theme
from tests.scene.picture.drawn import FACE, texts

PROSE = "The importer dies on a rewind because the parent id of the first record is missing: look at the reader first"
CALL = "read(src/importers/agents/sessions/a_reader_with_a_long_name/that_goes_on/and_on/test_reader.py)"


# -- one card -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zoom", [0.62, 0.7, 1.0, 1.7, 4.0])
@pytest.mark.parametrize("seal", ["ok", "mismatch", "unsupported", "not_checkable", None])
def test_nothing_of_a_card_leaves_it_but_flags(zoom: float, seal: str | None) -> None:
    face = CardFace(FACE.title, FACE.line, FACE.figures, "think", seal, (), 12)
    w, h = 220 * zoom, 80 * zoom
    for item in draw_card(face, 0, 0, w, h, zoom, Level.CARD, DARK, METRICS):
        if isinstance(item, Text):
            assert item.x >= 0
            assert item.x + METRICS.width(item.text, item.face, item.size) <= w
            assert item.y >= 0
            assert item.y + METRICS.line_height(item.face, item.size) <= h + 1
        if isinstance(item, Circle):
            assert item.x + item.r <= w
        if isinstance(item, Polygon):
            assert all(-0.01 <= x <= w + 0.01 and -0.01 <= y <= h + 0.01 for x, y in item.points)


@pytest.mark.parametrize(
    "face",
    [FACE, replace(FACE, title="Planned"), replace(FACE, failed=True)],
    ids=["two lines", "one line", "failed"],
)
@pytest.mark.parametrize("zoom", [0.62, 0.7, 1.0, 2.0])
def test_lines_of_text_on_a_card_do_not_run_into_each_other(zoom: float, face: CardFace) -> None:
    drawn = draw_card(face, 0, 0, 220 * zoom, 80 * zoom, zoom, Level.CARD, DARK, METRICS)
    inside = [item for item in drawn if isinstance(item, Text) and item.y < 78 * zoom]  # flags hang below
    lines = [item for item in inside if not item.text.startswith("×")]
    assert len(lines) >= 3
    for upper, lower in pairwise(lines):
        assert (
            upper.y + METRICS.ascent(upper.face, upper.size) < lower.y + METRICS.ascent(lower.face, lower.size) * 0.35
        )


PROSE = "The importer dies on a rewind because the parent id of the first record is missing: look at the reader first"
CALL = "read(src/importers/agents/sessions/a_reader_with_a_long_name/that_goes_on/and_on/test_reader.py)"


def title_shown(text: str, zoom: float) -> str:
    """The title as a card of this zoom writes it, its lines joined."""
    level = Level.CARD if zoom >= CARD_ZOOM else Level.TITLE
    drawn = draw_card(
        CardFace(text, "line", "1.0 s"), 0, 0, round(220 * zoom), round(80 * zoom), zoom, level, DARK, METRICS
    )
    return "".join(item.text for item in drawn if isinstance(item, Text) and item.face == "title").replace(" ", "")


@given(st.sampled_from([PROSE, CALL, "aa " * 40, "Now 🙂 " * 20]), st.floats(TITLE_ZOOM, 3.9), st.floats(1.0, 1.4))
def test_zooming_in_never_shows_less_of_a_title(text: str, zoom: float, factor: float) -> None:
    near, far = title_shown(text, min(zoom * factor, 4.0)), title_shown(text, zoom)
    # A letter at the edge may come and go: cards are as wide as whole pixels.
    assert len(near) >= len(far) - 2, (near, far)


def test_a_title_takes_two_lines_before_it_is_elided() -> None:
    lines = [item for item in draw_card(CardFace(PROSE, "8 words"), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
             if isinstance(item, Text) and item.face == "title"]  # fmt: skip
    assert [line.x for line in lines] == [lines[0].x] * 2
    assert lines[0].text == "The importer dies on a" and lines[1].text.startswith("rewind because the")
    assert lines[1].text.endswith("…")


def test_a_title_with_nothing_below_it_takes_three_lines() -> None:
    card = draw_card(CardFace(PROSE), 0, 0, 134, 49, 0.61, Level.CARD, DARK, METRICS)
    lines = [item for item in card if isinstance(item, Text) and item.face == "title"]
    assert len(lines) == 3 and lines[0].y >= 1 and lines[2].y + lines[2].size <= 49


def test_a_failed_step_is_red_on_the_canvas_unless_its_run_colours_it() -> None:
    face = CardFace("Run the tests", "KeyError: 'parent'", "12 s", "tool", failed=True)
    for zoom, level in ((1.0, Level.CARD), (0.4, Level.TITLE)):
        card = draw_card(face, 0, 0, 220 * zoom, 80 * zoom, zoom, level, DARK, METRICS)
        assert next(item.edge for item in card if isinstance(item, Rect)) == DARK.bad
    error = draw_card(face, 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    assert next(item.color for item in error if isinstance(item, Text) and "KeyError" in item.text) == DARK.bad
    ours = draw_card(replace(face, border="side_a"), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    assert next(item.edge for item in ours if isinstance(item, Rect)) == DARK.role("side_a")


def test_the_figures_give_way_to_the_count() -> None:
    items = draw_card(FACE, 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    count = next(item for item in items if isinstance(item, Text) and item.text == "×7")
    figures = next(item for item in items if isinstance(item, Text) and item.face == "mono")
    assert figures.x + METRICS.width(figures.text, "mono", figures.size) < count.x


def test_only_what_does_not_hold_has_a_mark_and_it_reads_without_its_colour() -> None:
    shapes = {}
    for seal in ("ok", "mismatch", "unsupported", "not_checkable", None):
        items = draw_card(CardFace("t", seal=seal), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
        circles = [(item.fill is not None, item.edge is not None) for item in items if isinstance(item, Circle)]
        strokes = len([item for item in items if isinstance(item, Line)])
        polygons = len([item for item in items if isinstance(item, Polygon)])
        shapes[seal] = (tuple(circles), strokes, polygons)
    assert shapes["ok"] == shapes["not_checkable"] == shapes[None]
    assert len({shapes[seal] for seal in ("ok", "mismatch", "unsupported")}) == 3


def test_a_small_card_still_shows_that_its_id_or_one_it_rests_on_does_not_match() -> None:
    def drawn(seal: str | None) -> list[Primitive]:
        face = CardFace("Fetch the second paper", seal=seal)
        items = draw_card(face, 0, 0, 110, 40, 0.5, Level.TITLE, DARK, METRICS)
        return [item for item in items if not isinstance(item, Text)]

    assert drawn("ok") == drawn("not_checkable") == drawn(None)
    assert len({tuple(drawn(seal)) for seal in (None, "mismatch", "unsupported")}) == 3


def test_more_flags_than_fit_are_counted() -> None:
    flags = tuple(Flag(f"branch-{number}", "tool") for number in range(9))
    shown = texts(draw_card(CardFace("t", flags=flags), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS))
    drawn = [text for text in shown if text.startswith("branch")]
    assert 0 < len(drawn) < 9
    assert f"{9 - len(drawn)} more" in shown


def test_one_flag_that_is_too_long_is_elided() -> None:
    items = draw_card(CardFace("t", flags=(Flag("x" * 200, "tool"),)), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    pill = next(item for item in items if isinstance(item, Rect) and item.y0 > 80)
    assert pill.x1 - pill.x0 <= 221


def test_why_a_card_failed_is_shown_before_what_was_interrupted_and_paused() -> None:
    failure = Flag("✕ 17", "bad", more="16× disk full, no room", press=("select.step", "a"))
    asked = Flag("asked last", "human")
    quiet = (Flag("1 interrupted", "stopped"), Flag("fork here?"), Flag("pause 9 min"))
    metrics, zoom = METRICS, 0.61
    width = 220 * zoom
    beside = placed_flags((failure, *quiet), 0, 0, width, 80, zoom, metrics)
    assert beside[0].text.startswith("✕ 17  16× disk")
    assert beside[-1].text == f"{4 - len(beside) + 1} more"
    assert beside[-1].x + beside[-1].width <= width + 1
    with_prompt = [
        one.flag.text.split("  ")[0] for one in placed_flags((failure, *quiet, asked), 0, 0, width, 80, zoom, metrics)
    ]
    assert with_prompt[:2] == ["✕ 17", "asked last"], "what was asked last gives way to nothing"
    alone = placed_flags((failure, quiet[1]), 0, 0, 300, 80, zoom, metrics)
    assert [one.flag.text for one in alone] == ["✕ 17  16× disk full, no room", "fork here?"], (
        "where all have room, all is said"
    )


def test_what_has_no_room_is_left_out_or_said_in_short_before_it_is_counted() -> None:
    failure = Flag("✕ 3", "bad", more="exit code 1")
    stopped = Flag("5 interrupted", "stopped", more="by the user", short="⊖ 5")
    pause = Flag("pause 9 min", spare=True)
    width = 220 * 0.61

    def said(*flags: Flag, w: float = width) -> list[str]:
        placed = placed_flags(flags, 0, 0, w, 80, 0.61, METRICS)
        assert all(one.x + one.width <= w + 1 for one in placed)
        return [one.text for one in placed]

    assert said(failure, stopped, pause) == ["✕ 3  exit code 1", "⊖ 5"]
    assert said(failure, stopped, pause, w=400) == ["✕ 3  exit code 1", "5 interrupted  by the user", "pause 9 min"]
    assert said(stopped, pause)[0].startswith("5 interrupted"), "what is short enough is said in full"
    assert said(pause) == ["pause 9 min"]
    many = said(failure, *[Flag(f"branch {number}", "tool") for number in range(4)])
    assert many[-1].endswith(" more")


def test_a_name_is_elided_rather_than_counted_with_what_has_no_room_beside_it() -> None:
    name, status = Flag("B Fork of a run with a long name", "branch"), Flag("interrupted", "stopped")
    shown = placed_flags([name, status], 0, 0, 200, 50, 1.0, METRICS)
    assert [one.text[:9] for one in shown] == ["B Fork of", "1 more"] and shown[0].text.endswith("…")
    assert shown[-1].x + shown[-1].width <= 200
    assert [one.text for one in placed_flags([name, status], 0, 0, 90, 50, 1.0, METRICS)] == ["2 more"]


def test_of_words_that_would_be_cut_the_shorter_ones_are_said() -> None:
    stopped = Flag("⊖ 5", "stopped", more="interrupted, found nothing", less="interrupted, …")
    wide, narrow, least = (placed_flags([stopped], 0, 0, w, 50, 1.0, METRICS)[0].text for w in (300, 140, 80))
    assert wide == "⊖ 5  interrupted, found nothing"
    assert narrow == "⊖ 5  interrupted, …"
    assert least.startswith("⊖ 5  interr") and least.endswith("…")


@pytest.mark.parametrize("zoom", [0.6, 0.8, 1.0, 1.5])
def test_flags_below_a_card_and_above_the_next_one_do_not_lie_over_each_other(zoom: float) -> None:
    height, gap = Spacing().node_height * zoom, Spacing().row_gap * zoom
    below, above = Flag("A Fork of research-01", "run_1"), Flag("root divergence 1", "accent", above=True)
    (first,) = placed_flags((below,), 0, 0, 220 * zoom, height, zoom, METRICS)
    (second,) = placed_flags((above,), 0, height + gap, 220 * zoom, height, zoom, METRICS)
    assert first.y > height and first.y + PILL_HEIGHT * zoom <= second.y
    assert second.y + PILL_HEIGHT * zoom <= height + gap + 3 * zoom, "only its edge, no word of the card"


def test_a_small_card_writes_only_its_title_at_a_size_that_can_be_read() -> None:
    items = draw_card(FACE, 0, 0, 88, 32, 0.4, Level.TITLE, DARK, METRICS)
    written = [item for item in items if isinstance(item, Text)]
    assert written
    assert all(item.size >= 10 and item.face == "title" for item in written)
    assert all(item.y >= -1 and item.y + METRICS.line_height("title", item.size) <= 34 for item in written)


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
@pytest.mark.parametrize("kind", SHOWN_KINDS)
def test_each_kind_has_its_bar(theme: Theme, kind: str) -> None:
    items = draw_card(CardFace("t", kind=kind), 0, 0, 220, 80, 1.0, Level.CARD, theme, METRICS)
    (body,) = (item for item in items if isinstance(item, Rect) and item.fill == theme.kind(kind) and item.x0 == 0)
    corners = [item.points for item in items if isinstance(item, Polygon) and item.fill == theme.kind(kind)]
    upper, lower = (points for points in corners if min(x for x, _ in points) == pytest.approx(body.x0))
    assert (min(y for _, y in upper), max(y for _, y in lower)) == pytest.approx((0, 80)), "it follows both corners"
    assert max(y for _, y in upper) >= body.y0 and min(y for _, y in lower) <= body.y1, "without a gap"
    for points in (upper, lower):  # no side crosses another: every turn goes the same way
        turns = [
            (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
            for (ax, ay), (bx, by), (cx, cy) in zip(
                points, points[1:] + points[:1], points[2:] + points[:2], strict=True
            )
        ]
        assert min(turns) >= -1e-9


def test_a_title_in_two_scripts_is_drawn_in_two_faces_on_one_baseline() -> None:
    items = draw_card(CardFace("grid 🙂╬"), 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    latin, signs = (item for item in items if isinstance(item, Text))
    assert (latin.text, signs.text, signs.face) == ("grid ", "🙂╬", "text")
    assert signs.x == pytest.approx(latin.x + METRICS.width("grid ", "title", latin.size), abs=1)
    feet = [item.y + METRICS.ascent(item.face, item.size) for item in (latin, signs)]
    assert feet[0] == pytest.approx(feet[1], abs=1)


def test_addresses_keep_both_ends_when_they_are_elided_and_prose_its_beginning() -> None:
    call = "fetch(papers.example.org/2024/2404-11733)"
    shown = title_shown(call, 0.38)
    assert title_shown(call, 1.0) == call, "it fits on two lines"
    assert shown.startswith("fetch(")
    assert shown.endswith("733)")
    assert "…" in shown
    assert title_shown(PROSE, 1.0).startswith("Theimporter") and title_shown(PROSE, 1.0).endswith("…")


def test_figures_without_room_are_left_out_whole() -> None:
    face = CardFace("t", figures="2.5 s  $0.0020  1.9k tok", count=1000)
    items = draw_card(face, 0, 0, 220, 80, 1.0, Level.CARD, DARK, METRICS)
    shown = [item.text for item in items if isinstance(item, Text) and item.face == "mono"]
    assert shown == ["2.5 s  $0.0020"]


def title_lines(text: str, *, zoom: float, w: float = 220.0) -> list[str]:
    return title_of(text, None, w * zoom, zoom, 2, METRICS).lines


@pytest.mark.parametrize("zoom", [0.3, 0.4, 0.61, 1.0])
@pytest.mark.parametrize(
    "text",
    [
        "HELPER-TWO: review the reader and the writer",
        "Review extraordinarilylongidentifiers of the reader",
        "Validate packages/coding-agent/src/modes/interactive/interactive-mode.ts",
        "Have a look at https://example.org/a-long/way/to/it please",
        'which yq, ruby "YAML.safe_load(File.read(1))"',
    ],
)
def test_titles_are_broken_between_words_and_at_signs_in_them_and_never_inside_a_word(text: str, zoom: float) -> None:
    lines = title_lines(text, zoom=zoom)
    for line in lines[:-1]:
        if not line.endswith("…"):
            assert line[-1] in BORDERS or f"{line} " in text, line
            assert not line.endswith(":/")
    said = lines[-1].removesuffix("…").rstrip()
    assert said in text, "what was broken is put together as it was"


def test_a_call_with_a_path_is_broken_at_its_signs_too() -> None:
    first, second = title_lines("Read(packages/coding-agent/src/modes/interactive-mode.ts)", zoom=0.61)
    assert first[-1] in BORDERS + "…(", first
    assert second.endswith(")")


@pytest.mark.parametrize("call", ["Edit", "Calls Edit"])
@pytest.mark.parametrize("zoom", [0.38, 0.58, 1.0])
def test_a_call_on_a_file_loses_its_folders_before_the_end_of_its_name(call: str, zoom: float) -> None:
    shown = "".join(title_lines(f"{call}(docs/architecture/shadow-branch-overlap.md)", zoom=zoom))
    assert shown.startswith(f"{call}(") and shown.endswith("verlap.md)"), shown
    assert zoom < 1.0 or "…/shadow-branch-overlap.md)" in shown, shown


@pytest.mark.parametrize("zoom", [0.6, 0.8, 1.0])
@pytest.mark.parametrize("count", range(5))
def test_a_firm_flag_is_shown_whatever_else_a_card_says(zoom: float, count: int) -> None:
    firm = Flag("retry?", press=("run.fork_where", "step"), firm=True)
    others = (
        Flag("✕ 2", "bad", more="grep: wrap.ts: No such file or directory"),
        Flag("⊖ 3", "stopped", more="2 interrupted, 1 refused"),
        Flag("⑂ 3 · 412"),
        Flag("pause 9 min", short="9 min"),
        Flag("2 suspects", spare=True),
    )
    for some in permutations(others, count):
        placed = placed_flags((*some, firm), 0, 0, 220 * zoom, 80 * zoom, zoom, METRICS)
        assert placed[-1].text == "retry?" and placed[-1].flag.press == firm.press
        ends = [(one.x, one.x + one.width) for one in placed]
        assert all(before[1] < after[0] for before, after in pairwise(ends)), [one.text for one in placed]
        assert ends[-1][1] <= 220 * zoom + 16, "no further than into the gap between two columns"
