"""Dear PyGui themes in the scene's colours for its own widgets: buttons, text boxes, scroll bars, windows."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from opentine_gui.scene.draw_list import Color
from opentine_gui.scene.theme import Theme, mixed
from opentine_gui.ui.toolkit.style import Style


def bind_theme(style: Style) -> int:
    """Build the global theme and bind it; returns the theme item."""
    theme = style.theme
    with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
        for color, value in _colors(theme).items():
            dpg.add_theme_color(color, value)
        for variable, values in _styles(style).items():
            dpg.add_theme_style(variable, *values)
        with dpg.theme_component(dpg.mvInputText, parent=item):  # a box is seen on a ground of nearly its colour
            dpg.add_theme_color(dpg.mvThemeCol_Border, theme.edge)
            dpg.add_theme_color(dpg.mvThemeCol_BorderShadow, (0, 0, 0, 0))
            dpg.add_theme_style(dpg.mvStyleVar_FrameBorderSize, 1.0)
    dpg.bind_theme(item)
    return int(item)


def accent_button_theme(style: Style) -> int:
    """A theme item for the primary button of a dialog."""
    theme = style.theme
    with dpg.theme() as item, dpg.theme_component(dpg.mvButton):
        dpg.add_theme_color(dpg.mvThemeCol_Button, theme.accent)
        dpg.add_theme_color(dpg.mvThemeCol_ButtonHovered, mixed(theme.accent, theme.text, 0.2))
        dpg.add_theme_color(dpg.mvThemeCol_ButtonActive, mixed(theme.accent, theme.canvas, 0.15))
        dpg.add_theme_color(dpg.mvThemeCol_Text, theme.on_accent)
    return int(item)


def row_button_theme(style: Style) -> int:
    """A theme item for a button that is a row of a list: its words begin at the left."""
    with dpg.theme() as item, dpg.theme_component(dpg.mvButton):
        dpg.add_theme_style(dpg.mvStyleVar_ButtonTextAlign, 0.0, 0.5)
        dpg.add_theme_style(dpg.mvStyleVar_FramePadding, style.size(10), style.size(5))
    return int(item)


def dialog_theme(style: Style) -> int:
    """A theme item for a dialog: one background colour for everything, no padding."""
    theme = style.theme
    with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
        for color in (dpg.mvThemeCol_WindowBg, dpg.mvThemeCol_PopupBg, dpg.mvThemeCol_ChildBg):
            dpg.add_theme_color(color, theme.panel)
        dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, 0, 0)
    return int(item)


def main_window_theme(style: Style, bar_height: float) -> int:
    """A theme item for the main window, which is seen only as hairlines between the views.

    The menu bar is as high as its text plus the frame padding; `bar_height` is in pixels.
    """
    text = round(style.metrics.line_height("text", style.size(13)))
    with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
        dpg.add_theme_color(dpg.mvThemeCol_WindowBg, style.theme.hairline)
        dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, 0, 0)
        dpg.add_theme_style(dpg.mvStyleVar_WindowRounding, 0)
        dpg.add_theme_style(dpg.mvStyleVar_FramePadding, style.size(8), (bar_height - text) / 2)
        dpg.add_theme_style(dpg.mvStyleVar_WindowBorderSize, 0)
    return int(item)


def child_window_theme(style: Style, background: Color) -> int:
    """A theme item for a child window with this background, without padding and border."""
    with dpg.theme() as item, dpg.theme_component(dpg.mvAll):
        dpg.add_theme_color(dpg.mvThemeCol_ChildBg, background)
        dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, 0.0, 0.0)
        dpg.add_theme_style(dpg.mvStyleVar_FramePadding, style.size(8), style.size(5))
        dpg.add_theme_style(dpg.mvStyleVar_ChildBorderSize, 0.0)
    return int(item)


def _colors(theme: Theme) -> dict[int, Color]:
    hovered = mixed(theme.raised, theme.text, 0.08)
    quiet_accent = (*theme.accent[:3], 90)
    return {
        dpg.mvThemeCol_Text: theme.text,
        dpg.mvThemeCol_TextDisabled: theme.faint,
        dpg.mvThemeCol_WindowBg: theme.panel,
        dpg.mvThemeCol_ChildBg: theme.panel,
        dpg.mvThemeCol_PopupBg: theme.raised,
        dpg.mvThemeCol_Border: theme.hairline,
        dpg.mvThemeCol_FrameBg: theme.canvas,
        dpg.mvThemeCol_FrameBgHovered: theme.raised,
        dpg.mvThemeCol_FrameBgActive: theme.raised,
        dpg.mvThemeCol_MenuBarBg: theme.panel,
        dpg.mvThemeCol_TitleBg: theme.panel,
        dpg.mvThemeCol_TitleBgActive: theme.raised,
        dpg.mvThemeCol_ScrollbarBg: theme.panel,
        dpg.mvThemeCol_ScrollbarGrab: theme.hairline,
        dpg.mvThemeCol_ScrollbarGrabHovered: theme.edge,
        dpg.mvThemeCol_ScrollbarGrabActive: theme.faint,
        dpg.mvThemeCol_CheckMark: theme.accent,
        dpg.mvThemeCol_SliderGrab: theme.accent,
        dpg.mvThemeCol_Button: theme.raised,
        dpg.mvThemeCol_ButtonHovered: hovered,
        dpg.mvThemeCol_ButtonActive: theme.hairline,
        dpg.mvThemeCol_Header: theme.raised,
        dpg.mvThemeCol_HeaderHovered: hovered,
        dpg.mvThemeCol_HeaderActive: theme.hairline,
        dpg.mvThemeCol_Separator: theme.hairline,
        dpg.mvThemeCol_Tab: theme.panel,
        dpg.mvThemeCol_TabHovered: theme.raised,
        dpg.mvThemeCol_TabActive: theme.raised,
        dpg.mvThemeCol_InputTextCursor: theme.text,
        dpg.mvThemeCol_TextSelectedBg: quiet_accent,
        dpg.mvThemeCol_NavHighlight: theme.accent,
        dpg.mvThemeCol_PlotHistogram: theme.accent,
        dpg.mvThemeCol_ModalWindowDimBg: (*theme.canvas[:3], 150),
    }


def _styles(style: Style) -> dict[int, tuple[float, ...]]:
    size = style.size
    return {
        dpg.mvStyleVar_WindowPadding: (size(8), size(8)),
        dpg.mvStyleVar_FramePadding: (size(8), size(5)),
        dpg.mvStyleVar_ItemSpacing: (size(8), size(6)),
        dpg.mvStyleVar_FrameRounding: (size(5),),
        dpg.mvStyleVar_PopupRounding: (size(6),),
        dpg.mvStyleVar_WindowRounding: (size(8),),
        dpg.mvStyleVar_ScrollbarSize: (size(10),),
        dpg.mvStyleVar_ScrollbarRounding: (size(5),),
        dpg.mvStyleVar_WindowBorderSize: (1.0,),
        dpg.mvStyleVar_ChildBorderSize: (0.0,),
        dpg.mvStyleVar_FrameBorderSize: (0.0,),
    }
