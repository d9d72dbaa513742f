"""Themes: colours by role, and their contrast."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from opentine_gui.core.model import SHOWN_KINDS
from opentine_gui.scene.draw_list import Color

# Roles of the runs shown together, in the order they are assigned; distinguishable with all kinds of colour blindness.
RUNS = ("run_1", "run_2", "run_3", "run_4", "run_5", "run_6", "run_7", "run_8")

STATUS_ROLES = {
    "completed": "good", "failed": "bad", "running": "tool", "paused": "human",
    "turn ended": "text", "scored correct": "good", "scored incorrect": "bad",
    "refused": "stopped", "interrupted": "stopped", "no result": "stopped",
}  # fmt: skip
"""Theme roles by the word for how a run ended: a status of the format, or the words for an agent's log."""


def status_role(word: str) -> str:
    """Return the theme role that colours how a run ended; "quiet" for any other word."""
    return STATUS_ROLES.get(word, "quiet")


def color(text: str) -> Color:
    """Return (r, g, b, a), 0 to 255 each, from "#RRGGBB" or "#RRGGBBAA". ValueError for any other text."""
    digits = text.removeprefix("#")
    if len(digits) not in (6, 8):
        raise ValueError(f"{text!r} is not a colour: write #RRGGBB or #RRGGBBAA")
    red, green, blue, *alpha = bytes.fromhex(digits)
    return (red, green, blue, alpha[0] if alpha else 255)


STEP_ROLES = (*SHOWN_KINDS, "stopped")
"""Theme roles of steps by code: their kinds, and what a person refused or interrupted."""
HEAT_SHARES = (0.12, 0.3, 0.5, 0.75, 1.0)


class Theme(NamedTuple):
    """Every colour by its role: backgrounds first, then text, then meanings (verdicts, kinds, comparison)."""

    name: str
    canvas: Color
    panel: Color
    raised: Color
    hairline: Color
    card: Color
    edge: Color
    text: Color
    quiet: Color
    faint: Color
    accent: Color
    on_accent: Color
    good: Color
    bad: Color
    stopped: Color
    link: Color
    main_link: Color
    think: Color
    tool: Color
    model: Color
    done: Color
    error: Color
    human: Color
    subagent: Color
    policy: Color
    approval: Color
    side_a: Color
    side_b: Color
    shared: Color
    run_1: Color
    run_2: Color
    run_3: Color
    run_4: Color
    run_5: Color
    run_6: Color
    run_7: Color
    run_8: Color

    def role(self, name: str) -> Color:
        """Return the colour of a role or kind by name; that of quiet text for an unknown name.

        "heat_1" to "heat_5" are the levels of a figure, from the edge of a card to the accent.
        """
        if name.startswith("heat_") and name[5:].isdecimal():
            return mixed(self.edge, self.accent, HEAT_SHARES[min(int(name[5:]), len(HEAT_SHARES)) - 1])
        found = getattr(self, name, None) if name != "name" else None
        return found if isinstance(found, tuple) else self.quiet

    def kind(self, kind: str) -> Color:
        """Return the colour of a step's kind, or of one that was stopped; that of shared work for an unknown kind."""
        return self.role(kind) if kind in STEP_ROLES else self.shared

    def tint(self, name: str) -> Color:
        """Return the background of a pill in a role's colour: the canvas tinted with it."""
        return mixed(self.canvas, self.role(name), 0.2)


def kind_code(kind: str) -> int:
    """Return the code of a kind for arrays; an unknown kind counts as a model step, as the format does."""
    return SHOWN_KINDS.index(kind) if kind in SHOWN_KINDS else SHOWN_KINDS.index("model")


def mixed(a: Color, b: Color, share: float) -> Color:
    """Return the colour between `a` (share 0) and `b` (share 1)."""
    keep = 1.0 - share
    return (
        round(a[0] * keep + b[0] * share),
        round(a[1] * keep + b[1] * share),
        round(a[2] * keep + b[2] * share),
        round(a[3] * keep + b[3] * share),
    )


@lru_cache(maxsize=64)
def faded_theme(theme: Theme, share: float = 0.66) -> Theme:
    """Return the theme with everything faded towards its canvas: for cards that cannot be chosen, and ghosts."""
    faded: dict[str, Any] = {
        name: mixed(getattr(theme, name), theme.canvas, share)
        for name in theme._fields
        if name not in ("name", "canvas", "card")
    }
    return theme._replace(card=mixed(theme.card, theme.canvas, 0.5), **faded)


