"""Painters put a draw list into a file."""
