"""Several runs as one graph: descent, union, what was spent."""
