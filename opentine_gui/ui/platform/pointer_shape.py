"""The shape of the mouse pointer, which Dear PyGui has no call for: set in the Dear ImGui that its library holds.

Dear ImGui's platform backend puts the shape on the display when the next frame begins, and every frame begins with the
arrow, so a shape is set after each frame. Where the library does not export the function (Windows, another build) the
pointer stays an arrow. The GLFW in Dear PyGui 2.3 has no crosshair and no four-way arrow to offer Dear ImGui.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Literal

import dearpygui._dearpygui as library

Shape = Literal["arrow", "text", "hand", "up-down", "left-right"]

_SYMBOL = "_ZN5ImGui14SetMouseCursorEi"
_CODES: dict[Shape, int] = {"text": 1, "up-down": 3, "left-right": 4, "hand": 7}
"""Members of `ImGuiMouseCursor_`, the same since Dear ImGui 1.66."""


def set_shape(shape: Shape) -> None:
    """Show this shape until the next frame was rendered; call it after rendering a frame, with the context alive.

    The arrow is left to Dear ImGui, which has a shape of its own over a text box.
    """
    code = _CODES.get(shape)
    function = _function()
    if code is not None and function is not None:
        function(code)


@cache
def _function() -> Callable[[int], None] | None:
    """`ImGui::SetMouseCursor(int)`, or None where the library does not export it."""
    try:
        function = ctypes.CDLL(library.__file__)[_SYMBOL]
    except (OSError, AttributeError, TypeError):
        return None
    function.argtypes, function.restype = [ctypes.c_int], None
    return function
