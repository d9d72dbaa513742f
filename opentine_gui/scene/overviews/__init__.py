"""Overviews of the whole run: minimap and timeline."""
