"""The code that opens an empty Dear PyGui window: the reference that programs measured against it begin with."""

EMPTY_WINDOW = """
import sys, time
import dearpygui.dearpygui as dpg
dpg.create_context()
dpg.create_viewport(title="empty", width=1440, height=900)
dpg.setup_dearpygui()
with dpg.window() as window:
    dpg.add_text("empty")
dpg.show_viewport()
dpg.set_primary_window(window, True)
"""
