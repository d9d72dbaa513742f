"""Painters write a draw list to a file."""
