"""The pills beside a card: their texts, their places, and which one is under a point."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.scene.draw_list import Color, Primitive, Rect, Text
from opentine_gui.scene.text.clean import ELLIPSIS, shortened_end
from opentine_gui.scene.theme import Theme

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

PILL_SIZE, PILL_HEIGHT = 10.5, 17.0
FLAG_GAP = 6.0
OVER_EDGE = 2.0
"""Measures in pixels at zoom 1. A flag above a card overlaps its edge: the gap between two cards has room for the flags
below one and, only just, for those above the next."""
FLAGS_BETWEEN = FLAG_GAP + 2 * PILL_HEIGHT - OVER_EDGE
"""Units between two cards in which there is room for flags below the upper one and above the lower one."""
SMALLEST_PILL = 9.5
"""The em size at which the text of a pill stops shrinking with its card."""


class Flag(NamedTuple):
    """A pill beside a card: its text, and the theme role that colours it.

    Role "accent" is filled. Flags are drawn below the card, or above it with `above`. `press` is (an action, a step)
    for a flag that can be pressed, `hint` its tooltip. `more` is added to the text where there is room, or
    `less` where `more` would be elided; `short` replaces the text where there is too little, and a `spare` flag is left
    out before that. A `firm` one is always shown.
    """

    text: str
    role: str = "quiet"
    above: bool = False
    press: tuple[str, str] | None = None
    hint: str = ""
    more: str = ""
    less: str = ""
    short: str = ""
    spare: bool = False
    firm: bool = False


class PlacedFlag(NamedTuple):
    """A flag with the text there is room for, at `x`, `y` and `width` wide; the last one may count the others."""

    flag: Flag
    text: str
    x: float
    y: float
    width: float


def flags_in_stack(flags: Sequence[Sequence[Flag]], place: int) -> tuple[Flag, ...]:
    """Return the flags of one card of a stack, given those of all its cards from back to front.

    There is no room between the cards: the back one takes all flags drawn above, the front one all drawn below.
    """
    first, last = place == 0, place == len(flags) - 1
    every = dict.fromkeys(flag for some in flags for flag in some)
    return tuple(flag for flag in every if (first if flag.above else last))


def pill_size(text: str, zoom: float, metrics: FontMetrics) -> float:
    """Return the width in pixels of a pill around `text`."""
    return math.ceil(metrics.width(text, "title", max(PILL_SIZE * zoom, SMALLEST_PILL)) + 14 * zoom)


def placed_flags(
    flags: Sequence[Flag], x: float, y: float, w: float, h: float, zoom: float, metrics: FontMetrics
) -> list[PlacedFlag]:
    """The places of the flags of a card at `x`, `y`, `w` by `h` pixels; those without room are counted."""
    gap = 6 * zoom
    firm = [flag for flag in flags if flag.firm and not flag.above]
    usual = [flag for flag in flags if not flag.firm and not flag.above]
    if firm and usual:
        widths = [pill_size(flag.text, zoom, metrics) for flag in firm]
        before = placed_flags(usual, x, y, w - sum(widths) - gap * len(firm), h, zoom, metrics)
        last = before[-1]
        if last.text.endswith(" more") and last.x + last.width + gap + sum(widths) > x + w:
            text = f"+{last.text.removesuffix(' more')}"
            before[-1] = last = last._replace(text=text, width=pill_size(text, zoom, metrics))
        start = last.x + last.width + gap
        row = y + h + FLAG_GAP * zoom
        after = []
        for flag, width in zip(firm, widths, strict=True):
            after.append(PlacedFlag(flag, flag.text, start, row, width))
            start += width + gap
        above = [flag for flag in flags if flag.above]
        return [*before, *after, *placed_flags(above, x, y, w, h, zoom, metrics)]
    flags = _said_in_full(flags, w, zoom, metrics)
    ends = {False: x, True: x}
    rows = {False: y + h + FLAG_GAP * zoom, True: y - (PILL_HEIGHT - OVER_EDGE) * zoom}
    found: list[PlacedFlag] = []
    for number, flag in enumerate(flags):
        text = flag.text
        width = pill_size(text, zoom, metrics)
        start = ends[flag.above]
        if width > w:
            size = max(PILL_SIZE * zoom, SMALLEST_PILL)
            text = shortened_end(text, w - 14 * zoom, "title", size, metrics) or ELLIPSIS
            width = pill_size(text, zoom, metrics)
        if start > x and start + width > x + w:
            others = _counted(flags[number:])
            wide = pill_size(others.text, zoom, metrics)
            while start + wide > x + w and start > x and found and found[-1].flag.role not in _STAYS:
                if len(found) == 1:  # a name that is elided says more than a number
                    kept = _elided(found[0], w - wide - gap, zoom, metrics)
                    if kept is not None:
                        found, start = [kept], x + kept.width + gap
                        break
                number, start = number - 1, found.pop().x  # what counts the others needs room as well
                others = _counted(flags[number:])
                wide = pill_size(others.text, zoom, metrics)
            return [*found, PlacedFlag(others._replace(above=flag.above), others.text, start, rows[flag.above], wide)]
        found.append(PlacedFlag(flag, text, start, rows[flag.above], width))
        ends[flag.above] = start + width + gap
    return found


def _elided(placed: PlacedFlag, room: float, zoom: float, metrics: FontMetrics) -> PlacedFlag | None:
    """The flag with as much of its text as there is room for; None where too little of it would be left."""
    if room < LEAST_NAME * zoom:
        return None
    text = shortened_end(placed.text, room - 14 * zoom, "title", max(PILL_SIZE * zoom, SMALLEST_PILL), metrics)
    return placed._replace(text=text, width=pill_size(text, zoom, metrics)) if text else None


LEAST_NAME = 70.0
"""Pixels at zoom 1 that an elided flag needs beside the count of the others."""
LEAST_MORE = 30.0
"""Pixels of room that `more` needs to be added to a flag, unless it is shorter."""
ENOUGH_MORE = 0.45
"""Least share of a card's width for the flag that says why it failed; others are shortened, then counted."""
_GIVES_WAY = ("quiet", "stopped")
_STAYS = ("bad", "human")


