"""What the tests of pictures look for in a draw list."""

from __future__ import annotations

from collections.abc import Iterable

from opentine_gui.scene.card.card_face import CardFace
from opentine_gui.scene.card.card_flags import Flag
from opentine_gui.scene.draw_list import Curve, DrawList, Line, Primitive, Rect, Text
from opentine_gui.scene.theme import DARK

FACE = CardFace(
    "Plan: search, read, compare and then write it all down",
    "Three searches in parallel, then one merge of everything",
    "0.8 s  $0.0004  412 tok  and much more that does not fit",
    "think",
    "ok",
    (Flag("main", "text"), Flag("failed", "bad")),
    7,
)


def texts(items: Iterable[Primitive]) -> list[str]:
    return [item.text for item in items if isinstance(item, Text)]


def cards_of(drawing: DrawList) -> dict[str, Rect]:
    """Card rectangles by the title written in them."""
    found, last = {}, None
    for item in drawing.items:
        if isinstance(item, Rect) and item.fill is not None and item.x1 - item.x0 > 100:
            last = item
        if isinstance(item, Text) and item.face == "title" and last is not None and item.text.startswith("step"):
            found[item.text] = last
    return found


def is_link(item: Curve | Line) -> bool:
    """Links are in a link's colour; lines of glyphs are not."""
    return item.color in (DARK.link, DARK.main_link)
