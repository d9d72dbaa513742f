"""What is typed while a box opens is in it, whole and in order, however many keys come in a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import dearpygui.dearpygui as dpg
import pytest

from opentine_gui.app.canvas.proposals.current_proposal import current_proposal
from opentine_gui.app.document.document import Document
from opentine_gui.ui.dialogs.file_chooser import FileChooser
from opentine_gui.ui.dialogs.list_dialog import ListDialog
from tests.ui.opened import Opened, copy_of_demo, first_of
from tests.ui.real_input import send

FRAMES = 40
ARRIVALS = (
    ("why so big",),
    ("w", "", "hy", "", " so", " ", "b", "", "ig"),
    ("", "why so", "", " bi", "", "", "", "g"),
    ("", "", "", "", "w", "h", "y", " ", "s", "o", " ", "b", "", "", "i", "", "", "g"),
    ("", "", "wh", "y ", "so", " b", "ig"),
)
"""What is typed before each frame after the key that opens the box."""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    window = Opened(copy_of_demo(tmp_path))
    window.keyboard.focus()
    yield window
    window.close()


@pytest.fixture
def document(opened: Opened) -> Document:
    document = opened.open(opened.session.working_folder / "research-01.tine")
    opened.session.invoke("select.step", step=first_of(opened, "human"))
    opened.rest()
    return document


def typed_at_once(opened: Opened, chord: str, arrivals: Sequence[str]) -> None:
    """Press a chord and type on, without waiting for what it opens."""
    send("key", "--delay", "0", chord)
    for text in arrivals:
        if text:
            send("type", "--delay", "1", "--", text)
        opened.frame()
    for _ in range(FRAMES):
        opened.frame()
    opened.rest()


@pytest.mark.parametrize("arrivals", ARRIVALS)
def test_a_form_takes_it_behind_its_text(opened: Opened, document: Document, arrivals: Sequence[str]) -> None:
    primary = document.selection.primary
    assert primary is not None
    before = document.step(primary).inputs["text"]
    typed_at_once(opened, "e", arrivals)
    proposal = current_proposal(opened.session)
    assert proposal is not None
    assert proposal.inputs.value["text"] == f"{before}why so big"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "arrivals", [("What Now",), ("W", "hat Now"), ("Wh", "at", " No", "w"), ("What", "", "", " Now")]
)
def test_only_the_letter_that_was_typed_with_shift_is_a_capital(
    opened: Opened, document: Document, arrivals: Sequence[str]
) -> None:
    primary = document.selection.primary
    assert primary is not None
    before = document.step(primary).inputs["text"]
    typed_at_once(opened, "e", arrivals)
    proposal = current_proposal(opened.session)
    assert proposal is not None
    assert proposal.inputs.value["text"] == f"{before}What Now"  # type: ignore[union-attr]


@pytest.mark.parametrize("arrivals", ARRIVALS)
def test_a_note_takes_it_and_the_key_that_ends_it(opened: Opened, document: Document, arrivals: Sequence[str]) -> None:
    primary = document.selection.primary
    assert primary is not None
    send("key", "--delay", "0", "ctrl+m")
    for text in arrivals:
        if text:
            send("type", "--delay", "1", "--", text)
        opened.frame()
    send("key", "--delay", "0", "ctrl+Return")
    opened.until(lambda: primary in document.annotations, "the note")
    assert document.annotations[primary].note == "why so big"


@pytest.mark.parametrize(("chord", "kind"), [("ctrl+o", FileChooser), ("ctrl+shift+d", ListDialog)])
@pytest.mark.parametrize("arrivals", ARRIVALS)
def test_a_list_is_narrowed_by_it(
    opened: Opened, document: Document, arrivals: Sequence[str], chord: str, kind: type[FileChooser | ListDialog]
) -> None:
    typed_at_once(opened, chord, arrivals)
    dialog = opened.window.prompter._dialog
    assert isinstance(dialog, kind)
    assert dpg.get_value(dialog._input) == "why so big"


@pytest.mark.parametrize(("chord", "kind"), [("ctrl+o", FileChooser), ("ctrl+shift+d", ListDialog)])
@pytest.mark.parametrize("arrivals", [("b",), ("", "", "b"), ("", "", "", "", "", "b")])
def test_a_list_in_which_nothing_was_found_takes_the_keyboard_again(
    opened: Opened, document: Document, arrivals: Sequence[str], chord: str, kind: type[FileChooser | ListDialog]
) -> None:
    typed_at_once(opened, chord, ("qzj",))
    typed_at_once(opened, "Return", arrivals)
    dialog = opened.window.prompter._dialog
    assert isinstance(dialog, kind)
    assert dpg.get_value(dialog._input) == "qzjb"
    opened.keyboard.press("BackSpace")
    opened.rest()
    assert dpg.get_value(dialog._input) == "qzj"


@pytest.mark.parametrize("typed", ["qzjv", "redo"])
def test_the_palette_takes_the_keyboard_again_when_enter_can_do_nothing(
    opened: Opened, document: Document, typed: str
) -> None:
    typed_at_once(opened, "ctrl+k", (typed,))
    typed_at_once(opened, "Return", ("", "", "x"))
    palette = opened.window.palette
    assert palette.visible
    assert palette._input is not None
    assert dpg.get_value(palette._input) == f"{typed}x"
    send("key", "--delay", "0", "ctrl+a", "BackSpace")
    opened.until(lambda: dpg.get_value(palette._input) == "", "an empty box")


def test_keys_are_held_no_longer_than_a_box_waits_for_them(opened: Opened, document: Document) -> None:
    typed_at_once(opened, "e", ())
    opened.keyboard.press("Escape")
    opened.until(lambda: current_proposal(opened.session) is None, "the form left")
    opened.session.invoke("run.fork_edit")
    opened.frame()
    opened.session.invoke("proposal.cancel")
    opened.until(lambda: current_proposal(opened.session) is None, "the form left before its box had the keyboard")
    for _ in range(6):
        opened.frame()
    opened.keyboard.press("c")
    opened.until(lambda: document.selection.primary != first_of(opened, "human"), "the child, by its key")
