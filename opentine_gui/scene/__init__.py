"""The picture on the canvas as numbers: pure functions from a layout, a camera and cards to a list of primitives.

No window and no toolkit: the same draw list is painted in a window, as SVG and as PNG.
"""
