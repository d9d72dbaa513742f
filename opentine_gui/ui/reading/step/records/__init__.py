"""The records of a step in full: as its file stores them, and as the source it was read from has them."""
