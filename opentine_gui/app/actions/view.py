"""View actions: direction, panels, themes, scale, palette; Esc."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from opentine_gui.app.actions.conditions import document_of, step_of, with_run
from opentine_gui.app.canvas import layouts
from opentine_gui.app.canvas.folded import folding
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.app.state.prompts import Choose
from opentine_gui.app.state.selection import Selection
from opentine_gui.app.state.settings import SCALES
from opentine_gui.layout import Direction
from opentine_gui.scene.theme import THEMES

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
THEME_NAMES = tuple(THEMES)


def _panels(session: Session, **_arguments: Any) -> bool:
    return session.view.panels


def _minimap(session: Session, **_arguments: Any) -> bool:
    return session.view.minimap


def _theme_name(session: Session, **_arguments: Any) -> str:
    return session.view.theme.replace("-", " ")


def _motion(session: Session, **_arguments: Any) -> bool:
    return session.settings.motion


def _wide(session: Session, **_arguments: Any) -> bool:
    return session.view.inspector_wide


def _direction_name(session: Session, **_arguments: Any) -> str:
    return session.active.direction.value.replace("-", " ") if session.active is not None else ""


@declare(
    ACTIONS,
    "view.direction",
    "Switch direction",
    "Lay the run out from top to bottom, or from left to right.",
    enabled=with_run,
    menu="View",
    group=1,
    keys=("D",),
    contexts=("canvas",),
    state=_direction_name,
)
def direction(session: Session, to: Direction | str | None = None) -> None:
    """Lay the run out in the other direction, or a given one; new documents take it too."""
    document = document_of(session)
    other = Direction.LEFT_TO_RIGHT if document.direction is Direction.TOP_TO_BOTTOM else Direction.TOP_TO_BOTTOM
    document.direction = other if to is None else Direction(to)
    session.settings.direction = document.direction.value
    if document.picture.base_layout is not None and document.picture.base_layout.direction is not document.direction:
        document.picture.refit_on_layout = True
        if document.folding.state is not None:  # what is open stays open, in rows that fit the canvas
            document.folding.state = replace(document.folding.state, heads=None, extents=(), abreast=0)
    layouts.request_layout(session, document)


@declare(
    ACTIONS,
    "view.tidy",
    "Tidy",
    "Lay the run out anew, a folded one as if it had just been opened; moved cards stay.",
    enabled=with_run,
    menu="View",
    group=1,
    keys=("T",),
    contexts=("canvas",),
)
def tidy(session: Session) -> None:
    """Lay the run out from scratch, without the previous layout."""
    layouts.request_layout(session, document_of(session), tidy=True)


def _not_presenting(session: Session, **_arguments: Any) -> str | None:
    return None if session.presentation is None else "A presentation has the whole screen."


@declare(
    ACTIONS,
    "view.panels",
    "Panels",
    "Hide or show all panels.",
    enabled=_not_presenting,
    menu="View",
    group=2,
    keys=("Tab",),
    state=_panels,
)
def panels(session: Session, shown: bool | None = None) -> None:
    """Show or hide all panels."""
    session.view.panels = not session.view.panels if shown is None else shown
    session.settings.panels = session.view.panels


@declare(
    ACTIONS,
    "view.minimap",
    "Minimap",
    "Hide or show the minimap.",
    menu="View/Show",
    group=2,
    keys=("Alt+M",),
    contexts=("minimap",),
    state=_minimap,
)
def minimap(session: Session, shown: bool | None = None) -> None:
    """Show or hide the minimap."""
    session.view.minimap = not session.view.minimap if shown is None else shown
    session.settings.minimap = session.view.minimap


def _themes(session: Session) -> list[Choice]:
    return [Choice(_spoken(name), {"name": name}, here=name == session.view.theme) for name in THEME_NAMES]


def _spoken(name: str) -> str:
    return name.replace("-", " ").capitalize()


@declare(
    ACTIONS,
    "view.theme",
    "Theme",
    "Change to dark, light or high contrast.",
    menu="View",
    group=2,
    state=_theme_name,
    choices=_themes,
)
def theme(session: Session, name: str | None = None) -> None:
    """Change to a theme, or ask which. LookupError for an unknown one."""
    if name is None:
        names = {_spoken(known): known for known in THEME_NAMES}
        question = Choose("Theme", f"It is {_theme_name(session)} now.", tuple(names))
        session.ask(question, lambda answer: theme(session, names[str(answer)]))
        return
    if name not in THEMES:
        raise LookupError(f"There is no theme {name!r}; there are {', '.join(THEME_NAMES)}.")
    session.view.theme = session.settings.theme = name


def _scale_name(session: Session, **_arguments: Any) -> str:
    return _percent(session.view.scale) if session.view.scale else "as the display"


def _percent(scale: float) -> str:
    return f"{scale * 100:.0f} %"


@declare(
    ACTIONS,
    "view.scale",
    "Interface scale…",
    "Make text and everything else larger or smaller.",
    menu="View/Window",
    group=2,
    state=_scale_name,
)
def scale(session: Session, to: float | None = None) -> None:
    """Set a scale (0: the display's own) or ask for one. LookupError for one that is not offered."""
    if to is None:
        names = {"As the display": 0.0} | {_percent(value): value for value in SCALES}
        question = Choose("Interface scale", f"It is {_scale_name(session)} now.", tuple(names))
        session.ask(question, lambda answer: scale(session, names[str(answer)]))
        return
    if to != 0 and to not in SCALES:
        raise LookupError(f"There is no scale {to:g}; there are {', '.join(map(_percent, SCALES))}.")
    session.view.scale = session.settings.scale = float(to)


def _system_dialogs(session: Session, **_arguments: Any) -> bool:
    return session.settings.file_dialogs == "system"


@declare(
    ACTIONS,
    "view.file_dialogs",
    "Desktop's file dialogs",
    "Ask for files with the desktop's own dialogs where it has them, or always in this window.",
    menu="View/Window",
    group=2,
    state=_system_dialogs,
)
def file_dialogs(session: Session, system: bool | None = None) -> None:
    """Switch between the desktop's dialogs and our own, or choose by `system`."""
    wanted = not _system_dialogs(session) if system is None else system
    session.settings.file_dialogs = "system" if wanted else "own"


@declare(
    ACTIONS,
    "view.motion",
    "Motion",
    "Move the camera smoothly, or at once.",
    menu="View/Window",
    group=2,
    state=_motion,
)
def motion(session: Session, on: bool | None = None) -> None:
    """Turn camera motion on or off."""
    session.settings.motion = not session.settings.motion if on is None else on


@declare(
    ACTIONS,
    "view.palette",
    "All commands…",
    "Find and run any command by its name.",
    menu="View",
    group=3,
    keys=("Ctrl+K", "Ctrl+Shift+P"),
)
def palette(session: Session, text: str | None = None, shown: bool | None = None) -> None:
    """Open the palette with a text, or with what it was left with; close it when it is open."""
    session.view.palette = not session.view.palette if shown is None else shown
    if text is not None:
        session.view.palette_text = text


@declare(
    ACTIONS,
    "view.inspector_wide",
    "Wide inspector",
    "Give what the inspector shows most of the window, or take it back.",
    enabled=with_run,
    menu="View/Show",
    group=2,
    keys=("I",),
    contexts=("link",),
    state=_wide,
)
def inspector_wide(session: Session, step: str | None = None, wide: bool | None = None) -> None:
    """Open the inspector wide, on a step if one is given."""
    document = document_of(session)
    if step is not None and document.selection.primary != step:
        document.select(Selection((step_of(session, step),)))
    session.view.inspector_wide = not session.view.inspector_wide if wide is None else wide


@declare(ACTIONS, "view.dismiss", "Dismiss", "Close what lies on top.", keys=("Esc",), palette=False)
def dismiss(session: Session) -> None:
    """Close the topmost: gesture, menu, palette, dialogs, proposal, reading view, wide inspector, a notice that stays.

    Before the proposal, the list of runs gives the keyboard back.

    Then of what the view shows, in this order: the innermost open group, the local view, the selection, the colouring.
    """
    view = session.view
    if session.tools.busy:
        session.tools.cancel()
    elif session.context_menu is not None:
        session.context_menu = None
    elif view.palette:
        view.palette = False
    elif view.keys or view.about:
        view.keys = view.about = False
    elif view.search and session.text_focused:
        session.invoke("search.close")
    elif view.list_keys:
        view.list_keys = False
    elif session.proposal is not None:
        session.invoke("proposal.cancel")
    elif view.reading:
        view.reading = view.file_read = False
    elif view.inspector_wide:
        view.inspector_wide = False
    elif view.search:
        session.invoke("search.close")
    elif standing := session.notices.standing():
        session.notices.dismiss(standing.key)
    elif session.active is not None and session.active.strip.area is not None:
        session.invoke("time.area")
    elif session.active is not None:
        overlay = session.active.overlay
        if overlay is not None and overlay.facing is not None:
            session.active.show_overlay(replace(overlay, facing=None))
        elif folding.innermost(session.active) is not None:
            session.invoke("fold.close")
        elif session.active.folding.is_local:
            session.invoke("fold.local", shown=False)
        elif session.active.selection or not view.heat:
            session.active.select(Selection())
        else:
            session.invoke("view.heat", figure="")
