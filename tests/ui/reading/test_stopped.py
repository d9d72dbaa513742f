"""Work that is stopped in the status bar with a real mouse: what waited for it says so, and coming back makes it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from opentine_gui.app.folder.browse import Listing, list_folder
from opentine_gui.core import write
from opentine_gui.ui.dialogs import file_chooser
from opentine_gui.ui.dialogs.file_chooser import FileChooser
from opentine_gui.ui.reading import diff_view, file_view
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.reading.step import conversations
from opentine_gui.ui.reading.step.records import stored_records
from tests.core.analysis.call_runs import session_of_edits
from tests.ui.opened import Opened
from tests.ui.panels.places import zone_point

AGAIN = "was stopped. Leave it and come back to try again."


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    write(tmp_path / "edits.tine", session_of_edits())
    window = Opened(tmp_path)
    window.keyboard.focus()
    window.open(tmp_path / "edits.tine")
    window.rest()
    yield window
    window.close()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Holds what the views make in jobs, however small it is, until it is set."""
    passed = threading.Event()
    monkeypatch.setattr(stored_records, "LARGE_RECORD", -1)
    monkeypatch.setattr(conversations, "LARGE_CONVERSATION", -1)
    monkeypatch.setattr(diff_view, "LARGE", -1)
    made = (
        (stored_records, "stored_step"), (conversations, "conversation_page"), (diff_view, "step_differences"),
        (diff_view, "difference_page"), (file_view, "file_page"),
    )  # fmt: skip
    for place, name in made:
        monkeypatch.setattr(place, name, held(getattr(place, name), passed))
    yield passed
    passed.set()


def held(make: Callable[..., Any], passed: threading.Event) -> Callable[..., Any]:
    def made(*given: Any, **named: Any) -> Any:
        assert passed.wait(30)
        return make(*given, **named)

    return made


def shown(view: ContentView) -> str:
    return "\n".join(view.page.lines[number].text for number in range(len(view.page.lines)))


def stop(opened: Opened, gate: threading.Event) -> None:
    """Press Cancel in the status bar once it is there, then let the work end."""
    status = opened.window.panels["status"].sheet
    opened.until(lambda: any(zone.hint == "Stop this work" for zone in status.zones), "the button")
    opened.mouse.click(*zone_point(status, "Stop this work"))
    opened.until(lambda: not opened.session.jobs.running(), "the work stopped")
    gate.set()
    opened.rest()
    gate.clear()


def test_the_record_and_the_conversation_of_a_step(opened: Opened, gate: threading.Event) -> None:
    document, content = opened.document, opened.window.inspector.step.content
    assert document.record is not None
    opened.session.invoke("select.step", step=document.record.graph.ids[2])
    for key, what, begin in (("4", "Reading the record", "timestamp"), ("3", "Reading the conversation", "this step")):
        opened.keyboard.press(key)
        opened.until(lambda what=what: f"{what}…" in shown(content), what)
        stop(opened, gate)
        assert shown(content) == f"{what} {AGAIN}"
        gate.set()
        opened.keyboard.press("1")
        opened.rest()
        opened.keyboard.press(key)
        opened.until(lambda begin=begin: begin in shown(content), f"{what} after all")
        gate.clear()


def test_the_difference_of_two_steps(opened: Opened, gate: threading.Event) -> None:
    document, diff = opened.document, opened.window.reading.diff
    assert document.record is not None
    ids = document.record.graph.ids
    opened.session.invoke("select.step", step=ids[2])
    opened.session.invoke("select.add", step=ids[4])
    opened.keyboard.press("shift+d")
    opened.until(lambda: shown(diff.left) == "Comparing…", "the comparison begun")
    stop(opened, gate)
    assert shown(diff.left) == f"Comparing them {AGAIN}"
    opened.session.invoke("inspect.unified")
    opened.rest()
    assert shown(diff.left) == f"Comparing them {AGAIN}", "a new layout does not say that it goes on"
    gate.set()
    opened.keyboard.press("Escape")
    opened.until(lambda: not opened.window.reading.visible, "the reading view closed")
    opened.keyboard.press("shift+d")
    opened.until(lambda: diff.sections and AGAIN not in shown(diff.left), "the difference after all")


def test_a_file_followed_through_the_run(opened: Opened, gate: threading.Event) -> None:
    record, view = opened.document.record, opened.window.reading.file
    assert record is not None
    ids = record.graph.ids
    gate.set()
    opened.session.invoke("files.read", path="/w/src/a.py")
    opened.until(lambda: "def f():" in shown(view.content), "the file")
    gate.clear()
    opened.session.invoke("select.step", step=ids[3])
    stop(opened, gate)
    assert shown(view.content) == f"Following the file {AGAIN}", "the text of another step is not called this one's"
    assert "not read" in opened.drawn(view.head.node)
    gate.set()
    opened.session.invoke("select.step", step=ids[4])
    opened.until(lambda: AGAIN not in shown(view.content), "the file at another step")


def test_the_names_in_a_folder(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = threading.Event()

    def slow(folder: Path, *, hidden: bool = False) -> Listing:
        assert passed.wait(30)
        return list_folder(folder, hidden=hidden)

    monkeypatch.setattr(file_chooser, "list_folder", slow)
    opened.session.invoke("file.open")
    opened.until(lambda: isinstance(opened.window.prompter._dialog, FileChooser), "the dialog")
    chooser = opened.window.prompter._dialog
    assert isinstance(chooser, FileChooser)
    (job,) = opened.session.jobs.running()
    opened.session.invoke("job.cancel", key=job.key)
    opened.until(lambda: not opened.session.jobs.running(), "the listing stopped")
    passed.set()
    opened.rest()
    assert "Listing this folder was stopped. Type a path, or go there again." in opened.drawn(chooser.foot.node)
    chooser.go(chooser.choice.folder)
    opened.until(lambda: any(entry.name == "edits.tine" for entry in chooser.choice.shown), "the names after all")
