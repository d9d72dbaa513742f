"""The incremental engine, on numpy arrays: an edit continues the layout before it."""
