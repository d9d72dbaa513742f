"""The canvas and the controls that float over it."""
