"""Text to be drawn: cleaned, measured, in the fonts there are."""
