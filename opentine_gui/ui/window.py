"""The main window: builds every view once, divides the space between them, and updates them every frame."""

from __future__ import annotations

from collections.abc import Sequence

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.layouts import is_laid_out_again, keep_first_view
from opentine_gui.app.canvas.presentation import CAPTION_SHARE, restage
from opentine_gui.app.document.camera.arrival import hold_top
from opentine_gui.app.files.following import is_growing
from opentine_gui.app.session import Session
from opentine_gui.app.state.prompts import ListPrompter
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.system_fonts import fallback_paths
from opentine_gui.scene.theme import DARK, THEMES
from opentine_gui.ui.arrangement.background import Background
from opentine_gui.ui.arrangement.guarded_panels import NOWHERE, GuardedPanels
from opentine_gui.ui.arrangement.splitters import Splitters
from opentine_gui.ui.canvas.canvas import Canvas
from opentine_gui.ui.canvas.minimap import Minimap
from opentine_gui.ui.canvas.placeholder import Placeholder
from opentine_gui.ui.canvas.stage import Stage
from opentine_gui.ui.canvas.zoom_bar import ZoomBar
from opentine_gui.ui.dialogs.help import HelpView
from opentine_gui.ui.dialogs.menus import MenuBar
from opentine_gui.ui.dialogs.notices import NoticeStack
from opentine_gui.ui.dialogs.palette import Palette
from opentine_gui.ui.dialogs.popup_menu import ContextMenu
from opentine_gui.ui.dialogs.prompts import AskSystem, WindowPrompter
from opentine_gui.ui.input import box_keys, held_keys, late_releases
from opentine_gui.ui.input.pointer import Pointer
from opentine_gui.ui.input.shortcuts import Shortcuts
from opentine_gui.ui.panels import PANELS
from opentine_gui.ui.panels.inspector import Inspector
from opentine_gui.ui.panels.panel import Panel, Turns
from opentine_gui.ui.panels.search import SearchPanel
from opentine_gui.ui.platform.clipboard import put
from opentine_gui.ui.platform.desktop_window import DesktopWindow
from opentine_gui.ui.platform.display import Room
from opentine_gui.ui.platform.dropped_files import DroppedFiles
from opentine_gui.ui.platform.view_errors import ViewErrors
from opentine_gui.ui.proposals.dock import DOCK, ProposalDock
from opentine_gui.ui.reading.reading_view import ReadingView
from opentine_gui.ui.toolkit.controls import Control
from opentine_gui.ui.toolkit.regions import Area, Regions, divide, stack, with_dock
from opentine_gui.ui.toolkit.style import Style, load_fonts

WIDE_INSPECTOR = 0.46
UNCOVERED = 480.0
"""Beside a dock, nothing floats over a canvas that is lower than this, in design pixels."""


