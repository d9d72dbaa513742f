"""The published API: a run as an object that can be changed, over the immutable record."""
