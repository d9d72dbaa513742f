"""The tutorial of docs/TUTORIAL.md, done in a real window: its test and its pictures are made from this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.ui.opened import Opened

GOOD_ADDRESS = "https://archive.example.org/abs/2404-117"
NOTE = "Archived copy, the page is gone"


class Stage(NamedTuple):
    """One section of the tutorial: its heading, what is done, and what is true after it."""

    heading: str
    do: Callable[[], object]
    holds: Callable[[], object]


def stages(opened: Opened) -> Iterator[Stage]:
    """The sections in order, with the keyboard, in a window on a copy of the demo's folder."""
    session, keys = opened.session, opened.keyboard
    folder = session.working_folder
    yield Stage(
        "Open the run",
        lambda: opened.open(folder / "research-01.tine"),
        lambda: opened.document.record is not None and len(opened.document.record.graph) == 27,
    )
    source = opened.document
    yield Stage("Find out why it failed", lambda: keys.press("n"), lambda: title_of(opened).startswith("fetch("))
    yield Stage("Read it in full", lambda: keys.press("Return"), lambda: session.view.reading)
    keys.press("Escape")
    opened.until(lambda: not session.view.reading, "the reading view closed")
    yield Stage(
        "Fork there, and change what it did", lambda: fork_and_edit(opened), lambda: session.proposal is not None
    )
    yield Stage("Make the fork", lambda: keys.press("ctrl+Return"), lambda: opened.document is not source)
    yield Stage("Save it", lambda: save(opened), lambda: opened.document.path is not None and not opened.document.dirty)
    yield Stage(
        "Leave yourself a note", lambda: write_note(opened), lambda: NOTE in str(opened.document.annotations.values())
    )
    yield Stage(
        "Compare it with the original", lambda: keys.press("ctrl+d"), lambda: opened.document.members is not None
    )


def title_of(opened: Opened) -> str:
    """The title of the selected step."""
    from opentine_gui.describe.step_titles import title

    step, record = opened.document.selection.primary, opened.document.record
    return title(record.graph.step(record.graph.index(step))) if step is not None and record is not None else ""


def fork_and_edit(opened: Opened) -> None:
    """Propose a fork with another address in the call."""
    opened.keyboard.press("e")
    opened.until(lambda: opened.session.proposal is not None and opened.session.text_focused, "the form")
    opened.rest()
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type(GOOD_ADDRESS)
    opened.rest()


def save(opened: Opened) -> None:
    """Save under the suggested name."""
    opened.keyboard.press("ctrl+s")
    opened.until(lambda: opened.window.prompter.visible or not opened.document.dirty, "a name")
    opened.rest()
    opened.keyboard.press("Return")
    opened.until(lambda: not opened.document.dirty, "saved")


def write_note(opened: Opened) -> None:
    """Write a note beside the selected step."""
    if opened.document.selection.primary is None:
        opened.keyboard.press("Down")
        opened.until(lambda: opened.document.selection.primary, "a step selected")
    opened.keyboard.press("ctrl+m")
    opened.until(lambda: opened.session.text_focused, "the note's box")
    opened.keyboard.type(NOTE)
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.document.annotations, "the note")


def replay(opened: Opened, after: Callable[[str], object]) -> list[str]:
    """Do every section; `after(heading)` is called when what it promises is true. Returns the headings."""
    done = []
    for stage in stages(opened):
        stage.do()
        opened.until(stage.holds, stage.heading)
        opened.rest()
        after(stage.heading)
        done.append(stage.heading)
    return done


def headings(page: Path) -> list[str]:
    """The numbered headings of the tutorial's page, without their numbers."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return [line.split(". ", 1)[1] for line in lines if line.startswith("## ") and ". " in line]
