"""The dock of a fork, a merge or a new step under a real mouse and keyboard."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.in_view import proposed_centers
from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.document.camera.framing import card_bounds
from opentine_gui.core import RunRecord, Step
from opentine_gui.scene.space.camera import view_rect
from opentine_gui.ui.proposals.form_rows import Key
from tests.ui.opened import Opened


def record_of(opened: Opened) -> RunRecord:
    record = opened.document.record
    assert record is not None
    return record


def last_step(opened: Opened) -> Step:
    graph = record_of(opened).graph
    return graph.step(graph.ids[-1])


def tool_step(opened: Opened) -> str:
    """A step in the middle of the run, whose inputs are {"name": …, "arguments": {"query": …, "limit": …}}."""
    return record_of(opened).graph.ids[3]


def fork_shown(opened: Opened) -> ForkProposal:
    proposal = opened.session.proposal
    assert isinstance(proposal, ForkProposal)
    return proposal


def merge_shown(opened: Opened) -> MergeProposal:
    proposal = opened.session.proposal
    assert isinstance(proposal, MergeProposal)
    return proposal


def propose(opened: Opened, key: str) -> None:
    """Press F, E or M and wait until the proposal is shown and at rest."""
    opened.keyboard.press(key)
    opened.until(lambda: opened.window.proposal.area.height > 0, "a proposal in the dock")
    opened.rest()
    if opened.window.proposal.form.parts:
        opened.until(lambda: opened.window.proposal.form.boxes.active is not None, "a box that is typed into")
        opened.rest()


def propose_merge(opened: Opened) -> None:
    ids = [record_of(opened).graph.ids[index] for index in record_of(opened).graph.tips]
    opened.session.invoke("select.step", step=ids[0])
    opened.session.invoke("select.add", step=ids[1])
    opened.rest()
    propose(opened, "m")


def press(opened: Opened, name: str, view: str = "Proposal") -> None:
    """Click the button, tick or word that is called this."""
    opened.frame()
    control = next(one for one in opened.window.controls() if one.name == name and one.view == view)
    assert not control.cover, f"{name} is covered by {control.cover}"
    opened.mouse.click(*control.middle)
    opened.rest()


def key_of(opened: Opened, label: str) -> Key:
    """The key of the box of a field, or of a part of the form."""
    rows = opened.window.proposal.form.rows
    return next(row.key for row in rows if (row.entry.name if row.key[1] and row.entry else row.part.name) == label)


def item_of(opened: Opened, label: str) -> int:
    """The Dear PyGui item of a box, scrolled into view."""
    form, key = opened.window.proposal.form, key_of(opened, label)
    form.focus(key)
    opened.until(lambda: form.boxes.active == key, f"the box {label}")
    return form.boxes.made[key].item


def middle(item: int) -> tuple[float, float]:
    (left, top), (width, height) = dpg.get_item_rect_min(item), dpg.get_item_rect_size(item)
    return left + width / 2, top + height / 2


def fill(opened: Opened, label: str, text: str) -> None:
    """Click a box, type over its text, and wait until all of it has arrived: Dear PyGui takes it in bit by bit."""
    item = item_of(opened, label)
    opened.mouse.click(*middle(item))
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type(text)
    opened.until(lambda: dpg.get_value(item) == text, f"{text!r} in the box")


def shown_whole(opened: Opened) -> bool:
    """Whether every card the proposal is about lies in view."""
    document, proposal = opened.document, current_proposal(opened.session)
    assert proposal is not None and document.picture.layout is not None and document.picture.camera is not None
    x0, y0, x1, y1 = card_bounds(document.picture.layout, proposed_centers(document, document.picture.layout, proposal))
    left, top, right, bottom = view_rect(document.picture.camera, opened.session.viewport)
    return left <= x0 and top <= y0 and x1 <= right and y1 <= bottom
