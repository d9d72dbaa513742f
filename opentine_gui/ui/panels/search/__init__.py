"""The search: the box, suggestions, and the results by run."""
