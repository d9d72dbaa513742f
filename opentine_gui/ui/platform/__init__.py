"""The display, the window system, and recording of frames and screenshots."""
