"""Cards: the content of one (`CardFace`) and the primitives that draw it at each level of detail."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from opentine_gui.scene.card_flags import PILL_HEIGHT, Flag, draw_flags, draw_pill, piece_of_text, pill_size
from opentine_gui.scene.detail_level import Level
from opentine_gui.scene.draw_list import Circle, Color, Line, Polygon, Primitive, Rect
from opentine_gui.scene.group_strip import Group, draw_strip, stack_edges, strip_height
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.text.clean import shortened_end, shortened_middle
from opentine_gui.scene.text.line_break import wrapped
from opentine_gui.scene.theme import Theme, faded_theme, lifted_theme, mixed

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

# Measures in pixels at zoom 1, for a card of 220 x 80 (`layout.Spacing`): three lines of text and the kind's bar.
RADIUS = 8.0
BAR = 8.0
INSET = 20.0
TITLE_INSET = 38.0
RIGHT_INSET = 12.0
GLYPH = 11.0
TITLE_SIZE, TEXT_SIZE, MONO_SIZE = 13.5, 12.0, 12.0
# Smaller em sizes are illegible: text stops shrinking with the card here, and is left out further away.
SMALLEST_TITLE, SMALLEST_TEXT = 10.5, 9.5

SHOWN_SEALS = ("mismatch", "unsupported")
"""Seals that are drawn: a step that holds, or that nobody checked, needs no mark."""

HEADING_TINT = 0.13
"""Share of a person's colour in the ground of a card that begins with a person's words."""
QUIET_SEPARATOR = " · "
STOPPED_WORDS = (" refused", " interrupted")
"""How the parts of a group's line end that count what a person stopped."""
FOUND = "→"
"""What stands before the words of what a sub-agent found."""

_CORNER = tuple((1 - math.cos(a * math.pi / 8), 1 - math.sin(a * math.pi / 8)) for a in range(5))
# Calls with a path or an address often differ only in their ends: they are elided in the middle.
_CALL = re.compile(r"\w+\([^\s\"]*[/\\][^\s\"]*\)$")


HEAT_TINT = 0.22
"""How much of a heat's colour the ground of a card takes."""


@dataclass(frozen=True, slots=True)
class CardFace:
    """The content of a card. All texts are already cleaned; they are elided when drawn.

    `seal` is "ok", "mismatch", "unsupported" (it matches, but rests on a step that does not), "not_checkable" or None
    (not verified yet); only what is wrong is drawn. `border` is a theme role for the edge of a card in a comparison
    ("side_a", "side_b", "shared"), which goes before the red one of a `failed` step and the quieter one of what a
    person `stopped`; `count` above 1 is drawn as "×N".
    `heat` is the theme role the card is tinted with, "" for none.
    `group` is given in a folded run: for a card of several steps, and for one that heads a turn or lies in a sub-agent.
    """

    title: str
    line: str = ""
    figures: str = ""
    kind: str = "model"
    seal: str | None = None
    flags: tuple[Flag, ...] = ()
    count: int = 1
    border: str | None = None
    failed: bool = False
    stopped: bool = False
    group: Group | None = None
    heat: str = ""


