"""The list of runs in a folder: rows, filter, index."""
