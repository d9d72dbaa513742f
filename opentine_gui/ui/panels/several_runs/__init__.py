"""Panels of several runs shown together: which they are, how they differ, what they cost."""
