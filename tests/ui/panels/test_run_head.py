"""The head of the run's panel with a real mouse: what was asked last above what came of it, and each failing check."""

from __future__ import annotations

from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.core import write
from opentine_gui.scene.draw_list import Text
from tests.core.analysis.call_runs import Recording
from tests.core.sample_runs import DATA
from tests.ui.opened import Opened

LAST = "Now make it three, in both modules and in the notes, and say which of the tests you had to change for it."


@pytest.fixture
def run(opened: Opened, folder: Path) -> Recording:
    """Two turns; two checks fail in the second, and the agent says that all is well."""
    run = Recording()
    run.ask("Make it two")
    run.call("Edit", {"file_path": "/w/a.py", "old_string": "1", "new_string": "2"}, "ok")
    run.say("It is two")
    run.ask(LAST)
    run.call("Bash", {"command": "pytest -q"}, failed="NameError: three")
    run.call("Bash", {"command": "ruff check ."}, failed="F821 Undefined name three")
    run.say("All pass")
    meta = {"user_prompt": "Make it two"}
    record = run.record(refs={"main": run.steps[-1].id}, metadata=meta, run_id="asked")
    opened.open(write(folder / "asked.tine", record))
    opened.rest()
    return run


def texts(opened: Opened) -> list[str]:
    """What the head says, from top to bottom."""
    items = [item for item in opened.window.inspector.header._items if isinstance(item, Text)]
    return [item.text for item in sorted(items, key=lambda item: (item.y, item.x))]


def point(opened: Opened, name: str) -> tuple[float, float]:
    sheet = opened.window.inspector.header
    left, top = dpg.get_item_rect_min(sheet.drawlist)
    zone = next(zone for zone in sheet.zones if zone.name.startswith(name))
    return left + (zone.x0 + zone.x1) / 2, top + (zone.y0 + zone.y1) / 2


def test_what_was_asked_last_stands_above_what_came_of_it_and_leads_to_its_step(opened: Opened, run: Recording) -> None:
    said = texts(opened)
    places = [
        next(at for at, text in enumerate(said) if words in text) for words in ("Asked last", "Now make", "All p")
    ]
    assert places == sorted(places)
    opened.mouse.click(*point(opened, "Now make it three"))
    opened.rest()
    assert opened.document.selection.primary == run.steps[3].id


def test_a_fork_is_called_as_its_tab_is_and_says_below_what_was_first_asked(opened: Opened, run: Recording) -> None:
    opened.session.invoke("run.fork", step=run.steps[2].id, accept=True)
    opened.until(lambda: opened.document.title == "Fork of asked", "the fork")
    opened.rest()
    opened.session.invoke("select.none")
    opened.rest()
    said = texts(opened)
    assert said[0] == opened.document.title
    assert "Make it two" in said[1:]


def test_a_fork_of_a_run_that_has_no_title_is_not_called_by_its_id(opened: Opened, folder: Path) -> None:
    run = Recording()
    run.say("It is two")
    run.say("It is three")
    opened.open(write(folder / "untitled.tine", run.record(refs={"main": run.steps[-1].id}, run_id="3a" * 32)))
    opened.session.invoke("run.fork", step=run.steps[0].id, accept=True)
    opened.until(lambda: opened.document.title == "Fork of untitled", "the fork")
    opened.rest()
    opened.session.invoke("select.none")
    opened.rest()
    assert texts(opened)[0] == opened.document.title


def test_each_check_that_failed_is_named_with_its_reason_and_leads_to_its_step(opened: Opened, run: Recording) -> None:
    said = texts(opened)
    assert "2 checks failed the last time they ran" in said
    assert any(text.startswith("pytest: NameError") for text in said)
    opened.mouse.click(*point(opened, "ruff"))
    opened.rest()
    assert opened.document.selection.primary == run.steps[5].id


def test_a_low_panel_says_less_of_each_and_leaves_room_for_the_rows(opened: Opened, run: Recording) -> None:
    tall = len(texts(opened))
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(520)
    opened.until(lambda: dpg.get_viewport_client_height() == 520, "the small window")
    opened.rest()
    said = texts(opened)
    assert "Asked last" in said and "2 checks failed the last time they ran" in said
    assert len(said) < tall
    head, rows = opened.window.inspector.header, opened.window.inspector.list
    assert dpg.get_item_rect_max(head.drawlist)[1] <= dpg.get_item_rect_min(rows.drawlist)[1] + 1
    assert dpg.get_item_rect_size(rows.window)[1] >= 60


def test_a_file_that_was_changed_is_said_to_be_before_anything_that_it_says(opened: Opened) -> None:
    opened.open(DATA / "bad" / "int_body_changed.tine")
    opened.rest()
    said = texts(opened)
    changed = next(place for place, text in enumerate(said) if "digest does not match" in text)
    assert changed < said.index("Completed")


def test_a_long_sentence_about_checks_is_whole(opened: Opened, folder: Path) -> None:
    run = Recording()
    run.ask("Make it two")
    run.call("Bash", {"command": "python prepare.py"}, "ok")
    for name in "ab":
        run.call("Edit", {"file_path": f"/w/{name}.py", "old_string": "1", "new_string": "2"}, "ok")
    run.say("It is two")
    record = run.record(refs={"main": run.steps[-1].id}, metadata={"user_prompt": "Make it two"}, run_id="unchecked")
    opened.open(write(folder / "unchecked.tine", record))
    dpg.set_viewport_width(1000)
    dpg.set_viewport_height(700)
    opened.until(lambda: dpg.get_viewport_client_width() == 1000, "the small window")
    opened.rest()
    header = opened.window.inspector.header
    assert "nothing run after the last 2 edits" in " ".join(texts(opened))
    links = [zone for zone in header.zones if zone.kind == "link"]
    assert links and all(zone.x1 <= header.width for zone in links), "nothing goes beyond the panel"
