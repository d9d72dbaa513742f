"""The whole graph in few pixels: nothing that matters is lost, and every pixel is somewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scenes import forked, grid

from opentine_gui.scene.overviews.density import MinimapImage, _stamp, density_picture, density_size
from opentine_gui.scene.space.camera import Camera, Viewport, view_rect
from opentine_gui.scene.theme import DARK, THEMES, Theme, kind_code

HUGE = grid(50, 2000)
HUGE_KINDS = np.full(100_000, kind_code("tool"), dtype=np.uint8)


def bad_pixels(pixels: np.ndarray, theme: Theme = DARK) -> int:
    bad = np.array(theme.bad[:3]) / 255
    return int((np.abs(pixels[..., :3] - bad).max(axis=-1) < 0.01).sum())


@hypothesis_settings(max_examples=40)
@given(st.integers(0, 99_999))
def test_a_single_failing_step_among_a_hundred_thousand_is_seen(failing: int) -> None:
    picture = MinimapImage(HUGE, HUGE_KINDS, np.array([failing]), (220, 140), DARK).pixels
    assert bad_pixels(picture) >= 4


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_without_a_failure_nothing_is_painted_in_its_colour(theme: Theme) -> None:
    picture = MinimapImage(HUGE, HUGE_KINDS, np.array([], dtype=np.int64), (220, 140), theme).pixels
    assert bad_pixels(picture, theme) == 0


def test_the_picture_is_what_a_texture_takes() -> None:
    picture = MinimapImage(HUGE, HUGE_KINDS, None, (220, 140), DARK).pixels
    assert picture.shape == (140, 220, 4)
    assert picture.dtype == np.float32
    assert picture.min() >= 0
    assert picture.max() <= 1


def test_every_card_of_a_small_graph_has_the_colour_of_its_kind_where_it_lies() -> None:
    layout = forked()
    kinds = np.arange(7, dtype=np.uint8) % 5
    image = MinimapImage(layout, kinds, None, (220, 140), DARK)
    for center, code in zip(layout.centers.tolist(), kinds.tolist(), strict=True):
        x, y = image.to_map(*center)
        expected = np.array(DARK.kind(("think", "tool", "model", "done", "error")[code])[:3]) / 255
        assert image.pixels[int(y), int(x), :3] == pytest.approx(expected, abs=0.01)
        assert image.pixels[int(y), int(x), 3] > 0.4
    assert image.pixels[0, 0, 3] == 0


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
def test_minimap_and_world_lead_to_each_other(x: float, y: float) -> None:
    image = MinimapImage(HUGE, HUGE_KINDS, None, (60, 40), DARK)
    assert image.to_world(*image.to_map(x, y)) == pytest.approx((x, y), abs=1e-4)


def test_all_of_the_graph_lies_inside_the_minimap() -> None:
    for layout in (HUGE, forked(), grid(1, 5000), grid(3000, 1)):
        count = len(layout.centers)
        image = MinimapImage(layout, np.zeros(count, dtype=np.uint8), None, (220, 140), DARK)
        for x, y in ((layout.bounds[0], layout.bounds[1]), (layout.bounds[2], layout.bounds[3])):
            px, py = image.to_map(x, y)
            assert -1e-6 <= px <= 220 + 1e-6
            assert -1e-6 <= py <= 140 + 1e-6


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5), st.floats(1e-4, 4))
def test_the_view_rectangle_stays_inside_and_can_be_seen(x: float, y: float, zoom: float) -> None:
    image = MinimapImage(forked(), np.zeros(7, dtype=np.uint8), None, (220, 140), DARK)
    left, top, right, bottom = image.view_rectangle(Camera(x, y, zoom), Viewport(1200, 800))
    assert 0 <= left <= right <= 220
    assert 0 <= top <= bottom <= 140
    assert right - left >= 6 - 1e-6
    assert bottom - top >= 6 - 1e-6


def test_the_view_rectangle_follows_the_camera() -> None:
    image = MinimapImage(HUGE, HUGE_KINDS, None, (220, 140), DARK)
    camera, viewport = Camera(6000, 120_000, 0.02), Viewport(200, 1000)
    left, top, right, bottom = image.view_rectangle(camera, viewport)
    x0, y0, x1, y1 = view_rect(camera, viewport)
    assert image.to_world(left, top) == pytest.approx((x0, y0), abs=1e-6)
    assert image.to_world(right, bottom) == pytest.approx((x1, y1), abs=1e-6)


def test_a_density_picture_shows_the_rectangle_it_was_asked_for() -> None:
    kinds = np.full(6, kind_code("tool"), dtype=np.uint8)
    layout = grid(2, 3)
    rect = (-130.0, -60.0, 130.0, 300.0)
    picture = density_picture(layout.centers, (220, 80), kinds, None, rect, (260, 360), DARK)
    painted = picture[..., 3] > 0
    assert painted[20:100, 20:240].all()
    assert not painted[:, :19].any()
    assert not painted[105:135].any()
    assert painted[60, 130]
    assert not painted[118, 130]


def test_crowded_pixels_are_stronger_than_lonely_ones() -> None:
    centers = np.array([[0.0, 0.0]] * 30 + [[5000.0, 0.0]])
    picture = density_picture(
        centers, (220, 80), np.zeros(31, dtype=np.uint8), None, (-5000.0, -5000.0, 10_000.0, 5000.0), (30, 20), DARK
    )
    strengths = sorted(set(picture[picture[..., 3] > 0][:, 3].tolist()))
    assert len(strengths) == 2


def test_an_empty_graph_is_a_clear_picture() -> None:
    picture = MinimapImage(grid(0, 1), np.zeros(0, dtype=np.uint8), None, (20, 10), DARK).pixels
    assert not picture.any()


def test_a_density_picture_is_half_as_sharp_as_the_screen_and_never_over_a_million_pixels() -> None:
    assert density_size((0, 0, 10_000, 6000), 0.1) == (500, 300)
    width, height = density_size((0, 0, 1e6, 1e6), 0.01)
    assert 900_000 <= width * height <= 1_000_000
    assert density_size((0, 0, 1, 1), 0.01) == (1, 1)


def test_a_map_of_several_runs_has_their_colours() -> None:
    layout = grid(2, 4)
    owners = np.repeat(np.array([1, 0], dtype=np.uint8), 4)
    picture = MinimapImage(layout, owners, None, (60, 60), DARK, ("side_a", "side_b")).pixels
    seen = {tuple(np.rint(pixel[:3] * 255).astype(int)) for row in picture for pixel in row if pixel[3] > 0}
    assert seen == {DARK.side_a[:3], DARK.side_b[:3]}


@given(st.integers(1, 400), st.integers(1, 6), st.integers(1, 3), st.integers(0, 10_000))
def test_boxes_are_stamped_in_order_whether_they_all_lie_within_or_not(
    count: int, wide: int, tall: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    columns, rows = random.integers(-3, 24, count), random.integers(-2, 12, count)
    marks = random.integers(1, 200, count).astype(np.uint8)
    inside = (columns >= 0) & (columns + wide <= 24) & (rows >= 0) & (rows + tall <= 12)
    for chosen in (np.ones(count, dtype=bool), inside):
        expected = np.zeros((12, 24), dtype=np.uint8)
        # Pixel by pixel of the box, as many boxes at once as there are: within one pixel of it later ones win.
        for down in range(tall):
            for across in range(wide):
                for x, y, mark in zip(columns[chosen], rows[chosen], marks[chosen], strict=True):
                    if 0 <= x + across < 24 and 0 <= y + down < 12:
                        expected[y + down, x + across] = mark
        codes = np.zeros((12, 24), dtype=np.uint8)
        _stamp(codes, columns[chosen], rows[chosen], marks[chosen], wide, tall)
        assert codes.tolist() == expected.tolist()
