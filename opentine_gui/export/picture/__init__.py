"""Exports that are drawn: one draw list for SVG and PNG."""
