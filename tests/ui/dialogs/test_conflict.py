"""Two writers of one file, in a real window: the difference can be looked at before one version is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from opentine_gui.core.files import storage
from tests.ui.opened import Opened, copy_of_demo


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    runs = copy_of_demo(tmp_path)
    window = Opened(runs)
    window.keyboard.focus()
    window.open(runs / "research-01.tine")
    yield window
    window.close()


def press(opened: Opened, name: str) -> None:
    """Press a control that all of is on screen."""
    found = [control for control in opened.window.controls() if control.name == name]
    assert found, name
    assert found[-1].shown == found[-1].area
    opened.mouse.click(*found[-1].middle)
    opened.rest()


def test_the_difference_is_shown_before_one_of_two_versions_is_chosen(opened: Opened, tmp_path: Path) -> None:
    session, mine = opened.session, opened.document
    path = mine.path
    assert path is not None
    session.invoke("run.edit_details", title="Mine", accept=True)
    opened.rest()
    theirs = storage.read(path.with_name("retry-01.tine"))
    storage.write(path, theirs)
    session.invoke("file.save")
    opened.until(lambda: opened.window.front is not None, "the question")
    opened.rest()
    press(opened, "Show difference")
    assert session.active is not None and session.active.overlay is not None
    compared = session.active.overlay.comparison
    assert compared is not None
    assert compared.a.graph.ids == theirs.graph.ids
    assert compared.b is mine.record
    assert storage.read(path).graph.ids == theirs.graph.ids