def draw_card(
    face: CardFace,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    level: Level,
    theme: Theme,
    metrics: FontMetrics,
    selected: bool = False,
    hovered: bool = False,
    dimmed: bool = False,
) -> list[Primitive]:
    """Return the primitives of a card with its top left at pixel (x, y), w × h pixels large at `zoom`."""
    colors = faded_theme(theme) if dimmed else theme
    if hovered:
        colors = lifted_theme(colors)
    items: list[Primitive] = []
    radius = RADIUS * zoom
    if selected:
        items.append(Rect(x - 3, y - 3, x + w + 3, y + h + 3, None, theme.accent, radius + 3, 2.0))
    border = face.border or ("bad" if face.failed else "stopped" if face.stopped else None)
    edge = colors.role(border) if border else colors.edge
    group = face.group
    ground = colors.card
    bar = colors.kind(face.kind)
    if group is not None:
        if group.steps > 1:
            items.extend(stack_edges(group, x, y, w, h, radius, zoom, colors))
        if group.heading:
            ground = mixed(colors.card, colors.kind("human"), HEADING_TINT)
        if group.in_sub_agent:
            bar = colors.kind("subagent")
    if face.heat:
        bar = colors.role(face.heat)
        ground = mixed(ground, bar, HEAT_TINT)
    items.append(Rect(x, y, x + w, y + h, ground, edge, radius, 2.0 if border else 1.0))
    items.append(_bar(x, y, h, radius, bar))
    if group is not None and group.answered and level is Level.CARD:
        title = title_of(face, w, zoom, 2, metrics)
        split = round(_title_top(title, zoom) + (len(title.lines) - 0.5) * title.pitch)
        below = colors.card if not face.heat else ground
        inside = 2 if border else 1
        right, foot = x + w - inside, y + h - inside
        items.append(Rect(x + radius, y + split, right, y + h - radius, below, None, 0.0))
        items.append(Rect(x + radius, foot - 2 * radius, right, foot, below, None, radius - inside))
        items.append(Rect(x + radius, y + h - radius, x + w - radius, foot, below, None, 0.0))
        if not face.heat and not group.in_sub_agent:
            items.append(_bar(x, y, h, radius, colors.kind("model"), split))
    if level is Level.CARD and group is not None and group.steps > 1:
        _draw_group(items, face, group, x, y, w, h, zoom, colors, metrics)
    elif level is Level.CARD:
        _draw_content(items, face, x, y, w, h, zoom, colors, metrics)
    else:
        _draw_title_only(items, face, x, y, w, h, zoom, colors, metrics)
    return items


def _bar(x: float, y: float, h: float, radius: float, paint: Color, begin: float = 0.0) -> Polygon:
    """Return the bar in the kind's colour at the left end: as wide as the corner radius, so it follows the corners.

    It goes from `begin` pixels below the card's top to its foot.
    """
    corner = tuple((x + radius * cx, y + radius * cy) for cx, cy in _CORNER)
    bottom = tuple((px, 2 * y + h - py) for px, py in reversed(corner))
    top = corner if not begin else ((x, y + begin), (x + radius, y + begin))
    return Polygon(top + bottom, fill=paint)


def _line_of_text(
    items: list[Primitive], text: str, x: float, middle: float, room: float, face: str, size: float, paint: Color,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    shorten = shortened_middle if _CALL.match(text) else shortened_end
    shown = shorten(text, room, face, size, metrics)
    if shown:
        piece_of_text(items, shown, x, middle, face, size, paint, metrics)


def _draw_content(
    items: list[Primitive],
    face: CardFace,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    colors: Theme,
    metrics: FontMetrics,
) -> None:
    left, right = x + INSET * zoom, x + w - RIGHT_INSET * zoom
    text_size, mono_size = max(TEXT_SIZE * zoom, SMALLEST_TEXT), max(MONO_SIZE * zoom, SMALLEST_TEXT)
    sealed = face.seal in SHOWN_SEALS
    title = title_of(face, w, zoom, 2, metrics)
    other = 1.25 * (text_size + mono_size)
    with_line = face.failed or face.stopped or not face.figures
    rows = _Rows(len(title.lines), h, zoom, title.pitch, other, with_line=with_line)
    items.extend(draw_glyph(face.kind, left, y + rows.title - GLYPH * zoom / 2, GLYPH * zoom, colors.kind(face.kind)))
    if sealed:
        _draw_seal(items, face.seal or "", x + w - 14 * zoom, y + rows.title, max(3 * zoom, 2.0), colors)
    for number, line in enumerate(title.lines):
        middle = y + rows.title + number * title.pitch
        piece_of_text(items, line, x + title.left, middle, "title", title.size, colors.text, metrics)
    if rows.line is not None:
        paint = colors.bad if face.failed else colors.stopped if face.stopped else colors.quiet
        _line_of_text(items, face.line, left, y + rows.line, right - left, "text", text_size, paint, metrics)
    if rows.figures is None or not (face.figures or face.count > 1):
        draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)
        return
    bottom = y + rows.figures
    if face.count > 1:
        pill_height = PILL_HEIGHT * zoom
        text = f"×{face.count:,}"
        pill_width = pill_size(text, zoom, metrics)
        draw_pill(items, text, right - pill_width + 4 * zoom, bottom - pill_height / 2, pill_width, zoom,
                   mixed(colors.card, colors.text, 0.1), colors.text, metrics)  # fmt: skip
        right -= pill_width + 4 * zoom
    numbers = _whole_figures(face.figures, right - left, mono_size, metrics)
    _line_of_text(items, numbers, left, bottom, right - left, "mono", mono_size, colors.faint, metrics)
    draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)


