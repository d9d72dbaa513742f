"""The panel under the canvas that shows what a fork, a merge or another edit will do before it happens.

Enter (Ctrl+Enter in a box) does it, Esc leaves it. A form has the keyboard from when it opens until a press outside it,
and again after a press on it; the fork bar has no box and leaves the keyboard to the shortcuts.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from opentine_gui.app.canvas.proposals.change_proposal import ChangeProposal
from opentine_gui.app.canvas.proposals.current_proposal import Proposal, current_proposal, with_fields
from opentine_gui.app.canvas.proposals.details_proposal import DetailsProposal
from opentine_gui.app.canvas.proposals.fork_proposal import ForkProposal
from opentine_gui.app.canvas.proposals.merge_proposal import MergeProposal
from opentine_gui.app.canvas.proposals.step_proposal import StepProposal
from opentine_gui.app.files.going_on.continue_proposal import ContinueProposal
from opentine_gui.app.files.going_on.run_command import CommandProposal
from opentine_gui.app.inspect.analysis.findings import fork_reason
from opentine_gui.app.inspect.keys import action_of
from opentine_gui.app.inspect.reading.reader import Section
from opentine_gui.app.session import Session
from opentine_gui.app.state.payload_form import Entry
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.keys import typed
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.proposals.form_drawing import Value
from opentine_gui.ui.proposals.form_view import FormView
from opentine_gui.ui.proposals.second_press import SecondPress
from opentine_gui.ui.proposals.wording import (
    EDIT_PROMPT,
    FORK_INSTEAD,
    Said,
    hint_of,
    parts_of,
    pieces_of,
    sections_of,
    title_of,
)
from opentine_gui.ui.reading.content_view import ContentView
from opentine_gui.ui.toolkit.pane import Pane
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.sheet import Pen, Sheet
from opentine_gui.ui.toolkit.style import Style, wrap

INSET, LINE, BUTTON, APART = 14.0, 20.0, 28.0, 8.0
NARROWEST_TEXT = 340.0
"""Less room than this beside the buttons, in design pixels, and they go below the text."""
LEAST_CANVAS = 190.0
"""What a form leaves of the canvas at least: room for a card and what it hangs on."""
CONTENT = 210.0
"""The height of what will be written and run, which scrolls."""
COMMAND = 110.0
ONE_BOX = 76.0
"""A form that is no higher than this is never cut for what will be written and run."""
USUAL_FORM = 230.0
"""What a form has in a low window, where half of the room is too little to write in."""
LEAST_FORM = 96.0
"""What a form keeps however far its edge is dragged."""
DONE = ("Ctrl+Enter", "Ctrl+Shift+Enter")
"""Shift may still be down after a "?"."""
LEAVES = ("file.close", "file.quit")
"""What its boxes leave to the window although they have the keyboard."""
DOCK = "dock"
"""Its name among the panels whose height the user can choose."""
MOST_CANVAS, MOST_SHARE = 330.0, 0.5
"""A long form takes half of the room, and where that is large all but so much of it."""


AGAIN = "Press Ctrl+Enter again to run the command"
RUNNING = ("Run", "Write and run")
"""The buttons of going on in an agent that run its command."""


class ProposalDock:
    """Shows the session's proposal; doing it uses what its boxes contain."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.pane = Pane(parent, style)
        self.pane.show(False)
        style.controls.call(self.pane.window, "Proposal")
        self.head = Sheet(self.pane.window, style)
        self.form = FormView(style, self.pane.window, self._changed)
        self.area = Area(0, 0, 0, 0)
        self._pressed_inside = False
        self._values: dict[str, Any] = {}
        self._about: Hashable = None
        self.content = ContentView(self.pane.window, session, style)
        """What will be written and run, in full."""
        self.content.show(False)
        self._second = SecondPress()
        self._sections: tuple[Proposal | None, tuple[Section, ...]] = (None, ())
        self._lines: tuple[Hashable, list[list[Said]]] = (None, [])

    # --- the keyboard ------------------------------------------------------------------------------------------------

    @property
    def has_keyboard(self) -> bool:
        """True while its boxes receive typed text: no key reaches the views behind it.

        Dear PyGui reports a box's focus a frame or two late, so the press decides too.
        """
        return bool(self.form.parts) and (self._pressed_inside or self.form.typing)

    def handle_key(self, chord: str) -> None:
        """Handle a key; Dear PyGui passes letters to the boxes by itself."""
        if typed(chord) and self._second.asked and self.form.boxes.active is None and not self.form.boxes.waits:
            self.form.focus_problem()  # Ctrl+Enter has left the box, and now more is typed into it
        if chord == "Esc":
            self.session.invoke("proposal.cancel")
        elif chord in DONE or (not self.form.handle_key(chord) and chord == "Enter" and not self.form.typing):
            self.accept_by_key()
        elif (action := action_of(self.session, chord)) is not None and action.id in LEAVES:
            self.session.invoke(action.id)  # asks about what was typed
        else:
            self.take_back_first_press()

    def accept_by_key(self) -> None:
        """Do what is proposed, as the button does; what runs a command asks for the key a second time."""
        if (proposal := self._latest) is None or proposal.refusal is not None or self._second.allows(proposal):
            self.accept()

    def accept(self) -> None:
        """Do what is proposed, with what the boxes contain; if that cannot be, go to the box that is wrong."""
        proposal = self._latest
        if proposal is None:
            return
        if proposal.refusal is not None and self.form.parts:
            self.form.focus_problem()
        else:
            self.session.invoke("proposal.accept", **self._values)

    def take_back_first_press(self) -> None:
        """Ask anew before a key runs a command: another key was pressed."""
        self._second.take_back()

    def handle_shortcut(self, chord: str) -> bool:
        """Handle a key of the window while the fork bar has none: what its buttons say. False if it has no such key."""
        proposal = current_proposal(self.session)
        if not isinstance(proposal, ForkProposal) or proposal.edit or not self._is_of_selected(proposal):
            return False
        if chord == "F":
            self.accept()
        elif chord == "E" and proposal.origin is None:
            self._edit(proposal)
        else:
            return False
        return True

    @staticmethod
    def _is_of_selected(proposal: ForkProposal) -> bool:
        """Whether the keys of a step are the bar's: of another one that is selected they propose something else."""
        return proposal.document.selection.primary in (proposal.step, None)

    @property
    def has_form(self) -> bool:
        """Whether something is proposed that has boxes to write in."""
        proposal = current_proposal(self.session)
        return proposal is not None and self.session.presentation is None and bool(parts_of(proposal))

    # --- layout ------------------------------------------------------------------------------------------------------

    def wanted_height(self, canvas: Area) -> float:
        """The height in pixels it takes from the canvas, which is `canvas` without it; 0 without a proposal."""
        proposal = current_proposal(self.session)
        if proposal is None or self.session.presentation is not None:
            return 0.0
        self._show(proposal, canvas.width)
        head = self._head_height(canvas.width)
        if not self.form.parts:
            return head
        largest = canvas.height - self.style.size(LEAST_CANVAS)
        chosen = self.session.settings.panel_heights.get(DOCK)
        if chosen is not None:
            return max(min(self.style.size(chosen), largest), head + self.style.size(LEAST_FORM))
        half, usual = canvas.height * MOST_SHARE, head + self.style.size(USUAL_FORM)
        most = max(half, canvas.height - self.style.size(MOST_CANVAS), usual)
        shown = self.style.size(CONTENT) if isinstance(proposal, ContinueProposal) else 0.0
        shown = self.style.size(COMMAND) if isinstance(proposal, CommandProposal) else shown
        return max(min(head + self.form.wanted_height + shown, most, largest), head)

    def place(self, area: Area) -> None:
        """Fill this area of the window; one without a height hides it."""
        self.area = area
        shown = area.height > 0
        self.pane.show(shown)
        if shown:
            self.pane.place(*area)

    def _show(self, proposal: Proposal, width: float) -> None:
        """Take over another proposal, or what somebody else changed in this one."""
        if proposal.subject != self._about:
            self._about, self._values = proposal.subject, {}
            self._pressed_inside = True
        parts = parts_of(proposal)
        if parts:
            self.form.set_parts(self._about, parts, width)
        elif self.form.parts:
            self.form.clear()

    @property
    def _latest(self) -> Proposal | None:
        """The proposal with what the boxes contain, even if the session has not been told of it yet."""
        proposal = current_proposal(self.session)
        return with_fields(proposal, **self._values) if proposal is not None and self._values else proposal

    def _changed(self, name: str, value: Value) -> None:
        if name == "kind":  # boxes that nobody typed into follow it
            kept = {key: old for key, old in self._values.items() if not isinstance(old, Entry) or old.changes}
            self._values = kept
        self._values[name] = value
        self.session.invoke("proposal.change", **{name: value})

    # --- one frame ---------------------------------------------------------------------------------------------------

    def sync(self, pointer: Pointer) -> None:
        """Handle input and follow the session; called once a frame."""
        if current_proposal(self.session) is None:
            if self._about is not None:
                self._about, self._values = None, {}
                self.form.clear()
            return
        if not self.pane.shown:
            return
        self.pane.follow_theme()
        self._second.sync()
        if any(event.kind == "press" for event in pointer.events):
            self._pressed_inside = any(
                event.kind == "press" and self.area.contains(event.x, event.y) for event in pointer.events
            )
        head = self._head_height(self.area.width)
        if self.form.parts:
            room = max(self.area.height - head, 1.0)
            tall = self._sync_content(pointer, head, room)
            self.form.sync(pointer, Area(0, head, self.area.width, max(room - tall, 1.0)))
        else:
            self.content.show(False)
        self.head.place(0, 0, self.area.width, head)
        proposal = self._latest
        if proposal is not None:
            keys = isinstance(proposal, ForkProposal) and self._is_of_selected(proposal)
            about = (proposal.subject, keys, self._pieces(proposal))
            self.head.sync(pointer, about, lambda pen: self._draw(pen, proposal))
        pointer.take_inside(self.area)

    def _sync_content(self, pointer: Pointer, head: float, room: float) -> float:
        """Show what will be written and run at the lower edge; returns how high that is, 0 for other proposals."""
        proposal = current_proposal(self.session)
        if proposal is not self._sections[0]:  # a file that is written is decoded once
            self._sections = proposal, sections_of(proposal) if proposal is not None else ()
        sections = self._sections[1]
        self.content.show(bool(sections))
        if not sections or proposal is None:
            return 0.0
        wanted = self.form.wanted_height
        least = min(room * 0.35, self.style.size(CONTENT))
        if wanted <= self.style.size(ONE_BOX):  # scrolled by a few pixels, the name of its box would be cut in half
            least = min(least, max(room - wanted, 0.0))
        tall = max(room - wanted, least)
        told = tuple(section.value for section in sections if section.opened is None)
        self.content.show_sections((proposal.subject, told), sections)
        self.content.place(0, head + room - tall, self.area.width, tall)
        self.content.sync(pointer)
        return tall

    # --- the head: what is proposed, and the buttons -----------------------------------------------------------------

    def _head_height(self, width: float) -> float:
        proposal, size = current_proposal(self.session), self.style.size
        if proposal is None:
            return 0.0
        latest = self._latest
        lines = 1 + len(self._said(latest if latest is not None else proposal, width))
        below = size(BUTTON + APART) * len(self._rows(proposal, width)) if self._below(proposal, width) else 0.0
        return max(size(LINE) * lines, size(BUTTON)) + below + size(2 * INSET - (8 if self.form.parts else 4))

    def _below(self, proposal: Proposal, width: float) -> bool:
        """Whether the buttons stand below the text."""
        return width - self._buttons_width(proposal) - 3 * self.style.size(INSET) < self.style.size(NARROWEST_TEXT)

    def _room(self, proposal: Proposal, width: float) -> float:
        buttons = 0.0 if self._below(proposal, width) else self._buttons_width(proposal) + self.style.size(INSET)
        return width - 2 * self.style.size(INSET) - buttons

    def _pieces(self, proposal: Proposal) -> tuple[Said, ...]:
        """What is said about a proposal; about a fork also why its step is a place to fork, if it is one."""
        if self._second.asks(proposal):
            return (AGAIN, "human"), *pieces_of(proposal)
        why = fork_reason(self.session, proposal.document, proposal.step) if isinstance(proposal, ForkProposal) else ""
        return (*pieces_of(proposal), *(((why, "quiet"),) if why else ()))

    def _said(self, proposal: Proposal, width: float) -> list[list[Said]]:
        """What is said below the title, in lines."""
        room, pieces = self._room(proposal, width), self._pieces(proposal)
        if (pieces, room) != self._lines[0]:
            self._lines = (pieces, room), _in_lines(pieces, room, self.style)
        return self._lines[1]

    def _buttons(self, proposal: Proposal) -> list[tuple[str, str, Callable[[], None]]]:
        """(label, key, what it does) from left to right; the last is what is done first of all."""
        cancel = ("Cancel", "Esc", partial(self.session.invoke, "proposal.cancel"))
        if isinstance(proposal, MergeProposal):
            swap = ("Swap order", "", partial(self.session.invoke, "proposal.swap"))
            return [cancel, swap, ("Merge", "Ctrl+Enter", self.accept)]
        if isinstance(proposal, StepProposal):
            return [cancel, ("Add step", "Ctrl+Enter", self.accept)]
        if isinstance(proposal, ChangeProposal):
            return [(FORK_INSTEAD, "", self._fork_instead), cancel, ("Change step", "Ctrl+Enter", self.accept)]
        if isinstance(proposal, DetailsProposal):
            return [cancel, ("Change", "Ctrl+Enter", self.accept)]
        if isinstance(proposal, ContinueProposal):
            return [cancel, *self._continue_buttons(proposal)]
        if isinstance(proposal, CommandProposal):
            copy = ("Copy command", "", partial(self.session.invoke, "continue.copy"))
            return [cancel, copy, ("Run", "Ctrl+Enter", self.accept)]
        if proposal.edit:
            edit_prompt = (EDIT_PROMPT, "", partial(self.session.invoke, "run.edit_prompt", step=proposal.step))
            other = [edit_prompt] if proposal.prompt is not None else []
            # Pressed twice it leaves the prompt: what comes under the pointer is not what makes the fork.
            return [*other, cancel, ("Fork", "Ctrl+Enter", self.accept)]
        keys = ("E", "F") if self._is_of_selected(proposal) else ("", "Enter")
        edit = [("Edit…", keys[0], partial(self._edit, proposal))] if proposal.origin is None else []
        return [cancel, *edit, ("Fork", keys[1], self.accept)]

    def _continue_buttons(self, proposal: ContinueProposal) -> list[tuple[str, str, Callable[[], None]]]:
        """What can be done with a proposal to go on in an agent; nothing is run but by the button that says so."""
        copy = ("Copy command", "", partial(self.session.invoke, "continue.copy"))
        if proposal.handback is not None and not proposal.handback.files:
            return [copy, ("Run", "Ctrl+Enter", self.accept)]
        return [copy, ("Write and run", "", self._run), ("Write", "Ctrl+Enter", self.accept)]

    def _rows(self, proposal: Proposal, width: float) -> list[list[tuple[str, str, Callable[[], None]]]]:
        """The buttons in as many rows as they need below the text; in more than one, their keys are left out."""
        pen, size, used = Pen(self.style, None), self.style.size, 0.0
        room = width - 2 * size(INSET)
        rows: list[list[tuple[str, str, Callable[[], None]]]] = [[]]
        keyed = self._buttons_width(proposal) <= room
        for label, key, act in self._buttons(proposal):
            button = (label, key if keyed else "", act)
            wide = pen.button_width(*button[:2])
            if rows[-1] and used + wide > room:
                rows.append([])
                used = 0.0
            rows[-1].append(button)
            used += wide + size(APART)
        return rows

    def _run(self) -> None:
        self.session.invoke("continue.run", **self._values)

    def _edit(self, proposal: ForkProposal) -> None:
        self.session.invoke("run.fork_edit", step=proposal.step)

    def _fork_instead(self) -> None:
        """Propose a fork with what was typed to change the step itself."""
        proposal = self._latest
        if isinstance(proposal, ChangeProposal):
            self.session.invoke("run.fork_edit", step=proposal.step, instead=True, inputs=proposal.inputs)

    def _buttons_width(self, proposal: Proposal) -> float:
        pen, buttons = Pen(self.style, None), self._buttons(proposal)
        widths = [pen.button_width(label, key) for label, key, _ in buttons]
        return sum(widths) + self.style.size(APART) * (len(buttons) - 1)

    def _draw(self, pen: Pen, proposal: Proposal) -> None:
        size, theme, width = self.style.size, self.style.theme, self.head.width
        left, y = size(INSET), size(INSET - 4) + size(LINE) / 2
        room = self._room(proposal, width)
        pen.text(left, y, title_of(proposal), theme.accent, "title", room=room)
        for line in self._said(proposal, width):
            y += size(LINE)
            x = left
            for words, role in line:
                x = pen.text(x, y, words, theme.role(role), room=max(left + room - x, 1.0))
        below = self._below(proposal, width)
        top = y + size(LINE / 2 + APART) if below else size(INSET - 2)
        buttons = self._buttons(proposal)
        for row in self._rows(proposal, width) if below else [buttons]:
            x = left if below else width - size(INSET) - self._buttons_width(proposal)
            for label, key, act in row:
                first = label == buttons[-1][0]
                needs = first or (isinstance(proposal, ContinueProposal | CommandProposal) and label != "Cancel")
                refusal = proposal.refusal if needs else None
                if refusal is None and isinstance(proposal, ContinueProposal) and label in RUNNING:
                    refusal = proposal.run_refusal
                reason = clean(refusal, 400) if refusal is not None else None
                hint = hint_of(label)
                x = pen.button(x, top, label, act, key=key, primary=first, reason=reason, hint=hint) + size(APART)
            top += size(BUTTON + APART)
        if self.form.parts:
            pen.rule(0, self.head.height - 1, width)


def _in_lines(pieces: Sequence[Said], room: float, style: Style) -> list[list[Said]]:
    """The pieces in lines of at most `room` pixels, broken between pieces where these fit."""
    em, used = style.size(13), room + 1.0
    lines: list[list[Said]] = []
    for text, role in pieces:
        width = style.width(f" · {text}", "text", em)
        if used + width <= room:
            lines[-1] += [(" · ", "faint"), (text, role)]
            used += width
        else:
            lines += [[(line, role)] for line in wrap(text, room, style, most=2)]
            used = style.width(lines[-1][0][0], "text", em)
    return lines
