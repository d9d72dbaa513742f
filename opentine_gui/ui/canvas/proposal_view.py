"""What a fork or a merge will do, next to the graph and before it happens: the fork bar and the merge card.

Enter (Ctrl+Enter inside a text box) does it, Esc does not. What has boxes has the keyboard from when it opens until
the mouse is pressed beside it, and again once it is pressed on it; the fork bar never has it, for it has no box.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.proposals import ForkProposal, MergeProposal, Proposal, current_proposal, with_fields
from opentine_gui.app.session import Session
from opentine_gui.core import StepKind
from opentine_gui.scene.text.clean import clean
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.toolkit.line_break import wrap
from opentine_gui.ui.toolkit.look import Look
from opentine_gui.ui.toolkit.plate import Plate
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.widget_theme import accent_button

Color = tuple[int, int, int, int]
INSET = 14.0
BUTTONS = 268.0


class ProposalView:
    """Shows the session's proposal over the top of the canvas; what its boxes show is what is done."""

    def __init__(self, session: Session, look: Look, parent: int | str) -> None:
        self.session, self.look = session, look
        self.plate = Plate(parent, look)
        self.window = self.plate.window
        self._accent = accent_button(look)
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
        """True while its boxes are what is typed into: no key reaches what lies behind it.

        The toolkit says a frame or two late that a box has the focus, so the press decides too.
        """
        return bool(self._boxes) and (self._pressed_inside or self._typing)

    def handle_key(self, chord: str) -> None:
        """Take a key that was pressed while this has the keyboard; the boxes get their letters from the toolkit."""
        if chord == "Esc":
            self.session.invoke("proposal.cancel")
        elif chord == "Ctrl+Enter" or (chord == "Enter" and not self._typing):
            self.accept()

    def accept(self) -> None:
        """Do what the boxes show, whatever of it the session has heard by now."""
        self.session.invoke("proposal.accept", **self._values())

    def sync(self, pointer: Pointer, area: Area) -> None:
        """Build the view when another proposal is shown, keep its verdict up to date, take presses on it."""
        proposal = current_proposal(self.session)
        if proposal is None:
            if self._key is not None:
                self._key = self._shown = None
                self._forget_boxes()
                dpg.configure_item(self.window, show=False)
            return
        key = (_identity(proposal), area, self.look.theme.name)
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
        """The proposal with what the boxes show, for they are made anew or the same was proposed once more."""
        values = self._values()
        if values:
            self._change(**values)
        return with_fields(proposal, **values)

    def _values(self) -> dict[str, Any]:
        """What the boxes show, by the proposal's fields."""
        return {name: dpg.get_value(item) for name, item in self._boxes.items()}

    @property
    def _typing(self) -> bool:
        """True while a text box has the focus, or is about to get it."""
        return self._focus_asked or any(dpg.is_item_focused(item) for item in self._text_boxes)

    @property
    def _text_boxes(self) -> set[int]:
        return self.look.text_inputs.intersection(self._boxes.values())

    def _take_presses(self, pointer: Pointer) -> None:
        pressed = any(event.kind == "press" for event in pointer.events)
        inside = any(event.kind == "press" for event in pointer.take_inside(self.plate.area))
        if pressed:
            self._pressed_inside = inside
        if pressed or any(dpg.is_item_focused(item) for item in self._text_boxes):
            self._focus_asked = False

    def _forget_boxes(self) -> None:
        self.look.text_inputs.difference_update(self._boxes.values())
        self._boxes = {}

    def _build(self, proposal: Proposal, area: Area) -> None:
        self._forget_boxes()
        self.plate.clear()
        dpg.delete_item(self._accent)
        self._accent = accent_button(self.look)
        self._refusal = self._do = self._focus = None
        bar = isinstance(proposal, ForkProposal) and not proposal.edit
        inner = self._place(area, 2000 if bar else 620)
        inset = self.look.whole(INSET)
        self._body = int(dpg.add_group(parent=self.plate.controls, pos=[inset, inset]))
        self._height = 0.0
        self._room = area.height - 2 * self.look.size(16)
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
        """As high as what is in it, once the toolkit knows how high that is."""
        height = dpg.get_item_rect_size(self._body)[1] if self._body else 0
        if height > 1 and not self._fixed:
            self._resize(height + 2 * self.look.size(INSET))

    def _resize(self, height: float) -> None:
        if height == self._height:
            return
        self._height = height
        self.plate.resize(self._width, height, self._room)

    def _place(self, area: Area, widest: float) -> float:
        """Centre the view at the top of the canvas; answers its inner width."""
        margin = self.look.size(20)
        self._width = width = min(area.width - 2 * margin, self.look.size(widest))
        x = area.x + (area.width - width) / 2
        self.plate.move(x, area.y + self.look.size(14))
        self.plate.resize(width, 2)
        return width - 2 * self.look.size(INSET)

    # --- fork ------------------------------------------------------------------------------------------------------

    def _fork(self, proposal: ForkProposal, width: float) -> float:
        """The bar: what is forked and what is kept on one line, on several where the canvas is narrow."""
        look, theme = self.look, self.look.theme
        em, inset, line = look.size(13), look.size(INSET), look.size(21)
        name = f"Fork from “{clean(proposal.step_title, 80)}”"
        buttons = look.size(BUTTONS)
        room = width - buttons - look.size(20)
        narrow = room < look.size(260)
        room = width if narrow else room
        name = look.metrics_shortened(name, min(room, look.size(420)), "text", em)
        beside = look.width(name, "text", em) + look.width(proposal.sentence, "text", em) + look.size(20) <= room
        lines = [proposal.sentence] if beside else wrap(proposal.sentence, room, look, most=3)
        rows = 1 if beside else 1 + len(lines)
        height = max(rows * line, look.size(30)) + 2 * inset + (look.size(38) if narrow else 0)
        first = inset + (look.size(5) if rows == 1 else 0)
        self._text(name, theme.accent, inset, first)
        for number, words in enumerate(lines):
            x = inset + (look.size(20) + look.width(name, "text", em) if beside else 0)
            self._text(words, theme.text, x, first + (0 if beside else line * (number + 1)))
        x = inset if narrow else width + inset - buttons
        top = height - inset - look.size(28) if narrow else (height - look.size(28)) / 2
        self._do = self._button("Fork  Enter", "proposal.accept", x, top, accent=True)
        self._button("Fork and edit…", "run.fork_edit", x + look.size(98), top, step=proposal.step)
        self._button("Esc", "proposal.cancel", x + look.size(218), top)
        return height

    def _fork_and_edit(self, proposal: ForkProposal, width: float) -> None:
        look, theme = self.look, self.look.theme
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
        dpg.add_spacer(height=look.whole(2))
        with dpg.group(horizontal=True):
            self._accept_button("Fork  Ctrl+Enter")
            self._footer_button("Cancel  Esc", "proposal.cancel")

    def _pair(self, proposal: ForkProposal, width: float) -> None:
        half = (width - self.look.size(12)) / 2
        with dpg.group(horizontal=True, horizontal_spacing=self.look.whole(12)):
            with dpg.group():
                self._label("Title")
                self._field(proposal.title, "title", half)
            with dpg.group():
                self._label("Tags, parted by commas")
                self._field(proposal.tags, "tags", half)

    # --- merge -----------------------------------------------------------------------------------------------------

    def _merge(self, proposal: MergeProposal, width: float) -> None:
        look, theme = self.look, self.look.theme
        self._heading(f"Merge {len(proposal.parents)} steps into one new step", width)
        self._note(proposal.sentence, width)
        parents = zip(proposal.parents, proposal.parent_titles, strict=True)
        for number, ((document, _step), title) in enumerate(parents, 1):
            owner = "" if proposal.within_one else f"  ·  {clean(document.title, 60)}"
            line = f"{number}.  {clean(title, 100)}{owner}"
            dpg.add_text(look.metrics_shortened(line, width, "text", look.size(13)), color=theme.text)
        for warning in proposal.warnings[:4]:
            dpg.add_text(clean(warning, 400), color=theme.human, wrap=int(width))
        with dpg.group(horizontal=True, horizontal_spacing=look.whole(12)):
            with dpg.group():
                self._label("Kind")
                self._boxes["kind"] = dpg.add_combo(
                    [kind.value for kind in StepKind],
                    default_value=proposal.kind,
                    width=look.whole(110),
                    callback=lambda _s, value: self._change(kind=value),
                )
            with dpg.group():
                self._label("Title")
                self._field(proposal.title, "title", width - look.size(122))
        self._label("Inputs (JSON): what the new step is asked, and the evidence")
        self._focus = self._field(proposal.inputs, "inputs", width, lines=6)
        self._label("Outputs (JSON), may stay empty")
        self._field(proposal.outputs, "outputs", width, lines=3)
        self._verdict(theme.bad, width)
        dpg.add_spacer(height=look.whole(2))
        with dpg.group(horizontal=True):
            self._accept_button("Merge  Ctrl+Enter")
            self._footer_button("Swap order", "proposal.swap")
            self._footer_button("Cancel  Esc", "proposal.cancel")

    # --- pieces ----------------------------------------------------------------------------------------------------

    def _change(self, **fields: Any) -> None:
        self.session.invoke("proposal.change", **fields)

    def _field(self, value: str, name: str, width: float, lines: int = 1) -> int:
        item = int(
            dpg.add_input_text(
                default_value=value,
                width=int(width),
                multiline=lines > 1,
                height=self.look.whole(18 * lines + 10) if lines > 1 else 0,
                tab_input=lines > 1,
                callback=lambda _s, text: self._change(**{name: text}),
            )
        )
        if lines > 1:
            dpg.bind_item_font(item, self.look.fonts["mono"])
        self.look.text_inputs.add(item)
        self._boxes[name] = item
        return item

    def _heading(self, text: str, width: float) -> None:
        shown = self.look.metrics_shortened(text, width, "title", self.look.size(14))
        item = dpg.add_text(shown, color=self.look.theme.text)
        dpg.bind_item_font(item, self.look.fonts["title"])

    def _note(self, text: str, width: float) -> None:
        dpg.add_text(text, color=self.look.theme.quiet, wrap=int(width))

    def _label(self, text: str) -> None:
        dpg.add_text(text, color=self.look.theme.faint)

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
    """What a view of a proposal is built from; the fields a user edits are left out, their boxes keep them."""
    if isinstance(proposal, ForkProposal):
        return ("fork", proposal.document.number, proposal.step, proposal.edit)
    return ("merge", tuple((document.number, step) for document, step in proposal.parents))