def _draw_group(
    items: list[Primitive],
    face: CardFace,
    group: Group,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    colors: Theme,
    metrics: FontMetrics,
) -> None:
    """Draw what a card of several steps says: its title on two lines, a quiet line where there is room, its strip."""
    title = title_of(face, w, zoom, 2, metrics)
    top = _title_top(title, zoom)
    left = x + INSET * zoom
    glyph = GLYPH * zoom
    items.extend(draw_glyph(face.kind, left, y + top - glyph / 2, glyph, colors.kind(face.kind)))
    for number, line in enumerate(title.lines):
        middle = y + top + number * title.pitch
        piece_of_text(items, line, x + title.left, middle, "title", title.size, colors.text, metrics)
    if face.seal in SHOWN_SEALS:
        _draw_seal(items, face.seal or "", x + w - 14 * zoom, y + top, max(3 * zoom, 2.0), colors)
    items.extend(draw_strip(group, x, y, w, h, zoom, colors, metrics))
    size = max((TEXT_SIZE - 1.0) * zoom, SMALLEST_TEXT)
    below = top + (len(title.lines) - 0.5) * title.pitch
    strip_top = h - strip_height(zoom) - max(5.0 * zoom, 3.0)
    free = strip_top - below
    most = max(int(free / (size * 1.1)), 1) if free > size else 0
    lines = [line for line in (group.found, face.line) if line][:most]
    for number, line in enumerate(lines):
        middle = y + below + free * (number + 0.5) / len(lines)
        start, room = left, w - (INSET + 8.0) * zoom
        if line is group.found:
            words = shortened_end(f"{FOUND} {line}", room, "text", size, metrics)
            piece_of_text(items, words, start, middle, "text", size, colors.text, metrics)
            continue
        if group.answered:  # whose work it is: of the turns before it the person's
            turns, _, rest = line.partition(QUIET_SEPARATOR)
            if turns.endswith(" turns"):
                piece_of_text(items, turns, start, middle, "text", size, colors.quiet, metrics)
                wide = metrics.width(turns, "text", size) + size / 2
                start, room, line = start + wide, room - wide, rest
            if line:
                items.extend(draw_glyph("model", start, middle - size / 2, size, colors.kind("model")))
                start, room = start + size + 4.0, room - size - 4.0
        _quiet_line(items, line, start, middle, room, size, colors, metrics)
    draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)


def _title_top(title: Title, zoom: float) -> float:
    """The middle of the first line of a group's title, in pixels below its card's top."""
    return 3.0 * zoom + title.pitch / 2 + 1.0


