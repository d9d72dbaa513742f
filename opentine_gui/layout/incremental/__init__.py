"""The incremental engine: an edit continues the layout there is, on arrays."""
