"""A run shown folded: which groups are open, and the picture that follows from it."""
