"""What is on the canvas, in numbers: pure functions from a layout, a camera and cards' faces to a list of primitives.

No window and no toolkit: the same draw list is painted on a window, an SVG or a PNG.
"""
