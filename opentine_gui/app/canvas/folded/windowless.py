"""The picture of a run in groups as its window first shows it, made without one: for the command line."""

from __future__ import annotations

from opentine_gui.app.canvas.folded.folding import first_picture
from opentine_gui.app.document.picture.card_faces import CardFaces
from opentine_gui.app.document.picture.export_view import MakeView, view_of_cards
from opentine_gui.app.document.picture.fold import Room
from opentine_gui.core import RunRecord
from opentine_gui.layout import Direction
from opentine_gui.scene.space.camera import Viewport

CANVAS = Viewport(1440.0, 900.0)
"""What it is made for: the canvas of a usual screen, in pixels."""


def picture_of_groups(record: RunRecord, direction: str) -> MakeView:
    """A function that makes the picture of a run; `direction` is "top-to-bottom" or "left-to-right"."""
    made = first_picture(record, Room(Direction(direction), CANVAS))
    return view_of_cards(made, CardFaces(record, None, fold=made))
