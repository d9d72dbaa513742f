"""A view that fails costs itself and a notice: the canvas is painted, keys arrive, and the run can be saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.app.state.prompts import Confirm
from opentine_gui.core.files import storage
from tests.conftest import named
from tests.ui.opened import Opened


@pytest.fixture
def opened(folder: Path) -> Iterator[Opened]:
    """A window as users have it: an error in a view does not end the program."""
    window = Opened(folder)
    window.window.errors.strict = window.loop.strict = False
    window.keyboard.focus()
    yield window
    window.close()


def fail(*_given: object, **_more: object) -> None:
    raise RuntimeError("this view fails")


def complaints(opened: Opened) -> list[str]:
    return [notice.text for notice in opened.session.notices.list() if notice.level == "error"]


@pytest.mark.parametrize(
    ("name", "method"),
    [("runs", "sync"), ("runs", "wanted_height"), ("runs", "in_use"), ("inspector", "sync"), ("timeline", "place")],
)
def test_a_panel_that_fails_leaves_canvas_keys_and_saving_as_they_are(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, method: str
) -> None:
    kind = type(opened.window.panels[name])
    monkeypatch.setattr(kind, method, property(fail) if method == "in_use" else fail)
    opened.open(folder / "first.tine")
    assert opened.window.canvas.drawn > 0
    opened.session.invoke("run.edit_details", title="Kept", accept=True)
    opened.rest()
    assert opened.document.dirty
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: not opened.document.dirty, "the run saved")
    assert storage.read(folder / "first.tine").title == "Kept"
    assert complaints(opened) == [f"The {name} panel could not be drawn: this view fails"]


def test_a_panel_that_failed_once_is_there_again_when_something_changes(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.open(folder / "first.tine")
    panel, calls = opened.window.panels["outline"], []
    sync = panel.sync

    def fails_once(*given: object) -> None:
        calls.append(given)
        if len(calls) == 1:
            raise RuntimeError("this view fails")
        sync(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(panel, "sync", fails_once)
    opened.until(lambda: complaints(opened), "the notice")
    opened.session.touch()
    opened.until(lambda: len(calls) > 1, "the panel again")
    assert len(complaints(opened)) == 1


def test_a_canvas_that_fails_leaves_the_panels_and_saving_as_they_are(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = opened.open(folder / "first.tine")
    monkeypatch.setattr(type(opened.window.canvas), "sync", fail)
    record = document.record
    assert record is not None
    step = named(record, "left")
    opened.session.invoke("select.step", step=step)
    opened.rest()
    assert "could not be drawn" in complaints(opened)[0]
    opened.session.invoke("run.edit_details", title="Kept", accept=True)
    opened.rest()
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: not document.dirty, "the run saved")


@pytest.mark.parametrize("when", ["opened", "synced"])
def test_a_question_that_cannot_be_shown_is_declined_and_takes_no_keys(
    opened: Opened, folder: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    opened.open(folder / "first.tine")
    answers: list[object] = []
    place = "opentine_gui.ui.dialogs.prompts.SentenceDialog"
    monkeypatch.setattr(f"{place}.{'sync' if when == 'synced' else '__init__'}", fail)
    opened.window.prompter.ask(Confirm("Save?", "It has changes.", ("Save", "Cancel")), answers.append)
    opened.until(lambda: answers, "an answer")
    assert answers == [None]
    assert not opened.window.prompter.visible
    opened.keyboard.press("ctrl+k")
    opened.until(lambda: opened.window.palette.visible, "the palette")
