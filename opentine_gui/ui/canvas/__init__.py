"""The canvas and what floats over it."""
