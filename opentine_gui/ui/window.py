"""The main window: builds every view once, divides the space between them, and updates them every frame."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.app.canvas.presentation import restage
from opentine_gui.app.canvas.shown_layouts import keep_first_view
from opentine_gui.app.document.camera.arrival import hold_top
from opentine_gui.app.session import Session
from opentine_gui.app.state.prompts import ListPrompter
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.system_fonts import fallback_paths
from opentine_gui.scene.theme import DARK, THEMES
from opentine_gui.ui.arrangement.arrangement import Arrangement
from opentine_gui.ui.arrangement.background import Background
from opentine_gui.ui.arrangement.guarded_panels import NOWHERE, GuardedPanels
from opentine_gui.ui.arrangement.panel_turns import PanelTurns
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
from opentine_gui.ui.panels.inspector.panel import Inspector
from opentine_gui.ui.panels.search.panel import SearchPanel
from opentine_gui.ui.platform.clipboard import put
from opentine_gui.ui.platform.desktop_window import DesktopWindow
from opentine_gui.ui.platform.display import Room
from opentine_gui.ui.platform.dropped_files import DroppedFiles
from opentine_gui.ui.platform.view_errors import ViewErrors
from opentine_gui.ui.proposals.dock import ProposalDock
from opentine_gui.ui.reading.reading_view import ReadingView
from opentine_gui.ui.reading.slide_view import SlideView
from opentine_gui.ui.toolkit.controls import Control
from opentine_gui.ui.toolkit.regions import Area, Regions
from opentine_gui.ui.toolkit.style import Style, load_fonts

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
        self._size = (0, 0)
        self._inspects = True
        self.turns = PanelTurns(session, self.style, self.panels, self.pointer)
        self.style.controls.call(self.root, "MainWindow")
        self.press_is_taken = False
        """Whether the press under way closed a menu, the palette or the help: no button under it acts on it."""

    def _build(self) -> None:
        session, style = self.session, self.style
        self._background = Background(style, self.root)
        self.menus = MenuBar(session, style, self.root)
        self.canvas = Canvas(session, style, self.root)
        self.panels = {row.name: row.build(session, style, self.root) for row in PANELS}
        self._guarded = GuardedPanels(self.panels, self.errors)
        self.splitters = Splitters(session, style, self.root)
        search = self.panels["search"]
        assert isinstance(search, SearchPanel)
        self.placeholder = Placeholder(session, style, self.root)
        self.zoom_bar = ZoomBar(session, style, self.root)
        self.minimap = Minimap(session, style, self.canvas, self.root)
        self.reading = ReadingView(session, style, self.root)
        self.proposal = ProposalDock(session, style, self.root)
        self.arrangement = Arrangement(session, style, self._guarded, self.splitters, self.proposal)
        self.notices = NoticeStack(session, style, self.root, self.minimap)
        self.stage = Stage(session, style, self.canvas)
        self.slide = SlideView(session, style, self.root)
        self.help = HelpView(session, style, self.root)
        self.context_menu = ContextMenu(session, style, self.menus.show_beside)
        self.palette = Palette(session, style)
        self.prompter = WindowPrompter(session, style, self._ask_system)
        if isinstance(session.prompter, WindowPrompter):
            self.prompter.take_over(session.prompter)
        if isinstance(session.prompter, ListPrompter | WindowPrompter):
            session.prompter = self.prompter
        session.clipboard, session.make_room = put, self._make_room
        self.shortcuts = Shortcuts(
            session,
            style,
            (self.prompter, self.palette, self.context_menu, self.help, self.proposal),
            search=search,
            reading=self.reading,
            slide=self.slide,
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
        if self.session.make_room == self._make_room:
            self.session.make_room = lambda: None
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
        if self.session.busy or self.turns.pending:
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
        regions = self._arrange()
        if dpg.get_y_scroll(self.root):
            dpg.set_y_scroll(self.root, 0.0)  # a box near the lower edge that got the keyboard has moved everything
        errors, pointer = self.errors, self.pointer
        searching = self._sync_overlays()
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
            ("slide", self.slide.sync, (pointer, regions.canvas)),
            ("view over the canvas", self._sync_over_canvas, (regions,)),
        ):
            if errors.failing and errors.rests(name):
                continue
            try:
                work(*given)
            except Exception as error:  # noqa: BLE001 - a view that fails affects no other
                errors.add(name, error)
        names = self._guarded.names
        for panel in self.turns.due():
            if errors.failing and errors.rests(names[panel]):
                continue
            try:
                panel.sync(pointer)
            except Exception as error:  # noqa: BLE001 - a panel that fails affects no other
                errors.add(names[panel], error)
        self.turns.blank_what_waits()
        moves = False
        try:
            if not (errors.failing and errors.rests("canvas")):
                self.canvas.handle(pointer)
                self._shape_pointer()
                moves = self.canvas.sync()
        except Exception as error:  # noqa: BLE001 - a view that fails affects no other
            errors.add("canvas", error)
        pointer.clear()
        self.desktop.update_title()
        return (
            moves
            or searching
            or self.turns.pending
            or self.context_menu.waits
            or self.proposal.form.boxes.waits
            or held_keys.holding()
            or late_releases.waits()
            or box_keys.under_way()
        )

    def _sync_over_canvas(self, regions: Regions) -> None:
        """Update what lies over the canvas: the reading view, a word where there is no graph, minimap and zoom bar."""
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
        """Keep first views clear of the corner in which the map lies, and above wide controls."""
        self.canvas.keep_free(self.minimap.corner, self.zoom_bar.foot)
        before, self.session.viewport = self.session.viewport, self.canvas.viewport
        for document in self.session.documents:
            keep_first_view(document, before, self.session.viewport)

    def _sync_overlays(self) -> bool:
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
        except Exception as error:  # noqa: BLE001 - a view that fails affects no other
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
            except Exception as error:  # noqa: BLE001 - a view that fails affects no other
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

    def _arrange(self, size: tuple[int, int] | None = None) -> Regions:
        """Place all views if the window's size, a panel's size or the set of shown panels changed."""
        if size is None:
            size = (dpg.get_viewport_client_width(), dpg.get_viewport_client_height())
        self._size = size
        before = self.arrangement.regions
        moved = self.arrangement.follow(size, self.menus.height if self.session.presentation is None else 0.0)
        regions = self.arrangement.regions
        assert regions is not None
        if moved:
            self._place(regions, docked=before is not None and before.dock.height != regions.dock.height)
        return regions

    def _make_room(self) -> None:
        """Have the panels beside the canvas take their places now, if there are any yet, and not in the next frame."""
        if self._size != (0, 0):
            self._arrange(self._size)

    def _place(self, regions: Regions, *, docked: bool) -> None:
        """Place all views; `docked` if the dock opened, closed or got another height."""
        self._background.paint(self._size, regions)
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
        self.notices.place(*regions.canvas)
        self._inspects = self.inspector in self._guarded.place(self.arrangement.areas, self.style.scale)

    def _follow_theme(self) -> None:
        """Switch to the theme the session asks for, and hide secrets or show them again; views repaint because both
        are part of their keys.
        """
        presented = self.session.presentation
        self.style.veil.on = presented is not None and presented.hides
        wanted = THEMES.get(self.session.view.theme, DARK)
        if wanted is not self.style.theme:
            self.style.theme = wanted
            self._background.apply_theme(self.menus.height, self.canvas.window)
            self.arrangement.place_again()

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