@lru_cache(maxsize=16)
def lifted_theme(theme: Theme) -> Theme:
    """Return the theme for a card under the pointer: a lighter background, and no text fainter than quiet."""
    return theme._replace(card=mixed(theme.card, theme.text, 0.06), edge=theme.quiet, faint=theme.quiet)


def luminance(value: Color) -> float:
    """Return the relative luminance of an opaque colour, 0 to 1 (WCAG 2.2)."""
    parts = [channel / 255 for channel in value[:3]]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: Color, b: Color) -> float:
    """Return the contrast ratio of two opaque colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def _theme(name: str, **roles: str) -> Theme:
    return Theme(name, **{role: color(value) for role, value in roles.items()})


DARK = _theme(
    "dark",
    canvas="#12151A",
    panel="#181C22",
    raised="#1E232B",
    hairline="#2A313B",
    card="#20262F",
    edge="#333C48",
    text="#E8ECF2",
    quiet="#98A3B3",
    faint="#8592A3",
    accent="#FFC857",
    on_accent="#1B1503",
    good="#8FD460",
    bad="#FF7A66",
    stopped="#C7A58F",
    link="#566273",
    main_link="#7C8798",
    think="#B79CED",
    tool="#5CB3FF",
    model="#3DD6C3",
    done="#B9E4DE",
    error="#FF7A66",
    human="#F4B942",
    subagent="#F58BD0",
    policy="#9FB3C8",
    approval="#C9D65B",
    side_a="#FF9A5C",
    side_b="#5CB3FF",
    shared="#6B7685",
    run_1="#ED7147",
    run_2="#4CF0FF",
    run_3="#AA80FF",
    run_4="#EEFF99",
    run_5="#FF99C3",
    run_6="#8EAEED",
    run_7="#B2FFD2",
    run_8="#B8AA81",
)

LIGHT = _theme(
    "light",
    canvas="#F3F5F8",
    panel="#FAFBFC",
    raised="#FFFFFF",
    hairline="#D5DAE1",
    card="#FFFFFF",
    edge="#B9C1CC",
    text="#161B22",
    quiet="#4A5564",
    faint="#596473",
    accent="#8F5B00",
    on_accent="#FFFFFF",
    good="#2C6412",
    bad="#A31F13",
    stopped="#76543F",
    link="#98A3B1",
    main_link="#6A7686",
    think="#6440B5",
    tool="#0A5A9F",
    model="#07615A",
    done="#35504E",
    error="#A31F13",
    human="#7D4F00",
    subagent="#A01B74",
    policy="#3F5872",
    approval="#555E00",
    side_a="#8F3E00",
    side_b="#0A5A9F",
    shared="#6B7685",
    run_1="#821A34",
    run_2="#006282",
    run_3="#8E12B8",
    run_4="#5E5A26",
    run_5="#002BFF",
    run_6="#5E1F00",
    run_7="#425E50",
    run_8="#0D0D82",
)

HIGH_CONTRAST = _theme(
    "high-contrast",
    canvas="#000000",
    panel="#000000",
    raised="#101010",
    hairline="#8C8C8C",
    card="#000000",
    edge="#D0D0D0",
    text="#FFFFFF",
    quiet="#E2E2E2",
    faint="#CFCFCF",
    accent="#FFE14D",
    on_accent="#000000",
    good="#A6FF70",
    bad="#FF9C8C",
    stopped="#DCC3B2",
    link="#B0B0B0",
    main_link="#FFFFFF",
    think="#D3C0FF",
    tool="#8CCBFF",
    model="#6FF5E3",
    done="#C9FBF4",
    error="#FF9C8C",
    human="#FFD06B",
    subagent="#FFB0E3",
    policy="#C9DBEE",
    approval="#E8F57A",
    side_a="#FFB784",
    side_b="#8CCBFF",
    shared="#B4BECB",
    run_1="#EDAE8E",
    run_2="#4CC3FF",
    run_3="#D24CFF",
    run_4="#E6FF99",
    run_5="#C9657E",
    run_6="#B2FFDF",
    run_7="#69944A",
    run_8="#9781B8",
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT, HIGH_CONTRAST)}
