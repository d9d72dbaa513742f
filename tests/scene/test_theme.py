"""Every text keeps a contrast of 4.5:1 on every ground it stands on, in every theme."""

from __future__ import annotations

import pytest

from opentine_gui.scene.theme import (
    DARK,
    KINDS,
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
@pytest.mark.parametrize("role", ["text", "quiet", "faint", "accent", "good", "bad", "side_a", "side_b", *KINDS])
@pytest.mark.parametrize("ground", ["canvas", "panel", "raised", "card"])
def test_text_can_be_read_on_every_ground(theme: Theme, role: str, ground: str) -> None:
    assert contrast(theme.role(role), theme.role(ground)) >= 4.5


@ALL
@pytest.mark.parametrize("role", ["text", "quiet", "good", "bad", "side_a", "side_b", *KINDS])
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
def test_what_is_no_text_still_stands_out(theme: Theme) -> None:
    for role in ("main_link", "shared", *KINDS):
        assert contrast(theme.role(role), theme.canvas) >= 3
    assert contrast(theme.link, theme.canvas) >= 1.8


@ALL
def test_kinds_are_told_apart_by_colour(theme: Theme) -> None:
    assert len({theme.kind(kind) for kind in KINDS}) == len(KINDS)


def test_every_theme_has_every_role_and_none_is_transparent() -> None:
    for theme in THEMES.values():
        for role in ("canvas", "edge", "hairline", "on_accent", "link", "shared"):
            assert theme.role(role)[3] == 255


def test_an_unknown_role_or_kind_is_quiet_not_an_error() -> None:
    assert DARK.role("no such role") == DARK.quiet
    assert DARK.role("name") == DARK.quiet
    assert DARK.role("tint") == DARK.quiet
    assert DARK.kind("canvas") == DARK.shared
    assert KINDS[kind_code("no such kind")] == "model"


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
