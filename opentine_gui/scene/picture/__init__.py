"""Builds draw lists from a layout and a camera."""
