"""Actions on the picture of a run: what is folded, and presenting it."""
