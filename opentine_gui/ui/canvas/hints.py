"""Overlays on the canvas: the selection box, what releasing the button will do, and that only a part is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.folded.local_view import hidden_branches
from opentine_gui.app.document.camera.framing import BELOW_CARD
from opentine_gui.app.document.document import Document
from opentine_gui.app.session import Session
from opentine_gui.app.state.pointer_state import ToolState
from opentine_gui.core import RunRecord
from opentine_gui.core.structure.facts import CALL
from opentine_gui.describe.groups.group_face import bar_roles
from opentine_gui.describe.numbers import counted
from opentine_gui.scene.draw_list import Circle, Rect, Text
from opentine_gui.scene.picture.frames import tab_box
from opentine_gui.scene.picture.legend import BRANCH_SIGN, FORK_MARK, Signs, draw_legend, fitting_form, legend_width
from opentine_gui.scene.space.camera import Camera, Viewport, to_screen, view_rect
from opentine_gui.ui.canvas.edge_signs import APART, EdgeSign, PlacedSign, around, draw_signs, place_signs
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area
from opentine_gui.ui.toolkit.style import Style, wrap

HANDLE = 6.0
"""Design pixels of the radius of the dot by which a link is pulled out of a card."""
LEGEND_PAD, LEGEND_HEIGHT = 10.0, 20.0
"""Design pixels beside the legend's text, and from the upper edge of the canvas to its lower one."""


def local_words(document: Document) -> str:
    """A sentence saying that only a part of the run is shown; "" if all of it is."""
    fold = document.picture.fold
    if fold is None or not fold.is_local:
        return ""
    inside = sum(fold.card(card).size for card in range(len(fold)))
    return f"{local_name(document).capitalize()}: {inside:,} of {counted(len(fold.graph), 'step')} · Esc shows all"


def local_name(document: Document) -> str:
    """What a local view is called: by the branches it leaves out, if it was made by hiding some."""
    hidden = hidden_branches(document)
    return f"{hidden:,} {'branch' if hidden == 1 else 'branches'} hidden" if hidden else "local view"


def signs_of(document: Document) -> Signs:
    """The signs and bars on the cards of a run and in its lists."""
    fold, record = document.picture.fold, document.record
    if record is None:
        return Signs()
    found = {FORK_MARK} if document.finding_marks.to_fork else set()
    if fold is None or len(fold) == len(record.graph):
        return Signs(frozenset(), frozenset(_kinds_of(document, record)), frozenset(found), numbered=False)
    kinds = fold.glyphs() | ({"tool"} if CALL in fold.structure.facts.sorts else set())  # lists have its glyph
    marks = {BRANCH_SIGN} if any(card.absorbed for card in fold.cards.cards) else set()
    return Signs(bar_roles(fold.structure), frozenset(kinds), frozenset(marks | found))


def _kinds_of(document: Document, record: RunRecord) -> set[str]:
    """The kinds that the cards of a run shown step by step have the glyphs of."""
    graph = record.graph
    named = graph.v3_kinds
    plain = Counter(graph.kinds) - Counter(graph.kinds[place] for place in named)
    found = {kind.value for kind in plain} | set(named.values())
    failed = {"error"} if document.notable_steps.failures else set()
    found = found - {"error"} | failed  # an error that says that somebody stopped is drawn as that
    return found | ({"stopped"} if graph.stopped else set())


def pull_words(session: Session, document: Document) -> str:
    """What a link that is pulled out of the card under the pointer does; "" where none can be pulled."""
    if session.tools.state.edge is None or document.members is not None:
        return ""
    merge, fork = session.actions["run.merge"].key, session.actions["run.fork"].key
    return f"Drag to another step to merge the two  {merge}\nDrag to the empty canvas to fork  {fork}"


