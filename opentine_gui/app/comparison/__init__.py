"""Several runs shown at once: found, united, compared, and said in tables."""
