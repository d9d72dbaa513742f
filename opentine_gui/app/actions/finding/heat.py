"""Colour actions: colour the steps by what they cost, took or used, and light up those of one tool or model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentine_gui.app.actions.conditions import document_of, with_steps
from opentine_gui.app.inspect.analysis.heat_rows import TITLES
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.core.analysis.heat import Figure

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
ORDER = ("", *(figure.value for figure in Figure))


def _shown(session: Session) -> str:
    return TITLES[Figure(session.view.heat)].lower() if session.view.heat else "kind"


def _choices(session: Session) -> tuple[Choice, ...]:
    here = session.view.heat
    kinds = Choice("Kind", {"figure": ""}, not here)
    return (kinds, *(Choice(title, {"figure": name.value}, name.value == here) for name, title in TITLES.items()))


@declare(
    ACTIONS,
    "view.heat",
    "Colour by",
    "Colour the steps by cost, time, tokens, age, model or tool, with the ten that have most; then by kind again.",
    enabled=with_steps,
    menu="View",
    group=2,
    keys=("H",),
    state=_shown,
    choices=_choices,
)
def colour_by(session: Session, figure: str | None = None) -> None:
    """Colour by a figure, "" for kinds; without one go on to the next of them."""
    view = session.view
    if figure is None:
        figure = ORDER[(ORDER.index(view.heat) + 1) % len(ORDER)] if view.heat in ORDER else ""
    view.heat = Figure(figure).value if figure else ""
    view.heat_name = ""
    session.touch()


@declare(
    ACTIONS,
    "heat.name",
    "Light up one tool or model",
    "Light up the steps of a tool or a model, and show what its calls came to.",
    enabled=with_steps,
    palette=False,
)
def light_name(session: Session, name: str) -> None:
    """Light up the steps of a name, in place of those of a picked file; the same again puts them out."""
    session.view.heat_name = "" if session.view.heat_name == name else name
    if session.view.heat_name:
        document_of(session).pick_file(None)
    session.touch()
