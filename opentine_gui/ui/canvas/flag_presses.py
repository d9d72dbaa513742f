"""Finds the flag under the pointer, and does what a press on it asks for."""

from __future__ import annotations

from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.scene.card.card_flags import FLAG_GAP, PILL_HEIGHT, Flag, flag_at, placed_flags
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen, to_world
from opentine_gui.scene.text.font_metrics import FontMetrics


def flag_under(
    document: Document, camera: Camera, viewport: Viewport, metrics: FontMetrics, x: float, y: float
) -> Flag | None:
    """The pressable flag at a point of the canvas, in design pixels; None over a card."""
    layout, index = document.picture.layout, document.picture.scene_index
    if layout is None or index is None:
        return None
    world_x, world_y = to_world(camera, viewport, x, y)
    if index.hit(world_x, world_y) is not None:
        return None
    card = index.hit(world_x, world_y - FLAG_GAP - PILL_HEIGHT)
    if card is None:
        return None
    flags = document.face(card).flags
    if not any(flag.press for flag in flags):
        return None
    wide, tall = layout.spacing.node_width, layout.spacing.node_height
    center_x, center_y = layout.centers[card]
    left, top = to_screen(camera, viewport, float(center_x) - wide / 2, float(center_y) - tall / 2)
    zoom = camera.zoom
    found = flag_at(placed_flags(flags, left, top, wide * zoom, tall * zoom, zoom, metrics), x, y, zoom)
    return found if found is not None and found.press is not None else None


def press_flag(session: Session, flag: Flag) -> None:
    """Go to the step of a flag; for a fork point, propose the fork, which says what is kept and dropped."""
    if flag.press is None:
        return
    action, step = flag.press
    if action == "select.step":
        session.invoke(action, step=step, reveal=True)
    else:
        session.invoke(action, step=step)
