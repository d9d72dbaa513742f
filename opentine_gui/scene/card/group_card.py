"""Draws a card of several steps: its title, what happened or who was at work in it, its strip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import draw_flags, piece_of_text
from opentine_gui.scene.card.card_title import (
    GLYPH,
    INSET,
    SHOWN_SEALS,
    SMALLEST_TEXT,
    TEXT_SIZE,
    Title,
    draw_seal,
    title_of,
)
from opentine_gui.scene.card.group_strip import Group, Member, draw_strip, number_room, strip_height
from opentine_gui.scene.draw_list import Primitive
from opentine_gui.scene.kind_glyphs import draw_glyph
from opentine_gui.scene.text.clean import shortened_end
from opentine_gui.scene.theme import Theme

if TYPE_CHECKING:
    from opentine_gui.scene.text.font_metrics import FontMetrics

QUIET_SEPARATOR = " · "
FAILED_WORDS = (" failed", " failure", " failures")
"""The endings of that part of a group's line that counts failures."""
STOPPED_WORDS = (" refused", " interrupted", " no result")
"""The endings of those parts of a group's line that count steps stopped or without a result."""
ROOMY = 1.7
"""The quiet line has a glyph if a title of two lines leaves at least this many times its text height above the
strip."""
FOUND = "→"
"""The words before what a sub-agent found."""


def draw_group(
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
    """Draw a card of several steps: its title on two lines, a quiet line if there is room, its strip."""
    words = group.heading_of_members if group.members else face.title
    title = title_of(words, face.seal, w, zoom, 2, metrics)
    top = title_top(title, zoom)
    left = x + INSET * zoom
    glyph = GLYPH * zoom
    items.extend(draw_glyph(face.kind, left, y + top - glyph / 2, glyph, colors.kind(face.kind)))
    for number, line in enumerate(title.lines):
        middle = y + top + number * title.pitch
        piece_of_text(items, line, x + title.left, middle, "title", title.size, colors.text, metrics)
    if face.seal in SHOWN_SEALS:
        draw_seal(items, face.seal or "", x + w - 14 * zoom, y + top, max(3 * zoom, 2.0), colors)
    items.extend(draw_strip(group, x, y, w, h, zoom, colors, metrics))
    size = max((TEXT_SIZE - 1.0) * zoom, SMALLEST_TEXT)
    below = top + (len(title.lines) - 0.5) * title.pitch
    strip_top = h - strip_height(zoom) - max(5.0 * zoom, 3.0)
    free = strip_top - below
    if group.members:
        _draw_members(items, group.members, x, y + below, w, free, zoom, colors, metrics)
        draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)
        return
    most = max(int(free / (size * 1.1)), 1) if free > size else 0
    lines = [line for line in (group.found, face.line, group.answer) if line][:most]
    aside, tall = number_room(group, zoom, metrics)
    roomy = (
        strip_top - top - 1.5 * title.pitch >= ROOMY * size
    )  # measured below two lines, so that every card of a picture has it or none
    said = group.answer in lines if group.answer else False  # the agent's sign stands before its words
    for number, line in enumerate(lines):
        middle = y + below + free * (number + 0.5) / len(lines)
        start, room = left, w - (INSET + 8.0) * zoom
        if middle + size / 2 > y + h - tall:  # low enough to run into the number of steps
            room = w - INSET * zoom - aside
        if line is group.found:
            words = shortened_end(f"{FOUND} {line}", room, "text", size, metrics)
            piece_of_text(items, words, start, middle, "text", size, colors.text, metrics)
            continue
        if line is group.answer:
            items.extend(draw_glyph("model", start, middle - size / 2, size, colors.kind("model")))
            words = shortened_end(line, room - size - 4.0, "text", size, metrics)
            piece_of_text(items, words, start + size + 4.0, middle, "text", size, colors.quiet, metrics)
            continue
        if group.answered and not said and roomy and not _is_of_the_person(line):  # turns are the person's
            items.extend(draw_glyph("model", start, middle - size / 2, size, colors.kind("model")))
            start, room = start + size + 4.0, room - size - 4.0
        _quiet_line(items, line, start, middle, room, size, colors, metrics)
    draw_flags(items, face.flags, x, y, w, h, zoom, colors, metrics)


def _is_of_the_person(line: str) -> bool:
    """Whether a quiet line begins with turns, which are the person's."""
    return " turns" in line.partition(QUIET_SEPARATOR)[0]


def _draw_members(
    items: list[Primitive],
    members: Sequence[Member],
    x: float,
    y: float,
    w: float,
    free: float,
    zoom: float,
    colors: Theme,
    metrics: FontMetrics,
) -> None:
    """Draw the tasks of sub-agents from `y` on in `free` pixels, side by side where there are too few lines.

    Those with a failure in them are red; those without room are counted.
    """
    size = max((TEXT_SIZE - 1.0) * zoom, SMALLEST_TEXT)
    pitch = size * 1.12
    rows = max(int(free / pitch), 1)
    columns = 1 if rows >= len(members) else 2
    left, gap = (INSET - 4.0) * zoom, 8.0 * zoom
    room = (w - left - 8.0 * zoom - (columns - 1) * gap) / columns
    shown = len(members) if len(members) <= rows * columns else rows * columns - 1
    rest = members[shown:]
    cells = [(member.task, member.failed) for member in members[:shown]]
    if rest:
        cells.append((f"{len(rest)} more", any(member.failed for member in rest)))
    used = -(-len(cells) // columns)
    for number, (task, failed) in enumerate(cells):
        row, column = divmod(number, columns)
        middle = y + free * (row + 0.5) / used
        words = shortened_end(task, room, "text", size, metrics)
        paint = colors.bad if failed else colors.text
        piece_of_text(items, words, x + left + column * (room + gap), middle, "text", size, paint, metrics)


def title_top(title: Title, zoom: float) -> float:
    """The middle of the first line of a group's title, in pixels below its card's top."""
    return 2.0 * zoom + title.pitch / 2 + 1.0


def _quiet_line(
    items: list[Primitive], line: str, x: float, middle: float, room: float, size: float, colors: Theme,
    metrics: FontMetrics,
) -> None:  # fmt: skip
    """Draw what happened in a group: failures always, then edits, and of the rest what there is room for."""
    every = line.split(QUIET_SEPARATOR)
    parts: list[str] = []
    for part in sorted(every, key=lambda part: (not part.endswith(FAILED_WORDS), not part.startswith("edited "))):
        more = sorted([*parts, part], key=every.index)
        if part.endswith(FAILED_WORDS) or metrics.width(QUIET_SEPARATOR.join(more), "text", size) <= room:
            parts = more
    parts = parts or every[:1]
    for number, part in enumerate(parts):
        words = part if number == len(parts) - 1 else part + QUIET_SEPARATOR
        unfinished = part.endswith(STOPPED_WORDS)
        paint = colors.bad if part.endswith(FAILED_WORDS) else colors.stopped if unfinished else colors.quiet
        shown = shortened_end(words, room, "text", size, metrics)
        if not shown:
            return
        piece_of_text(items, shown, x, middle, "text", size, paint, metrics)
        width = metrics.width(shown, "text", size)
        x, room = x + width, room - width
