"""Widgets drawn on Dear PyGui, and the workarounds it needs."""
