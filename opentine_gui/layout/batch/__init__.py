"""The batch engine: the whole graph at once, on lists."""
