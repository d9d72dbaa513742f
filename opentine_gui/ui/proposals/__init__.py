"""Proposals docked under the canvas: the fork bar, and the forms of an edited fork and of a merge."""