class MainWindow:
    """Everything on screen. Call `sync` once a frame; views show the session's state and send actions to it."""

    def __init__(
        self,
        session: Session,
        *,
        scale: float = 1.0,
        room: Room | None = None,
        ask_system: AskSystem | None = None,
        like: Style | None = None,
    ) -> None:
        """`scale` is pixels per design pixel; `room` what the display has for the window and its frame.

        `like` is the style of views that were removed, the fonts of which are still loaded.
        """
        self.session, self._ask_system = session, ask_system
        self.errors = ViewErrors(session)
        self.style = Style(THEMES.get(session.view.theme, DARK), FontMetrics(fallback_paths), scale)
        self.desktop = DesktopWindow(session, self.style, room)
        dpg.configure_app(manual_callback_management=True)
        load_fonts(self.style, like)
        self.pointer = Pointer()
        self.dropped = DroppedFiles()
        self.root = int(dpg.add_window(no_scrollbar=True, no_scroll_with_mouse=True))
        self._build()
        self._background.apply_theme(self.menus.height, self.canvas.window)
        self.pointer.listen()
        self.regions: Regions | None = None
        self._size = (0, 0)
        self._placed: object = None
        self._inspects = True
        self._turns: Turns[Panel] = Turns()
        self.style.controls.call(self.root, "MainWindow")
        self.splitters = Splitters(session, self.style, self.root)
        self.press_is_taken = False
        """Whether the press under way closed a menu, the palette or the help: no button under it acts on it."""

    def _build(self) -> None:
        session, style = self.session, self.style
        self._background = Background(style, self.root)
        self.menus = MenuBar(session, style, self.root)
        self.canvas = Canvas(session, style, self.root)
        self.panels = {row.name: row.build(session, style, self.root) for row in PANELS}
        self._guarded = GuardedPanels(self.panels, self.errors)
        search = self.panels["search"]
        assert isinstance(search, SearchPanel)
        self.placeholder = Placeholder(session, style, self.root)
        self.zoom_bar = ZoomBar(session, style, self.root)
        self.minimap = Minimap(session, style, self.canvas, self.root)
        self.reading = ReadingView(session, style, self.root)
        self.proposal = ProposalDock(session, style, self.root)
        self.notices = NoticeStack(session, style, self.root)
        self.stage = Stage(session, style, self.canvas)
        self.help = HelpView(session, style, self.root)
        self.context_menu = ContextMenu(session, style, self.menus.show_beside)
        self.palette = Palette(session, style)
        self.prompter = WindowPrompter(session, style, self._ask_system)
        if isinstance(session.prompter, WindowPrompter):
            self.prompter.take_over(session.prompter)
        if isinstance(session.prompter, ListPrompter | WindowPrompter):
            session.prompter = self.prompter
        session.clipboard = put
        self.shortcuts = Shortcuts(
            session,
            style,
            (self.prompter, self.palette, self.context_menu, self.help, self.proposal),
            search=search,
            reading=self.reading,
            inspector=self.inspector,
            proposal=self.proposal,
            rest=self.canvas.window,
        )

    # --- lifetime ----------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Lay out the views before the window is shown, so that a graph that is ready early has a view to fit into."""
        self._arrange(self.desktop.wanted_size)

    def show(self) -> None:
        """Put the window on the display."""
        self.desktop.show()
        self.fill()
        self.dropped.listen()
        late_releases.listen()

    def fill(self) -> None:
        """Fill the window that is already on the display."""
        dpg.set_primary_window(self.root, True)
        # Becoming the primary window has turned the scroll bars on again.
        dpg.configure_item(self.root, no_scrollbar=True, no_scroll_with_mouse=True)

    def remove_views(self) -> None:
        """Remove the views but keep the window: Dear PyGui does not survive a second window in one process."""
        self.prompter.close()
        dpg.set_primary_window(self.root, False)
        dpg.bind_theme(0)
        views = ("mvWindowAppItem", "mvHandlerRegistry")
        held = ("mvTheme", "mvTextureRegistry")  # by views; Dear PyGui hands every texture on in every frame
        for kinds in (views, held):
            for item in dpg.get_all_items():
                if dpg.does_item_exist(item) and dpg.get_item_type(item).rpartition("::")[2] in kinds:
                    dpg.delete_item(item)

    def settled(self) -> bool:
        """True when the picture is complete: the graph in front is painted, or there is none to paint."""
        document = self.session.active
        if self.session.busy or self.panels_are_behind:
            return False
        return document is None or document.picture.layout is None or self.canvas.painted is document

    # --- one frame -------------------------------------------------------------------------------------------------

    def sync(self) -> bool:
        """Handle keys and pointer and update every view; True while something goes on or is due soon."""
        # The palette lists what can be done to the run, so its own text box does not count as one being edited.
        self.session.text_focused = self.style.text_focused() and not self.palette.visible
        late_releases.give()
        held_keys.let_go_in_time()
        for path in self.dropped.take():
            self.session.invoke("file.open", path=path)
        self._follow_theme()
        self._arrange()
        if dpg.get_y_scroll(self.root):
            dpg.set_y_scroll(self.root, 0.0)  # a box near the lower edge that got the keyboard has moved everything
        regions = self.regions
        assert regions is not None
        errors, pointer = self.errors, self.pointer
        searching = self._sync_overlays(regions)
        pointer.covered = self.front is not None
        try:
            self.shortcuts.sync(pointer)
        except Exception as error:  # noqa: BLE001 - the next key may do what this one could not
            errors.add("keyboard", error)
        self.style.front = self.front
        self.splitters.covered = "right" if self.reading.visible and self._covers_inspector else ""
        for name, work, given in (
            ("edges of the panels", self.splitters.handle, (pointer, self._size)),
            ("proposal", self.proposal.sync, (pointer,)),
            ("story", self.stage.sync, (pointer,)),
            ("view over the canvas", self._sync_over_canvas, ()),
        ):
            if errors.failing and errors.rests(name):
                continue
            try:
                work(*given)
            except Exception as error:  # noqa: BLE001 - a view that fails costs itself alone
                errors.add(name, error)
        names = self._guarded.names
        for panel in self._turns.in_time(self._in_turn(), self._cannot_wait):
            if errors.failing and errors.rests(names[panel]):
                continue
            try:
                panel.sync(pointer)
            except Exception as error:  # noqa: BLE001 - a panel that fails costs itself alone
                errors.add(names[panel], error)
        moves = False
        try:
            if not (errors.failing and errors.rests("canvas")):
                self.canvas.handle(pointer)
                self._shape_pointer()
                moves = self.canvas.sync()
        except Exception as error:  # noqa: BLE001 - a view that fails costs itself alone
            errors.add("canvas", error)
        pointer.clear()
        self.desktop.update_title()
        return (
            moves
            or searching
            or self.panels_are_behind
            or self.context_menu.waits
            or self.proposal.form.boxes.waits
            or held_keys.holding()
            or late_releases.waits()
            or box_keys.under_way()
        )

    def _sync_over_canvas(self) -> None:
        """Update what lies over the canvas: the reading view, a word where there is no graph, minimap and zoom bar."""
        regions = self.regions
        assert regions is not None
        reads = self.reading.sync(self.pointer, self._reading_area(regions))
        self.canvas.show(not reads)
        self.inspector.pane.show(self._inspects and not (reads and self._covers_inspector))
        graph = not self.placeholder.sync(regions.canvas) and not reads
        working = graph and self.session.presentation is None
        roomy = regions.dock.height <= 0 or regions.canvas.height >= self.style.size(UNCOVERED)
        self.minimap.sync(self.pointer, regions.canvas, working and roomy and self.session.view.minimap)
        self.zoom_bar.sync(regions.canvas, working and roomy)
        self._keep_map_free()
        covers = max(self.minimap.covers, self.zoom_bar.covers if working and roomy else 0.0)
        self.session.covered = covers / self.style.scale

    def _keep_map_free(self) -> None:
        """Have a first view leave out the corner in which the map lies."""
        self.canvas.map_size = self.minimap.corner
        before, self.session.viewport = self.session.viewport, self.canvas.viewport
        for document in self.session.documents:
            keep_first_view(document, before, self.session.viewport)

    @property
    def panels_are_behind(self) -> bool:
        """Whether some panels do not show yet what the session has, because the canvas went first."""
        return self._turns.pending

    def _in_turn(self) -> Sequence[Panel]:
        """The panels to update in this frame: those whose turn it is, and the one under the pointer."""
        session, document, pointer = self.session, self.session.active, self.pointer
        shown = [panel for panel in self.panels.values() if panel.pane.shown]
        grows = document is not None and is_growing(session, document)
        turn = self._turns.of(
            shown,
            grows=grows,
            asked=document and (document.number, document.selection_revision, self.style.theme.name),
            news=session.revision,
            picture=document and (document.number, document.picture.layout_revision),
            pressed=self._pressed,
            coming=document is not None and not grows and is_laid_out_again(session, document),
        )
        return [panel for panel in shown if panel in turn or panel.pane.contains(pointer.x, pointer.y)]

    @property
    def _pressed(self) -> bool:
        """Whether panels may have to answer the pointer, wherever it is: what is held on the canvas is not theirs."""
        pointer = self.pointer
        held = pointer.left_down and not self.session.tools.busy
        return held or any(event.kind != "move" for event in pointer.events)

    def _cannot_wait(self, panel: Panel) -> bool:
        late_theme = panel.pane.has_old_theme  # a window in two themes would flash
        return late_theme or self._pressed or panel.pane.contains(self.pointer.x, self.pointer.y)

    def _sync_overlays(self, regions: Regions) -> bool:
        """Update overlays, topmost first, so that they get the presses on them. True while the palette searches."""
        pointer, (width, height) = self.pointer, self._size
        if any(event.kind == "press" for event in pointer.events):
            self.press_is_taken = self.palette.visible or self.context_menu.visible or self.help.has_keyboard
        elif not pointer.left_down and not any(event.kind == "release" for event in pointer.events):
            self.press_is_taken = False
        below = Area(0, self.menus.height, width, height - self.menus.height)
        errors, searching = self.errors, False
        try:
            self.prompter.sync(pointer, width, height)
        except Exception as error:  # noqa: BLE001 - it has declined its question
            errors.add("question", error)
        try:
            searching = self.palette.sync(pointer, width, height)
        except Exception as error:  # noqa: BLE001 - a view that fails costs itself alone
            errors.add("palette", error)
        for name, sync, given in (
            ("menu", self.context_menu.sync, (pointer,)),
            ("menu bar", self._sync_menu_bar, (pointer, width)),
            ("help", self.help.sync, (pointer, below)),
            ("notices", self.notices.sync, (pointer,)),
        ):
            if errors.failing and errors.rests(name):
                continue
            try:
                sync(*given)
            except Exception as error:  # noqa: BLE001 - a view that fails costs itself alone
                errors.add(name, error)
        return searching

    def _sync_menu_bar(self, pointer: Pointer, width: float) -> None:
        self.style.front = self.front  # before the bar looks for tooltips: its own would lie over the menu it opened
        self.menus.sync(pointer, width)

    @property
    def _covers_inspector(self) -> bool:
        """Whether the reading view takes the inspector's place as well, which would show the same step."""
        document = self.session.active
        return document is not None and document.members is None

    def _reading_area(self, regions: Regions) -> Area:
        right = regions.right if self._covers_inspector else NOWHERE
        canvas = regions.canvas
        return canvas if not right.width else canvas._replace(width=right.x + right.width - canvas.x)

    @property
    def inspector(self) -> Inspector:
        """The panel that shows the selection."""
        panel = self.panels["inspector"]
        assert isinstance(panel, Inspector)
        return panel

    # --- what can be pressed -----------------------------------------------------------------------------------------

    def controls(self) -> list[Control]:
        """Everything that can be pressed now: what lies behind a dialog or a menu is left out."""
        return self.style.controls.visible(self._size, self.front)

    @property
    def front(self) -> int | None:
        """The item of the dialog or menu that gets every press, or None."""
        if self.prompter.visible:
            return self.prompter.window
        if self.palette.visible:
            return self.palette.window
        if self.context_menu.visible:
            return self.context_menu.window
        return self.help.sheet.window if self.help.has_keyboard else None

    # --- layout ------------------------------------------------------------------------------------------------------

    def _arrange(self, size: tuple[int, int] | None = None) -> None:
        """Place all views when the window's size, a panel's size or the set of shown panels changed."""
        view, settings = self.session.view, self.session.settings
        if size is None:
            size = (dpg.get_viewport_client_width(), dpg.get_viewport_client_height())
        self._size = size
        left, right = self.style.size(settings.left_width), self.style.size(settings.right_width)
        if view.inspector_wide:
            right = max(right, size[0] * WIDE_INSPECTOR)
        at = {side: self._guarded.shown_at(side, view) for side in ("left", "right", "bottom")}
        self._guarded.forget_all_but({panel for side in at.values() for _, panel in side})
        wanted = self._guarded.heights(at["bottom"], size[1])
        below = self.splitters.strips(
            wanted, size[1], form=self.session.proposal is not None and self.proposal.has_form
        )
        regions = divide(
            *size,
            scale=self.style.scale,
            top=self.menus.height if self.session.presentation is None else 0.0,
            left=left if at["left"] else 0.0,
            right=right if at["right"] else 0.0,
            bottom=[height for _, _, height in below],
        )
        regions = with_dock(regions, self.proposal.wanted_height(regions.canvas))
        areas = dict(zip((panel for _, panel, _ in below), regions.bottom, strict=True))
        given: dict[str, list[tuple[str, Panel, float | None]]] = {}
        for side, area in (("left", regions.left), ("right", regions.right)):
            wanted = self._guarded.heights(at[side], area.height)
            heights = [height for _, _, height in wanted]
            if settings.panel_heights:
                names = [name for name, _, _ in wanted]
                heights = self.splitters.heights(list(zip(names, heights, strict=True)), area.height)
            kept = self._guarded.kept(wanted, area.height) if view.search and side == "left" else ()
            given[side] = wanted
            for (_, panel, _), place in zip(wanted, stack(area, heights, kept), strict=True):
                areas[panel] = place
        if (size, regions, areas) == self._placed:
            return
        docked = self.regions is not None and self.regions.dock.height != regions.dock.height
        self._placed = size, regions, areas
        self.regions = regions
        self.splitters.place(
            regions,
            # One that takes what the others leave is made higher by no edge of its own.
            [(name, areas[panel]) for name, panel, height in given["left"][:-1] if height is not None],
            [
                *((name, areas[panel]) for name, panel, _ in below if panel.resizable),
                *([(DOCK, regions.dock)] if regions.dock.height and self.proposal.form.parts else ()),
            ],
        )
        self._background.paint(size, regions)
        self.menus.show(regions.canvas.y > 0)
        before = self.session.viewport
        self.canvas.place(regions.canvas)
        restage(self.session, before)
        for document in self.session.documents:
            if docked:
                hold_top(document.picture, before, self.session.viewport)
            else:
                keep_first_view(document, before, self.session.viewport)
        self.proposal.place(regions.dock)
        free = regions.canvas
        if self.session.presentation is not None:
            free = free._replace(height=free.height * (1 - CAPTION_SHARE))
        self.notices.place(*free)
        self._inspects = self.inspector in self._guarded.place(areas, self.style.scale)

    def _follow_theme(self) -> None:
        """Switch to the theme the session asks for; views repaint because the theme is part of their keys."""
        wanted = THEMES.get(self.session.view.theme, DARK)
        if wanted is not self.style.theme:
            self.style.theme = wanted
            self._background.apply_theme(self.menus.height, self.canvas.window)
            self._placed = None

    def _shape_pointer(self) -> None:
        """Say by the pointer's shape what a press would take hold of: a panel's edge, or what lies on the canvas.

        The other views said it for themselves while they were synced.
        """
        pointer, busy = self.pointer, self.session.tools.busy
        edge = self.splitters.dragged
        if edge is None and not busy and not pointer.covered:
            edge = self.splitters.under(pointer.x, pointer.y)
        if edge is not None:
            pointer.shape = edge.shape
        elif busy or self.canvas.hovered():
            pointer.shape = self.canvas.pointer_shape
