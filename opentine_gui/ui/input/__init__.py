"""Reads mouse and keyboard input, and waits for it."""
