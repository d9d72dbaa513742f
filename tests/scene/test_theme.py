"""Every text keeps a contrast of 4.5:1 on every ground it stands on, in every theme."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from opentine_gui.app.inspect.analysis.heat_rows import NAMED
from opentine_gui.core.analysis.heat import MOST_NAMES
from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.describe.step_titles import PLAIN_TITLES
from opentine_gui.scene.kind_glyphs import glyph
from opentine_gui.scene.theme import (
    DARK,
    RUNS,
    STEP_ROLES,
    THEMES,
    Theme,
    color,
    contrast,
    faded_theme,
    kind_code,
    lifted_theme,
    mixed,
)

ALL = pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)


def test_the_measure_itself_is_right() -> None:
    assert contrast(color("#000000"), color("#FFFFFF")) == pytest.approx(21)
    assert contrast(color("#777777"), color("#FFFFFF")) == pytest.approx(4.48, abs=0.01)


@ALL
@pytest.mark.parametrize(
    "role", ["text", "quiet", "faint", "accent", "good", "bad", "stopped", "side_a", "side_b", *RUNS, *SHOWN_KINDS]
)
@pytest.mark.parametrize("ground", ["canvas", "panel", "raised", "card"])
def test_text_can_be_read_on_every_ground(theme: Theme, role: str, ground: str) -> None:
    assert contrast(theme.role(role), theme.role(ground)) >= 4.5


@ALL
@pytest.mark.parametrize("role", ["text", "quiet", "good", "bad", "stopped", "side_a", "side_b", *RUNS, *SHOWN_KINDS])
def test_flags_can_be_read_on_their_tint(theme: Theme, role: str) -> None:
    assert contrast(theme.role(role), theme.tint(role)) >= 4.5


@ALL
def test_buttons_hovered_cards_and_counts_can_be_read(theme: Theme) -> None:
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    lifted = lifted_theme(theme)
    for role in ("text", "quiet", "faint"):
        assert contrast(lifted.role(role), lifted.card) >= 4.5
    for colors in (theme, lifted):
        assert contrast(colors.text, mixed(colors.card, colors.text, 0.1)) >= 4.5


@ALL
def test_what_is_not_text_still_stands_out(theme: Theme) -> None:
    for role in ("main_link", "shared", *SHOWN_KINDS):
        assert contrast(theme.role(role), theme.canvas) >= 3
    assert contrast(theme.link, theme.canvas) >= 1.8


@ALL
def test_kinds_are_told_apart_by_colour(theme: Theme) -> None:
    assert len({theme.kind(kind) for kind in STEP_ROLES}) == len(STEP_ROLES)


# How linear sRGB looks to eyes without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1).
VISION = {
    "all cones": np.eye(3),
    "no long": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no middle": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no short": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(value: tuple[int, int, int, int], vision: NDArray[np.float64]) -> NDArray[np.float64]:
    """A colour in CIE L*a*b* (D65) as these eyes see it."""
    parts = np.array(value[:3]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    x, y, z = TO_XYZ @ np.clip(vision @ linear, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    x, y, z = (part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@ALL
@pytest.mark.parametrize("vision", VISION)
def test_runs_are_told_apart_whatever_cones_an_eye_has(theme: Theme, vision: str) -> None:
    seen = {role: lab(theme.role(role), VISION[vision]) for role in (*RUNS, "accent", "shared")}
    for one, other in combinations(seen, 2):
        if {one, other} != {"accent", "shared"}:
            assert np.linalg.norm(seen[one] - seen[other]) > 12, (one, other)


@ALL
def test_what_steps_are_coloured_by_is_not_the_colour_of_failures(theme: Theme) -> None:
    assert len(set(NAMED)) == len(NAMED) == MOST_NAMES + 2, "none, the names, and all others"
    bad = {vision: lab(theme.bad, matrix) for vision, matrix in VISION.items()}
    for role in NAMED[1:]:
        assert np.linalg.norm(lab(theme.role(role), VISION["all cones"]) - bad["all cones"]) > 24, role
    for role in NAMED[1:4]:  # what most steps have, whatever cones an eye has
        for vision, matrix in VISION.items():
            assert np.linalg.norm(lab(theme.role(role), matrix) - bad[vision]) > 20, (role, vision)


def test_every_theme_has_every_role_and_none_is_transparent() -> None:
    for theme in THEMES.values():
        for role in ("canvas", "edge", "hairline", "on_accent", "link", "shared"):
            assert theme.role(role)[3] == 255


def test_an_unknown_role_or_kind_is_quiet_not_an_error() -> None:
    assert DARK.role("no such role") == DARK.quiet
    assert DARK.role("name") == DARK.quiet
    assert DARK.role("tint") == DARK.quiet
    assert DARK.kind("canvas") == DARK.shared
    assert SHOWN_KINDS[kind_code("no such kind")] == "model"


@ALL
def test_a_faded_theme_is_nearer_to_its_canvas(theme: Theme) -> None:
    faded = faded_theme(theme)
    assert faded.canvas == theme.canvas
    assert contrast(faded.text, theme.canvas) < contrast(theme.text, theme.canvas) / 1.5


def test_colours_are_read_with_and_without_alpha() -> None:
    assert color("#12151A") == (0x12, 0x15, 0x1A, 255)
    assert color("#12151A80") == (0x12, 0x15, 0x1A, 128)
    with pytest.raises(ValueError, match="#12"):
        color("#12")


@pytest.mark.parametrize("kind", SHOWN_KINDS)
def test_every_kind_of_step_has_a_colour_a_glyph_and_a_title_of_its_own(kind: str) -> None:
    assert kind in Theme._fields
    assert glyph(kind) is not glyph("no such kind")
    assert PLAIN_TITLES[kind]
