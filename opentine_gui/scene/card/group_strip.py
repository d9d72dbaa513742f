"""What a card of several steps draws besides its words: a strip of bars, a stack edge, the number of steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.scene.draw_list import Line, Point, Primitive, Rect, Text
from opentine_gui.scene.theme import Theme, mixed

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

LOOKS, RUNS, EDITS, SAVES = "faint", "tool", "think", "text"
"""Theme roles of bars by what a step does: it looks, runs something, edits, commits. Green is kept for answers."""
MOST_BARS = 96
"""Most bars in one strip; of more steps, neighbours share a bar."""
STRIP, LEAST_STRIP = 11.0, 5.0
"""Height in pixels of the highest bar at zoom 1, and on a small card, which needs the room for its words."""
NARROWEST = 2.0
"""Pixels of the narrowest bar; if there is no room for that, neighbours share a bar."""
MANY = 25
"""Cards of at least so many steps have two edges below them instead of one."""
LEAST_TOP = 2
"""Least pixels of a failure at the top of a shared bar, so that the bar stands out from its neighbours."""
ALL = 0.999
"""A share from here on counts as all steps: sums of fractions may fall short of 1."""
ENDED = ("bad", "stopped")
"""The roles of steps that did not end well; they never colour the rest of a shared bar."""
_SMALLEST = 9.5


class Bar(NamedTuple):
    """One bar of a strip: the theme role that colours it, and its height from 0 to 1.

    Of a bar that several steps share, `bad` and `stopped` are the shares of those that failed and were stopped; they
    colour so much of its top, so that one failure is seen and does not make its neighbours look failed.
    """

    role: str
    height: float
    bad: float = 0.0
    stopped: float = 0.0


class Member(NamedTuple):
    """A sub-agent on a card of several: its task, and whether something failed in it."""

    task: str
    failed: bool


class Group(NamedTuple):
    """What makes a card that of a group: how many steps, their strip, whether a person's words head it.

    `in_sub_agent` colours its bar as the sub-agent's; `failures` are counted among its steps. `answered` says that an
    agent's work follows the person's words, and `answer` is what it said last; `found` is what a sub-agent reported.
    Several `members` are named one by one below `heading_of_members`, which says how many they are.
    """

    steps: int
    strip: tuple[Bar, ...] = ()
    heading: bool = False
    in_sub_agent: bool = False
    failures: int = 0
    answered: bool = False
    found: str = ""
    members: tuple[Member, ...] = ()
    heading_of_members: str = ""
    answer: str = ""


def stack_edges(
    group: Group, x: float, y: float, w: float, h: float, radius: float, zoom: float, theme: Theme
) -> list[Primitive]:
    """The edges below a group's card, to be drawn before it: one, or two from 25 steps."""
    reach = max(3.0 * zoom, 2.0)
    items: list[Primitive] = []
    for number in range(2 if group.steps >= MANY else 1, 0, -1):
        aside = round(reach * number)
        under = mixed(theme.card, theme.canvas, 0.25 * number)
        right, foot = x + w + aside, y + h + aside
        # Only what the card leaves free of it is drawn: a whole rounded rectangle costs several times as much.
        edge = _corner(x + aside, y + aside, right, foot, radius)
        middle = _corner(x + aside, y + aside, right - reach / 2, foot - reach / 2, radius)
        items.append(Line(middle, under, reach))
        items.append(Line(edge, theme.edge, 1.0))
    return items


def _corner(left: float, top: float, right: float, foot: float, radius: float) -> tuple[Point, ...]:
    """The right and lower side of a rounded rectangle, from its upper right to its lower left corner."""
    turn = tuple(
        (right - radius * (1 - math.cos(part)), foot - radius * (1 - math.sin(part)))
        for part in (0.0, math.pi / 6, math.pi / 3, math.pi / 2)
    )
    return ((right, top + radius), *turn, (left + radius, foot))


def strip_height(zoom: float) -> float:
    """The height in pixels of the highest bar."""
    return max(LEAST_STRIP, STRIP * (1.6 * zoom - 0.6))


