"""Camera actions: fit, zoom, pan, and going to a place or to the selection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, with_picture, with_step
from opentine_gui.app.document.camera.framing import camera_of_all, camera_of_steps
from opentine_gui.app.state.action_registry import Action, declare
from opentine_gui.scene.space.camera import Camera, panned, zoomed

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
ZOOM_STEP = 1.25
SMALLEST_ZOOM = 0.1


def _fly(session: Session, goal: Camera | None) -> None:
    if goal is not None:
        document_of(session).picture.fly(goal, session.clock(), session.settings.motion)


def _camera(session: Session) -> Camera:
    """The camera, or the goal of its flight."""
    return document_of(session).picture.camera_goal or Camera(0.0, 0.0, 1.0)


@declare(
    ACTIONS,
    "view.fit",
    "Fit all",
    "Show the whole graph.",
    enabled=with_picture,
    menu="View",
    keys=("Home",),
    contexts=("canvas", "minimap", "timeline"),
)
def fit(session: Session) -> None:
    """Fly to where the whole graph is in view."""
    _fly(session, camera_of_all(document_of(session).picture, session.viewport))


def _selected_on_show(session: Session, **_arguments: Any) -> str | None:
    return with_picture(session) or with_step(session)


@declare(
    ACTIONS,
    "view.frame_selection",
    "Frame selection",
    "Zoom to the selected steps.",
    enabled=_selected_on_show,
    menu="View",
    keys=("Z",),
)
def frame_selection(session: Session) -> None:
    """Fly to the selected steps."""
    document = document_of(session)
    _fly(session, camera_of_steps(document.picture, document.selection, session.viewport))


@declare(ACTIONS, "view.zoom", "Zoom", "Zoom about a point of the canvas.", enabled=with_picture, palette=False)
def zoom(session: Session, factor: float, x: float | None = None, y: float | None = None) -> None:
    """Zoom by a factor about a pixel of the canvas, by default its middle; without animation, as a wheel does."""
    document, viewport = document_of(session), session.viewport
    about_x = viewport.width / 2 if x is None else x
    about_y = viewport.height / 2 if y is None else y
    document.picture.set_camera(
        _zoomed(session, document.picture.camera or Camera(0.0, 0.0, 1.0), about_x, about_y, factor)
    )


def _zoom_by(session: Session, factor: float) -> None:
    viewport = session.viewport
    _fly(session, _zoomed(session, _camera(session), viewport.width / 2, viewport.height / 2, factor))


def _zoomed(session: Session, camera: Camera, x: float, y: float, factor: float) -> Camera:
    """Zoom, but not so far out that a large graph takes less than half of the canvas."""
    whole = camera_of_all(document_of(session).picture, session.viewport)
    if whole is not None and factor < 1.0:
        smallest = min(whole.zoom * 0.5, SMALLEST_ZOOM, camera.zoom)
        factor = max(factor, smallest / camera.zoom)
    return zoomed(camera, session.viewport, x, y, factor)


@declare(
    ACTIONS,
    "view.zoom_in",
    "Zoom in",
    "Make everything larger.",
    enabled=with_picture,
    menu="View/Zoom",
    keys=("+", "=", "Shift+=", "Shift++", "Ctrl+=", "Ctrl++"),
)
def zoom_in(session: Session) -> None:
    """Zoom one step in about the middle."""
    _zoom_by(session, ZOOM_STEP)


@declare(
    ACTIONS,
    "view.zoom_out",
    "Zoom out",
    "Make everything smaller.",
    enabled=with_picture,
    menu="View/Zoom",
    keys=("-", "Ctrl+-"),
)
def zoom_out(session: Session) -> None:
    """Zoom one step out about the middle."""
    _zoom_by(session, 1 / ZOOM_STEP)


@declare(
    ACTIONS,
    "view.zoom_actual",
    "Actual size",
    "Show cards at their natural size.",
    enabled=with_picture,
    menu="View/Zoom",
    keys=("0", "Ctrl+0"),
    contexts=("minimap",),
)
def zoom_actual(session: Session) -> None:
    """Zoom to 1 about the middle."""
    _zoom_by(session, 1.0 / _camera(session).zoom)


@declare(ACTIONS, "view.pan", "Pan", "Pull the picture along.", enabled=with_picture, palette=False)
def pan(session: Session, dx: float, dy: float) -> None:
    """Move the picture by pixels, without animation."""
    document = document_of(session)
    document.picture.set_camera(panned(document.picture.camera or Camera(0.0, 0.0, 1.0), dx, dy))


@declare(ACTIONS, "view.center", "Go there", "Look at a point of the graph.", enabled=with_picture, palette=False)
def center(session: Session, x: float, y: float) -> None:
    """Centre the view on a world point, without animation, as a drag on the minimap does."""
    document_of(session).picture.set_camera(Camera(x, y, _camera(session).zoom))
