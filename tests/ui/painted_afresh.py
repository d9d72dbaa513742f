"""What is painted, compared with the same painted from scratch."""

from __future__ import annotations

from dataclasses import replace

import dearpygui.dearpygui as dpg

from opentine_gui.scene.picture.build import build
from opentine_gui.ui.toolkit.painter import Painter
from tests.ui.opened import Opened

SELF = ("label", "uuid", "parent", "before", "alias", "tag", "children", "target")


def below(node: int) -> list[tuple[str, object, dict[str, object]]]:
    """What Dear PyGui draws below a node, in order: each item's type, font and configuration, pieces with theirs."""
    drawn = []
    for item in dpg.get_item_children(node, 2):
        configuration = dpg.get_item_configuration(item)
        settings = {key: value for key, value in configuration.items() if key not in SELF}
        drawn.append((dpg.get_item_type(item), dpg.get_item_info(item).get("font"), settings))
        drawn += below(item)
    return drawn


class PaintedAfresh:
    """Compares the canvas with one built and painted from scratch, and counts the items that were kept."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.spare = int(dpg.add_draw_node(parent=opened.window.canvas.drawlist))
        self.kept: list[float] = []
        self._stood: list[int] = []

    def __call__(self) -> None:
        self.opened.rest()
        canvas, style = self.opened.window.canvas, self.opened.window.style
        document, world = self.opened.document, canvas.world
        assert document.picture.camera is not None
        level = canvas._level(document, document.picture.camera)
        view = canvas._view(document, document.picture.camera.zoom, world.shown.rect, level=level)
        assert world.drawing.items == build(replace(view, drawn=None)).items
        Painter(style, canvas.textures, style.scale).repaint(self.spare, world.drawing.parts)
        assert below(world.node) == below(self.spare)
        assert world.drawn == len(world.drawing.items)
        items = dpg.get_item_children(world.node, 2)
        self.kept.append(len(set(items) & set(self._stood)) / max(len(items), 1))
        self._stood = items