def _counted(rest: Sequence[Flag]) -> Flag:
    """The flag that is shown in place of those without room."""
    press = next((one.press for one in rest if one.press is not None), None)
    return Flag(f"{len(rest)} more", press=press, hint="\n".join(one.hint or one.text for one in rest))


def _said_in_full(flags: Sequence[Flag], w: float, zoom: float, metrics: FontMetrics) -> Sequence[Flag]:
    """The flags with their `more` added, as far as `w` pixels side by side have room for it."""
    if not any(flag.more or flag.short or flag.spare for flag in flags):
        return flags
    gap, size = 6 * zoom, max(PILL_SIZE * zoom, SMALLEST_PILL)
    found = _failure_before_all(_in_short(flags, w, zoom, metrics), w, zoom, metrics)
    flags = tuple(found)
    for above in (False, True):
        row = [number for number, flag in enumerate(flags) if flag.above is above]
        room = w + gap - sum(pill_size(flags[number].text, zoom, metrics) + gap for number in row)
        for number in row:
            flag = flags[number]
            blank = metrics.width("  ", "title", size)
            least = min(LEAST_MORE, metrics.width(flag.more, "title", size))
            if not flag.more or room - blank < least:
                continue
            more = _more_of(flag, room - blank, size, metrics)
            if more:
                found[number] = flag._replace(text=f"{flag.text}  {more}")
                room -= pill_size(found[number].text, zoom, metrics) - pill_size(flag.text, zoom, metrics)
    return found


def _more_of(flag: Flag, room: float, size: float, metrics: FontMetrics) -> str:
    """As much of a flag's `more` as there is room for; of its `less` where that would be elided."""
    more = shortened_end(flag.more, room, "title", size, metrics)
    return shortened_end(flag.less, room, "title", size, metrics) if flag.less and more != flag.more else more


def _failure_in(flags: Sequence[Flag]) -> Flag | None:
    """The flag that says why the card failed."""
    return next((flag for flag in flags if flag.role == "bad" and flag.more and not flag.above), None)


