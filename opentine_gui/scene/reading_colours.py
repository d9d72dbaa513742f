"""Colours of read text: inks and grounds by name, each ink legible on each ground in every theme."""

from __future__ import annotations

from functools import lru_cache

from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.theme import Theme, color, contrast, mixed

INKS = {
    # code
    "keyword": "think",
    "string": "good",
    "number": "human",
    "comment": "faint",
    "function": "tool",
    "type": "model",
    "decorator": "subagent",
    "operator": "quiet",
    "wrong": "bad",
    # prose, differences, logs
    "heading": "text",
    "emphasis": "policy",
    "link": "tool",
    "added": "good",
    "removed": "bad",
    "warning": "human",
    # the sixteen colours of a terminal, in their order; black and white are what can be read
    **{
        f"ansi{number}": role
        for number, role in enumerate(
            ("faint", "bad", "good", "human", "tool", "subagent", "model", "text",
             "quiet", "bad", "good", "accent", "tool", "subagent", "model", "text")
        )
    },
}  # fmt: skip
"""Name of an ink to a role of the theme."""

GROUNDS = {
    "code": ("text", 0.04),
    "added": ("good", 0.13),
    "removed": ("bad", 0.13),
    "added_mark": ("good", 0.34),
    "removed_mark": ("bad", 0.34),
    "selected": ("accent", 0.16),
    "match": ("accent", 0.16),
    "current_match": ("accent", 0.4),
    "trouble": ("bad", 0.08),
    "wrong": ("bad", 0.2),
    "written": ("accent", 0.07),
}
"""Name of a ground to (role, share): the panel's colour tinted with the role's."""

LEGIBLE = 4.5


def ink(theme: Theme, name: str, under: str = "") -> Color:
    """Return the colour of text by the name of an ink or role, or "#RRGGBB", moved until it reads on its ground."""
    # A theme is compared only where it is another object: to hash its forty colours takes longer than drawing a word.
    known = _known.get((id(theme), name, under))
    if known is None or known[0] is not theme:
        if len(_known) > MOST_KNOWN:
            _known.clear()
        known = _known[id(theme), name, under] = (theme, _ink(theme, name, under))
    return known[1]


_known: dict[tuple[int, str, str], tuple[Theme, Color]] = {}
MOST_KNOWN = 8192


def _ink(theme: Theme, name: str, under: str) -> Color:
    wanted = color(name) if name.startswith("#") else theme.role(INKS.get(name, name))
    return legible(wanted, ground(theme, under), theme)


@lru_cache(maxsize=1024)
def ground(theme: Theme, name: str) -> Color:
    """Return the colour of a ground by its name, a role, or "#RRGGBB"; the panel's for ""."""
    if not name:
        return theme.panel
    if name.startswith("#"):
        return mixed(theme.panel, color(name), 0.35)
    role, share = GROUNDS.get(name, (INKS.get(name, name), 0.2))
    return mixed(theme.panel, theme.role(role), share)


def legible(wanted: Color, on: Color, theme: Theme) -> Color:
    """Return the colour, moved towards the theme's text, then to black or white, until it can be read on `on`."""
    if contrast(wanted, on) >= LEGIBLE:
        return wanted
    for end in (theme.text, (255, 255, 255, 255), (0, 0, 0, 255)):
        if contrast(end, on) < LEGIBLE:
            continue
        for tenth in range(1, 11):
            moved = mixed(wanted, end, tenth / 10)
            if contrast(moved, on) >= LEGIBLE:
                return moved
    return theme.text
