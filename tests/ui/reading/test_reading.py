"""A failing step, the reading view, values and differences, with a real mouse and keyboard."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg
import msgspec
import pytest

from opentine_gui.core import Graph, RunRecord, RunStatus, Step, StepKind, write
from opentine_gui.core.edit.new_step import new_step
from opentine_gui.ui.reading import content_view, diff_view
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.reading.step import conversations
from opentine_gui.ui.reading.step.records import stored_records
from tests.conftest import run_of
from tests.core.analysis.call_runs import Recording
from tests.ui.opened import Opened

TRACE = (
    'Traceback (most recent call last):\n  File "reader.py", line 41, in records\n    link(record)\n'
    "KeyError: 'parent_uuid'"
)
SCRIPT = 'import sys\nprint("it\'s", "quoted")\nsys.exit(1)'


def failing_run() -> tuple[RunRecord, list[Step]]:
    """A prompt, a long result, two failures of one tool, and an answer."""
    asked = new_step(StepKind.MODEL, {"text": "Find out why"}, (), timestamp=1.0, v3_kind="human")
    steps = [asked]

    def add(kind: StepKind, inputs: dict[str, object], **more: object) -> None:
        steps.append(new_step(kind, inputs, (steps[-1].id,), timestamp=len(steps) + 1.0, **more))  # type: ignore[arg-type]

    long = "\n".join(f"line {number}" for number in range(4_000))
    add(StepKind.TOOL, {"name": "read", "arguments": {"path": "log.txt"}}, outputs={"result": long})
    for attempt in (1, 2):
        error = {"type": "ToolError", "message": f"Exit code 1\nattempt {attempt}\n{TRACE}"}
        add(StepKind.TOOL, {"name": "run", "arguments": {"code": SCRIPT, "attempt": attempt}}, error=error)
    add(StepKind.DONE, {"text": "The key is missing."})
    record = msgspec.structs.replace(run_of({"a": ""}), graph=Graph.of(steps), status=RunStatus.FAILED, refs={})
    return record, steps


@pytest.fixture
def steps() -> list[Step]:
    return failing_run()[1]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    folder = tmp_path / "runs"
    folder.mkdir()
    write(folder / "failing.tine", failing_run()[0])
    window = Opened(folder)
    window.keyboard.focus()
    window.open(folder / "failing.tine")
    window.rest()
    yield window
    window.close()


def shown(view: ContentView) -> str:
    """What of a page is on screen."""
    return "\n".join(view.page.line(row.line).text[row.begin : row.end] for row in view.page.rows())


def zone(opened: Opened, sheet: object, hint: str) -> tuple[float, float]:
    left, top = dpg.get_item_rect_min(sheet.drawlist)  # type: ignore[attr-defined]
    found = next(found for found in sheet.zones if found.hint.startswith(hint))  # type: ignore[attr-defined]
    return left + (found.x0 + found.x1) / 2, top + (found.y0 + found.y1) / 2


def test_from_a_failed_run_to_its_error_by_button_and_key(opened: Opened, steps: list[Step]) -> None:
    inspector = opened.window.inspector
    head = opened.drawn(inspector.header.node)
    assert "Failed" in head
    assert "2 failures" in head
    opened.mouse.click(*zone(opened, inspector.header, "Next failure"))
    opened.rest()
    assert opened.document.selection.primary == steps[2].id
    assert "failed, exit 1" in opened.drawn(inspector.step.header.node)
    assert "KeyError: 'parent_uuid'" in opened.drawn(inspector.step.error.sheet.node) + shown(inspector.step.error.view)
    bottom = dpg.get_item_rect_max(inspector.step.error.sheet.drawlist)[1]
    assert bottom < dpg.get_viewport_client_height() / 2, "the error is on screen, above the middle"
    assert "print(" in shown(inspector.step.content), "a call without a result is shown below its error"
    opened.keyboard.press("n")
    opened.rest()
    assert opened.document.selection.primary == steps[3].id
    assert "failure 2 of 2" in opened.drawn(opened.window.panels["status"].sheet.node)
    opened.mouse.click(*zone(opened, opened.window.panels["status"].sheet, "Previous failure"))
    opened.rest()
    assert opened.document.selection.primary == steps[2].id
    opened.keyboard.press("shift+n")
    opened.rest()
    assert opened.document.selection.primary == steps[3].id


def test_a_double_click_is_one_where_frames_take_longer_than_it(opened: Opened, steps: list[Step]) -> None:
    at = opened.point(steps[0].id)

    def slow_frame() -> None:
        drawn = time.monotonic() + 0.25
        opened.frame()
        while (left := drawn - time.monotonic()) > 0:
            opened.session.jobs.wait(left)

    opened.mouse.frame = slow_frame
    opened.mouse.double_click(*at)
    opened.until(lambda: opened.window.reading.visible, "the reading view")


def test_a_double_click_opens_the_reading_view_whose_keys_walk_scroll_and_close(
    opened: Opened, steps: list[Step]
) -> None:
    reading = opened.window.reading
    opened.mouse.double_click(*opened.point(steps[0].id))
    opened.until(lambda: reading.visible, "the reading view")
    opened.rest()
    assert reading.visible
    assert not opened.window.inspector.pane.shown, "the same step is not shown twice"
    assert "Find out why" in shown(reading.step.content)
    opened.mouse.click(*zone(opened, reading.bar, "Next step"))
    opened.rest()
    assert opened.document.selection.primary == steps[1].id
    assert "line 0" in shown(reading.step.content)
    opened.keyboard.press("Next")
    opened.rest()
    assert "line 0\n" not in shown(reading.step.content)
    opened.keyboard.press("Home")
    opened.rest()
    assert "line 0" in shown(reading.step.content)
    opened.keyboard.press("End")
    opened.rest()
    assert "line 0\n" not in shown(reading.step.content)
    assert opened.document.selection.primary == steps[1].id, "the end of what is read, not of the run"
    opened.keyboard.press("Right")
    opened.rest()
    assert opened.document.selection.primary == steps[2].id
    opened.keyboard.press("4")
    opened.rest()
    assert "parent_ids" in shown(reading.step.content)
    opened.keyboard.press("Left")
    opened.rest()
    assert opened.document.selection.primary == steps[1].id
    opened.keyboard.press("Escape")
    opened.rest()
    assert not reading.visible
    assert opened.window.inspector.pane.shown
    assert opened.document.selection.primary == steps[1].id, "Esc closes one thing at a time"
    opened.keyboard.press("Return")
    opened.rest()
    assert reading.visible
    opened.mouse.click(*zone(opened, reading.bar, "Close"))
    opened.rest()
    assert not reading.visible


def test_a_right_click_on_a_value_copies_it_with_real_line_ends(opened: Opened, steps: list[Step]) -> None:
    copied: list[str] = []
    opened.session.clipboard = copied.append
    opened.session.invoke("select.step", step=steps[2].id)
    opened.rest()
    content = opened.window.inspector.step.content
    left, top = dpg.get_item_rect_min(content.drawlist)
    row = next(
        number for number, row in enumerate(content.page.rows()) if "sys.exit" in content.page.line(row.line).text
    )
    menu = opened.window.context_menu
    for title in ("Copy value", "Copy path"):
        opened.mouse.click(left + 60, top + (row + 0.5) * content.page.row_height, button="right")
        opened.rest()
        assert menu.visible
        place = next(place for place, entry in enumerate(menu.entries) if entry.title == title)
        x, y = dpg.get_item_rect_min(menu.rows.drawlist)
        opened.frame()
        opened.mouse.click(x + 60, y + (place + 0.5) * menu.rows.row_height)
        opened.rest()
    assert copied == [SCRIPT, "inputs.arguments.code"]


def test_a_step_is_compared_with_its_parent_side_by_side_and_in_one_column(opened: Opened, steps: list[Step]) -> None:
    opened.session.invoke("select.step", step=steps[3].id)
    opened.rest()
    opened.keyboard.press("shift+d")
    opened.rest()
    reading = opened.window.reading
    left, right = reading.diff.left, reading.diff.right
    assert reading.visible
    assert "attempt 1" in shown(left)
    assert "attempt 2" in shown(right)
    assert "attempt 2" not in shown(left)
    opened.mouse.click(*zone(opened, reading.bar, "Unified diff"))
    opened.rest()
    assert "- attempt 1" in shown(left)
    assert "+ attempt 2" in shown(left)
    opened.keyboard.press("Escape")
    opened.rest()
    assert not reading.visible


def test_what_is_read_is_selected_copied_and_searched_by_key_alone(opened: Opened, steps: list[Step]) -> None:
    reading, session = opened.window.reading, opened.session
    copied: list[str] = []
    session.clipboard = copied.append
    opened.mouse.click(*opened.point(steps[1].id))
    opened.rest()
    opened.keyboard.press("Return")
    opened.until(lambda: reading.visible, "the reading view")
    opened.rest()
    opened.keyboard.press("ctrl+a")
    opened.keyboard.press("ctrl+c")
    opened.until(lambda: copied and "line 0\n" in copied[0], "the whole text")
    assert opened.document.selection.ids == (steps[1].id,), "the steps behind are left alone"
    opened.keyboard.press("ctrl+f")
    opened.until(lambda: reading.step.content.find_bar.visible, "its own search")
    assert not session.view.search
    opened.keyboard.press("ctrl+f")
    opened.until(lambda: session.view.search, "that of the run")


def test_what_was_sent_for_two_answers_is_compared_side_by_side(opened: Opened) -> None:
    """With the key and the menu of a card; it is said from what each of the two is known."""
    run = Recording()
    run.ask("Look")
    first = run.say("I look")
    call = run.call("Read", {"file_path": "/w/a.py"}, "the only line")
    second = run.say("That was it")
    record = run.record()
    path = opened.session.working_folder / "requests.tine"
    write(path, record)
    opened.open(path)
    opened.rest()
    ids = record.graph.ids
    opened.mouse.click(*opened.point(ids[second]))
    opened.until(lambda: opened.document.selection.primary == ids[second], "the answer selected")
    opened.keyboard.press("alt+r")
    diff = opened.window.reading.diff
    opened.until(lambda: diff.sections, "the requests compared")
    opened.rest()
    assert "the only line" in shown(diff.right) and "the only line" not in shown(diff.left)
    head = " ".join(opened.drawn(diff.head.node).split())
    assert "Estimated from the 1 step it rests on" in head
    assert "Estimated from the 3 steps it rests on" in head
    bar = opened.window.reading.bar
    opened.mouse.click(*zone(opened, bar, "Diff requests"))  # the button leads back to the steps
    opened.until(lambda: not opened.session.view.diff_requests, "the steps compared")
    opened.rest()
    assert "That was it" in shown(diff.right)
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.session.view.reading, "the reading view closed")
    opened.mouse.click(*opened.point(ids[first]))
    opened.session.invoke("select.add", step=ids[call])
    opened.until(lambda: len(opened.document.selection.ids) == 2, "two steps selected")
    assert opened.session.enabled("inspect.diff_requests") == "Both steps came from one request."


def test_what_is_shown_and_copied_of_a_large_value_is_made_beside_the_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: dict[str, set[bool]] = {}

    def beside(place: object, name: str) -> None:
        make: Callable[..., Any] = getattr(place, name)

        def noted(*given: Any, **named: Any) -> Any:
            made.setdefault(name, set()).add(threading.current_thread() is not threading.main_thread())
            return make(*given, **named)

        monkeypatch.setattr(place, name, noted)

    beside(diff_view, "difference_page")
    beside(stored_records, "stored_step")
    beside(conversations, "conversation_page")
    beside(content_view, "clean_whole")
    steps = [new_step(StepKind.TOOL, {"name": "read"}, (), timestamp=1.0, outputs={"result": "short"})]
    long = "".join(f"line {number} of what was read, and more of it\n" for number in range(60_000))
    asked = {"name": "read", "note": "so " * 500_000}
    steps.append(new_step(StepKind.TOOL, asked, (steps[0].id,), timestamp=2.0, outputs={"result": long}))
    record = msgspec.structs.replace(run_of({"a": ""}), graph=Graph.of(steps), refs={})
    write(tmp_path / "long.tine", record)
    opened = Opened(tmp_path)
    copied: list[str] = []
    opened.session.clipboard = copied.append
    opened.keyboard.focus()
    opened.open(tmp_path / "long.tine")
    opened.session.invoke("select.step", step=steps[1].id)
    opened.rest()
    reading = opened.window.reading
    opened.keyboard.press("shift+d")
    opened.until(lambda: "line 0 of what" in shown(reading.diff.right), "the difference side by side")
    opened.keyboard.press("u")
    opened.until(lambda: "+ line 0 of what" in shown(reading.diff.left), "the difference in one column")
    opened.keyboard.press("Escape")
    opened.until(lambda: not reading.visible, "the reading view closed")
    opened.keyboard.press("4")
    content = opened.window.inspector.step.content
    opened.until(lambda: "note" in shown(content), "the record")
    opened.keyboard.press("3")
    opened.until(lambda: "read(" in shown(content), "the conversation")
    opened.keyboard.press("1")
    opened.until(lambda: "line 0 of what" in shown(content) and not content.reader.busy, "the result")
    opened.mouse.click(*zone_of_text(content))
    opened.keyboard.press("ctrl+a")
    opened.keyboard.press("ctrl+c")
    opened.until(lambda: copied, "the text copied")
    assert long.rstrip("\n") in copied[0]
    opened.keyboard.press("e")
    opened.until(lambda: opened.session.proposal is not None, "the fork proposed")
    opened.rest()
    assert "1,500,000 characters, too many for a box" in opened.drawn(opened.window.proposal.form.sheet.drawlist)
    opened.close()
    assert len(made) == 4 and all(where == {True} for where in made.values()), made


def zone_of_text(view: ContentView) -> tuple[float, float]:
    """A window pixel on the first line of a page."""
    left, top = dpg.get_item_rect_min(view.drawlist)
    return left + 30, top + view.page.row_height / 2