def _quiet_line(
    items: list[Primitive], line: str, x: float, middle: float, room: float, size: float, colors: Theme,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    """Draw what happened in a group: what has no room is left out, what failed never."""
    parts = line.split(QUIET_SEPARATOR)
    while len(parts) > 1 and metrics.width(QUIET_SEPARATOR.join(parts), "text", size) > room:
        last = next((place for place in range(len(parts) - 1, -1, -1) if not parts[place].endswith(" failed")), 0)
        del parts[last]
    for number, part in enumerate(parts):
        words = part if number == len(parts) - 1 else part + QUIET_SEPARATOR
        by_a_person = part.endswith(STOPPED_WORDS)
        paint = colors.bad if part.endswith(" failed") else colors.stopped if by_a_person else colors.quiet
        shown = shortened_end(words, room, "text", size, metrics)
        if not shown:
            return
        piece_of_text(items, shown, x, middle, "text", size, paint, metrics)
        width = metrics.width(shown, "text", size)
        x, room = x + width, room - width


class _Rows:
    """Heights of a card's rows, in pixels below its top: the first line of the title, the quiet line, the figures.

    A title of two lines on a small card leaves room for one more row: why a step failed or was stopped, else figures,
    and without any the quiet line.
    """

    def __init__(self, lines: int, h: float, zoom: float, pitch: float, other: float, *, with_line: bool) -> None:
        self.line: float | None
        self.figures: float | None
        if lines < 2:
            self.title, self.line, self.figures = 0.23 * h, 0.51 * h, 0.78 * h
        elif 2 * pitch + other + 8 * zoom <= h:
            self.title, self.line, self.figures = 0.17 * h, 0.6 * h, 0.82 * h
        else:
            self.title = 0.22 * h
            self.line, self.figures = (0.78 * h, None) if with_line else (None, 0.78 * h)


class Title(NamedTuple):
    """A card's title as it is drawn: its lines, their left edge from the card's, their size and distance in pixels."""

    lines: list[str]
    left: float
    size: float
    pitch: float


def title_of(face: CardFace, w: float, zoom: float, most: int, metrics: FontMetrics) -> Title:
    """Return the title on up to `most` lines; a card that is drawn larger never shows less of it."""
    size = max(TITLE_SIZE * zoom, SMALLEST_TITLE)
    left = (TITLE_INSET if most > 1 else INSET) * zoom
    room = w - left - (24 if face.seal in SHOWN_SEALS else RIGHT_INSET) * zoom
    text = face.title
    if _CALL.match(text):
        whole = room * most - (size if most > 1 else 0.0)  # a line ends before the letter that does not fit
        text = shortened_middle(text, whole, "title", size, metrics)
    whole_line = metrics.width(text, "title", size) <= room
    lines = [text] if whole_line else wrapped(text, room, "title", size, metrics, most)
    return Title(lines, left, size, size * 1.22)


def _whole_figures(figures: str, room: float, size: float, metrics: FontMetrics) -> str:
    """Drop the last figures if there is no room for them: a truncated number is a wrong number."""
    parts = figures.split("  ")
    while len(parts) > 1 and metrics.width("  ".join(parts), "mono", size) > room:
        parts.pop()
    return "  ".join(parts)


def _draw_title_only(
    items: list[Primitive],
    face: CardFace,
    x: float,
    y: float,
    w: float,
    h: float,
    zoom: float,
    colors: Theme,
    metrics: FontMetrics,
) -> None:
    """Draw a small card: its title at a legible size, on two lines where they fit."""
    pitch = max(TITLE_SIZE * zoom, SMALLEST_TITLE) * 1.22
    title = title_of(face, w, zoom, 2 if 2 * pitch + 4 <= h else 1, metrics)
    if face.seal in SHOWN_SEALS:
        _draw_seal(items, face.seal or "", x + w - 12 * zoom, y + 12 * zoom, 2.5, colors)
    first = y + h / 2 - pitch * (len(title.lines) - 1) / 2
    left = x + INSET * zoom  # no glyph: it has a dozen primitives, and there may be hundreds of such cards
    for number, line in enumerate(title.lines):
        piece_of_text(items, line, left, first + number * pitch, "title", title.size, colors.text, metrics)


def _draw_seal(items: list[Primitive], seal: str, x: float, y: float, r: float, colors: Theme) -> None:
    """Draw a cross if the id does not match; a half-full ring if it does, but that of a step it depends on does not."""
    if seal == "mismatch":
        items.append(Circle(x, y, r + 2, fill=colors.bad))
        reach = r * 0.55
        for turn in (1, -1):
            ends = ((x - reach, y - reach * turn), (x + reach, y + reach * turn))
            items.append(Line(ends, colors.card, 1.5))
    else:
        r += 1
        lower = tuple((x + r * math.cos(a * math.pi / 8), y + r * math.sin(a * math.pi / 8)) for a in range(9))
        items += [Polygon(lower, fill=colors.bad), Circle(x, y, r, edge=colors.bad)]
