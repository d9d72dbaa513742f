"""Changes to files: what an edit changed in a few words, and the lines of a diff."""