def number_room(group: Group, zoom: float, metrics: FontMetrics) -> tuple[float, float]:
    """The room that the number of steps takes at the right of a card: pixels from its edge, and above its foot."""
    size = max(10.0 * zoom, _SMALLEST)
    return 8.0 * zoom + metrics.width(f"{group.steps:,}", "mono", size) + 6.0, max(5.0 * zoom, 3.0) + size * 0.75


def draw_strip(
    group: Group, x: float, y: float, w: float, h: float, zoom: float, theme: Theme, metrics: FontMetrics
) -> list[Primitive]:
    """The strip along a card's lower edge, and the number of steps at its right end."""
    left, right = x + 12.0 * zoom, x + w - 8.0 * zoom
    bottom = y + h - max(5.0 * zoom, 3.0)
    tall = strip_height(zoom)
    size = max(10.0 * zoom, _SMALLEST)
    count = f"{group.steps:,}"
    width = metrics.width(count, "mono", size)
    items: list[Primitive] = [
        Text(round(right - width), round(metrics.centered_top(bottom - size * 0.36, "mono", size)), count, "mono", size,
             theme.faint)
    ]  # fmt: skip
    room = right - width - 6.0 - left
    bars = group.strip
    if not bars or room < 12:
        return items
    pitch = min(room / len(bars), max(8.0 * zoom, 6.0))
    if pitch < NARROWEST:
        bars = _merged(bars, int(room / NARROWEST))
        pitch = room / len(bars)
    gap = 1.0 if pitch >= 2.5 else 0.0
    looks = [_pieces(bar, tall) for bar in bars]
    start = 0
    for place in range(1, len(looks) + 1):
        if place < len(looks) and gap == 0.0 and looks[place] == looks[start]:
            continue  # bars that touch and are alike are drawn as one
        x0, x1 = left + start * pitch, left + place * pitch - gap
        foot = 0
        for role, height in looks[start]:
            items.append(
                Rect(round(x0, 1), bottom - foot - height, round(x1, 1), bottom - foot, theme.role(role), None, 0.0)
            )
            foot += height
        start = place
    return items


def _pieces(bar: Bar, tall: float) -> tuple[tuple[str, int], ...]:
    """The colours of a bar from its foot up, with their heights in pixels; what failed has two at least."""
    whole = max(round(bar.height * tall), 2)
    top = {
        role: max(round(share * whole), LEAST_TOP)
        for role, share in (("bad", bar.bad), ("stopped", bar.stopped))
        if share > 0.0
    }
    # The other steps keep at least a pixel.
    rest = max(whole - sum(top.values()), 1 if bar.bad + bar.stopped < ALL else 0)
    while top and rest + sum(top.values()) > max(round(tall), 1 + LEAST_TOP * len(top)):
        top[max(top, key=top.__getitem__)] -= 1
    return (*(((bar.role, rest),) if rest > 0 else ()), *top.items())


def shared_bar(bars: Sequence[Bar], role: str) -> Bar:
    """The bar that neighbours share: their mean height, and how many of them failed or were stopped.

    `role` colours the rest; it is not used where all of them failed or were stopped.
    """
    count = len(bars)
    bad = sum([1.0 if own == "bad" else share for own, _, share, _ in bars]) / count
    stopped = sum([1.0 if own == "stopped" else share for own, _, _, share in bars]) / count
    return Bar(role, sum([height for _, height, _, _ in bars]) / count, bad, stopped)


def _merged(bars: tuple[Bar, ...], most: int) -> tuple[Bar, ...]:
    """Merge neighbouring bars until there are `most`; failures among them stay visible."""
    found = []
    for place in range(max(most, 1)):
        some = bars[place * len(bars) // most : max((place + 1) * len(bars) // most, place * len(bars) // most + 1)]
        if len(some) == 1:
            found.append(some[0])
            continue
        role = next((bar.role for bar in some if bar.role not in ENDED), some[0].role)
        found.append(shared_bar(some, role))
    return tuple(found)
