"""From layout and camera to a draw list."""
