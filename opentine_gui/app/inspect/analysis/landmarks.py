"""The two places that people look for first in a run: what was asked last, and how it ended."""

from __future__ import annotations

from typing import NamedTuple

from opentine_gui.app.document.picture.card_faces import ASKED_LAST
from opentine_gui.app.inspect.facts import ASKED_ONCE, asked_once
from opentine_gui.core import RunRecord, TineError
from opentine_gui.describe.failures.run_status import NO_END, NOT_ENDED, TURN_ENDED, status_words
from opentine_gui.describe.step_titles import title


class Landmark(NamedTuple):
    """A step, what it is, the theme role of that word, and the step's title."""

    step: str
    word: str
    role: str
    title: str


def landmarks(record: RunRecord, *, written: bool = False) -> tuple[Landmark, ...]:
    """What was asked last and how the run ended, as far as recorded; `written`: its file is being written now.

    Takes time proportional to the steps after the last turn of a person, and to all of a run in which nobody spoke.
    """
    graph, tip = record.graph, record.main_tip
    if tip is None or tip not in graph:
        return ()
    end = graph.index(tip)
    asked = next(graph.turns(end), -1) if "human" in graph.v3_kinds.values() else -1
    found = []
    if asked >= 0 and asked != end:
        word = ASKED_ONCE.lower() if asked_once(record) else ASKED_LAST.text
        found.append(Landmark(graph.ids[asked], word, ASKED_LAST.role, _title(record, asked)))
    word, role = status_words(record, written=written)
    word = {TURN_ENDED: "end", NO_END: "last step"}.get(word, word if word in NOT_ENDED else f"end: {word}")
    return (*found, Landmark(tip, word, "text" if role == "quiet" else role, _title(record, end)))


def _title(record: RunRecord, step: int) -> str:
    try:
        return title(record.graph.step(step))
    except TineError:
        return ""
