"""Mouse and keyboard input, and waiting for it."""