class Hints:
    """Draws over the canvas what a gesture does, and the sentence of a local view."""

    def __init__(self, parent: int, style: Style) -> None:
        self.style = style
        self.node = int(dpg.add_draw_node(parent=parent))
        self.painter = Painter(style)
        self._key: Hashable = None
        self.signs: list[PlacedSign] = []
        """What is out of view and signed at the edge."""
        self._explained: tuple[Hashable, Signs] = (None, Signs())
        self._under: tuple[Hashable, bool] = (None, False)

    def clear(self) -> None:
        """Draw nothing."""
        self._key = None
        self.signs = []
        self.painter.repaint(self.node, ())

    def sync(
        self,
        state: ToolState,
        document: Document,
        camera: Camera,
        viewport: Viewport,
        area: Area,
        *,
        legend: bool,
        signs: tuple[EdgeSign, ...] = (),
    ) -> None:
        """Follow the gesture and the document; `legend` says whether to explain the signs on cards, `signs` are those
        of what is out of view.
        """
        words = local_words(document) if document.folding.is_local else ""
        edge = state.edge if document.members is None else None
        under = bool(legend or words) and self._has_cards_under(document, camera, viewport)
        key = (
            under,
            state.box,
            state.hint,
            state.line,
            camera if state.box or edge is not None else None,
            (edge, document.picture.layout_revision),
            self._signs(document) if legend else None,
            words,
            signs,
            area,
            viewport if signs else None,
            self.style.theme.name,
        )
        if key == self._key:
            return
        self._key = key
        items: list[object] = []
        theme, style = self.style.theme, self.style
        if state.box is not None:
            x0, y0 = to_screen(camera, viewport, state.box[0], state.box[1])
            x1, y1 = to_screen(camera, viewport, state.box[2], state.box[3])
            left, right, top, bottom = (style.size(at) for at in (*sorted((x0, x1)), *sorted((y0, y1))))
            items.append(Rect(left, top, right, bottom, (*theme.accent[:3], 28), theme.accent, 2, 1.0))
        if edge is not None:
            items += self._handle(document, edge, camera, viewport)
        self.signs = place_signs(signs, viewport, style) if signs else []
        items += draw_signs(self.signs, style)
        if legend and not words and not state.hint:
            items += self._legend(area, self._signs(document), under=under)
        if words and not state.hint:
            items += self._standing(words, area, under=under)
        if state.hint:  # above: at the lower edge are the zoom buttons and the minimap
            items += self._pill(state.hint, area, theme.text)
        self.painter.repaint(self.node, items)

    def legend_covers(self, document: Document, camera: Camera, viewport: Viewport) -> bool:
        """Whether the legend would cover the tab of an open group, which names and closes it."""
        if document.picture.fold is None or not document.picture.fold.open_groups:
            return False
        width = legend_width(self.style.metrics, self._signs(document), self.style.scale)
        half = width / self.style.scale / 2 + LEGEND_PAD
        middle = viewport.width / 2
        for group in document.picture.fold.open_groups:
            left, top, right, bottom = tab_box(group, camera.zoom)
            (x0, y0), (x1, y1) = (to_screen(camera, viewport, *at) for at in ((left, top), (right, bottom)))
            if y1 > 0 and y0 < LEGEND_HEIGHT and x1 > middle - half and x0 < middle + half:
                return True
        return False

    def _signs(self, document: Document) -> Signs:
        """The signs and bars on cards and in lists, which the legend explains."""
        fold = document.picture.fold
        key = (
            document.number,
            document.content_revision,
            document.picture.layout_revision,
            len(fold.faces) if fold is not None else 0,
            document.finding_marks.to_fork,
        )
        if self._explained[0] != key:
            self._explained = (key, signs_of(document))
        return self._explained[1]

    def _handle(self, document: Document, card: int, camera: Camera, viewport: Viewport) -> list[object]:
        """The dot on a card's trailing edge by which a link is pulled out of it."""
        layout, style, theme = document.picture.layout, self.style, self.style.theme
        if layout is None or card >= len(layout.centers):
            return []
        x, y = (float(at) for at in layout.centers[card])
        if layout.direction.value == "left-to-right":
            x += layout.spacing.node_width / 2
        else:
            y += layout.spacing.node_height / 2
        left, top = (style.size(at) for at in to_screen(camera, viewport, x, y))
        return [Circle(left, top, style.size(HANDLE), theme.accent, theme.canvas, 2.0)]

    def _legend(self, area: Area, signs: Signs, *, under: bool) -> list[object]:
        """The legend at the upper edge, over whatever is panned under it; nothing where it has no room."""
        style, theme = self.style, self.style.theme
        pad, height = style.size(LEGEND_PAD), style.size(LEGEND_HEIGHT)
        form = fitting_form(style.metrics, signs, area.width - 2 * pad, style.scale)
        if form is None:
            return []
        width = legend_width(style.metrics, signs, style.scale, form)
        left = round((area.width - width) / 2)
        return [
            *self._backing(Area(left - pad, 0, width + 2 * pad, height), under=under),
            *draw_legend(left, height / 2, signs, theme, style.metrics, style.scale, form),
        ]

    def _standing(self, words: str, area: Area, *, under: bool) -> list[object]:
        """Draw the sentence of a local view where the legend stands otherwise: no card is fitted under it."""
        style, theme = self.style, self.style.theme
        em, pad, height = style.size(12), style.size(LEGEND_PAD), style.size(LEGEND_HEIGHT)
        width = style.width(words, "text", em)
        if width + 2 * pad > area.width:
            return self._pill(words, area, theme.accent)
        left = round((area.width - width) / 2)
        return [
            *self._backing(Area(left - pad, 0, width + 2 * pad, height), under=under),
            Text(left, style.metrics.centered_top(height / 2, "text", em), words, "text", em, theme.accent),
        ]

    def _backing(self, area: Area, *, under: bool) -> list[object]:
        """Cover what lies under words at the upper edge, with an edge that parts them from cards `under` them."""
        style, theme = self.style, self.style.theme
        x, y, width, height = area
        if not under:
            return [Rect(x, y, x + width, y + height, theme.canvas, None, style.size(4))]
        inner = Rect(x, y - style.size(6), x + width, y + height, theme.canvas, theme.hairline, style.size(6), 1.0)
        return [around(area, style, radius=6), inner]

    def _has_cards_under(self, document: Document, camera: Camera, viewport: Viewport) -> bool:
        """Whether a card, or the flags below one, lies where the legend does; worked out when the view changes."""
        index = document.picture.scene_index
        key = (document.number, document.picture.layout_revision, index is None, camera, viewport)
        if self._under[0] != key:
            found = False
            if index is not None:
                left, top, right, _ = view_rect(camera, viewport)
                low = top + (LEGEND_HEIGHT + APART) / camera.zoom
                found = bool(len(index.visible((left, top - BELOW_CARD, right, low))))
            self._under = (key, found)
        return self._under[1]

    def _pill(self, words: str, area: Area, color: tuple[int, int, int, int]) -> list[object]:
        """Draw a sentence in a box at the upper edge of the canvas, in as many lines as it needs there."""
        style, theme = self.style, self.style.theme
        em, top, pad, line = style.size(13), style.size(10), style.size(14), style.size(20)
        lines = wrap(words, max(area.width - 4 * pad, 1), style)
        width = max(style.width(text, "text", em) for text in lines) + 2 * pad
        left = (area.width - width) / 2
        items: list[object] = [
            Rect(left, top, left + width, top + pad + line * len(lines), theme.raised, theme.hairline, style.size(8), 1)
        ]
        for number, text in enumerate(lines):
            middle = top + pad / 2 + line * (number + 0.5)
            items.append(Text(left + pad, style.metrics.centered_top(middle, "text", em), text, "text", em, color))
        return items
