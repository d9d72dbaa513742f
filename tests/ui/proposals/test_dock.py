"""What the dock says and takes: errors, what was recorded, the run's own title and tags, a step by hand."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.core.files import storage
from opentine_gui.ui.proposals.wording import title_of
from tests.ui.opened import Opened
from tests.ui.proposals.conftest import Ran
from tests.ui.proposals.dock import (
    fill,
    fork_shown,
    item_of,
    key_of,
    last_step,
    press,
    propose,
    record_of,
    shown_whole,
    tool_step,
)

RECORDINGS = Path(__file__).parents[2] / "data" / "recordings"


SESSION = next((RECORDINGS / "pi" / "0.73.1-c-errors").rglob("*.jsonl"))
"""A session of pi, which records the answers of its model and not what was sent for them."""


@pytest.mark.parametrize("kind", ["model", "tool"])
def test_of_an_answer_the_prompt_is_edited_and_of_a_call_it_is_a_press_away(opened: Opened, kind: str) -> None:
    opened.open(SESSION)
    graph = record_of(opened).graph
    chosen = next(step for step in graph if step.kind.value == kind and bool(step.inputs) is (kind == "tool"))
    said = [
        step.id
        for step in graph
        if step.shown_kind == "human" and graph.is_ancestor(*map(graph.index, (step.id, chosen.id)))
    ]
    opened.session.invoke("select.step", step=chosen.id)
    opened.rest()
    propose(opened, "e")
    if kind == "tool":
        assert fork_shown(opened).prompt == said[-1]
        press(opened, "Edit the prompt")
    opened.until(lambda: fork_shown(opened).step == said[-1], "the prompt proposed to be edited")
    assert opened.document.selection.ids == (said[-1],), "it is in view"
    opened.until(lambda: opened.window.proposal.form.boxes.active == key_of(opened, "text"), "its box typed into")
    opened.keyboard.type("again ")
    opened.until(lambda: fork_shown(opened).inputs.changes == 1, "it changed")
    assert fork_shown(opened).prompt is None


def test_what_is_wrong_is_reported_and_nothing_is_done_until_it_is_mended(opened: Opened) -> None:
    source = opened.document
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    fill(opened, "limit", "many")
    opened.until(lambda: fork_shown(opened).refusal == "arguments.limit: not a number", "the reason")
    opened.keyboard.press("ctrl+Return")
    opened.rest()
    assert opened.document is source
    form = opened.window.proposal.form
    opened.until(lambda: form.boxes.active == key_of(opened, "limit"), "the keyboard in the wrong box")
    assert "not a number" in opened.drawn(form.sheet.node)
    for _ in range(4):
        opened.keyboard.press("BackSpace")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("7")
    opened.until(lambda: fork_shown(opened).refusal is None, "it mended")
    assert source.selection.ids == (tool_step(opened),), "no key went to the canvas"
    assert "was 5" in opened.drawn(form.sheet.node)
    press(opened, "JSON arguments", "Form")
    opened.until(lambda: form.boxes.active == key_of(opened, "arguments"), "the arguments as JSON")
    fill(opened, "arguments", '{"limit": 7,')
    opened.until(lambda: "line 1" in (fork_shown(opened).refusal or ""), "the line that is wrong")
    press(opened, "Restore arguments", "Form")
    assert fork_shown(opened).inputs.changes == 0
    assert fork_shown(opened).refusal is None


def test_escape_leaves_the_form_and_what_was_typed_is_there_again(opened: Opened) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    fill(opened, "query", "half a thought")
    opened.keyboard.press("Escape")
    opened.rest()
    assert opened.session.proposal is None
    assert len(opened.session.documents) == 1
    propose(opened, "e")
    assert dpg.get_value(item_of(opened, "query")) == "half a thought"
    assert fork_shown(opened).inputs.changes == 1


def test_a_click_on_the_dock_does_nothing_to_the_canvas(opened: Opened, ran: Ran) -> None:
    opened.session.invoke("select.step", step=tool_step(opened))
    opened.rest()
    propose(opened, "e")
    area, camera = opened.window.proposal.area, opened.document.picture.camera
    ran.clear()
    for x in (area.x + 4, area.x + area.width / 2):
        opened.mouse.click(x, area.y + 4)
        opened.mouse.double_click(x, area.y + 4)
        opened.mouse.drag((x, area.y + 4), (x, area.y - 90))
        opened.mouse.wheel(2, (x, area.y + area.height / 2))
        opened.mouse.click(x, area.y + 4, button="right")
    opened.rest()
    assert ran == []
    assert opened.session.context_menu is None
    assert opened.document.picture.camera == camera


def test_title_tags_and_status_are_edited_saved_and_taken_back(opened: Opened) -> None:
    record, path = record_of(opened), opened.document.path
    assert path is not None
    content = path.read_bytes()
    propose(opened, "F2")
    fill(opened, "title", "Second look")
    fill(opened, "tags", "Slow, to read")
    press(opened, "paused", "Form")
    press(opened, "Change")
    opened.until(lambda: opened.session.proposal is None, "it done")
    assert (record_of(opened).title, record_of(opened).status) == ("Second look", "paused")
    assert record_of(opened).tags == ("slow", "to read")
    assert path.read_bytes() == content
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: not opened.document.dirty, "the file written")
    assert storage.read(path).title == "Second look"
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: record_of(opened).title == record.title, "the title of before")
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: not opened.document.dirty, "the file written again")
    assert path.read_bytes() == content


def test_a_step_is_added_by_hand_after_the_selected_one(opened: Opened) -> None:
    graph, after = record_of(opened).graph, tool_step(opened)
    opened.mouse.click(*opened.point(after))
    opened.rest()
    propose(opened, "a")
    opened.until(lambda: shown_whole(opened), "every card in view")
    opened.rest()
    press(opened, "tool", "Form")
    opened.rest()
    fill(opened, "name", "search_archive")
    press(opened, "Add step")
    opened.until(lambda: opened.session.proposal is None and opened.document.picture.record is not None, "it done")
    opened.rest()
    added = last_step(opened)
    said = {"name": "search_archive", "arguments": {}}
    assert (added.kind.value, added.parent_ids, added.inputs) == ("tool", (after,), said)
    assert opened.document.selection.ids == (added.id,)
    opened.mouse.click(*opened.point(added.id))
    opened.keyboard.press("ctrl+z")
    opened.until(lambda: record_of(opened).graph.ids == graph.ids, "the step gone again")


def test_going_on_names_the_file_that_it_writes_before_its_content_and_typing_keeps_it(opened: Opened) -> None:
    opened.open(SESSION)
    prompt = [step.id for step in record_of(opened).graph if step.shown_kind == "human"][-1]
    opened.session.invoke("select.step", step=prompt)
    opened.rest()
    propose(opened, "o")
    dock = opened.window.proposal

    def going_on() -> ContinueProposal:
        proposal = opened.session.proposal
        assert isinstance(proposal, ContinueProposal)
        return proposal

    opened.until(lambda: going_on().handback is not None, "what has to be written")
    opened.rest()
    before = going_on().handback
    assert before is not None
    (file,) = before.files
    assert title_of(going_on()) in opened.drawn(dock.head.node), "the heading is not cut"
    assert "this session stays as it is" in opened.drawn(dock.head.node)
    shown = ["".join(span.text for span in line.spans) for line in dock.content.page.lines]
    assert any(line.startswith("Writes ") and file.path.name in line for line in shown)
    assert len(shown) < 20, "its content is folded"
    fill(opened, "said", "Another way")
    opened.until(lambda: going_on().prompt == "Another way", "what was typed")
    opened.rest()
    after = going_on().handback
    assert after is not None
    assert (after.command, after.files) == ((*before.words, "Another way"), before.files)


def test_a_proposal_that_is_left_leaves_the_view_as_it_was(opened: Opened) -> None:
    opened.session.invoke("select.step", step=record_of(opened).graph.ids[-1])
    opened.keyboard.press("End")
    opened.rest()
    before = opened.document.picture.camera
    propose(opened, "e")
    moved = opened.document.picture.camera
    assert before is not None and moved is not None and moved != before, "its card is over the dock"
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.proposal is None, "it left")
    opened.rest()
    opened.until(lambda: opened.document.picture.camera == pytest.approx(before, abs=0.01), "the view as it was")
    propose(opened, "e")
    picture = opened.document.picture
    assert picture.camera is not None
    picture.set_camera(picture.camera._replace(x=picture.camera.x + 90))
    opened.keyboard.press("Escape")
    opened.until(lambda: opened.session.proposal is None, "it left again")
    opened.rest()
    assert picture.camera.x == pytest.approx(before.x + 90, abs=0.01), "where the user moved it"
