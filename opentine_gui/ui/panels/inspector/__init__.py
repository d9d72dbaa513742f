"""The inspector: the selected step in full, a table of several, or the run."""
