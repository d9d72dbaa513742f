"""Text to draw: cleaned, measured, and matched with fonts that have its letters."""
