"""The batch engine, on lists: lays out the whole graph at once."""
