"""Colour actions: colour the steps by what they cost, took or used, and light up those of one tool or model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opentine_gui.app.actions.conditions import document_of, with_steps
from opentine_gui.app.inspect.analysis.heat_rows import MISSING, TITLES
from opentine_gui.app.state.action_registry import Action, Choice, declare
from opentine_gui.core.analysis.heat import Figure, is_recorded

if TYPE_CHECKING:
    from opentine_gui.app.session import Session

ACTIONS: list[Action] = []
ORDER = ("", *(figure.value for figure in Figure))

NOTICE = "colour-by"


def _next(session: Session) -> tuple[str, list[Figure]]:
    """The next figure that any step of the active run has, "" for kinds, and those before it that none has."""
    record = document_of(session).record
    place = ORDER.index(session.view.heat) if session.view.heat in ORDER else 0
    passed_over: list[Figure] = []
    for name in ORDER[place + 1 :]:
        figure = Figure(name)
        if figure in (Figure.MODEL, Figure.TOOL) or record is None or is_recorded(record.graph, figure):
            return name, passed_over
        passed_over.append(figure)
    return "", passed_over


def _shown(session: Session, **_arguments: Any) -> str:
    return TITLES[Figure(session.view.heat)].lower() if session.view.heat else "kind"


def _choices(session: Session) -> tuple[Choice, ...]:
    here = session.view.heat
    kinds = Choice("Kind", {"figure": ""}, not here)
    return (kinds, *(Choice(title, {"figure": name.value}, name.value == here) for name, title in TITLES.items()))


@declare(
    ACTIONS,
    "view.heat",
    "Colour by",
    "Colour the steps by cost, time, tokens, age, model or tool: the ten most expensive, statistics of each tool.",
    enabled=with_steps,
    menu="View",
    group=2,
    keys=("H",),
    state=_shown,
    choices=_choices,
)
def colour_by(session: Session, figure: str | None = None) -> None:
    """Colour by a figure, "" for kinds; without one go on to the next of them that any step has."""
    view = session.view
    if figure is None:
        figure, passed_over = _next(session)
        if passed_over:
            shown = TITLES[Figure(figure)].lower() if figure else "kind"
            missing = " ".join(MISSING[one] for one in passed_over)
            session.notices.add("info", f"Coloured by {shown}. {missing}", key=NOTICE)
        else:
            session.notices.dismiss(NOTICE)
    view.heat = Figure(figure).value if figure else ""
    view.heat_name = ""
    session.touch()


@declare(
    ACTIONS,
    "heat.name",
    "Light up one tool or model",
    "Highlight the steps of a tool or a model, and show the totals of its calls.",
    enabled=with_steps,
    palette=False,
)
def light_name(session: Session, name: str) -> None:
    """Light up the steps of a name, in place of those of a picked file; the same name again switches that off."""
    session.view.heat_name = "" if session.view.heat_name == name else name
    if session.view.heat_name:
        document_of(session).pick_file(None)
    session.touch()