def _in_short(flags: Sequence[Flag], w: float, zoom: float, metrics: FontMetrics) -> list[Flag]:
    """The flags; the last ones are left out or shortened until all fit and the reason of a failure has its room."""
    gap = 6 * zoom
    found, failure = list(flags), _failure_in(flags)
    room = w + gap - sum(pill_size(flag.text, zoom, metrics) + gap for flag in flags if not flag.above)
    room -= _wanted(failure, w, zoom, metrics) if failure is not None else 0.0
    for flag in reversed(flags):
        if room < 0 and flag.spare and not flag.above and len(found) > 1:
            found.remove(flag)
            room += pill_size(flag.text, zoom, metrics) + gap
    for number in range(len(found) - 1, -1, -1):
        flag = found[number]
        if room < 0 and flag.short and not flag.above and len(found) > 1:  # a single flag is elided instead
            found[number] = flag._replace(text=flag.short, more="")
            room += pill_size(flag.text, zoom, metrics) - pill_size(flag.short, zoom, metrics)
    return found


def _wanted(failure: Flag, w: float, zoom: float, metrics: FontMetrics) -> float:
    """The least width in pixels of the text that says why a card failed."""
    size = max(PILL_SIZE * zoom, SMALLEST_PILL)
    return metrics.width("  ", "title", size) + min(metrics.width(failure.more, "title", size), ENOUGH_MORE * w)


def _failure_before_all(flags: Sequence[Flag], w: float, zoom: float, metrics: FontMetrics) -> list[Flag]:
    """The flags, with room for why the card failed: if there is too little, quiet ones come last and are counted."""
    failure = _failure_in(flags)
    row = [flag for flag in flags if not flag.above]
    yielding = [flag for flag in row if flag.role in _GIVES_WAY and flag is not failure]
    if failure is None or not yielding:
        return list(flags)
    gap, size = 6 * zoom, max(PILL_SIZE * zoom, SMALLEST_PILL)
    wanted = _wanted(failure, w, zoom, metrics)

    def room_beside(others: Sequence[Flag]) -> float:
        return w - sum(pill_size(flag.text, zoom, metrics) + gap for flag in (failure, *others)) + gap

    if room_beside([flag for flag in row if flag is not failure]) >= wanted:
        return list(flags)
    firm = [flag for flag in row if flag is not failure and flag not in yielding]
    beside = firm
    for count in range(len(yielding) - 1, -1, -1):
        beside = [*firm, *yielding[:count], _counted(yielding[count:])]
        if room_beside(beside) >= wanted:
            break
    room, said = room_beside(beside) - metrics.width("  ", "title", size), failure
    if room >= LEAST_MORE:
        more = _more_of(failure, room, size, metrics)
        said = failure._replace(text=f"{failure.text}  {more}", more="")
    return [said, *firm, *yielding, *(flag for flag in flags if flag.above)]


def flag_at(placed: Sequence[PlacedFlag], x: float, y: float, zoom: float) -> Flag | None:
    """The flag under a point, or None."""
    tall = PILL_HEIGHT * zoom
    return next((one.flag for one in placed if one.x <= x <= one.x + one.width and one.y <= y <= one.y + tall), None)


def draw_flags(
    items: list[Primitive], flags: Sequence[Flag], x: float, y: float, w: float, h: float, zoom: float, colors: Theme,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    """Draw the flags of a card."""
    for placed in placed_flags(flags, x, y, w, h, zoom, metrics):
        role = placed.flag.role
        ground, paint = colors.tint(role), colors.role(role)
        if role == "accent":
            ground, paint = colors.accent, colors.on_accent
        draw_pill(items, placed.text, placed.x, placed.y, placed.width, zoom, ground, paint, metrics)


def draw_pill(
    items: list[Primitive], text: str, x: float, y: float, width: float, zoom: float, ground: Color, paint: Color,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    """Draw a pill with text."""
    x, y, height = round(x), round(y), round(PILL_HEIGHT * zoom)
    size = max(PILL_SIZE * zoom, SMALLEST_PILL)
    items.append(Rect(x, y, x + width, y + height, ground, None, height / 2))
    piece_of_text(items, text, x + 7 * zoom, y + height / 2, "title", size, paint, metrics)


def piece_of_text(
    items: list[Primitive], text: str, x: float, middle: float, face: str, size: float, paint: Color,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    """Draw text at `x`, in the faces that have its characters, centred about `middle`."""
    baseline = metrics.centered_top(middle, face, size) + metrics.ascent(face, size)
    for piece, owner in metrics.runs(text, face):
        items.append(Text(round(x), round(baseline - metrics.ascent(owner, size)), piece, owner, size, paint))
        x += metrics.width(piece, owner, size)
