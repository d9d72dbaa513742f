"""A key that was meant for text neither runs as a shortcut nor runs a command."""

from __future__ import annotations

from opentine_gui.app.files.going_on.run_command import CommandProposal
from tests.ui.opened import Opened, first_of
from tests.ui.proposals.conftest import Ran
from tests.ui.real_input import send

FRAMES = 20
"""Frames in which Dear ImGui hands out what was typed quickly."""


def test_what_is_typed_for_a_form_that_did_not_open_is_left_out_until_a_pause(opened: Opened, ran: Ran) -> None:
    assert not opened.document.selection, "no step that could be edited"
    send("key", "--delay", "0", "e")
    for letters in ("n", "fo", "m", "d"):
        send("type", "--delay", "1", "--", letters)
        opened.frame()
    send("key", "--delay", "0", "ctrl+Return")
    for _ in range(FRAMES):
        opened.frame()
    opened.rest()
    assert [name for name, _ in ran] == ["run.fork_edit"]
    assert not opened.document.selection
    assert "left out" in [notice.text for notice in opened.session.notices.list()][-1]
    opened.keyboard.press("Down")
    opened.until(lambda: bool(opened.document.selection), "the graph walked, which no text is")
    clock, opened.session.clock = opened.session.clock, lambda: clock() + 2.0
    chosen = opened.document.selection.primary
    opened.keyboard.press("n")
    opened.until(lambda: opened.document.selection.primary != chosen, "the next failure, after a pause")


def test_a_command_is_run_by_a_second_press_of_the_key_alone(opened: Opened) -> None:
    opened.session.invoke("select.step", step=first_of(opened, "tool"))
    opened.rest()
    opened.keyboard.press("o")
    opened.until(lambda: opened.session.text_focused, "the box of the command")
    opened.keyboard.press("ctrl+a")
    opened.keyboard.type("echo it ran")
    opened.until(lambda: _said(opened) == "echo it ran", "the command typed")
    opened.keyboard.press("ctrl+Return")
    opened.rest()
    assert opened.session.command is None
    assert "again" in opened.drawn(opened.window.proposal.head.node)
    opened.keyboard.type("!")
    opened.until(lambda: _said(opened) == "echo it ran!", "one more letter")
    opened.keyboard.press("ctrl+Return")
    opened.rest()
    assert opened.session.command is None, "what would be run has changed"
    opened.keyboard.press("ctrl+Return")
    opened.until(lambda: opened.session.command is not None, "the command run")


def _said(opened: Opened) -> str:
    proposal = opened.session.proposal
    return proposal.said.text if isinstance(proposal, CommandProposal) else ""
