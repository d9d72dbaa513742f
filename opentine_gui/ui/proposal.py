"""What a fork or a merge will do, next to the graph and before it happens: the fork bar and the merge card.

Enter (Ctrl+Enter inside a text box) does it, Esc does not.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import dearpygui.dearpygui as dpg

from opentine_gui.app.proposals import ForkProposal, MergeProposal, Proposal, proposed
from opentine_gui.app.session import Session
from opentine_gui.core import StepKind
from opentine_gui.scene.text import clean
from opentine_gui.ui.look import Look
from opentine_gui.ui.regions import Area
from opentine_gui.ui.theme import accent_button, backdrop, surface
from opentine_gui.ui.wrapping import wrap

Color = tuple[int, int, int, int]
INSET = 14.0
BUTTONS = 268.0


class ProposalView:
    """Shows the session's proposal over the top of the canvas; keeps no truth of its own."""

    def __init__(self, session: Session, look: Look, parent: int | str) -> None:
        self.session, self.look = session, look
        self.window = int(dpg.add_child_window(parent=parent, border=False, show=False, no_scrollbar=True))
        dpg.bind_item_theme(self.window, surface(look, (0, 0, 0, 0)))
        self._accent = accent_button(look)
        self._key: Hashable = None
        self._inputs: list[int] = []
        self._focus: int | None = None
        self._refusal: int | None = None
        self._do: int | None = None
        self._ground = self._body = 0
        self._width = self._height = self._room = 0.0
        self._fixed = False

    def sync(self, area: Area) -> None:
        """Build the view when another proposal is shown, and keep its verdict up to date."""
        proposal = proposed(self.session)
        if proposal is None:
            if self._key is not None:
                self._key = None
                self._forget_inputs()
                dpg.configure_item(self.window, show=False)
            return
        key = (_identity(proposal), area, self.look.theme.name)
        if key != self._key:
            self._key = key
            self._build(proposal, area)
        self._fixed = isinstance(proposal, ForkProposal) and not proposal.edit
        self._fit_height()
        if self._focus is not None:
            dpg.focus_item(self._focus)
            self._focus = None
        refusal = proposal.refusal or ""
        if self._refusal is not None and dpg.get_value(self._refusal) != refusal:
            dpg.set_value(self._refusal, refusal)
        if self._do is not None and dpg.is_item_enabled(self._do) == bool(refusal):
            dpg.configure_item(self._do, enabled=not refusal)

    def _forget_inputs(self) -> None:
        self.look.text_inputs.difference_update(self._inputs)
        self._inputs = []

    def _build(self, proposal: Proposal, area: Area) -> None:
        self._forget_inputs()
        dpg.delete_item(self.window, children_only=True)
        dpg.delete_item(self._accent)
        self._accent = accent_button(self.look)
        self._refusal = self._do = self._focus = None
        bar = isinstance(proposal, ForkProposal) and not proposal.edit
        inner = self._place(area, 2000 if bar else 620)
        self._ground = int(dpg.add_group(parent=self.window))
        inset = self.look.whole(INSET)
        self._body = int(dpg.add_group(parent=self.window, pos=[inset, inset]))
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
        dpg.delete_item(self._ground, children_only=True)
        backdrop(self.look, self._ground, self._width, height)
        dpg.configure_item(self.window, height=int(min(height, self._room)), no_scrollbar=height <= self._room)

    def _place(self, area: Area, widest: float) -> float:
        """Centre the view at the top of the canvas; answers its inner width."""
        margin = self.look.size(20)
        self._width = width = min(area.width - 2 * margin, self.look.size(widest))
        x = area.x + (area.width - width) / 2
        dpg.configure_item(self.window, pos=[int(x), int(area.y + self.look.size(14))], width=int(width), height=2)
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
        dpg.add_checkbox(
            label="Start the fork's cost and time at zero",
            default_value=proposal.reset_metrics,
            callback=lambda _s, value: self._change(reset_metrics=value),
        )
        self._verdict(theme.bad, width)
        dpg.add_spacer(height=look.whole(2))
        with dpg.group(horizontal=True):
            self._footer_button("Fork  Ctrl+Enter", "proposal.accept", accent=True)
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
                dpg.add_combo(
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
            self._footer_button("Merge  Ctrl+Enter", "proposal.accept", accent=True)
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
        self._inputs.append(item)
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

    def _footer_button(self, label: str, action_id: str, accent: bool = False) -> None:
        item = int(dpg.add_button(label=label, callback=self._acting(action_id)))
        if accent:
            self._do = item
            dpg.bind_item_theme(item, self._accent)

    def _text(self, text: str, color: Color, x: float, y: float) -> None:
        dpg.add_text(text, parent=self.window, color=color, pos=[int(x), int(y)])

    def _button(self, label: str, action_id: str, x: float, y: float, *, accent: bool = False, **arguments: Any) -> int:
        item = int(
            dpg.add_button(
                label=label, parent=self.window, pos=[int(x), int(y)], callback=self._acting(action_id, **arguments)
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
