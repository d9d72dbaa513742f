"""Shows what a fork or a merge will do before it happens: the fork bar and the merge card.

Enter (Ctrl+Enter inside a text box) accepts, Esc cancels. A view with text boxes has the keyboard from when it opens
until a press outside it, and again after a press on it; the fork bar has no box and never has the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.proposals import ForkProposal, MergeProposal, Proposal, current_proposal, with_fields
from opentine_gui.app.session import Session
from opentine_gui.core import StepKind
from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.line_break import wrap
from opentine_gui.ui.toolkit.plate import Plate
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style
from opentine_gui.ui.toolkit.widget_theme import accent_button_theme

INSET = 14.0
BUTTONS = 268.0


class ProposalView:
    """Shows the session's proposal at the top of the canvas; accepting it uses what its boxes contain."""

    def __init__(self, session: Session, style: Style, parent: int | str) -> None:
        self.session, self.style = session, style
        self.plate = Plate(parent, style)
        self.window = self.plate.window
        style.controls.call(self.window, "ProposalView")
        self._accent = accent_button_theme(style)
        self._key: Hashable = None
        self._shown: Proposal | None = None
        self._boxes: dict[str, int] = {}
        self._pressed_inside = False
        self._focus: int | None = None
        self._focus_asked = False
        self._refusal: int | None = None
        self._do: int | None = None
        self._body = 0
        self._width = self._height = self._room = 0.0
        self._fixed = False

    @property
    def has_keyboard(self) -> bool:
        """True while its boxes receive typed text: no key reaches the views behind it.

        Dear PyGui reports a box's focus a frame or two late, so the press decides too.
        """
        return bool(self._boxes) and (self._pressed_inside or self._typing)

    def handle_key(self, chord: str) -> None:
        """Handle a key; Dear PyGui passes letters to the boxes by itself."""
        if chord == "Esc":
            self.session.invoke("proposal.cancel")
        elif chord == "Ctrl+Enter" or (chord == "Enter" and not self._typing):
            self.accept()

    def accept(self) -> None:
        """Accept the proposal with what the boxes contain, even if the session has not been told of it yet."""
        self.session.invoke("proposal.accept", **self._values())

    def sync(self, pointer: Pointer, area: Area) -> None:
        """Rebuild the view for another proposal, update its verdict and take presses on it."""
        proposal = current_proposal(self.session)
        if proposal is None:
            if self._key is not None:
                self._key = self._shown = None
                self._forget_boxes()
                dpg.configure_item(self.window, show=False)
            return
        key = (_identity(proposal), area, self.style.theme.name)
        old = self._shown if self._shown is not None and _identity(self._shown) == _identity(proposal) else None
        if old is not None and (key != self._key or old.preview is not proposal.preview):
            proposal = self._kept(proposal)
        if key != self._key:
            self._key = key
            takes_keyboard = old is None or self.has_keyboard
            self._build(proposal, area)
            self._pressed_inside = self._focus_asked = takes_keyboard and self._focus is not None
        self._shown = proposal
        self._fixed = isinstance(proposal, ForkProposal) and not proposal.edit
        self._fit_height()
        if self._focus is not None and self._focus_asked:
            dpg.focus_item(self._focus)
        self._focus = None
        self._take_presses(pointer)
        refusal = proposal.refusal or ""
        if self._refusal is not None and dpg.get_value(self._refusal) != refusal:
            dpg.set_value(self._refusal, refusal)
        if self._do is not None and dpg.is_item_enabled(self._do) == bool(refusal):
            dpg.configure_item(self._do, enabled=not refusal)

    def _kept(self, proposal: Proposal) -> Proposal:
        """The proposal with what the boxes contain, when they are rebuilt or the same thing is proposed again."""
        values = self._values()
        if values:
            self._change(**values)
        return with_fields(proposal, **values)

    def _values(self) -> dict[str, Any]:
        """The contents of the boxes by field of the proposal."""
        return {name: dpg.get_value(item) for name, item in self._boxes.items()}

    @property
    def _typing(self) -> bool:
        """True if a text box has the focus or is about to get it."""
        return self._focus_asked or any(dpg.is_item_focused(item) for item in self._text_boxes)

    @property
    def _text_boxes(self) -> set[int]:
        return self.style.text_inputs.intersection(self._boxes.values())

    def _take_presses(self, pointer: Pointer) -> None:
        pressed = any(event.kind == "press" for event in pointer.events)
        inside = any(event.kind == "press" for event in pointer.take_inside(self.plate.area))
        if pressed:
            self._pressed_inside = inside
        if pressed or any(dpg.is_item_focused(item) for item in self._text_boxes):
            self._focus_asked = False

    def _forget_boxes(self) -> None:
        self.style.text_inputs.difference_update(self._boxes.values())
        self._boxes = {}

    def _build(self, proposal: Proposal, area: Area) -> None:
        self._forget_boxes()
        self.plate.clear()
        dpg.delete_item(self._accent)
        self._accent = accent_button_theme(self.style)
        self._refusal = self._do = self._focus = None
        bar = isinstance(proposal, ForkProposal) and not proposal.edit
        inner = self._place(area, 2000 if bar else 620)
        inset = self.style.whole(INSET)
        self._body = int(dpg.add_group(parent=self.plate.controls, pos=[inset, inset]))
        self._height = 0.0
        self._room = area.height - 2 * self.style.size(16)
        dpg.push_container_stack(self._body)
        try:
            if isinstance(proposal, MergeProposal):
                self._merge(proposal, inner)
            elif proposal.edit:
                self._fork_and_edit(proposal, inner)
            else:
                self._resize(self._fork(proposal, inner))
        finally:
            dpg.pop_container_stack()
        dpg.configure_item(self.window, show=True)

    def _fit_height(self) -> None:
        """Fit the height to the content once Dear PyGui knows it."""
        height = dpg.get_item_rect_size(self._body)[1] if self._body else 0
        if height > 1 and not self._fixed:
            self._resize(height + 2 * self.style.size(INSET))

    def _resize(self, height: float) -> None:
        if height == self._height:
            return
        self._height = height
        self.plate.resize(self._width, height, self._room)

    def _place(self, area: Area, widest: float) -> float:
        """Centre the view at the top of the canvas; returns its inner width in pixels."""
        margin = self.style.size(20)
        self._width = width = min(area.width - 2 * margin, self.style.size(widest))
        x = area.x + (area.width - width) / 2
        self.plate.move(x, area.y + self.style.size(14))
        self.plate.resize(width, 2)
        return width - 2 * self.style.size(INSET)

    # --- fork ------------------------------------------------------------------------------------------------------

    def _fork(self, proposal: ForkProposal, width: float) -> float:
        """Build the bar: what is forked and what is kept, on several lines where the canvas is narrow."""
        style, theme = self.style, self.style.theme
        em, inset, line = style.size(13), style.size(INSET), style.size(21)
        name = f"Fork from “{clean(proposal.step_title, 80)}”"
        buttons = style.size(BUTTONS)
        room = width - buttons - style.size(20)
        narrow = room < style.size(260)
        room = width if narrow else room
        name = style.shortened(name, min(room, style.size(420)), "text", em)
        beside = style.width(name, "text", em) + style.width(proposal.sentence, "text", em) + style.size(20) <= room
        lines = [proposal.sentence] if beside else wrap(proposal.sentence, room, style, most=3)
        rows = 1 if beside else 1 + len(lines)
        height = max(rows * line, style.size(30)) + 2 * inset + (style.size(38) if narrow else 0)
        first = inset + (style.size(5) if rows == 1 else 0)
        self._text(name, theme.accent, inset, first)
        for number, words in enumerate(lines):
            x = inset + (style.size(20) + style.width(name, "text", em) if beside else 0)
            self._text(words, theme.text, x, first + (0 if beside else line * (number + 1)))
        x = inset if narrow else width + inset - buttons
        top = height - inset - style.size(28) if narrow else (height - style.size(28)) / 2
        self._do = self._button("Fork  Enter", "proposal.accept", x, top, accent=True)
        self._button("Fork and edit…", "run.fork_edit", x + style.size(98), top, step=proposal.step)
        self._button("Esc", "proposal.cancel", x + style.size(218), top)
        return height

    def _fork_and_edit(self, proposal: ForkProposal, width: float) -> None:
        style, theme = self.style, self.style.theme
        self._heading(f"Fork and edit “{clean(proposal.step_title, 80)}”", width)
        self._note("A new run with everything before this step, and a step beside it with these inputs.", width)
        self._note(proposal.sentence, width)
        self._label("Inputs (JSON)")
        self._focus = self._field(proposal.inputs, "inputs", width, lines=10)
        self._pair(proposal, width)
        self._boxes["reset_metrics"] = dpg.add_checkbox(
            label="Start the fork's cost and time at zero",
            default_value=proposal.reset_metrics,
            callback=lambda _s, value: self._change(reset_metrics=value),
        )
        self._verdict(theme.bad, width)
        dpg.add_spacer(height=style.whole(2))
        with dpg.group(horizontal=True):
            self._accept_button("Fork  Ctrl+Enter")
            self._footer_button("Cancel  Esc", "proposal.cancel")

    def _pair(self, proposal: ForkProposal, width: float) -> None:
        half = (width - self.style.size(12)) / 2
        with dpg.group(horizontal=True, horizontal_spacing=self.style.whole(12)):
            with dpg.group():
                self._label("Title")
                self._field(proposal.title, "title", half)
            with dpg.group():
                self._label("Tags (comma-separated)")
                self._field(proposal.tags, "tags", half)

    # --- merge -----------------------------------------------------------------------------------------------------

    def _merge(self, proposal: MergeProposal, width: float) -> None:
        style, theme = self.style, self.style.theme
        self._heading(f"Merge {len(proposal.parents)} steps into one new step", width)
        self._note(proposal.sentence, width)
        parents = zip(proposal.parents, proposal.parent_titles, strict=True)
        for number, ((document, _step), title) in enumerate(parents, 1):
            owner = "" if proposal.within_one else f"  ·  {clean(document.title, 60)}"
            line = f"{number}.  {clean(title, 100)}{owner}"
            dpg.add_text(style.shortened(line, width, "text", style.size(13)), color=theme.text)
        for warning in proposal.warnings[:4]:
            dpg.add_text(clean(warning, 400), color=theme.human, wrap=int(width))
        with dpg.group(horizontal=True, horizontal_spacing=style.whole(12)):
            with dpg.group():
                self._label("Kind")
                self._boxes["kind"] = dpg.add_combo(
                    [kind.value for kind in StepKind],
                    default_value=proposal.kind,
                    width=style.whole(110),
                    callback=lambda _s, value: self._change(kind=value),
                )
            with dpg.group():
                self._label("Title")
                self._field(proposal.title, "title", width - style.size(122))
        self._label("Inputs (JSON): what the new step is asked, and the evidence")
        self._focus = self._field(proposal.inputs, "inputs", width, lines=6)
        self._label("Outputs (JSON), may stay empty")
        self._field(proposal.outputs, "outputs", width, lines=3)
        self._verdict(theme.bad, width)
        dpg.add_spacer(height=style.whole(2))
        with dpg.group(horizontal=True):
            self._accept_button("Merge  Ctrl+Enter")
            self._footer_button("Swap order", "proposal.swap")
            self._footer_button("Cancel  Esc", "proposal.cancel")

    # --- widgets -----------------------------------------------------------------------------------------------------

    def _change(self, **fields: Any) -> None:
        self.session.invoke("proposal.change", **fields)

    def _field(self, value: str, name: str, width: float, lines: int = 1) -> int:
        item = int(
            dpg.add_input_text(
                default_value=value,
                width=int(width),
                multiline=lines > 1,
                height=self.style.whole(18 * lines + 10) if lines > 1 else 0,
                tab_input=lines > 1,
                callback=lambda _s, text: self._change(**{name: text}),
            )
        )
        if lines > 1:
            dpg.bind_item_font(item, self.style.fonts["mono"])
        self.style.text_inputs.add(item)
        self._boxes[name] = item
        return item

    def _heading(self, text: str, width: float) -> None:
        shown = self.style.shortened(text, width, "title", self.style.size(14))
        item = dpg.add_text(shown, color=self.style.theme.text)
        dpg.bind_item_font(item, self.style.fonts["title"])

    def _note(self, text: str, width: float) -> None:
        dpg.add_text(text, color=self.style.theme.quiet, wrap=int(width))

    def _label(self, text: str) -> None:
        dpg.add_text(text, color=self.style.theme.faint)

    def _verdict(self, color: Color, width: float) -> None:
        self._refusal = int(dpg.add_text("", color=color, wrap=int(width)))

    def _accept_button(self, label: str) -> None:
        self._do = int(dpg.add_button(label=label, callback=lambda: self.accept()))
        dpg.bind_item_theme(self._do, self._accent)

    def _footer_button(self, label: str, action_id: str) -> None:
        dpg.add_button(label=label, callback=self._acting(action_id))

    def _text(self, text: str, color: Color, x: float, y: float) -> None:
        dpg.add_text(text, parent=self.plate.controls, color=color, pos=[int(x), int(y)])

    def _button(self, label: str, action_id: str, x: float, y: float, *, accent: bool = False, **arguments: Any) -> int:
        item = int(
            dpg.add_button(
                label=label,
                parent=self.plate.controls,
                pos=[int(x), int(y)],
                callback=self._acting(action_id, **arguments),
            )
        )
        if accent:
            dpg.bind_item_theme(item, self._accent)
        return item

    def _acting(self, action_id: str, **arguments: Any) -> Callable[[], None]:
        return lambda: self.session.invoke(action_id, **arguments)


def _identity(proposal: Proposal) -> Hashable:
    """What the view of a proposal is built from, without the fields a user edits: their boxes hold those."""
    if isinstance(proposal, ForkProposal):
        return ("fork", proposal.document.number, proposal.step, proposal.edit)
    return ("merge", tuple((document.number, step) for document, step in proposal.parents))
