"""The main window: builds every view once, divides the space between them, and brings them in sync each frame."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.app.session import Session
from opentine_gui.app.state.prompts import ListPrompter
from opentine_gui.assets import asset_path
from opentine_gui.scene.draw_list import Rect
from opentine_gui.scene.text.clean import clean
from opentine_gui.scene.text.font_metrics import FontMetrics
from opentine_gui.scene.text.system_fonts import fallback_paths
from opentine_gui.scene.theme import DARK, THEMES
from opentine_gui.ui.canvas.canvas import Canvas
from opentine_gui.ui.canvas.minimap import Minimap
from opentine_gui.ui.canvas.proposal_view import ProposalView
from opentine_gui.ui.canvas.stage import Stage
from opentine_gui.ui.canvas.zoom_bar import Placeholder, ZoomBar
from opentine_gui.ui.dialogs.help import HelpView
from opentine_gui.ui.dialogs.menus import ContextMenu, MenuBar
from opentine_gui.ui.dialogs.notices import NoticeStack
from opentine_gui.ui.dialogs.palette import Palette
from opentine_gui.ui.dialogs.prompts import AskSystem, WindowPrompter
from opentine_gui.ui.input.keys import Keyboard, belongs_to_text
from opentine_gui.ui.input.pointer import InputEvent, Pointer
from opentine_gui.ui.panels.comparison import ComparisonPanel
from opentine_gui.ui.panels.inspector import Inspector
from opentine_gui.ui.panels.outline import Outline
from opentine_gui.ui.panels.runs import RunsPanel
from opentine_gui.ui.panels.shown_runs import ShownRuns
from opentine_gui.ui.panels.status import StatusBar
from opentine_gui.ui.panels.timeline import Timeline
from opentine_gui.ui.toolkit import widget_theme
from opentine_gui.ui.toolkit.look import Look, load_fonts
from opentine_gui.ui.toolkit.painter import Painter
from opentine_gui.ui.toolkit.regions import Area, Regions, divide

TITLE = "opentine"
SMALLEST_WINDOW = (720, 480)
PANEL_WIDTHS = (160.0, 640.0)
WIDE_INSPECTOR = 0.46


class MainWindow:
    """Everything on screen. `sync` once a frame; views send actions to the session and keep no truth."""

    def __init__(
        self,
        session: Session,
        *,
        scale: float = 1.0,
        most: tuple[int, int] | None = None,
        ask_system: AskSystem | None = None,
    ) -> None:
        """`scale` is pixels for one design pixel; `most` the display's size in pixels, which the window keeps to."""
        self.session, self._most, self._ask_system = session, most, ask_system
        self.look = Look(THEMES.get(session.view.theme, DARK), FontMetrics(fallback_paths), scale)
        dpg.configure_app(manual_callback_management=True)
        load_fonts(self.look)
        self._themes: tuple[int, ...] = ()
        self.pointer = Pointer()
        self.keyboard = Keyboard()
        self.root = int(dpg.add_window(no_scrollbar=True, no_scroll_with_mouse=True))
        self._build()
        self._dress()
        self.pointer.listen()
        self.regions: Regions | None = None
        self._size = (0, 0)
        self._placed: object = None
        self._dragged_edge = ""
        self._title = ""
        self.press_is_taken = False
        """Whether the press under way closed a menu, the palette or the help: no button under it acts on it."""

    def _build(self) -> None:
        session, look = self.session, self.look
        self._backdrop = int(dpg.add_drawlist(10, 10, parent=self.root, pos=[0, 0]))
        self._backdrop_node = int(dpg.add_draw_node(parent=self._backdrop))
        self.menus = MenuBar(session, look, self.root)
        self.canvas = Canvas(session, look, self.root)
        self.runs = RunsPanel(session, look, self.root)
        self.shown_runs = ShownRuns(session, look, self.root)
        self.outline = Outline(session, look, self.root)
        self.inspector = Inspector(session, look, self.root)
        self.comparison = ComparisonPanel(session, look, self.root)
        self.timeline = Timeline(session, look, self.root)
        self.status = StatusBar(session, look, self.root)
        self.placeholder = Placeholder(session, look, self.root)
        self.zoom_bar = ZoomBar(session, look, self.root)
        self.minimap = Minimap(session, look, self.canvas, self.root)
        self.proposal = ProposalView(session, look, self.root)
        self.notices = NoticeStack(session, look, self.root)
        self.stage = Stage(session, look, self.canvas)
        self.help = HelpView(session, look, self.root)
        self.context_menu = ContextMenu(session, look)
        self.palette = Palette(session, look)
        self.prompter = WindowPrompter(session, look, self._ask_system)
        if isinstance(session.prompter, ListPrompter | WindowPrompter):
            session.prompter = self.prompter
        session.clipboard = dpg.set_clipboard_text

    # --- life ------------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Divide the space as it will be, so that a graph that comes before the window has a view to fit into."""
        self._arrange(self._wanted_size)

    @property
    def _wanted_size(self) -> tuple[int, int]:
        settings = self.session.settings
        width, height = self.look.whole(settings.window_width), self.look.whole(settings.window_height)
        if self._most is not None:
            width, height = min(width, self._most[0]), min(height, self._most[1])
        return max(width, SMALLEST_WINDOW[0]), max(height, SMALLEST_WINDOW[1])

    def show(self) -> None:
        """Put the window on the display."""
        width, height = self._wanted_size
        icon = str(asset_path("icon.png"))
        dpg.create_viewport(
            title=TITLE,
            width=width,
            height=height,
            min_width=SMALLEST_WINDOW[0],
            min_height=SMALLEST_WINDOW[1],
            small_icon=icon,
            large_icon=icon,
            clear_color=self.look.theme.canvas,
            disable_close=True,
        )
        dpg.set_exit_callback(lambda: self.session.invoke("file.quit"))
        dpg.setup_dearpygui()
        dpg.show_viewport()
        self.fill()

    def fill(self) -> None:
        """Take the whole of the window that is on the display."""
        dpg.set_primary_window(self.root, True)
        # Becoming the primary window gave it back its scroll bars.
        dpg.configure_item(self.root, no_scrollbar=True, no_scroll_with_mouse=True)

    def take_down(self) -> None:
        """Take the views off the window, which stays: the toolkit does not survive a second one in a process."""
        self.prompter.close()
        dpg.set_primary_window(self.root, False)
        for item in dpg.get_windows():
            if dpg.get_item_type(item) in ("mvAppItemType::mvWindowAppItem", "mvAppItemType::mvHandlerRegistry"):
                dpg.delete_item(item)

    def remember(self) -> None:
        """Keep the window's size for the next start."""
        settings = self.session.settings
        settings.window_width = round(dpg.get_viewport_width() / self.look.scale)
        settings.window_height = round(dpg.get_viewport_height() / self.look.scale)

    def settled(self) -> bool:
        """True when the picture is complete: the graph in front is painted, or there is none to paint."""
        document = self.session.active
        if self.session.busy:
            return False
        return document is None or document.layout is None or self.canvas.painted is document

    # --- one frame -------------------------------------------------------------------------------------------------

    def sync(self) -> bool:
        """Keys and pointer in, all views in sync; True while something moves by itself."""
        # The palette lists what can be done to the run, so its own text box does not count as one being edited.
        self.session.text_focused = self.look.text_focused() and not self.palette.visible
        self._follow_theme()
        self._arrange()
        regions = self.regions
        assert regions is not None
        searching = self._sync_what_lies_on_top(regions)
        self._keys()
        self._drag_edges(regions)
        self.stage.sync(self.pointer)
        graph = not self.placeholder.sync(regions.canvas)
        working = graph and self.session.presentation is None
        self.minimap.sync(self.pointer, regions.canvas, working and self.session.view.minimap)
        self.zoom_bar.sync(regions.canvas, working)
        if regions.left.width:
            self.runs.sync(self.pointer)
            self.shown_runs.sync(self.pointer)
            self.outline.sync(self.pointer)
        if regions.right.width:
            self.comparison.sync(self.pointer)
            self.inspector.sync(self.pointer)
        if regions.timeline.height:
            self.timeline.sync(self.pointer)
        if regions.status.height:
            self.status.sync(self.pointer)
        self.canvas.handle(self.pointer)
        self._shape_pointer(regions)
        self.pointer.clear()
        self._name()
        return self.canvas.sync() or searching

    def _sync_what_lies_on_top(self, regions: Regions) -> bool:
        """Sync what may cover other views, the uppermost first: it takes the presses on it. True while one searches."""
        pointer, (width, height) = self.pointer, self._size
        if any(event.kind == "press" for event in pointer.events):
            self.press_is_taken = self.palette.visible or self.context_menu.visible or self.help.has_keyboard
        elif not pointer.left_down and not any(event.kind == "release" for event in pointer.events):
            self.press_is_taken = False
        self.prompter.sync(pointer, width, height)
        searching = self.palette.sync(pointer, width, height)
        self.context_menu.sync(pointer)
        self.menus.sync(pointer, width)
        self.help.sync(pointer, Area(0, self.menus.height, width, height - self.menus.height))
        self.notices.sync(pointer)
        self.proposal.sync(pointer, regions.canvas)
        return searching

    def _keys(self) -> None:
        """Give this frame's keys to the uppermost dialog that has the keyboard, else take them as shortcuts."""
        dialogs = (self.prompter, self.palette, self.help, self.proposal)
        owner = next((dialog for dialog in dialogs if dialog.has_keyboard), None)
        for chord in self.keyboard.chords(self.pointer):
            if owner is not None:
                owner.handle_key(chord)
            else:
                self._shortcut(chord)

    def _shortcut(self, chord: str) -> None:
        if self.session.text_focused and belongs_to_text(chord):
            return
        if self.session.proposal is not None and chord in {"Enter", "Ctrl+Enter"}:
            self.proposal.accept()
            return
        action = self.session.action_of(chord)
        if action is not None:
            self.session.invoke(action.id)

    # --- space -----------------------------------------------------------------------------------------------------

    def _arrange(self, size: tuple[int, int] | None = None) -> None:
        """Place all views when the window's size (the toolkit knows it), a panel's width or what is shown changed."""
        view, settings = self.session.view, self.session.settings
        if size is None:
            size = (dpg.get_viewport_client_width(), dpg.get_viewport_client_height())
        self._size = size
        strip = self.timeline.wanted_height
        left, right = self.look.size(settings.left_width), self.look.size(settings.right_width)
        if view.inspector_wide:
            right = max(right, size[0] * WIDE_INSPECTOR)
        top = self.menus.height if self.session.presentation is None else 0.0
        key = (size, left, right, view.panels, strip, self._upper.wanted_height, top, self._shows)
        if key == self._placed and self.regions is not None:
            return
        self._placed = key
        regions = divide(
            *size,
            scale=self.look.scale,
            top=top,
            left=left,
            right=right,
            panels=view.panels,
            timeline=strip,
        )
        self.regions = regions
        self._paint_backdrop(regions)
        self.menus.show(top > 0)
        canvas = regions.canvas
        self.canvas.place(canvas)
        self.notices.place(canvas.x, canvas.y, canvas.width, canvas.height)
        self._place_left(regions.left)
        self._place_right(regions.right)
        for panel, area in (
            (self.timeline, regions.timeline),
            (self.status, regions.status),
        ):
            shown = area.width > 0 and area.height > 0
            panel.show(shown)
            if shown:
                panel.place(area.x, area.y, area.width, area.height)

    def _follow_theme(self) -> None:
        """Take the colours the session asks for; views repaint because the theme is part of their keys."""
        wanted = THEMES.get(self.session.view.theme, DARK)
        if wanted is not self.look.theme:
            self.look.theme = wanted
            self._dress()
            self._placed = None

    def _dress(self) -> None:
        """Put the toolkit's own widgets and the grounds below the views in the theme's colours."""
        look, old = self.look, self._themes
        root = widget_theme.ground(look, self.menus.height)
        canvas = widget_theme.surface(look, look.theme.canvas)
        self._themes = (widget_theme.bind_theme(look), root, canvas)
        dpg.bind_item_theme(self.root, root)
        dpg.bind_item_theme(self.canvas.window, canvas)
        for item in old:
            dpg.delete_item(item)

    def _paint_backdrop(self, regions: Regions) -> None:
        """The panels' ground: what a panel leaves free is still panel, and the gaps between them are hairlines."""
        width, height = self._size
        # One pixel less than the window: a drawing as large as it would make it scroll.
        dpg.configure_item(self._backdrop, width=max(int(width) - 1, 1), height=max(int(height) - 1, 1))
        areas = (regions.left, regions.right, regions.timeline, regions.status)
        panel = self.look.theme.panel
        Painter(self.look).repaint(
            self._backdrop_node,
            [Rect(area.x, area.y, area.x + area.width, area.y + area.height, panel) for area in areas],
        )

    @property
    def _shows(self) -> tuple[bool, bool]:
        """(whether several runs are shown in front, whether the selected step is on show at the right)."""
        document = self.session.active
        several = document is not None and document.members is not None
        return several, document is None or not several or self.comparison.shows_step(document)

    @property
    def _upper(self) -> RunsPanel | ShownRuns:
        """What is on show at the upper left: the runs of the folder, or those shown together."""
        return self.shown_runs if self._shows[0] else self.runs

    def _place_right(self, area: Area) -> None:
        several, step = self._shows
        shown = area.width > 0
        self.comparison.show(shown and several)
        self.inspector.show(shown and step)
        strip = self.comparison.strip_height if several and step else 0.0
        if shown and several:
            self.comparison.place(area.x, area.y, area.width, strip or area.height)
        if shown and step:
            self.inspector.place(area.x, area.y + strip, area.width, max(area.height - strip, 1.0))

    def _place_left(self, area: Area) -> None:
        shown = area.width > 0
        panel = self._upper
        self.runs.show(shown and panel is self.runs)
        self.shown_runs.show(shown and panel is self.shown_runs)
        self.outline.show(shown)
        if shown:
            most = 0.5 if panel is self.runs else 0.7
            upper = min(max(panel.wanted_height, area.height * 0.25), area.height * most)
            panel.place(area.x, area.y, area.width, upper)
            self.outline.place(area.x, area.y + upper, area.width, area.height - upper)

    def _drag_edges(self, regions: Regions) -> None:
        """The edges between panels and canvas can be pulled."""
        pointer, settings = self.pointer, self.session.settings
        if not self._dragged_edge:
            for event in pointer.events:
                if event.kind == "press" and event.button == "left":
                    self._dragged_edge = self._edge_under(regions, event)
            if self._dragged_edge:
                pointer.take("press")
            return
        pointer.take("press", "move", "release")
        if not pointer.left_down:
            self._dragged_edge = ""
            return
        low, high = PANEL_WIDTHS
        if self._dragged_edge == "left":
            settings.left_width = round(min(max(pointer.x / self.look.scale, low), high))
        else:
            width = (self._size[0] - pointer.x) / self.look.scale
            settings.right_width = round(min(max(width, low), high))

    @staticmethod
    def _edge_under(regions: Regions, at: InputEvent | Pointer) -> str:
        if regions.left_edge.contains(at.x, at.y):
            return "left"
        return "right" if regions.right_edge.contains(at.x, at.y) else ""

    def _shape_pointer(self, regions: Regions) -> None:
        """Say by the pointer's shape what a press would take hold of: a panel's edge, or what lies on the canvas.

        The other views said it for themselves while they were synced.
        """
        pointer, busy = self.pointer, self.session.tools.busy
        covered = self.prompter.visible or self.palette.visible or self.help.has_keyboard or self.context_menu.visible
        if self._dragged_edge or (not busy and not covered and self._edge_under(regions, pointer)):
            pointer.shape = "left-right"
        elif busy or self.canvas.hovered():
            pointer.shape = self.canvas.pointer_shape

    def _name(self) -> None:
        document = self.session.active
        mark = "● " if document is not None and document.dirty else ""
        title = f"{mark}{clean(document.title, 200)} - {TITLE}" if document is not None else TITLE
        if title != self._title:
            self._title = title
            dpg.set_viewport_title(title)
