"""The display and the window system."""
